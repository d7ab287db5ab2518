"""After a fix: the new report or the new numbers beside the old, the log of versions; and traces that are opened."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from advisor.compare.records import Compared
from advisor.records.diagnosis import Diagnosis
from advisor.session import cards as make
from advisor.session import events as e
from advisor.session import strings
from advisor.session.experiments import cards
from advisor.session.experiments import cards as show
from advisor.session.experiments.timeline import timeline_card
from advisor.session.records import Card, Line, Renewed
from advisor.session.state import State, main_finding
from advisor.session.transitions import add, ask_number, conclusion, wait
from advisor.timeline.results import TimelineResult

# Numbers that belong to the algorithm and not to one version of its code.
_OF_ALGORITHM: Final = ("theoretical_bytes", "theoretical_flop")
# Asked of an interview alone, and so of each version of it.
_OF_INTERVIEW: Final = ("gpu", "subject")
_LONGEST: Final = 4096
# After these the numbers of a version may be complete.
_CONCLUDE: Final = (e.ConclusionShown, e.Answered, e.Skipped, e.Concluded, e.Expected)


def carried(state: State) -> dict[str, float | str]:
    """The answers that hold for the next version too: sizes of the algorithm and choices, no measured number."""
    places = (None, state.position)
    given = {name: value for place, name, value in state.answers if place in places and name not in _OF_INTERVIEW}
    return {name: v for name, v in given.items() if name in _OF_ALGORITHM or state.lore.unit(name) is None}


def report_given(state: State, event: e.ReportGiven) -> State:
    """A new report: compared with the launch at hand; where there is none, it is the one that is opened."""
    path = event.path.strip()
    if not path or len(path) > _LONGEST:
        return state
    if state.launch is None and (state.diagnosis is None or not state.diagnosis.launches):
        fresh = replace(state, paths=(path,), numbers=False, ask=None, reckoning=None, diagnosis=None, position=None)
        return wait(fresh, e.Read((path,)))
    if state.place != "launch" or state.launch is None or state.position is None:
        return state
    if _open(state):
        return _note(state, cards.NOT_COMPARED)
    return wait(state, e.Renew(path, state.position, event.change), ask=None, reckoning=None)


def version_begun(state: State, event: e.VersionBegun) -> State:
    """A new version of typed numbers: those so far become a row of the log, and are asked for anew."""
    launch = state.launch
    if state.place != "launch" or launch is None:
        return state
    if not state.numbers:
        return _note(state, "A new version of a report is a new report: /compare FILE. /version is for typed numbers.")
    if _open(state):
        return _note(state, cards.NOT_COMPARED)
    name = cards.VERSION.format(number=len(state.earlier) + 1)
    rows = state.experiments or (show.row_of(launch, name),)
    about = [(place, name, value) for place, name, value in state.answers if name in _OF_INTERVIEW]
    answers = (*about, *((None, name, value) for name, value in carried(state).items()))
    begun = replace(
        state,
        experiments=rows,
        earlier=(*state.earlier, (launch, name)),
        cards=tuple(show.past(card, card.position or 0) for card in state.cards),
        answers=answers,
        unknown=tuple((p, q) for p, q in state.unknown if state.lore.unit(q) is None),
        put_off=(),
        diagnosis=None,
        finding="",
        wanted=None,
        paused=False,
        ask=None,
        reckoning=None,
    )
    title = cards.NEW if not event.change else event.change
    note = Card(
        "note",
        title,
        (Line(f"The numbers of {name} are kept. Type those of the new version: what is asked is asked anew."),),
        0,
        label=cards.NEW,
    )
    return ask_number(add(begun, note))


def _open(state: State) -> bool:
    """Whether a version of typed numbers was begun and not compared yet."""
    return state.numbers and 0 < len(state.experiments) == len(state.earlier)


def _note(state: State, text: str) -> State:
    return add(state, Card("note", text, position=state.position, label=strings.NOTE))


def compared_when_done(state: State, event: e.Event) -> State:
    """A begun version is compared as soon as its numbers are concluded on and nothing more is asked."""
    if not isinstance(event, _CONCLUDE) or not _open(state) or state.launch is None:
        return state
    if state.ask is not None or state.waiting or state.place != "launch":
        return state
    return wait(state, e.Renew("", 0, _change(state)))


def _change(state: State) -> str:
    """What the user said of the change that began this version."""
    return next((event.change for event in reversed(state.log) if isinstance(event, e.VersionBegun)), "")


def log_shown(state: State, event: e.LogShown) -> State:
    """The log of versions."""
    if state.place == "launches":
        return replace(state, view="log", view_subject="")
    return add(state, show.log_card(state)) if state.place == "launch" else state


def trace_given(state: State, event: e.TraceGiven) -> State:
    """A trace of the whole program."""
    paths = tuple(path for path in (p.strip() for p in event.paths) if path and len(path) <= _LONGEST)
    return wait(state, e.Trace(paths), ask=None, reckoning=None) if paths else state


def renewed(state: State, request: e.Renew, result: Any) -> State:
    """The new version was read and compared: a card, a row of the log, and it is the one at hand from now on."""
    before = state.launch if request.path else state.earlier[-1][0] if state.earlier else None
    if not isinstance(result, Renewed) or before is None or not _sound(result):
        return state
    pair = result.compared.pairs[0]
    at = result.position
    now = result.diagnosis.launches[at]
    number = len(state.earlier) + (1 if request.path else 0)
    name, new = cards.VERSION.format(number=number), cards.VERSION.format(number=number + 1)
    rows = state.experiments or (show.row_of(before, name),)
    first = main_finding(now)
    change = request.change or _fix_tried(state, before)
    after = replace(
        state,
        experiments=(*rows, show.row_of(now, new, change, pair)),
        earlier=(*state.earlier, (before, name)) if request.path else state.earlier,
        diagnosis=result.diagnosis,
        finding=first.id if first is not None else "",
        stalled=None,
    )
    if request.path:
        after = _taken_over(state, after, result)
    told = show.compared_card(pair, new, at)
    if not request.path:
        # What the new numbers mean was told already.
        return add(after, told)
    return add(after, told, make.overview(now, at, after.several_reports), *conclusion(now, at))


def _sound(result: Renewed) -> bool:
    diagnosis, compared = result.diagnosis, result.compared
    if not isinstance(diagnosis, Diagnosis) or not isinstance(compared, Compared) or not compared.pairs:
        return False
    return 0 <= result.position < len(diagnosis.launches)


def _taken_over(state: State, after: State, result: Renewed) -> State:
    """The new report in place of the old: its path, the answers that still hold, the conversation so far as past."""
    at = result.position
    mine = (state.position, None) if state.numbers or state.place == "start" else (state.position,)
    return replace(
        after,
        paths=(result.path,),
        numbers=False,
        position=at,
        cards=tuple(show.past(card, at) for card in state.cards if card.position in mine),
        answers=tuple((at, question, value) for question, value in result.answers),
        unknown=tuple((at, question) for place, question in state.unknown if place in mine),
        put_off=(),
        results=(),
        sought=None,
        expected=tuple((at, bound) for place, bound in state.expected if place in mine),
        ask=None,
        reckoning=None,
    )


def _fix_tried(state: State, launch: Any) -> str:
    """Where nobody said what was changed: the last fix that was shown, as what was probably tried."""
    shown = [card.finding for card in state.cards if card.kind == "fix" and not card.past]
    found = next((f for f in launch.findings if shown and f.id == shown[-1] and f.fix is not None), None)
    return found.fix.summary if found is not None and found.fix is not None else ""


def traced(state: State, request: e.Trace, result: Any) -> State:
    """The traces were read, or the typed numbers judged: what they say, and whether to go on to a kernel."""
    if not isinstance(result, TimelineResult) or not result.gpus:
        return state
    place = "launch" if state.place == "start" else state.place
    after = replace(state, timeline=result, traces=request.paths, place=place, stalled=None)
    return add(after, timeline_card(after))
