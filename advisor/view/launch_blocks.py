"""One launch as blocks: the short answer first, then source, charts, steps, evidence and what is left open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from advisor.knowledge.base import catalog
from advisor.records.diagnosis import ENDS, Budget, Finding, LaunchDiagnosis, Location
from advisor.view.blocks import BarRow, Bars, Block, Bullets, Cell, Code, Column, Command, Fact, Facts, Paragraph, Table
from advisor.view.budget import HEADING as BUDGET
from advisor.view.budget import closing_texts, listed_steps, step_note
from advisor.view.charts import BUSY, HIGH, Bar, occupancy, occupancy_limit, speed_of_light, stalls, value_text
from advisor.view.diagnosis import (
    READ_ON,
    SEVERE,
    evidence_rows,
    first_diagnosis,
    label_text,
    location_text,
    next_text,
    steps_heading,
)
from advisor.view.fix_simulation import check_texts
from advisor.view.ncu_rules import HEADING as RULES
from advisor.view.ncu_rules import verdict_texts
from advisor.view.other_gpu import elsewhere_heading, elsewhere_rows
from advisor.view.text import factor_text, gain_text
from advisor.view.workload import SCOPE, parts

# (place of the report, file as the report names it) -> its lines.
Texts = Mapping[tuple[int, str], tuple[str, ...]]
_AROUND = 3  # lines of source before and after the one that counts
_SOURCE_WIDTH = 300


@dataclass(frozen=True, slots=True)
class LaunchBlocks:
    """first: what stands right under the heading; rest: further parts (heading, blocks, whether it is
    more than the fix and its grounds), empty ones too."""

    first: tuple[Block, ...]
    rest: tuple[tuple[str, tuple[Block, ...], bool], ...]


def launch_blocks(launch: LaunchDiagnosis, texts: Texts) -> LaunchBlocks:
    """Everything that is told of one launch; texts: what is known of the source."""
    first = first_diagnosis(launch)
    careful = [f for f in launch.findings if f.id in SEVERE]
    rows = [Fact("Class", f"{launch.verdict.title}: {launch.verdict.because}")]
    rows += [Fact("Careful", f"{f.title}: {f.because}", "warn") for f in careful]
    rows += _first(first, launch) if first is not None else []
    blocks: list[Block] = [Facts(tuple(rows))]
    blocks += [code for place in (first.locations if first else ()) if (code := _excerpt(place, launch, texts))]
    rest: list[tuple[str, tuple[Block, ...], bool]] = []
    if first is not None and first.fix is not None and first.fix.steps:
        rest.append((steps_heading(first), _steps(first), False))
    rest.append(("How busy the units are", _bars(launch), True))
    if first is not None:
        rest.append(("Evidence", (_evidence(launch, first),), False))
    others = [f for f in launch.findings if f is not first and f.kind == "diagnosis"]
    if others:
        rest.append(("Also seen, in the order of their gain", (Bullets(tuple(map(_other, others))),), True))
    if launch.budget is not None:
        rest.append((BUDGET, _budget(launch.budget), True))
    if launch.on is not None:
        told: list[Block] = [Facts(tuple(Fact(*row) for row in elsewhere_rows(launch, launch.on)))]
        told += [Bullets(tuple(text for _, text in launch.on.cannot))] if launch.on.cannot else []
        rest.append((elsewhere_heading(launch.on), tuple(told), True))
    texts_, more = verdict_texts(launch, first)
    rest.append((RULES, (Bullets((*texts_, *([more] if more else []))),) if texts_ else (), True))
    told_already = {"rules_disagree"} if any(v.status == "class_differs" for v in launch.ncu_rules) else set()
    trust = [f for f in launch.findings if f.kind == "trust" and f not in careful and f.id not in told_already]
    notes = [f"{f.title} ({f.id}): {f.because}" for f in trust]
    rest.append(("Before you trust these numbers", (Bullets(tuple(notes)),) if notes else (), True))
    rest.append(("What is left open", _open(launch), True))
    return LaunchBlocks(tuple(blocks), tuple(rest))


def _first(first: Finding, launch: LaunchDiagnosis) -> list[Fact]:
    tone = "good" if first.id in ENDS else "lead"
    rows = [Fact(label_text(first, launch), f"{first.title} ({first.id})", "good" if tone == "good" else "lead")]
    if first.speedup is not None:
        gain = first.speedup
        rows.append(Fact("Expect", f"{gain_text(gain.estimate, gain.low, gain.high)}: {gain.how}"))
    sure = f" (confidence {first.confidence:.2f})" if first.evidence else ""
    rows.append(Fact("Why", f"{first.because}{sure}"))
    rows += [Fact("Where", location_text(place)) for place in first.locations]
    rows += [Fact("How", first.fix.summary)] if first.fix is not None else []
    page = f"{SCOPE}:{first.id}" if launch.scope == SCOPE else first.id
    return [*rows, Fact("Next", f"{next_text(first, launch)}; `ncu-advisor explain {page}`")]


def _excerpt(place: Location, launch: LaunchDiagnosis, texts: Texts) -> Code | None:
    """The lines around a place, where the source is known and long enough to hold it."""
    lines = texts.get((launch.report, place.file), ())
    if not 1 <= place.line <= len(lines):
        return None
    start = max(1, place.line - _AROUND)
    shown_lines = lines[start - 1 : place.line + _AROUND]
    kept = tuple(line.expandtabs(4).rstrip()[:_SOURCE_WIDTH] for line in shown_lines)
    return Code(location_text(place), start, kept, place.line)


def _steps(first: Finding) -> tuple[Block, ...]:
    fix = first.fix
    assert fix is not None
    blocks: list[Block] = [Bullets(fix.steps, ordered=True)]
    rows = [Fact("Costs", fix.costs)] if fix.costs else []
    if fix.see:
        also = f" (also {', '.join(fix.see[1:READ_ON])})" if fix.see[1:] else ""
        rows.append(Fact("Read on", f"`ncu-advisor explain {fix.see[0]}`{also}"))
    rows += [Fact("Practise it", f"`ncu-advisor practice show {fix.practice}`")] if fix.practice else []
    blocks += [Facts(tuple(rows))] if rows else []
    if fix.check is not None:
        blocks += [Paragraph("Simulated with this launch's numbers:"), Bullets(tuple(check_texts(fix.check)))]
        blocks += [Paragraph("Try others:"), Command(fix.check.command)] if fix.check.command else []
    return tuple(blocks)


def bar_rows(rows: Sequence[Bar]) -> tuple[BarRow, ...]:
    """The rows of a text chart as bars."""
    return tuple(
        BarRow(r.label, None if r.value is None else r.value / 100, value_text(r.value), r.note, r.style == "total")
        for r in rows
    )


def _bars(launch: LaunchDiagnosis) -> tuple[Block, ...]:
    if launch.scope == SCOPE:
        return tuple(Bars(name or "Units, percent of peak", bar_rows(rows)) for name, rows in parts(launch.metrics))
    both = [row for side in ("compute", "memory") for row in speed_of_light(launch.metrics, side)]
    held = occupancy_limit(launch.metrics, launch.labels)
    waiting = (*stalls(launch.metrics), occupancy(launch.metrics, launch.labels))
    caption = f"Waiting warps, share of all warp cycles; occupancy{f' is {held}' if held else ''}"
    lines = (BUSY / 100, HIGH / 100)
    return (
        Bars(f"Percent of peak; lines at {BUSY:.0f} (busy) and {HIGH:.0f} (near its limit)", bar_rows(both), lines),
        Bars(caption, bar_rows(waiting)),
    )


def _evidence(launch: LaunchDiagnosis, first: Finding) -> Table:
    columns = (Column("what was seen"), Column("number and test"), Column("source"))
    found = evidence_rows((*launch.verdict.evidence, *first.evidence))
    rows = [(Cell(says), Cell("; ".join(tests)), Cell(", ".join(cites))) for says, tests, cites in found]
    rows += [(Cell(note), Cell(""), Cell("")) for note in launch.verdict.notes]
    return Table(columns, tuple(rows))


def _other(finding: Finding) -> str:
    gain = finding.speedup
    told = f", {gain_text(gain.estimate, gain.low, gain.high)}" if gain is not None else ""
    return f"{finding.title} ({finding.id}){told}: {finding.because}"


def _budget(budget: Budget) -> tuple[Block, ...]:
    columns = (Column("", True), Column("fix of"), Column("alone", True), Column("then", True), Column("in all", True))
    rows = []
    for at, step in enumerate(listed_steps(budget), 1):
        note = step_note(step, at)
        gains = (Cell(f"{factor_text(gain)}x", gain) for gain in (step.alone, step.gain, step.total))
        rows.append((Cell(str(at)), Cell(f"{step.finding}: {note}" if note else step.finding), *gains))
    return (Table(columns, tuple(rows)), *(Paragraph(text) for text in closing_texts(budget)))


def _open(launch: LaunchDiagnosis) -> tuple[Block, ...]:
    """What is worth little, what could not be looked at, what the reader could tell."""
    rows = []
    small = [f"{f.title} ({f.id})" for f in launch.findings if f.kind == "note"]
    if small:
        rows.append(Fact("Worth little", f"seen, but under 5 %: {', '.join(small)}"))
    wanted = sorted({f for m in launch.missing for f in m.needed_for} - set(catalog().trust))
    if wanted and launch.scope == SCOPE:
        words = ", ".join(dict.fromkeys(m.metric for m in launch.missing))
        rows.append(
            Fact("Could not look at", f"{', '.join(wanted)} (unknown, not absent); the file lacks {words}", "warn")
        )
    elif wanted:
        how = "`ncu-advisor collect REPORT` prints the command that collects what they need"
        rows.append(Fact("Could not look at", f"{', '.join(wanted)} (unknown, not absent); {how}", "warn"))
    for question in launch.questions:
        unit = f" in {question.unit}" if question.unit else ""
        would = f"It would decide {', '.join(question.would_change)}."
        rows.append(Fact("You could tell", f"{question.ask} {would} (`{question.id}`{unit})"))
    return (Facts(tuple(rows)),) if rows else ()
