"""The records of a diagnosis. Units: ns, bytes, bytes/s, Hz, percent 0-100; ratios are plain numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from advisor.records.record import (
    Count,
    Gain,
    Internal,
    NotNegative,
    Pairs,
    Percent,
    Positive,
    Record,
    Shape,
    Share,
    written,
)
from advisor.records.result import Diagnosis as Diagnosis

# Findings that end the search: the kernel is near what the GPU can do.
ENDS = ("near_memory_roofline", "near_compute_roofline")


class Comparison(Record, kw_only=True):
    """One comparison of an observation on one launch: a line of evidence.

    value is absent when unknown; holds is None, and there is no margin, where that leaves the comparison open. bound:
    `at_least` or `at_most` where the value is not known itself and only a bound of it is, which decides. margin_abs:
    distance from the threshold in the metric's unit, positive where the comparison holds, the least possible with a
    bound; margin: the same as a share of the threshold (of 1 where that is 0).
    """

    observation: str
    metric: str
    value: float | None = None
    bound: Literal["", "at_least", "at_most"] = ""
    unit: str
    test: str
    threshold: float | None = None
    holds: Internal[bool | None] = None
    margin: float | None = None
    margin_abs: float | None = None
    says: str
    cites: tuple[str, ...]


class Speedup(Record):
    """Estimated speedup of the named fix alone: old time over new, its range, the next limiter, and the reasons."""

    estimate: Gain
    low: Gain
    high: Gain
    next_limiter: str
    how: str


class Place(Record):
    """A line of a source file."""

    file: str
    line: int


class Location(Record):
    """A place in the code that carries a finding; share is of the metric's total, 0 to 1.

    calls: the calls that its hottest instruction was inlined at, innermost first.
    """

    file: str
    line: int
    pc: int
    sass: str
    metric: str
    share: float
    calls: tuple[Place, ...] = written(())


class Form(Record):
    """A pattern or a setting, and what it costs or gives.

    kind and numbers depend on the simulator, see `FixCheck`; result: wavefronts or sectors of a request, % of the warp
    slots, or waves. index: a pattern's index expression for the first of `sizes`, the rows or strides in elements (the
    offsets in bytes) that all fit.
    """

    kind: str
    result: float
    index: str = ""
    sizes: tuple[int, ...] = ()
    numbers: Pairs[float] = written(())


class FixCheck(Record):
    """Simulation of a fix with the launch's own numbers.

    simulator: banks, coalescing, occupancy or waves; of: the access, such as `shared load`; measured: the numbers it
    starts from. fits: the patterns that cost what was measured, several where counters cannot tell them apart (banks
    and coalescing: the fits of hardware/lanes.py, or mix: a share of the accesses at the worst, the rest at the
    ideal; or untried: lanes come and go).
    after: what the fix may make of it (pad, swizzle, shift, exchange, consecutive; registers, shared, block_size with
    the blocks and warps that then fit; grid). command: the simulator's command line, to try other forms.
    """

    simulator: Literal["banks", "coalescing", "occupancy", "waves"]
    of: str
    measured: Pairs[float]
    fits: tuple[Form, ...]
    after: tuple[Form, ...]
    command: str


class FixAdvice(Record):
    """A fix in words: its steps, its cost, the exercise that practises it, and the topics to read on in."""

    id: str
    summary: str
    steps: tuple[str, ...]
    costs: str
    practice: str
    see: tuple[str, ...] = written(())
    check: FixCheck | None = None


FindingKind = Literal["diagnosis", "trust", "note"]


class Finding(Record, kw_only=True):
    """A conclusion. `undecided` names what was unknown among the rule's `unless` conditions."""

    id: str
    kind: FindingKind
    title: str
    confidence: Share
    speedup: Speedup | None = None
    evidence: tuple[Comparison, ...]
    because: str
    rules: tuple[str, ...]
    undecided: tuple[str, ...] = written(())
    locations: tuple[Location, ...]
    fix: FixAdvice | None = None
    cites: tuple[str, ...]


class WorkloadUnit(Record):
    """A unit of a workload, in percent of its peak; clusters of 10 points are numbered from 0."""

    unit: str
    metric: str
    pct: Percent
    cluster: Count


class Verdict(Record, kw_only=True):
    """The class of a launch. `notes`: leading unit, co-limiting cluster, band, where the plain table differs.

    units: of a workload, the fullest first; band: of its top unit, high over 80 %, low under 60 %.
    """

    id: str
    title: Internal[str] = ""
    margin: float | None = None
    because: str
    evidence: tuple[Comparison, ...] = written(())
    notes: tuple[str, ...] = written(())
    units: tuple[WorkloadUnit, ...] = ()
    band: Literal["", "high", "middle", "low"] = ""


class Question(Record):
    """A question to the user. kind: number (unit given) or choice (choices given, id -> label)."""

    id: str
    ask: str
    why: str
    would_change: tuple[str, ...]
    kind: Literal["number", "choice"] = written("number")
    unit: str = written("")
    choices: Pairs[str] = written(())


class Missing(Record):
    """A metric that some rule needs and the report lacks, and the command that collects it."""

    metric: str
    needed_for: tuple[str, ...]
    collect: str


class BudgetStep(Record):
    """One fix of a budget, at its place in the order. `finding`: the id of the finding whose fix it is.

    Old time over new: `alone` if nothing else is done, `gain` after those before it are done, `total` of all up to it.
    """

    finding: str
    alone: Gain
    gain: Gain
    total: Gain
    next_limiter: str


class Budget(Record):
    """What the fixes of a launch give together, and in which order: their gains neither add up nor multiply.

    `left_out`: findings without an estimate, whose fixes are not in it.
    """

    together: Speedup
    steps: tuple[BudgetStep, ...] = msgspec.field(name="order")
    left_out: tuple[str, ...] = written(())


class Unit(Record):
    """What one unit needs of the time there: `need` as a share of it (1: it fills it).

    `ratio`: its work takes this many times as long there, from `low` to `high`; equal where the rates are known.
    """

    term: str
    name: Internal[str]
    need: NotNegative
    ratio: Positive
    low: Positive
    high: Positive


class Caveat(Record):
    """A thing that a prediction leaves open or rests on."""

    id: str
    says: str


class Elsewhere(Record):
    """The same launch on another GPU. ratio: time there over time here, so below 1 is faster; absent if it cannot run.

    durations in ns, absent where the time here is unknown; `occupancy_pct` and `waves` absent where unknown; `units`
    from the one that needs most; `class` and `findings` (ids) as the rules see the numbers there.
    """

    gpu: str
    here: str
    ratio: Positive | None = None
    low: Positive | None = None
    high: Positive | None = None
    duration_ns: Positive | None = None
    duration_low_ns: Positive | None = None
    duration_high_ns: Positive | None = None
    leader: str = msgspec.field(default="", name="limiter")
    units: tuple[Unit, ...] = written(())
    occupancy_pct: Percent | None = None
    waves: NotNegative | None = None
    class_id: str = msgspec.field(default="", name="class")
    class_title: Internal[str] = ""
    findings: tuple[str, ...] = written(())
    cannot: tuple[Caveat, ...] = written(())


class Here(Record):
    """The conclusion of the advisor on the subject of a rule of Nsight Compute.

    status: first (what the advisor would fix first), ranked (at `place` among the diagnoses), small (seen, worth under
    5 %), trust (a caveat), gave_way (to `by`), refuted (by `evidence` or `wanting`, names of conditions), unknown (the
    metrics `wanting` are), none (no diagnosis follows), class_same, class_differs. id: what this is about; speedup: of
    the advisor's finding; because: the second half of a sentence that says all this.
    """

    status: Literal[
        "first",
        "ranked",
        "small",
        "trust",
        "gave_way",
        "refuted",
        "unknown",
        "none",
        "class_same",
        "class_differs",
    ]
    subject: str = msgspec.field(default="", name="id")
    by: str = ""
    place: Count | None = None
    gain: Gain | None = msgspec.field(default=None, name="speedup")
    evidence: tuple[Comparison, ...] = written(())
    wanting: tuple[str, ...] = written(())
    because: str = written("")


class RuleVerdict(Record, kw_only=True):
    """What a rule of Nsight Compute says of a launch, and what the advisor says of the same subject.

    rule: its identifier, empty where a text names none; subject: in a few words; message: its sentence that says the
    most; speedup and local_pct: its largest estimate, as in RuleResult; times: how often it says so; leading: no other
    rule on a subject of ours estimates more; about: the ids on the same subject.
    """

    rule: str
    short: str = msgspec.field(name="subject")
    message: str
    times: int
    speedup: float | None = None
    local_pct: float | None = None
    leading: bool = written(False)
    about: tuple[str, ...]
    here: Here

    @property
    def saving(self) -> float:
        """The share of the kernel's time that the rule says can be saved, 0 where it says nothing of that."""
        return 1 - 1 / self.speedup if self.speedup else 0.0


class LaunchGpu(Record):
    """The GPU of a launch: its name in the report, its compute capability, its id here."""

    name: str
    cc: str
    known_as: str


class LaunchDiagnosis(Record, kw_only=True):
    """Everything concluded about one launch. `metrics`: the known canonical values, for pages and what-if.

    scope: `workload` for a graphics or compute workload that was typed in: it has neither grid nor block.
    """

    report: Count
    index: Count
    kernel: str
    kernel_full: str
    grid: Shape | None = None
    block: Shape | None = None
    duration_ns: NotNegative | None = None
    gpu: LaunchGpu
    verdict: Verdict = msgspec.field(name="class")
    scope: Literal["launch", "workload"] = "launch"
    findings: tuple[Finding, ...]
    budget: Budget | None = None
    on: Elsewhere | None = None
    ncu_rules: tuple[RuleVerdict, ...] = ()
    questions: tuple[Question, ...]
    missing: tuple[Missing, ...]
    metrics: Internal[Mapping[str, float]] = msgspec.field(default_factory=dict)
    labels: Internal[Mapping[str, str]] = msgspec.field(default_factory=dict)

    @property
    def gpu_name(self) -> str:
        """The GPU's name in the report, empty where that has none."""
        return self.gpu.name

    @property
    def cc(self) -> str:
        """The GPU's compute capability, such as `9.0`."""
        return self.gpu.cc

    @property
    def known_as(self) -> str:
        """The GPU's id, empty for one that is not known."""
        return self.gpu.known_as

    @property
    def saved_ns(self) -> float:
        """Nanoseconds that the first fix would save: duration x (1 - 1 / speedup); 0 where unknown."""
        gains = (f.speedup.estimate for f in self.findings if f.kind == "diagnosis" and f.speedup is not None)
        return (self.duration_ns or 0.0) * (1 - 1 / next(gains, 1.0))


class MeasuredCeilings(Record):
    """Rates that `practice calibrate` measured on a GPU of this machine and that were used as achievable."""

    gpu: str
    cc: str
    measured: str
    read_bytes_per_s: Positive
    copy_bytes_per_s: Positive
    fp32_flop_per_s: Positive
    fp64_flop_per_s: Positive
