"""What the launch (or the trace) shows for each step of the method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from advisor.session.experiments import timeline as show
from advisor.session.method import annexes, kernel
from advisor.session.method.kernel import NOTHING_HERE, collecting
from advisor.session.state import State
from advisor.timeline.results import GpuTimeline, TimelineResult
from advisor.view.blocks import Line

_OF_LAUNCH: Final = {**kernel.HERE, **annexes.HERE}
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
    """What the trace says to a system step; without one, that nothing is known and what can be done."""
    found = show.of(state)
    if found is not None:
        return _OF_TRACE[step](*found)
    lines = [
        Line(
            ("No trace of the whole program is open, so nothing is known of this: /timeline TRACE opens one."),
            "unknown",
        ),
        Line("The report of one kernel cannot tell. What nsys shows can also be typed, number by number.", "quiet"),
    ]
    return [*lines, *_share(state)] if step == "S4" else lines


def _share(state: State) -> list[Line]:
    """How much of the report's own time the kernel at hand takes: less than a trace tells, and said so."""
    launches, launch = (() if state.diagnosis is None else state.diagnosis.launches), state.launch
    whole = sum(each.duration_ns or 0.0 for each in launches)
    if launch is None or len(launches) < 2 or not whole or any(each.duration_ns is None for each in launches):
        return []
    mine = sum(each.duration_ns or 0.0 for each in launches if each.kernel_full == launch.kernel_full)
    return [
        Line(
            (
                f"of the {len(launches)} launches in the report this kernel takes {100 * mine / whole:.0f} % "
                "of the time; only a trace tells of the whole"
            ),
            "fact",
        )
    ]


def here(step: str, state: State) -> tuple[Line, ...]:
    """What the launch (or the trace) at hand says to a step; where that is nothing, so much, and what to collect."""
    if step in SYSTEM:
        return tuple(_of_trace(step, state))
    launch, tell = state.launch, _OF_LAUNCH.get(step)
    if launch is None or tell is None:
        return (
            Line(
                "No launch is open yet, so nothing can be said about yours: open a report, or type numbers.", "unknown"
            ),
        )
    return tuple(tell(state, launch)) or (Line(NOTHING_HERE, "unknown"), *collecting(launch))
