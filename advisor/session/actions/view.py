"""Open views over the conversation and leave them."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from advisor.session.action import Action, Far
from advisor.session.practice import page_transitions as practice
from advisor.session.records import Card
from advisor.session.requests import Locate, ViewEvent
from advisor.session.state import VIEWS, State
from advisor.session.transitions import add
from advisor.session.views import ask_for_view, leave_view
from advisor.view.blocks import Line

# The steps of the method that views show.
_STEPS: Final = {"source": "4", "proof": "2", "whatif": "3", "timeline": "S2", "log": "6"}
_TITLES: Final = {
    "source": "Source",
    "proof": "Proof",
    "whatif": "What if",
    "timeline": "Timeline",
    "knowledge": "Knowledge",
    "practice": "Practice",
    "steps": "Steps of the method",
    "log": "Experiment log",
}
# names of views as the object of a sentence
OPENED: Final = {
    "source": "the source",
    "proof": "the proof",
    "whatif": "what-if",
    "timeline": "the timeline",
    "knowledge": "the knowledge base",
    "practice": "the exercises",
    "steps": "the steps of the method",
    "log": "the experiment log",
}


class ViewShown(ViewEvent, frozen=True, tag="view"):
    """The user opens another view of the session (state.VIEWS). subject: its subject (a finding, a word, …)."""

    view: str
    subject: str = ""


class ViewLeft(ViewEvent, frozen=True, tag="leave"):
    """The user leaves a view and returns to where it was opened."""


def _view_shown(state: State, event: ViewShown) -> State:
    """Open a view, or show another subject; if it would be empty, add a note with the reason."""
    if event.view not in VIEWS:
        return state
    if event.view in ("source", "proof", "whatif") and (state.place != "launch" or state.launch is None):
        return _nothing(state, event.view, "This view needs a launch: choose one first.")
    if event.view == "source" and state.numbers:
        text = "Source lines need a report; this session has only typed numbers."
        return _nothing(state, event.view, text)
    if event.view == "timeline" and state.timeline is None and not state.traces:
        return _nothing(state, event.view, "No trace is open: /timeline FILE reads one.")
    subject = event.subject
    if event.view in ("proof", "source") and state.launch is not None:
        subject = subject or state.finding or (state.launch.verdict.id if event.view == "proof" else "")
    stack = _below(state, event.view)
    opened = replace(state, view=event.view, view_subject=subject, view_stack=stack)
    if event.view == "practice":
        opened = practice.entered(opened, event.subject)
    if event.view == "source":
        opened = replace(opened, source_query=_query(opened))
    if event.view == "whatif" and event.view not in dict((*state.view_stack, (state.view, ""))):
        opened = replace(opened, supposing=())
    return ask_for_view(opened)


def _below(state: State, view: str) -> tuple[tuple[str, str], ...]:
    """Return the views below a new one. If the new one is already open, return only the views below it."""
    opened = (*state.view_stack, (state.view, state.view_subject)) if state.view else state.view_stack
    names = [name for name, _ in opened]
    return opened[: names.index(view)] if view in names else opened


def _nothing(state: State, view: str, why: str) -> State:
    """Add a note to the conversation; do nothing if the conversation is not visible."""
    if state.place != "launch":
        return state
    card = Card("error", _TITLES[view], (Line(why),), state.position, label="Nothing to show")
    return add(replace(state, view="", view_subject="", view_stack=()), card)


def _query(state: State) -> Locate:
    """Return the last source query for this launch and finding, else a query by the finding's own measure."""
    fresh = Locate(state.position or 0, finding=state.view_subject)
    before = state.source_query
    if before is not None and (before.position, before.finding) == (fresh.position, fresh.finding):
        return before
    return fresh


def _step(event: ViewShown, state: State) -> tuple[str, ...]:
    return (_STEPS[event.view],) if event.view in _STEPS else ()


def _mark(event: ViewShown, state: State) -> tuple[tuple[str, Far], ...]:
    return ((_STEPS[event.view], "read"),) if event.view in _STEPS and state.view == event.view else ()


def _words(event: ViewShown, kernels: tuple[str, ...]) -> str:
    name = OPENED.get(event.view, event.view)
    return f"opens {name}: {event.subject}" if event.subject else f"opens {name}"


ACTIONS: Final = (
    Action(ViewShown, _view_shown, _words, step=_step, mark=_mark, keeps_view=True),
    Action(ViewLeft, lambda state, event: leave_view(state), "closes the view", keeps_view=True),
)
