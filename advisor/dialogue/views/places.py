"""Where findings stand in the code, as far as the source view has read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from advisor.dialogue import cards as make
from advisor.dialogue import events as e
from advisor.dialogue.records import Line
from advisor.dialogue.state import State
from advisor.dialogue.views import words
from advisor.model import Finding, Location

if TYPE_CHECKING:
    from advisor.pipelines.viewing import Seen


def plain(request: e.Request) -> bool:
    """Whether the source view asked for the code by the finding's own measure, and for all of it."""
    return isinstance(request, e.Locate) and not (request.by or request.search or request.where)


def _told(state: State) -> list[Any]:
    """What was told of the code of the launch at hand, failures too, the newest first."""
    return [told for asked, told in reversed(state.results) if plain(asked) and _position(asked) == state.position]


def _position(request: e.Request) -> int | None:
    return request.position if isinstance(request, e.Locate) else None


def read(state: State) -> list[Seen]:
    """The views of the launch at hand that were read without a filter, the newest first."""
    found = _told(state)
    if not found:
        return []
    from advisor.pipelines.viewing import Seen

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
            from advisor.source.locate import hottest

            return hottest(seen.view.spots, seen.view.measure.id)
    return ()


def where(state: State, finding: Finding) -> list[Line]:
    """The places of a finding as lines of a card; else that they were not read yet, or why they cannot be.

    Nothing where the finding has no place of its own.
    """
    found = places(state, finding)
    if found:
        return [
            Line(make.place_text(place, _array(state, place)), "fact", words.AT if at == 0 else " ")
            for at, place in enumerate(found)
        ]
    if finding.id not in state.lore.placed or not _readable(state):
        return []
    told = next(iter(_told(state)), None)
    failed = told.message if isinstance(told, e.Failed) else ""
    return [Line(failed or words.NOT_READ, "unknown", words.AT)]


def _readable(state: State) -> bool:
    """Whether the launch comes from a report that can hold instructions."""
    launch, diagnosis = state.launch, state.diagnosis
    if state.numbers or launch is None or diagnosis is None or launch.report >= len(diagnosis.reports):
        return False
    return diagnosis.reports[launch.report].format == "ncu-rep"


def _array(state: State, place: Location) -> str:
    """The shared array that a place reads or writes, empty where that is unknown."""
    for seen in read(state):
        groups = [group for group in seen.view.shared if (place.file, place.line) in group.lines]
        names = {str(group.array) for group in groups if set(place.sass.split()) & set(group.opcodes)}
        if len(names) == 1:
            return names.pop()
    return ""
