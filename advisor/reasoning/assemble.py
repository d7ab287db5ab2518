"""Build a LaunchDiagnosis for each launch from the conclusions about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from advisor.knowledge.base import Catalog
from advisor.knowledge.schemas import DiagnosisDef, FixDef, RuleDef
from advisor.knowledge.texts import Estimate, fill
from advisor.knowledge.units import bound_title, leader_name
from advisor.reasoning import fix_simulation, ncu_rules
from advisor.reasoning.collect import skip_of
from advisor.reasoning.conclude import (
    Conclusions,
    RowConclusions,
    conclude_rows,
    engine_of,
    joined,
    observe_all,
    prepare,
)
from advisor.reasoning.deciding import after_launches, deciding, lacks
from advisor.reasoning.domain import domain_of
from advisor.reasoning.engine.program import fix_rule, is_word
from advisor.reasoning.engine.program import kind_of as name_kind
from advisor.reasoning.engine.trace import Fired, Trace, Undecided, finding_confidence
from advisor.reasoning.fixes import ranked_fixes
from advisor.reasoning.fork_map import in_parts
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.metrics.derive import LABELS
from advisor.reasoning.observations import Observed, tests_of
from advisor.reasoning.phases import with_phases
from advisor.reasoning.quantified import known
from advisor.reasoning.quantities import of_launch, quantities
from advisor.reasoning.ranking import kind_of, ranked
from advisor.reasoning.slots import issue_slots
from advisor.records.deciding import Deciding
from advisor.records.diagnosis import (
    Comparison,
    Conclusion,
    Finding,
    FixAdvice,
    LaunchDiagnosis,
    LaunchGpu,
    Missing,
    Quantity,
    Question,
    Speedup,
    Verdict,
)
from advisor.records.emulated import MOST_CONFIDENCE

if TYPE_CHECKING:
    import pandas as pd
    from pandas.api.extensions import ExtensionArray


class Reasoned(Conclusions, frozen=True):
    """Conclusions with the diagnosis of each row."""

    launches: tuple[LaunchDiagnosis, ...]


def make_ready(catalog: Catalog) -> None:
    """Load and compile what `reason` needs, which takes as long as reading a report."""
    engine_of(catalog)
    tests_of(catalog)


def reason(
    catalog: Catalog,
    inputs: Inputs,
    frame: pd.DataFrame | None = None,
    known_as: tuple[str, ...] = (),
    forks: int = 1,
) -> Reasoned:
    """Observe, conclude causes, estimate speedups, conclude from the speedups, and build the diagnoses.

    frame: an already derived frame (what-if), with each row's GPU id; forks: processes that share the launches, if the
    system supports it.
    """
    if frame is None:
        frame, known_as = prepare(catalog, inputs)
    observed = observe_all(catalog, frame)
    bounds = quantities(observed)

    def work(rows: range) -> list[tuple[RowConclusions, LaunchDiagnosis]]:
        found = conclude_rows(catalog, inputs, observed, rows, bounds)
        open_ends = _OpenEnds(catalog, inputs, observed)
        # What identifies each launch, read by column: a row of a frame takes longer than its whole diagnosis.
        told = [name for name in frame.columns if name not in catalog.metrics]
        said: dict[Hashable, ExtensionArray] = {name: frame[name].array for name in told}
        told_rows = zip(rows, found, strict=True)
        return [
            (one, _launch(catalog, open_ends, said, observed, row, one, known_as[row], bounds[row]))
            for row, one in told_rows
        ]

    done = in_parts(work, len(frame), forks)
    w = joined(catalog, frame, observed, known_as, [one for one, _ in done])
    launches = tuple(launch for _, launch in done)
    launches = domain_of(catalog).with_budgets(catalog, observed.measured, launches)
    return Reasoned(w.frame, w.observed, w.engine, w.first, w.traces, w.gains, w.known_as, launches)


def _launch(
    catalog: Catalog,
    open_ends: _OpenEnds,
    said: Mapping[Hashable, ExtensionArray],
    observed: Observed,
    row: int,
    found: RowConclusions,
    known_as: str,
    bounds: tuple[Quantity, ...],
) -> LaunchDiagnosis:
    trace, gains = found.trace, found.gains
    values = observed.values(row)
    identity = {str(name): column[row] for name, column in said.items()}
    estimated = observed.estimates(row)
    labels, texts = _texts(identity, values, estimated)
    findings = [_finding(catalog, observed, row, trace, name, gains.get(name), texts) for name in trace.findings]
    duration = values.get("duration_ns")
    lacking, asked = open_ends.of(row, trace, frozenset(values))
    launched = fix_simulation.launched(identity, values)
    sampling = identity.get("sampling")
    if values.get("emulated"):
        findings = [replace(one, confidence=min(one.confidence, MOST_CONFIDENCE)) for one in findings]
    order = ranked(catalog, findings, values if values.get("emulated") else None)
    ordered = fix_simulation.with_checks(catalog, order, launched)
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
        conclusions=tuple(_conclusion(catalog, trace, name, {**texts, **known(found.numbers)}) for name in trace.words),
        quantities=of_launch(catalog, bounds, trace.class_id, trace.findings),
        questions=asked,
        missing=lacking,
        deciding=open_ends.deciding(row, trace, ordered, str(identity["kernel"]), values, asked),
        metrics=values,
        estimated=tuple(sorted(estimated)),
        labels=labels,
        scope=domain_of(catalog).scope,
        sampling=None if sampling is None else with_phases(catalog, sampling, duration, values),
        issue_slots=issue_slots(values),
        ncu_rules=ncu_rules.verdicts(catalog, observed, row, trace, ordered, identity.get("rules")),
    )


def _texts(
    identity: Mapping[str, Any], values: Mapping[str, float], estimated: Collection[str]
) -> tuple[dict[str, str], dict[str, float | str]]:
    """Return the labels of one launch, and all values that texts about it may use. estimated: those not measured."""
    labels = {name: str(identity[name] or "") for name in LABELS if name in identity}
    numbers = {name: Estimate(value) if name in estimated else value for name, value in values.items()}
    return labels, {**numbers, **{name: leader_name(label) for name, label in labels.items()}}


def verdict_and_finding(
    catalog: Catalog, concluded: Conclusions, row: int, found: str | None
) -> tuple[Verdict, Finding | None]:
    """Return only the class of one launch and one of its findings, with their evidence."""
    trace, observed = concluded.traces[row], concluded.observed
    frame = concluded.frame
    identity = {name: frame[name].iat[row] for name in LABELS if name in frame}
    texts = _texts(identity, observed.values(row), observed.estimates(row))[1]
    verdict = _verdict(catalog, observed, row, trace, texts)
    if found is None:
        return verdict, None
    return verdict, _finding(catalog, observed, row, trace, found, concluded.gains[row].get(found), texts)


def _rule(catalog: Catalog, found: str, rule_id: str) -> RuleDef:
    return next(rule for rule in catalog.findings[found].seen if rule.id == rule_id)


def _observations(catalog: Catalog, trace: Trace, names: Sequence[str]) -> list[str]:
    """Return the observations in `names`, and those from which the words in `names` were concluded."""
    out = []
    for name in names:
        if is_word(name):
            below = [condition for fired in trace.fired_for(name) for condition in fired.when]
            out += _observations(catalog, trace, below)
        elif name in catalog.observations:
            out.append(name)
    return out


def _evidence(
    catalog: Catalog, observed: Observed, row: int, trace: Trace, names: Sequence[str]
) -> tuple[Comparison, ...]:
    out: dict[tuple[str, str, str], Comparison] = {}
    for name in _observations(catalog, trace, names):
        for comparison in observed.evidence(row, name):
            out.setdefault((comparison.observation, comparison.metric, comparison.test), comparison)
    return tuple(out.values())


def fix_advices(
    catalog: Catalog,
    entry: DiagnosisDef,
    trace: Trace,
    texts: Mapping[str, float | str],
    exercise: str = "",
    holds: Callable[[str], bool] = lambda _: False,
) -> tuple[FixAdvice, ...]:
    """Return the fixes of a diagnosis or timeline pattern that may suit, the chosen one first.

    texts: what the reason for a fix may use; a fix with an unknown condition has no reason. holds: whether an
    observation holds on the launch; a step that the kernel has done already is left out.
    """
    fired = {rule.rule_id: rule for rule in trace.fired}
    waiting = {rule.rule_id: rule for rule in trace.undecided}

    def states(names: Sequence[str]) -> tuple[str, ...]:
        found = (catalog.observations.get(name) for name in names)
        return tuple(one.states or one.says for one in found if one is not None)

    def advice(fix: FixDef) -> FixAdvice:
        rule = fix_rule(entry.id, fix.id)
        done = {step for name, step in fix.done.items() if holds(name)}
        return FixAdvice(
            fix.id,
            fix.summary,
            tuple(step for at, step in enumerate(fix.steps, 1) if at not in done),
            fix.costs,
            fix.exercise or exercise,
            entry.see,
            before=fix.before.rstrip(),
            after=fix.after.rstrip(),
            because=fill(fix.because, texts) if rule in fired else "",
            needs=states(waiting[rule].unknown) if rule in waiting else (),
            needs_not=states(fired[rule].unknown_unless) if rule in fired else (),
        )

    return tuple(map(advice, ranked_fixes(entry, trace)))


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
    fixes = fix_advices(catalog, entry, trace, texts, entry.exercise, partial(observed.holds, row))
    rule = _rule(catalog, found, fired[0].rule_id)
    evidence = _evidence(catalog, observed, row, trace, names)
    return Finding(
        id=found,
        kind=kind_of(catalog, found, speedup),
        title=entry.title,
        # Without evidence the confidence is 0.
        confidence=round(finding_confidence(observed, row, trace, found), 3) if evidence else 0.0,
        speedup=speedup,
        evidence=evidence,
        because=fill(rule.because, texts),
        rules=tuple(f.rule_id for f in fired),
        locations=(),
        fix=fixes[0] if fixes else None,
        alternatives=fixes[1:],
        cites=tuple(dict.fromkeys((*rule.cites, *entry.cites))),
        undecided=undecided,
    )


def _conclusion(catalog: Catalog, trace: Trace, name: str, texts: Mapping[str, float | str]) -> Conclusion:
    """Return a conclusion of the napkin math or the quantification."""
    word = catalog.words[name]
    fired = tuple(one.rule_id for one in trace.fired_for(name))
    rule = next(rule for rule in word.seen if rule.id in fired)
    return Conclusion(
        id=name,
        kind=word.kind,
        title=word.title,
        because=fill(rule.because, texts),
        rules=fired,
        suggests=word.suggests,
        cites=tuple(dict.fromkeys((*rule.cites, *word.cites))),
    )


def _margin(observed: Observed, row: int, name: str) -> float | None:
    value = float(observed.margin[row, observed.names.index(name)])
    return value if math.isfinite(value) else None


def _verdict(catalog: Catalog, observed: Observed, row: int, trace: Trace, texts: Mapping[str, float | str]) -> Verdict:
    entry = catalog.classes[trace.class_id]
    names = _observations(catalog, trace, entry.when)
    margins = [m for m in (_margin(observed, row, name) for name in names) if m is not None]
    values = {k: v for k, v in texts.items() if isinstance(v, float)}
    domain = domain_of(catalog)
    return Verdict(
        id=trace.class_id,
        title=bound_title(str(texts.get(entry.named_after, "")), entry.title),
        margin=min(margins) if margins else None,
        evidence=_evidence(catalog, observed, row, trace, entry.when),
        because=fill(entry.because, texts),
        notes=domain.notes(catalog, trace.class_id, values, str(texts.get("sm_leader", ""))),
        units=domain.units(values),
        band=domain.band(values),
    )


class _OpenEnds:
    """What undecided rules lack on each launch: metrics that ncu could collect, and questions to the user.

    A report often has thousands of launches for which the same rules are undecided, so each case is worked out once.
    """

    def __init__(self, catalog: Catalog, inputs: Inputs, observed: Observed) -> None:
        self._catalog, self._inputs, self._observed = catalog, inputs, observed
        self._found: dict[object, tuple[tuple[Missing, ...], tuple[Question, ...]]] = {}
        self._decide: dict[object, Deciding | None] = {}

    def of(self, row: int, trace: Trace, known: frozenset[str]) -> tuple[tuple[Missing, ...], tuple[Question, ...]]:
        """Return the missing metrics and the questions of one launch. known: its known metrics."""
        # What only decides between fixes changes no finding; a rule that seldom applies counts as decided.
        undecided = tuple(u for u in trace.undecided if name_kind(u.concludes) != "fix" and not u.seldom)
        fired = tuple(f for f in trace.fired if name_kind(f.concludes) != "fix" and not is_word(f.concludes))
        answered = frozenset(self._inputs.answers_of(row))
        case = (undecided, fired, trace.class_id == "undetermined", known, answered)
        if case not in self._found:
            self._found[case] = self._missing_and_asked(row, undecided, fired, trace.class_id, known)
        return self._found[case]

    def deciding(
        self,
        row: int,
        trace: Trace,
        findings: Sequence[Finding],
        kernel: str,
        values: Mapping[str, float],
        asked: tuple[Question, ...],
    ) -> Deciding | None:
        """Return what would decide a launch whose first diagnosis is that there is none, else None."""
        first = next((f for f in findings if f.kind == "diagnosis"), None)
        if first is None or first.id != "unexplained" or domain_of(self._catalog).scope != "launch":
            return None
        known = frozenset(values)
        case = (trace.undecided, trace.class_id, known, kernel, asked)
        if case not in self._decide:
            self._decide[case] = deciding(
                self._catalog, lacks(self._catalog, self._observed, row, trace, known), asked, kernel
            )
        found = self._decide[case]
        return None if found is None else after_launches(found, kernel, skip_of(values))

    def _missing_and_asked(
        self,
        row: int,
        undecided: tuple[Undecided, ...],
        fired: tuple[Fired, ...],
        class_id: str,
        known: frozenset[str],
    ) -> tuple[tuple[Missing, ...], tuple[Question, ...]]:
        catalog = self._catalog
        unknown: dict[str, set[str]] = {}
        answers: dict[str, set[str]] = {}
        # Rules that read a word lack what the word lacks.
        lacking = {
            u.concludes: u.unknown for u in undecided if is_word(u.concludes) and catalog.words[u.concludes].asks
        }
        undecided = tuple(u for u in undecided if not is_word(u.concludes))
        waiting = [(u.concludes, tuple(m for n in u.unknown for m in lacking.get(n, (n,)))) for u in undecided]
        waiting += [(f.concludes, f.unknown_unless) for f in fired if f.unknown_unless]
        if class_id == "undetermined":
            names = ("compute_high", "memory_high", "dram_leads", "sm_high", "vram_leads")
            waiting.append(("class", tuple(n for n in names if n in catalog.observations)))
        for concludes, names_ in waiting:
            for name in names_:
                if name in catalog.observations:
                    for metric in self._observed.unknown_metrics(row, name):
                        unknown.setdefault(metric, set()).add(concludes)
        rules = [(f.concludes, f.rule_id) for f in fired] + [(u.concludes, u.rule_id) for u in undecided]
        for concludes, rule_id in rules:
            for name in _rule_names(catalog, concludes, rule_id):
                if name.startswith("answer."):
                    answers.setdefault(name.split(".")[1], set()).add(concludes)
        return domain_of(catalog).missing(catalog, unknown, answers, self._inputs.answers_of(row), known)


def _rule_names(catalog: Catalog, found: str, rule_id: str) -> tuple[str, ...]:
    if found not in catalog.findings:
        return ()
    rule = _rule(catalog, found, rule_id)
    return (*rule.when, *rule.unless)
