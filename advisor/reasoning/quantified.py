"""The numbers of the quantification as metrics, and the observations that test them, between the engine's passes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from advisor.knowledge.base import Catalog
from advisor.reasoning.engine.trace import Trace
from advisor.reasoning.observations import Observed, observe_columns
from advisor.reasoning.ranking import candidates, ranked
from advisor.records.diagnosis import Speedup

# The gain of a launch overhead is that of launching less often, not of a change in the kernel.
_OUTSIDE = "launch_overhead"
NAMES = ("gain_best", "gains_unknown", "gain_first", "gain_first_low", "gain_first_known")


def numbers(
    catalog: Catalog, observed: Observed, row: int, trace: Trace, gains: Mapping[str, Speedup]
) -> tuple[float, ...]:
    """Return the metrics NAMES of one launch; trace: the first pass, gains: speedup by finding. NaN is unknown."""
    causes = [name for name in trace.findings if catalog.findings[name].kind == "diagnosis"]
    if not causes:
        return 1.0, 0.0, math.nan, math.nan, math.nan
    known = [gains[name].estimate for name in causes if name in gains]
    inside = candidates(catalog, observed, row, trace, gains, [name for name in causes if name != _OUTSIDE])
    first = next((cause for cause in ranked(catalog, inside) if cause.kind == "diagnosis"), None)
    best, unknown = max(known, default=1.0), float(len(causes) - len(known))
    if first is None:
        return best, unknown, math.nan, math.nan, math.nan
    gain = first.speedup
    return (best, unknown, math.nan, math.nan, 0.0) if gain is None else (best, unknown, gain.estimate, gain.low, 1.0)


def known(given: tuple[float, ...]) -> dict[str, float]:
    """Return the known numbers of one launch by name."""
    return {name: value for name, value in zip(NAMES, given, strict=True) if math.isfinite(value)}


def observe_late(observed: Observed, names: Sequence[str], rows: range, given: Sequence[tuple[float, ...]]) -> Observed:
    """Return the observations `names` on some rows; given: the numbers of each of these rows."""
    late = np.array(given, dtype=float).reshape(len(rows), len(NAMES))
    tests = {name: observed.tests[name] for name in names}
    read = {metric for test in tests.values() for metric in test.names}
    some = slice(rows.start, rows.stop)
    columns = {name: column[some] for name, column in observed.columns.items() if name in read}
    columns |= {name: late[:, at] for at, name in enumerate(NAMES)}
    return observe_columns(observed.catalog, columns, len(rows), tests, None, observed.estimated[some])


def with_late(observed: Observed, names: Sequence[str], given: Sequence[tuple[float, ...]]) -> Observed:
    """Return all observations, those on the numbers of the quantification included."""
    if not names:
        return observed
    late = observe_late(observed, names, range(len(given)), given)
    truth, margin = observed.truth.copy(), observed.margin.copy()
    places = [observed.place[name] for name in names]
    truth[:, places], margin[:, places] = late.truth, late.margin
    columns = {**observed.columns, **{name: late.columns[name] for name in NAMES}}
    return replace(observed, truth=truth, margin=margin, columns=columns)


def codes(late: Observed) -> list[bytes]:
    """Return the truth codes of each row, as the engine takes them."""
    return [row.tobytes() for row in late.truth]
