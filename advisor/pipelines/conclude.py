"""One frame in, one diagnosis a launch out: the two passes of the engine with the quantifier between them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from advisor import quantify
from advisor.catalog import catalog as open_catalog
from advisor.catalog.texts import fill
from advisor.engine import Engine, Trace, finding_confidence
from advisor.metrics.derive import LABELS
from advisor.model import (
    ENDS,
    Comparison,
    Finding,
    FixAdvice,
    LaunchDiagnosis,
    Missing,
    Question,
    Speedup,
    Verdict,
)
from advisor.observe import Observed, observe
from advisor.observe.observe import tests_of
from advisor.pipelines import checks, context, missing, verdicts, workloads
from advisor.pipelines.budgeting import with_budgets
from advisor.pipelines.notes import class_notes, unit_name
from advisor.quantify.formulas import TIE, worthwhile

if TYPE_CHECKING:
    import pandas as pd

    from advisor.catalog import Catalog
    from advisor.catalog.schemas import RuleDef
    from advisor.pipelines.diagnose import Inputs

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


@dataclass(frozen=True)
class Reasoned(Weighed):
    """The same with the diagnoses, row by row."""

    launches: tuple[LaunchDiagnosis, ...]


@lru_cache(maxsize=4)
def engine_of(catalog: Catalog) -> Engine:
    """One engine a knowledge base: compiling the rules takes longer than running them."""
    return Engine(catalog)


def make_ready(catalog: Catalog) -> None:
    """Load and compile what judging needs, which takes as long as reading a report does."""
    engine_of(catalog)
    tests_of(catalog)


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
    labels = {name: [unit_name(str(text or "")) for text in frame[name]] for name in LABELS if name in frame}
    return judge(catalog, inputs, frame, observe(frame, catalog, labels=labels), known_as)


def judge(
    catalog: Catalog, inputs: Inputs, frame: pd.DataFrame, observed: Observed, known_as: tuple[str, ...]
) -> Weighed:
    """The same for a derived frame that was observed already."""
    engine, rows = engine_of(catalog), len(frame)
    answers = [choices(catalog, inputs, row) for row in range(rows)]
    first = engine.conclude_many(observed, answers, None)
    gains = _gains(catalog, observed, first)
    words = [_words(catalog, first[row], gains[row]) for row in range(rows)]
    traces = engine.conclude_many(observed, answers, words)
    return Weighed(frame, observed, engine, tuple(first), tuple(traces), tuple(gains), known_as)


def reason(
    catalog: Catalog, inputs: Inputs, frame: pd.DataFrame | None = None, known_as: tuple[str, ...] = ()
) -> Reasoned:
    """The same with everything that can be told of each launch. `frame`: an already derived one (what-if)."""
    w = weigh(catalog, inputs, frame, known_as)
    launches = tuple(
        _launch(catalog, inputs, w.frame, w.observed, row, trace, w.gains[row], w.known_as[row])
        for row, trace in enumerate(w.traces)
    )
    if not workloads.is_workload(catalog):
        launches = with_budgets(catalog, w.observed.columns, launches)
    return Reasoned(w.frame, w.observed, w.engine, w.first, w.traces, w.gains, w.known_as, launches)


def _gains(catalog: Catalog, observed: Observed, traces: Sequence[Trace]) -> list[dict[str, Speedup]]:
    """The speedup of each concluded diagnosis that says what its fix changes, row by row."""
    if workloads.is_workload(catalog):
        return workloads.workload_gains(catalog, observed, traces)
    rows = len(traces)
    model = quantify.build(observed.columns, rows)
    at: dict[str, list[int]] = {}
    for row, trace in enumerate(traces):
        for found in trace.findings:
            at.setdefault(found, []).append(row)
    out: list[dict[str, Speedup]] = [{} for _ in range(rows)]
    for found, members in at.items():
        entry = catalog.findings[found]
        if entry.kind != "diagnosis" or entry.fix is None or not entry.fix.changes:
            continue
        for row, speedup in zip(members, quantify.speedups(model, entry.fix, np.array(members)), strict=True):
            if speedup is not None:
                out[row][found] = speedup
    return out


def _words(catalog: Catalog, trace: Trace, gains: Mapping[str, Speedup]) -> frozenset[str]:
    causes = [f for f in trace.findings if catalog.findings[f].kind == "diagnosis"]
    words = {"gain.any_diagnosis"} if any(_worthwhile(gains.get(f)) for f in causes) else set()
    # A cause whose gain nobody can tell is no reason to stop.
    untold = any(f not in gains and f not in ENDS and catalog.findings[f].fix is not None for f in causes)
    if untold or any(s.estimate >= REACHES for s in gains.values()):
        words.add("gain.reaches_10")
    return frozenset(words)


def _worthwhile(speedup: Speedup | None) -> bool:
    return speedup is None or worthwhile(speedup.estimate)


def _launch(
    catalog: Catalog,
    inputs: Inputs,
    frame: pd.DataFrame,
    observed: Observed,
    row: int,
    trace: Trace,
    gains: Mapping[str, Speedup],
    known_as: str,
) -> LaunchDiagnosis:
    values = observed.values(row)
    labels, texts = _texts(frame, row, values)
    findings = [_finding(catalog, observed, row, trace, found, gains.get(found), texts) for found in trace.findings]
    identity = frame.iloc[row]
    duration = values.get("duration_ns")
    lacking, asked = _wanting(catalog, inputs, observed, row, trace)
    launched = checks.launched(identity, values)
    ordered = checks.with_checks(catalog, ranked(catalog, findings), launched)
    return LaunchDiagnosis(
        report=int(identity["report"]),
        index=int(identity["index"]),
        kernel=str(identity["kernel"]),
        kernel_full=str(identity["kernel_full"]),
        grid=identity["grid"],
        block=identity["block"],
        duration_ns=duration,
        gpu_name=str(identity["gpu_name"] or ""),
        cc=str(identity["cc"] or ""),
        known_as=known_as,
        verdict=_verdict(catalog, observed, row, trace, texts),
        findings=ordered,
        questions=asked,
        missing=lacking,
        metrics=values,
        labels=labels,
        scope=catalog.scope,
        ncu_rules=verdicts.verdicts(catalog, observed, row, trace, ordered, identity.get("rules")),
    )


def kind_of(catalog: Catalog, found: str, speedup: Speedup | None) -> str:
    """diagnosis, trust or note. What is there but not worth fixing is a note: it must not be the first thing to do."""
    return catalog.findings[found].kind if _worthwhile(speedup) or found == "launch_overhead" else "note"


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


def _texts(frame: pd.DataFrame, row: int, values: Mapping[str, float]) -> tuple[dict[str, str], dict[str, float | str]]:
    """The labels of one launch, and all that texts about it may name."""
    labels = {name: str(frame[name].iat[row] or "") for name in LABELS if name in frame}
    return labels, {**values, **{name: unit_name(label) for name, label in labels.items()}}


def told(catalog: Catalog, weighed: Weighed, row: int, found: str | None) -> tuple[Verdict, Finding | None]:
    """The class of one launch and one of its findings with their evidence, and nothing else of it."""
    trace, observed = weighed.traces[row], weighed.observed
    texts = _texts(weighed.frame, row, observed.values(row))[1]
    verdict = _verdict(catalog, observed, row, trace, texts)
    if found is None:
        return verdict, None
    return verdict, _finding(catalog, observed, row, trace, found, weighed.gains[row].get(found), texts)


def _rule(catalog: Catalog, found: str, rule_id: str) -> RuleDef:
    return next(rule for rule in catalog.findings[found].seen if rule.id == rule_id)


def _observations(catalog: Catalog, names: Sequence[str]) -> list[str]:
    return [name for name in names if name in catalog.observations]


def _evidence(catalog: Catalog, observed: Observed, row: int, names: Sequence[str]) -> tuple[Comparison, ...]:
    out: dict[tuple[str, str, str], Comparison] = {}
    for name in _observations(catalog, names):
        for comparison in observed.evidence(row, name):
            out.setdefault((comparison.observation, comparison.metric, comparison.test), comparison)
    return tuple(out.values())


def _finding(
    catalog: Catalog,
    observed: Observed,
    row: int,
    trace: Trace,
    found: str,
    speedup: Speedup | None,
    texts: Mapping[str, float | str],
) -> Finding:
    entry = catalog.findings[found]
    order = [rule.id for rule in entry.seen]
    fired = sorted((f for f in trace.fired if f.concludes == found), key=lambda f: order.index(f.rule_id))
    names = [name for f in fired for name in f.when]
    undecided = tuple(sorted({name for f in fired for name in f.unknown_unless}))
    fix = entry.fix
    advice = None if fix is None else FixAdvice(fix.id, fix.summary, fix.steps, fix.costs, entry.exercise, entry.see)
    rule = _rule(catalog, found, fired[0].rule_id)
    return Finding(
        id=found,
        kind=kind_of(catalog, found, speedup),
        title=entry.title,
        # Without evidence there is nothing to be sure of.
        confidence=round(finding_confidence(observed, row, trace, found), 3) if _observations(catalog, names) else 0.0,
        speedup=speedup,
        evidence=_evidence(catalog, observed, row, names),
        because=fill(rule.because, texts),
        rules=tuple(f.rule_id for f in fired),
        locations=(),
        fix=advice,
        cites=tuple(dict.fromkeys((*rule.cites, *entry.cites))),
        undecided=undecided,
    )


def _margin(observed: Observed, row: int, name: str) -> float | None:
    value = float(observed.margin[row, observed.names.index(name)])
    return value if math.isfinite(value) else None


def _verdict(catalog: Catalog, observed: Observed, row: int, trace: Trace, texts: Mapping[str, float | str]) -> Verdict:
    entry = catalog.classes[trace.class_id]
    names = _observations(catalog, entry.when)
    margins = [m for m in (_margin(observed, row, name) for name in names) if m is not None]
    values = {k: v for k, v in texts.items() if isinstance(v, float)}
    return Verdict(
        id=trace.class_id,
        title=entry.title,
        margin=min(margins) if margins else None,
        evidence=_evidence(catalog, observed, row, entry.when),
        because=fill(entry.because, texts),
        notes=workloads.workload_notes(values)
        if workloads.is_workload(catalog)
        else class_notes(catalog, trace.class_id, values),
    )


def _wanting(
    catalog: Catalog, inputs: Inputs, observed: Observed, row: int, trace: Trace
) -> tuple[tuple[Missing, ...], tuple[Question, ...]]:
    """What undecided rules wait for: metrics that ncu could collect, and questions to the user."""
    unknown: dict[str, set[str]] = {}
    answers: dict[str, set[str]] = {}
    waiting = [(u.concludes, u.unknown) for u in trace.undecided]
    waiting += [(f.concludes, f.unknown_unless) for f in trace.fired if f.unknown_unless]
    if trace.class_id == "undetermined":
        names = ("compute_high", "memory_high", "dram_leads", "sm_high", "vram_leads")
        waiting.append(("class", tuple(n for n in names if n in catalog.observations)))
    for concludes, names_ in waiting:
        for name in names_:
            if name in catalog.observations:
                for metric in observed.unknown_metrics(row, name):
                    unknown.setdefault(metric, set()).add(concludes)
    rules = [(f.concludes, f.rule_id) for f in trace.fired] + [(u.concludes, u.rule_id) for u in trace.undecided]
    for concludes, rule_id in rules:
        for name in _rule_names(catalog, concludes, rule_id):
            if name.startswith("answer."):
                answers.setdefault(name.split(".")[1], set()).add(concludes)
    given = {**inputs.answers.get(None, {}), **inputs.answers.get(row, {})}
    known = {name for name in observed.columns if math.isfinite(observed.value(row, name))}
    if workloads.is_workload(catalog):
        return workloads.workload_missing(unknown, known), ()
    return (
        missing.missing(catalog, unknown, known),
        missing.questions(catalog, unknown, answers, given),
    )


def _rule_names(catalog: Catalog, found: str, rule_id: str) -> tuple[str, ...]:
    if found not in catalog.findings:
        return ()
    rule = _rule(catalog, found, rule_id)
    return (*rule.when, *rule.unless)
