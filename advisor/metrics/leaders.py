"""Compute and memory as the catalogue of classes defines them, and which unit leads each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
# The order decides between equals: the pipe before the issue slots, the outer unit before the inner.
COMPUTE = ("pipe_tensor_pct", "pipe_fma_pct", "pipe_alu_pct", "pipe_fp64_pct", "pipe_xu_pct", "issue_pct")
INSIDE = ("lsu_pct", "adu_pct", "idc_pct", "mio_pct")
MEMORY = (
    *("dram_pct", "l2_pct", "l1_wavefronts_pct", "l1_requests_pct", "l1_writeback_pct"),
    *("l1_other_pct", "memory_internal_pct"),
)
# Throughput is the largest of its units, read off in another pass: half a point apart is the same.
_SAME = 0.5


def _leader(columns: Mapping[str, Array], names: tuple[str, ...]) -> tuple[Array, Array]:
    """The largest known of the columns (NaN when none is known) and the name of it."""
    values = np.array([columns[name] for name in names])
    filled = np.where(np.isfinite(values), values, -np.inf)
    largest = filled.max(axis=0)
    return np.where(np.isfinite(largest), largest, np.nan), np.array(names, dtype=object)[filled.argmax(axis=0)]


def compute(columns: Mapping[str, Array]) -> tuple[Array, Array, Array]:
    """compute_pct, compute_from_breakdown and compute_leader.

    The fullest of the pipes and the issue slots where all are known, else SM throughput in their place. Where the load
    and store path, barriers or constants account for SM throughput it is no arithmetic, and the pipes that are known
    stand for it.
    """
    largest, name = _leader(columns, COMPUTE)
    total = columns["sm_throughput_pct"]
    inside, _ = _leader(columns, INSIDE)
    elsewhere = np.isfinite(largest) & (inside >= total - _SAME)
    known = np.isfinite(np.array([columns[name] for name in COMPUTE])).all(axis=0) | elsewhere
    value = np.where(known, largest, total)
    broken_down = np.where(np.isfinite(value), np.where(known, 1.0, 0.0), np.nan)
    return value, broken_down, np.where(np.isfinite(value), np.where(known, name, "sm_throughput_pct"), "")


def memory(columns: Mapping[str, Array]) -> tuple[Array, Array]:
    """memory_pct and memory_leader: memory throughput, or LSU, ADU, IDC or MIO where one of them is fuller.

    Unknown without memory throughput. The leader is the unit of the breakdown that the number comes from; memory
    throughput itself where the report does not break it down.
    """
    total = columns["memory_throughput_pct"]
    inside, inside_name = _leader(columns, INSIDE)
    unit, unit_name = _leader(columns, MEMORY)
    value = np.where(np.isfinite(total), np.fmax(total, inside), np.nan)
    # Memory throughput is the largest of its units: one that is clearly smaller does not explain it.
    outside = np.where(unit >= total - _SAME, unit_name, "memory_throughput_pct")
    name = np.where(inside > total, inside_name, outside)
    return value, np.where(np.isfinite(value), name, "")
