"""Answers about the cause: why, what to do, where, is it this, how was it concluded and how surely."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from advisor.knowledge.base import catalog, finding_title, metric_title, unknown_text
from advisor.reasoning.engine.explain import BlockedRule, Clause
from advisor.records.diagnosis import (
    ENDS,
    Comparison,
    Finding,
    LaunchDiagnosis,
    first_diagnosis,
    is_settled,
    main_finding,
)
from advisor.records.questions import Meaning, Subject
from advisor.view.blocks import Block, Fact, Facts, Paragraph, flat
from advisor.view.charts.bars import unit_limits
from advisor.view.numbers import comparison_text, confidence_text, percent_text, share_text, size_text, speedup_text
from advisor.view.pages.answers.numbers import value_answer
from advisor.view.pages.answers.occupancy import not_the_cause, with_registers
from advisor.view.pages.answers.parts import (
    MOST,
    OPEN,
    Answer,
    Answers,
    Asked,
    Truth,
    called,
    class_facts,
    evidence_lines,
    found_of,
    gain_text,
    known_value,
    lacking,
    lower_start,
    main_subject,
    metrics_of,
    number_text,
    occupancy_text,
    test_line,
)
from advisor.view.pages.fix_room import room_facts
from advisor.view.pages.launch import certainty_text, finding_facts, fix_blocks, label_text, location_text
from advisor.view.pages.proof import Explained, proofs_page
from advisor.view.text import sentence, sentence_start

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


def cause_answer(meaning: Meaning, asked: Asked) -> Answer:
    """Return why the launch is slow."""
    launch = asked.launch
    first = first_diagnosis(launch)
    if first is None:
        says = f"{launch.verdict.title}: {launch.verdict.because}." if launch.verdict.because else launch.verdict.title
        return Answer(says, then=("which metrics are missing",))
    if is_settled(launch, first):
        says = f"It is {label_text(first, launch).lower()}, not held back by a fault: {first.because}."
        then: tuple[str, ...] = ("how far is it from the limit", "what else was found")
    elif first.id in ENDS:
        says = f"It is possibly {lower_start(first.title)} (not certain): {first.because}."
        then = ("how sure are you", "which metrics are missing", "what else was found")
    elif first.id == OPEN:
        says = f"No cause was found: {first.because}."
        then = ("which metrics are missing", "what are the warps waiting for")
    else:
        says = f"{first.title}: {first.because}."
        then = ("how do I fix it", "where is it in the code", "how do you know")
    rows = [class_facts(launch), *finding_facts(launch, first)]
    trust = [f for f in launch.findings if f.kind == "trust" and f is not first]
    severe = [Fact("Caveat", f"{f.title}: {f.because}", "warn") for f in trust[:2]]
    return Answer(says, blocks=(Facts((*rows, *severe)),), then=then, evidence=first.evidence)


def _how_to_fix(meaning: Meaning, asked: Asked) -> Answer:
    launch, first = asked.launch, first_diagnosis(asked.launch)
    finding = found_of(meaning.subject, launch) or first
    note: tuple[Block, ...] = ()
    wanted = main_subject(meaning.subject)
    if wanted and found_of(meaning.subject, launch) is None:
        reason = _shared_use(meaning.subject, launch) or _not_found(wanted, asked)
        note = (Paragraph(f"{reason} This is the fix for what was found first.", "warn"),)
    if finding is None or finding.fix is None:
        says = "No fix follows from what is known of this launch."
        return Answer(says, then=("what else was found", "which metrics are missing"))
    cost = (Facts((Fact("Cost", finding.fix.costs),)),) if finding.fix.costs else ()
    says = f"{sentence_start(finding.fix.summary)} ({finding.title}{gain_text(finding)})."
    says = f"{_shared_now(meaning.subject, launch)} {says}".lstrip() if note else says
    then: tuple[str, ...] = ("where is it in the code", "how much faster would it be", "what next")
    if note:
        then = (f"why not {finding_title(wanted).lower()}", *then[:2])
    return Answer(says, blocks=(*note, *fix_blocks(finding.fix, room=room_facts(finding, launch)), *cost), then=then)


def _not_found(wanted: str, asked: Asked) -> str:
    """Return why a finding was not concluded: an unknown fact, a number, or only that it was not."""
    failing, unknown, blocking = _reasons(asked.blocked or ())
    asks = [
        catalog().questions.get(clause.name.split(".")[1]) for clause in unknown if clause.name.startswith("answer.")
    ]
    if asks and asks[0] is not None and not blocking and not failing:
        return f"{finding_title(wanted)} is undecided, because an answer is missing: {asks[0].ask}"
    if unknown and not failing and not blocking:
        names = unknown_text(clause.name for clause in unknown[:MOST])
        return f"{finding_title(wanted)} is undecided: unknown is {lower_start(names)}."
    deciding = _deciding(failing, blocking)
    because = f": {test_line(deciding[0])}" if deciding else ""
    return f"{finding_title(wanted)} was not found on this launch{because}."


def _shared_use(subject: Subject | None, launch: LaunchDiagnosis) -> str:
    """Return how much shared memory the launch uses, for a question whether to use it; empty for others."""
    if subject is None or subject.id != "shared_memory" or subject.form == "fault":
        return ""
    return "Shared memory helps where the threads of a block read the same bytes several times or in another order."


# On CC 8.0 and later each block has this much shared memory for the system (CUDA programming guide).
_SYSTEM_SHARED: Final = 1024


def _shared_now(subject: Subject | None, launch: LaunchDiagnosis) -> str:
    """Return whether the kernel uses shared memory already; empty for other subjects, or if it is unknown."""
    used = launch.metrics.get("shared_bytes_per_block")
    if used is None or not _shared_use(subject, launch):
        return ""
    if used > _SYSTEM_SHARED:
        return f"It already does: a block uses {size_text(used)} of shared memory."
    return "It uses no shared memory now, and no finding says that it should."


def _what_next(meaning: Meaning, asked: Asked) -> Answer:
    launch, first = asked.launch, first_diagnosis(asked.launch)
    rest = [f for f in launch.findings if f.kind == "diagnosis" and f is not first]
    if first is None or not rest:
        says = "Apply the fix, profile again with the same options, and compare the durations first."
        if first is None or first.id in ENDS or first.fix is None:
            says = "Nothing else was found on this launch: look at another one, or collect what is missing."
        return Answer(says, then=("how do I fix it", "which kernel takes most time", "which metrics are missing"))
    second = rest[0]
    says = f"After {first.title.lower()}: {second.title}{gain_text(second)}."
    rows = [Fact("Why", second.because)]
    rows += [Fact("Fix", second.fix.summary)] if second.fix is not None else []
    rows += [Fact("Before that", f"{first.title}{gain_text(first)}: apply its fix and profile again, then compare")]
    return Answer(says, blocks=(Facts(tuple(rows)),), then=("how do I fix it", "what else was found"))


def _where(meaning: Meaning, asked: Asked) -> Answer:
    launch = asked.launch
    finding = found_of(meaning.subject, launch) or first_diagnosis(launch)
    places = finding.locations if finding is not None else ()
    command = f"ncu-advisor source {asked.path} --launch {launch.index}"
    if finding is None or not places:
        why = next((f.because for f in launch.findings if f.id == "line_info_missing"), "")
        reason = f": {why}" if why else ", or no instructions with samples are known"
        says = f"Unknown: no line or instruction is attached to this finding{reason}."
        return Answer(says, "unknown", run=(command,), then=("why is it slow", "which metrics are missing"))
    says = f"{location_text(places[0])}: {finding.title}."
    rows = tuple(Fact("Also" if at else "Hot line", location_text(place)) for at, place in enumerate(places))
    return Answer(says, blocks=(Facts(rows),), run=(command,), then=("how do I fix it", "how do you know"))


def _is_bound(meaning: Meaning, asked: Asked) -> Answer:
    launch, unit = asked.launch, meaning.subject.unit if meaning.subject is not None else "memory"
    classes, verdict = _CLASSES.get(unit, ()), launch.verdict
    value = known_value(meaning.subject, launch)
    busy, _ = unit_limits()
    name = {"dram": "DRAM", "l1": "L1", "l2": "L2"}.get(unit, unit)
    at = f"{name} runs at {number_text(*value)}" if value is not None and unit != "latency" else ""
    rows = (Facts((class_facts(launch),)), *evidence_lines(verdict.evidence))
    then = ("why is it slow", "how do you know")
    if verdict.id == "undetermined" and value is None:
        return replace(lacking(metrics_of(meaning.subject), launch, asked), blocks=rows, evidence=verdict.evidence)
    in_class = verdict.id in classes
    high = value is not None and unit in _PARTS and value[1] >= busy and not in_class
    if unit in _PARTS and value is not None and in_class:
        in_class = value[1] >= busy
    truth: Truth = "yes" if in_class else "unknown" if verdict.id == "undetermined" else "no"
    says = {"yes": "Yes", "no": "No", "unknown": "Unknown"}[truth]
    parts = [part for part in (at, f"the launch is {lower_start(verdict.title)}" if truth != "unknown" else "") if part]
    if high and truth == "no":
        parts[:1] = [f"{at}, which is highly utilised, but it is not what limits first"]
    if truth == "yes" and unit in ("memory", "compute", "latency"):
        parts = [f"the launch is {lower_start(verdict.title)}"]
    dram = launch.metrics.get("dram_pct")
    if truth == "yes" and unit == "memory" and verdict.id == "internal_congestion" and dram is not None and dram < busy:
        # Who asks this usually means DRAM.
        truth, parts = "no", ["the limit is on-chip memory (L1 and shared memory)"]
        says = f"Not by DRAM, which runs at {percent_text(dram)}"
    says = f"{says}: {'; '.join(parts) or verdict.because}."
    return Answer(says, truth, rows, then, evidence=verdict.evidence)


def _is_cause(meaning: Meaning, asked: Asked) -> Answer:
    launch, subject = asked.launch, meaning.subject
    finding, first = found_of(subject, launch), first_diagnosis(asked.launch)
    name = sentence_start(called(subject))
    if finding is not None:
        return _present(finding, first, launch)
    if not main_subject(subject):
        return value_answer(meaning, asked) if metrics_of(subject) else cause_answer(meaning, asked)
    failing, unknown, blocking = _reasons(asked.blocked or ())
    if subject is not None and (plain := _in_plain_numbers(meaning, subject, launch)):
        instead = () if first is None or first.id == OPEN else (Fact("Instead", f"{first.title}: {first.because}"),)
        also = ("why not occupancy", "why is it slow")
        deciding = tuple(_deciding(failing, blocking))
        return Answer(plain, "no", (Facts(instead),) if instead else (), also, evidence=deciding)
    value = known_value(subject, launch)
    at = f" ({value[0]} = {number_text(*value)})" if value is not None else ""
    then = (f"why not {finding_title(main_subject(subject)).lower()}", "why is it slow")
    if not failing and not blocking and unknown:
        metrics = tuple(item.metric for clause in unknown for item in clause.evidence if item.value is None)
        unknown_value = lacking(metrics or metrics_of(subject), launch, asked)
        return replace(unknown_value, says=f"{name}: {_uncapitalised(unknown_value.says)}", then=then)
    deciding = tuple(_deciding(failing, blocking))
    if blocking and not failing:
        names = ", ".join(finding_title(clause.name.partition(".")[2] or clause.name) for clause in blocking)
        says = f"No: {called(subject)} is explained by something else here ({names}){at}."
    elif deciding:
        says = f"No, it is not {lower_start(finding_title(main_subject(subject)))}: {test_line(deciding[0])}."
    else:
        says = f"No: {finding_title(main_subject(subject))} was not found{at}."
    blocks: list[Block] = list(evidence_lines(deciding[:MOST]))
    if first is not None and first.id != OPEN:
        blocks.append(Facts((Fact("Instead", f"{first.title}: {first.because}"),)))
    return Answer(says, "no", tuple(blocks), then, evidence=deciding)


def _in_plain_numbers(meaning: Meaning, subject: Subject, launch: LaunchDiagnosis) -> str:
    """Return the answer to whether occupancy or a number of registers is the cause, without the words of rules."""
    if subject.id == "register_pressure" and meaning.numbers and meaning.numbers[0].isdecimal():
        return with_registers(launch, int(meaning.numbers[0][:4]))
    return not_the_cause(launch) if subject.id == "occupancy" else ""


def _uncapitalised(text: str) -> str:
    return text[:1].lower() + text[1:]


def _present(finding: Finding, first: Finding | None, launch: LaunchDiagnosis) -> Answer:
    """Return that a finding is there, and its rank."""
    ranked = [f.id for f in launch.findings if f.kind == "diagnosis"]
    if finding is first:
        says = f"Yes, it comes first: {finding.title}: {finding.because}."
    elif finding.kind == "diagnosis":
        rank = ranked.index(finding.id) + 1
        says = f"Yes, but it is not the first: {finding.title} is number {rank}{gain_text(finding)}."
    elif finding.kind == "note":
        says = f"It is there but small: {finding.title}: {finding.because}."
    else:
        says = f"Yes, as a caveat about the numbers: {finding.title}: {finding.because}."
    rows = finding_facts(launch, finding)
    if first is not None and finding is not first:
        rows.append(Fact("First", f"{first.title}: {first.because}"))
    blocks = (Facts(tuple(rows)), *evidence_lines(finding.evidence[:MOST]))
    then = (f"how do I fix the {finding.title.lower()}", "where is it in the code", "how do you know")
    return Answer(says, "yes", blocks, then, evidence=finding.evidence)


def _deciding(failing: Sequence[Clause], blocking: Sequence[Clause]) -> list[Comparison]:
    """Return the comparisons of these conditions, the deciding ones first: those that fail, or hold in a block."""
    evidence = [(item, False) for clause in failing for item in clause.evidence]
    evidence += [(item, True) for clause in blocking for item in clause.evidence]
    return [item for item, decides in sorted(evidence, key=lambda pair: pair[0].holds is not pair[1])]


def _reasons(rules: Sequence[BlockedRule]) -> tuple[list[Clause], list[Clause], list[Clause]]:
    """Return the conditions that fail, are unknown or block, of the rule that came nearest to firing."""
    if not rules:
        return [], [], []
    nearest = min(rules, key=lambda rule: (len(rule.failing) + len(rule.blocking), len(rule.unknown)))
    return list(nearest.failing), list(nearest.unknown), list(nearest.blocking)


def _sure(meaning: Meaning, asked: Asked) -> Answer:
    launch, first = asked.launch, first_diagnosis(asked.launch)
    caveats = [f for f in launch.findings if f.kind == "trust"]
    rows = []
    if first is not None and first.evidence:
        sure = f"{sentence_start(confidence_text(first.confidence))} confidence ({share_text(first.confidence)})"
        says = f"{sure} in {lower_start(first.title)}"
    else:
        says = f"No number supports a single cause here; the class is {lower_start(launch.verdict.title)}"
    if launch.verdict.margin is not None:
        rows.append(Fact("Class", f"{launch.verdict.title}, margin {share_text(abs(launch.verdict.margin))}"))
    if first is not None and (reach := certainty_text(first.speedup)):
        rows.append(Fact("Gain", reach))
    if first is not None and first.undecided:
        rows.append(Fact("Not known", unknown_text(first.undecided), "warn"))
    rows += [Fact("Caveat", f"{f.title}: {f.because}", "warn") for f in caveats]
    if launch.missing:
        names = ", ".join(metric_title(lack.metric) for lack in launch.missing[:MOST])
        rows.append(Fact("Missing", names + (" …" if len(launch.missing) > MOST else ""), "warn"))
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
    finding = found_of(meaning.subject, launch) or main_finding(launch)
    if asked.proof is None or finding is None:
        return Answer(
            f"{launch.verdict.title}: {launch.verdict.because}.", blocks=evidence_lines(launch.verdict.evidence)
        )
    rules = ", ".join(finding.rules)
    says = f"By the rule {rules}: {finding.because}." if finding.rules else f"{sentence(finding.because)}"
    if _asks_for(finding, meaning) and finding.speedup is not None:
        says = f"{speedup_text(finding.speedup.estimate)} is an estimate: {finding.speedup.how}."
    page = proofs_page((Explained(launch, finding.id, asked.proof, asked.flips),))
    return Answer(
        says, blocks=flat(page.sections), then=("how sure are you", "what else was found"), evidence=finding.evidence
    )


def _asks_for(finding: Finding, meaning: Meaning) -> bool:
    """Whether a question contains the estimated speedup of a finding, as shown: `how did you get 3.6x`."""
    shown = "" if finding.speedup is None else speedup_text(finding.speedup.estimate).rstrip("×")
    return bool(shown) and re.search(rf"(?<![\d.]){re.escape(shown)}\s*(?:x|×|times)", meaning.text) is not None


def _why_not(meaning: Meaning, asked: Asked) -> Answer:
    finding = found_of(meaning.subject, asked.launch)
    if finding is not None:
        return _present(finding, first_diagnosis(asked.launch), asked.launch)
    wanted = main_subject(meaning.subject)
    if not wanted or asked.blocked is None:
        return cause_answer(meaning, asked)
    failing, unknown, blocking = _reasons(asked.blocked)
    deciding = _deciding(failing, blocking) or [item for clause in unknown for item in clause.evidence]
    says = f"{finding_title(wanted)} was not concluded"
    says += f": {test_line(deciding[0])}." if deciding else ": no rule concludes it on this launch."
    if limit := occupancy_text(asked.launch, wanted):
        says += f" {limit}"
    page = proofs_page((Explained(asked.launch, wanted, asked.blocked),))
    then = (f"what is {finding_title(wanted).lower()}", "why is it slow")
    return Answer(says, blocks=flat(page.sections), then=then, evidence=tuple(deciding))


ANSWERS: Final[Answers] = {
    "why_slow": cause_answer,
    "how_to_fix": _how_to_fix,
    "what_next": _what_next,
    "where": _where,
    "is_bound": _is_bound,
    "is_cause": _is_cause,
    "sure": _sure,
    "how_concluded": _how_concluded,
    "why_not": _why_not,
}
