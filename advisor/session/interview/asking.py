"""Questions and their answers: the engine's, the numbers of an interview, the parameters of the napkin."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from advisor.session import cards as make
from advisor.session import events as e
from advisor.session.choices import algorithm_ask, open_questions
from advisor.session.interview import contradictions
from advisor.session.interview.choosing import next_number, subject_of
from advisor.session.language import prompting
from advisor.session.records import Algorithm, Ask
from advisor.session.state import State
from advisor.session.transitions import add, ask_number, conclude_interview, put, reveal, wait

_LONGEST = 4096  # characters of a line of text; no path is longer


def asked(state: State, event: e.Asked) -> State:
    """A question of the engine is taken up, if it is still open; or one that a step of the method puts."""
    if state.place != "launch":
        return state
    begun = prompting.begun(state, event.question)
    if begun is not None:
        return begun
    ask = next((a for a in open_questions(state) if a.id == event.question), None)
    return state if ask is None else put(reveal(state), ask, reckoning=None)


def fits(ask: Ask, value: e.Value) -> bool:
    """Whether the value can be an answer: None where not knowing is allowed, a listed choice, a number in range."""
    if value is None:
        return ask.optional
    if ask.kind == "choice":
        return isinstance(value, str) and any(choice.id == value for choice in ask.choices)
    if ask.kind == "text":
        return isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST
    if isinstance(value, str) or not math.isfinite(value):
        return False
    return (ask.low is None or value >= ask.low) and (ask.high is None or value <= ask.high)


def answered(state: State, event: e.Answered) -> State:
    """An answer: kept, and everything concluded anew. "I don't know" is kept too and changes nothing."""
    ask = state.ask
    if state.place != "launch" or ask is None or ask.id != event.question or not fits(ask, event.value):
        return state
    if ask.group in prompting.GROUPS:
        return prompting.answered(state, ask, event.value)
    if ask.group == "subject" and event.value == "program":
        # No number of a kernel: those of a timeline are asked for in their place.
        told = add(state, make.answer_card(ask, event.value, state.position), ask=None, paused=True)
        return prompting.begun(told, prompting.TIMELINE) or state
    said = make.answer_card(ask, event.value, state.position)
    if ask.group == "napkin":
        return _reckon_on(add(state, said, ask=None), ask, event.value)
    place = None if state.numbers else state.position
    if event.value is None:
        return _not_known(add(state, said, ask=None), ask)
    answers = (*state.answers, (place, ask.id, event.value))
    after = wait(state, e.Conclude(answers, state.position), said, ask=None, answers=answers)
    if isinstance(event.value, str):
        return after
    beside = contradictions.together(after, (ask.id,)) if state.numbers else None
    return add(after, beside, contradictions.of_answer(after, ask.id, event.value))


def _not_known(state: State, ask: Ask) -> State:
    """A question that is never asked again; in an interview the others are weighed anew without it."""
    place = None if state.numbers else state.position
    after = add(state, ask=None, unknown=(*state.unknown, (place, ask.id)))
    if not state.numbers:
        return after
    return wait(after, e.Conclude(state.answers, state.position)) if state.answers else ask_number(after)


def skipped(state: State, event: e.Skipped) -> State:
    """The question is put off; in an interview a number put off twice counts as unknown; the napkin is left."""
    ask = state.ask
    if state.place != "launch" or ask is None or ask.id != event.question:
        return state
    if ask.group in prompting.GROUPS:
        return prompting.skipped(state, ask)
    if ask.group == "expect":
        return _past(_unasked(state, ask, expected=(*state.expected, (state.position, None))))
    if ask.group == "napkin":
        return _past(_unasked(state, ask, reckoning=None))
    key = (None if state.numbers else state.position, ask.id)
    if key in state.put_off and state.numbers:
        return _not_known(state, ask)
    put_off = state.put_off if key in state.put_off else (*state.put_off, key)
    after = add(state, ask=None, put_off=put_off)
    return ask_number(after) if state.numbers else after


def _unasked(state: State, ask: Ask, **changes: Any) -> State:
    """Without a question that got no answer; its card goes where nothing was said since."""
    last = state.cards[-1] if state.cards else None
    put = last is not None and (last.kind, last.finding) == ("question", ask.id)
    return replace(state, cards=state.cards[:-1] if put else state.cards, ask=None, **changes)


def _past(state: State) -> State:
    """On from what was skipped: to the reveal, in an interview to the numbers unless it stands at its conclusion."""
    if not state.numbers:
        return reveal(state)
    return state if state.paused else ask_number(state)


def conclusion_shown(state: State, event: e.ConclusionShown) -> State:
    """In an interview: the conclusion now, before all numbers were asked for."""
    if not state.numbers or state.place != "launch" or state.launch is None:
        return state
    return conclude_interview(state)


def numbers_continued(state: State, event: e.NumbersContinued) -> State:
    """In an interview: more numbers after all."""
    if not state.numbers or state.place != "launch" or state.ask is not None or next_number(state) is None:
        return state
    return ask_number(replace(state, paused=False))


def napkin_begun(state: State, event: e.NapkinBegun) -> State:
    """The first question of the napkin."""
    if state.place != "launch" or state.launch is None or not state.lore.algorithms:
        return state
    if subject_of(state) != "kernel":
        return state
    return put(state, algorithm_ask(state), reckoning=None)


def _parameter(algorithm: Algorithm, at: int) -> Ask | None:
    if at >= len(algorithm.parameters):
        return None
    return replace(algorithm.parameters[at], group="napkin", step=(at + 1, len(algorithm.parameters)))


def _reckon_on(state: State, ask: Ask, value: e.Value) -> State:
    """The next parameter of the algorithm, or the reckoning when it has them all."""
    given: tuple[tuple[str, float | str], ...] = ()
    if state.reckoning is None:
        name, at = str(value), 0
    else:
        name, given = state.reckoning
        at = ask.step[0]
        taken = ask.usual if value is None else value
        given = given if taken is None else (*given, (ask.id, taken))
    algorithm = state.lore.algorithm(name)
    if algorithm is None or state.position is None:
        return replace(state, reckoning=None)
    following = _parameter(algorithm, at)
    if following is not None:
        return put(state, following, reckoning=(name, given))
    return wait(state, e.Reckon(state.position, name, given), reckoning=None)
