"""The exercises as pages: list, story, hints, quiz, prediction, solution and experiment log."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from advisor.knowledge.base import catalog
from advisor.practice.exercise_list import kind_of, where_to_begin
from advisor.practice.manifest import Exercise, exercise
from advisor.practice.predictions import MINE, NOTHING_TO_FIX, Score, class_limits
from advisor.practice.state import state_of
from advisor.view.blocks import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Fact,
    Facts,
    Page,
    Paragraph,
    Plain,
    Table,
    paragraphs,
    section,
)
from advisor.view.numbers import counted, share_text, speedup_text, time_range_text, time_text
from advisor.view.pages.diagnosis import class_title
from advisor.view.text import cut

if TYPE_CHECKING:  # `practice list` and `show` do not load what runs kernels
    from advisor.practice.lessons import Terms
    from advisor.practice.manifest import QuizQuestion, RecordFile, StepDef
    from advisor.practice.readings import Reading
    from advisor.practice.selfcheck import Measured
    from advisor.practice.state import LogRow, Prediction, Record
    from advisor.practice.workshop import Workshop
    from advisor.records.diagnosis import LaunchDiagnosis

LEVELS = {1: "first steps", 2: "intermediate", 3: "hard"}
# The groups of the list, in the recommended order: (kind, level) -> heading; level 0 is any.
_GROUPS = {
    ("timeline", 0): "The whole program: read a timeline",
    ("profile", 0): "Before the diagnosis: can this profile be trusted?",
    **{("kernel", level): f"Kernels, level {level}: {name}" for level, name in LEVELS.items()},
}
_COMMAND = "ncu-advisor practice"
# Where to begin, by what the learner wants: kind, label, reason.
_BEGIN = (
    ("kernel", "Start here", "if you write kernels: diagnose and fix one, on a GPU or from its recorded profile"),
    ("timeline", "Timelines", "if the whole program is slow, before any kernel"),
    ("profile", "Profiles", "whether the numbers of a profile can be trusted"),
)


def list_page(found: Sequence[Exercise | Reading], progress: Mapping[str, Record], named: bool = False) -> Page:
    """Build the list of all exercises in the recommended order, with the learner's progress.

    A name may reveal the cause: it is listed after a prediction, or if `named`.
    """
    if not found:
        return Page("", (Paragraph("There are no exercises in this installation."),), ())
    parts = []
    for (kind, level), title in _GROUPS.items():
        mine = (e for e in found if kind_of(e) == kind and level in (0, e.level))
        rows = sorted(mine, key=lambda e: e.number)
        known = {e.name for e in rows if named or _predicted(progress.get(e.name))}
        columns = (Column("No.", True), Column("State"), Column("Title"), *([Column("Name")] if known else []))
        cells = tuple(
            (
                Cell(str(e.number), float(e.number)),
                Cell(state_of(progress.get(e.name))),
                Cell(e.title),
                *([Cell(e.name if e.name in known else "")] if known else []),
            )
            for e in rows
        )
        parts += [section(title, [Table(columns, cells)], level=3)] if rows else []
    done = sum(1 for e in found if state_of(progress.get(e.name)) == "solved")
    points = [p.points for r in progress.values() for p in r.predictions if p.points is not None]
    text = f"{done} of {len(found)} solved."
    if points:
        text += f" {counted(len(points), 'prediction')}, {sum(points) / len(points):.0f} of 100 points on average."
    begin = where_to_begin((kind_of(e), e.number, state_of(progress.get(e.name))) for e in found)
    titles = {e.number: e.title for e in found}
    head = tuple(
        Fact(label, f"{begin[kind]}. {titles[begin[kind]]} ({_COMMAND} show {begin[kind]}): {what}")
        for kind, label, what in _BEGIN
        if kind in begin
    )
    first = next((begin[kind] for kind, _, _ in _BEGIN if kind in begin), min(titles))
    last = section("", [Paragraph(text), next_step(f"show {first}")])
    return Page("Exercises", (Facts(head),) if head else (), (*parts, last))


def _predicted(record: Record | None) -> bool:
    """Return whether a prediction was scored, after which the cause is no secret."""
    return record is not None and any(prediction.points is not None for prediction in record.predictions)


def next_step(command: str) -> Paragraph:
    """Return the next command, given without `ncu-advisor practice`."""
    return Paragraph(f"Next: {_COMMAND} {command}", "lead")


def story_page(one: Exercise, record: Record) -> Page:
    """Build the story without the cause, the questions before a profile, and the next commands."""
    kind = f"series of {len(one.stages)} steps" if one.ladder else "exercise"
    head = f"Level {one.level} ({LEVELS[one.level]}) · {kind} · trains step {one.step} of the method"
    made: list[Block] = [Paragraph(head, "dim")]
    before = ", ".join(str(exercise(name).number) for name in one.prerequisites)
    made += [Paragraph(f"Do first: {before}", "dim")] if before else []
    made.append(Paragraph(_without_gpu(one), "dim"))
    n = one.number
    steps = (
        f"show {n} --napkin: these numbers and how to estimate them",
        f"predict {n}: class, cause, speedup; lists the possible answers",
        f"show {n} --profile: the recorded profile; your score",
        f"start {n}: the source, to edit",
        f"check {n}: correctness and time",
        f"profile {n}: before and after",
        f"hint {n}: {record.hints} of {len(one.hints)} taken",
        f"quiz {n}: {counted(len(one.quiz), 'question')}",
    )
    parts = [
        section("", paragraphs(one.story)),
        section("Estimate before profiling", [Bullets(tuple(number.what for number in one.napkin))], level=3),
        section(f"Next, each after `{_COMMAND}`", [Bullets(steps)], level=3),
    ]
    scored = [
        f"Your prediction for {'your version' if p.step == MINE else f'step {p.step}'}: {p.points} of 100 points."
        for p in record.predictions
        if p.points is not None
    ]
    parts += [section("", [Paragraph(text) for text in scored])] if scored else []
    if record.folder:
        parts.append(section("", [Paragraph("Your folder:"), Plain((record.folder,), whole=True)]))
    return Page(_title(one), tuple(made), tuple(parts))


def _without_gpu(one: Exercise) -> str:
    """Return what can be done on a machine without an NVIDIA GPU."""
    runs = "check executes a small problem on the CPU (extra `emulate`), else it only compiles"
    check = runs if one.stages[0].source.endswith(".cu") else "check and profile do not run"
    return f"Without a GPU: everything but your own times. The profiles are recorded; {check}."


def _title(one: Exercise | Reading) -> str:
    return f"{one.number}. {one.title}"


def napkin_page(one: Exercise) -> Page:
    """Build the napkin estimate with its calculation, for the recorded size."""
    parts = [
        section(number.what, [Paragraph(f"= {number.value}", "lead"), Paragraph(number.how)], level=3)
        for number in one.napkin
    ]
    parts.append(section("", [next_step(f"predict {one.number}")]))
    return Page(_title(one), (Paragraph("Napkin math for the recorded size", "dim"),), tuple(parts))


def hints_page(one: Exercise | Reading, taken: int) -> Page:
    """Build the hints given so far, the newest last."""
    rows = tuple(Fact(f"Hint {at}", hint) for at, hint in enumerate(one.hints[:taken], 1))
    left = len(one.hints) - taken
    more = f"{left} more: {_COMMAND} hint {one.number}"
    last = [Paragraph(f"That was the last. The answer: {_COMMAND} solution {one.number} --anyway")]
    if isinstance(one, Exercise) and one.stages[0].source.endswith(".cu"):
        last.append(Paragraph(f"Patches of your version, proven on the CPU: ncu-advisor fix --exercise {one.number}"))
    return Page(_title(one), (Facts(rows),), (section("", [Paragraph(more)] if left else last),))


def question_blocks(at: int, of: int, question: QuizQuestion) -> list[Block]:
    """Return one question with its lettered answers."""
    answers = tuple(f"{chr(ord('a') + i)}) {answer.text}" for i, answer in enumerate(question.answers))
    return [Paragraph(f"Question {at + 1} of {of}", "lead"), Paragraph(question.ask), Bullets(answers)]


def reasons_page(question: QuizQuestion, chosen: int) -> Page:
    """Build the result of the chosen answer, with the reason why each answer is right or wrong."""
    right = question.answers[chosen].right
    verdict = Paragraph("Right.", "good") if right else Paragraph("Wrong.", "warn")
    return Page("", (verdict, reasons_list(question)), ())


def reasons_list(question: QuizQuestion) -> Bullets:
    """Return the reason why each answer is right or wrong."""
    return Bullets(
        tuple(
            f"{chr(ord('a') + i)}) {'right' if answer.right else 'wrong'}: {answer.because}"
            for i, answer in enumerate(question.answers)
        )
    )


def quiz_page(one: Exercise) -> Page:
    """Build all questions without answers, for non-interactive use."""
    parts = [section("", question_blocks(i, len(one.quiz), q)) for i, q in enumerate(one.quiz)]
    letters = " ".join("--answer a" for _ in one.quiz)
    answer = Paragraph(f"Answer with: {_COMMAND} quiz {one.number} {letters}")
    return Page("", (), (*parts, section("", [answer])))


def quiz_result(one: Exercise, right: int) -> Page:
    """Build the number of right answers, and the next step."""
    return Page("", (Paragraph(f"{right} of {len(one.quiz)} right."), next_step(f"start {one.number}")), ())


def before_prediction(one: Exercise, step: str, own: bool, terms: Terms) -> Page:
    """Build the page that explains what to predict, with the test of each class."""
    what = "your version" if own else f"step {step}"
    text = (
        f"Predict the profile of exercise {one.number}, {what}, before it is shown: 30 points for the class (half of "
    )
    text += "them for another memory class), 40 for the cause to fix first, 30 for the speedup that its fix gives."
    text += " The limits of the classes are in percent of peak."
    how = "The beginning of a name is enough; `ncu-advisor explain NAME` explains one."
    limits = dict(terms.limits)
    classes = tuple(f"{name}: {limits.get(name) or 'a metric that decides is missing'}" for name, _ in terms.classes)
    return Page("", (Paragraph(text), Paragraph(how)), (section("Classes", [Bullets(classes)], level=3),))


def score_page(
    said: Prediction, launch: LaunchDiagnosis, actual: float | None, result: Score, parts: tuple[int, int, int]
) -> Page:
    """Build the prediction, the result, and the points of each part. actual: the measured speedup."""
    first = next((f.id for f in launch.findings if f.kind == "diagnosis"), "-")
    measured = "not measured" if actual is None else speedup_text(actual)
    gained = "-" if actual is None else f"{result.speedup_points} of {parts[2]}"
    rows = (
        ("Class", class_title(said.class_id), launch.verdict.title, f"{result.class_points} of {parts[0]}"),
        ("Cause", said.cause, first, f"{result.cause_points} of {parts[1]}"),
        ("Speedup", speedup_text(said.speedup), measured, gained),
    )
    columns = (Column(""), Column("Your prediction"), Column("Actual"), Column("Points", True))
    off = "" if result.factor is None else f" The speedup was off by a factor of {result.factor:.2g}."
    table = Table(columns, tuple(tuple(map(Cell, row)) for row in rows))
    limit = class_limits(catalog()).get(launch.verdict.id, "")
    rule = (
        [Paragraph(f"{launch.verdict.title} means: {limit}, in percent of peak.")]
        if limit and said.class_id != launch.verdict.id
        else []
    )
    return Page("Your prediction", (table, *rule, Paragraph(f"{result.total} of 100 points.{off}", "lead")), ())


def version_page(one: Exercise, step: StepDef, measured: Measured, record: RecordFile) -> Page:
    """Build the description of a step, its measured times and their origin."""
    made = f"Recorded on {record.gpu}, driver {record.driver}, ncu {record.ncu}, {record.date}"
    data = measured.steps.get(step.id)
    if data is not None and data.times_ns:
        runs = sorted(data.times_ns)
        made += f": {time_text(median(runs))} (median of {counted(len(runs), 'run')}, "
        made += f"{time_range_text(runs[0], runs[-1])})."
        made += " The profile below is of one launch of another run."
    return Page(_step_title(one, step), (Paragraph(step.says), Paragraph(made, "dim")), ())


def _step_title(one: Exercise, step: StepDef) -> str:
    return f"{one.number}. {one.title}, step {step.id}: {step.title}"


def after_recorded_profile(one: Exercise, step: StepDef, record: Record, gain: float | None) -> Page:
    """Build the gain of the next step, and what to do after a recorded profile was read."""
    ids = [s.id for s in one.stages]
    later = ids[ids.index(step.id) + 1 :] if step.id in ids else []
    blocks: list[Block] = []
    if step.expect in NOTHING_TO_FIX:
        text = "No fix is needed in this version: compare its time with your napkin estimate."
        text += f" {_COMMAND} quiz {one.number} asks why, solution explains it."
        blocks += [Paragraph(text), next_step(f"quiz {one.number}")]
        if later:
            text = f"The next version tries a change: is it faster? {_COMMAND} show {one.number} --profile {later[0]}"
            blocks.append(Paragraph(text))
        return Page("", tuple(blocks), ())
    fix = one.fix_of(step.id)
    if fix is not None and gain is not None:
        alone = not any(mend.but for mend in fix.mends if mend.step == step.id)
        what = "the version with this fix alone" if alone else "the version with this fix, and other changes,"
        blocks.append(Paragraph(f"Measured: {what} has a speedup of {speedup_text(gain)}."))
    elif later and gain is not None:
        blocks.append(Paragraph(f"Measured: the next version has a speedup of {speedup_text(gain)}."))
    blocks.append(Paragraph(f"Now find the fix yourself: {_COMMAND} hint {one.number} helps, solution explains it."))
    blocks.append(next_step(f"{'check' if record.folder else 'start'} {one.number}"))
    blocks += [Paragraph(f"Or: {_COMMAND} show {one.number} --profile {later[0]}")] if later else []
    return Page("", tuple(blocks), ())


def started_page(one: Exercise, shop: Workshop, made: bool) -> Page:
    """Build the page with the path of the source and what to do with it; paths are never cut, so they can be copied."""
    if shop.source.suffix == ".cu":
        text = "The launch shape is in the source, in a `// launch:` line that you can also change."
    else:
        text = "Edit the Python; `prepare` returns what one run does."
    head = Paragraph("Created:" if made else "Already there, nothing was overwritten:")
    paths = Plain(tuple(str(path) for path in (shop.source, *shop.extra)), whole=True)
    return Page("", (head, paths, Paragraph(text), next_step(f"check {one.number}")), ())


def solution_page(one: Exercise, step: StepDef, before: StepDef, path: Path, text: str, old: str) -> Page:
    """Build the explanation, the diff from the previous step, and the whole source."""
    made: list[Block] = [Paragraph(step.says)]
    made += [Facts((Fact("Cost", step.costs),))] if step.costs else []
    parts = [section("", paragraphs(one.explanation))]
    if before.id != step.id:
        old_lines, lines = old.splitlines(), text.splitlines()
        diff = difflib.unified_diff(old_lines, lines, before.source, step.source, lineterm="", n=2)
        parts.append(section(f"Changes from {before.source}", [Code("", 0, tuple(diff), diff=True)], level=3))
    elif one.nothing_to_fix:
        made.append(Paragraph("No fix is needed: the other steps try changes that do not make it faster."))
    others = tuple(f"{s.id}: {s.title}" for s in one.steps if s.id != step.id)
    parts += [
        section("Other steps, with --step", [Bullets(others)], level=3),
        section(step.source, [Code("", 0, tuple(text.rstrip().splitlines()))], level=3),
        section("", [Paragraph(f"`check` compares your version with {one.stages[-1].id}.", "dim")]),
        section("", [Paragraph("The file:"), Plain((str(path),), whole=True), next_step(f"check {one.number}")]),
    ]
    return Page(_step_title(one, step), tuple(made), tuple(parts))


def reset_page(one: Exercise, kept: Sequence[Path], progress: bool) -> Page:
    """Build the result of a reset."""
    blocks: list[Block] = [Paragraph(f"Exercise {one.number}: the original source is restored.")]
    blocks += [Paragraph("Your version was kept as:"), Plain(tuple(map(str, kept)), whole=True)] if kept else []
    if progress:
        blocks.append(Paragraph("Attempts, hints, quiz, predictions and log were deleted."))
    return Page("", (*blocks, next_step(f"check {one.number}")), ())


def forgotten_page(one: Exercise | Reading) -> Page:
    """Build the result of deleting the record of an exercise without source."""
    return Page("", (Paragraph(f"Exercise {one.number}: answers, hints and log were deleted."),), ())


def log_page(one: Exercise | Reading, rows: Sequence[LogRow]) -> Page:
    """Build the experiment log: each version with time, observation, hypothesis and next step."""
    if not rows:
        text = f"Exercise {one.number}: no version yet. `{_COMMAND} check {one.number}` writes the first."
        return Page("", (Paragraph(text),), ())
    parts = []
    for row in rows:
        noise = f" (noise {share_text(row.noise)})" if row.noise is not None else ""
        time = time_text(row.time_ns) + noise if row.time_ns is not None else "not timed"
        time = "wrong result" if row.right is False else time
        notes = (("Observation", row.observation), ("Hypothesis", row.hypothesis), ("Next", row.next))
        facts = tuple(Fact(label, text) for label, text in notes if text)
        # The answer to a recording has no version and no time.
        title = "Notes" if row.what == "answer" else cut(f"Version {row.version}, {row.what} · {time}", 60)
        parts.append(section(title, [Facts(facts)] if facts else [], level=3))
    words = f"Add to the latest: {_COMMAND} log {one.number} --observation TEXT --hypothesis TEXT --next TEXT"
    return Page(f"{one.title}: experiment log", (), (*parts, section("", [Paragraph(words)])))
