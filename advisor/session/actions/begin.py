"""Begin and end a session; cancel or retry work."""

from __future__ import annotations

from typing import ClassVar, Final

from msgspec.structs import replace

from advisor.session.action import Action, Command
from advisor.session.practice import page_transitions as practice
from advisor.session.records import Card
from advisor.session.requests import Conclude, Estimate, Failed, Practise, Read, Request, Trace, UserEvent
from advisor.session.state import State
from advisor.session.transitions import add, ask_number, reveal, settled, wait
from advisor.session.views import is_for_view, view_failed


class Began(UserEvent, frozen=True, tag="begin"):
    """The session begins with reports, with traces of the whole program, or with neither (then it asks for numbers).

    predict: whether to ask for the user's prediction before each diagnosis.
    """

    undoable: ClassVar[bool] = False

    paths: tuple[str, ...] = ()
    gpu: str = ""
    traces: tuple[str, ...] = ()
    predict: bool = True


class Quit(UserEvent, frozen=True, tag="quit"):
    """The session ends."""


class Cancelled(UserEvent, frozen=True, tag="cancel"):
    """The user cancels the first request in the queue."""


class Retried(UserEvent, frozen=True, tag="retry"):
    """Work that failed or was cancelled is repeated."""


def _began(state: State, event: Began) -> State:
    if any(isinstance(before, Began) for before in state.log):
        return state
    numbers = not event.paths and not event.traces
    begun = replace(
        state, paths=event.paths, gpu=event.gpu, numbers=numbers, traces=event.traces, expects=event.predict
    )
    begun = wait(begun, Read(event.paths))
    return wait(begun, Trace(event.traces)) if event.traces else begun


def _quit(state: State, event: Quit) -> State:
    return replace(state, place="closed", waiting=())


def _cancelled(state: State, event: Cancelled) -> State:
    """Show the cancellation: a view or an exercise shows it itself; otherwise add a note and offer to retry."""
    if not state.waiting:
        return state
    request = state.waiting[0]
    if is_for_view(request):
        return view_failed(state, Failed(request, "Cancelled."))
    if isinstance(request, Practise):
        return practice.failed(state, request, "Cancelled.")
    after = settled(state, request)
    if after is None:
        return state
    card = Card("note", "Cancelled. Nothing was changed.", position=state.position, label="Note")
    return past(add(after, card, stalled=request), request)


def past(state: State, request: Request) -> State:
    """Continue after work without a result."""
    if not state.numbers and isinstance(request, Estimate | Conclude) and state.ask is None:
        return reveal(state)
    return next_question(state)


def next_question(state: State) -> State:
    """In an interview, ask for the next number as soon as the last one is processed."""
    if not state.numbers or state.ask is not None or state.place != "launch":
        return state
    return state if state.paused or state.waiting else ask_number(state)


def _retried(state: State, event: Retried) -> State:
    return state if state.stalled is None else wait(state, state.stalled, stalled=None)


def _begin_words(event: Began, kernels: tuple[str, ...]) -> str:
    names = event.paths or event.traces
    return f"starts with {', '.join(names) or 'no report'}"


ACTIONS: Final = (
    Action(Began, _began, _begin_words),
    Action(Quit, _quit, "ends the session", (Command("quit", "leave", Quit),)),
    Action(Cancelled, _cancelled, "cancels the work", keeps_view=True),
    Action(Retried, _retried, "retries", keeps_view=True),
)
