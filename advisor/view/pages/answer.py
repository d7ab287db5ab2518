"""The answer to a plain question about a launch: one sentence with its number, the reason, and what to ask next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from advisor.explain.entries import Explanation
from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import parse_test
from advisor.reasoning.collect import Gathered
from advisor.reasoning.engine.explain import BlockedRule, Clause, Flip, Proof
from advisor.records.diagnosis import ENDS, Comparison, Finding, LaunchDiagnosis, OtherGpu
from advisor.records.questions import Meaning, Subject
from advisor.view.blocks import (
    Bars,
    Block,
    Bullets,
    Cell,
    Column,
    Command,
    Fact,
    Facts,
    Line,
    Outline,
    Page,
    Paragraph,
    Plain,
    Table,
    flat,
)
from advisor.view.charts import roofline_text
from advisor.view.charts.bars import occupancy_limit, reason_label, stalls, unit_limits
from advisor.view.charts.canvas import Row
from advisor.view.numbers import (
    amount_text,
    comparison_text,
    confidence_text,
    estimate_text,
    measured_text,
    percent_text,
    shape_text,
    share_text,
    short_gain_text,
    speedup_text,
    tested_text,
    time_range_text,
    time_text,
)
from advisor.view.pages.diagnosis import launch_title, time_back
from advisor.view.pages.explain import explain_page
from advisor.view.pages.launch import (
    bar_rows,
    budget_blocks,
    finding_facts,
    first_diagnosis,
    fix_blocks,
    label_text,
    location_text,
    other_gpu_blocks,
)
from advisor.view.pages.proof import Explained, proofs_page
from advisor.view.text import cut, sentence, sentence_start

Truth = Literal["", "yes", "no", "unknown"]
SURE: Final = 0.6  # below this confidence, the answer says how the question was read
_OPEN: Final = "unexplained"
_MOST: Final = 5  # rows of a list in an answer
_WIDTH: Final = 76  # columns of the roofline
_NAME: Final = 60
# The classes that answer "is it bound by this unit" with yes, and the units whose share of peak decides otherwise.
_CLASSES: Final[Mapping[str, tuple[str, ...]]] = {
    "dram": ("dram_bound",),
    "memory": ("dram_bound", "internal_congestion", "mixed_memory_bound", "balanced"),
    "l1": ("internal_congestion", "mixed_memory_bound"),
    "l2": ("internal_congestion", "mixed_memory_bound"),
    "compute": ("compute_bound", "balanced"),
    "tensor": ("compute_bound", "balanced"),
    "issue": ("compute_bound", "balanced"),
    "latency": ("latency_bound",),
}
_PARTS: Final = frozenset(("l1", "l2", "tensor", "issue", "dram"))  # parts of a side: their own number decides


@dataclass(frozen=True, slots=True)
class Asked:
    """What an answer is made from.

    position: of the launch in `launches`; found: the finding that the question is about; proof, flips, blocked: how it
    was concluded or what kept it from being concluded; supposed: the launch with other values; elsewhere: on another
    GPU; gathered: the command that collects what is missing; explained: the entry of a term. path: the report.
    """

    launches: Sequence[LaunchDiagnosis]
    position: int
    path: str = "REPORT"
    proof: Proof | None = None
    flips: Sequence[Flip] = ()
    blocked: tuple[BlockedRule, ...] | None = None
    supposed: LaunchDiagnosis | None = None
    values: tuple[tuple[str, float], ...] = ()
    elsewhere: OtherGpu | None = None
    gathered: Gathered | None = None
    explained: Explanation | None = None
    problem: str = ""

    @property
    def launch(self) -> LaunchDiagnosis:
        """Return the launch that the question is about."""
        return self.launches[self.position]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer. says: one sentence; truth: of a yes-no question; blocks: the reasons; then: questions to ask next;
    run: commands; evidence: the comparisons that decide.
    """

    says: str
    truth: Truth = ""
    blocks: tuple[Block, ...] = ()
    then: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    evidence: tuple[Comparison, ...] = field(default=())


def answered(meaning: Meaning, asked: Asked) -> Answer:
    """Return the answer to a question."""
    return _ANSWERS.get(meaning.intent, _out_of_scope)(meaning, asked)


def answer_blocks(meaning: Meaning, answer: Answer, note: str = "") -> tuple[Block, ...]:
    """Return an answer as blocks: how it was read if that is uncertain, the sentence, the reasons, what to do next.

    note: which launch was chosen.
    """
    blocks: list[Block] = []
    if meaning.confidence < SURE and meaning.intent != "out_of_scope":
        text = f"I read this as: {meaning.says}."
        others = [f"{other.says} (type: {other.example})" for other in meaning.alternatives]
        text += f" Or did you mean {'; or '.join(others)}?" if others else " Say it in other words if that is not it."
        blocks.append(Paragraph(text, "warn"))
    blocks.append(Paragraph(answer.says, "lead"))
    blocks += answer.blocks
    blocks += [Command(line, fold=True) for line in answer.run]
    rows = [Fact("Ask next", "; ".join(answer.then))] if answer.then else []
    blocks += [Facts(tuple(rows))] if rows else []
    return (*blocks, *([Paragraph(note, "dim")] if note else []))


def answer_page(meaning: Meaning, answer: Answer, asked: Asked, note: str = "") -> Page:
    """Return an answer as a page."""
    return Page(launch_title(asked.launch), answer_blocks(meaning, answer, note), ())


# Numbers and findings
def number_text(metric: str, value: float) -> str:
    """`43.1 %`, `152 µs`: a metric's value in its unit."""
    entry = catalog().metrics.get(metric)
    unit = entry.unit if entry is not None else ""
    return percent_text(value) if unit == "%" else amount_text(value, unit)


def differences(before: LaunchDiagnosis, after: LaunchDiagnosis) -> tuple[Line, ...]:
    """Return the changes of the class, the first finding, the findings and their speedups; empty if nothing changed."""
    lines = []
    if before.verdict.id != after.verdict.id:
        lines.append(Line(f"{before.verdict.title} → {after.verdict.title}", "strong", "Class"))
    old_first, new_first = _first(before), _first(after)
    if new_first is not None and (old_first is None or old_first.id != new_first.id):
        was = "" if old_first is None else f"{old_first.title} → "
        lines.append(Line(f"{was}{new_first.title}", "strong", "Fix first"))
    old, new = ({finding.id: finding for finding in launch.findings} for launch in (before, after))
    for name, finding in new.items():
        if name not in old and (new_first is None or name != new_first.id):
            lines.append(Line(finding.title, "fact", "New"))
    lines += [Line(finding.title, "fact", "Gone") for name, finding in old.items() if name not in new]
    for name, finding in new.items():
        if name not in old:
            continue
        had, has = old[name].speedup, finding.speedup
        if had is None and has is None:
            continue
        texts = short_gain_text(had), short_gain_text(has)
        if texts[0] != texts[1]:
            lines.append(Line(f"{finding.title}: {texts[0]} → {texts[1]}", "fact", "Speedup"))
    return tuple(lines)


def _first(launch: LaunchDiagnosis) -> Finding | None:
    """Return the first diagnosis, else the first finding of another kind."""
    return first_diagnosis(launch) or (launch.findings[0] if launch.findings else None)


def found_of(subject: Subject | None, launch: LaunchDiagnosis) -> Finding | None:
    """Return the launch's finding about a subject, by the order of the launch's findings."""
    wanted = subject.findings if subject is not None else ()
    return next((finding for finding in launch.findings if finding.id in wanted), None)


def main_subject(subject: Subject | None) -> str:
    """Return the id of the diagnosis that a subject is mostly about; empty if it is about none."""
    return subject.findings[0] if subject is not None and subject.findings else ""


def _known(subject: Subject | None, launch: LaunchDiagnosis) -> tuple[str, float] | None:
    """Return the first of a subject's metrics that the launch has, with its value."""
    names = subject.metrics if subject is not None else ()
    return next(((name, launch.metrics[name]) for name in names if name in launch.metrics), None)


def _gain(finding: Finding) -> str:
    return f", {estimate_text(finding.speedup)} estimated" if finding.speedup is not None else ""


def _title(name: str) -> str:
    entry = catalog().findings.get(name) or catalog().classes.get(name)
    return entry.title if entry is not None else name.replace("_", " ")


def _called(subject: Subject | None) -> str:
    return subject.text if subject is not None and subject.text else "this"


def _class_facts(launch: LaunchDiagnosis) -> Fact:
    because = f": {launch.verdict.because}" if launch.verdict.because else ""
    return Fact("Class", f"{launch.verdict.title}{because}")


def _lacking(metrics: Sequence[str], launch: LaunchDiagnosis, asked: Asked) -> Answer:
    """Return that a number is unknown, with the command that collects it."""
    name = metrics[0] if metrics else ""
    wanted = next((lack.collect for lack in launch.missing if lack.metric in metrics and lack.collect), "")
    entry = catalog().metrics.get(name)
    section = entry.section if entry is not None else ""
    run = wanted or (f"ncu --section {section}" if section else "")
    means = f" ({entry.means})" if entry is not None and entry.means else ""
    says = f"Unknown: the report does not contain {name}{means}." if name else "Unknown: the report lacks the numbers."
    return Answer(says, "unknown", run=(run,) if run else (), then=("which metrics are missing",))


# Why, what to do, where
def _why_slow(meaning: Meaning, asked: Asked) -> Answer:
    launch = asked.launch
    first = first_diagnosis(launch)
    if first is None:
        says = f"{launch.verdict.title}: {launch.verdict.because}." if launch.verdict.because else launch.verdict.title
        return Answer(says, then=("which metrics are missing",))
    if first.id in ENDS:
        says = f"It is {label_text(first, launch).lower()}, not held back by a fault: {first.because}."
        then: tuple[str, ...] = ("how far is it from the limit", "what else was found")
    elif first.id == _OPEN:
        says = f"No cause was found: {first.because}."
        then = ("which metrics are missing", "what are the warps waiting for")
    else:
        says = f"{first.title}: {first.because}."
        then = ("how do I fix it", "where is it in the code", "how do you know")
    rows = [_class_facts(launch), *finding_facts(launch, first)]
    severe = [Fact("Caveat", f"{f.title}: {f.because}", "warn") for f in launch.findings if f.kind == "trust"][:2]
    return Answer(says, blocks=(Facts((*rows, *severe)),), then=then, evidence=first.evidence)


def _how_to_fix(meaning: Meaning, asked: Asked) -> Answer:
    launch, first = asked.launch, first_diagnosis(asked.launch)
    finding = found_of(meaning.subject, launch) or first
    note: tuple[Block, ...] = ()
    wanted = main_subject(meaning.subject)
    if wanted and found_of(meaning.subject, launch) is None:
        text = f"{_title(wanted)} was not found on this launch; this is the fix for what was found first."
        note = (Paragraph(text, "warn"),)
    if finding is None or finding.fix is None:
        return Answer(
            "Nothing to fix was found on this launch.", then=("what else was found", "which metrics are missing")
        )
    cost = (Facts((Fact("Cost", finding.fix.costs),)),) if finding.fix.costs else ()
    says = f"{sentence_start(finding.fix.summary)} ({finding.title}{_gain(finding)})."
    then: tuple[str, ...] = ("where is it in the code", "how much faster would it be", "what next")
    if note:
        then = (f"why not {_title(wanted).lower()}", *then[:2])
    return Answer(says, blocks=(*note, *fix_blocks(finding.fix), *cost), then=then)


def _what_next(meaning: Meaning, asked: Asked) -> Answer:
    launch, first = asked.launch, first_diagnosis(asked.launch)
    rest = [f for f in launch.findings if f.kind == "diagnosis" and f is not first]
    if first is None or not rest:
        says = "Apply the fix, profile again with the same options, and compare the durations first."
        if first is None or first.id in ENDS or first.fix is None:
            says = "Nothing else was found on this launch: look at another one, or collect what is missing."
        return Answer(says, then=("how do I fix it", "which kernel takes most time", "which metrics are missing"))
    second = rest[0]
    says = f"After {first.title.lower()}: {second.title}{_gain(second)}."
    rows = [Fact("Why", second.because)]
    rows += [Fact("Fix", second.fix.summary)] if second.fix is not None else []
    rows += [Fact("Before that", f"{first.title}{_gain(first)}: apply its fix and profile again, then compare")]
    return Answer(says, blocks=(Facts(tuple(rows)),), then=("how do I fix it", "what else was found"))


def _where(meaning: Meaning, asked: Asked) -> Answer:
    launch = asked.launch
    finding = found_of(meaning.subject, launch) or first_diagnosis(launch)
    places = finding.locations if finding is not None else ()
    command = f"ncu-advisor source {asked.path} --launch {launch.index}"
    if finding is None or not places:
        why = next((f.because for f in launch.findings if f.id == "line_info_missing"), "")
        reason = f": {why}" if why else ", or the report has no instructions with samples"
        says = f"Unknown: no line or instruction is attached to this finding{reason}."
        return Answer(says, "unknown", run=(command,), then=("why is it slow", "which metrics are missing"))
    says = f"{location_text(places[0])}: {finding.title}."
    rows = tuple(Fact("Also" if at else "Hot line", location_text(place)) for at, place in enumerate(places))
    return Answer(says, blocks=(Facts(rows),), run=(command,), then=("how do I fix it", "how do you know"))


# Yes or no
def _is_bound(meaning: Meaning, asked: Asked) -> Answer:
    launch, unit = asked.launch, meaning.subject.unit if meaning.subject is not None else "memory"
    classes, verdict = _CLASSES.get(unit, ()), launch.verdict
    value = _known(meaning.subject, launch)
    busy, _ = unit_limits()
    name = {"dram": "DRAM", "l1": "L1", "l2": "L2"}.get(unit, unit)
    at = f"{name} runs at {number_text(*value)}" if value is not None and unit != "latency" else ""
    rows = (Facts((_class_facts(launch),)), *_lines(verdict.evidence))
    then = ("why is it slow", "how do you know")
    if verdict.id == "undetermined" and value is None:
        return replace(_lacking(_metrics(meaning.subject), launch, asked), blocks=rows, evidence=verdict.evidence)
    in_class = verdict.id in classes
    high = value is not None and unit in _PARTS and value[1] >= busy and not in_class
    if unit in _PARTS and value is not None and in_class:
        in_class = value[1] >= busy
    truth: Truth = "yes" if in_class else "unknown" if verdict.id == "undetermined" else "no"
    says = {"yes": "Yes", "no": "No", "unknown": "Unknown"}[truth]
    parts = [part for part in (at, f"the launch is {_lower(verdict.title)}" if truth != "unknown" else "") if part]
    if high and truth == "no":
        parts[:1] = [f"{at}, which is highly utilised, but it is not what limits first"]
    if truth == "yes" and unit in ("memory", "compute", "latency"):
        parts = [f"the launch is {_lower(verdict.title)}"]
    says = f"{says}: {'; '.join(parts) or verdict.because}."
    return Answer(says, truth, rows, then, evidence=verdict.evidence)


def _lower(title: str) -> str:
    return title if title[:2].isupper() else title[:1].lower() + title[1:]


def _metrics(subject: Subject | None) -> tuple[str, ...]:
    return subject.metrics if subject is not None else ()


def _is_cause(meaning: Meaning, asked: Asked) -> Answer:
    launch, subject = asked.launch, meaning.subject
    finding, first = found_of(subject, launch), first_diagnosis(asked.launch)
    name = sentence_start(_called(subject))
    if finding is not None:
        return _present(finding, first, launch)
    if not main_subject(subject):
        return _value(meaning, asked) if _metrics(subject) else _why_slow(meaning, asked)
    failing, unknown, blocking = _reasons(asked.blocked or ())
    value = _known(subject, launch)
    at = f" ({value[0]} = {number_text(*value)})" if value is not None else ""
    then = (f"why not {_title(main_subject(subject)).lower()}", "why is it slow")
    if not failing and not blocking and unknown:
        metrics = tuple(item.metric for clause in unknown for item in clause.evidence if item.value is None)
        lacking = _lacking(metrics or _metrics(subject), launch, asked)
        return replace(lacking, says=f"{name}: {_uncapitalised(lacking.says)}", then=then)
    deciding = tuple(item for clause in (*failing, *blocking) for item in clause.evidence)
    if blocking and not failing:
        names = ", ".join(_title(clause.name.partition(".")[2] or clause.name) for clause in blocking)
        says = f"No: {_called(subject)} is explained by something else here ({names}){at}."
    elif deciding:
        item = deciding[0]
        reason = (
            f"{_uncapitalised(item.says)} ({measured_text(item)}, {tested_text(item)})"
            if item.says
            else comparison_text(item)
        )
        says = f"No, it is not {_called(subject)}: {reason}."
    else:
        says = f"No: {_title(main_subject(subject))} was not found{at}."
    blocks: list[Block] = list(_lines(deciding[:_MOST]))
    if first is not None and first.id != _OPEN:
        blocks.append(Facts((Fact("Instead", f"{first.title}: {first.because}"),)))
    return Answer(says, "no", tuple(blocks), then, evidence=deciding)


def _uncapitalised(text: str) -> str:
    return text[:1].lower() + text[1:]


def _present(finding: Finding, first: Finding | None, launch: LaunchDiagnosis) -> Answer:
    """Return that a finding is there, and its rank."""
    ranked = [f.id for f in launch.findings if f.kind == "diagnosis"]
    if finding is first:
        says = f"Yes, it comes first: {finding.title}: {finding.because}."
    elif finding.kind == "diagnosis":
        says = (
            f"Yes, but it is not the first: {finding.title} is number {ranked.index(finding.id) + 1}{_gain(finding)}."
        )
    elif finding.kind == "note":
        says = f"It is there but small: {finding.title}: {finding.because}."
    else:
        says = f"Yes, as a caveat about the numbers: {finding.title}: {finding.because}."
    rows = finding_facts(launch, finding)
    if first is not None and finding is not first:
        rows.append(Fact("First", f"{first.title}: {first.because}"))
    blocks = (Facts(tuple(rows)), *_lines(finding.evidence[:_MOST]))
    then = (f"how do I fix the {finding.title.lower()}", "where is it in the code", "how do you know")
    return Answer(says, "yes", blocks, then, evidence=finding.evidence)


def _reasons(rules: Sequence[BlockedRule]) -> tuple[list[Clause], list[Clause], list[Clause]]:
    """Return the conditions that fail, are unknown or block, of the rule that came nearest to firing."""
    if not rules:
        return [], [], []
    nearest = min(rules, key=lambda rule: (len(rule.failing) + len(rule.blocking), len(rule.unknown)))
    return list(nearest.failing), list(nearest.unknown), list(nearest.blocking)


def _lines(evidence: Sequence[Comparison]) -> tuple[Block, ...]:
    """Return comparisons as lines with the sign of their outcome."""
    lines: list[Line] = []
    for item in evidence:
        style: Literal["holds", "fails", "unknown"] = (
            "unknown" if item.holds is None else "holds" if item.holds else "fails"
        )
        says = f"{sentence_start(item.says)}: " if item.says else ""
        lines.append(Line(f"{says}{comparison_text(item)}", style))
    return (Outline(tuple(lines)),) if lines else ()


# Gain and limit
def _how_much(meaning: Meaning, asked: Asked) -> Answer:
    launch = asked.launch
    finding = found_of(meaning.subject, launch) or first_diagnosis(launch)
    then = ("how do I fix it", "how sure are you")
    if finding is None or finding.id == _OPEN:
        return Answer("Unknown: no cause was found, so there is no gain to estimate.", "unknown", then=then)
    gain = finding.speedup
    if finding.id in ENDS:
        says = f"Little: {finding.because}."
        return Answer(says, blocks=_budget(launch), then=("how far is it from the limit", "what else was found"))
    if gain is None:
        says = f"Unknown: the gain of fixing {_lower(finding.title)} cannot be estimated from these numbers."
        return Answer(says, "unknown", then=("which metrics are missing", "how do I fix it"))
    time = ""
    if launch.duration_ns is not None:
        best, worst = launch.duration_ns / gain.high, launch.duration_ns / gain.low
        time = f": {time_text(launch.duration_ns)} become about {time_text(launch.duration_ns / gain.estimate)}"
        time += f" ({time_range_text(best, worst)})"
    worth = "" if gain.estimate >= 1.05 else " That is hardly worth the work."
    says = f"About {estimate_text(gain)} faster by fixing {_lower(finding.title)}{time}.{worth}"
    rows = (Facts((Fact("Why not more", sentence(gain.how)),)),)
    return Answer(says, blocks=(*rows, *_budget(launch)), then=then)


def _budget(launch: LaunchDiagnosis) -> tuple[Block, ...]:
    return budget_blocks(launch.budget) if launch.budget is not None else ()


def _limit(meaning: Meaning, asked: Asked) -> Answer:
    launch, first = asked.launch, first_diagnosis(asked.launch)
    sides = [(name, launch.metrics[name]) for name in ("compute_pct", "memory_pct") if name in launch.metrics]
    if not sides:
        return _lacking(("memory_throughput_pct",), launch, asked)
    shown = {"compute_pct": "compute", "memory_pct": "memory"}
    metric, value = max(sides, key=lambda side: side[1])
    says = f"Its busiest side is {shown[metric]}, at {percent_text(value)} of the peak"
    if first is not None and first.id in ENDS:
        says = f"{label_text(first, launch)}: {says[:1].lower()}{says[1:]}"
    rows = [Fact(shown[name].capitalize(), f"{percent_text(share)} of its peak") for name, share in sides]
    for name, label in (("dram_pct", "DRAM"), ("dram_of_achievable", "DRAM, of what is achievable")):
        if name in launch.metrics:
            rows.append(Fact(label, percent_text(launch.metrics[name])))
    if launch.duration_ns is not None and 0 < value <= 100:
        least = launch.duration_ns * value / 100
        says += (
            f"; with the same work it cannot take less than {time_text(least)} of its {time_text(launch.duration_ns)}"
        )
        rows.append(
            Fact("Minimum time", f"{time_text(least)}, if that unit were busy in every cycle; less work lowers it")
        )
    if first is not None and first.id not in (*ENDS, _OPEN):
        rows.append(Fact("In the way", f"{first.title}{_gain(first)}"))
    end = first is not None and first.id in ENDS
    then = ("show the roofline", "what else was found" if end else "how do I fix it")
    return Answer(f"{says}.", blocks=(Facts(tuple(rows)),), then=then)


def _roofline(meaning: Meaning, asked: Asked) -> Answer:
    launch = asked.launch
    drawn = roofline_text.roofline(launch, width=_WIDTH)
    now = next((key.text for key in drawn.keys if key.role == "now"), "")
    says = sentence(sentence_start(now)) if now else sentence(drawn.notes[0] if drawn.notes else "No roofline is known")
    rows = [*map(_text, drawn.rows), *(f"{key.sign} {key.text}" for key in drawn.keys)]
    blocks: tuple[Block, ...] = (Plain(tuple(rows)),) if rows else ()
    notes = tuple(Paragraph(note, "warn") for note in drawn.notes[0 if now else 1 :])
    run = (drawn.collect,) if drawn.collect else ()
    return Answer(says, blocks=(*blocks, *notes), run=run, then=("how far is it from the limit", "why is it slow"))


def _text(row: Row) -> str:
    return "".join(text for text, _ in row).rstrip()


# Trust and proof
def _sure(meaning: Meaning, asked: Asked) -> Answer:
    launch, first = asked.launch, first_diagnosis(asked.launch)
    caveats = [f for f in launch.findings if f.kind == "trust"]
    rows = []
    if first is not None and first.evidence:
        sure = f"{sentence_start(confidence_text(first.confidence))} confidence ({share_text(first.confidence)})"
        says = f"{sure} in {_lower(first.title)}"
    else:
        says = f"No number supports a single cause here; the class is {_lower(launch.verdict.title)}"
    if launch.verdict.margin is not None:
        rows.append(Fact("Class", f"{launch.verdict.title}, margin {share_text(abs(launch.verdict.margin))}"))
    if first is not None and first.undecided:
        names = ", ".join(name.partition(".")[2] or name for name in first.undecided).replace("_", " ")
        rows.append(Fact("Not known", names, "warn"))
    rows += [Fact("Caveat", f"{f.title}: {f.because}", "warn") for f in caveats]
    if launch.missing:
        names = ", ".join(lack.metric for lack in launch.missing[:_MOST])
        rows.append(Fact("Missing", names + (" …" if len(launch.missing) > _MOST else ""), "warn"))
    says += (
        f"; {len(caveats)} {'caveat' if len(caveats) == 1 else 'caveats'} about the numbers."
        if caveats
        else "; no caveat."
    )
    evidence = first.evidence if first is not None else ()
    rows += [Fact("Rests on", comparison_text(item)) for item in evidence[:3]]
    return Answer(
        says, blocks=(Facts(tuple(rows)),), then=("how do you know", "which metrics are missing"), evidence=evidence
    )


def _how_concluded(meaning: Meaning, asked: Asked) -> Answer:
    launch = asked.launch
    finding = found_of(meaning.subject, launch) or _first(launch)
    if asked.proof is None or finding is None:
        return Answer(f"{launch.verdict.title}: {launch.verdict.because}.", blocks=_lines(launch.verdict.evidence))
    rules = ", ".join(finding.rules)
    says = f"By the rule {rules}: {finding.because}." if finding.rules else f"{sentence(finding.because)}"
    page = proofs_page((Explained(launch, finding.id, asked.proof, asked.flips),))
    return Answer(
        says, blocks=flat(page.sections), then=("how sure are you", "what else was found"), evidence=finding.evidence
    )


def _why_not(meaning: Meaning, asked: Asked) -> Answer:
    finding = found_of(meaning.subject, asked.launch)
    if finding is not None:
        return _present(finding, first_diagnosis(asked.launch), asked.launch)
    wanted = main_subject(meaning.subject)
    if not wanted or asked.blocked is None:
        return _why_slow(meaning, asked)
    failing, unknown, blocking = _reasons(asked.blocked)
    deciding = [item for clause in (*blocking, *failing, *unknown) for item in clause.evidence]
    says = f"{_title(wanted)} was not concluded"
    says += f": {comparison_text(deciding[0])}." if deciding else ": no rule concludes it on this launch."
    page = proofs_page((Explained(asked.launch, wanted, asked.blocked),))
    then = (f"what is {_title(wanted).lower()}", "why is it slow")
    return Answer(says, blocks=flat(page.sections), then=then, evidence=tuple(deciding))


# Terms and numbers
def _explain(meaning: Meaning, asked: Asked) -> Answer:
    if asked.explained is None:
        return Answer(asked.problem or "No entry of the knowledge base has this name.", then=("what can I ask",))
    page = explain_page(asked.explained)
    value = _known(meaning.subject, asked.launch)
    here = f" On this launch: {value[0]} = {number_text(*value)}." if value is not None else ""
    first = next((lines[0] for name, lines in asked.explained.sections if name in ("what", "means") and lines), "")
    says = f"{page.title}: {sentence(first)}" if first else sentence(page.title)
    return Answer(f"{says}{here}", blocks=(*page.made, *flat(page.sections)), then=("why is it slow",))


def _value(meaning: Meaning, asked: Asked) -> Answer:
    launch, subject = asked.launch, meaning.subject
    special = _special(subject, launch)
    if special:
        return Answer(special, then=("why is it slow",))
    value = _known(subject, launch)
    if value is None:
        if not _metrics(subject):
            return Answer("No number has this name.", "unknown", then=("what can I ask",))
        return _lacking(_metrics(subject), launch, asked)
    metric, amount = value
    entry = catalog().metrics.get(metric)
    rows = [Fact("What it is", sentence(entry.means))] if entry is not None and entry.means else []
    also = (other for other in _metrics(subject) if other != metric and other in launch.metrics)
    rows += [Fact(other, number_text(other, launch.metrics[other])) for other in also]
    if metric.startswith("occupancy") and (limit := occupancy_limit(launch.metrics, launch.labels)):
        rows.append(Fact("Limit", sentence(limit)))
    rows += [Fact("Judged by", text) for text in judged_by(metric)]
    name = _called(subject)
    says = f"{sentence_start(name)}{f' ({metric})' if name != metric else ''}: {number_text(metric, amount)}."
    blocks = (Facts(tuple(rows)),) if rows else ()
    return Answer(says, blocks=blocks, then=(f"what is {metric}", "why is it slow"))


def _special(subject: Subject | None, launch: LaunchDiagnosis) -> str:
    """Return the answer about a fact that is no metric: the GPU, the grid, the block."""
    name = subject.id if subject is not None else ""
    if name == "gpu":
        return f"{launch.gpu_name or 'The report names no GPU'}{f' ({launch.known_as})' if launch.known_as else ''}."
    if name == "grid_size" and launch.grid:
        x, y, z = launch.grid
        return f"The grid is {shape_text(launch.grid)}: {x * y * z:,} blocks."
    if name == "block_size" and launch.block:
        x, y, z = launch.block
        return f"The block is {shape_text(launch.block)}: {x * y * z:,} threads."
    if name == "duration" and launch.duration_ns is not None:
        return f"The launch takes {time_text(launch.duration_ns)}."
    return ""


def judged_by(metric: str) -> tuple[str, ...]:
    """Return the tests of the rules on a metric alone: what counts as high or low."""
    out = []
    for entry in catalog().observations.values():
        test = parse_test(entry.test)
        if len(test.comparisons) == 1 and set(test.names) == {metric}:
            out.append(entry.test)
    return tuple(dict.fromkeys(out))[:3]


def _stalls(meaning: Meaning, asked: Asked) -> Answer:
    rows = stalls(asked.launch.metrics)
    top = rows[0]
    if top.value is None:
        return _lacking(("stall_long_scoreboard_pct",), asked.launch, asked)
    entry = catalog().topic_file("stalls").get(top.metric.removeprefix("stall_").removesuffix("_pct"))
    means = str(entry.get("what", "")).split(". ")[0].rstrip(".") if entry is not None else ""
    says = f"Mostly {top.label}: {percent_text(top.value)} of the warps' cycles{f'. {means}' if means else ''}."
    bars = Bars("Stall reasons, % of warp cycles", bar_rows(rows))
    other = [row.label for row in rows if row.metric]
    then = (f"what is {reason_label(other[0].lower().replace(' ', '_')).lower()}", "why is it slow")
    return Answer(" ".join(says.split()), blocks=(bars,), then=then)


def _missing(meaning: Meaning, asked: Asked) -> Answer:
    launch, gathered = asked.launch, asked.gathered
    if not launch.missing:
        return Answer(
            "Nothing that a rule needs is missing from the report.", then=("how sure are you", "why is it slow")
        )
    rows = tuple(Fact(lack.metric, ", ".join(lack.needed_for[:4])) for lack in launch.missing[:_MOST])
    more = len(launch.missing) - len(rows)
    blocks: list[Block] = [Facts(rows)]
    blocks += [Paragraph(f"and {more} more", "dim")] if more > 0 else []
    names = ", ".join(lack.metric for lack in launch.missing[:3])
    says = f"{len(launch.missing)} metrics that rules need are missing, such as {names}. This command collects them:"
    run = (gathered.command,) if gathered is not None and gathered.command else ()
    return Answer(says, blocks=tuple(blocks), run=run, then=("how sure are you",))


def _what_if(meaning: Meaning, asked: Asked) -> Answer:
    if asked.supposed is None or not asked.values:
        metric = next(iter(_metrics(meaning.subject)), "dram_pct")
        says = asked.problem or f"Name the value to try, such as: what if {metric} = 70."
        return Answer(says, then=("how do you know",))
    changed = differences(asked.launch, asked.supposed)
    assumed = ", ".join(f"{name} = {number_text(name, value)}" for name, value in asked.values)
    if not changed:
        says = f"With {assumed}, nothing changes: class, findings and expected gains are as before."
        return Answer(says, then=("how do you know",))
    says = f"With {assumed}: {'; '.join(f'{line.label.lower()}: {line.text}' for line in changed[:2])}."
    return Answer(says, blocks=(Outline(changed),), then=("why is it slow",))


# Several findings and launches
def _other_findings(meaning: Meaning, asked: Asked) -> Answer:
    launch, first = asked.launch, first_diagnosis(asked.launch)
    rest = [f for f in launch.findings if f is not first]
    if not rest:
        says = "Nothing else was found" + (f" beside {first.title.lower()}." if first is not None else ".")
        return Answer(says, then=("which metrics are missing", "why is it slow"))
    kinds = {"diagnosis": "", "note": " (worth under 5 %)", "trust": " (caveat)"}
    items = tuple(f"{f.title}{kinds[f.kind]}{_gain(f)}: {f.because}" for f in rest)
    lead = f" beside {first.title}" if first is not None else ""
    noun = "finding" if len(rest) == 1 else "findings"
    says = f"{len(rest)} more {noun}{lead}: {', '.join(f.title for f in rest[:3])}{' …' if len(rest) > 3 else ''}."
    return Answer(says, blocks=(Bullets(items),), then=(f"how do I fix the {rest[0].title.lower()}", "why is it slow"))


def _slowest_kernel(meaning: Meaning, asked: Asked) -> Answer:
    launches = asked.launches
    total = sum(launch.duration_ns or 0.0 for launch in launches)
    if not total:
        return _lacking(("duration_ns",), asked.launch, asked)
    order = sorted(range(len(launches)), key=lambda at: (-(launches[at].duration_ns or 0.0), at))
    longest, most = launches[order[0]], max(launches, key=time_back)
    says = f"{_kernel(longest)} takes most time: {time_text(longest.duration_ns)}"
    says += f", {share_text((longest.duration_ns or 0.0) / total)} of all launches"
    saved = time_back(most)
    if saved:
        same = "fixing it" if most is longest else f"fixing {_kernel(most)}"
        says += f"; {same} saves most, {time_text(saved)}"
    rows = []
    for at in order[:_MOST]:
        launch, first = launches[at], first_diagnosis(launches[at])
        back = time_back(launch)
        rows.append(
            (
                Cell(str(launch.index)),
                Cell(cut(launch.kernel, _NAME)),
                Cell(time_text(launch.duration_ns), launch.duration_ns),
                Cell(first.title if first is not None else "nothing found"),
                Cell(time_text(back) if back else "-", back),
            )
        )
    columns = (Column("#", True), Column("Kernel"), Column("Time", True), Column("Fix first"), Column("Saves", True))
    return Answer(
        f"{says}.", blocks=(Table(columns, tuple(rows)),), then=(f"why is launch {most.index} slow", "how do I fix it")
    )


def _kernel(launch: LaunchDiagnosis) -> str:
    return f"{cut(launch.kernel, _NAME)} (launch {launch.index})"


def _other_launch(meaning: Meaning, asked: Asked) -> Answer:
    if asked.problem:
        rows = tuple(f"{launch.index}: {cut(launch.kernel, _NAME)}" for launch in asked.launches[: 2 * _MOST])
        return Answer(asked.problem, blocks=(Bullets(rows),), then=("which kernel takes most time",))
    return _why_slow(meaning, asked)


def _other_gpu(meaning: Meaning, asked: Asked) -> Answer:
    on = asked.elsewhere
    if on is None:
        says = asked.problem or "Name the GPU, such as: how would it run on H100-SXM."
        return Answer(says, "unknown", then=("how would it run on H100-SXM",))
    if on.ratio is None:
        says = f"Unknown: the time on {on.gpu} cannot be estimated."
    else:
        time = (
            f", {time_text(on.duration_ns)} instead of {time_text(asked.launch.duration_ns)}" if on.duration_ns else ""
        )
        faster = f"{speedup_text(1 / on.ratio)} as fast"
        says = f"On {on.gpu} about {faster}{time}, estimated from the counters of {on.here}."
    return Answer(says, blocks=other_gpu_blocks(asked.launch, on), then=("why is it slow",))


# Commands of a session, and everything else
def _compare(meaning: Meaning, asked: Asked) -> Answer:
    says = "Name the other report: the command compares durations first, then what changed."
    return Answer(
        says, run=(f"ncu-advisor compare OLD.ncu-rep {asked.path}#{asked.launch.index}",), then=("why is it slow",)
    )


def _practise(meaning: Meaning, asked: Asked) -> Answer:
    launch = asked.launch
    finding = found_of(meaning.subject, launch) or first_diagnosis(launch)
    exercise = finding.fix.practice if finding is not None and finding.fix is not None else ""
    wanted = main_subject(meaning.subject)
    entry = catalog().diagnoses.get(wanted) if wanted and found_of(meaning.subject, launch) is None else None
    exercise = (entry.exercise if entry is not None else "") or exercise
    if not exercise:
        return Answer("No exercise belongs to this finding; the list shows all:", run=("ncu-advisor practice list",))
    about = _title(wanted) if entry is not None else finding.title if finding is not None else ""
    says = f"The exercise {exercise} practises it: {about.lower()}."
    return Answer(says, run=(f"ncu-advisor practice show {exercise}",), then=("how do I fix it",))


def _help(meaning: Meaning, asked: Asked) -> Answer:
    says = "Ask in plain words about this launch: its cause, its fix, its lines, its numbers, what they mean."
    return Answer(says, blocks=(Bullets(EXAMPLES),))


def _of_session(meaning: Meaning, asked: Asked) -> Answer:
    says = f"To {_VERBS[meaning.intent]} is a command of the interactive session; here each question stands alone."
    if meaning.intent == "save":
        says = "Write an answer or the whole diagnosis to a file with --format and --out."
        return Answer(says, run=(f"ncu-advisor diagnose {asked.path} --format html --out diagnosis.html",))
    return Answer(says, run=(f"ncu-advisor open {asked.path}",))


_VERBS: Final = {"undo": "go back", "quit": "quit", "save": "save"}
EXAMPLES: Final = (
    "why is it slow",
    "how do I fix it",
    "which line is responsible",
    "is it memory bound",
    "is it the occupancy",
    "how much faster would it be",
    "how far is it from the limit",
    "what are the warps waiting for",
    "what is the l2 hit rate",
    "what is long scoreboard",
    "why not bank conflicts",
    "what if occupancy was 80%",
    "which metrics are missing",
    "what else was found",
    "which kernel takes most time",
    "how would it run on H100-SXM",
    "how sure are you",
)


def _out_of_scope(meaning: Meaning, asked: Asked) -> Answer:
    says = "That is not something this profile can answer. It can be asked, for example:"
    return Answer(says, blocks=(Bullets(EXAMPLES[:8]),), then=("what can I ask",))


_ANSWERS: Final[Mapping[str, Callable[[Meaning, Asked], Answer]]] = {
    "why_slow": _why_slow,
    "how_to_fix": _how_to_fix,
    "what_next": _what_next,
    "where": _where,
    "is_bound": _is_bound,
    "is_cause": _is_cause,
    "how_much": _how_much,
    "limit": _limit,
    "roofline": _roofline,
    "sure": _sure,
    "how_concluded": _how_concluded,
    "why_not": _why_not,
    "explain": _explain,
    "value": _value,
    "stalls": _stalls,
    "missing": _missing,
    "what_if": _what_if,
    "other_findings": _other_findings,
    "slowest_kernel": _slowest_kernel,
    "other_launch": _other_launch,
    "compare": _compare,
    "practise": _practise,
    "other_gpu": _other_gpu,
    "help": _help,
    "undo": _of_session,
    "quit": _of_session,
    "save": _of_session,
}
