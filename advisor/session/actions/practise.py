"""Exercises."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from advisor.session.action import Action, Command, Line, Listing, Result
from advisor.session.actions.help import NotUnderstood, one_of
from advisor.session.actions.view import ViewShown
from advisor.session.language.names import begun
from advisor.session.practice import room as practice
from advisor.session.requests import Completed, Event, Practise, UserEvent
from advisor.session.state import State


class Practised(UserEvent, frozen=True, tag="practise"):
    """Something is done with an exercise (fields as in requests.Practise)."""

    action: str
    exercise: str = ""
    arguments: tuple[tuple[str, str], ...] = ()


def practised(state: State, event: Practised) -> State:
    """The next page of the practice view, or work that it waits for."""
    return practice.practised(state, event.action, event.exercise, dict(event.arguments))


def done(state: State, request: Practise, result: Any) -> State:
    """The result of the work."""
    return practice.done(state, request, result)


def _practice(line: Line, state: State) -> Event:
    if not line.rest or not state.knowledge.exercises:
        return ViewShown("practice", line.rest)
    titles = dict.fromkeys(state.knowledge.exercises, "")
    found = one_of(line.rest, titles, "There is no such exercise.", "practice")
    if not isinstance(found, NotUnderstood):
        return ViewShown("practice", found)
    return NotUnderstood(found.text, found.meant or ("/practice",), found.because)


def _exercises(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return begun(rest, state.knowledge.exercises)


def _sweep(event: Completed, state: State) -> tuple[str, ...]:
    return ("5b",) if isinstance(event.request, Practise) and event.request.action == "sweep" else ()


ACTIONS: Final = (
    Action(
        Practised,
        practised,
        "practises: {action} {exercise}",
        (
            Command(
                "practice",
                "[exercise]",
                "kernels with a known fault, to find and fix",
                _practice,
                "method",
                said=("exercises", "exercise"),
                complete=_exercises,
            ),
        ),
        step=lambda event, state: ("5b",) if event.action == "sweep" else (),
        keeps_view=True,
        results=(Result(Practise, done, done=_sweep),),
    ),
)
