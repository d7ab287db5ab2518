"""Answer whether a technique would help: yes with its gain, no with its bound, or what decides it."""

from __future__ import annotations

from typing import Final

from advisor.knowledge.base import catalog, finding_title, metric_title
from advisor.knowledge.expressions import TRUE, parse_test
from advisor.knowledge.techniques import TechniqueDef, techniques
from advisor.knowledge.texts import fields, fill
from advisor.records.diagnosis import ENDS, Finding, LaunchDiagnosis, first_diagnosis
from advisor.records.questions import WOULD_HELP, Meaning
from advisor.view.blocks import Block, Fact, Facts
from advisor.view.numbers import speedup_text
from advisor.view.pages.answers.parts import MOST, OPEN, Answer, Answers, Asked, Truth, gain_text
from advisor.view.text import sentence


def would_help(meaning: Meaning, asked: Asked) -> Answer:
    """Return whether the technique that the question names would help this launch."""
    launch, entry = asked.launch, techniques()[meaning.subject.id if meaning.subject is not None else ""]
    first = first_diagnosis(launch)
    found = [f for name in entry.fixes for f in launch.findings if f.id == name]
    cures = next((f for f in found if f is first), next((f for f in found if f.kind == "diagnosis"), None))
    facts = _facts(entry, launch)
    done = bool(entry.done) and _truth(entry.done, launch) == TRUE
    truth: Truth = "no"
    if cures is not None and not done:
        truth, says = "yes", _yes(entry, cures, first)
    elif done:
        states = catalog().observations[entry.done].states
        says = f"No: {states or 'the launch has them already'}"
    elif open_ := [name for name in entry.fixes if _is_open(name, launch)]:
        truth = "unknown"
        lacks = [metric_title(m.metric) for m in launch.missing if open_[0] in m.needed_for][:MOST]
        says = f"Unknown: {finding_title(open_[0]).lower()}, which it cures, depends on {', '.join(lacks)}"
        if not lacks:
            question = next(q for q in launch.questions if open_[0] in q.would_change)
            name = finding_title(open_[0]).lower()
            says = f"Unknown: {name}, which it cures, is undecided; only you know: {question.ask}"
    else:
        says = f"No, it is not what limits this launch{_bound(entry, launch, first)}"
    rows = [Fact("Here", "; ".join(facts))] if facts else []
    rows.append(Fact("In general", entry.says))
    if truth != "yes" and first is not None and first.id != OPEN:
        rows.append(Fact("Instead", f"{first.title}{gain_text(first)}: {first.because}"))
    blocks: tuple[Block, ...] = (Facts(tuple(rows)),)
    name = finding_title(cures.id if cures is not None else entry.fixes[0]).lower()
    then = (f"how do I fix the {name}" if truth == "yes" else f"why not {name}", "why is it slow")
    return Answer(
        says if says.endswith("?") else sentence(says),
        truth,
        blocks,
        then,
        evidence=cures.evidence if cures is not None else (),
    )


def _yes(entry: TechniqueDef, cures: Finding, first: Finding | None) -> str:
    if cures is first:
        return f"Yes: {entry.title.lower()} may cure what comes first, {cures.title.lower()}{gain_text(cures)}"
    return f"A little, but not first: {entry.title.lower()} may cure {cures.title.lower()}{gain_text(cures)}"


def _bound(entry: TechniqueDef, launch: LaunchDiagnosis, first: Finding | None) -> str:
    """Return what it gains at most, as far as that is known."""
    headroom = next((q.at_most for q in launch.quantities if q.id == "headroom" and q.at_most is not None), None)
    if not entry.removes and headroom is not None:
        return f": it removes no work, so it gains at most {speedup_text(headroom)}"
    if not entry.removes and first is not None and first.id in ENDS:
        return f": it removes no work, and the kernel is {first.title.lower()}, so it gains at most a few percent"
    return ""


def _facts(entry: TechniqueDef, launch: LaunchDiagnosis) -> list[str]:
    """Return the facts whose metrics are known."""
    known = {name: value for name, value in launch.metrics.items() if value is not None}
    return [fill(text, known) for text in entry.numbers if fields(text) <= known.keys()]


def _truth(observation: str, launch: LaunchDiagnosis) -> int:
    return parse_test(catalog().observations[observation].test).truth(launch.metrics)


def _is_open(finding: str, launch: LaunchDiagnosis) -> bool:
    """Return whether a metric that the launch lacks, or an answer of the user, could still show the finding."""
    asks = any(finding in question.would_change for question in launch.questions)
    return asks or any(finding in missing.needed_for for missing in launch.missing)


ANSWERS: Final[Answers] = {WOULD_HELP: would_help}
