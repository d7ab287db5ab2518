"""The small moves that the handlers of events are made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session import cards as make
from advisor.session import strings
from advisor.session.events import Request
from advisor.session.interview.choosing import expectation, expectation_due, next_number, revealed
from advisor.session.interview.expectation import comparison_card
from advisor.session.records import Ask, Card, Line
from advisor.session.state import State, main_finding


def add(state: State, *new: Card | None, **changes: Any) -> State:
    """The state with these cards at the end of the conversation."""
    return replace(state, cards=state.cards + tuple(card for card in new if card is not None), **changes)


def wait(state: State, request: Request, *new: Card | None, **changes: Any) -> State:
    """The state that waits for this request, once."""
    waiting = state.waiting if request in state.waiting else (*state.waiting, request)
    return add(state, *new, waiting=waiting, **changes)


def settled(state: State, request: Request) -> State | None:
    """The state without this request among those waited for; None when nobody waits for it."""
    if request not in state.waiting:
        return None
    return replace(state, waiting=tuple(r for r in state.waiting if r != request))


def put(state: State, ask: Ask, **changes: Any) -> State:
    """The state in which this is asked."""
    return add(state, make.question_card(ask, state.position), ask=ask, **changes)


def conclusion(launch: LaunchDiagnosis, position: int) -> tuple[Card | None, ...]:
    """The cards of what was concluded: class, first finding, how far to trust the numbers, what is said beside."""
    first = main_finding(launch)
    if first is None:
        finding = Card("note", strings.NO_FINDING, position=position, label=strings.NOTE)
    else:
        finding = make.finding_card(launch, first, position)
    # A first finding of kind trust says so itself; the summary would only repeat it.
    careful = None if first is not None and first.kind == "trust" else make.careful_card(launch, position)
    return (make.class_card(launch, position), finding, careful, make.notes_card(launch, position))


def ask_number(state: State) -> State:
    """The next question of the interview; when no other would change anything, the conclusion."""
    if expectation_due(state):
        return put(state, expectation(state))
    ask = next_number(state)
    if ask is not None:
        return put(state, ask)
    title, text = strings.INTERVIEW_TITLE, "That was the last number. The conclusion stands on what you gave."
    if state.wanted == ():
        title, text = (
            "Enough numbers",
            "No other number that you could read off would change class, first finding or gain.",
        )
    return conclude_interview(add(state, Card("note", title, (Line(text),), 0, label=strings.INTERVIEW)))


def conclude_interview(state: State) -> State:
    """The conclusion from the numbers given so far, and no question."""
    launch = state.launch
    if launch is None:
        return replace(state, ask=None, paused=True)
    first = main_finding(launch)
    told = (*conclusion(launch, 0), comparison_card(state))
    return add(state, *told, ask=None, paused=True, finding=first.id if first else "")


def reveal(state: State) -> State:
    """The conclusion about the launch at hand, once, and how it compares with what was expected."""
    launch, position = state.launch, state.position
    if revealed(state) or launch is None or position is None:
        return state
    first = main_finding(launch)
    told = (*conclusion(launch, position), comparison_card(state))
    return add(state, *told, ask=None, reckoning=None, finding=first.id if first else "")


def look(state: State) -> State:
    """A first look at a launch: the question what the user expects of it, or else the conclusion at once."""
    if revealed(state) or not expectation_due(state):
        return reveal(state)
    ask = expectation(state)
    return replace(state, ask=ask) if state.has_card("question", ask.id) else put(state, ask)
