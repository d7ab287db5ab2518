"""Traces of the whole program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from advisor.session.action import Action, Command, Line, Listing, Result
from advisor.session.actions.view import ViewShown
from advisor.session.experiments import versions
from advisor.session.language import files
from advisor.session.requests import Completed, Event, Trace, UserEvent
from advisor.session.state import State


class TraceGiven(UserEvent, frozen=True, tag="trace"):
    """Traces of the whole program are to be read."""

    paths: tuple[str, ...]


def trace_given(state: State, event: TraceGiven) -> State:
    """The traces are read."""
    return versions.give_traces(state, event.paths)


def traced(state: State, request: Trace, result: Any) -> State:
    """The patterns found, and whether to go on to a kernel."""
    return versions.traced(state, request, result)


def _timeline(line: Line, state: State) -> Event:
    path, _ = files.file_and_rest(line.text)
    return TraceGiven((path,)) if path else ViewShown("timeline")


def _traces(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return listing(rest, files.TRACES)


def _steps(event: Completed, state: State) -> tuple[str, ...]:
    # The patterns of a trace are read, its kernels ranked, and decided on in one card.
    return ("S2", "S4", "S5") if state.timeline is not None else ()


def _done(event: Completed, state: State) -> tuple[str, ...]:
    of_files = isinstance(event.request, Trace) and bool(event.request.paths)
    return (("S1",) if of_files and state.timeline is not None else ()) + _steps(event, state)


ACTIONS: Final = (
    Action(
        TraceGiven,
        trace_given,
        "gives the trace {paths}",
        (
            Command(
                "timeline",
                "[file]",
                "the timeline of the whole program, or read a trace of Nsight Systems",
                _timeline,
                "program",
                said=("trace", "system"),
                complete=_traces,
                explicit=True,
            ),
        ),
        step="S1",
        keeps_view=True,
        results=(Result(Trace, traced, steps=_steps, done=_done),),
    ),
)
