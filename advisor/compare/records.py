"""The records of a comparison; all numbers are in canonical units, and None is unknown."""

from __future__ import annotations

from typing import Literal

import msgspec

from advisor.reasoning.time_model.noise import Judged, Spread, Word
from advisor.records.diagnosis import Finding, FindingKind, LaunchDiagnosis, LaunchGpu, MeasuredCeilings
from advisor.records.readings import ReportInfo
from advisor.records.record import Count, Gain, Internal, NotNegative, Positive, Record, Shape, written

State = Literal["gone", "stayed", "came", "unknown"]
Advice = Literal["go_on", "stop", "go_back", "look"]
Matched = Literal["shape", "name", "map", "only"]


class Times(Record):
    """Run times in ns: median, smallest, largest and count; noise: possible error of the median (0.03 is 3 %)."""

    median_ns: Positive
    low_ns: Positive
    high_ns: Positive
    runs: Count
    noise: NotNegative


class Cycles(Record):
    """SM cycles of the runs; the fields are those of Times."""

    median_cycles: Positive
    low_cycles: Positive
    high_cycles: Positive
    runs: Count
    noise: NotNegative


class Runs(Record, kw_only=True):
    """One kernel in one shape on one side.

    launches: indices of the runs in their report; shown: the run with the median duration, which represents them all;
    measured: the times were measured outside the profiler; first: its first finding of kind diagnosis.
    """

    kernel: str
    kernel_full: str
    grid: Shape | None = None
    block: Shape | None = None
    indexes: tuple[Count, ...] = msgspec.field(name="launches")
    shown: Count
    gpu: LaunchGpu
    measured: bool = written(False)
    time: Times | None = None
    profiled_ns: float | None = None
    sm_cycles: Cycles | None = msgspec.field(default=None, name="cycles")
    class_id: str = msgspec.field(name="class")
    first: str = ""
    launch: Internal[LaunchDiagnosis] = msgspec.field(name="_launch")
    times: Internal[Spread | None] = msgspec.field(name="_times")
    cycles: Internal[Spread | None] = msgspec.field(name="_cycles")


def runs_with(
    launches: tuple[LaunchDiagnosis, ...],
    launch: LaunchDiagnosis,
    times: Spread | None,
    cycles: Spread | None,
    measured: bool = False,
) -> Runs:
    """Return the runs of some launches. launch: the one that represents them; times, cycles: None if unknown."""
    return Runs(
        kernel=launch.kernel,
        kernel_full=launch.kernel_full,
        grid=launch.grid,
        block=launch.block,
        indexes=tuple(one.index for one in launches),
        shown=launch.index,
        gpu=launch.gpu,
        measured=measured,
        time=None if times is None else Times(times.median, times.low, times.high, times.runs, times.noise),
        profiled_ns=launch.duration_ns,
        sm_cycles=None if cycles is None else Cycles(cycles.median, cycles.low, cycles.high, cycles.runs, cycles.noise),
        class_id=launch.verdict.id,
        first=next((f.id for f in launch.findings if f.kind == "diagnosis"), ""),
        launch=launch,
        times=times,
        cycles=cycles,
    )


class MetricChange(Record):
    """A metric on both sides.

    change: points for a percentage, else after / before; absent if it has no meaning. shown: whether it is among the
    few to show. The internal weight compares changes (1: ten points, or a factor of two).
    """

    metric: str
    unit: str
    before: float | None = None
    after: float | None = None
    change: float | None = None
    change_in: Literal["", "points", "ratio"] = ""
    weight: Internal[float] = 0.0
    shown: bool = written(False)


class FindingChange(Record):
    """A finding of either side. `text` names anything unusual, such as a finding that became too small to matter.

    state: stayed only if both sides have it; unknown if the side without it lacks the metrics that decide it.
    """

    id: str
    title: str
    kind: FindingKind
    state: State
    before: Finding | None = None
    after: Finding | None = None
    text: str = ""


class Condition(Record):
    """A reason why the two sides may not be comparable.

    id: gpu, part, clock, control, size, counters, spread, kernel, work, tool, or that of a trust entry of one side.
    """

    id: str
    text: str
    cites: tuple[str, ...]


class Trap(Record, kw_only=True):
    """A percentage that moved against the time, and the work that explains it if known."""

    metric: str
    before: float
    after: float
    work: str = ""
    work_before: float | None = None
    work_after: float | None = None
    text: str
    cites: tuple[str, ...]


class Promise(Record):
    """The estimated gain of the base's first finding, and the measured result.

    outcome: open if the finding is still present and nothing changed.
    """

    id: str
    title: Internal[str]
    estimate: Gain
    low: Gain
    high: Gain
    measured: Positive
    outcome: Literal["held", "less", "more", "open", "worse"]
    text: str


class Reached(Record):
    """The utilisation of a unit on both sides in percent of peak, and the rate that kernels reach there."""

    metric: str
    name: str
    before: float | None = None
    after: float | None = None
    achievable: float | None = None


class Next(Record):
    """Advice to stop or to go on. gain: that of the next finding; absent if it is unknown or there is none."""

    advice: Advice
    finding: str = ""
    gain: float | None = None
    text: str = written("")
    cites: tuple[str, ...] = written(())


class JudgedBy(Record):
    """The current side compared with the base by one measure. change: relative change, -0.25 is a quarter less."""

    verdict: Word
    speedup: Positive
    change: float
    noise: NotNegative


class Threshold(Record):
    """One `--fail-on`. kind: relative (limit is a share), absolute (in the metric's unit), finding (name is its id)."""

    text: str
    kind: Literal["relative", "absolute", "finding"]
    name: str
    limit: float = 0.0


class Outcome(Record):
    """A threshold applied to one pair. crossed: absent if it could not be checked; text: the result in words."""

    threshold: Internal[Threshold] = msgspec.field(name="_threshold")
    asked: str = msgspec.field(name="threshold")
    crossed: bool | None = None
    text: str = written("")


class Pair(Record, kw_only=True):
    """One kernel before and after, compared by its time and, if the clocks differ, by its cycles."""

    matched: Matched
    base: Runs
    current: Runs
    verdict: Literal["faster", "slower", "same", "unknown"] = written("unknown")
    speedup: Positive | None = None
    change: float | None = None
    noise: NotNegative | None = None
    cycles: JudgedBy | None = msgspec.field(default=None, name="by_cycles")
    conditions: tuple[Condition, ...]
    findings: tuple[FindingChange, ...]
    promise: Promise | None = None
    next: Next
    units: tuple[Reached, ...]
    traps: tuple[Trap, ...]
    metrics: tuple[MetricChange, ...]
    fail_on: tuple[Outcome, ...] = written(())
    judged: Internal[Judged | None] = None
    by_cycles: Internal[Judged | None] = msgspec.field(default=None, name="_by_cycles")


class Compared(Record, tag_field="schema", tag="ncu-advisor/compare/1"):
    """Output of `ncu-advisor compare --format json`: matched kernels in the order of the base, then unmatched ones.

    measured_ceilings: those of this machine that affected the achievable rates, as in a diagnosis.
    """

    base: ReportInfo
    current: ReportInfo
    conditions: tuple[Condition, ...]
    pairs: tuple[Pair, ...]
    base_only: tuple[Runs, ...]
    current_only: tuple[Runs, ...]
    ceilings: tuple[MeasuredCeilings, ...] = msgspec.field(default=(), name="measured_ceilings")
