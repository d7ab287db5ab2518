"""The frozen records that cross rooms. Units: ns, bytes, bytes/s, Hz, percent 0-100; ratios are plain numbers.

The one thing that travels and is not frozen is the frame (`Reading.frame`): a row per launch, IDENTITY columns beside
one float64 column per canonical metric of knowledge/metrics.yaml; NaN or an absent column is unknown, never zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Columns of a frame that are not metrics. `grid` and `block` are (x, y, z) or None; `opcodes` maps an opcode with its
# modifiers to warp-level executions, or None; `accesses` is a tuple of Access, or None; `rules` a tuple of RuleResult.
IDENTITY = (
    "report",
    "index",
    "kernel",
    "kernel_full",
    "grid",
    "block",
    "gpu_name",
    "cc",
    "opcodes",
    "accesses",
    "rules",
)


# Findings that end the search: the kernel is near what the card can do.
ENDS = ("near_memory_roofline", "near_compute_roofline")


@dataclass(frozen=True, slots=True)
class Access:
    """What all instructions of one kind together did in memory, from the source-level instances of a launch.

    space: global, shared, local, constant, texture or other; kind: load, store, atomic or other; width: bits a lane;
    executed: warp instructions; lanes: active lanes summed over them; sectors and wavefronts: actual and ideal counts
    (NaN where the report lacks them).
    """

    space: str
    kind: str
    width: int
    executed: float
    lanes: float
    sectors: float
    sectors_ideal: float
    wavefronts: float
    wavefronts_ideal: float


@dataclass(frozen=True, slots=True)
class RuleResult:
    """One verdict of Nsight Compute's own rules: identifier, title, message, speedup it estimates (>= 1) or None."""

    id: str
    title: str
    message: str
    speedup: float | None


@dataclass(frozen=True, slots=True)
class ReportInfo:
    """One input file. `format`: ncu-rep, raw-csv, details-csv or text; `launches_missing`: None when unknowable."""

    path: str
    sha256: str
    tool: str
    format: str
    complete: bool = True
    problems: tuple[str, ...] = ()
    launches_missing: int | None = 0


@dataclass(frozen=True)
class Reading:
    """What a reader makes of one file: its description and the frame with the base metrics."""

    info: ReportInfo
    frame: pd.DataFrame


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison of an observation on one launch: a line of evidence.

    value is None when unknown (then holds is None and there is no margin). margin_abs: distance from the threshold in
    the metric's unit, positive where the comparison holds; margin: the same as a share of the threshold (of 1 where
    that is 0).
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
    """A place in the code that carries a finding; share is of the metric's total, 0 to 1."""

    file: str
    line: int
    pc: int
    sass: str
    metric: str
    share: float


@dataclass(frozen=True, slots=True)
class FixAdvice:
    """A fix in words: its steps, what it costs, and the exercise that practises it."""

    id: str
    summary: str
    steps: tuple[str, ...]
    costs: str
    practice: str


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
class LaunchDiagnosis:
    """Everything concluded about one launch. `metrics`: the known canonical values, for the faces and for what-if."""

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


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The result of `diagnose`: the reports read and one entry a launch, in the order of the reports."""

    reports: tuple[ReportInfo, ...]
    launches: tuple[LaunchDiagnosis, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)
