"""Questions and answers: the engine's questions, the numbers of an interview, the parameters of the napkin math."""

from __future__ import annotations

import math
from typing import Any, Final

from msgspec.structs import replace

from advisor.session import cards as make
from advisor.session.action import Action, Command, Far, Typed
from advisor.session.actions.help import NotUnderstood
from advisor.session.interview import contradictions, prompting
from advisor.session.interview.choosing import open_numbers, open_questions
from advisor.session.interview.pages import page_ask
from advisor.session.method.steps import steps_to_reveal
from advisor.session.records import Algorithm, Ask
from advisor.session.requests import Conclude, Estimate, Event, UserEvent, Value
from advisor.session.state import State
from advisor.session.transitions import add, ask_number, put, reveal, wait

_LONGEST: Final = 4096  # characters of a line of text; no path is longer
# Questions that a step of the method asks, each with that step.
_STEPS: Final = {"new_report": "6", "report": "1", "trace": "S1", "variants": "0b", "timeline": "S2"}


class Asked(UserEvent, frozen=True, tag="ask"):
    """A question is selected."""

    question: str


class Answered(UserEvent, frozen=True, tag="answer"):
    """A question is answered; None is "I don't know"."""

    question: str
    value: Value
    said: str = ""


class Skipped(UserEvent, frozen=True, tag="skip"):
    """The question is skipped for now."""

    question: str


def _asked(state: State, event: Asked) -> State:
    if state.place != "launch":
        return state
    begun = prompting.begun(state, event.question)
    if begun is not None:
        return begun
    ask = next((a for a in open_questions(state) if a.id == event.question), None)
    return state if ask is None else put(reveal(state), ask, napkin_input=None)


def fits(ask: Ask, value: Value) -> bool:
    """Return whether the value is a valid answer: None if "unknown" is allowed, a listed choice, a number in range."""
    if value is None:
        return ask.optional
    if ask.kind == "page":
        return False
    if ask.kind == "choice":
        return isinstance(value, str) and any(choice.id == value for choice in ask.choices)
    if ask.kind == "text":
        return isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST
    if isinstance(value, str) or not math.isfinite(value):
        return False
    return (ask.low is None or value >= ask.low) and (ask.high is None or value <= ask.high)


def _answered(state: State, event: Answered) -> State:
    """Keep the answer and diagnose again; keep "I don't know" too, which changes nothing."""
    ask = _asked_for(state, event.question)
    if state.place != "launch" or ask is None or not fits(ask, event.value):
        return state
    if ask.group in prompting.GROUPS:
        return prompting.answered(state, ask, event.value)
    said = make.answer_card(ask, event.value, state.position)
    if ask.group == "subject" and event.value == "program":
        # The interview asks for the numbers of a timeline instead of a kernel's.
        stopped = add(state, said, ask=None, paused=True)
        return prompting.begun(stopped, "timeline") or state
    if ask.group == "napkin":
        return _next_parameter(add(state, said, ask=None), ask, event.value)
    place = None if state.numbers else state.position
    if event.value is None:
        return _not_known(add(state, said, ask=None), ask)
    answers = (*state.answers, (place, ask.id, event.value))
    after = wait(state, Conclude(answers, state.position), said, ask=None, answers=answers)
    if isinstance(event.value, str):
        return after
    clash = contradictions.together(after, (ask.id,)) if state.numbers else None
    return add(after, clash, contradictions.of_answer(after, ask.id, event.value))


def _asked_for(state: State, question: str) -> Ask | None:
    """Return the open question of this name; in an interview, while a number is asked, any page or metric.

    So sessions that were recorded with one question for each number, or with pages in another order, still replay.
    """
    if state.ask is None or state.ask.id == question:
        return state.ask
    if not state.numbers or state.ask.group not in ("page", "metric", "question"):
        return None
    page = next((page for page in state.knowledge.pages if page.id == question), None)
    if page is not None:
        return page_ask(page, open_numbers(state))
    asked = next((ask for ask in open_numbers(state) if ask.id == question and ask.group == "metric"), None)
    unit = state.knowledge.unit(question)
    return asked if asked is not None or unit is None else Ask(question, question, "", unit=unit, low=0.0)


def _not_known(state: State, ask: Ask) -> State:
    """Never ask this question again; in an interview, rank the other questions again without it.

    A page of which no number was given is a section that the user does not have: none of its numbers is asked later.
    """
    place = None if state.numbers else state.position
    page = next((page for page in state.knowledge.pages if page.id == ask.id), None)
    names = tuple(row.id for row in ask.rows) or (ask.id,)
    if page is not None:
        given = {question for _, question, _ in state.answers}
        rows = tuple(metric for metric, _, _ in page.rows)
        names = names if given & set(rows) else (*names, *(metric for metric in rows if metric not in names))
    after = add(state, ask=None, unknown=(*state.unknown, *((place, name) for name in names)))
    if not state.numbers:
        return after
    return wait(after, Conclude(state.answers, state.position)) if state.answers else ask_number(after)


def _skipped(state: State, event: Skipped) -> State:
    """Ask later; in an interview, a number skipped twice counts as unknown. The napkin math ends."""
    ask = state.ask
    if state.place != "launch" or ask is None or ask.id != event.question:
        return state
    if ask.group in prompting.GROUPS:
        return prompting.skipped(state, ask)
    if ask.group == "expect":
        return _past(_unasked(state, ask, expected=(*state.expected, (state.position, None))))
    if ask.group == "napkin":
        return _past(_unasked(state, ask, napkin_input=None))
    key = (None if state.numbers else state.position, ask.id)
    if key in state.put_off and state.numbers:
        return _not_known(state, ask)
    put_off = state.put_off if key in state.put_off else (*state.put_off, key)
    after = add(state, ask=None, put_off=put_off)
    return ask_number(after) if state.numbers else after


def _unasked(state: State, ask: Ask, **changes: Any) -> State:
    """Remove the question, and its card if that card is the last one."""
    last = state.cards[-1] if state.cards else None
    put_last = last is not None and (last.kind, last.finding) == ("question", ask.id)
    return replace(state, cards=state.cards[:-1] if put_last else state.cards, ask=None, **changes)


def _past(state: State) -> State:
    """Show the conclusion; in an interview that is not paused, ask for the next number instead."""
    if not state.numbers:
        return reveal(state)
    return state if state.paused else ask_number(state)


def _parameter(algorithm: Algorithm, at: int) -> Ask | None:
    if at >= len(algorithm.parameters):
        return None
    return replace(algorithm.parameters[at], group="napkin", step=(at + 1, len(algorithm.parameters)))


def _next_parameter(state: State, ask: Ask, value: Value) -> State:
    """Ask for the next parameter of the algorithm, or estimate if all are known."""
    given: tuple[tuple[str, float | str], ...] = ()
    if state.napkin_input is None:
        name, at = str(value), 0
    else:
        name, given = state.napkin_input
        at = ask.step[0]
        taken = ask.usual if value is None else value
        given = given if taken is None else (*given, (ask.id, taken))
    algorithm = state.knowledge.algorithm(name)
    if algorithm is None or state.position is None:
        return replace(state, napkin_input=None)
    following = _parameter(algorithm, at)
    if following is not None:
        return put(state, following, napkin_input=(name, given))
    return wait(state, Estimate(state.position, name, given), napkin_input=None)


def _skip(line: Typed, state: State) -> Event:
    return NotUnderstood("/skip", (), "Nothing is being asked.") if state.ask is None else Skipped(state.ask.id)


def _step(event: Asked, state: State) -> tuple[str, ...]:
    return (_STEPS[event.question],) if event.question in _STEPS else ()


def _mark(event: Skipped, state: State) -> tuple[tuple[str, Far], ...]:
    return (("0", "skipped"),) if event.question == "algorithm" else ()


ACTIONS: Final = (
    Action(Asked, _asked, "selects the question {question}", step=_step),
    Action(Answered, _answered, "answers {question}: {value}"),
    Action(
        Skipped,
        _skipped,
        "skips {question}",
        (Command("skip", "skip the question for now", _skip, said=("skip", "later", "ask me later")),),
        step=lambda event, state: steps_to_reveal(state),
        mark=_mark,
    ),
)
