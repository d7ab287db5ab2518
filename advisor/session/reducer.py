"""The function from a state and an event to the next state. Every change of the session goes through it.

An event that is not possible (an answer to a question that is not open, the outcome of work that nobody waits for)
leaves the state as it is and is not logged; nothing raises. `replay(state.log) == state` always holds, and undo uses
it: it drops the last user event and replays the rest.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis, main_finding
from advisor.session import cards as make
from advisor.session.action import Far
from advisor.session.actions import BY_EVENT, RESULTS
from advisor.session.actions.begin import next_question, past
from advisor.session.actions.compare import compared_when_done
from advisor.session.interview.choosing import revealed
from advisor.session.method.steps import SYSTEM, far, steps_to_reveal
from advisor.session.practice import page_transitions as practice
from advisor.session.records import Card
from advisor.session.requests import (
    Back,
    CompareVersion,
    Completed,
    Conclude,
    Concluded,
    Event,
    Failed,
    Locate,
    Opened,
    Outcome,
    Practise,
    Read,
    ReadAhead,
    UserEvent,
    ViewEvent,
)
from advisor.session.state import State
from advisor.session.transitions import add, ask_number, reveal, select, settled
from advisor.session.views import (
    ask_for_hot_lines,
    diagnosed_anew,
    is_for_view,
    keep_result,
    leave_view,
    view_failed,
    with_hot_lines,
)
from advisor.view.blocks import Line
from advisor.view.pages.answers.numbers import differences, formulas_that_changed


def reduce(state: State, event: Event) -> State:
    """Return the state after the event."""
    if isinstance(event, Back):
        return _undone(state)
    if state.place == "closed":
        return state
    after = BY_EVENT[type(event)].reduce(state, event) if isinstance(event, UserEvent) else _outcome(state, event)
    if after is state:
        return state
    after = _stepped(compared_when_done(after, event), event)
    after = _without_view(state, after, event)
    if after.diagnosis is not state.diagnosis:
        after = diagnosed_anew(after)
    if isinstance(event, UserEvent | Opened | Concluded):
        after = ask_for_hot_lines(after)
    return replace(after, log=(*state.log, event))


def replay(events: Iterable[Event]) -> State:
    """Return the state that these events lead to from the beginning."""
    return functools.reduce(reduce, events, State())


def can_go_back(state: State) -> bool:
    """Return whether there is an event to undo."""
    return state.last_undoable is not None


def _undone(state: State) -> State:
    """Drop the last user event, and views that were closed after it; later outcomes stay if they are still awaited."""
    at = state.last_undoable
    if at is None:
        return state
    after = (event for event in state.log[at + 1 :] if state.view or not isinstance(event, ViewEvent))
    return replay((*state.log[:at], *after))


def _without_view(before: State, after: State, event: Event) -> State:
    """Close views after an action whose result appears in the conversation."""
    if after.place != "launch" and after.place == before.place:
        return after
    if not after.view or after.view != before.view or not isinstance(event, UserEvent):
        return after
    return after if BY_EVENT[type(event)].keeps_view else leave_view(replace(after, view_stack=()))


# Steps of the method
def _stepped(state: State, event: Event) -> State:
    """Return the state at the step of the event, if it has one, with the progress of all steps."""
    progress = progressed(state, event)
    out = state if progress == state.progress else replace(state, progress=progress)
    for step in _steps_of(event, state):
        if step != out.step:
            visited = out.visited if step in out.visited else (*out.visited, step)
            out = replace(out, step=step, visited=visited)
    return out


def _steps_of(event: Event, state: State) -> tuple[str, ...]:
    """Return the steps that an event passes, the current one last. state: after the event."""
    match event:
        case UserEvent():
            return BY_EVENT[type(event)].steps(event, state)
        case Completed():
            return RESULTS[type(event.request)].steps(event, state)
        case Opened() | Concluded():
            return steps_to_reveal(state)
    return ()


def progressed(state: State, event: Event) -> tuple[tuple[int | None, str, Far], ...]:
    """Return the progress of the steps after the event (see method.steps). state: the state after the event."""
    out = state.progress
    match event:
        case Opened():
            out = tuple(row for row in out if row[1] in SYSTEM)
        case Completed(request=CompareVersion()):
            # After a change of the code, only the napkin math of the algorithm stays valid.
            out = tuple((None if n in SYSTEM else state.position, n, h) for _, n, h in out if n in (*SYSTEM, "0"))
    for step, how in _marks(event, state):
        row = (None if step in SYSTEM else state.position, step, how)
        out = out if row in out else (*out, row)
    return out


def _marks(event: Event, state: State) -> Iterator[tuple[str, Far]]:
    if state.place == "launch" and state.position is not None:
        if far(state, "1") != "done" and state.has_card("class"):
            yield "1", "done"
        if far(state, "0b") != "done" and state.has_card("evidence", "variants"):
            yield "0b", "done"
    if isinstance(event, UserEvent):
        yield from BY_EVENT[type(event)].marks(event, state)
    elif isinstance(event, Completed):
        for step in RESULTS[type(event.request)].done(event, state):
            yield step, "done"


# Outcomes of requests
def _outcome(state: State, event: Outcome) -> State:
    match event:
        case Opened():
            return _opened(state, event)
        case Concluded():
            return _concluded(state, event)
        case Completed():
            after = settled(state, event.request)
            if after is None:
                return state
            if is_for_view(event.request):
                kept = keep_result(after, event.request, event.result)
                return with_hot_lines(kept, event.request) if isinstance(event.request, Locate) else kept
            return RESULTS[type(event.request)].reduce(after, event.request, event.result)
        case ReadAhead():
            return keep_result(state, event.request, event.result) if state.place == "launches" else state
    return _failed(state, event)


def _opened(state: State, event: Opened) -> State:
    """Show the list of launches, its only launch, or the interview."""
    after = settled(state, event.request)
    if after is None:
        return state
    after = replace(after, knowledge=event.knowledge, diagnosis=event.diagnosis, stalled=None)
    if after.numbers:
        text = (
            "No report was given, so the advisor asks for the numbers that ncu shows, section by section. Type them, "
            "or paste rows from ncu; press d for a section that you do not have. /back undoes an answer."
        )
        intro = Card("note", "The numbers, page by page", (Line(text),), label="Without a report")
        return ask_number(add(after, intro, place="launch", position=0))
    if event.diagnosis is None and not event.request.paths:
        # A session about traces only.
        return replace(after, place="launch", position=None)
    if event.diagnosis is None or not event.diagnosis.launches:
        return add(after, _nothing_read(event.diagnosis), place="start", stalled=event.request)
    return select(after, 0) if len(event.diagnosis.launches) == 1 else replace(after, place="launches")


def _nothing_read(diagnosis: Diagnosis | None) -> Card:
    problems = [p for report in (diagnosis.reports if diagnosis else ()) for p in report.problems]
    lines = (Line("No launch could be read from this input."), *(Line(problem, "quiet") for problem in problems))
    return Card("error", "Nothing to show", lines, label="That did not work")


def _concluded(state: State, event: Concluded) -> State:
    """Show the differences between the new diagnosis and the old one."""
    after = settled(state, event.request)
    if after is None:
        return state
    at = event.request.position or 0
    before, now = _launch(after.diagnosis, at), _launch(event.diagnosis, at)
    after = replace(after, diagnosis=event.diagnosis, stalled=None, wanted=event.wanted)
    if not revealed(after) and after.position == at and after.ask is None:
        return reveal(after)
    if now is not None:
        after = add(after, _change(state, before, now, at))
        if after.position == at and after.finding_of(after.finding) is None:
            first = main_finding(now)
            after = replace(after, finding=first.id if first else "")
    return next_question(after)


def _launch(diagnosis: Diagnosis | None, at: int) -> LaunchDiagnosis | None:
    return diagnosis.launches[at] if diagnosis is not None and at < len(diagnosis.launches) else None


def _change(state: State, before: LaunchDiagnosis | None, now: LaunchDiagnosis, at: int) -> Card | None:
    if before is None:
        # The first numbers do not decide anything yet.
        return None if now.verdict.id == "undetermined" else make.class_card(now, at)
    lines = (*differences(before, now), *formulas_that_changed(before, now))
    if not lines and state.numbers and not state.paused:
        return None
    title = "The answer changed the conclusion" if lines else "Nothing changed"
    same = (Line("Class, findings and estimated speedups are unchanged.", "quiet"),)
    return Card("change", title, lines or same, at, label="What changed")


def _failed(state: State, event: Failed) -> State:
    """Show the failure; retrying is among the choices if it can help."""
    if is_for_view(event.request):
        return view_failed(state, event)
    if isinstance(event.request, Practise):
        return practice.failed(state, event.request, event.message)
    after = settled(state, event.request)
    if after is None:
        return state
    # An error without a launch appears in the visible conversation.
    position = getattr(event.request, "position", state.position)
    card = Card("error", event.message, position=position, label="That did not work")
    # Reading a file may succeed the next time; looking up an unknown word will not.
    again = event.request if isinstance(event.request, Read | Conclude) else after.stalled
    return past(add(after, card, stalled=again), event.request)
