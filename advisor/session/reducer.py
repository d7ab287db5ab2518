"""One function from a state and an event to the next state. All state of the session goes through here.

An event that makes no sense where it arrives (an answer to a question that is not asked, the outcome of work that
nobody waits for) leaves the state as it is and is not logged; nothing raises. `replay(state.log) == state` always
holds, and that is how Back works: it drops the last thing the user did and replays the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from advisor.session import events as e
from advisor.session import navigation, outcomes, views, writing
from advisor.session.experiments import versions as experiments
from advisor.session.interview import asking, expecting
from advisor.session.method import steps as method
from advisor.session.practice import handlers as practising
from advisor.session.state import State


def reduce(state: State, event: e.Event) -> State:
    """The state after the event."""
    if isinstance(event, e.Back):
        return _back(state)
    if state.place == "closed":
        return state
    after = _HANDLERS[type(event)](state, event)
    if after is state:
        return state
    after = method.stepped(experiments.compared_when_done(after, event), event)
    after = views.left_by(state, after, event)
    if after.diagnosis is not state.diagnosis:
        after = views.renewed(after)
    return replace(after, log=(*state.log, event))


def replay(events: Iterable[e.Event]) -> State:
    """The state that these events lead to from the beginning."""
    state = State()
    for event in events:
        state = reduce(state, event)
    return state


def can_go_back(state: State) -> bool:
    """Whether there is something to undo: anything the user did after the beginning."""
    return _last(state) is not None


def _back(state: State) -> State:
    """Without the last deed. Outcomes that came after it stay where the rest still waits for them.

    A view that was left again is no deed to undo, since it changed nothing: it goes with what was done before it.
    """
    at = _last(state)
    if at is None:
        return state
    after = (event for event in state.log[at + 1 :] if state.view or not isinstance(event, views.LOOKS))
    return replay((*state.log[:at], *after))


def _last(state: State) -> int | None:
    """The place of the last deed in the log, None where there is none."""
    passed = (*e.OUTCOMES, e.Began) if state.view else (*e.OUTCOMES, e.Began, *views.LOOKS)
    return next((at for at in range(len(state.log) - 1, -1, -1) if not isinstance(state.log[at], passed)), None)


def _quit(state: State, event: e.Quit) -> State:
    return replace(state, place="closed", waiting=())


_HANDLERS: dict[type, Callable[[State, Any], State]] = {
    e.Began: navigation.began,
    e.LaunchSelected: navigation.launch_selected,
    e.LaunchesShown: navigation.launches_shown,
    e.FindingShown: navigation.finding_shown,
    e.FixShown: navigation.fix_shown,
    e.EvidenceShown: navigation.evidence_shown,
    e.MissingShown: navigation.missing_shown,
    e.Asked: asking.asked,
    e.Answered: asking.answered,
    e.Skipped: asking.skipped,
    e.NapkinBegun: asking.napkin_begun,
    e.NumbersContinued: asking.numbers_continued,
    e.ConclusionShown: asking.conclusion_shown,
    e.WhyAsked: navigation.why_asked,
    e.HowAsked: navigation.how_asked,
    e.WhyNotAsked: navigation.why_not_asked,
    e.WhatIfAsked: navigation.what_if_asked,
    e.ExplainAsked: navigation.explain_asked,
    e.HelpAsked: navigation.help_asked,
    e.NotUnderstood: navigation.not_understood,
    e.Cancelled: outcomes.cancelled,
    e.Retried: outcomes.retried,
    e.StepsShown: method.steps_shown,
    e.StepShown: method.step_shown,
    e.CollectShown: method.collect_shown,
    e.Expected: expecting.expected,
    e.Volunteered: expecting.volunteered,
    e.ReportGiven: experiments.report_given,
    e.VersionBegun: experiments.version_begun,
    e.LogShown: experiments.log_shown,
    e.TraceGiven: experiments.trace_given,
    e.WriteAsked: writing.write_asked,
    e.Practised: practising.practised,
    e.ViewShown: views.view_shown,
    e.ViewLeft: views.view_left,
    e.SourceSought: views.source_sought,
    e.Supposed: views.supposed,
    e.Quit: _quit,
    e.Opened: outcomes.opened,
    e.Concluded: outcomes.concluded,
    e.Told: outcomes.told,
    e.Failed: outcomes.failed,
}
