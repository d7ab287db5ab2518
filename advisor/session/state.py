"""The whole state of a session, frozen; every screen displays it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from msgspec import Struct, field

from advisor.records.diagnosis import ENDS, Diagnosis, Finding, LaunchDiagnosis, dominant_unknown
from advisor.session.practice.exercising import Exercising
from advisor.session.records import Ask, Card, Experiment, KnowledgeIndex
from advisor.session.requests import OUTCOMES, Event, Locate, Request, Value, ViewEvent


class View(Struct, frozen=True):
    """A view of the session.

    module, screen: the module in tui/screens and the class of its screen; key: its keys, which work on every screen if
    `anywhere`; says: a phrase that describes what it shows.
    """

    module: str
    screen: str
    key: str
    name: str
    says: str
    anywhere: bool = False


# The views of a session besides the launches and the conversation. A screen is imported when it is first opened.
VIEWS: Final[Mapping[str, View]] = {
    "source": View("source", "SourceScreen", "s,f7", "Source", "Hot lines and instructions of this launch"),
    "proof": View("proof", "ProofScreen", "r,f8", "Proof", "The tree from the finding to its numbers and sources"),
    "whatif": View("whatif", "WhatIfScreen", "w,f9", "What if", "Try other values and see which conclusions change"),
    "steps": View("steps", "StepsScreen", "m,f5", "Steps", "The steps of the method, and where this session is"),
    "log": View("log", "LogScreen", "g,f10", "Log", "The experiment log: versions, times, observations"),
    "timeline": View(
        "timeline", "TimelineScreen", "t,f11", "Timeline", "The timeline of the open trace", anywhere=True
    ),
    "knowledge": View("knowledge", "KnowledgeScreen", "k,f12", "Knowledge", "Browse the knowledge base", anywhere=True),
    "practice": View("practice", "PracticeScreen", "", "Practice", "The exercises"),
}


class State(Struct, frozen=True):
    """The state of a session. log: the events without undone ones. place: start, launches, launch, closed.

    position: the selected launch, an index of diagnosis.launches; finding: the selected finding. answers: (position,
    question, value) in order, position None for numbers typed without a report; unknown and put_off (skipped):
    (position, question). napkin_input: the subject of a series of questions (an algorithm, the three times, the
    timeline) and its numbers so far. waiting: open requests, in order; stalled: one that failed or was cancelled.

    step: the current step of the method (an id of the catalog); visited: all steps so far, in order. progress:
    (position, step, done, skipped or read), position None for steps without a launch. expected: (position, predicted
    bound), None for no idea; expects: whether to ask for predictions. wanted: in an interview, the numbers worth asking
    for, the best first; None before the first conclusion. experiments: the log, a row per version. earlier: (launch,
    name of its version) of former versions, oldest first. timeline: the timeline.TimelineResult of the traces. view:
    the view over the conversation, one of VIEWS or empty; view_subject: its subject; view_stack: the views (view,
    subject) from which it was opened, oldest first. results: the results of requests of views, the newest last, one per
    equal request. supposing: the values in the what-if view. source_query: the query of the source view. exercising:
    the learner's place in the practice view, None before it was opened. paused: an interview that shows its conclusion.
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
        """Return the log index of the event that undo removes, None if there is none; closed views do not count."""
        passed = OUTCOMES if self.view else (*OUTCOMES, ViewEvent)
        places = (at for at in range(len(self.log) - 1, -1, -1) if not isinstance(self.log[at], passed))
        return next((at for at in places if getattr(self.log[at], "undoable", False)), None)

    @property
    def launch(self) -> LaunchDiagnosis | None:
        """Return the selected launch."""
        if self.diagnosis is None or self.position is None or self.position >= len(self.diagnosis.launches):
            return None
        return self.diagnosis.launches[self.position]

    @property
    def conversation(self) -> tuple[Card, ...]:
        """Return the cards about the selected launch; without a report or a launch, also those about no launch."""
        general = self.numbers or self.place == "start"
        return tuple(c for c in self.cards if c.position == self.position or (general and c.position is None))

    @property
    def several_reports(self) -> bool:
        """Return whether a launch's number must include the number of its report."""
        return self.diagnosis is not None and len(self.diagnosis.reports) > 1

    def result(self, request: Request) -> Any:
        """Return the result of an equal request of a view, None if there is none."""
        return next((result for asked, result in reversed(self.results) if asked == request), None)

    def finding_of(self, name: str) -> Finding | None:
        """Return the finding of this id on the selected launch."""
        launch = self.launch
        return None if launch is None else next((f for f in launch.findings if f.id == name), None)

    def concluded(self, name: str) -> bool:
        """Whether the class, a finding, or a conclusion of napkin math or quantification holds on the launch."""
        launch = self.launch
        held = launch is not None and name in (launch.verdict.id, *(one.id for one in launch.conclusions))
        return held or self.finding_of(name) is not None

    def has_card(self, kind: str, finding: str = "") -> bool:
        """Return whether this launch's conversation has such a card about the current version of the code."""
        return any(
            c.kind == kind and c.position == self.position and c.finding == finding and not c.past for c in self.cards
        )

    def answer(self, question: str) -> Value:
        """Return the latest answer to a question, for the selected launch or for all; None if there is none."""
        places = (None,) if self.numbers else (self.position, None)
        return next((v for p, q, v in reversed(self.answers) if q == question and p in places), None)


def shown_findings(state: State) -> set[str]:
    """Return the findings of the launch that were already shown."""
    cards = [c for c in state.cards if c.position == state.position and not c.past]
    return {c.finding for c in cards if c.kind in ("finding", "trust", "note")}


def next_finding(state: State) -> Finding | None:
    """Return the first finding of the launch that was not shown yet; findings of kind trust have their own card."""
    launch, shown = state.launch, shown_findings(state)
    if launch is None:
        return None
    return next((f for f in launch.findings if f.id not in shown and f.kind != "trust"), None)


def best_position(launches: Sequence[LaunchDiagnosis]) -> int:
    """Return the launch whose first fix saves most time, else the longest; 0 without launches.

    A launch of more than half of the time whose saving is unknown comes before: its fix may save more than all others.
    """
    unknown = dominant_unknown(launches)
    if unknown is not None:
        return unknown
    return max(
        range(len(launches)),
        key=lambda at: (launches[at].saved_ns, launches[at].duration_ns or 0.0, -at),
        default=0,
    )


def launch_number(launch: LaunchDiagnosis, several: bool) -> str:
    """Return a launch's index in its report, after the report's number if there are `several`: `1#3`."""
    return f"{launch.report}#{launch.index}" if several else f"{launch.index}"


def is_end(finding: Finding) -> bool:
    """Return whether a finding says that the kernel is as fast as the GPU allows."""
    return finding.id in ENDS
