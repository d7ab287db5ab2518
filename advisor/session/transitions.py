"""The small state changes that reducers are made of: add a card, wait for a request, ask, reveal, select a launch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session import cards as make
from advisor.session.interview.choosing import comparison_card, expectation, expectation_due, next_number, revealed
from advisor.session.records import Ask, Card
from advisor.session.requests import Request
from advisor.session.state import State, main_finding
from advisor.view.blocks import Line


def add(state: State, *new: Card | None, **changes: Any) -> State:
    """The state with these cards at the end of the conversation."""
    return replace(state, cards=state.cards + tuple(card for card in new if card is not None), **changes)


def note(state: State, text: str) -> State:
    """The state with a note in the conversation."""
    return add(state, Card("note", text, position=state.position, label="Note"))


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
    """The cards of a conclusion: class, first finding, caveats about the data, notes on the class."""
    first = main_finding(launch)
    if first is None:
        text = "No finding: the report holds too little about this launch."
        finding = Card("note", text, position=position, label="Note")
    else:
        finding = make.finding_card(launch, first, position)
    # A first finding of kind trust says so itself; the summary would only repeat it.
    caveats = None if first is not None and first.kind == "trust" else make.caveats_card(launch, position)
    return (make.class_card(launch, position), finding, caveats, make.notes_card(launch, position))


def ask_number(state: State) -> State:
    """The next question of the interview; when no other would change anything, the conclusion."""
    if expectation_due(state):
        return put(state, expectation(state))
    ask = next_number(state)
    if ask is not None:
        return put(state, ask)
    title, text = "The numbers, one by one", "That was the last number. The conclusion rests on what you gave."
    if state.wanted == ():
        title = "Enough numbers"
        text = "No other number that you could read off would change class, first finding or gain."
    return conclude_interview(add(state, Card("note", title, (Line(text),), 0, label="Without a report")))


def conclude_interview(state: State) -> State:
    """The conclusion from the numbers given so far, and no question."""
    launch = state.launch
    if launch is None:
        return replace(state, ask=None, paused=True)
    first = main_finding(launch)
    told = (*conclusion(launch, 0), comparison_card(state))
    return add(state, *told, ask=None, paused=True, finding=first.id if first else "")


def reveal(state: State) -> State:
    """The conclusion about the launch, once, and how it compares with the user's prediction."""
    launch, position = state.launch, state.position
    if revealed(state) or launch is None or position is None:
        return state
    first = main_finding(launch)
    told = (*conclusion(launch, position), comparison_card(state))
    return add(state, *told, ask=None, napkin_input=None, finding=first.id if first else "")


def go_on(state: State) -> State:
    """On from what comes before the conclusion: to it, in an interview to the next number."""
    return ask_number(state) if state.numbers else reveal(state)


def look(state: State) -> State:
    """A first look at a launch: the question what the user expects of it, or else the conclusion at once."""
    if revealed(state) or not expectation_due(state):
        return reveal(state)
    ask = expectation(state)
    return replace(state, ask=ask) if state.has_card("question", ask.id) else put(state, ask)


def select(state: State, position: int) -> State:
    """A launch is looked at; its conclusions are shown once and stay. Other positions are ignored."""
    if state.numbers or state.diagnosis is None or not 0 <= position < len(state.diagnosis.launches):
        return state
    launch = state.diagnosis.launches[position]
    first = main_finding(launch)
    state = replace(
        state, place="launch", position=position, finding=first.id if first else "", ask=None, napkin_input=None
    )
    if not state.has_card("overview"):
        state = add(state, make.overview(launch, position, state.several_reports))
    return look(state)
