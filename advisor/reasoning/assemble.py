"""What the report lacks for a decision: the metrics, what they are needed for, and the command that collects them.

One frame in, one diagnosis a launch out: everything that can be told of what was concluded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.knowledge.expressions import parse
from advisor.knowledge.texts import fill
from advisor.reasoning import fix_simulation, ncu_rules, workloads
from advisor.reasoning.conclude import (
    Weighed,
    Weight,
    engine_of,
    kind_of,
    observe_all,
    prepare,
    ranked,
    weighed,
    weights,
)
from advisor.reasoning.engine.confidence import finding_confidence
from advisor.reasoning.engine.trace import Trace
from advisor.reasoning.enrich import class_notes, unit_name
from advisor.reasoning.fork_map import in_parts
from advisor.reasoning.metrics.derive import LABELS
from advisor.reasoning.observations import Observed, tests_of
from advisor.reasoning.time_model.budget import with_budgets
from advisor.records.diagnosis import (
    Comparison,
    Finding,
    FixAdvice,
    LaunchDiagnosis,
    LaunchGpu,
    Missing,
    Question,
    Speedup,
    Verdict,
)

if TYPE_CHECKING:
    import pandas as pd

    from advisor.knowledge.base import Catalog
    from advisor.knowledge.schemas import RuleDef
    from advisor.reasoning.diagnose import Inputs


def sources_of(catalog: Catalog, metric: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """The metrics with names of ncu's own that a canonical metric rests on; empty for what no profile can tell."""
    definition = catalog.metrics.get(metric)
    if definition is None or metric in seen:
        return frozenset()
    if definition.names or definition.source in ("opcodes", "accesses"):
        return frozenset({metric})
    if not definition.formula:
        return frozenset()
    return frozenset().union(*(sources_of(catalog, name, seen | {metric}) for name in parse(definition.formula).names))


def collect_command(catalog: Catalog, metrics: Iterable[str]) -> str:
    """The ncu options that collect the metrics: their sections, each once."""
    sections = sorted({catalog.metrics[m].section for m in metrics if catalog.metrics[m].section})
    return "ncu " + " ".join(f"--section {s}" for s in sections) if sections else ""


def missing(catalog: Catalog, unknown: Mapping[str, set[str]], known: Iterable[str]) -> tuple[Missing, ...]:
    """`unknown` maps a canonical metric to the findings that wait for it; one entry for each that ncu could collect."""
    have = frozenset(known)
    needed: dict[str, set[str]] = {}
    for metric, findings in unknown.items():
        for base in sources_of(catalog, metric) - have:
            needed.setdefault(base, set()).update(findings)
    return tuple(
        Missing(metric, tuple(sorted(needed[metric])), collect_command(catalog, [metric])) for metric in sorted(needed)
    )


def questions(
    catalog: Catalog, unknown: Mapping[str, set[str]], answers: Mapping[str, set[str]], given: Iterable[str]
) -> tuple[Question, ...]:
    """The questions whose answer a rule waits for; `answers` maps a choice question to the findings that read it."""
    done, out = frozenset(given), []
    for question in catalog.questions.values():
        waiting = set(answers.get(question.id, set()))
        if question.sets:
            for metric, findings in unknown.items():
                if metric == question.sets or question.sets in _inputs(catalog, metric):
                    waiting |= findings
        if waiting and question.id not in done:
            out.append(
                Question(
                    question.id,
                    question.ask,
                    question.why,
                    tuple(sorted(waiting)),
                    question.kind,
                    question.unit,
                    tuple(question.choices.items()),
                )
            )
    return tuple(out)


def _inputs(catalog: Catalog, metric: str) -> frozenset[str]:
    definition = catalog.metrics.get(metric)
    return parse(definition.formula).names if definition is not None and definition.formula else frozenset()


@dataclass(frozen=True)
class Reasoned(Weighed):
    """The same with the diagnoses, row by row."""

    launches: tuple[LaunchDiagnosis, ...]


def make_ready(catalog: Catalog) -> None:
    """Load and compile what `reason` needs, which takes as long as reading a report does."""
    engine_of(catalog).make_ready()
    tests_of(catalog)


def reason(
    catalog: Catalog,
    inputs: Inputs,
    frame: pd.DataFrame | None = None,
    known_as: tuple[str, ...] = (),
    forks: int = 1,
) -> Reasoned:
    """Observe, conclude causes, quantify, conclude what the gains mean, and tell all of it, launch by launch.

    frame: an already derived one (what-if), with each row's GPU id; forks: processes that share the launches,
    where the system can.
    """
    if frame is None:
        frame, known_as = prepare(catalog, inputs)
    observed = observe_all(catalog, frame)

    def work(rows: range) -> list[tuple[Weight, LaunchDiagnosis]]:
        found = weights(catalog, inputs, observed, rows)
        told_rows = zip(rows, found, strict=True)
        return [(one, _launch(catalog, inputs, frame, observed, row, one, known_as[row])) for row, one in told_rows]

    done = in_parts(work, len(frame), forks)
    w = weighed(catalog, frame, observed, known_as, [one for one, _ in done])
    launches = tuple(launch for _, launch in done)
    if not workloads.is_workload(catalog):
        launches = with_budgets(catalog, observed.columns, launches)
    return Reasoned(w.frame, w.observed, w.engine, w.first, w.traces, w.gains, w.known_as, launches)


def _launch(
    catalog: Catalog,
    inputs: Inputs,
    frame: pd.DataFrame,
    observed: Observed,
    row: int,
    found: Weight,
    known_as: str,
) -> LaunchDiagnosis:
    trace, gains = found.trace, found.gains
    values = observed.values(row)
    labels, texts = _texts(frame, row, values)
    findings = [_finding(catalog, observed, row, trace, name, gains.get(name), texts) for name in trace.findings]
    identity = frame.iloc[row]
    duration = values.get("duration_ns")
    lacking, asked = _wanting(catalog, inputs, observed, row, trace)
    launched = fix_simulation.launched(identity, values)
    ordered = fix_simulation.with_checks(catalog, ranked(catalog, findings), launched)
    return LaunchDiagnosis(
        report=int(identity["report"]),
        index=int(identity["index"]),
        kernel=str(identity["kernel"]),
        kernel_full=str(identity["kernel_full"]),
        grid=identity["grid"],
        block=identity["block"],
        duration_ns=duration,
        gpu=LaunchGpu(str(identity["gpu_name"] or ""), str(identity["cc"] or ""), known_as),
        verdict=_verdict(catalog, observed, row, trace, texts),
        findings=ordered,
        questions=asked,
        missing=lacking,
        metrics=values,
        labels=labels,
        scope="workload" if workloads.is_workload(catalog) else "launch",
        ncu_rules=ncu_rules.verdicts(catalog, observed, row, trace, ordered, identity.get("rules")),
    )


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
    workload = workloads.is_workload(catalog)
    return Verdict(
        id=trace.class_id,
        title=entry.title,
        margin=min(margins) if margins else None,
        evidence=_evidence(catalog, observed, row, entry.when),
        because=fill(entry.because, texts),
        notes=workloads.workload_notes(values) if workload else class_notes(catalog, trace.class_id, values),
        units=workloads.workload_units(values) if workload else (),
        band=workloads.band(values) if workload else "",
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
        missing(catalog, unknown, known),
        questions(catalog, unknown, answers, given),
    )


def _rule_names(catalog: Catalog, found: str, rule_id: str) -> tuple[str, ...]:
    if found not in catalog.findings:
        return ()
    rule = _rule(catalog, found, rule_id)
    return (*rule.when, *rule.unless)
