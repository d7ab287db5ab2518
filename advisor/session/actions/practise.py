"""Actions on exercises."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from advisor.session.action import Action, Command, Listing, Result, Typed
from advisor.session.actions.help import NotUnderstood, one_of
from advisor.session.actions.view import ViewShown
from advisor.session.language.names import begun
from advisor.session.practice import page_transitions as practice
from advisor.session.requests import Completed, Event, Practise, UserEvent
from advisor.session.state import State


class Practised(UserEvent, frozen=True, tag="practise"):
    """An action on an exercise (fields as in requests.Practise)."""

    action: str
    exercise: str = ""
    arguments: tuple[tuple[str, str], ...] = ()


def _practised(state: State, event: Practised) -> State:
    return practice.practised(state, event.action, event.exercise, dict(event.arguments))


def _practice(line: Typed, state: State) -> Event:
    if not line.rest or not state.knowledge.exercises:
        finding = state.finding_of(state.finding)
        exercise = "" if finding is None or finding.fix is None else finding.fix.practice
        return ViewShown("practice", line.rest or (exercise if exercise in state.knowledge.exercises else ""))
    titles = dict.fromkeys(state.knowledge.exercises, "")
    found = one_of(line.rest, titles, "There is no such exercise.", "practice")
    if not isinstance(found, NotUnderstood):
        return ViewShown("practice", found)
    return NotUnderstood(found.text, found.meant or ("/practice",), found.because)


def _exercises(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return begun(rest, state.knowledge.exercises)


def _sweep(event: Completed, state: State) -> tuple[str, ...]:
    return ("5b",) if isinstance(event.request, Practise) and event.request.action == "sweep" else ()


_PRACTICE: Final = Command(
    "practice",
    "kernels with a known problem to find and fix; first the one for this finding",
    _practice,
    "[exercise]",
    group="method",
    complete=_exercises,
    key="p",
    short="Practice",
)

ACTIONS: Final = (
    Action(
        Practised,
        _practised,
        "practises: {action} {exercise}",
        (_PRACTICE,),
        step=lambda event, state: ("5b",) if event.action == "sweep" else (),
        keeps_view=True,
        results=(Result(Practise, practice.done, done=_sweep),),
    ),
)
