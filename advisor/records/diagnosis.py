"""The frozen records that cross rooms. Units: ns, bytes, bytes/s, Hz, percent 0-100; ratios are plain numbers.

Those of the readers stand in `readings` and are handed on here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from advisor.records.result import Diagnosis as Diagnosis

# Findings that end the search: the kernel is near what the card can do.
ENDS = ("near_memory_roofline", "near_compute_roofline")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison of an observation on one launch: a line of evidence.

    value is None when unknown; holds is None, and there is no margin, where that leaves the comparison open. bound:
    `at_least` or `at_most` where the value is not known itself and only a bound of it is, which decides. margin_abs:
    distance from the threshold in the metric's unit, positive where the comparison holds, the least possible with a
    bound; margin: the same as a share of the threshold (of 1 where that is 0).
    """

    observation: str
    metric: str
    value: float | None
    unit: str
    test: str
    threshold: float | None
    holds: bool | None
    margin: float | None
    margin_abs: float | None
    cites: tuple[str, ...]
    says: str
    bound: str = ""


@dataclass(frozen=True, slots=True)
class Speedup:
    """What the named fix alone would give: old time over new, its range, the next limiter, how it was reckoned."""

    estimate: float
    low: float
    high: float
    next_limiter: str
    how: str


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the code that carries a finding; share is of the metric's total, 0 to 1.

    calls: (file, line) of the calls that its hottest instruction was inlined at, innermost first.
    """

    file: str
    line: int
    pc: int
    sass: str
    metric: str
    share: float
    calls: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """A pattern or a setting, and what it costs or gives.

    kind and numbers depend on the simulator, see `FixCheck`; result: wavefronts or sectors of a request, % of the warp
    slots, or waves. index: a pattern's index expression for the first of `sizes`, the rows or strides in elements (the
    offsets in bytes) that all fit.
    """

    kind: str
    result: float
    numbers: tuple[tuple[str, float], ...] = ()
    index: str = ""
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FixCheck:
    """What a simulator says of a fix with the launch's own numbers.

    simulator: banks, coalescing, occupancy or waves; of: the access, such as `shared load`; measured: the numbers it
    starts from. fits: the patterns that cost what was measured, several where counters cannot tell them apart (banks
    and coalescing: the fits of hardware/lanes.py, or mix: a share of the accesses at the worst, the rest at the
    ideal; or untried: lanes come and go).
    after: what the fix may make of it (pad, swizzle, shift, exchange, consecutive; registers, shared, block_size with
    the blocks and warps that then fit; grid). command: the simulator's command line, to try other forms.
    """

    simulator: str
    of: str
    measured: tuple[tuple[str, float], ...]
    fits: tuple[Form, ...]
    after: tuple[Form, ...]
    command: str


@dataclass(frozen=True, slots=True)
class FixAdvice:
    """A fix in words: its steps, what it costs, the exercise that practises it, and the topics to read on in."""

    id: str
    summary: str
    steps: tuple[str, ...]
    costs: str
    practice: str
    see: tuple[str, ...] = ()
    check: FixCheck | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """kind: diagnosis, trust or note. `undecided` names what was unknown among the rule's `unless` conditions."""

    id: str
    kind: str
    title: str
    confidence: float
    speedup: Speedup | None
    evidence: tuple[Comparison, ...]
    because: str
    rules: tuple[str, ...]
    locations: tuple[Location, ...]
    fix: FixAdvice | None
    cites: tuple[str, ...]
    undecided: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The class of a launch. `notes`: leading unit, co-limiting cluster, band, where the plain table differs."""

    id: str
    title: str
    margin: float | None
    evidence: tuple[Comparison, ...]
    because: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """kind: number (unit given) or choice (choices given, id -> label)."""

    id: str
    ask: str
    why: str
    would_change: tuple[str, ...]
    kind: str = "number"
    unit: str = ""
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Missing:
    """A metric that some rule wanted and the report lacks, and the command that collects it."""

    metric: str
    needed_for: tuple[str, ...]
    collect: str


@dataclass(frozen=True, slots=True)
class BudgetStep:
    """One fix of a budget, at its place in the order. `finding`: the id of the finding whose fix it is.

    Old time over new: `alone` if nothing else were done, `gain` once those before it are done, `total` of all up to it.
    """

    finding: str
    alone: float
    gain: float
    total: float
    next_limiter: str


@dataclass(frozen=True, slots=True)
class Budget:
    """What the fixes of a launch give together, and in which order: their gains neither add up nor multiply.

    `left_out`: findings that nobody can put a number on, and whose fixes are not in it.
    """

    together: Speedup
    steps: tuple[BudgetStep, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """What one unit needs of the time there: `need` as a share of it (1: it fills it).

    `ratio`: its work takes this many times as long there, from `low` to `high`; equal where the rates are known.
    """

    term: str
    name: str
    need: float
    ratio: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The same launch on another GPU. ratio: time there over time here, so below 1 is faster; None where it cannot run.

    durations in ns, None where the time here is unknown; `occupancy_pct` and `waves` None where unknown; `units` from
    the one that needs most; `class_id` and `findings` (ids) as the rules see the numbers there; `cannot`: id and text
    of each thing that the prediction leaves open or rests on.
    """

    gpu: str
    here: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    duration_ns: float | None = None
    duration_low_ns: float | None = None
    duration_high_ns: float | None = None
    leader: str = ""
    units: tuple[Unit, ...] = ()
    occupancy_pct: float | None = None
    waves: float | None = None
    class_id: str = ""
    class_title: str = ""
    findings: tuple[str, ...] = ()
    cannot: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What a rule of Nsight Compute says of a launch, and what the advisor says of the same subject.

    rule: its identifier, empty where a text names none; short: its subject in a few words; message: its sentence that
    says the most; speedup and local_pct: its largest estimate, as in RuleResult; times: how often it says so; about:
    the ids on the same subject. status: first (what the advisor would fix first), ranked (at `place` among the
    diagnoses), small (seen, worth under 5 %), trust (a remark on the numbers), gave_way (to `by`), refuted (by
    `evidence` or `wanting`, names of conditions), unknown (the metrics `wanting` are), none (no diagnosis follows),
    class_same, class_differs. subject: the id that this is about; gain: of the advisor's finding; because: in words
    of the knowledge; leading: no other rule on a subject of ours estimates more.
    """

    rule: str
    short: str
    message: str
    speedup: float | None
    local_pct: float | None
    times: int
    about: tuple[str, ...]
    status: str
    subject: str = ""
    by: str = ""
    place: int | None = None
    gain: float | None = None
    evidence: tuple[Comparison, ...] = ()
    wanting: tuple[str, ...] = ()
    because: str = ""
    leading: bool = False

    @property
    def saving(self) -> float:
        """The share of the kernel's time that the rule says can be saved, 0 where it says nothing of that."""
        return 1 - 1 / self.speedup if self.speedup else 0.0


@dataclass(frozen=True, slots=True)
class LaunchDiagnosis:
    """Everything concluded about one launch. `metrics`: the known canonical values, for the faces and for what-if.

    `scope` is `workload` for a graphics or compute workload that was typed in: it has neither grid nor block.
    """

    report: int
    index: int
    kernel: str
    kernel_full: str
    grid: tuple[int, int, int] | None
    block: tuple[int, int, int] | None
    duration_ns: float | None
    gpu_name: str
    cc: str
    known_as: str
    verdict: Verdict
    findings: tuple[Finding, ...]
    questions: tuple[Question, ...]
    missing: tuple[Missing, ...]
    metrics: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    ncu_rules: tuple[RuleVerdict, ...] = ()
    budget: Budget | None = None
    on: Elsewhere | None = None
    scope: str = "launch"

    @property
    def saved_ns(self) -> float:
        """Nanoseconds that the first fix would save: duration x (1 - 1 / speedup); 0 where unknown."""
        gains = (f.speedup.estimate for f in self.findings if f.kind == "diagnosis" and f.speedup is not None)
        return (self.duration_ns or 0.0) * (1 - 1 / next(gains, 1.0))
