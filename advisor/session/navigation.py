"""Looking at launches and at what was concluded about them."""

from __future__ import annotations

from dataclasses import replace

from advisor.session import cards as make
from advisor.session import events as e
from advisor.session import strings
from advisor.session.experiments.timeline import pattern_card
from advisor.session.records import Card, Line
from advisor.session.state import State, main_finding
from advisor.session.transitions import add, look, reveal, wait
from advisor.session.views import places, where


def began(state: State, event: e.Began) -> State:
    """The first event: reports to read, traces, or an interview where there are neither."""
    if any(isinstance(before, e.Began) for before in state.log):
        return state
    numbers = not event.paths and not event.traces
    begun = replace(state, paths=event.paths, gpu=event.gpu, numbers=numbers, traces=event.traces)
    begun = wait(begun, e.Read(event.paths))
    return wait(begun, e.Trace(event.traces)) if event.traces else begun


def select(state: State, position: int) -> State:
    """A launch is looked at; its conclusions are told once and stay. Other positions are ignored."""
    if state.numbers or state.diagnosis is None or not 0 <= position < len(state.diagnosis.launches):
        return state
    launch = state.diagnosis.launches[position]
    first = main_finding(launch)
    state = replace(
        state, place="launch", position=position, finding=first.id if first else "", ask=None, reckoning=None
    )
    if not state.has_card("overview"):
        state = add(state, make.overview(launch, position, state.several_reports))
    return look(state)


def launch_selected(state: State, event: e.LaunchSelected) -> State:
    """A launch of the list is chosen."""
    return select(state, event.position)


def launches_shown(state: State, event: e.LaunchesShown) -> State:
    """Back to the list; an open question is put down."""
    if state.place != "launch" or state.numbers:
        return state
    return replace(state, place="launches", ask=None, reckoning=None)


def finding_shown(state: State, event: e.FindingShown) -> State:
    """Another finding of this launch comes to hand."""
    launch, finding = state.launch, state.finding_of(event.finding)
    pattern = pattern_card(state, event.finding) if finding is None and state.place == "launch" else None
    if pattern is not None:
        return add(state, pattern)
    if state.place != "launch" or launch is None or finding is None or state.position is None:
        return state
    card = make.finding_card(launch, replace(finding, locations=places(state, finding)), state.position)
    return add(reveal(state), card, finding=finding.id)


def fix_shown(state: State, event: e.FixShown) -> State:
    """The fix of the finding at hand, and what comes after it."""
    launch, finding = state.launch, state.finding_of(state.finding)
    if state.place != "launch" or launch is None or finding is None or state.position is None:
        return state
    after = make.next_card(launch, finding, state.position, state.lore.exercises) if finding.fix is not None else None
    return add(reveal(state), make.fix_card(finding, state.position, where(state, finding)), after)


def evidence_shown(state: State, event: e.EvidenceShown) -> State:
    """The numbers behind the finding at hand."""
    if state.place != "launch" or state.launch is None or state.position is None:
        return state
    card = make.evidence_card(state.launch, state.finding_of(state.finding), state.position)
    return add(reveal(state), card)


def missing_shown(state: State, event: e.MissingShown) -> State:
    """What the report lacks."""
    if state.place != "launch" or state.launch is None or state.position is None:
        return state
    return add(state, make.missing_card(state.launch, state.position))


def why_asked(state: State, event: e.WhyAsked) -> State:
    """Why a question is asked; with none open, why the class."""
    if state.place != "launch" or state.position is None:
        return state
    if state.ask is not None:
        said = state.has_card("evidence", state.ask.id)
        return state if said else add(state, make.why_question_card(state.ask, state))
    return state if state.launch is None else wait(state, e.Prove("how", state.position, state.launch.verdict.id))


def how_asked(state: State, event: e.HowAsked) -> State:
    """How a finding was concluded."""
    finding = event.finding or state.finding
    if state.place != "launch" or state.position is None or state.finding_of(finding) is None:
        return state
    return wait(reveal(state), e.Prove("how", state.position, finding))


def why_not_asked(state: State, event: e.WhyNotAsked) -> State:
    """Why a finding was not concluded."""
    if state.place != "launch" or state.position is None or state.launch is None or not event.finding:
        return state
    return wait(reveal(state), e.Prove("why_not", state.position, event.finding))


def what_if_asked(state: State, event: e.WhatIfAsked) -> State:
    """What would be concluded with other values."""
    if state.place != "launch" or state.position is None or state.launch is None or not event.values:
        return state
    return wait(reveal(state), e.Suppose(state.position, event.values))


def explain_asked(state: State, event: e.ExplainAsked) -> State:
    """What a word means."""
    return wait(state, e.Look(event.word, state.position)) if event.word and state.place == "launch" else state


def help_asked(state: State, event: e.HelpAsked) -> State:
    """What can be typed."""
    return add(state, make.help_card(state.position)) if state.place == "launch" else state


def not_understood(state: State, event: e.NotUnderstood) -> State:
    """What was typed means nothing here: what could have been meant. Over a view no card would be seen."""
    if state.place != "launch" or state.view:
        return state
    lines = [Line(event.because)] if event.because else []
    # They stand among the choices too, so one line has to do here.
    lines += [Line(strings.MEANT_APART.join(event.meant), "fact", strings.DID_YOU_MEAN)] if event.meant else []
    lines = lines or [Line(strings.TYPE_HELP)]
    return add(state, Card("error", event.text, tuple(lines), state.position, label="Not understood"))
