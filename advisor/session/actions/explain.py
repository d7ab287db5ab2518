"""Explain a word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from advisor.explain.entries import Explanation
from advisor.session.action import Action, Command, Listing, Result, Typed
from advisor.session.actions.view import ViewShown
from advisor.session.language.names import begun, pick, squash
from advisor.session.records import Card
from advisor.session.requests import Event, Explain, UserEvent
from advisor.session.state import State
from advisor.session.transitions import add, wait
from advisor.view.blocks import Line, flat
from advisor.view.pages.explain import explain_page


class ExplainAsked(UserEvent, frozen=True, tag="explain"):
    """A word is searched for in the knowledge base."""

    word: str


def _explain_asked(state: State, event: ExplainAsked) -> State:
    return wait(state, Explain(event.word, state.position)) if event.word and state.place == "launch" else state


def _explained(state: State, request: Explain, result: Any) -> State:
    if not isinstance(result, Explanation):
        return state
    page = explain_page(result)
    blocks = (Line(page.title, "strong"), *page.made, *flat(page.sections))
    return add(state, Card("explanation", request.word, blocks, request.position, label="Explain"))


def _explain(line: Typed, state: State) -> Event:
    if not line.rest:
        return ViewShown("knowledge")
    exact = pick(line.rest, state.knowledge.words)
    return ExplainAsked(exact[0] if exact and squash(exact[0]) == squash(line.rest) else line.rest)


def _words(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return begun(rest, state.knowledge.words) if rest else ()


_EXPLAIN: Final = Command(
    "explain",
    "explain a metric, stall, opcode, finding or term; alone: browse",
    _explain,
    "[word]",
    group="why",
    complete=_words,
)

ACTIONS: Final = (
    Action(ExplainAsked, _explain_asked, "asks what {word} means", (_EXPLAIN,), results=(Result(Explain, _explained),)),
)
