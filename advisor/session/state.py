"""The whole state of a session, frozen. Every screen shows what it reads off it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from advisor.records.diagnosis import ENDS, Diagnosis, Finding, LaunchDiagnosis
from advisor.session.practice.exercising import Exercising
from advisor.session.records import Ask, Card, Experiment, KnowledgeIndex
from advisor.session.requests import OUTCOMES, Event, Locate, Request, Value, ViewEvent

# The views of a session besides the launches and the conversation; a face has a screen for each.
VIEWS = ("source", "proof", "whatif", "timeline", "knowledge", "practice", "steps", "log")


@dataclass(frozen=True, slots=True)
class State:
    """log: the events that count (undone ones are gone from it). place: start, launches, launch, closed.

    position: the launch looked at, a place in diagnosis.launches; finding: the selected finding. answers holds
    (position, question, value) in the order given, position None for numbers typed without a report; unknown and
    put_off (skipped) hold (position, question). napkin_input: what a series of questions is about (an algorithm, the
    three times, the timeline) and its numbers so far. waiting: requests not yet answered, in order; stalled: one that
    failed or was cancelled.

    step: the step of the method that the session is at (an id of the catalog), visited: all that it was at, in order.
    progress: (position, step, done, skipped or read); position None for steps of no launch. expected: (position, bound)
    that the user predicted, None for no idea; expects: whether a prediction is asked for before each first look.
    wanted: in an interview, the numbers worth asking for, the best first; None before the first conclusion.
    experiments: the log, a row a version. earlier: (launch, its version's name) of former versions of the launch,
    oldest first. timeline: the result of the traces (timeline.TimelineResult). view: what lies over the conversation,
    one of VIEWS or empty, and view_subject what it is about; view_stack: the views (view, subject) that it was opened
    from, oldest first. results: what requests of views came to, the newest last, one an equal request. supposing: the
    values tried in the what-if view. source_query: what the source view shows. exercising: where the learner is in the
    practice view, None before it was opened. paused: an interview that shows its conclusion and asks no more until
    that is wanted.
    """

    log: tuple[Event, ...] = ()
    place: str = "start"
    paths: tuple[str, ...] = ()
    numbers: bool = False
    gpu: str = ""
    knowledge: KnowledgeIndex = field(default_factory=KnowledgeIndex)
    diagnosis: Diagnosis | None = None
    position: int | None = None
    finding: str = ""
    cards: tuple[Card, ...] = ()
    ask: Ask | None = None
    napkin_input: tuple[str, tuple[tuple[str, float | str], ...]] | None = None
    answers: tuple[tuple[int | None, str, float | str], ...] = ()
    unknown: tuple[tuple[int | None, str], ...] = ()
    put_off: tuple[tuple[int | None, str], ...] = ()
    waiting: tuple[Request, ...] = ()
    stalled: Request | None = None
    step: str = ""
    visited: tuple[str, ...] = ()
    progress: tuple[tuple[int | None, str, Literal["done", "skipped", "read", "open"]], ...] = ()
    expected: tuple[tuple[int | None, str | None], ...] = ()
    expects: bool = True
    wanted: tuple[str, ...] | None = None
    experiments: tuple[Experiment, ...] = ()
    earlier: tuple[tuple[LaunchDiagnosis, str], ...] = ()
    traces: tuple[str, ...] = ()
    timeline: Any = None
    view: str = ""
    view_subject: str = ""
    results: tuple[tuple[Request, Any], ...] = ()
    supposing: tuple[tuple[str, float], ...] = ()
    source_query: Locate | None = None
    paused: bool = False
    view_stack: tuple[tuple[str, str], ...] = ()
    exercising: Exercising | None = None

    @property
    def last_undoable(self) -> int | None:
        """The place in the log of the event that undo takes back, None where there is none.

        A view that was left again is nothing to undo, since it changed nothing.
        """
        passed = OUTCOMES if self.view else (*OUTCOMES, ViewEvent)
        places = (at for at in range(len(self.log) - 1, -1, -1) if not isinstance(self.log[at], passed))
        return next((at for at in places if getattr(self.log[at], "undoable", False)), None)

    @property
    def launch(self) -> LaunchDiagnosis | None:
        """The launch that is looked at."""
        if self.diagnosis is None or self.position is None or self.position >= len(self.diagnosis.launches):
            return None
        return self.diagnosis.launches[self.position]

    @property
    def conversation(self) -> tuple[Card, ...]:
        """The cards about the launch looked at; without a report, or before there is a launch, those about none too."""
        general = self.numbers or self.place == "start"
        return tuple(c for c in self.cards if c.position == self.position or (general and c.position is None))

    @property
    def several_reports(self) -> bool:
        """Whether launches need their report's number to be told apart."""
        return self.diagnosis is not None and len(self.diagnosis.reports) > 1

    def result(self, request: Request) -> Any:
        """The result of an equal request of a view, None where there is none."""
        return next((result for asked, result in reversed(self.results) if asked == request), None)

    def finding_of(self, name: str) -> Finding | None:
        """The finding of this id on the launch looked at."""
        launch = self.launch
        return None if launch is None else next((f for f in launch.findings if f.id == name), None)

    def has_card(self, kind: str, finding: str = "") -> bool:
        """Whether this launch's conversation has such a card, about its code as it is now."""
        return any(
            c.kind == kind and c.position == self.position and c.finding == finding and not c.past for c in self.cards
        )

    def answer(self, question: str) -> Value:
        """The latest answer to a question, for the launch looked at or for all; None when there is none."""
        places = (None,) if self.numbers else (self.position, None)
        return next((v for p, q, v in reversed(self.answers) if q == question and p in places), None)


def main_finding(launch: LaunchDiagnosis) -> Finding | None:
    """What comes first: the first diagnosis, else the first finding of another kind, else nothing."""
    return next((f for f in launch.findings if f.kind == "diagnosis"), launch.findings[0] if launch.findings else None)


def launch_number(launch: LaunchDiagnosis, several: bool) -> str:
    """A launch's index in its report, after the report's number where there are `several`: `1#3`."""
    return f"{launch.report}#{launch.index}" if several else f"{launch.index}"


def is_end(finding: Finding) -> bool:
    """Whether a finding says that the kernel is as fast as the machine allows."""
    return finding.id in ENDS
