"""Which finding to fix first, and which is worth a fix at all.

One frame in, conclusions a launch out: the two passes of the engine with the quantifier between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from advisor.knowledge.base import catalog as open_catalog
from advisor.reasoning import enrich, workloads
from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.engine.trace import Trace
from advisor.reasoning.enrich import unit_name
from advisor.reasoning.metrics.derive import LABELS
from advisor.reasoning.observations import Observed, observe
from advisor.reasoning.time_model import model as speedup_model
from advisor.reasoning.time_model.formulas import TIE, worthwhile
from advisor.records.diagnosis import ENDS, Speedup

if TYPE_CHECKING:
    import pandas as pd

    from advisor.knowledge.base import Catalog
    from advisor.reasoning.diagnose import Inputs

# A gain of 10 % keeps a kernel from being called done (CATALOG).
REACHES = 1.10
R = TypeVar("R", bound="Ranks")


class Ranks(Protocol):
    """What of a finding decides its place."""

    @property
    def id(self) -> str:
        """The finding."""

    @property
    def kind(self) -> str:
        """diagnosis, trust or note."""

    @property
    def speedup(self) -> Speedup | None:
        """What its fix gives."""


def is_worthwhile(speedup: Speedup | None) -> bool:
    """Whether a fix with this gain is worth it; one whose gain nobody can tell is."""
    return speedup is None or worthwhile(speedup.estimate)


def kind_of(catalog: Catalog, found: str, speedup: Speedup | None) -> str:
    """diagnosis, trust or note. What is there but not worth fixing is a note: it must not be the first thing to do."""
    return catalog.findings[found].kind if is_worthwhile(speedup) or found == "launch_overhead" else "note"


def ranked(catalog: Catalog, findings: Sequence[R]) -> tuple[R, ...]:
    """What to fix first comes first: the launch's own overhead, then what is done, then by gain; trust and notes after.

    Gains within TIE of each other are no different, as estimates go: then the cause of the earlier step comes first.
    """

    def place(finding: Ranks) -> int:
        if finding.kind != "diagnosis":
            return {"trust": 4, "note": 5}[finding.kind]
        if finding.id == "launch_overhead":
            return 0
        return 1 if finding.id in ENDS else 3 if finding.id == "unexplained" else 2

    def gain(finding: Ranks) -> float:
        return finding.speedup.estimate if finding.speedup is not None else 1.0

    out: list[R] = []
    rest = sorted(findings, key=lambda f: (place(f), -gain(f), f.id))
    while rest:
        leader = rest[0]
        tied = [f for f in rest if place(f) == place(leader) and gain(f) * TIE >= gain(leader)]
        chosen = min(tied, key=lambda f: (catalog.findings[f.id].step, -gain(f), f.id))
        out.append(chosen)
        rest.remove(chosen)
    return tuple(out)


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
    frame, known_as = enrich.add_base(inputs.frame, inputs.reports, inputs.gpu)
    for position, answers in inputs.answers.items():
        numbers = _numbers(catalog, answers)
        frame = enrich.add_numbers(frame, numbers, None if position is None else [position])
    if "duration_ns" in frame:
        # A time that is not positive was not measured.
        frame["duration_ns"] = frame["duration_ns"].where(frame["duration_ns"] > 0)
    known = None if catalog is open_catalog() else catalog.metrics
    derive = workloads.deriver(catalog)
    frame = derive(frame, metrics=known)
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
    model = speedup_model.build(observed.columns, len(observed.truth))
    at: dict[str, list[int]] = {}
    for row, trace in zip(rows, traces, strict=True):
        for found in trace.findings:
            at.setdefault(found, []).append(row)
    out: dict[int, dict[str, Speedup]] = {row: {} for row in rows}
    for found, members in at.items():
        entry = catalog.findings[found]
        if entry.kind != "diagnosis" or entry.fix is None or not entry.fix.changes:
            continue
        for row, speedup in zip(members, speedup_model.speedups(model, entry.fix, np.array(members)), strict=True):
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
