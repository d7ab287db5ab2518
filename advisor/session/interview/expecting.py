"""Before the reveal: what the user expects; and numbers that nobody asked for."""

from __future__ import annotations

import math

from advisor.session import events as e
from advisor.session import strings
from advisor.session.interview import contradictions, words
from advisor.session.interview.choosing import offer, replaced, revealed
from advisor.session.numbers import number_text
from advisor.session.records import Card, Line
from advisor.session.state import State
from advisor.session.transitions import add, ask_number, put, reveal, wait


def expected(state: State, event: e.Expected) -> State:
    """The bound that the user expects; then the napkin is offered, and then comes the reveal."""
    asked = state.ask is not None and state.ask.group == "expect"
    if state.place != "launch" or not (asked or not revealed(state)) or event.bound not in (None, *words.BOUNDS):
        return state
    said = words.BOUNDS[event.bound][0] if event.bound is not None else strings.DONT_KNOW
    card = Card("answer", said, (), state.position, "expect", strings.YOU) if event.again else None
    after = add(state, card, ask=None, expected=(*state.expected, (state.position, event.bound)))
    if not event.again:
        return shown(add(after, expects=False))
    if state.lore.algorithms and state.launch is not None:
        return put(after, offer(after), reckoning=None)
    return shown(after)


def shown(state: State) -> State:
    """On from what stands before the reveal: to the reveal, in an interview to the numbers."""
    return ask_number(state) if state.numbers else reveal(state)


def volunteered(state: State, event: e.Volunteered) -> State:
    """Numbers that nobody asked for: answers where the report is silent, contradictions where it is not."""
    if state.place != "launch" or (not state.numbers and state.launch is None):
        return state
    units = {name: unit for name, unit, _ in state.lore.metrics}
    given = {name: float(v) for name, v in event.values if name in units and math.isfinite(v) and v >= 0}
    if not given:
        return state
    place = None if state.numbers else state.position
    cards: list[Card] = []
    lines: list[Line] = []
    for name in tuple(given):
        known = None if state.numbers or state.launch is None else state.launch.metrics.get(name)
        said = number_text(given[name], units[name])
        if known is None or not math.isfinite(known) or replaced(state, place, name) is not None:
            lines.append(Line(_with_old(state, place, name, said), "fact", name))
        elif contradictions.agrees(given.pop(name), known, units[name]):
            lines.append(Line(f"{name}: the report says the same, {number_text(known, units[name])}", "quiet"))
        else:
            lines.append(Line(said, "fact", name))
            value = next(float(v) for n, v in event.values if n == name)
            cards.append(contradictions.against_report(state, name, value, known))
    said_card = Card("answer", "Numbers of your own", tuple(lines), state.position, label=strings.YOU)
    after = add(state, said_card, *cards)
    if not given:
        return after
    answers = (*state.answers, *((place, name, value) for name, value in given.items()))
    if after.ask is not None and after.ask.id in given:
        after = add(after, ask=None)
    after = wait(after, e.Conclude(answers, state.position), answers=answers)
    return add(after, contradictions.together(after, tuple(given))) if state.numbers else after


def _with_old(state: State, place: int | None, name: str, said: str) -> str:
    old = replaced(state, place, name)
    if old is None:
        return said
    return f"{said}, {words.REPLACES.format(old=number_text(old, state.lore.unit(name) or ''))}"
