"""Derive every canonical metric from a reader's frame; NaN is unknown."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from advisor.knowledge import stated
from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import Expression, ExpressionError, parse
from advisor.knowledge.schemas import MetricDef
from advisor.knowledge.time_model import time_model
from advisor.knowledge.units import SAME_POINTS, compute_units, inner_units, memory_units, not_arithmetic
from advisor.reasoning.metrics.instruction_mix import access_metrics, mix
from advisor.records.errors import KnowledgeError
from advisor.records.magnitudes import whole
from advisor.records.readings import IDENTITY

if TYPE_CHECKING:
    import pandas as pd


Array = np.ndarray[Any, Any]
Columns = Mapping[str, Array]
Fill = Callable[[Columns, Columns], Array]


def _where_none(count: Array) -> Array:
    """Return 0 where no instruction of the kind was executed, else unknown."""
    return np.where(count == 0, 0.0, np.nan)


def dram_bytes(columns: Columns, given: Columns) -> Array:
    """Compute the bytes from rate and duration, because the details page prints nothing else."""
    return given["dram_bytes_per_s"] * columns["duration_ns"] / 1e9


def dram_peak(columns: Columns, given: Columns) -> Array:
    """Return the theoretical bandwidth of the CUDA programming guide: two transfers per clock x bus width."""
    return 2 * columns["device_memory_clock_hz"] * columns["device_bus_bits"] / 8


# Reports print utilisation with two decimals.
_SAME_PRINTED = 0.005


def _of_turing(metric: str) -> tuple[tuple[str, ...], Fill]:
    """Double an L1 unit where L1 throughput on CC 7.5 is exactly twice it: there its stated peak is never reached.

    Source: public_reports.turing_l1. L1 throughput is over active cycles, the unit over elapsed ones.
    """

    def fill(columns: Columns, given: Columns) -> Array:
        turing = (columns["device_cc_major"] == 7) & (columns["device_cc_minor"] == 5)
        elapsed = columns["l1_throughput_pct"] * columns["sm_active_pct"] / 100
        twice = 2 * given[metric]
        return np.where(turing & (np.abs(twice - elapsed) <= 0.02 * elapsed), twice, np.nan)

    return ("device_cc_major", "device_cc_minor", "l1_throughput_pct", "sm_active_pct"), fill


# Passes of an access that no width explains, and where L2 brings its data: 16 bytes per lane need 4 cycles of the data
# stage, and 8 of the path from L2, which carries two sectors per cycle. A tenth more is allowed. All SMs together take
# more than L2 can give, so where it is half as busy as L1 or less, the path is not what keeps L1 busy.
_BEYOND, _FAR_BEYOND, _BEHIND = 4.4, 8.8, 0.5
_SHOWN = 0.1  # percent; less is lost in the two decimals that ncu prints
_L1_AND_SM = (
    *("l1_throughput_pct", "sm_active_pct", "sm_throughput_pct", "l2_throughput_pct"),
    *("memory_throughput_pct", "dram_pct", "device_cc_major", "report_complete"),
)


def _l1_elapsed(columns: Mapping[str, Array]) -> Array:
    """Return L1 throughput, which ncu prints over active cycles, as a share of elapsed ones.

    Without the active cycles: memory throughput, over elapsed ones, is that of L1 if L2 and DRAM are lower.
    """
    own = columns["l1_throughput_pct"] * columns["sm_active_pct"] / 100
    total, l1, l2 = (columns[f"{name}_throughput_pct"] for name in ("memory", "l1", "l2"))
    led = (l1 >= total - SAME_POINTS) & (np.fmax(l2, columns["dram_pct"]) < total - SAME_POINTS)
    return np.where(np.isfinite(own), own, np.where(led, total, np.nan))


def _l1_by_itself(columns: Columns) -> tuple[Array, Array, Array]:
    """Return L1 throughput over elapsed cycles, whether it is passes of the data stage, and whether they are too many.

    SM throughput includes the rate of loads and stores (public_reports.l1_requests), so the ratio of L1 throughput to
    it is the least number of cycles that each of them takes. L1 must lead memory throughput, and who types numbers is
    asked for those of its units. From compute capability 9.0 copies without loads and stores pass L1, and only an L2
    that is utilised far less shows that they are not the reason.
    """
    own, sm = _l1_elapsed(columns), columns["sm_throughput_pct"]
    leads = np.isfinite(columns["report_complete"]) & (own >= columns["memory_throughput_pct"] - SAME_POINTS)
    least = own / np.where(sm >= _SHOWN, sm, np.nan)
    alone = leads & (columns["l2_throughput_pct"] <= _BEHIND * own)
    far = leads & (least > _FAR_BEYOND) & ~(columns["device_cc_major"] >= 9)
    return own, alone | far, far | (alone & (least > _BEYOND))


def l1_requests(columns: Columns, given: Columns) -> Array:
    """Return SM throughput as the most that the requests to L1 can be, where L1 is utilised far more than that."""
    _, _, beyond = _l1_by_itself(columns)
    return np.where(beyond & ~np.isfinite(given["l1_wavefronts_pct"]), columns["sm_throughput_pct"], np.nan)


# A part of L1 that accounts for this share of L1 throughput is the data stage, and most of that.
_MOST_OF_L1 = 0.8


def l1_stage(columns: Columns, given: Columns) -> Array:
    """Return the L1 data stage as corrected for CC 7.5, or its shared part if that accounts for L1 throughput.

    Else L1 throughput itself where neither the rate of loads and stores nor L2 can explain it.

    The shared part is in the data stage, and the data stage in L1 throughput, so both bound an unknown data stage.
    """
    _, of_turing = _of_turing("l1_wavefronts_pct")
    shared = columns["shared_wavefronts_hw_pct"]
    known = ~np.isfinite(given["l1_wavefronts_pct"]) & (shared >= _MOST_OF_L1 * columns["l1_throughput_pct"])
    known &= ~np.isfinite(columns["report_complete"])  # typed: a report without the data stage leaves it unknown
    # What neither requests nor L2 explain are passes of the data stage.
    own, passes, _ = _l1_by_itself(columns)
    passes &= ~np.isfinite(given["l1_wavefronts_pct"])
    return _else(of_turing(columns, given), np.where(known, shared, np.where(passes, own, np.nan)))


def lsu(columns: Columns, given: Columns) -> Array:
    """Return the LSU's utilisation where a report without the breakdown prints one number for SM and memory throughput.

    Only loads and stores are in both breakdowns (as pipe LSU and as requests to L1), so equal maxima are theirs.
    Source: public_reports.sm_and_memory.
    """
    both, same = columns["sm_throughput_pct"], columns["memory_throughput_pct"]
    return np.where((np.abs(both - same) <= _SAME_PRINTED) & (both > 0), both, np.nan)


def busiest_sm(columns: Columns, given: Columns) -> Array:
    """Return how much longer the busiest SM is active than the average one, if only the average is known.

    From the first block to the last at least one SM is active: all but some 5 microseconds of launch and drain.
    Source: h200.launch. Of launches over 100 microseconds, where those are at most 5 %.
    """
    duration = columns["duration_ns"]
    ratio = 100 * (1 - 5_000 / duration) / columns["sm_active_pct"]
    return np.where(duration >= 100_000, np.maximum(ratio, 1.0), np.nan)


def issue_rate(columns: Columns, given: Columns) -> Array:
    """Return instructions per scheduler and active cycle from the share of issue slots over elapsed cycles."""
    return columns["issue_pct"] / columns["sm_active_pct"]


def issue_slots(columns: Columns, given: Columns) -> Array:
    """Return the share of issue slots over elapsed cycles from the instructions per scheduler and active cycle.

    If the active cycles are unknown too, SM throughput bounds it: the issue slots are part of that.
    """
    active = 100 * given["issue_active"]
    known = np.isfinite(columns["sm_active_pct"])
    return np.where(known, active * columns["sm_active_pct"] / 100, np.minimum(active, columns["sm_throughput_pct"]))


# Wavefronts that one access of all lanes needs without conflicts: 1 for 4 bytes per lane, 2 for 8, 4 for 16.
_MOST_IDEAL = 4.0
_LANES = 32.0
_SHARE_AND_ROUNDING = 105.0  # percent: more than that contradicts the cycles
_MOST_PASSES = 34.0  # 32 lanes, and some arbitration
_CLOSE = 1.1  # the hardware counts a few wavefronts twice


def conflicts(columns: Columns, given: Columns) -> Array:
    """Compute actual over ideal wavefronts from ncu's table Shared Memory, where they were not counted per instruction.

    The ideal follows from the width of the accesses; without it, only one wavefront per request is known to be ideal,
    and more than four to be too many, by at least the ratio to four. A report has both rows of the table, and one alone
    says nothing of both together; a user types the row that stands out, and that shows only an excess.
    Sources: guide.step3.bank, errata.wavefronts, ncu.memory_tables.
    """
    matrix = np.nan_to_num(columns["shared_matrix_inst"])
    loads = columns["shared_load_wavefronts"], columns["shared_load_inst"] + matrix
    stores = columns["shared_store_wavefronts"], columns["shared_store_inst"]
    # More than a wavefront per lane belong to other instructions, such as matrix loads.
    known = [
        np.isfinite(requests) & (wavefronts <= _MOST_PASSES * requests) for wavefronts, requests in (loads, stores)
    ]
    wavefronts, requests = (
        sum(np.where(here, pair[part], 0.0) for here, pair in zip(known, (loads, stores), strict=True))
        for part in (0, 1)
    )
    both = columns["shared_wavefronts"], loads[1] + stores[1]
    counted = ~known[0] & ~known[1] & np.isfinite(both[0]) & np.isfinite(both[1])
    each = np.where(counted, both[0] / both[1], wavefronts / requests)
    narrow, wide = each <= _CLOSE, each > _MOST_IDEAL * _CLOSE
    unsure = np.where(narrow, 1.0, np.where(wide, _MOST_IDEAL, np.nan))
    width = np.maximum(columns["shared_bits_mean"] / 32, 1.0)
    ratio = np.maximum(each / np.where(np.isfinite(width), width, unsure), 1.0)
    typed = ~np.isfinite(columns["report_complete"]) & ~np.isfinite(columns["shared_wavefronts"])
    other = [np.isfinite(stores[0]) | np.isfinite(stores[1]), np.isfinite(loads[0]) | np.isfinite(loads[1])]
    alone = typed & ((known[0] & ~other[0]) | (known[1] & ~other[1])) & (ratio > _CLOSE)
    ratio = np.where((known[0] & known[1]) | counted | alone, ratio, np.nan)
    ratio = np.where(np.isfinite(ratio), ratio, _stated_conflicts(columns))
    return np.where(loads[1] + stores[1] == 0, 1.0, ratio)


def most_conflicts(columns: Columns, given: Columns) -> Array:
    """Return the most that the ratio of `conflicts` can be: that of 4-byte accesses, where the width is unknown."""
    loads, stores = (
        columns[f"shared_{kind}_wavefronts"] / columns[f"shared_{kind}_inst"] for kind in ("load", "store")
    )
    each = np.fmax(loads, stores)
    ratio = columns["shared_wavefront_ratio"]
    unsure = ~np.isfinite(columns["shared_bits_mean"]) & ~np.isfinite(columns["shared_wavefronts_ideal"])
    # Only a ratio that `conflicts` computed for the widest access is a lower limit.
    return np.where(unsure & (ratio > _CLOSE) & (each > ratio * _CLOSE), np.minimum(_MOST_IDEAL * ratio, _LANES), ratio)


# Wavefronts over those without conflicts, by a counter that includes arbitration.
_BEYOND_DOUBT = 2.0


def _stated_conflicts(columns: Columns) -> Array:
    """Compute actual over conflict-free wavefronts from the conflicts that a message of ncu states.

    It names loads and stores apart, each only from a tenth of its wavefronts (ncu.SharedMemoryConflicts). The counter
    includes arbitration, so only twice the wavefronts and more are conflicts beyond doubt (guide.pitfalls).
    """
    conflicts = np.array([columns["shared_load_conflicts"], columns["shared_store_conflicts"]])
    wavefronts = np.array([columns["shared_load_wavefronts"], columns["shared_store_wavefronts"]])
    stated = np.isfinite(conflicts) & (conflicts < wavefronts)
    total = np.where(stated, wavefronts, 0.0).sum(axis=0)
    free = total - np.where(stated, conflicts, 0.0).sum(axis=0)
    ratio = total / np.where(free > 0, free, np.nan)
    return np.where(ratio >= _BEYOND_DOUBT, ratio, np.nan)


def passes_text(columns: Columns) -> Array:
    """Return the ratio of `conflicts` as text, `8.0` or `8 to 32`; '' if unknown."""
    low, high = columns["shared_wavefront_ratio"], columns["shared_wavefront_ratio_most"]
    out = np.full(low.shape, "", dtype=object)
    for row in np.flatnonzero(np.isfinite(low)):
        sure = not high[row] > low[row] * _CLOSE
        out[row] = f"{low[row]:.1f}" if sure else f"{low[row]:.0f} to {high[row]:.0f}"
    return out


def shared_stage(columns: Columns, given: Columns) -> Array:
    """Compute the share of the L1 data stage from the wavefronts of all shared accesses: one per SM and cycle."""
    share = 100 * columns["shared_wavefronts_hw"] / (columns["sm_cycles_elapsed"] * columns["sm_count"])
    return np.where(share <= _SHARE_AND_ROUNDING, share, np.nan)


def shared_total(columns: Columns, given: Columns) -> Array:
    """Return the wavefronts of shared loads and stores that a user typed or a message states; the total is no less."""
    rows = np.array([columns["shared_load_wavefronts"], columns["shared_store_wavefronts"]])
    stated = np.isfinite(columns["shared_load_conflicts"]) | np.isfinite(columns["shared_store_conflicts"])
    typed = (stated | ~np.isfinite(columns["report_complete"])) & np.isfinite(rows).any(axis=0)
    return np.where(typed, np.nansum(rows, axis=0), np.nan)


def spills(columns: Columns, given: Columns) -> Array:
    """Return 0 without local accesses: there are no spills."""
    return _where_none(columns["local_inst"])


def _global_part(local: str) -> tuple[tuple[str, ...], Fill]:
    """Return what local memory leaves to global accesses: all, if there are no local accesses."""

    def fill(columns: Columns, given: Columns) -> Array:
        part = np.clip(1 - columns[local], 0.0, 1.0)
        return np.where(columns["local_inst"] == 0, 1.0, part)

    return (local, "local_inst"), fill


def load_requests(columns: Columns, given: Columns) -> Array:
    """Return one request per load; unknown with asynchronous copies, whose requests depend on their kind."""
    return np.where(columns["async_copy_inst"] == 0, columns["global_load_inst"], np.nan)


def _sectors_of(kind: str) -> tuple[tuple[str, ...], Fill]:
    """Compute the sectors of global accesses from those per request, one request for each instruction."""

    def fill(columns: Columns, given: Columns) -> Array:
        return given[f"sectors_per_request_{kind}"] * columns[f"global_{kind}_inst"]

    return (f"global_{kind}_inst",), fill


def load_sectors(columns: Columns, given: Columns) -> Array:
    """Return the sectors of global loads that a user typed; a report counts them for each instruction."""
    return np.where(np.isfinite(columns["report_complete"]), np.nan, columns["global_load_sectors"])


def loaded(columns: Columns, given: Columns) -> Array:
    """Return the bytes that global and shared loads deliver to full warps, from typed counts and widths."""
    shared = np.where(columns["shared_load_inst"] == 0, 0.0, columns["shared_load_inst"] * columns["shared_bits_mean"])
    found = (columns["global_load_inst"] * columns["access_bits_mean"] + shared) * _LANES / 8
    return np.where(np.isfinite(columns["report_complete"]), np.nan, found)


def requested(columns: Columns, given: Columns) -> Array:
    """Return the bytes that global accesses of full warps request, from typed counts and their width."""
    found = (columns["global_load_inst"] + columns["global_store_inst"]) * columns["access_bits_mean"] * _LANES / 8
    return np.where(np.isfinite(columns["report_complete"]), np.nan, found)


def _ideal_sectors(kind: str) -> tuple[tuple[str, ...], Fill]:
    """Compute the sectors of 32 adjacent lanes from the width of an access, where the ideal was not counted.

    Sources: guide.step3.sectors, errata.sectors. 4 for 4 bytes per lane, 16 for 16 bytes.
    """
    counted = f"{kind}_sectors_ideal"

    def fill(columns: Columns, given: Columns) -> Array:
        sectors = np.maximum(np.ceil(columns["access_bits_mean"] / 8), 1.0)
        return np.where(np.isfinite(columns[counted]), np.nan, sectors)

    return ("access_bits_mean", counted), fill


def _sectors_over_ideal(kind: str) -> tuple[tuple[str, ...], Fill]:
    """Compute actual over ideal sectors from those per request, where they were not counted per instruction."""
    reads = f"sectors_per_request_{kind}", f"ideal_sectors_per_request_{kind}"
    return reads, lambda columns, given: np.maximum(columns[reads[0]] / columns[reads[1]], 1.0)


def half_flop(columns: Columns, given: Columns) -> Array:
    """Compute FLOP of packed instructions: two values a lane, two operations for a multiply-add; 0 without any.

    Constants in HFMA2 count as lanes too: if the opcodes cannot rule them out, the number stays unknown.
    """
    lanes = 4 * columns["hfma_lanes"] + 2 * columns["hadd_lanes"] + 2 * columns["hmul_lanes"]
    return np.where(columns["half_inst"] == 0, 0.0, np.where((columns["half_inst"] > 0) | (lanes == 0), lanes, np.nan))


def constant_addresses(columns: Columns, given: Columns) -> Array:
    """Compute addresses per LDC from busy cycles of the IDC: two for each address on CC 8.0 to 9.0, more with misses.

    Misses can make the result several times too large, so it is limited to the 32 addresses that a warp can have.
    """
    cycles = columns["idc_pct"] / 100 * columns["sm_cycles_elapsed"] * columns["sm_count"]
    version = 10 * columns["device_cc_major"] + columns["device_cc_minor"]
    with np.errstate(all="ignore"):
        addresses = np.minimum(cycles / columns["ldc_inst"] / 2, 32.0)
    return np.where((version >= 80) & (version <= 90), addresses, np.nan)


def achievable(columns: Columns, given: Columns) -> Array:
    """Return the rate of a copy if reads and writes are not known separately: the lowest rate of any mix of them."""
    return columns["dram_copy_ceiling_pct"]


def reachable(columns: Columns, given: Columns) -> Array:
    """Return the time of the algorithm's bytes, in ns, at the share of the DRAM peak that good kernels reach."""
    rate = columns["dram_peak_bytes_per_s"] * time_model().terms["dram"].ceiling
    return np.asarray(columns["theoretical_bytes"] / rate * 1e9)


def floor_of_bytes(columns: Columns, given: Columns) -> Array:
    """Return the time of the algorithm's bytes at the DRAM peak, in ns, if its operations or their peak are unknown."""
    return np.asarray(columns["theoretical_bytes"] / columns["dram_peak_bytes_per_s"] * 1e9)


def throughputs(columns: Columns, given: Columns) -> Array:
    """Return 1 where a report tells compute and memory throughput, 0 where it lacks one; NaN without a report.

    An emulated launch has none and lacks none.
    """
    told = np.isfinite(columns["compute_from_breakdown"]) & np.isfinite(columns["memory_pct"])
    report = np.isfinite(columns["report_complete"]) & ~(columns["emulated"] == 1)
    return np.where(report, told.astype(float), np.nan)


# With fewer samples a share is uncertain by more than 5 points (one standard error at a share of a half).
_ENOUGH_SAMPLES = 100
# Reasons that a section need not count: their shares of the samples are within half a point of the counters' in 95 % of
# the bundled launches. Others vary more from pass to pass, drain by up to 15 points.
SAMPLED = ("branch_resolving", "dispatch_stall", "membar", "misc")


# Reasons of every architecture from CC 7.0 on.
COMMON = (
    *("barrier", "branch_resolving", "dispatch_stall", "drain", "lg_throttle", "long_scoreboard"),
    *("math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction", "not_selected", "selected"),
    *("short_scoreboard", "sleeping", "tex_throttle", "wait"),
)
# Reasons up to CC 9.0, and reasons on CC 9.0 only, where samples name the counters' gmma warpgroup_arrive.
SOME = ("imc_miss", "gmma", "warpgroup_arrive")
REASONS = COMMON + SOME


def _from_share(reason: str) -> tuple[tuple[str, ...], Fill]:
    """Compute a warp's stall cycles per instruction from their share of its time, where only the share was counted."""

    def fill(columns: Columns, given: Columns) -> Array:
        counted, share = given[f"stall_{reason}"], given[f"stall_{reason}_pct"]
        return np.where(np.isfinite(counted), counted, share / 100 * columns["issue_interval"])

    return ("issue_interval",), fill


def _sampled(reason: str) -> tuple[tuple[str, ...], Fill]:
    """Estimate a warp's stall cycles per instruction for a reason: issue interval x its share of the samples.

    Unknown if not all reasons were sampled; counted values are kept.
    """
    name, complete = f"samples_{reason}", f"stall_{reason}_not_issued_pct"
    _, of_share = _from_share(reason)

    def fill(columns: Columns, given: Columns) -> Array:
        samples, counted = columns["pc_samples"], of_share(columns, given)
        cycles = columns["issue_interval"] * columns[name] / samples
        known = (samples >= _ENOUGH_SAMPLES) & np.isfinite(columns[complete])
        return np.where(np.isfinite(counted), counted, np.where(known, cycles, np.nan))

    return (name, complete, "pc_samples", "issue_interval"), fill


def tensor_ops(columns: Columns, given: Columns) -> Array:
    """Return 0 without matrix instructions, else their operations by the shapes in their names."""
    none = _where_none(columns["tensor_inst"])
    return np.where(np.isfinite(none), none, columns["tensor_opcode_ops"])


def _none_without(count: str) -> tuple[tuple[str, ...], Fill]:
    """Return 0 where no instruction of the kind was executed."""
    return (count,), lambda columns, given: _where_none(columns[count])


# Reported metrics that their function corrects, instead of only supplying what is missing.
CORRECTED = ("l1_wavefronts_pct", "l1_other_pct")
# Metric -> the columns that its function reads in addition to the reported ones, and the function.
FILLS: dict[str, tuple[tuple[str, ...], Fill]] = {
    "dram_bytes": (("duration_ns",), dram_bytes),
    "sm_active_ratio": (("duration_ns", "sm_active_pct"), busiest_sm),
    "lsu_pct": (("sm_throughput_pct", "memory_throughput_pct"), lsu),
    "issue_active": (("issue_pct", "sm_active_pct"), issue_rate),
    **{metric: _of_turing(metric) for metric in CORRECTED},
    "l1_wavefronts_pct": (
        (*_of_turing("l1_wavefronts_pct")[0], "shared_wavefronts_hw_pct", *_L1_AND_SM),
        l1_stage,
    ),
    "l1_requests_pct": ((*_L1_AND_SM, "l1_wavefronts_pct"), l1_requests),
    "shared_wavefronts_hw": (
        (
            *("shared_load_wavefronts", "shared_store_wavefronts", "report_complete"),
            *("shared_load_conflicts", "shared_store_conflicts"),
        ),
        shared_total,
    ),
    "issue_pct": (("sm_active_pct", "sm_throughput_pct"), issue_slots),
    "shared_wavefront_ratio": (
        (
            *("shared_load_wavefronts", "shared_load_inst", "shared_matrix_inst", "shared_store_wavefronts"),
            *("shared_store_inst", "shared_wavefronts", "shared_bits_mean", "report_complete"),
            *("shared_load_conflicts", "shared_store_conflicts"),
        ),
        conflicts,
    ),
    "shared_wavefront_ratio_most": (
        (
            *("shared_load_wavefronts", "shared_load_inst", "shared_store_wavefronts", "shared_store_inst"),
            *("shared_bits_mean", "shared_wavefronts_ideal", "shared_wavefront_ratio"),
        ),
        most_conflicts,
    ),
    "shared_wavefronts_hw_pct": (("shared_wavefronts_hw", "sm_cycles_elapsed", "sm_count"), shared_stage),
    "dram_peak_bytes_per_s": (("device_memory_clock_hz", "device_bus_bits"), dram_peak),
    "dram_achievable_pct": (("dram_copy_ceiling_pct",), achievable),
    "napkin_reachable_ns": (("theoretical_bytes", "dram_peak_bytes_per_s"), reachable),
    "napkin_floor_ns": (("theoretical_bytes", "dram_peak_bytes_per_s"), floor_of_bytes),
    "throughputs_known": (("report_complete", "emulated", "compute_from_breakdown", "memory_pct"), throughputs),
    "spill_inst": (("local_inst",), spills),
    "load_sectors_actual": (("global_load_sectors", "report_complete"), load_sectors),
    "loaded_bytes": (
        ("global_load_inst", "access_bits_mean", "shared_load_inst", "shared_bits_mean", "report_complete"),
        loaded,
    ),
    "requested_bytes": (("global_load_inst", "global_store_inst", "access_bits_mean", "report_complete"), requested),
    "shared_atomic_excess_share": _none_without("shared_atomic_inst"),
    "global_dram_share": _global_part("local_dram_share"),
    "global_lookup_share": _global_part("local_lookup_share"),
    "global_wait_share": _global_part("local_load_share"),
    "global_load_requests": (("global_load_inst", "async_copy_inst"), load_requests),
    **{f"shared_{kind}_wavefronts": _none_without(f"shared_{kind}_inst") for kind in ("load", "store")},
    **{f"global_{kind}_sectors": _sectors_of(kind) for kind in ("load", "store")},
    **{
        f"local_{kind}_{sectors}": _none_without(f"local_{kind}_inst")
        for kind in ("load", "store")
        for sectors in ("sectors", "miss_sectors")
    },
    **{f"ideal_sectors_per_request_{kind}": _ideal_sectors(kind) for kind in ("load", "store")},
    **{f"{kind}_sector_ratio": _sectors_over_ideal(kind) for kind in ("load", "store")},
    "half_flop": (("half_inst", "hfma_lanes", "hadd_lanes", "hmul_lanes"), half_flop),
    "tensor_ops": (("tensor_inst", "tensor_opcode_ops"), tensor_ops),
    "idc_requests_per_ldc": (
        ("idc_pct", "sm_cycles_elapsed", "sm_count", "device_cc_major", "device_cc_minor", "ldc_inst"),
        constant_addresses,
    ),
    **{f"stall_{reason}": _from_share(reason) for reason in REASONS},
    **{f"stall_{reason}": _sampled(reason) for reason in SAMPLED},
    **{f"{op}_lanes": _none_without(f"{op}_inst") for op in ("ffma", "fadd", "fmul", "dfma", "dadd", "dmul")},
    **{f"{op}_lanes": _none_without("half_inst") for op in ("hadd", "hmul")},
}


# The threshold of the classes: from here on a unit counts as utilised (guide.step1.table).
_UTILISED = 60.0
_NO_BREAKDOWN = "memory_internal_pct"


def _leader(columns: Mapping[str, Array], names: tuple[str, ...]) -> tuple[Array, Array]:
    """Return the largest known value of the columns (NaN if none is known) and its column's name."""
    values = np.array([columns[name] for name in names])
    filled = np.where(np.isfinite(values), values, -np.inf)
    largest = filled.max(axis=0)
    return np.where(np.isfinite(largest), largest, np.nan), np.array(names, dtype=object)[filled.argmax(axis=0)]


def compute(columns: Mapping[str, Array]) -> tuple[Array, Array, Array]:
    """Return compute_pct, compute_from_breakdown and compute_leader.

    The value is the most utilised of the pipes and the issue slots if all are known, else SM throughput. If the load
    and store path, barriers or constants account for SM throughput, it does not measure arithmetic, and the known pipes
    are used. Without either, a single unit of 60 % or more is the least that it can be; compute_from_breakdown is then
    unknown.
    """
    largest, name = _leader(columns, compute_units())
    total = columns["sm_throughput_pct"]
    inside, _ = _leader(columns, inner_units())
    elsewhere = np.isfinite(largest) & (inside >= total - SAME_POINTS)
    known = np.isfinite(np.array([columns[name] for name in compute_units()])).all(axis=0) | elsewhere
    # Without a total, a known unit at the threshold of the class decides it, whatever the unknown ones do.
    least = ~known & ~np.isfinite(total) & (largest >= _UTILISED)
    value = np.where(known | least, largest, total)
    broken_down = np.where(np.isfinite(value) & ~least, np.where(known, 1.0, 0.0), np.nan)
    return value, broken_down, np.where(np.isfinite(value), np.where(known | least, name, "sm_throughput_pct"), "")


# L1 throughput above memory throughput by more than the difference between two passes (public_reports.l1_above_memory).
_L1_ABOVE = 1.1


def memory(columns: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return memory_pct and memory_leader: memory throughput, or LSU, ADU, IDC, MIO or a corrected L1 unit if higher.

    Unknown without memory throughput. The leader is the unit of the breakdown that the number comes from, or memory
    throughput itself if the report does not break it down.
    """
    total = columns["memory_throughput_pct"]
    inside, inside_name = _leader(columns, inner_units())
    unit, unit_name = _leader(columns, memory_units())
    # A unit that has no breakdown in ncu says nothing where a known one has the same percentage from another pass.
    named, its_name = _leader(columns, tuple(name for name in memory_units() if name != _NO_BREAKDOWN))
    unit_name = np.where(named >= unit - SAME_POINTS, its_name, unit_name)
    corrected = np.where(unit > total + SAME_POINTS, unit, np.nan)
    # L1 by its own throughput if its units are unknown: memory throughput can count it by a peak that is never reached.
    own = _l1_elapsed(columns)
    above = ~np.isfinite(columns["l1_wavefronts_pct"]) & (own > _L1_ABOVE * total)
    corrected = np.where(above, np.fmax(corrected, own), corrected)
    unit, unit_name = np.where(above, own, unit), np.where(above, "l1_throughput_pct", unit_name)
    value = np.where(np.isfinite(total), np.fmax(np.fmax(total, inside), corrected), np.nan)
    # Memory throughput is the largest of its units: a clearly smaller unit does not explain it.
    outside = np.where(unit >= total - SAME_POINTS, unit_name, _within(columns, total))
    name = np.where(inside > np.fmax(total, corrected), inside_name, outside)
    return value, np.where(np.isfinite(value), name, "")


def _within(columns: Mapping[str, Array], total: Array) -> Array:
    """Return the name of the one cache whose printed throughput reaches memory throughput, else that name itself."""
    caches = ("l1_throughput_pct", "l2_throughput_pct")
    l1, l2 = (columns[name] >= total - SAME_POINTS for name in caches)
    return np.where(l1 == l2, "memory_throughput_pct", np.where(l1, *caches)).astype(object)


def elsewhere(columns: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return sm_other_leads and sm_leader: whether SM throughput is that of a unit that is no arithmetic, and its name.

    NaN and '' without such units. 0 and '' where an arithmetic unit, or one that the report lacks, has that number.
    """
    value, name = _leader(columns, not_arithmetic())
    total = columns["sm_throughput_pct"]
    leads = (np.abs(value - total) <= SAME_POINTS) & (total > columns["compute_pct"] + SAME_POINTS)
    known = np.isfinite(value) & np.isfinite(total)
    return np.where(known, leads.astype(float), np.nan), np.where(leads, name, "")


LIMITS = ("registers", "shared", "blocks", "warps", "barriers")


def _limits(columns: Mapping[str, Array]) -> Array:
    """Return blocks per SM, shape (5, rows). Unused shared memory does not limit; barriers count if reported."""
    limits = {name: columns[f"occupancy_limit_{name}"] for name in LIMITS}
    # Without shared memory, ncu writes the limit of the blocks, infinity or nothing (CC 7.5 has no driver's part).
    free = columns["shared_bytes_per_block"] == 0
    limits["shared"] = np.where(free, np.inf, limits["shared"])
    limits["barriers"] = np.where(np.isfinite(limits["barriers"]), limits["barriers"], np.inf)
    return np.array([limits[name] for name in LIMITS])


def blocks_per_sm(columns: Mapping[str, Array]) -> Array:
    """Return the lowest limit; unknown if that of registers, shared memory, blocks or warps is unknown."""
    lowest = _limits(columns).min(axis=0)
    return np.where(np.isfinite(lowest), lowest, np.nan)


def limiter(columns: Mapping[str, Array]) -> Array:
    """Return the names of the lowest limits joined with `+`; '' if unknown."""
    limits = _limits(columns)
    lowest = limits.min(axis=0)
    out = np.full(limits.shape[1], "", dtype=object)
    for row in np.flatnonzero(np.isfinite(lowest)):
        out[row] = "+".join(name for name, at in zip(LIMITS, limits[:, row], strict=True) if at == lowest[row])
    return out


def not_issued(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Return `stall_<reason>_not_issued_pct`; unknown if a reason that the architecture has was not sampled."""
    samples = {reason: columns[f"samples_{reason}_not_issued"] for reason in REASONS}
    major = columns["device_cc_major"]
    known = np.isfinite(np.array([samples[reason] for reason in COMMON])).all(axis=0)
    known &= np.isfinite(samples["imc_miss"]) | (major > 9)
    known &= np.isfinite(samples["warpgroup_arrive"]) | (major < 9) | (major > 9)
    total = np.nansum(np.array([samples[reason] for reason in REASONS]), axis=0)
    out = {}
    for reason, number in samples.items():
        share = 100 * number / np.where(total > 0, total, np.nan)
        out[f"stall_{reason}_not_issued_pct"] = np.where(known, share, np.nan)
    gmma, arrive = (out[f"stall_{reason}_not_issued_pct"] for reason in ("gmma", "warpgroup_arrive"))
    out["stall_gmma_not_issued_pct"] = np.where(np.isfinite(gmma), gmma, arrive)
    return out


def leader(columns: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the reason, apart from `selected`, with most of a warp's time, and its cycles.

    '' and NaN if an unknown reason could have more.
    """
    reasons = [reason for reason in REASONS if reason != "selected"]
    cycles = np.array([columns[f"stall_{reason}"] for reason in reasons])
    filled = np.where(np.isfinite(cycles), cycles, -1.0)
    first = filled.argmax(axis=0)
    largest = filled.max(axis=0)
    known = np.nansum(cycles, axis=0) + np.nan_to_num(columns["stall_selected"], nan=1.0)
    # Apart from rounding of printed numbers, an unknown reason cannot exceed what the interval leaves.
    rest = columns["issue_interval"] - known - 0.02 * columns["issue_interval"]
    certain = (largest > 0) & ((rest <= largest) | np.isfinite(cycles[: len(COMMON) - 1]).all(axis=0))
    return np.where(certain, np.array(reasons, dtype=object)[first], ""), np.where(certain, largest, np.nan)


_SAMPLES = tuple(f"samples_{reason}_not_issued" for reason in REASONS)


@lru_cache(maxsize=1)
def code_inputs() -> dict[str, tuple[str, ...]]:
    """Map metrics computed by code to their inputs; formulas, fallbacks, opcodes and accesses are excluded."""
    compute_reads = (*compute_units(), "sm_throughput_pct")
    return {
        "compute_pct": compute_reads,
        "compute_from_breakdown": compute_reads,
        "sm_other_leads": (*not_arithmetic(), "sm_throughput_pct", "compute_pct"),
        "memory_pct": (
            *(*inner_units(), *memory_units()),
            *("memory_throughput_pct", "l1_throughput_pct", "l2_throughput_pct", "sm_active_pct", "dram_pct"),
        ),
        "stall_leading": (*(f"stall_{reason}" for reason in REASONS), "issue_interval"),
        "blocks_per_sm_limit": (*(f"occupancy_limit_{name}" for name in LIMITS), "shared_bytes_per_block"),
        **{f"stall_{reason}_not_issued_pct": (*_SAMPLES, "device_cc_major") for reason in REASONS},
    }


class Plan(Struct, frozen=True):
    """Ids in an order in which every metric follows its inputs, the parsed formulas, and the inputs of each metric."""

    order: tuple[str, ...]
    formulas: Mapping[str, Expression]
    reads: Mapping[str, frozenset[str]]

    def follow(self, changed: frozenset[str]) -> frozenset[str]:
        """Return the metrics that depend on the changed ones, excluding the changed ones."""
        out: set[str] = set()
        for name in self.order:
            if name not in changed and self.reads[name] & (changed | out):
                out.add(name)
        return frozenset(out)


def plan(metrics: Mapping[str, MetricDef]) -> Plan:
    """Return the plan of a catalogue; raises KnowledgeError for a wrong formula, an unknown metric, or a cycle."""
    formulas: dict[str, Expression] = {}
    reads: dict[str, frozenset[str]] = {}
    for name, entry in metrics.items():
        needed: set[str] = set(code_inputs().get(name, ()))
        if name in FILLS:
            needed |= set(FILLS[name][0])
        if stated.reads(name) <= metrics.keys():
            needed |= stated.reads(name)
        if entry.formula:
            try:
                formulas[name] = parse(entry.formula)
            except ExpressionError as e:
                raise KnowledgeError(f"knowledge/metrics.yaml:1: {name}: {e}") from None
            needed |= formulas[name].names
        absent = sorted(needed - metrics.keys())
        if absent:
            raise KnowledgeError(f"knowledge/metrics.yaml:1: {name} reads {absent[0]}, which is not a metric")
        reads[name] = frozenset(needed)
    try:
        order = tuple(TopologicalSorter(reads).static_order())
    except CycleError as e:
        circle = " -> ".join(str(name) for name in e.args[1])
        raise KnowledgeError(f"knowledge/metrics.yaml:1: metrics depend on each other in a cycle: {circle}") from None
    return Plan(order, formulas, reads)


# Text columns: a metric id, a stall reason, or the names of resources; '' is unknown.
LABELS = ("compute_leader", "memory_leader", "sm_leader", "stall_leader", "occupancy_limiter", "shared_passes")


@lru_cache(maxsize=1)
def _own_plan() -> Plan:
    return plan(catalog().metrics)


def columns_of(frame: pd.DataFrame) -> dict[str, Array]:
    """Return the frame's numeric columns as float arrays of shape (rows,)."""
    # All at once: a frame has hundreds of columns, and extracting them one by one is slow.
    kinds = [dtype.kind in "fiub" for dtype in frame.dtypes]
    values = frame.loc[:, kinds].to_numpy(dtype=float).T
    return dict(zip(map(str, frame.columns[kinds]), values, strict=True))


def check(frame: pd.DataFrame, metrics: Mapping[str, MetricDef] | None = None) -> None:
    """Check the frame: columns are IDENTITY, canonical metrics as float64, or LABELS as text.

    Raises KnowledgeError for the first column that is neither, or that has another type.
    """
    known = catalog().metrics if metrics is None else metrics
    for name in map(str, frame.columns):
        if name in IDENTITY:
            continue
        if name in LABELS:
            if not all(isinstance(value, str) for value in frame[name]):
                raise KnowledgeError(f"the column {name!r} of the frame must hold text")
        elif name not in known:
            raise KnowledgeError(f"the column {name!r} of the frame is not a metric of knowledge/metrics.yaml")
        elif frame[name].dtype != np.float64:
            raise KnowledgeError(f"the column {name!r} of the frame must be float64, not {frame[name].dtype}")


def derive(
    frame: pd.DataFrame, keep: Collection[str] = (), metrics: Mapping[str, MetricDef] | None = None
) -> pd.DataFrame:
    """Return the frame with every canonical metric as a float64 column, and LABELS; rows and their order stay.

    frame: IDENTITY columns and any metrics, in the units of metrics.yaml; it may have been derived before. A number in
    the report has priority over a formula; a number that can only be derived is computed again wherever its inputs are
    known. keep: metrics that stay unchanged, as in a what-if; metrics that depend on them are computed again, even if
    the report gave them. Infinities become NaN. Raises KnowledgeError for a catalogue whose formulas are wrong.
    """
    import pandas as pd

    known = catalog().metrics if metrics is None else metrics
    steps = _own_plan() if known is catalog().metrics else plan(known)
    rows = len(frame)
    reported, unknown = columns_of(frame), np.full(rows, np.nan)
    given = {name: _finite(reported[name]) if name in reported else unknown for name in known}
    for name in ("grid_size", "block_size", "device_cc_major", "device_cc_minor", "device_mig"):
        if name in known:
            given[name] = _else(given[name], _identity(frame, name, rows))
    held = frozenset(keep)
    columns = _compute(known, steps, given, _counted(frame, known), held, steps.follow(held) if held else frozenset())
    identity = [name for name in IDENTITY if name in frame]
    rest = [name for name in frame.columns if name not in identity and name not in columns and name not in LABELS]
    # Build the numbers as one block: pandas takes longer to join single columns than the computation takes.
    numbers = pd.DataFrame(np.array([columns[name] for name in known]).T, index=frame.index, columns=list(known))
    labels = pd.DataFrame(_labels(columns), index=frame.index)
    return pd.concat((frame[identity], numbers, frame[rest], labels), axis=1)


def _finite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, np.nan)


def _not_lost(share: Array, given: Mapping[str, Array]) -> Array:
    """Return a share of elapsed cycles, unknown where it is exactly 0 and the cycles themselves are not a number.

    A kernel that ran has executed instructions, so the counters of that pass were lost.
    """
    cycles = given.get("sm_cycles_elapsed")
    return share if cycles is None else np.where((share == 0) & ~np.isfinite(cycles), np.nan, share)


def _else(values: Array, other: Array) -> Array:
    return np.where(np.isfinite(values), values, other)


def _identity(frame: pd.DataFrame, name: str, rows: int) -> Array:
    """Return a column for grid, block, compute capability or MIG from the frame's identity columns."""
    source = {"grid_size": "grid", "block_size": "block", "device_mig": "gpu_name"}.get(name, "cc")
    if source not in frame:
        return np.full(rows, np.nan)
    if source == "gpu_name":
        # The name of a part of a GPU ends with its size, such as `NVIDIA A100-SXM4-40GB MIG 1g.5gb`.
        names = (gpu if isinstance(gpu, str) else "" for gpu in frame["gpu_name"])
        return np.array([float(" MIG " in name) if name else math.nan for name in names])
    if source == "cc":
        parts = (str(cc).partition(".")[0 if name.endswith("major") else 2] for cc in frame["cc"])
        return np.array([math.nan if (number := whole(p)) is None else float(number) for p in parts])
    return np.array([float(math.prod(xyz)) if isinstance(xyz, tuple | list) else math.nan for xyz in frame[source]])


def _counted(frame: pd.DataFrame, known: Mapping[str, MetricDef]) -> dict[str, Array]:
    """Return the metrics that come from the opcodes and the accesses of each launch."""
    out: dict[str, Array] = {}
    for column, source, function in (("opcodes", "opcodes", mix), ("accesses", "accesses", access_metrics)):
        names = [name for name, entry in known.items() if entry.source == source]
        if column in frame and len(names):
            out |= function(frame[column], names)
    return out


def _compute(
    known: Mapping[str, MetricDef],
    steps: Plan,
    given: Mapping[str, Array],
    counted: Mapping[str, Array],
    held: frozenset[str],
    affected: frozenset[str],
) -> dict[str, Array]:
    columns: dict[str, Array] = {}
    shares: dict[str, Array] = {}
    rows = len(next(iter(given.values()))) if given else 0
    with np.errstate(all="ignore"):
        for name in steps.order:
            value = given[name]
            if name not in held:
                made = counted.get(name)
                if name in steps.formulas:
                    made = steps.formulas[name].column(columns, rows)
                if made is None:
                    made = stated.kept(name, given)
                if name in FILLS:
                    filled = FILLS[name][1](columns, given)
                    made = filled if made is None else _else(made, filled)
                if name.endswith("_not_issued_pct"):
                    shares = shares or not_issued(columns)
                    made = shares.get(name, made)
                elif name in ("compute_pct", "compute_from_breakdown"):
                    made = compute(columns)[0 if name == "compute_pct" else 1]
                elif name == "sm_other_leads":
                    made = elsewhere(columns)[0]
                elif name == "memory_pct":
                    made = memory(columns)[0]
                elif name == "blocks_per_sm_limit":
                    made = blocks_per_sm(columns)
                elif name == "stall_leading":
                    made = leader(columns)[1]
                if made is not None:
                    reported = bool(known[name].names) and name not in affected and name not in CORRECTED
                    value = _else(value, made) if reported else _else(made, value)
            if name == "compute_pct" and name not in held:
                value = _not_lost(value, given)
            columns[name] = stated.believed(name, columns, _finite(value))
    return columns


def _labels(columns: Mapping[str, Array]) -> dict[str, Array]:
    with np.errstate(all="ignore"):
        return {
            "compute_leader": compute(columns)[2],
            "memory_leader": memory(columns)[1],
            "sm_leader": elsewhere(columns)[1],
            "stall_leader": leader(columns)[0],
            "occupancy_limiter": limiter(columns),
            "shared_passes": passes_text(columns),
        }
