"""Show hot lines and instructions."""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from advisor.session.action import Action, Command, Result, Typed
from advisor.session.actions.view import ViewShown
from advisor.session.requests import Event, Locate, ViewEvent
from advisor.session.state import State
from advisor.session.views import ask_for_view, keep_result

_REGEX: Final = re.compile(r"(?:^|\s)/(.+)/(?=\s|$)")
_TEST: Final = re.compile(r"[\w./]+\s*(?:<=|>=|==|!=|<|>|=)\s*\S+")


class SourceSought(ViewEvent, frozen=True, tag="source"):
    """In the source view, the user queries other lines or instructions (fields as in requests.Locate)."""

    by: str = ""
    search: str = ""
    where: tuple[str, ...] = ()
    columns: str = ""


def _source_sought(state: State, event: SourceSought) -> State:
    if state.view != "source" or state.position is None:
        return state
    query = Locate(state.position, event.by, event.search, event.where, event.columns, state.view_subject)
    return ask_for_view(replace(state, source_query=query))


def _source(line: Typed, state: State) -> Event:
    if not line.rest:
        return ViewShown("source")
    text = line.text
    search = _REGEX.search(text)
    rest = text[: search.start()] + text[search.end() :] if search else text
    where = tuple("".join(test.split()) for test in _TEST.findall(rest))
    return SourceSought(" ".join(_TEST.sub(" ", rest).split()), search[1] if search else "", where)


def _words(event: SourceSought, kernels: tuple[str, ...]) -> str:
    tests = ", ".join(event.where)
    parts = (
        f"by {event.by}" if event.by else "",
        f"with {event.search}" if event.search else "",
        f"where {tests}" if tests else "",
        f"with columns {event.columns}" if event.columns else "",
    )
    return f"asks for the source {', '.join(filter(None, parts)) or 'by the measure of the finding'}"


_SOURCE: Final = Command(
    "source",
    "hot lines and instructions, such as /source /LDG/ share>5%",
    _source,
    "[measure] [/regex/] [test]",
    group="launch",
    explicit=True,
)

ACTIONS: Final = (
    Action(
        SourceSought,
        _source_sought,
        _words,
        (_SOURCE,),
        step="4F",
        mark="done",
        keeps_view=True,
        results=(Result(Locate, keep_result, done=lambda event, state: ("4",) if state.view == "source" else ()),),
    ),
)
