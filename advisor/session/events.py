"""One module with all events of a session: user events (declared in `actions`), requests and their outcomes."""

from __future__ import annotations

from advisor.session.actions.answer import Answered, Asked, Skipped
from advisor.session.actions.begin import Began, Cancelled, Quit, Retried
from advisor.session.actions.collect import CollectShown, MissingShown
from advisor.session.actions.compare import LogShown, OutcomeAsked, ReportGiven, VersionBegun
from advisor.session.actions.explain import ExplainAsked
from advisor.session.actions.finding import EvidenceShown, FindingShown, FixShown, NoneFurther
from advisor.session.actions.help import HelpAsked, NotUnderstood
from advisor.session.actions.interview import (
    ConclusionShown,
    Expected,
    NumbersContinued,
    PageRead,
    PredictionsSet,
    Volunteered,
)
from advisor.session.actions.launches import LaunchesShown, LaunchSelected
from advisor.session.actions.napkin import NapkinBegun
from advisor.session.actions.practise import Practised
from advisor.session.actions.question import QuestionAsked
from advisor.session.actions.save import WriteAsked
from advisor.session.actions.source import SourceSought
from advisor.session.actions.steps import StepShown, StepsShown
from advisor.session.actions.timeline import TraceGiven
from advisor.session.actions.view import ViewLeft, ViewShown
from advisor.session.actions.whatif import Supposed, WhatIfAsked
from advisor.session.actions.why import HowAsked, WhyAsked, WhyNotAsked
from advisor.session.requests import (
    OUTCOMES,
    AnswerQuestion,
    Back,
    BuildCollectCommand,
    CompareVersion,
    Completed,
    Conclude,
    Concluded,
    Estimate,
    Event,
    Explain,
    Failed,
    Locate,
    Opened,
    Outcome,
    Practise,
    Prove,
    Read,
    ReadAhead,
    Request,
    Suppose,
    Trace,
    UserEvent,
    Value,
    ViewEvent,
    Write,
)
