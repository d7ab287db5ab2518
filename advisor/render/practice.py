"""The exercises as text: lists, stories, hints, quizzes, predictions, solutions and the experiment log."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from advisor.model import LaunchDiagnosis
from advisor.practice.manifest import Exercise, QuizQuestion, StepDef
from advisor.practice.predict import Score
from advisor.practice.selfcheck import Measured
from advisor.practice.state import LogRow, Prediction, Record
from advisor.practice.workshop import Workshop
from advisor.render.text import cut, labelled, paint, shown, time_text, wrap

_LEVELS = {1: "first steps", 2: "the trade", 3: "hard"}
_COMMAND = "ncu-advisor practice"


def state_of(record: Record | None) -> str:
    """solved, tried, started or new."""
    if record is None:
        return "new"
    if record.solved:
        return "solved"
    return "tried" if record.attempts else "started" if record.folder else "new"


def list_text(found: Sequence[Exercise], progress: Mapping[str, Record], width: int, colour: bool) -> str:
    """All exercises by level, one line each, with the learner's progress."""
    name = max((len(e.name) for e in found), default=8)
    out: list[str] = []
    for level, title in _LEVELS.items():
        rows = [e for e in found if e.level == level]
        if not rows:
            continue
        out += ["", paint(f"Level {level}: {title}", "bold", colour)]
        for e in rows:
            state = state_of(progress.get(e.name))
            mark = {"solved": "[x]", "tried": "[~]", "started": "[.]", "new": "[ ]"}[state]
            line = f"{mark} {e.name:<{name}}  {'ladder, ' if e.ladder else ''}{e.title}"
            out.append(cut(line, width))
    done = sum(1 for e in found if state_of(progress.get(e.name)) == "solved")
    out += ["", f"{done} of {len(found)} solved. [x] solved  [~] tried  [.] started  [ ] new"]
    out.append(f"Begin: {_COMMAND} show {found[0].name}" if found else "There are no exercises in this installation.")
    return "\n".join(out[1:]) + "\n"


def _heading(one: Exercise, colour: bool) -> str:
    return paint(f"{one.title} ({one.name})", "bold", colour)


def story_text(one: Exercise, record: Record, width: int, colour: bool) -> str:
    """The story without the cause, the napkin's questions, and what can be done next."""
    out = [_heading(one, colour)]
    kind = f"ladder of {len(one.stages)} steps" if one.ladder else "exercise"
    out.append(f"Level {one.level} ({_LEVELS[one.level]}) · {kind} · trains step {one.step} of the method")
    if one.prerequisites:
        out += wrap("Before it: " + ", ".join(one.prerequisites), width)
    out += ["", *wrap(one.story, width), "", paint("Before any profile, on paper", "bold", colour)]
    for number in one.napkin:
        out += wrap(f"- {number.what}", width, 0, 2)
    out += ["", paint("Next", "bold", colour)]
    n = one.name
    steps = [
        (f"{_COMMAND} show {n} --napkin", "the numbers, and the way to them"),
        (f"{_COMMAND} predict {n}", "commit to class, cause and speedup"),
        (f"{_COMMAND} show {n} --profile", "the recorded profile, and your score"),
        (f"{_COMMAND} start {n}", "a folder of your own with the source"),
        (f"{_COMMAND} check {n}", "compile, compare with the reference, time"),
        (f"{_COMMAND} profile {n}", "profile your version, before and after"),
        (f"{_COMMAND} hint {n}", f"{record.hints} of {len(one.hints)} taken"),
        (f"{_COMMAND} quiz {n}", f"{len(one.quiz)} questions"),
    ]
    column = max(len(c) for c, _ in steps) + 2
    out += [cut(f"  {c:<{column}}{what}", width) for c, what in steps]
    if record.folder:
        out += ["", f"Yours: {record.folder}"]
    return "\n".join(out) + "\n"


def napkin_text(one: Exercise, width: int, colour: bool) -> str:
    """The napkin's numbers with the way to them, for the recorded size."""
    out = [_heading(one, colour), paint("Napkin, for the size that was recorded", "dim", colour)]
    for number in one.napkin:
        out += ["", *wrap(number.what, width), *wrap(f"= {number.value}", width, 2, 4), *wrap(number.how, width, 2)]
    return "\n".join(out) + "\n"


def hints_text(one: Exercise, taken: int, width: int, colour: bool) -> str:
    """The hints given so far, the newest last."""
    out = [_heading(one, colour)]
    for at, hint in enumerate(one.hints[:taken], 1):
        out += ["", *labelled(f"Hint {at}", hint, width, 9)]
    left = len(one.hints) - taken
    out += [
        "",
        f"{left} more." if left else f"That was the last. {_COMMAND} solution {one.name} --anyway shows the rest.",
    ]
    return "\n".join(out) + "\n"


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
    return "\n".join(out) + "\n"


def quiz_text(one: Exercise, width: int, colour: bool) -> str:
    """All questions without answers, for where nobody can type."""
    parts = [question_text(i, len(one.quiz), q, width, colour) for i, q in enumerate(one.quiz)]
    letters = " ".join("--answer a" for _ in one.quiz)
    return "\n\n".join([*parts, f"Answer with: {_COMMAND} quiz {one.name} {letters}"])


def before_prediction(one: Exercise, step: str, width: int) -> str:
    """What a prediction is about."""
    text = f"Before the profile of {one.name}, step {step}, is shown: what will it say? You get points for each part."
    return "\n".join(wrap(text, width))


def actual_speedup(one: Exercise, step: str, measured: Measured) -> float | None:
    """How much faster the next stage was measured to be; 1.0 after the last, None where times are missing."""
    ids = [s.id for s in one.stages]
    if step not in ids:
        return None
    at = ids.index(step)
    if at + 1 == len(ids):
        return 1.0
    here, there = measured.steps.get(ids[at]), measured.steps.get(ids[at + 1])
    if here is None or there is None or not here.times_ns or not there.times_ns:
        return None
    return median(here.times_ns) / median(there.times_ns)


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
    out += [cut(f"  {what:<9}{cut(a, 25):<26}{cut(b, 27):<28}{points}", width) for what, a, b, points in rows]
    off = "" if result.factor is None else f" The speedup was off by a factor of {result.factor:.2f}."
    out += [paint(f"  {result.total} of 100.", "bold", colour) + off, ""]
    return "\n".join(out)


def version_text(one: Exercise, step: StepDef, measured: Measured, width: int, colour: bool) -> str:
    """What a step does, and its measured times."""
    out = [paint(f"{one.name}, step {step.id}: {step.title}", "bold", colour), *wrap(step.says, width)]
    data = measured.steps.get(step.id)
    if data is not None and data.times_ns:
        runs = sorted(data.times_ns)
        out += wrap(
            f"Measured on {shown(measured.gpu)}: {time_text(median(runs))} (median of {len(runs)} runs, "
            f"{time_text(runs[0])} to {time_text(runs[-1])}); the profile below is of one more run.",
            width,
        )
    return "\n".join(out) + "\n"


def started_text(one: Exercise, shop: Workshop, made: bool, width: int, colour: bool) -> str:
    """Where the source is and what to do with it."""
    what = "Made" if made else "Already there, nothing was overwritten"
    out = [f"{what}: {shop.folder}", f"  edit     {shop.source.name}"]
    out += [f"  and      {path.name}" for path in shop.extra]
    out += [
        "",
        *wrap("The launch shape stands in the source as a `// launch:` line and is yours to change, too.", width),
    ]
    out += [f"Then: {_COMMAND} check {one.name}"]
    return "\n".join(out) + "\n"


def solution_text(one: Exercise, step: StepDef, before: StepDef, text: str, old: str, width: int, colour: bool) -> str:
    """The explanation, what changed against the step before, and the whole source."""
    out = [paint(f"{one.name}, step {step.id}: {step.title}", "bold", colour), *wrap(step.says, width)]
    if step.costs:
        out += ["", *labelled("Costs", step.costs, width)]
    out += ["", *wrap(one.explanation, width)]
    if before.id != step.id:
        out += ["", paint(f"Against {before.source}", "bold", colour)]
        for line in difflib.unified_diff(
            old.splitlines(), text.splitlines(), before.source, step.source, lineterm="", n=2
        ):
            style = "green" if line.startswith("+") else "red" if line.startswith("-") else "dim"
            out.append(paint(line, style, colour))
    out += ["", paint(step.source, "bold", colour), text.rstrip()]
    return "\n".join(out) + "\n"


def reset_text(one: Exercise, kept: Sequence[Path], progress: bool) -> str:
    """What a reset did."""
    out = [f"{one.name}: the original source is there again."]
    out += [f"  yours was kept as {path}" for path in kept]
    if progress:
        out.append("  attempts, hints, quiz, predictions and log are forgotten.")
    return "\n".join(out) + "\n"


def _log_cells(rows: Sequence[LogRow]) -> list[tuple[str, str, str, str, str]]:
    cells = []
    for row in rows:
        time = time_text(row.time_ns) if row.time_ns is not None else "not timed"
        if row.right is False:
            time = "wrong result"
        cells.append((f"{row.version} {row.what}", time, row.observation, row.hypothesis, row.next))
    return cells


def log_text(one: Exercise, rows: Sequence[LogRow], width: int, colour: bool) -> str:
    """The experiment log: each version with time, observation, hypothesis and next step."""
    if not rows:
        return f"{one.name}: no version yet. `{_COMMAND} check {one.name}` writes the first.\n"
    out = [paint(f"{one.name}: experiment log", "bold", colour)]
    for what, time, observation, hypothesis, next_ in _log_cells(rows):
        out += ["", paint(cut(f"{what} · {time}", width), "bold", colour)]
        for label, text in (("seen", observation), ("because", hypothesis), ("next", next_)):
            if text:
                out += labelled(f"  {label}", shown(text), width)
    return "\n".join(out) + "\n"


def log_markdown(one: Exercise, rows: Sequence[LogRow]) -> str:
    """The experiment log as a markdown table."""

    def cell(text: str) -> str:
        return shown(text).replace("|", "\\|")

    out = [f"# {one.title}", "", "| version | time | observation | hypothesis | next step |", "|---|---|---|---|---|"]
    out += ["| " + " | ".join(cell(c) for c in row) + " |" for row in _log_cells(rows)]
    return "\n".join(out) + "\n"
