"""One frame in, conclusions a launch out: the two passes of the engine with the quantifier between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from advisor import quantify
from advisor.catalog import catalog as open_catalog
from advisor.engine import Engine, Trace
from advisor.metrics.derive import LABELS
from advisor.model import ENDS, Speedup
from advisor.observe import Observed, observe
from advisor.pipelines import context, workloads
from advisor.pipelines.notes import unit_name
from advisor.pipelines.ranking import REACHES, is_worthwhile

if TYPE_CHECKING:
    import pandas as pd

    from advisor.catalog import Catalog
    from advisor.pipelines.diagnose import Inputs


@dataclass(frozen=True)
class Weight:
    """What was concluded about one launch; first: before the gains, speedup by finding, were weighed."""

    first: Trace
    trace: Trace
    gains: dict[str, Speedup]


@dataclass(frozen=True)
class Weighed:
    """What was concluded about one frame, row by row, before any of it is told.

    first: before the gains were weighed; gains: speedup by finding.
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
    """One engine a knowledge base: compiling the rules takes longer than running them."""
    return Engine(catalog)


def prepare(catalog: Catalog, inputs: Inputs) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The derived frame of the inputs, with the user's numbers in it, and each row's GPU id."""
    frame, known_as = context.add_base(inputs.frame, inputs.reports, inputs.gpu)
    for position, answers in inputs.answers.items():
        numbers = _numbers(catalog, answers)
        frame = context.add_numbers(frame, numbers, None if position is None else [position])
    if "duration_ns" in frame:
        # A time that is not positive was not measured.
        frame["duration_ns"] = frame["duration_ns"].where(frame["duration_ns"] > 0)
    known = None if catalog is open_catalog() else catalog.metrics
    derive = workloads.deriver(catalog)
    frame = derive(frame, metrics=known)
    if inputs.ceilings and context.add_measured(frame, inputs.ceilings):
        frame = derive(frame, metrics=known)
    return context.add_known(frame), tuple(known_as)


def _numbers(catalog: Catalog, answers: Mapping[str, Any]) -> dict[str, float]:
    out = {}
    for key, value in answers.items():
        if isinstance(value, float):
            question = catalog.questions.get(key)
            out[question.sets if question is not None and question.sets else key] = value
    return out


def choices(catalog: Catalog, inputs: Inputs, row: int) -> frozenset[str]:
    """The words of the choices that the user made for one launch, as rules name them."""
    answers = {**inputs.answers.get(None, {}), **inputs.answers.get(row, {})}
    return frozenset(f"answer.{key}.{value}" for key, value in answers.items() if isinstance(value, str))


def weigh(
    catalog: Catalog, inputs: Inputs, frame: pd.DataFrame | None = None, known_as: tuple[str, ...] = ()
) -> Weighed:
    """Observe, conclude causes, quantify, conclude what the gains mean. `frame`: an already derived one (what-if)."""
    if frame is None:
        frame, known_as = prepare(catalog, inputs)
    return judge(catalog, inputs, frame, observe_all(catalog, frame), known_as)


def observe_all(catalog: Catalog, frame: pd.DataFrame) -> Observed:
    """What is seen in a derived frame, its labels in words."""
    labels = {name: [unit_name(str(text or "")) for text in frame[name]] for name in LABELS if name in frame}
    return observe(frame, catalog, labels=labels)


def judge(
    catalog: Catalog, inputs: Inputs, frame: pd.DataFrame, observed: Observed, known_as: tuple[str, ...]
) -> Weighed:
    """The same for a derived frame that was observed already."""
    return weighed(catalog, frame, observed, known_as, weights(catalog, inputs, observed, range(len(frame))))


def weighed(
    catalog: Catalog, frame: pd.DataFrame, observed: Observed, known_as: tuple[str, ...], found: Sequence[Weight]
) -> Weighed:
    """The weights of all rows, put together."""
    first, traces, gains = (tuple(getattr(w, name) for w in found) for name in ("first", "trace", "gains"))
    return Weighed(frame, observed, engine_of(catalog), first, traces, gains, known_as)


def weights(catalog: Catalog, inputs: Inputs, observed: Observed, rows: range) -> list[Weight]:
    """What is concluded about some rows of what was observed."""
    engine = engine_of(catalog)
    answers = [choices(catalog, inputs, row) for row in rows]
    first = engine.conclude_many(observed, answers, None, rows)
    gains = _gains(catalog, observed, rows, first)
    words = [_words(catalog, trace, gain) for trace, gain in zip(first, gains, strict=True)]
    traces = engine.conclude_many(observed, answers, words, rows)
    return [Weight(*of_row) for of_row in zip(first, traces, gains, strict=True)]


def _gains(catalog: Catalog, observed: Observed, rows: range, traces: Sequence[Trace]) -> list[dict[str, Speedup]]:
    """The speedup of each concluded diagnosis that says what its fix changes, row by row."""
    if workloads.is_workload(catalog):
        return workloads.workload_gains(catalog, observed, rows, traces)
    model = quantify.build(observed.columns, len(observed.truth))
    at: dict[str, list[int]] = {}
    for row, trace in zip(rows, traces, strict=True):
        for found in trace.findings:
            at.setdefault(found, []).append(row)
    out: dict[int, dict[str, Speedup]] = {row: {} for row in rows}
    for found, members in at.items():
        entry = catalog.findings[found]
        if entry.kind != "diagnosis" or entry.fix is None or not entry.fix.changes:
            continue
        for row, speedup in zip(members, quantify.speedups(model, entry.fix, np.array(members)), strict=True):
            if speedup is not None:
                out[row][found] = speedup
    return [out[row] for row in rows]


def _words(catalog: Catalog, trace: Trace, gains: Mapping[str, Speedup]) -> frozenset[str]:
    causes = [f for f in trace.findings if catalog.findings[f].kind == "diagnosis"]
    words = {"gain.any_diagnosis"} if any(is_worthwhile(gains.get(f)) for f in causes) else set()
    # A cause whose gain nobody can tell is no reason to stop.
    untold = any(f not in gains and f not in ENDS and catalog.findings[f].fix is not None for f in causes)
    if untold or any(s.estimate >= REACHES for s in gains.values()):
        words.add("gain.reaches_10")
    return frozenset(words)
