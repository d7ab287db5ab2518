"""What stands in for a number that a report lacks: each function fills rows that are still unknown, or stays NaN.

A function gets the frame's columns as float arrays of shape (rows,), and `told`: the columns before anything was
derived.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Columns = Mapping[str, Array]
Fill = Callable[[Columns, Columns], Array]


def _where_none(count: Array) -> Array:
    """0 where nothing of the kind was executed, else unknown."""
    return np.where(count == 0, 0.0, np.nan)


def dram_bytes(columns: Columns, told: Columns) -> Array:
    """From the rate and the duration: all that the details page prints."""
    return told["dram_bytes_per_s"] * columns["duration_ns"] / 1e9


def dram_peak(columns: Columns, told: Columns) -> Array:
    """Two transfers a clock over the width of the bus, as the CUDA programming guide reckons theoretical bandwidth."""
    return 2 * columns["device_memory_clock_hz"] * columns["device_bus_bits"] / 8


def spills(columns: Columns, told: Columns) -> Array:
    """No local access, no spill."""
    return _where_none(columns["local_inst"])


def load_requests(columns: Columns, told: Columns) -> Array:
    """One for each load; asynchronous copies make some too, how many depends on their kind."""
    return np.where(columns["async_copy_inst"] == 0, columns["global_load_inst"], np.nan)


def half_flop(columns: Columns, told: Columns) -> Array:
    """Lanes of packed instructions: two values each, two operations for a multiply-add; 0 without half arithmetic.

    Constants in HFMA2 count as lanes too: where the opcodes cannot rule them out, the number stays unknown.
    """
    lanes = 4 * columns["hfma_lanes"] + 2 * columns["hadd_lanes"] + 2 * columns["hmul_lanes"]
    return np.where(columns["half_inst"] == 0, 0.0, np.where((columns["half_inst"] > 0) | (lanes == 0), lanes, np.nan))


def constant_addresses(columns: Columns, told: Columns) -> Array:
    """Busy cycles of the IDC for each LDC: two for each address of a warp on CC 8.0 to 9.0, more with misses.

    Misses can make it several times too many, so it is held to the 32 addresses that a warp can have.
    """
    cycles = columns["idc_pct"] / 100 * columns["sm_cycles_elapsed"] * columns["sm_count"]
    version = 10 * columns["device_cc_major"] + columns["device_cc_minor"]
    with np.errstate(all="ignore"):
        addresses = np.minimum(cycles / columns["ldc_inst"] / 2, 32.0)
    return np.where((version >= 80) & (version <= 90), addresses, np.nan)


def achievable(columns: Columns, told: Columns) -> Array:
    """What a copy reaches, where reads and writes are not told apart: the least that any mix of them does."""
    return columns["dram_copy_ceiling_pct"]


# Fewer samples leave a share more than 5 points uncertain, one standard error at a share of a half.
_ENOUGH_SAMPLES = 100
# Reasons that a section need not count: their shares of the samples are within half a point of the counters' in
# 95 % of the bundled launches. Others move more from pass to pass, drain up to 15 points.
SAMPLED = ("branch_resolving", "dispatch_stall", "membar", "misc")


def _sampled(reason: str) -> tuple[tuple[str, ...], Fill]:
    """Cycles of a warp for each instruction: of all of them, the share of the samples that show this reason.

    Unknown where not all reasons were sampled; what was counted stays, whatever else is supposed.
    """
    name, complete = f"samples_{reason}", f"stall_{reason}_not_issued_pct"

    def fill(columns: Columns, told: Columns) -> Array:
        samples, counted = columns["pc_samples"], told[f"stall_{reason}"]
        cycles = columns["issue_interval"] * columns[name] / samples
        known = (samples >= _ENOUGH_SAMPLES) & np.isfinite(columns[complete])
        return np.where(np.isfinite(counted), counted, np.where(known, cycles, np.nan))

    return (name, complete, "pc_samples", "issue_interval"), fill


def _lanes_of(count: str) -> tuple[tuple[str, ...], Fill]:
    return (count,), lambda columns, told: _where_none(columns[count])


# Metric -> the columns that its function reads beside the reported ones, and the function.
FILLS: dict[str, tuple[tuple[str, ...], Fill]] = {
    "dram_bytes": (("duration_ns",), dram_bytes),
    "dram_peak_bytes_per_s": (("device_memory_clock_hz", "device_bus_bits"), dram_peak),
    "dram_achievable_pct": (("dram_copy_ceiling_pct",), achievable),
    "spill_inst": (("local_inst",), spills),
    "global_load_requests": (("global_load_inst", "async_copy_inst"), load_requests),
    "half_flop": (("half_inst", "hfma_lanes", "hadd_lanes", "hmul_lanes"), half_flop),
    "tensor_ops": _lanes_of("tensor_inst"),
    "idc_requests_per_ldc": (
        ("idc_pct", "sm_cycles_elapsed", "sm_count", "device_cc_major", "device_cc_minor", "ldc_inst"),
        constant_addresses,
    ),
    **{f"stall_{reason}": _sampled(reason) for reason in SAMPLED},
    **{f"{op}_lanes": _lanes_of(f"{op}_inst") for op in ("ffma", "fadd", "fmul", "dfma", "dadd", "dmul")},
    **{f"{op}_lanes": _lanes_of("half_inst") for op in ("hadd", "hmul")},
}
