"""The exercises as text: lists, stories, hints, quizzes, predictions, solutions and the experiment log."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from advisor.practice.predictions import MINE, Score
from advisor.practice.state import state_of
from advisor.view.numbers import time_text
from advisor.view.text import cut, labelled, paint, shown, wrap

if TYPE_CHECKING:  # `practice list` and `show` need none of their rooms
    from advisor.practice.manifest import Exercise, QuizQuestion, RecordFile, StepDef
    from advisor.practice.selfcheck import Measured
    from advisor.practice.state import LogRow, Prediction, Record
    from advisor.practice.workshop import Workshop
    from advisor.records.diagnosis import LaunchDiagnosis

_LEVELS = {1: "first steps", 2: "the trade", 3: "hard"}
_COMMAND = "ncu-advisor practice"
_MARKS = {"solved": "[x]", "tried": "[~]", "started": "[.]", "new": "[ ]"}


def list_text(found: Sequence[Exercise], progress: Mapping[str, Record], width: int, colour: bool) -> str:
    """All exercises by level, one line each, with the learner's progress."""
    if not found:
        return "There are no exercises in this installation.\n"
    name = max(len(e.name) for e in found)
    out: list[str] = []
    for level, title in _LEVELS.items():
        rows = [e for e in found if e.level == level]
        if not rows:
            continue
        out += ["", paint(f"Level {level}: {title}", "bold", colour)]
        out += [cut(f"{_MARKS[state_of(progress.get(e.name))]} {e.name:<{name}}  {e.title}", width) for e in rows]
    done = sum(1 for e in found if state_of(progress.get(e.name)) == "solved")
    points = [p.points for r in progress.values() for p in r.predictions if p.points is not None]
    legend = "  ".join(f"{mark} {state}" for state, mark in _MARKS.items())
    out += ["", f"{done} of {len(found)} solved.", *wrap(legend, width)]
    if points:
        many = "s" if len(points) > 1 else ""
        out.append(f"{len(points)} prediction{many}, {sum(points) / len(points):.0f} of 100 points on average.")
    order = ("tried", "started", "new", "solved")  # what was begun comes before what is new
    first = min(found, key=lambda e: order.index(state_of(progress.get(e.name))))
    return "\n".join([*out[1:], *_next(f"show {first.name}", width)]) + "\n"


def _heading(one: Exercise, width: int, colour: bool) -> list[str]:
    return [paint(line, "bold", colour) for line in wrap(f"{one.title} ({one.name})", width)]


def _next(command: str, width: int) -> list[str]:
    """What to do next; `command` comes after `ncu-advisor practice`."""
    return wrap(f"Next: {_COMMAND} {command}", width, 0, 6)


def story_text(one: Exercise, record: Record, width: int, colour: bool) -> str:
    """The story without the cause, the napkin's questions, and what can be done next."""
    kind = f"ladder of {len(one.stages)} steps" if one.ladder else "exercise"
    head = f"Level {one.level} ({_LEVELS[one.level]}) · {kind} · trains step {one.step} of the method"
    out = [*_heading(one, width, colour), *wrap(head, width)]
    if one.prerequisites:
        out += wrap("Before it: " + ", ".join(one.prerequisites), width)
    out += ["", *wrap(one.story, width), "", paint("Before any profile, on paper", "bold", colour)]
    for number in one.napkin:
        out += wrap(f"- {number.what}", width, 0, 2)
    n, taken = one.name, f"{record.hints} of {len(one.hints)} taken"
    steps = [
        (f"show {n} --napkin", "those numbers, and the way"),
        (f"predict {n}", "class, cause, speedup"),
        (f"show {n} --profile", "recorded; your score"),
        (f"start {n}", "the source, to edit"),
        (f"check {n}", "right? how fast?"),
        (f"profile {n}", "before and after"),
        (f"hint {n}", taken),
        (f"quiz {n}", f"{len(one.quiz)} question{'s' if len(one.quiz) > 1 else ''}"),
    ]
    column = max(len(c) for c, _ in steps) + 2
    out += ["", paint(f"Next, each after `{_COMMAND}`", "bold", colour)]
    out += [cut(f"  {c:<{column}}{what}", width) for c, what in steps]
    for p in record.predictions:
        if p.points is not None:
            what = "your version" if p.step == MINE else f"step {p.step}"
            out += ["", *wrap(f"Predicted for {what}: {p.points} of 100 points.", width)]
    if record.folder:
        # A path is never cut: it is there to be copied.
        out += ["", f"Yours: {shown(record.folder)}"]
    return "\n".join(out) + "\n"


def napkin_text(one: Exercise, width: int, colour: bool) -> str:
    """The napkin's numbers with the way to them, for the recorded size."""
    out = [*_heading(one, width, colour), paint("Napkin, for the size that was recorded", "dim", colour)]
    for number in one.napkin:
        out += ["", *wrap(number.what, width), *wrap(f"= {number.value}", width, 2, 4), *wrap(number.how, width, 2)]
    out += ["", *_next(f"predict {one.name}", width)]
    return "\n".join(out) + "\n"


def hints_text(one: Exercise, taken: int, width: int, colour: bool) -> str:
    """The hints given so far, the newest last."""
    out = _heading(one, width, colour)
    for at, hint in enumerate(one.hints[:taken], 1):
        out += ["", *labelled(f"Hint {at}", hint, width, 9)]
    left = len(one.hints) - taken
    more = f"{left} more: {_COMMAND} hint {one.name}"
    last = f"That was the last. The answer: {_COMMAND} solution {one.name} --anyway"
    return "\n".join([*out, "", *wrap(more if left else last, width)]) + "\n"


def question_text(at: int, of: int, question: QuizQuestion, width: int, colour: bool) -> str:
    """One question with its lettered answers."""
    out = [paint(f"Question {at + 1} of {of}", "bold", colour), *wrap(question.ask, width)]
    for i, answer in enumerate(question.answers):
        out += wrap(f"{chr(ord('a') + i)}) {answer.text}", width, 2, 5)
    return "\n".join(out)


def reasons_text(question: QuizQuestion, chosen: int, width: int, colour: bool) -> str:
    """Whether the chosen answer is right, why, and why each of the others is or is not."""
    right = question.answers[chosen].right
    out = [paint("Right." if right else "Not so.", "green" if right else "yellow", colour)]
    for i, answer in enumerate(question.answers):
        mark = "right" if answer.right else "wrong"
        out += wrap(f"{chr(ord('a') + i)}) {mark}: {answer.because}", width, 2, 5)
    return "\n".join(out) + "\n\n"


def quiz_text(one: Exercise, width: int, colour: bool) -> str:
    """All questions without answers, for where nobody can type."""
    parts = [question_text(i, len(one.quiz), q, width, colour) for i, q in enumerate(one.quiz)]
    letters = " ".join("--answer a" for _ in one.quiz)
    answer = wrap(f"Answer with: {_COMMAND} quiz {one.name} {letters}", width, 0, 2)
    return "\n\n".join([*parts, "\n".join(answer)]) + "\n"


def quiz_result(one: Exercise, right: int, width: int) -> str:
    """How many were right, and what to do next."""
    return "\n".join([f"{right} of {len(one.quiz)} right.", *_next(f"start {one.name}", width)]) + "\n"


def before_prediction(one: Exercise, step: str, own: bool, width: int) -> str:
    """What a prediction is about."""
    what = "your version" if own else f"step {step}"
    text = f"Before the profile of {one.name}, {what}, is shown: what will it say? You get points for each part."
    how = "The beginning of a name is enough; ? tells what each is, `ncu-advisor explain NAME` tells more."
    return "\n".join([*wrap(text, width), *wrap(how, width)]) + "\n"


def score_text(
    said: Prediction,
    launch: LaunchDiagnosis,
    actual: float | None,
    result: Score,
    parts: tuple[int, int, int],
    width: int,
    colour: bool,
) -> str:
    """What was predicted, what it is, and the points of each part."""
    first = next((f.id for f in launch.findings if f.kind == "diagnosis"), "-")
    found = "not measured" if actual is None else f"{actual:.2f}x"
    rows = [
        ("class", said.class_id, launch.verdict.id, f"{result.class_points} of {parts[0]}"),
        ("cause", said.cause, first, f"{result.cause_points} of {parts[1]}"),
        ("speedup", f"{said.speedup:.2f}x", found, "-" if actual is None else f"{result.speedup_points} of {parts[2]}"),
    ]
    out = [paint("Your prediction", "bold", colour), f"  {'':<9}{'predicted':<26}{'is':<28}points"]
    out += [cut(f"  {what:<9}{cut(shown(a), 25):<26}{cut(b, 27):<28}{points}", width) for what, a, b, points in rows]
    off = "" if result.factor is None else f" The speedup was off by a factor of {result.factor:.2f}."
    out += [paint(f"  {result.total} of 100.", "bold", colour) + off]
    return "\n".join(out) + "\n"


def version_text(one: Exercise, step: StepDef, measured: Measured, record: RecordFile, width: int, colour: bool) -> str:
    """What a step does, its measured times, and where they come from."""
    out = [paint(line, "bold", colour) for line in wrap(f"{one.name}, step {step.id}: {step.title}", width)]
    out += wrap(step.says, width)
    made = f"{shown(record.gpu)}, driver {shown(record.driver)}, ncu {shown(record.ncu)}, {shown(record.date)}"
    data = measured.steps.get(step.id)
    if data is not None and data.times_ns:
        runs = sorted(data.times_ns)
        made += (
            f": {time_text(median(runs))} (median of {len(runs)} runs, {time_text(runs[0])} to {time_text(runs[-1])}). "
            "The profile below is of one launch of one more run."
        )
    return "\n".join([*out, *wrap(f"Recorded on {made}", width)]) + "\n"


def after_profile(one: Exercise, step: StepDef, record: Record, gain: float | None, width: int) -> str:
    """What the next step really gained, beside what was estimated, and what to do when a recorded profile was read."""
    ids = [s.id for s in one.stages]
    later = ids[ids.index(step.id) + 1 :] if step.id in ids else []
    out = [""]
    if later and gain is not None:
        out += wrap(f"Measured: with the cause mended it is {gain:.2f} times as fast.", width)
    out += wrap(f"What to do about it is yours to find: {_COMMAND} hint {one.name} helps, solution tells.", width, 0, 6)
    out += _next(f"{'check' if record.folder else 'start'} {one.name}", width)
    if later:
        out += wrap(f"or    {_COMMAND} show {one.name} --profile {later[0]}", width, 0, 6)
    return "\n".join(out) + "\n"


def started_text(one: Exercise, shop: Workshop, made: bool, width: int, colour: bool) -> str:
    """Where the source is and what to do with it; paths are never cut, they are there to be copied."""
    out = [f"{'Made' if made else 'Already there, nothing was overwritten'}:"]
    out += [f"  {path}" for path in (shop.source, *shop.extra)]
    if shop.source.suffix == ".cu":
        text = "The launch shape stands in the source as a `// launch:` line and is yours to change, too."
    else:
        text = "Edit the Python; `prepare` returns what one run does."
    return "\n".join([*out, *wrap(text, width), "", *_next(f"check {one.name}", width)]) + "\n"


def _code(line: str, width: int) -> list[str]:
    """A line of code in lines of at most `width`, continued two columns further in."""
    line = shown(line.expandtabs(4))
    inside = min(len(line) - len(line.lstrip()) + 2, width - 24)
    parts = [line[:width]]
    rest, room = line[width:], max(20, width - inside)
    parts += [" " * inside + rest[i : i + room] for i in range(0, len(rest), room)]
    return [part.rstrip() for part in parts]


def solution_text(
    one: Exercise, step: StepDef, before: StepDef, path: Path, text: str, old: str, width: int, colour: bool
) -> str:
    """The explanation, what changed against the step before, and the whole source."""
    out = [paint(line, "bold", colour) for line in wrap(f"{one.name}, step {step.id}: {step.title}", width)]
    out += wrap(step.says, width)
    if step.costs:
        out += ["", *labelled("Costs", step.costs, width)]
    out += ["", *wrap(one.explanation, width)]
    if before.id != step.id:
        out += ["", paint(f"Against {before.source}", "bold", colour)]
        for line in difflib.unified_diff(
            old.splitlines(), text.splitlines(), before.source, step.source, lineterm="", n=2
        ):
            style = "green" if line.startswith("+") else "red" if line.startswith("-") else "dim"
            out += [paint(part, style, colour) for part in _code(line, width)]
    others = ", ".join(s.id for s in one.steps if s.id != step.id)
    out += ["", *wrap(f"Other steps, with --step: {others}", width), "", paint(step.source, "bold", colour)]
    out += [part for line in text.rstrip().splitlines() for part in _code(line, width)]
    return "\n".join([*out, "", f"The file: {path}", *_next(f"check {one.name}", width)]) + "\n"


def reset_text(one: Exercise, kept: Sequence[Path], progress: bool, width: int) -> str:
    """What a reset did."""
    out = [f"{one.name}: the original source is there" + (" again." if kept else ".")]
    out += [f"  yours was kept as {path}" for path in kept]
    if progress:
        out.append("  attempts, hints, quiz, predictions and log are forgotten.")
    return "\n".join([*out, *_next(f"check {one.name}", width)]) + "\n"


def _log_cells(rows: Sequence[LogRow]) -> list[tuple[str, str, str, str, str]]:
    cells = []
    for row in rows:
        noise = f" (noise {row.noise:.1%})" if row.noise is not None else ""
        time = time_text(row.time_ns) + noise if row.time_ns is not None else "not timed"
        if row.right is False:
            time = "wrong result"
        cells.append((f"{row.version} {row.what}", time, row.observation, row.hypothesis, row.next))
    return cells


def log_text(one: Exercise, rows: Sequence[LogRow], width: int, colour: bool) -> str:
    """The experiment log: each version with time, observation, hypothesis and next step."""
    if not rows:
        text = f"{one.name}: no version yet. `{_COMMAND} check {one.name}` writes the first."
        return "\n".join(wrap(text, width)) + "\n"
    out = [paint(f"{one.name}: experiment log", "bold", colour)]
    for what, time, observation, hypothesis, next_ in _log_cells(rows):
        out += ["", paint(cut(shown(f"{what} · {time}"), width), "bold", colour)]
        for label, text in (("seen", observation), ("because", hypothesis), ("next", next_)):
            if text:
                out += labelled(f"  {label}", shown(text), width)
    words = f"Add to the latest: {_COMMAND} log {one.name} --observation TEXT --hypothesis TEXT --next TEXT"
    return "\n".join([*out, "", *wrap(words, width, 0, 2)]) + "\n"


def log_markdown(one: Exercise, rows: Sequence[LogRow]) -> str:
    """The experiment log as a markdown table."""

    def cell(text: str) -> str:
        return shown(text).replace("|", "\\|")

    out = [f"# {one.title}", "", "| version | time | observation | hypothesis | next step |", "|---|---|---|---|---|"]
    out += ["| " + " | ".join(cell(c) for c in row) + " |" for row in _log_cells(rows)]
    return "\n".join(out) + "\n"
