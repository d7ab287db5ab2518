"""What views show: the places of findings in the code, and the requests whose results an open view waits for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from advisor.records.diagnosis import Finding, Location
from advisor.session.requests import Failed, Locate, Prove, Request, Suppose
from advisor.session.state import State
from advisor.session.transitions import settled, wait
from advisor.source.locate import hottest
from advisor.source.viewer import Seen
from advisor.view.blocks import Line
from advisor.view.pages.launch import location_text

_KEPT: Final = 6  # results kept of each kind of request: going back and forth needs no new work


def plain(request: Request) -> bool:
    """Whether the source view asked for the code by the finding's own measure, and for all of it."""
    return isinstance(request, Locate) and not (request.by or request.search or request.where)


def _told(state: State) -> list[Any]:
    """What was told of the code of the launch at hand, failures too, the newest first."""
    return [told for asked, told in reversed(state.results) if plain(asked) and _position(asked) == state.position]


def _position(request: Request) -> int | None:
    return request.position if isinstance(request, Locate) else None


def read(state: State) -> list[Seen]:
    """The views of the launch at hand that were read without a filter, the newest first."""
    found = _told(state)
    if not found:
        return []
    return [told for told in found if isinstance(told, Seen)]


def places(state: State, finding: Finding) -> tuple[Location, ...]:
    """The places of a finding of the launch at hand; none where it has none of its own or they were not read yet."""
    if finding.locations:
        return finding.locations
    for seen in read(state):
        wanted = seen.wanted
        if wanted is None or not wanted.own or wanted.finding != finding.id:
            continue
        if seen.view.measure.id == wanted.measures[0].id:
            return hottest(seen.view.spots, seen.view.measure.id)
    return ()


def where(state: State, finding: Finding) -> list[Line]:
    """The places of a finding as lines of a card; else that they were not read yet, or why they cannot be.

    Nothing where the finding has no place of its own.
    """
    found = places(state, finding)
    if found:
        return [
            Line(f"{location_text(place)}{_array(state, place)}", "fact", "At" if at == 0 else " ")
            for at, place in enumerate(found)
        ]
    if finding.id not in state.knowledge.placed or not _readable(state):
        return []
    told = next(iter(_told(state)), None)
    failed = told.message if isinstance(told, Failed) else ""
    return [Line(failed or "not read from the report yet; /source (F7) shows lines and instructions", "unknown", "At")]


def _readable(state: State) -> bool:
    """Whether the launch comes from a report that can hold instructions."""
    launch, diagnosis = state.launch, state.diagnosis
    if state.numbers or launch is None or diagnosis is None or launch.report >= len(diagnosis.reports):
        return False
    return diagnosis.reports[launch.report].format == "ncu-rep"


def _array(state: State, place: Location) -> str:
    """`, array tile`: the shared array that a place reads or writes, empty where that is unknown."""
    for seen in read(state):
        groups = [group for group in seen.view.shared if (place.file, place.line) in group.lines]
        names = {str(group.array) for group in groups if set(place.sass.split()) & set(group.opcodes)}
        if len(names) == 1:
            return f", array {names.pop()}"
    return ""


def requests_of(state: State) -> tuple[Request, ...]:
    """The requests whose results the open view shows, the most wanted first."""
    launch, position = state.launch, state.position
    if launch is None or position is None:
        return ()
    if state.view == "source":
        return (state.source_query,) if state.source_query is not None else ()
    if state.view == "proof":
        concluded = state.view_subject == launch.verdict.id or state.finding_of(state.view_subject) is not None
        return (Prove("how" if concluded else "why_not", position, state.view_subject, quiet=True),)
    if state.view == "whatif":
        # The proof of the class holds the values at which its numbers flip it.
        flips = Prove("how", position, launch.verdict.id, quiet=True)
        return (Suppose(position, state.supposing, quiet=True), flips) if state.supposing else (flips,)
    return ()


def ask_for_view(state: State) -> State:
    """The state that waits for what the open view shows, and for nothing else that only views show.

    What failed is tried again: whoever comes here wants it.
    """
    wanted = requests_of(state)
    results = tuple(pair for pair in state.results if pair[0] not in wanted or not isinstance(pair[1], Failed))
    waiting = tuple(r for r in state.waiting if not is_for_view(r) or r in wanted)
    state = replace(state, results=results, waiting=waiting)
    for request in wanted:
        state = state if state.result(request) is not None else wait(state, request)
    return state


def is_for_view(request: Request) -> bool:
    """Whether the result is for a view alone and gets no card."""
    return isinstance(request, Locate) or bool(getattr(request, "quiet", False))


def leave_view(state: State) -> State:
    """Back to where the view was opened; what only the view waited for is no longer wanted."""
    if not state.view:
        return state
    *under, (view, subject) = state.view_stack or (("", ""),)
    left = replace(state, view=view, view_subject=subject, view_stack=tuple(under))
    return ask_for_view(left if view else replace(left, supposing=()))


def keep_result(state: State, request: Request, result: Any) -> State:
    """The result that a view asked for, a Failed where there is none. The newest of each kind are kept.

    Searches go first: cards and the evidence rest on what was read without one.
    """
    results = [pair for pair in state.results if pair[0] != request]
    alike = [pair for pair in results if type(pair[0]) is type(request)]
    if len(alike) >= _KEPT:
        results.remove(next((pair for pair in alike if not plain(pair[0])), alike[0]))
    return replace(state, results=(*results, (request, result)))


def view_failed(state: State, outcome: Failed) -> State:
    """A view's work failed: the view says so."""
    after = settled(state, outcome.request)
    return state if after is None else keep_result(after, outcome.request, outcome)


def diagnosed_anew(state: State) -> State:
    """The conclusions changed: results that rest on the former ones are dropped, and asked for again where shown."""
    kept = tuple(pair for pair in state.results if not isinstance(pair[0], Prove | Suppose))
    return ask_for_view(replace(state, results=kept))
