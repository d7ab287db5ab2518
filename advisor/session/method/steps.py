"""The steps of the method: where the session stands, what each step says of the launch at hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from advisor.reasoning.collect import Gathered
from advisor.session import events as e
from advisor.session import strings
from advisor.session.cards import missing_card
from advisor.session.method import advanced as method_advanced
from advisor.session.method import kernel as method_kernel
from advisor.session.method import system as method_system
from advisor.session.method import words
from advisor.session.method.progress import progressed, step_card, steps_card
from advisor.session.method.telling import collecting
from advisor.session.records import Card, Line
from advisor.session.state import State
from advisor.session.transitions import add, wait

_OF_LAUNCH: Final = {**method_kernel.HERE, **method_advanced.HERE}
# Steps that a deed leads to, whatever came before it.
_DEEDS: Final[dict[type, str]] = {
    e.NapkinBegun: "0",
    e.EvidenceShown: "2",
    e.HowAsked: "2",
    e.WhyNotAsked: "2",
    e.WhatIfAsked: "3",
    e.Supposed: "3",
    e.FixShown: "5",
    e.ReportGiven: "6",
    e.VersionBegun: "6",
    e.LogShown: "6",
    e.SourceSought: "4F",
    e.CollectShown: "A",
    e.TraceGiven: "S1",
}
_VIEWS: Final = {"source": "4", "proof": "2", "whatif": "3", "timeline": "S2", "log": "6"}
_QUESTIONS: Final = {"new_report": "6", "report": "1", "trace": "S1", "variants": "0b", "timeline": "S2"}


def steps_shown(state: State, event: e.StepsShown) -> State:
    """All steps, and how far they are."""
    if not state.lore.steps:
        return state
    return add(state, steps_card(state)) if state.place == "launch" else _beside(state, "")


def step_shown(state: State, event: e.StepShown) -> State:
    """A step is gone to: what it is, and what is known of it here."""
    step = state.lore.step(event.step)
    if step is None:
        return state
    if state.place != "launch":
        return _beside(state, step.id)
    # What was asked is put down, so that the choices are those of the step; it stays among them.
    paused = state.paused or (state.numbers and state.ask is not None)
    card = step_card(step, here(step.id, state), state.position)
    return add(state, card, ask=None, reckoning=None, paused=paused)


def _beside(state: State, step: str) -> State:
    """Where there is no conversation: the view of the steps, at this one."""
    return replace(state, view="steps", view_subject=step) if state.place == "launches" else state


def here(step: str, state: State) -> tuple[Line, ...]:
    """What the launch (or the trace) at hand says to a step; where that is nothing, so much, and what to collect."""
    if step in method_system.STEPS:
        return tuple(method_system.here(step, state))
    launch, tell = state.launch, _OF_LAUNCH.get(step)
    if launch is None or tell is None:
        return (
            Line(
                "No launch is open yet, so nothing can be said about yours: open a report, or type numbers.", "unknown"
            ),
        )
    return tuple(tell(state, launch)) or (Line(words.NOTHING_HERE, "unknown"), *collecting(launch))


def stepped(state: State, event: e.Event) -> State:
    """The state at the step that the event led to, if it led to one, with how far the steps are."""
    progress = progressed(state, event)
    out = state if progress == state.progress else replace(state, progress=progress)
    for step in steps_of(event, state):
        if step != out.step:
            visited = out.visited if step in out.visited else (*out.visited, step)
            out = replace(out, step=step, visited=visited)
    return out


def steps_of(event: e.Event, state: State) -> tuple[str, ...]:
    """The steps that an event passes, the last of which is where the session then stands. state: after the event."""
    match event:
        case e.StepShown():
            gone_to = state.lore.step(event.step)
            return (gone_to.id,) if gone_to is not None else ()
        case e.Told(request=e.Trace()):
            # What a trace shows is read, its kernels ranked, and decided on in one card.
            return ("S2", "S4", "S5") if state.timeline is not None else ()
        case e.Told(request=e.Renew()):
            return ("6", "1")
        case e.Asked():
            return (_QUESTIONS[event.question],) if event.question in _QUESTIONS else ()
        case e.ViewShown():
            return (_VIEWS[event.view],) if event.view in _VIEWS else ()
        case e.FindingShown():
            return ("3",) if state.finding_of(event.finding) is not None else ("S3",)
        case e.WhyAsked():
            return ("1",) if state.ask is None else ()
        case e.Practised(action="sweep"):
            return ("5b",)
        case e.LaunchSelected() | e.Opened() | e.Expected() | e.ConclusionShown() | e.Concluded() | e.Skipped():
            return _revealed(state)
    step = _DEEDS.get(type(event))
    return (step,) if step is not None else ()


def _revealed(state: State) -> tuple[str, ...]:
    """Before the class is told the session stands at the napkin, from then on at the class; once passed nowhere new."""
    if state.place != "launch" or state.launch is None:
        return ()
    told = state.has_card("class")
    if not told:
        return ("0",) if not state.numbers else ()
    return ("1",) if state.step in ("", "0", "S1", "S2", "S4", "S5") or "1" not in state.visited else ()


def collect_shown(state: State, event: e.CollectShown) -> State:
    """The command that collects what is missing."""
    if state.place != "launch" or state.launch is None or state.position is None:
        return state
    if state.numbers:
        return add(state, missing_card(state.launch, state.position))
    return wait(state, e.Gather(state.position))


def gathered(state: State, request: e.Gather, result: Any) -> State:
    """The command was put together."""
    if not isinstance(result, Gathered):
        return state
    lines = []
    for section, needed, metrics in result.sections:
        titles = [state.lore.title(name) for name in needed]
        more = "" if len(titles) <= 4 else f" {strings.AND_MORE.format(count=len(titles) - 4)}"
        told = ", ".join(titles[:4]) + more if titles else "to place the launch"
        lines.append(Line(told, "fact" if metrics else "quiet", section))
    if result.command:
        lines += [
            Line(result.command, "strong", words.RUN),
            Line(
                ("Each section replays the kernel, some several times; source counters and the sampler cost the most."),
                "quiet",
            ),
        ]
    else:
        lines.append(Line(words.NOTHING_MISSING))
    return add(
        state,
        Card("missing", "The command that collects what is missing", tuple(lines), request.position, label="Collect"),
    )
