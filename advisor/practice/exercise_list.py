"""The JSON document of `practice list`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from advisor.practice.manifest import Exercise
from advisor.practice.state import Record as Progress
from advisor.practice.state import state_of
from advisor.records.record import Count, Record


class ListedExercise(Record):
    """An exercise with the learner's progress.

    number: its place in the recommended order; step: of the method that it trains; steps: number of versions.
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


class PracticeList(Record, tag_field="schema", tag="ncu-advisor/practice-list/1"):
    """Output of `ncu-advisor practice list --format json`."""

    exercises: tuple[ListedExercise, ...]


def practice_list(found: Sequence[Exercise], progress: Mapping[str, Progress]) -> PracticeList:
    """Build the list of exercises with the learner's progress."""
    rows = []
    for e in sorted(found, key=lambda one: one.number):
        known = progress.get(e.name)
        attempts = known.attempts if known is not None else 0
        rows.append(
            ListedExercise(
                e.number, e.name, e.title, e.level, e.step, e.ladder, len(e.stages), state_of(known), attempts
            )
        )
    return PracticeList(tuple(rows))
