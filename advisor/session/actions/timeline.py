"""Read traces of the whole program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from advisor.session.action import Action, Command, Listing, Result, Typed
from advisor.session.actions.view import ViewShown
from advisor.session.experiments import versions
from advisor.session.language import files
from advisor.session.requests import Completed, Event, Trace, UserEvent
from advisor.session.state import State


class TraceGiven(UserEvent, frozen=True, tag="trace"):
    """The user gives traces of the whole program to read."""

    paths: tuple[str, ...]


def _timeline(line: Typed, state: State) -> Event:
    path, _ = files.file_and_rest(line.text)
    return TraceGiven((path,)) if path else ViewShown("timeline")


def _traces(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return listing(rest, files.TRACES)


def _steps(event: Completed, state: State) -> tuple[str, ...]:
    # One card shows the patterns of a trace, its kernels, and the decision.
    return ("S2", "S4", "S5") if state.timeline is not None else ()


def _done(event: Completed, state: State) -> tuple[str, ...]:
    of_files = isinstance(event.request, Trace) and bool(event.request.paths)
    return (("S1",) if of_files and state.timeline is not None else ()) + _steps(event, state)


_TIMELINE: Final = Command(
    "timeline",
    "show the program timeline, or read an Nsight Systems trace",
    _timeline,
    "[file]",
    group="program",
    said=("trace", "system"),
    complete=_traces,
    explicit=True,
)

ACTIONS: Final = (
    Action(
        TraceGiven,
        lambda state, event: versions.give_traces(state, event.paths),
        "opens the trace {paths}",
        (_TIMELINE,),
        step="S1",
        keeps_view=True,
        results=(Result(Trace, versions.traced, steps=_steps, done=_done),),
    ),
)
