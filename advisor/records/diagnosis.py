"""The records of a diagnosis. Units: ns, bytes, bytes/s, Hz, percent 0-100; ratios are plain numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from advisor.records.deciding import Deciding
from advisor.records.quantities import MEDIUM_CONFIDENCE
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
from advisor.records.sampling import Sampling

# Findings that end the search: the kernel is near the limits of the GPU.
ENDS = ("near_memory_roofline", "near_compute_roofline")
# Findings that make all others of a launch worthless until they are fixed: they come first, whatever their kind.
OVERRIDES = ("debug_build",)


class Comparison(Record, kw_only=True):
    """One comparison of an observation on one launch: a line of evidence.

    value: absent if unknown; holds: None, without a margin, if the comparison is undecided. bound: `at_least` or
    `at_most` if only a bound of the value is known and it decides the comparison, `about` if the value is estimated
    from the machine code; `margin` then allows for the error of the estimate. margin_abs: distance from the
    threshold in the metric's unit, positive if the comparison holds; the minimum distance for a bound. margin: the
    same as a share of the threshold (of 1 if that is 0).
    """

    observation: str
    metric: str
    value: float | None = None
    bound: Literal["", "at_least", "at_most", "about"] = ""
    unit: str
    test: str
    threshold: float | None = None
    holds: Internal[bool | None] = None
    margin: float | None = None
    margin_abs: float | None = None
    says: str
    cites: tuple[str, ...]


class Speedup(Record):
    """Estimated speedup of the named fix alone: old time over new, its range, the next limiter, and the reasons.

    beside_ns: time outside the kernel that both times include: what launching it costs the host. The kernel's own time
    shares in the speedup: what a fix saves is counted of that time alone, and never more than the speedup says.
    """

    estimate: Gain
    low: Gain
    high: Gain
    next_limiter: str
    how: str
    beside_ns: NotNegative = 0.0

    def saved_ns(self, duration_ns: float | None) -> float:
        """Return the nanoseconds of the kernel's time that the fix saves at the estimate; 0 if unknown."""
        return saved_of(duration_ns, self.estimate)

    def saved_range_ns(self, duration_ns: float | None) -> tuple[float, float]:
        """Return the nanoseconds that the fix saves at both ends of the range, as `saved_ns`."""
        return saved_of(duration_ns, self.low), saved_of(duration_ns, self.high)


def saved_of(duration_ns: float | None, gain: float) -> float:
    """Return the part of a time that a speedup saves, in the unit of the time; 0 if the time is unknown."""
    return 0.0 if duration_ns is None else duration_ns * (1 - 1 / gain)


class Place(Record):
    """A line of a source file."""

    file: str
    line: int


class Location(Record):
    """A place in the code that causes a finding. share: of the metric's total, 0 to 1.

    sass: its hottest instruction; sass_share: the part of the metric's total that this instruction alone has, 0 to 1,
    None if unknown; calls: the calls at which that instruction was inlined, innermost first.
    """

    file: str
    line: int
    pc: int
    sass: str
    metric: str
    share: float
    calls: tuple[Place, ...] = written(())
    sass_share: float | None = None


class Form(Record):
    """A pattern or a setting, and its cost or result.

    kind and numbers depend on the simulator, see `FixCheck`; result: wavefronts or sectors per request, % of the warp
    slots, or waves. index: a pattern's index expression for the first of `sizes`; sizes: all fitting row lengths or
    strides in elements, or offsets in bytes.
    """

    kind: str
    result: float
    index: str = ""
    sizes: tuple[int, ...] = ()
    numbers: Pairs[float] = written(())


class FixCheck(Record):
    """Simulation of a fix with the launch's own numbers.

    simulator: banks, coalescing, occupancy or waves; of: the access, such as `shared load`; measured: the input
    numbers. fits: the patterns with the measured cost, several if counters cannot distinguish them (banks and
    coalescing: the fits of hardware/simulators.py; mix: a share of the accesses has the worst cost, the rest the
    ideal one; untried: the number of active lanes varies).
    after: possible results of the fix (pad, swizzle, shift, exchange, consecutive; registers, shared, block_size with
    the blocks and warps that then fit; grid). command: the simulator's command line, to try other forms.
    """

    simulator: Literal["banks", "coalescing", "occupancy", "waves"]
    of: str
    measured: Pairs[float]
    fits: tuple[Form, ...]
    after: tuple[Form, ...]
    command: str


class FixAdvice(Record):
    """The description of a fix: its steps, its cost, the exercise that practises it, and topics for further reading.

    before, after: a few lines of code without and with the fix, both or neither. because: why it suits this launch;
    empty if it suits every launch, or if that is unknown. needs, needs_not: what must and must not be so for it to
    suit, but is unknown of this launch.
    """

    id: str
    summary: str
    steps: tuple[str, ...]
    costs: str
    practice: str
    see: tuple[str, ...] = written(())
    check: FixCheck | None = None
    before: str = ""
    after: str = ""
    because: str = ""
    needs: tuple[str, ...] = ()
    needs_not: tuple[str, ...] = ()


FindingKind = Literal["diagnosis", "trust", "note"]


class Finding(Record, kw_only=True):
    """A conclusion. undecided: the rule's `unless` conditions that are unknown.

    fix: the one that suits the launch best; alternatives: other fixes that may suit, the best first.
    """

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
    alternatives: tuple[FixAdvice, ...] = ()
    cites: tuple[str, ...]


class Quantity(Record, kw_only=True):
    """A formula of step 3 with the numbers of one launch, independent of the time model.

    share: what `says` quantifies, 0 to 1, such as the wasted part; at_most: a bound of the speedup where `assumes` is
    so. holds: whether it is so on this launch; absent if unknown. inputs: the metrics that entered. bounds: the
    findings of this launch whose speedup cannot exceed `at_most`.
    """

    id: str
    title: str
    says: str
    share: Share | None = None
    at_most: Gain | None = None
    assumes: str = ""
    holds: bool | None = None
    inputs: Pairs[float]
    bounds: tuple[str, ...] = written(())
    cites: tuple[str, ...]


class WorkloadUnit(Record):
    """A unit of a workload, in percent of its peak; clusters of 10 points are numbered from 0."""

    unit: str
    metric: str
    pct: Percent
    cluster: Count


class Verdict(Record, kw_only=True):
    """The class of a launch. notes: leading unit, co-limiting cluster, band, difference from the plain table.

    units: of a workload, the highest utilisation first; band: of its top unit, high above 80 %, low below 60 %.
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
    """A question to the user. kind: `number` (with a unit) or `choice` (with choices, id -> label)."""

    id: str
    ask: str
    why: str
    would_change: tuple[str, ...]
    kind: Literal["number", "choice"] = written("number")
    unit: str = written("")
    choices: Pairs[str] = written(())


class Missing(Record):
    """A metric that a rule needs but the report lacks, and the command that collects it."""

    metric: str
    needed_for: tuple[str, ...]
    collect: str


class BudgetStep(Record):
    """One fix of a budget, in order. finding: the id of the finding that it fixes.

    Old time over new: `alone` for this fix only, `gain` after the fixes before it, `total` for all up to this one.
    """

    finding: str
    alone: Gain
    gain: Gain
    total: Gain
    next_limiter: str


class Budget(Record):
    """The combined speedup of a launch's fixes, and their order: single gains neither add up nor multiply.

    left_out: findings without an estimate, whose fixes are not included.
    """

    together: Speedup
    steps: tuple[BudgetStep, ...] = msgspec.field(name="order")
    left_out: tuple[str, ...] = written(())


class Unit(Record):
    """The load of one unit on the other GPU. need: its share of the time there (1: saturated).

    ratio: time of its work there over here, in the range `low` to `high`, which are equal if the rates are known.
    """

    term: str
    name: Internal[str]
    need: NotNegative
    ratio: Positive
    low: Positive
    high: Positive


class Caveat(Record):
    """An assumption or an open point of a prediction."""

    id: str
    says: str


class OtherGpu(Record):
    """The same launch on another GPU. ratio: time there over time here, so below 1 is faster; absent if it cannot run.

    durations in ns, absent if the time here is unknown; occupancy_pct, waves: absent if unknown; units: the highest
    need first; class, findings (ids): the result of the rules on the numbers there.
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
    """The advisor's conclusion on the subject of a rule of Nsight Compute.

    status: first (the advisor's first fix), ranked (at `place` among the diagnoses), small (detected, saves under
    5 %), trust (a caveat), gave_way (explained by `by`), refuted (by `evidence` or `wanting`, names of conditions),
    unknown (the metrics `wanting` are missing), none (no diagnosis follows), class_same, class_differs. id: of the
    subject; speedup: of the advisor's finding; because: the second half of a sentence that explains the status.
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
    lacking: tuple[str, ...] = written((), name="wanting")
    because: str = written("")


class RuleVerdict(Record, kw_only=True):
    """The result of a rule of Nsight Compute on a launch, and the advisor's conclusion on the same subject.

    rule: its identifier, empty if the text has none; subject: in a few words; message: its most informative sentence;
    speedup, local_pct: its largest estimate, as in RuleResult; times: number of its results; leading: whether its
    estimate is the largest of all rules on subjects of the advisor; about: the ids on the same subject.
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
        """The share of the kernel's time that the rule estimates to be saved, 0 if it has no such estimate."""
        return 1 - 1 / self.speedup if self.speedup else 0.0


class LaunchGpu(Record):
    """The GPU of a launch: its name in the report, its compute capability, its id in the knowledge base."""

    name: str
    cc: str
    known_as: str


class Conclusion(Record, kw_only=True):
    """A conclusion of the napkin math (`napkin.…`) or the quantification: an estimate (`gain.…`) or `advice.…`.

    kind: inconsistency (the kernel does not behave like its algorithm), contradiction (the numbers cannot all be
    right), distance (from the minimum time), estimate, or the advice stop, look or go_on; suggests: a diagnosis.
    """

    id: str
    kind: Literal["inconsistency", "contradiction", "distance", "estimate", "stop", "look", "go_on"]
    title: str
    because: str
    rules: tuple[str, ...]
    suggests: str = ""
    cites: tuple[str, ...]


class BlamedSlots(Record):
    """Issue slots that were lost waiting for one producer, in percent of all slots of the launch.

    producer: the instruction whose result, fixed latency or barrier warps waited for; used: where most of them waited.
    Producers with the same opcode on one source line count as one. ambiguous: the part of `percent` for which other
    instructions may be to blame as well; it is divided by executions over distance (source/producers.py). overwrites:
    `used` needs no result, but writes a register that the producer has yet to write or to read.
    """

    percent: Percent
    producer: Location
    used: Location
    ambiguous: Percent = 0.0
    overwrites: bool = False


class LostSlots(Record):
    """Issue slots that were lost to one stall reason, in percent of all slots of the launch.

    locations: the instruction that most warps waited at or, of scoreboards, fixed latencies and barriers, waited for,
    if read. blamed: the producers of these, most slots first; elsewhere: the slots of smaller producers; unattributed:
    those without a known producer. The three add up to `percent`; without a producer to blame, or if not read, none is
    given.
    """

    reason: str
    percent: Percent
    locations: tuple[Location, ...] = ()
    blamed: tuple[BlamedSlots, ...] = ()
    elsewhere: Percent | None = None
    unattributed: Percent | None = None


class IssueSlots(Record):
    """What became of the issue slots of a launch, in percent of all; they add up to 100.

    issued: an instruction was issued; idle: of SMs without a block; lost: a block was there and no warp could issue, by
    stall reason, most first. unattributed: the part of `lost` for which no instruction was found, or looked for
    (reasons of little weight); None if the instructions were not read.
    """

    issued: Percent
    idle: Percent
    lost: tuple[LostSlots, ...]
    unattributed: Percent | None = None


class LaunchDiagnosis(Record, kw_only=True):
    """All conclusions on one launch. metrics: the known canonical values, for pages and what-if.

    conclusions: of the napkin math and the quantification, which the findings and the advice rest on.
    scope: `workload` for a typed-in graphics or compute workload, which has no grid and no block. deciding: what would
    decide a launch without a diagnosis; None with one, and where nothing is lacking.
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
    conclusions: tuple[Conclusion, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    budget: Budget | None = None
    on: OtherGpu | None = None
    ncu_rules: tuple[RuleVerdict, ...] = ()
    sampling: Sampling | None = None
    issue_slots: IssueSlots | None = None
    questions: tuple[Question, ...]
    missing: tuple[Missing, ...]
    deciding: Deciding | None = None
    metrics: Internal[Mapping[str, float]] = msgspec.field(default_factory=dict)
    estimated: Internal[tuple[str, ...]] = ()
    labels: Internal[Mapping[str, str]] = msgspec.field(default_factory=dict)

    @property
    def gpu_name(self) -> str:
        """The GPU's name in the report, empty if it has none."""
        return self.gpu.name

    @property
    def cc(self) -> str:
        """The GPU's compute capability, such as `9.0`."""
        return self.gpu.cc

    @property
    def known_as(self) -> str:
        """The GPU's id, empty for an unknown GPU."""
        return self.gpu.known_as

    @property
    def saved_ns(self) -> float:
        """Nanoseconds that the first fix would save; 0 if unknown."""
        gain = self._first_gain()
        return 0.0 if gain is None else gain.saved_ns(self.duration_ns)

    @property
    def saved_range_ns(self) -> tuple[float, float]:
        """Nanoseconds that the first fix would save, at least and at most; 0 if unknown."""
        gain = self._first_gain()
        return (0.0, 0.0) if gain is None else gain.saved_range_ns(self.duration_ns)

    def _first_gain(self) -> Speedup | None:
        gains = (f.speedup for f in self.findings if f.kind == "diagnosis" and f.speedup is not None)
        return next(gains, None)

    @property
    def advice(self) -> Conclusion | None:
        """The advice to stop, to look for more or to go on; None if there is none."""
        return next((c for c in self.conclusions if c.id.startswith("advice.")), None)

    def bound_of(self, finding_id: str) -> Quantity | None:
        """Return the lowest bound of a finding's speedup whose assumption is not known to fail, None without one."""
        return lowest_bound(self.quantities, finding_id)


def lowest_bound(quantities: Iterable[Quantity], finding_id: str) -> Quantity | None:
    """Return the lowest bound of a finding's speedup whose assumption is not known to fail, None without one."""
    found = (q for q in quantities if finding_id in q.bounds and q.at_most and q.holds is not False)
    return min(found, key=lambda q: q.at_most or 0.0, default=None)


def report_path(diagnosis: Diagnosis | None, launch: LaunchDiagnosis) -> str:
    """Return the path of the report with this launch, empty if unknown."""
    reports = () if diagnosis is None else diagnosis.reports
    return Path(reports[launch.report].path).as_posix() if launch.report < len(reports) else ""


def main_finding(launch: LaunchDiagnosis) -> Finding | None:
    """Return the finding to fix first, else the first finding of another kind, else None."""
    return first_diagnosis(launch) or next(iter(launch.findings), None)


def first_diagnosis(launch: LaunchDiagnosis) -> Finding | None:
    """Return the finding to fix first: one that overrides all others, else the first diagnosis; None if none is."""
    return overriding(launch) or next((f for f in launch.findings if f.kind == "diagnosis"), None)


def dominant_unknown(launches: Sequence[LaunchDiagnosis]) -> int | None:
    """Return the position of the launch of more than half of all time whose saving is unknown, if there is one."""
    total = sum(launch.duration_ns or 0.0 for launch in launches)
    for at, launch in enumerate(launches):
        first = first_diagnosis(launch)
        unknown = first is None or (first.speedup is None and first.id not in ENDS)
        if unknown and len(launches) > 1 and 2 * (launch.duration_ns or 0.0) > total:
            return at
    return None


def is_settled(launch: LaunchDiagnosis, finding: Finding) -> bool:
    """Whether a launch may be called done, or near its limit, because of this finding.

    Never at low confidence, where a metric that would show waste is missing, or where the numbers are not valid.
    """
    unsound = any(f.id in (*OVERRIDES, "counter_implausible") for f in launch.findings)
    unseen = any(finding.id in lack.needed_for for lack in launch.missing)
    return finding.id in ENDS and finding.confidence >= MEDIUM_CONFIDENCE and not unsound and not unseen


def overriding(launch: LaunchDiagnosis) -> Finding | None:
    """Return the finding without whose fix no other conclusion on the launch can be believed; None if there is none."""
    return next((f for f in launch.findings if f.id in OVERRIDES), None)


class MeasuredCeilings(Record):
    """Rates that `practice calibrate` measured on a GPU of this machine and that were used as achievable."""

    gpu: str
    cc: str
    measured: str
    read_bytes_per_s: Positive
    copy_bytes_per_s: Positive
    fp32_flop_per_s: Positive
    fp64_flop_per_s: Positive
