"""Answer a plain question about a launch."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from advisor.session.action import Action, Command, Result, Typed
from advisor.session.actions.help import NotUnderstood
from advisor.session.records import Card
from advisor.session.requests import AnswerQuestion, Event, UserEvent
from advisor.session.state import State, best_position
from advisor.session.transitions import add, reveal, select, wait


class QuestionAsked(UserEvent, frozen=True, tag="question"):
    """A plain question is asked.

    position: in the list of launches, the launch that it is about; None is the one whose fix saves most time.
    """

    text: str
    position: int | None = None


def _question_asked(state: State, event: QuestionAsked) -> State:
    if state.diagnosis is None or not state.diagnosis.launches or not event.text:
        return state
    if state.place == "launches":
        launches, at = state.diagnosis.launches, event.position
        state = select(state, at if at is not None and 0 <= at < len(launches) else best_position(launches))
    if state.place != "launch" or state.launch is None or state.position is None:
        return state
    shown = state if state.numbers else reveal(replace(state, ask=None, napkin_input=None))
    return wait(shown, AnswerQuestion(event.text, state.position))


def _answered(state: State, request: AnswerQuestion, result: Any) -> State:
    from advisor.view.pages.answer import answer_blocks  # not needed before the first screen
    from advisor.view.pages.answers.parts import Answered

    if not isinstance(result, Answered):
        return state
    blocks = answer_blocks(result.meaning, result.answer)
    launch = result.asked.launch
    about = "" if result.asked.position == request.position else launch.kernel
    return add(state, Card("explanation", request.text, blocks, request.position, label="Answer", aside=about))


def _ask(line: Typed, state: State) -> Event:
    if line.rest:
        return QuestionAsked(line.text)
    return NotUnderstood("/ask", ("what can I ask",), "Write a question after it, such as /ask is it memory bound.")


_ASK: Final = Command(
    "ask",
    "a plain question about this launch, which works without /ask too",
    _ask,
    "question",
    group="why",
    explicit=True,
)

ACTIONS: Final = (
    Action(
        QuestionAsked,
        _question_asked,
        "asks: {text}",
        (_ASK,),
        results=(Result(AnswerQuestion, _answered),),
    ),
)
