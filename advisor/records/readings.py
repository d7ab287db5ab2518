"""Frozen records of the content of a file, the input of the reasoning. Units as in `records.diagnosis`.

Only the frame (`Reading.frame`) is not frozen. It has one row per launch, the IDENTITY columns and
one float64 column per canonical metric of knowledge/metrics.yaml; NaN or an absent column is unknown, never zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from advisor.records.record import Count, Record, written

if TYPE_CHECKING:
    import pandas as pd

# Progress callback: the kind of work, the amount done, the total (0: unknown).
Progress = Callable[[str, int, int], None]
# Columns of a frame that are not metrics. `grid` and `block` are (x, y, z) or None; `opcodes` maps an opcode with its
# modifiers to warp-level executions, or None; `accesses` is a tuple of Access, or None; `code` is a CodeCounts where
# the report has the code but no counts by opcode, else None; `sampling` is a Sampling, or None; `rules` a tuple of
# RuleResult.
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
    "code",
    "sampling",
    "rules",
)


class Access(Struct, frozen=True):
    """Memory accesses of all instructions of one kind, from the source-level instances of a launch.

    space: global, shared, local, constant, texture or other; kind: load, store, atomic or other; width: bits per lane;
    executed: warp instructions; lanes: active lanes summed over them; sectors and wavefronts: actual and ideal counts
    (NaN if the report lacks them).
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


class CodeAccess(Struct, frozen=True):
    """Memory accesses of one kind, as far as the machine code tells. space, kind, width: as in Access.

    executed: executions per warp; lanes: active lanes summed over them; pieces: sectors of global memory or wavefronts
    of shared memory, NaN if the addresses were not followed; ideal: as few as the bytes of these lanes need; passes:
    those through the data stage of L1. sure: whether the addresses are known; if not, pieces and passes are the most
    that they can be.
    """

    space: str
    kind: str
    width: int
    sure: bool
    executed: float
    lanes: float
    pieces: float
    ideal: float
    passes: float


class CodeCounts(Struct, frozen=True):
    """What the machine code of a kernel alone tells: expected executions per warp. See advisor/hardware/sass_counts.py.

    opcodes: opcode with its modifiers -> executions; accesses: those of memory; spills, indexed: accesses of local
    memory at a fixed place of the stack, and at a computed one; data_branches: the share of executions that lie behind
    branches whose way depends on data of each lane; own_cycles: from one instruction to the next without waits for
    global memory; both None if unknown. loaded: the bytes of global loads by the axes of the grid that their addresses
    depend on, such as `xy`, with `?` if that is unknown; grid_reads: executions of instructions that read how many
    blocks the grid has; functions: the metrics of precise functions, per warp.
    """

    opcodes: dict[str, float]
    accesses: tuple[CodeAccess, ...] = ()
    spills: float = 0.0
    indexed: float = 0.0
    data_branches: float | None = None
    own_cycles: float | None = None
    loaded: dict[str, float] = {}
    grid_reads: float = 0.0
    functions: dict[str, float] = {}


class RuleResult(Struct, frozen=True):
    """One result of Nsight Compute's rules: identifier, title, message, estimated speedup (>= 1) or None.

    local_pct: for an estimate about only one part of the kernel, the % that can be saved in this part.
    """

    id: str
    title: str
    message: str
    speedup: float | None
    local_pct: float | None = None


class ReportInfo(Record):
    """An input file.

    format: ncu-rep, raw-csv, details-csv, text, workload (typed in) or emulated; launches_missing: absent if unknown.
    """

    path: str
    sha256: str
    tool: str
    format: str
    complete: bool = written(True)
    launches_missing: Count | None = written(0)
    problems: tuple[str, ...] = written(())


class Reading(Struct, frozen=True):
    """The content of one file: its description and the frame with the base metrics."""

    info: ReportInfo
    frame: pd.DataFrame
