"""What the session says of its views where they have nothing to show.

Where findings stand in the code, as far as the source view has read it.

Views over the conversation: opened, left, what they ask for, and what was told to them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from advisor.records.diagnosis import Finding, Location
from advisor.session import cards as make
from advisor.session import events as e
from advisor.session.practice import handlers as practising
from advisor.session.records import Card, Line
from advisor.session.state import VIEWS, State
from advisor.session.transitions import add, settled, wait

if TYPE_CHECKING:
    from advisor.source.viewer import Seen

TITLES: Final = {
    "source": "Source",
    "proof": "Proof",
    "whatif": "What if",
    "timeline": "Timeline",
    "knowledge": "Knowledge",
    "practice": "Practice",
    "steps": "Steps of the method",
    "log": "Experiment log",
}


AT: Final = "At"


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
    from advisor.source.viewer import Seen

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
            Line(make.place_text(place, _array(state, place)), "fact", AT if at == 0 else " ")
            for at, place in enumerate(found)
        ]
    if finding.id not in state.lore.placed or not _readable(state):
        return []
    told = next(iter(_told(state)), None)
    failed = told.message if isinstance(told, e.Failed) else ""
    return [Line(failed or "not read from the report yet; /source (F7) shows lines and instructions", "unknown", AT)]


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


# Views of one launch: without one there is nothing to show.
OF_LAUNCH: Final = ("source", "proof", "whatif")


# What the user does in views that changes nothing but them.
LOOKS: Final = (e.ViewShown, e.ViewLeft, e.SourceSought, e.Supposed)


# What the user does without leaving a view; everything else shows its outcome in the conversation.
_STAYS: Final = (
    *LOOKS,
    e.Practised,
    e.WriteAsked,
    e.TraceGiven,
    e.Cancelled,
    e.Retried,
)


# Results kept of each kind of request, the newest: going back and forth needs no new work.
_KEPT: Final = 6


def view_shown(state: State, event: e.ViewShown) -> State:
    """A view is opened, or turns to another subject. Where it would have nothing to show a note says so."""
    if event.view not in VIEWS:
        return state
    if event.view in OF_LAUNCH and (state.place != "launch" or state.launch is None):
        return _nothing(state, event.view, "This is about one launch, and there is none to look at yet.")
    if event.view == "source" and state.numbers:
        return _nothing(
            state, event.view, "Lines and instructions come from a report, and this session has only typed numbers."
        )
    if event.view == "timeline" and state.timeline is None and not state.traces:
        return _nothing(state, event.view, "No trace is open: /timeline FILE reads one.")
    subject = event.subject
    if event.view in ("proof", "source") and state.launch is not None:
        subject = subject or state.finding or (state.launch.verdict.id if event.view == "proof" else "")
    under = _under(state, event.view)
    opened = replace(state, view=event.view, view_subject=subject, under=under)
    if event.view == "practice":
        opened = practising.entered(opened, event.subject)
    if event.view == "source":
        opened = replace(opened, sought=_sought(opened))
    if event.view == "whatif" and event.view not in dict((*state.under, (state.view, ""))):
        opened = replace(opened, supposing=())
    return _asked(opened)


def _under(state: State, view: str) -> tuple[tuple[str, str], ...]:
    """The views under one that is opened; one that lies among them already comes up again, without those over it."""
    open_ones = (*state.under, (state.view, state.view_subject)) if state.view else state.under
    names = [name for name, _ in open_ones]
    return open_ones[: names.index(view)] if view in names else open_ones


def _nothing(state: State, view: str, why: str) -> State:
    """A note in the conversation; where none is in view the event does nothing."""
    if state.place != "launch":
        return state
    card = Card("error", TITLES[view], (Line(why),), state.position, label="Nothing to show")
    return add(replace(state, view="", view_subject="", under=()), card)


def _sought(state: State) -> e.Locate:
    """What the source view shows first: what it showed last for this launch and finding, else the finding's own."""
    fresh = e.Locate(state.position or 0, finding=state.view_subject)
    before = state.sought
    same = before is not None and (before.position, before.finding) == (fresh.position, fresh.finding)
    return before if same and before is not None else fresh


def requests_of(state: State) -> tuple[e.Request, ...]:
    """The requests whose results the open view shows, the most wanted first."""
    launch, position = state.launch, state.position
    if launch is None or position is None:
        return ()
    if state.view == "source":
        return (state.sought,) if state.sought is not None else ()
    if state.view == "proof":
        concluded = state.view_subject == launch.verdict.id or state.finding_of(state.view_subject) is not None
        return (e.Prove("how" if concluded else "why_not", position, state.view_subject, quiet=True),)
    if state.view == "whatif":
        # The class's proof tells where its numbers turn.
        turns = e.Prove("how", position, launch.verdict.id, quiet=True)
        return (e.Suppose(position, state.supposing, quiet=True), turns) if state.supposing else (turns,)
    return ()


def _asked(state: State) -> State:
    """The state that waits for what the open view shows, and for nothing else that only views show.

    What failed is tried again: whoever comes here wants it.
    """
    wanted = requests_of(state)
    results = tuple(pair for pair in state.results if pair[0] not in wanted or not isinstance(pair[1], e.Failed))
    waiting = tuple(r for r in state.waiting if not of_view(r) or r in wanted)
    state = replace(state, results=results, waiting=waiting)
    for request in wanted:
        state = state if state.result(request) is not None else wait(state, request)
    return state


def of_view(request: e.Request) -> bool:
    """Whether the result is for a view alone and gets no card."""
    return isinstance(request, e.Locate) or bool(getattr(request, "quiet", False))


def view_left(state: State, event: e.ViewLeft) -> State:
    """Back to where the view was opened; what only the view waited for is no longer wanted."""
    if not state.view:
        return state
    *under, (view, subject) = state.under or (("", ""),)
    left = replace(state, view=view, view_subject=subject, under=tuple(under))
    return _asked(left if view else replace(left, supposing=()))


def left_by(before: State, after: State, event: e.Event) -> State:
    """After a deed whose outcome stands in the conversation no view lies over it; where there is none views stay."""
    if after.place != "launch" and after.place == before.place:
        return after
    if not after.view or after.view != before.view or isinstance(event, (*e.OUTCOMES, *_STAYS)):
        return after
    return view_left(replace(after, under=()), e.ViewLeft())


def source_sought(state: State, event: e.SourceSought) -> State:
    """Other lines or instructions."""
    if state.view != "source" or state.position is None:
        return state
    sought = e.Locate(state.position, event.by, event.search, event.where, event.columns, state.view_subject)
    return _asked(replace(state, sought=sought))


def supposed(state: State, event: e.Supposed) -> State:
    """Values tried in the what-if view; only the latest are concluded on."""
    if state.view != "whatif" or state.launch is None or event.values == state.supposing:
        return state
    return _asked(replace(state, supposing=event.values))


def shown(state: State, request: e.Request, result: Any) -> State:
    """What a view asked for is there, or (a Failed) could not be had. The newest of each kind are kept.

    Searches go first: cards and the evidence rest on what was read without one.
    """
    results = [pair for pair in state.results if pair[0] != request]
    alike = [pair for pair in results if type(pair[0]) is type(request)]
    if len(alike) >= _KEPT:
        results.remove(next((pair for pair in alike if not plain(pair[0])), alike[0]))
    return replace(state, results=(*results, (request, result)))


def failed(state: State, event: e.Failed) -> State:
    """A view's work failed: the view says so."""
    after = settled(state, event.request)
    return state if after is None else shown(after, event.request, event)


def cancelled(state: State, event: e.Cancelled) -> State:
    """A view's work was called off: the view says so."""
    return failed(state, e.Failed(event.request, "Called off."))


def renewed(state: State) -> State:
    """The conclusions are others now: what was told on the former ones is dropped, and asked for again where shown."""
    kept = tuple(pair for pair in state.results if not isinstance(pair[0], e.Prove | e.Suppose))
    return _asked(replace(state, results=kept))
