"""The commands of `ncu-advisor practice` that need no GPU, from `list` to `log`.

An exercise is a kernel to fix or a recording to read. `show`, `predict`, `hint`, `solution`, `log` and `reset` take
both.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click
from msgspec.structs import replace
from rapidfuzz import process

from advisor.cli import LazyGroup, terminal
from advisor.cli.options import PATH, argument, command, flag, formats, option
from advisor.knowledge.base import catalog
from advisor.practice import workshop
from advisor.practice.exercise_list import practice_list
from advisor.practice.lessons import Lessons, actual_speedup, terms_of
from advisor.practice.manifest import Exercise, all_exercises, any_exercise, exercise
from advisor.practice.predictions import (
    CAUSE_POINTS,
    CLASS_POINTS,
    MEMORY_CLASSES,
    MINE,
    NO_CAUSE,
    SPEEDUP_POINTS,
)
from advisor.practice.reading_answers import choices, estimate_ns
from advisor.practice.reading_lessons import predict_reading, reveal_reading
from advisor.practice.reading_recordings import shown as recording_shown
from advisor.practice.readings import STEP, Reading
from advisor.practice.selfcheck import judge
from advisor.practice.state import Prediction, Store, annotate, latest
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import EXIT_CHECK_FAILED, EXIT_DONE, UsageError
from advisor.view.blocks import Page, Paragraph
from advisor.view.numbers import time_text
from advisor.view.pages import practice as view
from advisor.view.pages import reading as read_view
from advisor.view.pages.diagnosis import diagnosis_page
from advisor.view.pages.measuring import overlap_text
from advisor.view.text import cut, shown, wrap
from advisor.view.writers import PAGE_FORMATS
from advisor.view.writers.json import document_json

# Command -> its `module:attribute` and its help line, in the order in which a learner uses them.
COMMANDS = {
    "list": ("advisor.cli.practice:list_", "List the exercises, with your progress."),
    "show": ("advisor.cli.practice:show", "Show an exercise, its napkin numbers, or a recorded profile."),
    "predict": ("advisor.cli.practice:predict", "Predict class, cause and speedup before you see a profile."),
    "quiz": ("advisor.cli.practice:quiz", "Answer questions about what the counters mean."),
    "start": ("advisor.cli.practice:start", "Create your own folder with the source to edit."),
    "check": ("advisor.cli.practice_gpu:check", "Compile, verify and time your version."),
    "profile": ("advisor.cli.practice_gpu:profile", "Profile your version with ncu; compare before and after."),
    "sweep": ("advisor.cli.practice_gpu:sweep", "Vary block size, shared-memory carve-out and register cap."),
    "hint": ("advisor.cli.practice:hint", "Show the next hint."),
    "solution": ("advisor.cli.practice:solution", "Explain the solution and show its source."),
    "log": ("advisor.cli.practice:log", "Show the experiment log, or add notes to it."),
    "reset": ("advisor.cli.practice:reset", "Restore the original source; your version is kept."),
    "calibrate": ("advisor.cli.practice_gpu:calibrate", "Measure and store the ceilings of this GPU."),
    "selfcheck": ("advisor.cli.practice_gpu:selfcheck", "Check that every exercise shows what it claims."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS, invoke_without_command=True)
@click.pass_context
def practice(context: click.Context) -> None:
    """Practise on timelines and profiles to read, and on kernels that are slow for a known reason.

    Without a command, the exercises are listed; then `show` one. Timing and profiling your
    kernels needs an NVIDIA GPU and CuPy; everything else works without.
    """
    if context.invoked_subcommand is None:
        write(view.list_page(all_exercises(), Store().read().exercises, False))


@dataclass(frozen=True, kw_only=True)
class OneExercise:
    """The argument NAME, or the number of the exercise."""

    name: str = argument()


MOST = 110  # largest page width in columns


def write(page: Page) -> None:
    """Print a page."""
    terminal.write_page(page, most=MOST)


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """Options of `list`."""

    named: bool = flag("--names", help="Show the names, which may reveal the causes.")
    form: str = formats("text", "json")


@command(ListOptions, "list")
def list_(options: ListOptions) -> int:
    """List the exercises, with level, step of the method and your progress."""
    progress = Store().read().exercises
    found = all_exercises()
    if options.form == "text":
        write(view.list_page(found, progress, options.named))
        return EXIT_DONE
    terminal.write(document_json(practice_list(found, progress)))
    return EXIT_DONE


@dataclass(frozen=True, kw_only=True)
class ShowOptions(OneExercise):
    """Options of `show`."""

    napkin: bool = flag("--napkin", help="The numbers to estimate before profiling, and how.")
    profile: str | None = option(
        "--profile", is_flag=False, flag_value="", metavar="[STEP]", help="The recorded profile of a step."
    )
    no_prediction: bool = flag("--no-prediction", help="Show the profile without a prediction first.")


@command(ShowOptions)
def show(options: ShowOptions) -> int:
    """Show the story of an exercise, its napkin numbers, or the recorded profile of a step.

    Of a recording to read, show its facts, or with --profile its diagnosis and the points of your answer.
    """
    store, one = Store(), any_exercise(options.name)
    if isinstance(one, Reading):
        return _show_reading(store, one, options)
    if options.profile is not None:
        return _profile(store, one, options.profile, not options.no_prediction)
    if options.napkin:
        write(view.napkin_page(one))
    else:
        write(view.story_page(one, store.record(one.name)))
    return EXIT_DONE


def _show_reading(store: Store, one: Reading, options: ShowOptions) -> int:
    if options.napkin:
        raise UsageError(f"exercise {one.number} has no napkin page: `practice show {one.number}` asks for its number")
    if options.profile:
        raise UsageError(f"exercise {one.number} is one recording, without steps: give --profile alone")
    if options.profile is None:
        terminal.note("reading the recording")
        page = read_view.facts_page(one, recording_shown(one), store.record(one.name))
        terminal.clear()
        write(page)
        return EXIT_DONE
    if latest(store.record(one.name), STEP) is None and not options.no_prediction:
        ask_answer(store, one, None, None)
    return _reveal_reading(store, one)


def _reveal_reading(store: Store, one: Reading) -> int:
    terminal.note("reading the recording")
    answered = reveal_reading(store, one)
    terminal.clear()
    write(read_view.answer_page(one, answered))
    return EXIT_DONE


def ask_answer(store: Store, one: Reading, answer: str | None, estimate: str | None) -> Prediction:
    """Take the answer about a recording from the options or ask for it; store it instead of an unscored one."""
    timed = one.estimate is not None
    lacking = [*(["--cause"] if answer is None else []), *(["--estimate"] if timed and estimate is None else [])]
    if estimate is not None and not timed:
        raise UsageError(f"exercise {one.number} asks for no number: leave out --estimate")
    if lacking and not terminal.asks():
        raise UsageError(f"first answer: `ncu-advisor practice predict {one.number}` with {' and '.join(lacking)}")
    if lacking:
        store.change(one.name, lambda record: None)  # fail before the questions if the record cannot be stored
    said = choose(read_view.ASKS[one.kind], answer, dict(choices(one)))
    time = estimate or ""
    while timed:
        typed = estimate if estimate is not None else str(click.prompt(read_view.ASKS_TIME, err=True))
        try:
            estimate_ns(typed)
        except UsageError as e:
            if estimate is not None:
                raise
            click.echo(str(e), err=True)
            continue
        time = typed
        break
    return predict_reading(store, one, said, time)


def _profile(store: Store, one: Exercise, step_id: str, predicted: bool) -> int:
    step = one.step_of(step_id) if step_id else one.stages[0]
    known = latest(store.record(one.name), step.id)
    if known is None and predicted:
        known = ask_prediction(store, one, step.id)
    found = Lessons(store).of_recording(one, terminal.narrate)
    terminal.clear()
    measured, launch = found.measured, found.launch(step)
    actual = actual_speedup(one, step.id, measured)
    if known is not None:
        reveal(store, one, step.id, launch, actual)
    write(view.version_page(one, step, measured, found.record))
    if one.overlap is not None and step.id == one.overlap.full:
        (judged,) = judge(catalog(), [measured], found.analysis)
        if judged.overlap is not None:
            write(Page("", (Paragraph(overlap_text(judged.overlap)),), ()))
    # The exercise answers the open questions of a report, and its hints and solution contain the fixes.
    unsolved = tuple(replace(finding, fix=None) for finding in launch.findings)
    diagnosis = found.analysis.diagnosis
    only = dataclasses.replace(diagnosis, reports=(), launches=(replace(launch, questions=(), findings=unsolved),))
    terminal.write("")
    write(diagnosis_page(only, sections=None))
    terminal.write("")
    write(view.after_recorded_profile(one, step, store.record(one.name), actual))
    return EXIT_DONE


@dataclass(frozen=True, kw_only=True)
class PredictOptions(OneExercise):
    """Options of `predict`."""

    step: str = option(
        "--step", default="", metavar="STEP", help="The step, by default the first; `mine` is your own version."
    )
    class_id: str | None = option("--class", metavar="CLASS", help="The class, such as dram_bound.")
    cause: str | None = option("--cause", metavar="DIAGNOSIS", help="What to fix first, or what a recording shows.")
    speedup: float | None = option("--speedup", type=float, metavar="X", help="The speedup of the next version.")
    estimate: str | None = option("--estimate", metavar="TIME", help="Of a timeline: what the fix saves, such as 12ms.")


@command(PredictOptions)
def predict(options: PredictOptions) -> int:
    """Predict class, cause and speedup before the profile is shown; of a recording to read, what it shows."""
    store, one = Store(), any_exercise(options.name)
    if isinstance(one, Reading):
        return _predict_reading(store, one, options)
    if options.estimate is not None:
        raise UsageError("--estimate is for a timeline: a kernel takes --class, --cause and --speedup")
    if options.step == MINE:
        workshop.opened(one, store)
        step, onward = MINE, f"practice profile {one.number}"
    else:
        step = one.step_of(options.step).id if options.step else one.stages[0].id
        onward = f"practice show {one.number} --profile {step}"
        done = latest(store.record(one.name), step)
        if done is not None and done.points is not None:
            raise UsageError(
                f"exercise {one.number}, {step}: the profile was already shown, and your prediction scored "
                f"{done.points} points"
            )
    made = ask_prediction(store, one, step, options.class_id, options.cause, options.speedup)
    terminal.write(
        f"Your prediction: {made.class_id}, {made.cause}, {made.speedup:g}×.\nYour score appears with the profile.\n"
        f"Next: ncu-advisor {onward}"
    )
    return EXIT_DONE


def _predict_reading(store: Store, one: Reading, options: PredictOptions) -> int:
    if options.step or options.class_id is not None or options.speedup is not None:
        raise UsageError(f"exercise {one.number} is a recording to read: give --cause and, for a timeline, --estimate")
    made = ask_answer(store, one, options.cause, options.estimate)
    time = "" if made.estimate is None else f", {time_text(made.estimate)}"
    terminal.write(f"Your answer: {made.cause}{time}.\nNext: ncu-advisor practice show {one.number} --profile")
    return EXIT_DONE


def ask_prediction(
    store: Store,
    one: Exercise,
    step: str,
    class_id: str | None = None,
    cause: str | None = None,
    speedup: float | None = None,
) -> Prediction:
    """Take a prediction from the options or ask for it; store it instead of an earlier unscored one."""
    cat = catalog()
    given = {"--class": class_id, "--cause": cause, "--speedup": speedup}
    lacking = [name for name, value in given.items() if value is None]
    if lacking and not terminal.asks():
        if len(lacking) < len(given):
            raise UsageError(f"a prediction also needs {', '.join(lacking)}; without a terminal, give them as options")
        write(view.before_prediction(one, step, step == MINE, terms_of(None)))
        width = terminal.screen(most=MOST).width
        terminal.write("\n".join(("Causes", *listing(dict(sorted(terms_of(None).causes)), width))))
        raise UsageError(
            f"first make a prediction: `ncu-advisor practice predict {one.number} --step {step}` with --class, "
            "--cause and --speedup (--no-prediction shows the profile without)"
        )
    if lacking:
        store.change(one.name, lambda record: None)  # fail before the questions if the record cannot be stored
        write(view.before_prediction(one, step, step == MINE, terms_of(None)))
    class_id = choose("Class", class_id, {k: c.title for k, c in cat.classes.items()}, listed=True)
    causes = {NO_CAUSE: "nothing needs a fix"}
    causes |= {k: d.title for k, d in cat.diagnoses.items() if d.kind == "diagnosis" and d.scope == "launch"}
    cause = choose("Cause: what to fix first", cause, causes)
    of_what = "your version over the slow one" if step == MINE else "the version with that fixed (1: no gain)"
    speedup = _number(f"Speedup of {of_what}", speedup)
    made = Prediction(step=step, class_id=class_id, cause=cause, speedup=speedup)
    Lessons(store).predict(one, made)
    return made


def reveal(
    store: Store, one: Exercise, step: str, launch: LaunchDiagnosis, actual: float | None, digest: str = ""
) -> None:
    """Score the prediction of a step, store the points, and show them. actual: the measured speedup."""
    found = Lessons(store).reveal(one, step, launch, actual, digest)
    if found is not None:
        parts = (CLASS_POINTS, CAUSE_POINTS, SPEEDUP_POINTS)
        write(view.score_page(found.said, launch, actual, found.score, parts))
        terminal.write("")


@dataclass(frozen=True, kw_only=True)
class QuizOptions(OneExercise):
    """Options of `quiz`."""

    answers: tuple[str, ...] = option(
        "--answer",
        multiple=True,
        metavar="LETTER",
        help="The letter of an answer, given in the order of the questions; repeatable.",
    )


@command(QuizOptions)
def quiz(options: QuizOptions) -> int:
    """Answer questions about what the counters mean; each choice is explained.

    Exit code 1 if an answer is wrong.
    """
    store, one = Store(), exercise(options.name)
    given = options.answers
    if given and len(given) != len(one.quiz):
        raise UsageError(
            f"exercise {one.number} has {len(one.quiz)} questions: give {len(one.quiz)} letters, such as --answer a"
        )
    if not given and not terminal.asks():
        write(view.quiz_page(one))
        return EXIT_DONE
    right = 0
    for number, question in enumerate(one.quiz):
        letters = {chr(ord("a") + i): a.text for i, a in enumerate(question.answers)}
        write(Page("", tuple(view.question_blocks(number, len(one.quiz), question)), ()))
        typed = given[number] if given else str(click.prompt("Answer (a letter)", err=True))
        at = question.place(typed)
        if at is None:  # says what is possible, and asks again on a terminal
            letter = choose("Answer", typed.strip().lower() if given else None, letters, listed=True)
        chosen = ord(letter) - ord("a") if at is None else at
        Lessons(store).answer(one, number, chosen)
        right += question.answers[chosen].right
        write(view.reasons_page(question, chosen))
        terminal.write("")
    write(view.quiz_result(one, right))
    return EXIT_DONE if right == len(one.quiz) else EXIT_CHECK_FAILED


@dataclass(frozen=True, kw_only=True)
class StartOptions(OneExercise):
    """Options of `start`."""

    folder: Path | None = option(
        "--folder", type=PATH, metavar="DIR", help="Folder to create (default: in the data folder)."
    )


@command(StartOptions)
def start(options: StartOptions) -> int:
    """Create your own folder with the source to edit."""
    one = exercise(options.name)
    shop, made = workshop.start(one, Store(), options.folder)
    write(view.started_page(one, shop, made))
    return EXIT_DONE


@dataclass(frozen=True, kw_only=True)
class HintOptions(OneExercise):
    """Options of `hint`."""

    all_: bool = flag("--all", help="All hints at once.")


@command(HintOptions)
def hint(options: HintOptions) -> int:
    """Show the next hint and the hints already taken."""
    one = any_exercise(options.name)
    write(view.hints_page(one, Lessons().hint(one, options.all_)))
    return EXIT_DONE


@dataclass(frozen=True, kw_only=True)
class SolutionOptions(OneExercise):
    """Options of `solution`."""

    step: str = option("--step", default="", metavar="STEP", help="The step, by default the last.")
    anyway: bool = flag("--anyway", help="Show it without an attempt.")


@command(SolutionOptions)
def solution(options: SolutionOptions) -> int:
    """Explain the solution, and show the source of a later step and what changed."""
    one = any_exercise(options.name)
    if isinstance(one, Reading):
        return _solve_reading(Store(), one, options)
    found = Lessons().solution(one, options.step, options.anyway)
    write(view.solution_page(one, found.step, found.before, found.path, found.text, found.old))
    return EXIT_DONE


def _solve_reading(store: Store, one: Reading, options: SolutionOptions) -> int:
    """Show the answer of a recording; without a prediction, only with --anyway."""
    if options.step:
        raise UsageError(f"exercise {one.number} is one recording, without steps: leave out --step")
    if latest(store.record(one.name), STEP) is None and not options.anyway:
        raise UsageError(
            f"you have not answered exercise {one.number} yet: `ncu-advisor practice predict {one.number}`; "
            "--anyway shows the answer at once"
        )
    return _reveal_reading(store, one)


@dataclass(frozen=True, kw_only=True)
class ResetOptions(OneExercise):
    """Options of `reset`."""

    progress: bool = flag("--progress", help="Also delete attempts, hints, quiz, predictions and log.")


@command(ResetOptions)
def reset(options: ResetOptions) -> int:
    """Restore the original source; your version is kept next to it."""
    one = any_exercise(options.name)
    if isinstance(one, Reading):
        if not options.progress:
            raise UsageError(
                f"exercise {one.number} has no source to restore; use --progress to delete your answer and notes"
            )
        Lessons().forget(one)
        write(view.forgotten_page(one))
        return EXIT_DONE
    kept = Lessons().reset(one, options.progress)
    write(view.reset_page(one, kept, options.progress))
    return EXIT_DONE


@dataclass(frozen=True, kw_only=True)
class LogOptions(OneExercise):
    """Options of `log`."""

    observation: str = option("--observation", default="", metavar="TEXT", help="What you saw in the latest version.")
    hypothesis: str = option("--hypothesis", default="", metavar="TEXT", help="Why you think so.")
    next_: str = option("--next", default="", metavar="TEXT", help="What you will try next.")
    form: str = formats("text", *PAGE_FORMATS)


@command(LogOptions)
def log(options: LogOptions) -> int:
    """Show the experiment log of an exercise, or add notes to its latest version."""
    store, one = Store(), any_exercise(options.name)
    notes = (options.observation, options.hypothesis, options.next_)
    if any(notes):
        store.change(one.name, lambda record: annotate(record, *notes))
    record = store.record(one.name)
    page = view.log_page(one, record.log) if isinstance(one, Exercise) else read_view.answers_log_page(one, record)
    terminal.write_page(page, options.form, most=MOST)
    return EXIT_DONE


def choose(what: str, given: str | None, choices: Mapping[str, str], listed: bool = False) -> str:
    """Return the id of one of `choices` (id -> title), from `given` (an id or prefix) or from the user's input.

    listed: whether the choices are already on the screen. Raises UsageError if `given` matches none or several.
    """
    width = terminal.screen(most=MOST).width
    if given is None and not listed:
        for line in listing(choices, width):
            click.echo(line, err=True)
    while True:
        word = given if given is not None else str(click.prompt(what, err=True)).strip()
        if word == "?" and given is None:
            click.echo("\n".join(cut(f"  {key}: {title}", width) for key, title in choices.items()), err=True)
            continue
        found = _match(word, choices)
        if len(found) == 1:
            return found[0]
        if found:
            meant = "; or ".join(f"{name} ({choices[name]})" for name in found[:6])
            text = f"{what}: {word[:60]!r} is ambiguous: {meant}"
        elif len(choices) <= _FEW:
            text = f"{what}: {word[:60]!r} is not one of the choices: {', '.join(choices)}"
        else:
            near = [name for name, _, _ in process.extract(word[:60], list(choices), limit=3)]
            text = (
                f"{what}: {word[:60]!r} is not one of the choices. The nearest of {len(choices)}: {', '.join(near)}. "
            )
            text += "`practice show` (of a recording) or `practice predict` without options lists all"
        if given is not None:
            raise UsageError(text)
        click.echo("\n".join(wrap(shown(text), width)), err=True)


def _number(what: str, given: float | None) -> float:
    """Return a ratio above 0 and below a million, from `given` or from the user's input."""
    while True:
        typed = str(given) if given is not None else str(click.prompt(what, err=True))
        try:
            value = float(typed.strip().lower().rstrip("x×").replace(",", "."))
        except ValueError:
            value = 0.0
        if 0 < value < 1e6:
            return value
        text = f"{what}: {typed.strip()[:40]!r} is not a number between 0 and a million, such as 2.5"
        if given is not None:
            raise UsageError(text)
        click.echo(text, err=True)


_FEW = 8  # maximum number of choices listed with their titles; longer lists show only ids, in columns


def listing(choices: Mapping[str, str], width: int) -> list[str]:
    """Return the lines of the choices: a few with their titles, many as columns of ids, read downwards."""
    if len(choices) <= _FEW:
        column = max(map(len, choices)) + 2
        return [cut(f"  {key:<{column}}{title}", width) for key, title in choices.items()]
    ids = list(choices)
    for rows in range(1, len(ids) + 1):  # the fewest rows whose columns, each as wide as its ids, fit
        parts = [ids[start : start + rows] for start in range(0, len(ids), rows)]
        widths = [max(map(len, part)) + 2 for part in parts]
        if sum(widths) <= width or rows == len(ids):
            break
    lines = (zip(ids[row::rows], widths, strict=False) for row in range(rows))
    return ["  " + "".join(f"{key:<{room}}" for key, room in line).rstrip() for line in lines]


def _match(word: str, choices: Mapping[str, str]) -> list[str]:
    """Return the choices that match a word: the id itself, else all with this prefix, else the nearest spelling."""
    wanted = word.strip().lower().replace("-", "_").replace(" ", "_")
    if wanted in choices:
        return [wanted]
    if wanted in ("memory", "memory_bound") and set(MEMORY_CLASSES) <= set(choices):
        return list(MEMORY_CLASSES)
    if wanted == "nothing" and NO_CAUSE in choices:
        return [NO_CAUSE]
    found = [c for c in choices if wanted and c.startswith(wanted)]
    if found or len(wanted) <= 3:
        return found
    return [name for name, _, _ in process.extract(wanted, list(choices), limit=1, score_cutoff=85)]
