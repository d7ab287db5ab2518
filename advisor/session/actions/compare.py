"""Compare the report or numbers of a new version of the code with the old ones; show the log of versions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from advisor.session.action import Action, Command, Listing, Result, Typed, shape
from advisor.session.actions.answer import Answered, Asked, Skipped
from advisor.session.actions.help import NotUnderstood
from advisor.session.actions.interview import ConclusionShown, Expected
from advisor.session.actions.question import QuestionAsked
from advisor.session.actions.timeline import TraceGiven
from advisor.session.experiments import versions
from advisor.session.language import files
from advisor.session.language.launch_pairs import two_launches
from advisor.session.records import Card
from advisor.session.requests import CompareVersion, Concluded, Event, UserEvent
from advisor.session.state import State, launch_number
from advisor.session.transitions import add, wait
from advisor.view.blocks import Line

# After these events the numbers of a version may be complete.
_CONCLUDE: Final = (ConclusionShown, Answered, Skipped, Concluded, Expected)


class ReportGiven(UserEvent, frozen=True, tag="report"):
    """The user names a new report after a change to the code; it is compared with the launch."""

    path: str
    change: str = ""


class VersionBegun(UserEvent, frozen=True, tag="version"):
    """In an interview, the code was changed and its numbers are typed again.

    change: a description of the change; baseline: the version does other work, such as an experiment without one of two
    causes, so it is compared with none before it.
    """

    change: str = ""
    baseline: bool = False


class LogShown(UserEvent, frozen=True, tag="log"):
    """The experiment log is shown: version, time, observation, next step."""


class OutcomeAsked(UserEvent, frozen=True, tag="outcome"):
    """The user asks whether the last change helped, or why the new version is faster or slower."""

    text: str


def _outcome_asked(state: State, event: OutcomeAsked) -> State:
    """Answer with the last comparison."""
    last = next((card for card in reversed(state.cards) if card.kind == "compared"), None)
    if last is None or state.place != "launch":
        return state
    lead = Line(f"{last.title} ({last.aside}).", "strong")
    return add(state, Card("explanation", event.text, (lead, *last.blocks), state.position, label="Answer"))


def _log_shown(state: State, event: LogShown) -> State:
    """Show the log as a card, over the list of launches as a view."""
    if state.place == "launches":
        return replace(state, view="log", view_subject="")
    return add(state, versions.log_card(state)) if state.place == "launch" else state


def compared_when_done(state: State, event: Event) -> State:
    """Compare a new version as soon as its numbers are diagnosed and no question is open."""
    if not isinstance(event, _CONCLUDE) or not versions.is_open(state) or state.launch is None:
        return state
    if state.ask is not None or state.waiting or state.place != "launch":
        return state
    begun = next((event for event in reversed(state.log) if isinstance(event, VersionBegun)), VersionBegun())
    if begun.baseline:
        return versions.new_baseline(state, begun.change)
    return wait(state, CompareVersion("", 0, begun.change))


def opened(path: str) -> Event:
    """Return the event for a named file: read a trace, compare a report."""
    return TraceGiven((path,)) if files.is_trace(path) else ReportGiven(path)


def comparison_of(state: State, before: int, after: int) -> QuestionAsked:
    """Return the question that compares two launches of the open reports, by their positions."""
    launches = () if state.diagnosis is None else state.diagnosis.launches
    names = (launch_number(launches[at], state.several_reports) for at in (before, after))
    return QuestionAsked(f"compare launch {' with launch '.join(names)}", after)


def _compare(line: Typed, state: State) -> Event:
    if state.diagnosis is not None and not state.numbers:
        position = state.position if state.place == "launch" else None
        for lead in ("compare", "compare this with"):
            pair = two_launches(f"{lead} {line.text}", state.diagnosis.launches, position, state.several_reports)
            if pair is not None and "#" not in line.text[:1]:
                return comparison_of(state, *pair)
    path, change = files.file_and_rest(line.text)
    if path:
        return ReportGiven(path, change)
    if not line.text and state.place == "launch":
        return VersionBegun() if state.numbers else Asked("new_report")
    because = (
        "Name the report made after the change, such as /compare after.ncu-rep, or a launch of it: after.ncu-rep#2; "
        "or two launches: /compare 0 1, or c on two rows of the list. Tab completes the path."
    )
    return NotUnderstood("/compare", (), because)


def _compared(line: Typed, state: State) -> Event | None:
    path, change = files.file_and_rest(line.text)
    return ReportGiven(path, change) if files.names_file(line.text) else None


def _opened(line: Typed, state: State) -> Event | None:
    path = files.named_file(line.text)
    return opened(path) if path else None


def _reports(rest: str, state: State, listing: Listing) -> Iterable[str]:
    return listing(rest, files.REPORTS)


def _begun_words(event: VersionBegun, kernels: tuple[str, ...]) -> str:
    """Return the event in words for a replay."""
    return f"starts a new {'baseline' if event.baseline else 'version'}: {event.change or 'nothing'}"


_COMPARE: Final = Command(
    "compare",
    "compare with a new report, made after a change, or two launches: /compare 0 1",
    _compare,
    "file [what you changed]",
    group="method",
    shapes=(
        shape("(?:compare (?:it |this )?(?:with|to|against)|compare)", _compared),
        shape("(?:open|read|load|use)", _opened),
    ),
    complete=_reports,
    explicit=True,
    key="c",
    short="Compare",
)
_VERSION: Final = Command(
    "version",
    "typed numbers: a new version of the code",
    lambda line, state: VersionBegun(line.rest),
    "[what you changed]",
    group="method",
    explicit=True,
)
_BASELINE: Final = Command(
    "baseline",
    "typed numbers: a version that does other work, with which later ones are compared",
    lambda line, state: VersionBegun(line.rest, baseline=True),
    "[what you changed]",
    group="method",
    explicit=True,
)
_LOG: Final = Command(
    "log",
    "the log of versions: time, observation, next step",
    LogShown,
    group="method",
    said=("history", "experiments", "experiment log"),
)

ACTIONS: Final = (
    Action(
        ReportGiven,
        lambda state, event: versions.give_report(state, event.path, event.change),
        "opens the new report {path}",
        (_COMPARE,),
        step="6",
        results=(
            Result(
                CompareVersion,
                versions.compared,
                steps=lambda event, state: ("6", "1"),
                done=lambda event, state: ("5", "6"),
            ),
        ),
    ),
    Action(
        VersionBegun,
        lambda state, event: versions.begin_version(state, event.change),
        _begun_words,
        (_VERSION, _BASELINE),
        step="6",
    ),
    Action(OutcomeAsked, _outcome_asked, "asks: {text}"),
    Action(LogShown, _log_shown, "opens the experiment log", (_LOG,), step="6", mark="read"),
)
