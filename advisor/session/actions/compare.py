"""A new version of the code: its report or its numbers against the old, and the log of versions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from advisor.session.action import Action, Command, Line, Listing, Result, shape
from advisor.session.actions.answer import Answered, Skipped
from advisor.session.actions.help import NotUnderstood
from advisor.session.actions.interview import ConclusionShown, Expected
from advisor.session.actions.timeline import TraceGiven
from advisor.session.experiments import versions
from advisor.session.experiments import versions as cards
from advisor.session.language import files
from advisor.session.requests import CompareVersion, Concluded, Event, UserEvent
from advisor.session.state import State
from advisor.session.transitions import add, wait

# After these the numbers of a version may be complete.
_CONCLUDE: Final = (ConclusionShown, Answered, Skipped, Concluded, Expected)


class ReportGiven(UserEvent, frozen=True, tag="report"):
    """A new report after a change to the code: it is compared with the launch."""

    path: str
    change: str = ""


class VersionBegun(UserEvent, frozen=True, tag="version"):
    """In an interview: the code was changed, and its numbers are to be typed again. change: what was done, in words."""

    change: str = ""


class LogShown(UserEvent, frozen=True, tag="log"):
    """The experiment log is shown: version, time, observation, next step."""


def report_given(state: State, event: ReportGiven) -> State:
    """The comparison with the launch; where there is no launch, the report is opened."""
    return versions.give_report(state, event.path, event.change)


def version_begun(state: State, event: VersionBegun) -> State:
    """The numbers so far become a row of the log, and are asked for again."""
    return versions.begin_version(state, event.change)


def log_shown(state: State, event: LogShown) -> State:
    """The log as a card; over the list of launches as a view."""
    if state.place == "launches":
        return replace(state, view="log", view_subject="")
    return add(state, cards.log_card(state)) if state.place == "launch" else state


def compared(state: State, request: CompareVersion, result: Any) -> State:
    """The comparison, a row of the log, and the new version as the launch from now on."""
    return versions.compared(state, request, result)


def compared_when_done(state: State, event: Event) -> State:
    """A begun version is compared as soon as its numbers are concluded on and nothing more is asked."""
    if not isinstance(event, _CONCLUDE) or not versions.is_open(state) or state.launch is None:
        return state
    if state.ask is not None or state.waiting or state.place != "launch":
        return state
    changes = (event.change for event in reversed(state.log) if isinstance(event, VersionBegun))
    return wait(state, CompareVersion("", 0, next(changes, "")))


def opened(path: str) -> Event:
    """The event of a file that is named: a trace is read, a report is compared."""
    return TraceGiven((path,)) if files.is_trace(path) else ReportGiven(path)


def _compare(line: Line, state: State) -> Event:
    path, change = files.file_and_rest(line.text)
    if path:
        return ReportGiven(path, change)
    because = (
        "Name the report made after the change, such as /compare after.ncu-rep, or a launch of it: after.ncu-rep#2. "
        "Tab completes the path; a description of the change may follow it."
    )
    return NotUnderstood("/compare", (), because)


def _compared(rest: str, state: State) -> Event | None:
    path, change = files.file_and_rest(rest)
    return ReportGiven(path, change) if files.names_file(rest) else None


def _opened(rest: str, state: State) -> Event | None:
    path = files.named_file(rest)
    return opened(path) if path else None


def _reports(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return listing(rest, files.REPORTS)


ACTIONS: Final = (
    Action(
        ReportGiven,
        report_given,
        "gives the new report {path}",
        (
            Command(
                "compare",
                "file [what you changed]",
                "a new report after a change, compared with this one",
                _compare,
                "method",
                shapes=(
                    shape("(?:compare (?:it |this )?(?:with|to|against)|compare)", _compared),
                    shape("(?:open|read|load|use)", _opened),
                ),
                complete=_reports,
                explicit=True,
            ),
        ),
        step="6",
        results=(
            Result(
                CompareVersion,
                compared,
                steps=lambda event, state: ("6", "1"),
                done=lambda event, state: ("5", "6"),
            ),
        ),
    ),
    Action(
        VersionBegun,
        version_begun,
        "begins a new version: {change}",
        (
            Command(
                "version",
                "[what you changed]",
                "typed numbers: a new version of the code",
                lambda line, state: VersionBegun(line.rest),
                "method",
                explicit=True,
            ),
        ),
        step="6",
    ),
    Action(
        LogShown,
        log_shown,
        "looks at the experiment log",
        (
            Command(
                "log",
                "",
                "the log of versions: time, observation, next step",
                lambda line, state: LogShown(),
                "method",
                said=("history", "experiments", "experiment log"),
            ),
        ),
        step="6",
        mark="read",
    ),
)
