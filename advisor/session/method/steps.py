"""What the launch (or the trace) shows for each step of the method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from advisor.session.experiments import timeline as show
from advisor.session.method.kernel import HERE, collecting, unknown
from advisor.session.records import Line
from advisor.session.state import State
from advisor.timeline.results import GpuTimeline, TimelineResult

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


def _of_trace(step: str, state: State) -> list[Line]:
    """Return what the trace shows for a system step; without a trace, how to open one."""
    found = show.of(state)
    if found is not None:
        return _OF_TRACE[step](*found)
    lines = [
        unknown("Unknown: no trace of the whole program is open. /timeline TRACE opens one."),
        Line("The report of one kernel does not show it. The numbers of nsys can also be typed.", "quiet"),
    ]
    return [*lines, *_share(state)] if step == "S4" else lines


def _share(state: State) -> list[Line]:
    """Return the kernel's share of the report's time, which is not that of the whole program."""
    launches, launch = (() if state.diagnosis is None else state.diagnosis.launches), state.launch
    whole = sum(each.duration_ns or 0.0 for each in launches)
    if launch is None or len(launches) < 2 or not whole or any(each.duration_ns is None for each in launches):
        return []
    mine = sum(each.duration_ns or 0.0 for each in launches if each.kernel_full == launch.kernel_full)
    share = f"{100 * mine / whole:.0f} % of the time"
    text = f"this kernel takes {share} of the {len(launches)} launches in the report; only a trace shows the whole"
    return [Line(text, "fact")]


def here(step: str, state: State) -> tuple[Line, ...]:
    """Return what the current launch or trace shows for a step; if that is nothing, what to collect."""
    if step in SYSTEM:
        return tuple(_of_trace(step, state))
    launch, lines = state.launch, HERE.get(step)
    if launch is None or lines is None:
        return (unknown("No launch is open yet, so nothing is known about yours: open a report, or type numbers."),)
    nothing = unknown("These numbers show nothing about this step.")
    return tuple(lines(state, launch)) or (nothing, *collecting(launch))
