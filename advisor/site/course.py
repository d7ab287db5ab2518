"""The course: each exercise as a page with a neutral title, whose answers are folded."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from advisor.practice.exercise_list import kind_of
from advisor.practice.manifest import Exercise, bundled_text, exercise
from advisor.practice.predictions import NOTHING_TO_FIX
from advisor.practice.reading_answers import Shown, choices
from advisor.practice.readings import Reading
from advisor.records.diagnosis import first_diagnosis
from advisor.site.causes import course
from advisor.site.evidence import Recorded
from advisor.site.page import SitePage
from advisor.view.blocks import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Command,
    Fact,
    Facts,
    Page,
    Paragraph,
    Section,
    Table,
    paragraphs,
    section,
)
from advisor.view.numbers import estimate_text, speedup_text, time_text
from advisor.view.pages.launch import shape_facts, utilisation_bars
from advisor.view.pages.practice import LEVELS, question_blocks, reasons_list
from advisor.view.pages.reading import ASKS, answer_sections, answers_table, facts_sections
from advisor.view.pages.slots import ISSUE_SLOTS, slots_blocks

_GROUPS = {
    "timeline": "The whole program: read a timeline",
    "profile": "Before the diagnosis: can this profile be trusted?",
    "kernel": "Kernels: find the cause",
}


def course_index(found: Sequence[Exercise | Reading]) -> SitePage:
    """Build the list of the exercises in their order; titles do not name causes."""
    about = "Each exercise shows a story, the code and a recorded profile. Predict the cause, then unfold the answer."
    parts = []
    for kind, title in _GROUPS.items():
        mine = [one for one in found if kind_of(one) == kind]
        rows = tuple(
            (Cell(str(one.number)), Cell(one.title, link=course(one.number)), Cell(LEVELS[one.level]), Cell(one.step))
            for one in mine
        )
        columns = (Column("No.", True), Column("Title"), Column("Level"), Column("Step of the method"))
        parts.append(section(title, [Table(columns, rows)]))
    return SitePage("course/index", "The course", Page("The course", (Paragraph(about, "lead"),), tuple(parts)), about)


def exercise_page(one: Exercise, recorded: Recorded | None) -> SitePage:
    """Build the page of an exercise: everything before the prediction is open, everything after it is folded."""
    first = one.stages[0]
    made = [Paragraph(f"Level {one.level} ({LEVELS[one.level]}) · trains step {one.step} of the method", "dim")]
    before = [exercise(name) for name in one.prerequisites]
    made += [Paragraph(f"Do first: {', '.join(f'page:{course(e.number)}' for e in before)}", "dim")] if before else []
    text = tuple(bundled_text(one.name, first.source).rstrip().splitlines())
    sections = [
        section("", paragraphs(one.story)),
        section("Estimate before profiling", [Bullets(tuple(number.what for number in one.napkin))]),
        section("The estimate", [Facts(tuple(Fact(n.what, f"{n.value}. {n.how}") for n in one.napkin))], folded=True),
        section("The code", [Code(first.source, 0, text)]),
        *(_profile(recorded) if recorded is not None else []),
        section("Predict", [_predict(one), Command(f"ncu-advisor practice predict {one.number}")]),
        section("Hints", []),
        *(section(f"Hint {at}", [Paragraph(hint)], folded=True) for at, hint in enumerate(one.hints, 1)),
        *_quiz(one),
        section("Solution", [Paragraph("Unfold it after your prediction.")]),
        section("What limits it", [*_verdict(recorded), *paragraphs(one.explanation)], folded=True),
        *_versions(one, recorded),
    ]
    title = f"{one.number}. {one.title}"
    return SitePage(course(one.number), title, Page(title, tuple(made), tuple(sections)), one.title, secret=True)


def _predict(one: Exercise) -> Paragraph:
    gain = "" if one.stages[0].expect in NOTHING_TO_FIX else " and the speedup of the fix"
    return Paragraph(
        f"Before you unfold the solution, write down the page:classes of the launch, the cause{gain}. The command "
        "scores your prediction."
    )


def _profile(recorded: Recorded) -> list[Section]:
    launch = recorded.steps[0].launch
    time = recorded.steps[0].time_ns
    if launch is None:
        return []
    head = f"{recorded.origin} Time: {time_text(time)}." if time is not None else recorded.origin
    out = [
        section("The recorded profile", [Paragraph(head, "dim"), Facts(shape_facts(launch)), *utilisation_bars(launch)])
    ]
    if launch.issue_slots is not None:
        out.append(section(ISSUE_SLOTS, slots_blocks(launch.issue_slots), level=3))
    return out


def _quiz(one: Exercise) -> list[Section]:
    out = [section("Quiz", [])] if one.quiz else []
    for at, question in enumerate(one.quiz):
        out.append(section("", question_blocks(at, len(one.quiz), question)))
        out.append(section(f"Answer {at + 1}", [reasons_list(question)], folded=True))
    return out


def _verdict(recorded: Recorded | None) -> list[Block]:
    launch = recorded.steps[0].launch if recorded is not None else None
    if recorded is None or launch is None:
        return []
    first = first_diagnosis(launch)
    rows = [Fact("Class", f"{launch.verdict.title}: {launch.verdict.because}")]
    if first is not None:
        rows.append(Fact("Cause", f"diagnosis:{first.id}: {first.because}", "lead"))
        rows += [Fact("Estimated", estimate_text(first.speedup))] if first.speedup is not None else []
    gain = recorded.gain(recorded.steps[0].step)
    rows += [Fact("Measured", speedup_text(gain[0]))] if gain is not None else []
    return [Facts(tuple(rows))]


def _versions(one: Exercise, recorded: Recorded | None) -> list[Section]:
    """Return each version after the first: what it changes, its time and its cost. Titles do not name the change."""
    times = {step.step.id: step.time_ns for step in recorded.steps} if recorded is not None else {}
    out = []
    for at, step in enumerate(one.steps, 1):
        time = times.get(step.id)
        rows = [Fact("Time", time_text(time))] if time is not None else []
        rows += [Fact("Cost", step.costs)] if step.costs else []
        blocks: list[Block] = [Paragraph(step.title, "lead"), Paragraph(step.says)]
        blocks += [Facts(tuple(rows))] if rows else []
        base = one.diff_base(step)
        if base.id != step.id:
            old, new = (bundled_text(one.name, each.source).splitlines() for each in (base, step))
            diff = difflib.unified_diff(old, new, base.source, step.source, lineterm="", n=2)
            blocks.append(Code(f"Changes from {base.source}", 0, tuple(diff), diff=True))
        out.append(section(f"Version {at} of {len(one.steps)}", blocks, folded=True))
    return out


def reading_page(one: Reading, found: Shown | None) -> SitePage:
    """Build the page of an exercise that is read: facts, question, folded answer. found: None if it was not read."""
    made = [Paragraph(f"Read a {one.kind} · level {one.level} · trains step {one.step} of the method", "dim")]
    answer: list[Block] = []
    for name, blocks in answer_sections(one, found) if found is not None else ():
        answer += [Paragraph(name, "lead"), *blocks]
    sections = [
        section("", paragraphs(one.story)),
        *(facts_sections(found) if found is not None else ()),
        section(ASKS[one.kind], [answers_table(choices(one)), Command(f"ncu-advisor practice predict {one.number}")]),
        section("Hints", []),
        *(section(f"Hint {at}", [Paragraph(hint)], folded=True) for at, hint in enumerate(one.hints, 1)),
        section("Answer", [Paragraph("Unfold it after your own.")]),
        section("What it shows", answer, folded=True),
    ]
    title = f"{one.number}. {one.title}"
    return SitePage(course(one.number), title, Page(title, tuple(made), tuple(sections)), one.title, secret=True)


def course_pages(
    found: Sequence[Exercise | Reading], recorded: Mapping[str, Recorded], read: Mapping[str, Shown]
) -> list[SitePage]:
    """Build the list and all exercises. read: the recordings of the exercises that are read, by name."""
    out = [course_index(found)]
    for one in found:
        if isinstance(one, Exercise):
            out.append(exercise_page(one, recorded.get(one.name)))
        else:
            out.append(reading_page(one, read.get(one.name)))
    return out
