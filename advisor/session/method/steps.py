"""The steps of the method: their content for the current launch or trace, their cards, and their progress.

A step is done when its result is shown, never when it is selected: a question about the napkin math does not complete
the estimate, and a page about a fix does not complete the fix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

from advisor.session.action import Far
from advisor.session.experiments import timeline as show
from advisor.session.records import Card, Step
from advisor.session.state import State
from advisor.timeline.results import GpuTimeline, TimelineResult
from advisor.view.blocks import Line, Style
from advisor.view.numbers import counted

_MARKS: Final[dict[str, Style]] = {
    "here": "strong",
    "done": "holds",
    "skipped": "text",
    "read": "text",
    "open": "quiet",
}
_RANK: Final[tuple[Far, ...]] = ("open", "read", "skipped", "done")
_OF_TRACE: Final[dict[str, Callable[[TimelineResult, GpuTimeline], list[Line]]]] = {
    "S0": lambda result, gpu: show.range_lines(gpu),
    "S1": lambda result, gpu: [*show.trace_lines(result), *show.busy_lines(result, gpu)],
    "S1b": lambda result, gpu: [*show.pattern_lines(gpu), *show.unseen_line(gpu)],
    "S2": lambda result, gpu: [*show.busy_lines(result, gpu), *show.pattern_lines(gpu), *show.unseen_lines(gpu)],
    "S3": lambda result, gpu: show.fix_lines(gpu),
    "S4": lambda result, gpu: show.kernel_lines(gpu),
    "S5": lambda result, gpu: show.decision_lines(gpu),
    "S5b": lambda result, gpu: show.decision_lines(gpu),
}
SYSTEM: Final = tuple(_OF_TRACE)


class Row(Struct, frozen=True):
    """A step in the list, and its progress."""

    step: Step
    status: Literal["here", "done", "skipped", "read", "open"]


def rows(state: State) -> tuple[Row, ...]:
    """Return all steps in the order of the method with their progress; the current one is `here`."""
    return tuple(Row(step, "here" if step.id == state.step else far(state, step.id)) for step in state.knowledge.steps)


def steps_card(state: State) -> Card:
    """Return the list as a card, a line per step."""
    lines = [
        Line(row.step.title + ("" if row.status == "open" else f" ({row.status})"), _MARKS[row.status], row.step.id)
        for row in rows(state)
    ]
    lines.append(Line("/goto STEP shows a step.", "quiet"))
    done = sum(far(state, step.id) == "done" for step in state.knowledge.steps)
    aside = f"{done} of {len(state.knowledge.steps)} done"
    return Card("steps", "The steps of the method", tuple(lines), state.position, label="Steps", aside=aside)


def step_card(step: Step, here: tuple[Line, ...], position: int | None) -> Card:
    """Return the card of a step. here: facts about the current launch, shown before the general text."""
    lines = [Line(step.what)]
    lines += [Line(step.why, "quiet")] if step.why else []
    lines.append(Line("Here", "strong"))
    lines += [Line(line.text, line.style, line.label, line.depth + 1) for line in here]
    lines += [Line(text, "step") for text in step.steps]
    for label, texts in (("Know", step.points), ("Look at", step.look)):
        lines += [Line(text, "fact", label if at == 0 else " ") for at, text in enumerate(texts)]
    for label, text in (("Formula", step.formula), ("Example", step.example), ("Done when", step.exit)):
        lines += [Line(text, "fact", label)] if text else []
    lines += [Line(text, "fact", "Run" if at == 0 else " ") for at, text in enumerate(step.commands)]
    lines += [Line(step.misleads, "fact", "Misleads")] if step.misleads else []
    if step.exercise:
        lines.append(Line(f"ncu-advisor practice show {step.exercise}", "fact", "Practise"))
    lines += [Line(", ".join(step.see), "quiet", "See also")] if step.see else []
    for title, url in step.links:
        lines += [Line(title, "fact", "Read"), Line(url, "quiet", depth=1)]
    label = f"Step {step.id}"
    return Card("step", step.title, tuple(lines), position, step.id, label)


def far(state: State, step: str) -> Far:
    """Return the progress of a step on the current launch."""
    found = [how for place, name, how in state.progress if name == step and place in (None, state.position)]
    return max(found, key=_RANK.index, default="open")


def steps_to_reveal(state: State) -> tuple[str, ...]:
    """Return step 0 before the class is shown, step 1 after that, and no later step."""
    if state.place != "launch" or state.launch is None:
        return ()
    if not state.has_card("class"):
        return ("0",) if not state.numbers else ()
    return ("1",) if state.step in ("", "0", "S1", "S2", "S4", "S5") or "1" not in state.visited else ()


def _of_trace(step: str, state: State) -> list[Line]:
    """Return the lines of the trace for a system step; without a trace, how to open one."""
    found = show.of(state)
    if found is not None:
        return _OF_TRACE[step](*found)
    lines = [
        Line("Unknown: no trace of the whole program is open. /timeline TRACE opens one.", "unknown"),
        Line("A report of one kernel does not show it. You can also type the numbers of nsys.", "quiet"),
    ]
    return [*lines, *_share(state)] if step == "S4" else lines


def _share(state: State) -> list[Line]:
    """Return the kernel's share of the report's time, which is not its share of the whole program."""
    launches, launch = (() if state.diagnosis is None else state.diagnosis.launches), state.launch
    whole = sum(each.duration_ns or 0.0 for each in launches)
    if launch is None or len(launches) < 2 or not whole or any(each.duration_ns is None for each in launches):
        return []
    mine = sum(each.duration_ns or 0.0 for each in launches if each.kernel_full == launch.kernel_full)
    share = f"{100 * mine / whole:.0f} % of the time"
    text = f"this kernel takes {share} of the {counted(len(launches), 'launch')} in the report"
    text += "; only a trace shows its share of the program"
    return [Line(text, "fact")]


def here(step: str, state: State) -> tuple[Line, ...]:
    """Return the lines of the current launch or trace for a step; if there are none, what to collect."""
    if step in SYSTEM:
        return tuple(_of_trace(step, state))
    from advisor.session.method.kernel import HERE, collecting  # not needed before the first screen

    launch, lines = state.launch, HERE.get(step)
    if launch is None or lines is None:
        return (Line("No launch is open yet: open a report or type numbers.", "unknown"),)
    nothing = Line("These numbers show nothing about this step.", "unknown")
    return tuple(lines(state, launch)) or (nothing, *collecting(launch))
