"""What a reader makes of a file: the frozen records that come before any reasoning. Units as in `model`.

The one thing that travels and is not frozen is the frame (`Reading.frame`): a row per launch, IDENTITY columns beside
one float64 column per canonical metric of knowledge/metrics.yaml; NaN or an absent column is unknown, never zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.records.record import Count, Record, written

if TYPE_CHECKING:
    import pandas as pd

# Told while something takes long: what is being done, how much of it is done, how much there is (0: not known).
Progress = Callable[[str, int, int], None]
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
    """One verdict of Nsight Compute's own rules: identifier, title, message, speedup it estimates (>= 1) or None.

    local_pct: where the estimate is about one part of the kernel alone, the % that it says can be saved there.
    """

    id: str
    title: str
    message: str
    speedup: float | None
    local_pct: float | None = None


class ReportInfo(Record):
    """One input file.

    `format`: ncu-rep, raw-csv, details-csv, text or workload (typed in); `launches_missing`: absent when unknowable.
    """

    path: str
    sha256: str
    tool: str
    format: str
    complete: bool = written(True)
    launches_missing: Count | None = written(0)
    problems: tuple[str, ...] = written(())


@dataclass(frozen=True)
class Reading:
    """What a reader makes of one file: its description and the frame with the base metrics."""

    info: ReportInfo
    frame: pd.DataFrame
