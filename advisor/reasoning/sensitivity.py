"""Numbers tried in an interview: a row for each value of each, judged by all observations at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN, Comparison
from advisor.reasoning import workloads
from advisor.reasoning.conclude import Weighed, judge, kind_of, prepare, ranked
from advisor.reasoning.enrich import with_numbers
from advisor.reasoning.metrics.derive import COMPUTE, INSIDE, MEMORY
from advisor.reasoning.observations import Observed, observe, tests_of
from advisor.reasoning.time_model import model as speedup_model
from advisor.reasoning.time_model.formulas import TIE
from advisor.records.diagnosis import Speedup

if TYPE_CHECKING:
    import pandas as pd

    from advisor.knowledge.base import Catalog
    from advisor.reasoning.diagnose import Inputs

# Where no test holds a number against a constant: across what it can be.
_PERCENT: Final = (0.0, 2.0, 15.0, 25.0, 35.0, 45.0, 55.0, 70.0, 90.0)
_OTHER: Final = (0.0, 0.3, 1.0, 3.0, 12.0, 40.0, 300.0, 1e4, 1e6, 1e9, 1e12)
# Where a test holds a number against other numbers: close enough together to have one on each side of where it turns.
_FINE_PERCENT: Final = np.arange(0.5, 100.0, 0.5)
_FINE_OTHER: Final = np.geomspace(1e-3, 1e13, 129)


@dataclass(frozen=True)
class Placed:
    """What of a finding decides its place among the others (conclude.Ranks)."""

    id: str
    kind: str
    speedup: Speedup | None


def in_order(catalog: Catalog, weighed: Weighed, row: int) -> tuple[Placed, ...]:
    """What was concluded about a row beside its class, in the order in which it is told."""
    gains = weighed.gains[row]
    names = weighed.traces[row].findings
    return ranked(catalog, [Placed(name, kind_of(catalog, name, gains.get(name)), gains.get(name)) for name in names])


def first_of(catalog: Catalog, weighed: Weighed, row: int) -> Placed | None:
    """What comes first of what was concluded about a row: a diagnosis, else nothing."""
    return next((f for f in in_order(catalog, weighed, row) if f.kind == "diagnosis"), None)


def outcome(catalog: Catalog, weighed: Weighed, row: int) -> tuple[str, str, float]:
    """Class, first finding and its gain of a row."""
    first = first_of(catalog, weighed, row)
    gain = 1.0 if first is None or first.speedup is None else first.speedup.estimate
    return weighed.traces[row].class_id, "" if first is None else first.id, gain


def differs(one: tuple[str, str, float], other: tuple[str, str, float]) -> bool:
    """Whether two outcomes are told apart: gains within a tie are the same, as estimates go."""
    return one[:2] != other[:2] or abs(math.log(one[2] / other[2])) > math.log(TIE)


def rows_of(observed: Observed, at: np.ndarray) -> Observed:
    """These rows of what was observed, in this order, as copies; a row may be there more than once."""
    columns = {metric: column[at] for metric, column in observed.columns.items()}
    return replace(observed, truth=observed.truth[at], margin=observed.margin[at], columns=columns, labels={})


@lru_cache(maxsize=4)
def _thresholds(catalog: Catalog) -> Mapping[str, frozenset[float]]:
    """Metric to the constants that tests hold it against."""
    out: dict[str, set[float]] = {}
    for test in tests_of(catalog).values():
        for comparison in test.comparisons:
            for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
                if len(side.names) == 1 and side.text in side.names and not other.names:
                    out.setdefault(side.text, set()).add(other.scalar({}))
    return {name: frozenset(v for v in values if math.isfinite(v)) for name, values in out.items()}


@lru_cache(maxsize=4)
def _against_others(catalog: Catalog) -> Mapping[str, tuple[Comparison, ...]]:
    """Metric to the comparisons that hold it against other metrics."""
    out: dict[str, set[Comparison]] = {}
    for test in tests_of(catalog).values():
        for comparison in test.comparisons:
            names = comparison.left.names | comparison.right.names
            for name in names if len(names) > 1 else ():
                out.setdefault(name, set()).add(comparison)
    return {name: tuple(sorted(some, key=lambda one: one.test)) for name, some in out.items()}


def _turns(catalog: Catalog, metric: str, known: Mapping[str, float], percent: bool) -> list[float]:
    """A value on each side of where a comparison with numbers that are known turns."""
    tried, out = _FINE_PERCENT if percent else _FINE_OTHER, list[float]()
    for comparison in _against_others(catalog).get(metric, ()):
        names = (comparison.left.names | comparison.right.names) - {metric}
        if not all(name in known for name in names):
            continue
        columns = {metric: tried, **{name: np.full(len(tried), known[name]) for name in names}}
        with np.errstate(all="ignore"):
            holds = comparison.holds(
                *(side.column(columns, len(tried)) for side in (comparison.left, comparison.right))
            )
        at = np.flatnonzero(np.diff(holds))
        out += [*tried[at].tolist(), *tried[at + 1].tolist()]
    return out


def values_of(catalog: Catalog, metric: str, known: Mapping[str, float]) -> tuple[float, ...]:
    """A value in each interval between the thresholds of the tests that read a number, as far as there is room."""
    percent = metric in catalog.metrics and catalog.metrics[metric].unit == "%"
    edges = sorted(_thresholds(catalog).get(metric, ()))
    if edges:
        found = [edges[0] / 2, *((a + b) / 2 for a, b in pairwise(edges)), max(edges[-1] * 2, edges[-1] + 1)]
        # Whether the threshold itself belongs to the side above it depends on the test.
        found += [*edges, *(math.nextafter(edge, math.inf) for edge in edges), min(0.0, edges[0])]
    else:
        found = list(_PERCENT if percent else _OTHER)
    found += _turns(catalog, metric, known, percent)
    most = _room(catalog, metric, known, 100.0 if percent else math.inf)
    return tuple(sorted({min(value, most) for value in found if value >= 0}))


def _room(catalog: Catalog, metric: str, known: Mapping[str, float], most: float) -> float:
    """The most that a number can be beside those that are known: a part beside its whole, a share beside others."""
    if not workloads.is_workload(catalog):
        for whole, parts in (("memory_throughput_pct", MEMORY), ("sm_throughput_pct", (*COMPUTE, *INSIDE))):
            if metric in parts:
                most = min(most, known.get(whole, most))
        if metric == "occupancy_achieved_pct":
            most = min(most, known.get("occupancy_theoretical_pct", most))
    if metric.startswith("stall_") and not metric.endswith("_not_issued_pct"):
        share = metric.endswith("_pct")
        others = [
            value
            for name, value in known.items()
            if name.startswith("stall_") and name.endswith("_pct") == share and "_not_issued" not in name
        ]
        all_of_it = 100.0 if share else known.get("issue_interval", math.inf)
        most = min(most, max(0.0, all_of_it - sum(others)))
    return most


class Tried:
    """Values of numbers beside all that is known of the one launch, a row each, with what the tests say of them.

    moving: the observations that these numbers can change; the others stay as they are.
    """

    def __init__(
        self, catalog: Catalog, inputs: Inputs, weighed: Weighed, numbers: Iterable[str], moving: Sequence[str]
    ) -> None:
        known = weighed.observed.values(0)
        self._catalog, self._inputs = catalog, inputs
        self._before = weighed.observed.truth[0].tobytes()
        rows = [(name, value) for name in numbers for value in values_of(catalog, name, known)]
        self._rows: dict[str, list[int]] = {}
        for place, (name, _) in enumerate(rows):
            self._rows.setdefault(name, []).append(place)
        self._frame = _frame(catalog, inputs, rows)
        self._observed = _judged(self._frame, catalog, weighed.observed, moving) if rows else weighed.observed

    def may_hold(self, when: Sequence[str], unless: Sequence[str], numbers: Iterable[str]) -> bool:
        """Whether each of these numbers has a value with which no observation of a rule refutes it.

        Conclusions and answers among the rule's conditions are taken to be open.
        """
        tried = (self._rows[name] for name in numbers if name in self._rows)
        return all(any(self._stands(row, when, unless) for row in rows) for rows in tried)

    def _stands(self, row: int, when: Sequence[str], unless: Sequence[str]) -> bool:
        return all(self._truth(row, n) != FALSE for n in when) and all(self._truth(row, n) != TRUE for n in unless)

    def _truth(self, row: int, name: str) -> int:
        at = self._observed.place.get(name)
        return UNKNOWN if at is None else int(self._observed.truth[row, at])

    def outcomes(self, name: str) -> tuple[tuple[str, str, float], ...]:
        """What the whole reasoning concludes for the values of a number, one for each outcome of all tests."""
        seen: dict[bytes, int] = {}
        for row in self._rows.get(name, []):
            seen.setdefault(self._observed.truth[row].tobytes(), row)
        rows = [row for key, row in seen.items() if key != self._before]
        if not rows:
            return ()
        some = rows_of(self._observed, np.array(rows))
        weighed = judge(self._catalog, self._inputs, self._frame.iloc[rows], some, ("",) * len(rows))
        return tuple(outcome(self._catalog, weighed, row) for row in range(len(rows)))

    def gains_moved(self, first: Placed | None, numbers: Sequence[str]) -> dict[str, float]:
        """How far each of these numbers moves the first finding's gain, as a logarithm, where estimates tell that."""
        fix = self._catalog.findings[first.id].fix if first is not None else None
        rows = [row for name in numbers for row in self._rows.get(name, [])]
        if first is None or fix is None or not rows:
            return {}
        model = speedup_model.build(self._observed.columns, len(self._frame))
        found = dict(zip(rows, speedup_model.speedups(model, fix, np.array(rows)), strict=True))
        now = 1.0 if first.speedup is None else first.speedup.estimate
        out = {}
        for name in numbers:
            gains = [1.0 if (s := found[row]) is None else s.estimate for row in self._rows.get(name, [])]
            moved = max((abs(math.log(gain / now)) for gain in gains), default=0.0)
            if moved > math.log(TIE):
                out[name] = moved
        return out


def _judged(frame: pd.DataFrame, catalog: Catalog, before: Observed, moving: Sequence[str]) -> Observed:
    """All observations on a frame, of which only some can differ from what they were."""
    some = observe(frame, catalog, only=moving)
    truth, margin = np.repeat(before.truth[:1], len(frame), axis=0), np.repeat(before.margin[:1], len(frame), axis=0)
    places = [before.place[name] for name in some.names]
    truth[:, places], margin[:, places] = some.truth, some.margin
    return replace(before, truth=truth, margin=margin, columns=some.columns, labels={})


def _frame(catalog: Catalog, inputs: Inputs, rows: Sequence[tuple[str, float]]) -> pd.DataFrame:
    """A row for each number tried, beside all that is known."""
    one = inputs.frame.iloc[[0] * max(1, len(rows))].reset_index(drop=True)
    columns = {
        name: np.array([value if other == name else math.nan for other, value in rows])
        for name in dict.fromkeys(name for name, _ in rows)
    }
    return prepare(catalog, replace(inputs, frame=with_numbers(one, columns)))[0]
