"""The JSON document of `practice list`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from advisor.practice.manifest import Exercise
from advisor.practice.readings import Reading
from advisor.practice.state import Record as Progress
from advisor.practice.state import state_of
from advisor.records.record import Count, Record, written


class ListedExercise(Record):
    """An exercise with the learner's progress.

    number: its place in the recommended order; step: of the method that it trains; steps: number of versions; kind:
    whether a kernel is fixed, or a recorded trace or profile is read.
    """

    number: Count
    name: str
    title: str
    level: Count
    step: str
    ladder: bool
    steps: Count
    state: Literal["new", "started", "tried", "solved"]
    attempts: Count
    kind: Literal["kernel", "timeline", "profile"] = written("kernel")


class PracticeList(Record, tag_field="schema", tag="ncu-advisor/practice-list/1"):
    """Output of `ncu-advisor practice list --format json`."""

    exercises: tuple[ListedExercise, ...]


_STATES: Final = ("tried", "started", "new", "solved")  # which exercise comes next: begun ones before new ones


def where_to_begin(rows: Iterable[tuple[str, int, str]]) -> dict[str, int]:
    """Return for each kind of exercise the number of the one to do next. rows: (kind, number, state) of each."""
    out: dict[str, tuple[int, int]] = {}
    for kind, number, state in rows:
        place = (_STATES.index(state), number)
        out[kind] = min(out.get(kind, place), place)
    return {kind: number for kind, (at, number) in out.items() if _STATES[at] != "solved"}


def kind_of(one: Exercise | Reading) -> Literal["kernel", "timeline", "profile"]:
    """Return what the learner works on."""
    return one.kind if isinstance(one, Reading) else "kernel"


def practice_list(found: Sequence[Exercise | Reading], progress: Mapping[str, Progress]) -> PracticeList:
    """Build the list of exercises with the learner's progress."""
    rows = []
    for e in sorted(found, key=lambda one: one.number):
        known = progress.get(e.name)
        attempts = known.attempts if known is not None else 0
        rows.append(
            ListedExercise(
                e.number,
                e.name,
                e.title,
                e.level,
                e.step,
                e.ladder,
                len(e.stages),
                state_of(known),
                attempts,
                kind_of(e),
            )
        )
    return PracticeList(tuple(rows))
