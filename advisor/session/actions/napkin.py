"""Napkin math: compare the minimum work of the algorithm with the measured launch."""

from __future__ import annotations

from typing import Any, Final

from advisor.session.action import Action, Command, Result
from advisor.session.actions.begin import next_question
from advisor.session.interview.choosing import algorithm_ask, subject_of
from advisor.session.records import Card, NapkinResult
from advisor.session.requests import Completed, Conclude, Estimate, UserEvent
from advisor.session.state import State
from advisor.session.transitions import add, put, reveal, wait


class NapkinBegun(UserEvent, frozen=True, tag="napkin"):
    """Napkin math begins: a comparison with the minimum work of the algorithm."""


def _napkin_begun(state: State, event: NapkinBegun) -> State:
    if state.place != "launch" or state.launch is None or not state.knowledge.algorithms:
        return state
    if subject_of(state) != "kernel":
        return state
    return put(state, algorithm_ask(state), napkin_input=None)


def _estimated(state: State, request: Estimate, result: Any) -> State:
    """Show the card; keep its bytes and operations as answers."""
    if not isinstance(result, NapkinResult):
        return state
    card = Card("napkin", result.title, result.lines, request.position, label="Napkin", detail=result)
    if not result.answers:
        after = add(state, card)
        return next_question(after) if state.numbers else reveal(after)
    place = None if state.numbers else request.position
    answers = state.answers + tuple((place, name, value) for name, value in result.answers)
    return wait(state, Conclude(answers, request.position), card, answers=answers)


def _done(event: Completed, state: State) -> tuple[str, ...]:
    return ("0",) if isinstance(event.result, NapkinResult) else ()


_NAPKIN: Final = Command("napkin", "compare with what the algorithm needs", NapkinBegun, group="launch")

ACTIONS: Final = (
    Action(
        NapkinBegun,
        _napkin_begun,
        "starts the napkin math",
        (_NAPKIN,),
        step="0",
        results=(Result(Estimate, _estimated, done=_done),),
    ),
)
