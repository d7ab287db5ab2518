"""What a comparison consists of: frozen records, all numbers in canonical units, unknown is None."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from advisor.records.diagnosis import Finding, LaunchDiagnosis, MeasuredCeilings
from advisor.records.readings import ReportInfo

if TYPE_CHECKING:
    from advisor.reasoning.time_model.noise import Judged, Spread

State = Literal["gone", "stayed", "came"]
Advice = Literal["go_on", "stop", "go_back", "look"]
Matched = Literal["shape", "name", "map", "only"]


@dataclass(frozen=True, slots=True)
class Runs:
    """One kernel in one shape on one side. `launch`: the one whose duration is the median, which speaks for them all.

    times: of the runs, None where no time is known; measured: they were measured outside the profiler; cycles: SM
    cycles of the runs.
    """

    launches: tuple[LaunchDiagnosis, ...]
    launch: LaunchDiagnosis
    times: Spread | None
    cycles: Spread | None
    measured: bool = False

    @property
    def indexes(self) -> tuple[int, ...]:
        """The places of the runs in their report."""
        return tuple(launch.index for launch in self.launches)


@dataclass(frozen=True, slots=True)
class MetricChange:
    """A metric on both sides. change: points for a percentage, else after over before; None where it has no meaning.

    weight: how large the change is beside others (1: ten points, or a factor of two); shown: among the few to look at.
    """

    metric: str
    unit: str
    before: float | None
    after: float | None
    change: float | None
    weight: float
    shown: bool


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding of either side. `text` tells what is odd about it, such as one that became too small to matter."""

    id: str
    title: str
    kind: str
    state: State
    before: Finding | None
    after: Finding | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """Why the two sides may not be comparable.

    id: gpu, part, clock, control, size, counters, spread, kernel, tool, or that of a trust entry of one side.
    """

    id: str
    text: str
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trap:
    """A percentage that moved against the time, and the work that explains it; work is None where it is unknown."""

    metric: str
    before: float
    after: float
    work: str
    work_before: float | None
    work_after: float | None
    text: str
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Promise:
    """What the base's first finding was estimated to give, and what came of it.

    outcome: held, less, more, open (the finding is still there and nothing moved), worse.
    """

    id: str
    title: str
    estimate: float
    low: float
    high: float
    measured: float
    outcome: str
    text: str


@dataclass(frozen=True, slots=True)
class Reached:
    """A unit on both sides, in percent of peak, and what kernels reach there."""

    metric: str
    name: str
    before: float | None
    after: float | None
    achievable: float | None


@dataclass(frozen=True, slots=True)
class Next:
    """Stop or go on. gain: of the finding that comes next; None where it is unknown or there is none."""

    advice: Advice
    text: str
    finding: str
    gain: float | None
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """One kernel before and after. judged: None where a side has no time; by_cycles: where the clocks differ."""

    base: Runs
    current: Runs
    matched: Matched
    judged: Judged | None
    by_cycles: Judged | None
    conditions: tuple[Condition, ...]
    metrics: tuple[MetricChange, ...]
    findings: tuple[FindingChange, ...]
    units: tuple[Reached, ...]
    traps: tuple[Trap, ...]
    promise: Promise | None
    next: Next


@dataclass(frozen=True, slots=True)
class Compared:
    """Two reports, or parts of them: matched kernels in the order of the base, and what has no partner.

    ceilings: those measured on this machine that decided what is achievable, as a diagnosis records them.
    """

    base: ReportInfo
    current: ReportInfo
    conditions: tuple[Condition, ...]
    pairs: tuple[Pair, ...]
    base_only: tuple[Runs, ...]
    current_only: tuple[Runs, ...]
    ceilings: tuple[MeasuredCeilings, ...] = ()
