"""The JSON document of a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from advisor.compare.records import Pair
from advisor.practice.state import Prediction, state_of
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.readings import ReportInfo
from advisor.records.record import Count, NotNegative, Percent, Positive, Record, named, written
from advisor.session.export.document import (
    Subject,
    cites,
    class_summary,
    first_summary,
    gain_summary,
    opened_exercises,
    subjects,
    title,
)
from advisor.session.practice.exercising import Exercising
from advisor.session.practice.pages import quiz_right
from advisor.session.records import Card, Experiment
from advisor.session.state import State
from advisor.timeline.results import TimelineResult
from advisor.view.blocks import Style


class TurnLine(Record):
    """A line of a turn, indented by `depth` levels."""

    text: str
    style: Style
    label: str = ""
    depth: Count = written(0)


class ConversationTurn(Record, kw_only=True):
    """A turn of the conversation. about: id of a finding or question, or a version; past: of a former version."""

    kind: str
    label: str
    title: str
    aside: str = ""
    about: str = ""
    past: bool
    lines: tuple[TurnLine, ...]


class LoggedVersion(Record, kw_only=True):
    """A version of the code. ratio: time of the previous version divided by this one's."""

    version: str
    change: str
    duration_ns: NotNegative | None = None
    ratio: NotNegative | None = None
    class_id: str = msgspec.field(default="", name="class")
    finding: str = ""
    observation: str
    next: str


class ComparedVersions(Record):
    """The comparison of one version with the next; pair: as in the document of `compare`."""

    before: str
    after: str
    change: str
    pair: Pair


class SessionPrediction(Record, kw_only=True):
    """A prediction for a version (`mine`: the learner's own); points and right answers once the answer was shown."""

    step: str
    class_id: str = msgspec.field(name="class")
    cause: str
    speedup: Positive
    points: Percent | None = None
    actual_class: str = ""
    actual_cause: str = ""
    actual_speedup: Positive | None = None
    estimate: Positive | None = msgspec.field(default=None, name="estimate_ns")
    actual_estimate: Positive | None = msgspec.field(default=None, name="actual_estimate_ns")


class SessionExercise(Record):
    """An exercise with the practice record of this session. solutions: versions whose solution was read."""

    name: str
    title: str
    state: Literal["new", "started", "tried", "solved"]
    attempts: Count
    hints: Annotated[tuple[Count, Count], named("taken", "all")]
    quiz: Annotated[tuple[Count, Count, Count], named("right", "answered", "all")]
    solutions: tuple[str, ...]
    predictions: tuple[SessionPrediction, ...]


class SessionKernel(Record, kw_only=True):
    """A kernel; summary and launch are present only if its class was shown in the session.

    earlier: former versions, the oldest first; expected: the bound that the user expected; answers: in the order given;
    the last of several to one question counts; unknown: questions answered with "I don't know".
    """

    name: str
    version: str = ""
    summary: Annotated[tuple[str, str, str], named("class", "first", "gave")] | None = None
    launch: LaunchDiagnosis | None = None
    earlier: tuple[Annotated[tuple[str, LaunchDiagnosis], named("version", "launch")], ...]
    expected: str | None = None
    answers: tuple[Annotated[tuple[str, float | str], named("question", "value")], ...]
    unknown: tuple[str, ...]
    put_off: tuple[str, ...]
    experiments: tuple[LoggedVersion, ...]
    comparisons: tuple[ComparedVersions, ...]
    conversation: tuple[ConversationTurn, ...]


class SessionDocument(Record, kw_only=True, tag_field="schema", tag="ncu-advisor/session/1"):
    """A session: for each kernel its conversation, conclusions, comparisons and questions.

    Home folders, user and host names are masked. typed: all numbers were typed, without a report; steps: of the method,
    in order; general: turns about no kernel; sources: key of a source to the source in words.
    """

    title: str
    reports: tuple[ReportInfo, ...]
    traces: tuple[str, ...]
    typed: bool
    gpu: str = ""
    steps: tuple[str, ...]
    kernels: tuple[SessionKernel, ...]
    general: tuple[ConversationTurn, ...]
    timeline: TimelineResult | None = None
    practice: tuple[SessionExercise, ...]
    sources: Mapping[str, str]


def session_record(state: State) -> SessionDocument:
    """Return the whole document. A kernel whose class was not shown gets no conclusions."""
    every = subjects(state)
    shown = [one for one in every if one.position is not None]
    return SessionDocument(
        title=title(state, shown),
        reports=state.diagnosis.reports if state.diagnosis is not None else (),
        traces=state.traces,
        typed=state.numbers,
        gpu=state.gpu or "",
        steps=tuple(state.visited),
        kernels=tuple(_kernel(state, one) for one in shown),
        general=tuple(_turn(card) for one in every if one.position is None for card in one.cards),
        timeline=state.timeline if isinstance(state.timeline, TimelineResult) else None,
        practice=tuple(map(_exercise, opened_exercises(state))),
        sources={key: state.knowledge.source(key) for key in cites(shown)},
    )


def _kernel(state: State, subject: Subject) -> SessionKernel:
    launch = subject.launch if subject.revealed else None
    places = (None,) if state.numbers else (None, subject.position)
    bounds = [bound for place, bound in state.expected if place == subject.position]
    summary = (class_summary(subject), first_summary(subject), gain_summary(subject))
    return SessionKernel(
        name=subject.name,
        version=subject.version,
        summary=None if launch is None else summary,
        launch=launch,
        earlier=tuple((name, one) for one, name in subject.earlier),
        expected=bounds[-1] if bounds else None,
        answers=tuple((question, value) for place, question, value in state.answers if place in places),
        unknown=tuple(question for place, question in state.unknown if place in places),
        put_off=tuple(question for place, question in state.put_off if place in places),
        experiments=tuple(map(_version, subject.experiments)),
        comparisons=tuple(ComparedVersions(s.before, s.after, s.change, s.pair) for s in subject.steps),
        conversation=tuple(map(_turn, subject.cards)),
    )


def _version(row: Experiment) -> LoggedVersion:
    return LoggedVersion(
        version=row.version,
        change=row.change,
        duration_ns=row.duration_ns,
        ratio=row.ratio,
        class_id=row.class_id,
        finding=row.finding,
        observation=row.observation,
        next=row.next_step,
    )


def _turn(card: Card) -> ConversationTurn:
    return ConversationTurn(
        kind=card.kind,
        label=card.label,
        title=card.title,
        aside=card.aside,
        about=card.finding,
        past=card.past,
        lines=tuple(TurnLine(line.text, line.style, line.label, line.depth) for line in card.lines),
    )


def _exercise(one: Exercising) -> SessionExercise:
    exercise, record = one.lesson.exercise, one.known
    return SessionExercise(
        name=exercise.name,
        title=exercise.title,
        state=state_of(record),
        attempts=record.attempts,
        hints=(record.hints, len(exercise.hints)),
        quiz=(quiz_right(one), len(record.quiz), 0 if one.reads else len(exercise.quiz)),
        solutions=tuple(record.solutions),
        predictions=tuple(map(_prediction, record.predictions)),
    )


def _prediction(made: Prediction) -> SessionPrediction:
    return SessionPrediction(
        step=made.step,
        class_id=made.class_id,
        cause=made.cause,
        speedup=made.speedup,
        points=made.points,
        actual_class=made.actual_class,
        actual_cause=made.actual_cause,
        actual_speedup=made.actual_speedup,
    )
