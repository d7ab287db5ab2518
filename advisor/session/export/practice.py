"""The exercises that a session worked on, from the learner's record as it stood: what was predicted and what came."""

from __future__ import annotations

from typing import Any

from advisor.practice.predictions import MINE
from advisor.practice.state import Prediction, state_of
from advisor.session.practice import words
from advisor.session.practice.exercising import Exercising
from advisor.session.practice.pages import quiz_right, standing
from advisor.session.state import State
from advisor.view.blocks import Block, Cell, Column, Paragraph, Section, Table
from advisor.view.blocks import section as made_section
from advisor.view.numbers import number, present


def practice_section(state: State) -> Section | None:
    """Each exercise with what was done, and each prediction beside what it is; None where none was opened."""
    every = _worked(state)
    if not every:
        return None
    done = tuple((Cell(_title(one)), Cell(_so_far(one))) for one in every)
    blocks: list[Block] = [
        Paragraph("As the practice record of this machine had it in the session, with what was done before it.", "dim"),
        Table((Column("exercise"), Column("so far")), done),
    ]
    predicted = tuple(_row(one, p) for one in every for p in one.known.predictions)
    columns = ("exercise", "version", "predicted", "it is", "points")
    if predicted:
        blocks.append(Table(tuple(Column(name, name == "points") for name in columns), predicted))
    return made_section("Practised", blocks, name="practised")


def practice_list(state: State) -> list[dict[str, Any]]:
    """The same for programs, in the order in which the exercises were opened."""
    return [_exercise(one) for one in _worked(state)]


def _worked(state: State) -> tuple[Exercising, ...]:
    here = state.exercising
    return () if here is None else tuple(Exercising(lesson=lesson) for lesson in here.worked)


def _so_far(one: Exercising) -> str:
    waiting = (
        ["a prediction whose answer was not shown yet"] if any(p.points is None for p in one.known.predictions) else []
    )
    return "; ".join((*standing(one), *waiting)) or words.NOTHING_DONE


def _title(one: Exercising) -> str:
    return f"{one.lesson.exercise.title} ({one.lesson.exercise.name})"


def _row(one: Exercising, made: Prediction) -> tuple[Cell, ...]:
    shown = made.points is not None
    is_ = _said(one, made.actual_class, made.actual_cause, made.actual_speedup) if shown else "not shown yet"
    # After the last version there is none to measure it against.
    last = made.step == one.lesson.exercise.stages[-1].id
    is_ = is_ if not shown or last or made.actual_speedup is None else f"{is_} measured"
    points = Cell(f"{made.points} of 100", made.points) if shown else Cell("")
    said = _said(one, made.class_id, made.cause, made.speedup)
    return Cell(one.lesson.exercise.name), Cell(_version(one, made)), Cell(said), Cell(is_), points


def _version(one: Exercising, made: Prediction) -> str:
    """A later version by its number until its answer was shown, since its name tells what was done."""
    ids = [step.id for step in one.lesson.exercise.stages]
    if made.step == MINE:
        return words.YOUR_VERSION
    hidden = made.points is None and made.step in ids[1:]
    return f"{ids.index(made.step) + 1} of {len(ids)}" if hidden else made.step


def _said(one: Exercising, class_id: str, cause: str, speedup: float | None) -> str:
    gain = f"{speedup:.2f}×" if speedup is not None else words.NOT_MEASURED
    return ", ".join(part for part in (one.title(class_id), one.title(cause), gain) if part)


def _exercise(one: Exercising) -> dict[str, Any]:
    exercise, record = one.lesson.exercise, one.known
    return {
        "name": exercise.name,
        "title": exercise.title,
        "state": state_of(record),
        "attempts": record.attempts,
        "hints": {"taken": record.hints, "all": len(exercise.hints)},
        "quiz": {"right": quiz_right(one), "answered": len(record.quiz), "all": len(exercise.quiz)},
        "solutions": list(record.solutions),
        "predictions": [
            present(
                {
                    "step": p.step,
                    "class": p.class_id,
                    "cause": p.cause,
                    "speedup": number(p.speedup),
                    "points": p.points,
                    "actual_class": p.actual_class or None,
                    "actual_cause": p.actual_cause or None,
                    "actual_speedup": number(p.actual_speedup),
                }
            )
            for p in record.predictions
        ],
    }
