"""The half of `practice` that needs no GPU: list, show, start, hint, quiz, predict, solution, reset, log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.practice.text import Face
from advisor.practice import lessons, state, workshop
from advisor.practice.manifest import Exercise, exercise, names
from advisor.practice.predictions import CAUSE_POINTS, CLASS_POINTS, MINE, SPEEDUP_POINTS
from advisor.practice.state import Prediction, Record, Store, latest, state_of
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import EXIT_CHECK_FAILED, EXIT_DONE, UsageError
from advisor.view import practice as words
from advisor.view.text import wrap

if TYPE_CHECKING:
    from advisor.practice.selfcheck import Measured
    from advisor.reasoning.diagnose import Analysis

_SPEEDUP = "How many times as fast will it be with that mended (1: nothing to gain)"
_OVER_SLOW = "How many times as fast as the slow version is yours"


def list_(store: Store, form: str, face: Face) -> int:
    """All exercises with level, step of the method and progress."""
    progress = store.read().exercises
    found = [exercise(name) for name in names()]
    if form == "json":
        rows = [
            {
                "name": e.name,
                "title": e.title,
                "level": e.level,
                "step": e.step,
                "ladder": e.ladder,
                "steps": len(e.stages),
                "state": state_of(progress.get(e.name)),
                "attempts": progress.get(e.name, Record()).attempts,
            }
            for e in found
        ]
        document = {"schema": "ncu-advisor/practice-list/1", "exercises": rows}
        face.write(json.dumps(document, indent=1, ensure_ascii=False))
    else:
        face.write(words.list_text(found, progress, face.width, face.colour))
    return EXIT_DONE


def show(store: Store, name: str, napkin: bool, profile: str | None, predicted: bool, face: Face) -> int:
    """The story and what can be done; or the napkin's answers; or the recorded profile of a step."""
    one = exercise(name)
    if profile is not None:
        return _profile(store, one, profile, predicted, face)
    if napkin:
        face.write(words.napkin_text(one, face.width, face.colour))
        return EXIT_DONE
    face.write(words.story_text(one, store.record(name), face.width, face.colour))
    return EXIT_DONE


def _profile(store: Store, one: Exercise, step_id: str, predicted: bool, face: Face) -> int:
    step = one.step_of(step_id) if step_id else one.stages[0]
    known = latest(store.record(one.name), step.id)
    if known is None and predicted:
        known = ask_prediction(store, one, step.id, face)
    found = lessons.of_recording(one, face.narrate)
    face.clear()
    measured, record, analysis, launch = found.measured, found.record, found.analysis, found.launch(step)
    actual = lessons.actual_speedup(one, step.id, measured)
    if known is not None:
        face.write(reveal(store, one, step.id, launch, actual, face) + "\n")
    from dataclasses import replace

    from advisor.view.pages.diagnosis import diagnosis_page
    from advisor.view.writers.terminal import terminal_text

    face.write(words.version_text(one, step, measured, record, face.width, face.colour))
    if one.overlap is not None and step.id == one.overlap.full:
        face.write(_halves(measured, analysis, face))
    # The questions are those of a report that nobody knows; an exercise's own are answered. The fixes are for the
    # learner to find: hints and the solution tell.
    unsolved = tuple(replace(finding, fix=None) for finding in launch.findings)
    only = replace(analysis.diagnosis, reports=(), launches=(replace(launch, questions=(), findings=unsolved),))
    face.write(
        terminal_text(diagnosis_page(only, sections=None), width=face.width, colour=face.colour, blocks=face.blocks)
    )
    face.write(words.after_profile(one, step, store.record(one.name), actual, face.width))
    return EXIT_DONE


def _halves(measured: Measured, analysis: Analysis, face: Face) -> str:
    """Step 0b's verdict on the recorded memory-only and math-only variants."""
    from advisor.knowledge.base import catalog
    from advisor.practice.selfcheck import judge
    from advisor.view.exercises import overlap_text

    (judged,) = judge(catalog(), [measured], analysis)
    text = overlap_text(judged.overlap) if judged.overlap is not None else ""
    return "\n".join(wrap(text, face.width)) + "\n"


def predict(
    store: Store, name: str, step_id: str, class_id: str | None, cause: str | None, speedup: float | None, face: Face
) -> int:
    """Commit to class, cause and speedup before a profile is shown: a recorded one, or that of one's own version."""
    one = exercise(name)
    if step_id == MINE:
        workshop.opened(one, store)
        made = ask_prediction(store, one, MINE, face, class_id, cause, speedup)
        face.write(_noted(made) + f"\nNext: ncu-advisor practice profile {name}")
        return EXIT_DONE
    step = one.step_of(step_id) if step_id else one.stages[0]
    done = latest(store.record(name), step.id)
    if done is not None and done.points is not None:
        raise UsageError(
            f"{name}, {step.id}: the profile was shown already, and your prediction got {done.points} points"
        )
    made = ask_prediction(store, one, step.id, face, class_id, cause, speedup)
    face.write(_noted(made) + f"\nNext: ncu-advisor practice show {name} --profile {step.id}")
    return EXIT_DONE


def _noted(made: Prediction) -> str:
    return f"Noted: {made.class_id}, {made.cause}, {made.speedup:g}x. The profile reveals your score."


def ask_prediction(
    store: Store,
    one: Exercise,
    step: str,
    face: Face,
    class_id: str | None = None,
    cause: str | None = None,
    speedup: float | None = None,
) -> Prediction:
    """Take a prediction from options or by asking, and keep it in place of one that was not yet scored."""
    from advisor.knowledge.base import catalog

    cat = catalog()
    if (class_id is None or cause is None or speedup is None) and not face.asks:
        given = {"--class": class_id, "--cause": cause, "--speedup": speedup}
        lacking = ", ".join(option for option, value in given.items() if value is None)
        if len(lacking.split(", ")) < len(given):
            raise UsageError(f"a prediction needs {lacking} as well: nobody is here to be asked")
        raise UsageError(
            f"first commit to a prediction: `ncu-advisor practice predict {one.name} --step {step}` with --class, "
            "--cause and --speedup (--no-prediction shows the profile without)"
        )
    if None in (class_id, cause, speedup):
        store.change(one.name, lambda record: None)  # that it can be kept is seen before anything is asked
    if class_id is None or cause is None or speedup is None:
        face.write(words.before_prediction(one, step, step == MINE, face.width))
    class_id = face.choose("Class", class_id, {k: c.title for k, c in cat.classes.items()})
    causes = {k: d.title for k, d in cat.diagnoses.items() if d.kind == "diagnosis" and d.scope == "launch"}
    cause = face.choose("Cause, what you would fix first", cause, causes)
    speedup = face.number(_OVER_SLOW if step == MINE else _SPEEDUP, speedup)
    made = Prediction(step=step, class_id=class_id, cause=cause, speedup=speedup)
    lessons.foretell(store, one, made)
    return made


def own_prediction(store: Store, one: Exercise, digest: str, face: Face) -> None:
    """See that there is a prediction for the learner's version: one that waits for its profile, or of this source."""
    known = latest(store.record(one.name), MINE)
    if known is None or (known.points is not None and known.digest != digest):
        ask_prediction(store, one, MINE, face)


def reveal(
    store: Store, one: Exercise, step: str, launch: LaunchDiagnosis, actual: float | None, face: Face, digest: str = ""
) -> str:
    """Score the prediction of a step, keep the points, and tell them; `actual`: the measured speedup."""
    found = lessons.reveal(store, one, step, launch, actual, digest)
    if found is None:
        return ""
    parts = (CLASS_POINTS, CAUSE_POINTS, SPEEDUP_POINTS)
    return words.score_text(found.said, launch, actual, found.score, parts, face.width, face.colour)


def start(store: Store, name: str, folder: Path | None, face: Face) -> int:
    """Make the learner's folder with the source to edit."""
    one = exercise(name)
    shop, made = workshop.start(one, store, folder)
    face.write(words.started_text(one, shop, made, face.width, face.colour))
    return EXIT_DONE


def hint(store: Store, name: str, all_: bool, face: Face) -> int:
    """The next hint, and those that were given already."""
    one = exercise(name)
    face.write(words.hints_text(one, lessons.hint(store, one, all_), face.width, face.colour))
    return EXIT_DONE


def quiz(store: Store, name: str, given: tuple[str, ...], face: Face) -> int:
    """Ask the quiz, or take the answers given as letters in order; each choice with its reason. 1 when one is wrong."""
    one = exercise(name)
    if given and len(given) != len(one.quiz):
        raise UsageError(f"{name} has {len(one.quiz)} questions: give {len(one.quiz)} letters, such as --answer a")
    if not given and not face.asks:
        face.write(words.quiz_text(one, face.width, face.colour))
        return EXIT_DONE
    right = 0
    for at, question in enumerate(one.quiz):
        letters = {chr(ord("a") + i): a.text for i, a in enumerate(question.answers)}
        face.write(words.question_text(at, len(one.quiz), question, face.width, face.colour))
        letter = face.choose("Answer", given[at].strip().lower() if given else None, letters, listed=True)
        chosen = ord(letter) - ord("a")
        lessons.answer(store, one, at, chosen)
        right += question.answers[chosen].right
        face.write(words.reasons_text(question, chosen, face.width, face.colour))
    face.write(words.quiz_result(one, right, face.width))
    return EXIT_DONE if right == len(one.quiz) else EXIT_CHECK_FAILED


def solution(store: Store, name: str, step_id: str, anyway: bool, face: Face) -> int:
    """The explanation and the source of a later step: after an attempt, or on request."""
    one = exercise(name)
    told = lessons.solution(store, one, step_id, anyway)
    text = words.solution_text(one, told.step, told.before, told.path, told.text, told.old, face.width, face.colour)
    face.write(text)
    return EXIT_DONE


def reset(store: Store, name: str, progress: bool, face: Face) -> int:
    """Put the original source back, keeping the learner's beside it; with `progress`, forget attempts and hints too."""
    one = exercise(name)
    kept = workshop.reset(workshop.opened(one, store))
    if progress:
        lessons.forget(store, one)
    face.write(words.reset_text(one, kept, progress, face.width))
    return EXIT_DONE


def log(store: Store, name: str, observation: str, hypothesis: str, next_: str, form: str, face: Face) -> int:
    """The experiment log of an exercise; with texts, adds them to its latest version."""
    one = exercise(name)
    if observation or hypothesis or next_:
        store.change(name, lambda record: state.annotate(record, observation, hypothesis, next_))
    rows = store.record(name).log
    if form == "markdown":
        face.write(words.log_markdown(one, rows))
    else:
        face.write(words.log_text(one, rows, face.width, face.colour))
    return EXIT_DONE
