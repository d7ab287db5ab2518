"""Draw conclusions about a frame: two passes of the engine with the time model between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from advisor.knowledge.base import Catalog
from advisor.knowledge.base import catalog as open_catalog
from advisor.knowledge.time_model import time_model
from advisor.knowledge.units import leader_name
from advisor.reasoning import enrich
from advisor.reasoning.code_counts import with_code_counts
from advisor.reasoning.domain import domain_of
from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.engine.trace import Trace, finding_confidence
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.metrics.derive import LABELS
from advisor.reasoning.observations import Observed, observe
from advisor.reasoning.quantified import codes, numbers, observe_late, with_late
from advisor.reasoning.quantities import quantities, within_bounds
from advisor.reasoning.ranking import Ranked, candidates, ranked
from advisor.records.diagnosis import Quantity, Speedup
from advisor.records.quantities import MEDIUM_CONFIDENCE

if TYPE_CHECKING:
    import pandas as pd


class RowConclusions(Struct, frozen=True):
    """The conclusions about one launch.

    first: those of the first pass, before the speedups are known; gains: speedup by finding; numbers: the metrics of
    the quantification.
    """

    first: Trace
    trace: Trace
    gains: dict[str, Speedup]
    numbers: tuple[float, ...]


class Conclusions(Struct, frozen=True):
    """The conclusions about one frame, row by row.

    first: those of the first pass, before the speedups are known; gains: speedup by finding.
    """

    frame: pd.DataFrame
    observed: Observed
    engine: Engine
    first: tuple[Trace, ...]
    traces: tuple[Trace, ...]
    gains: tuple[dict[str, Speedup], ...]
    known_as: tuple[str, ...]


@lru_cache(maxsize=4)
def engine_of(catalog: Catalog) -> Engine:
    """Return the cached engine of a knowledge base; compiling the rules takes longer than running them."""
    return Engine(catalog)


def prepare(catalog: Catalog, inputs: Inputs) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return the derived frame of the inputs, including the user's numbers, and each row's GPU id."""
    frame, known_as = enrich.add_base(inputs.frame, inputs.reports, inputs.gpu)
    for position, answers in inputs.answers.items():
        numbers = _numbers(catalog, answers)
        frame = enrich.add_numbers(frame, numbers, None if position is None else [position])
    if "duration_ns" in frame:
        # A time that is not positive was not measured.
        frame["duration_ns"] = frame["duration_ns"].where(frame["duration_ns"] > 0)
    known = None if catalog is open_catalog() else catalog.metrics
    derive = domain_of(catalog).derive
    derived = derive(frame, metrics=known)
    frame = with_code_counts(frame, derived, catalog.metrics, partial(derive, metrics=known))
    if inputs.ceilings and enrich.add_measured(frame, inputs.ceilings):
        frame = derive(frame, metrics=known)
    return enrich.add_known(frame), tuple(known_as)


def _numbers(catalog: Catalog, answers: Mapping[str, Any]) -> dict[str, float]:
    out = {}
    for key, value in answers.items():
        if isinstance(value, float):
            question = catalog.questions.get(key)
            out[question.sets if question is not None and question.sets else key] = value
    return out


def _choices(inputs: Inputs, row: int) -> frozenset[str]:
    """Return the user's choices for one launch, by the names that rules use."""
    return frozenset(f"answer.{key}.{value}" for key, value in inputs.answers_of(row).items() if isinstance(value, str))


def conclude(
    catalog: Catalog, inputs: Inputs, frame: pd.DataFrame | None = None, known_as: tuple[str, ...] = ()
) -> Conclusions:
    """Observe, conclude causes, estimate speedups, conclude from them. `frame`: an already derived one (what-if)."""
    if frame is None:
        frame, known_as = prepare(catalog, inputs)
    return judge(catalog, inputs, frame, observe_all(catalog, frame), known_as)


def observe_all(catalog: Catalog, frame: pd.DataFrame) -> Observed:
    """Return the observations of a derived frame, with the names of its labels."""
    labels = {name: [leader_name(str(text or "")) for text in frame[name]] for name in LABELS if name in frame}
    return observe(frame, catalog, labels=labels)


def judge(
    catalog: Catalog, inputs: Inputs, frame: pd.DataFrame, observed: Observed, known_as: tuple[str, ...]
) -> Conclusions:
    """Draw conclusions from an already observed frame."""
    rows = conclude_rows(catalog, inputs, observed, range(len(frame)), quantities(observed))
    return joined(catalog, frame, observed, known_as, rows)


def joined(
    catalog: Catalog,
    frame: pd.DataFrame,
    observed: Observed,
    known_as: tuple[str, ...],
    found: Sequence[RowConclusions],
) -> Conclusions:
    """Combine the conclusions of all rows."""
    first, traces, gains = (tuple(getattr(w, name) for w in found) for name in ("first", "trace", "gains"))
    engine = engine_of(catalog)
    known = with_late(observed, engine.program.quantified, [one.numbers for one in found])
    return Conclusions(frame, known, engine, first, traces, gains, known_as)


def conclude_rows(
    catalog: Catalog, inputs: Inputs, observed: Observed, rows: range, bounds: Sequence[tuple[Quantity, ...]]
) -> list[RowConclusions]:
    """Return the conclusions about some rows. bounds: the formulas of step 3 on each row of `observed`."""
    engine = engine_of(catalog)
    answers = [_choices(inputs, row) for row in rows]
    first = engine.conclude_many(observed, answers, None, rows)
    modelled = domain_of(catalog).gains(catalog, observed, rows, first)
    gains = [
        _unsure(observed, row, trace, within_bounds(catalog, bounds[row], trace.class_id, gain))
        for row, trace, gain in zip(rows, first, modelled, strict=True)
    ]
    given = [numbers(catalog, observed, row, trace, gain) for row, trace, gain in zip(rows, first, gains, strict=True)]
    late = observe_late(observed, engine.program.quantified, rows, given)
    traces = engine.conclude_many(observed, answers, codes(late), rows)
    return [RowConclusions(*of_row) for of_row in zip(first, traces, gains, given, strict=True)]


def _unsure(observed: Observed, row: int, trace: Trace, gains: Mapping[str, Speedup]) -> dict[str, Speedup]:
    """Return the gains of one launch; at low confidence a range begins at no gain, for the cause may be another one."""
    out = dict(gains)
    for name, gain in gains.items():
        if gain.low > 1 and finding_confidence(observed, row, trace, name) < MEDIUM_CONFIDENCE:
            out[name] = replace(gain, low=1.0, how=f"{gain.how}; {time_model().how['unsure']}")
    return out


def in_order(catalog: Catalog, concluded: Conclusions, row: int) -> tuple[Ranked, ...]:
    """Return the findings of a row without its class, ranked."""
    trace = concluded.traces[row]
    return ranked(catalog, candidates(catalog, concluded.observed, row, trace, concluded.gains[row], trace.findings))
