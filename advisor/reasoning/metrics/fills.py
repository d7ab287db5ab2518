"""What stands in for metrics that a report lacks, or corrects them: one function for each, listed in FILLS.

A function reads the columns derived so far and those that the report gave; NaN is unknown, before and after.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from advisor.knowledge.time_model import time_model
from advisor.knowledge.units import SAME_POINTS

Array = np.ndarray[Any, Any]
Columns = Mapping[str, Array]
Fill = Callable[[Columns, Columns], Array]


def or_else(values: Array, other: Array | float) -> Array:
    """Return the values, or the other ones where they are unknown."""
    return np.where(np.isfinite(values), values, other)


def _where_none(count: Array) -> Array:
    """Return 0 where no instruction of the kind was executed, else unknown."""
    return np.where(count == 0, 0.0, np.nan)


def dram_bytes(columns: Columns, given: Columns) -> Array:
    """Compute the bytes from rate and duration, because the details page prints nothing else."""
    return given["dram_bytes_per_s"] * columns["duration_ns"] / 1e9


def dram_peak(columns: Columns, given: Columns) -> Array:
    """Return the theoretical bandwidth of the CUDA programming guide: two transfers per clock x bus width."""
    return 2 * columns["device_memory_clock_hz"] * columns["device_bus_bits"] / 8


# Waves per SM is printed with two decimals.
_WAVE_DIGITS = 0.005
_EXACT = 1e-9  # of floating-point division


def sms_of_waves(columns: Columns, given: Columns) -> Array:
    """Return the number of SMs for which a grid makes that many waves: waves = blocks / (SMs x resident blocks per SM).

    NaN unless exactly one whole number fits both decimals of the waves, where the GPU has fewer, and where the number
    is known: a supposed grid or block changes the waves, not the SMs. It was the stated number in all 750 launches of
    public reports and recordings that state it and where one fits (ncu 2019 to 2025).
    """
    waves, per_wave = given["waves"], columns["grid_size"] / columns["blocks_per_sm_limit"]
    least, most = (
        np.where(waves > _WAVE_DIGITS, per_wave / (waves + way), np.nan) for way in (_WAVE_DIGITS, -_WAVE_DIGITS)
    )
    whole = np.floor(per_wave / waves + 0.5)
    only = (np.ceil(least - _EXACT) == whole) & (np.floor(most + _EXACT) == whole) & (whole >= 1) & np.isfinite(whole)
    only &= ~np.isfinite(given["sm_count"]) & ~(whole > columns["device_sm_count"]) & ~(columns["cluster_size"] > 1)
    return np.where(only, whole, np.nan)


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


def l1_elapsed(columns: Mapping[str, Array]) -> Array:
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
    own, sm = l1_elapsed(columns), columns["sm_throughput_pct"]
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
    return or_else(of_turing(columns, given), np.where(known, shared, np.where(passes, own, np.nan)))


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


def one_warp(columns: Columns, given: Columns) -> Array:
    """Return the share of one warp in its block where one lane executes more between barriers than its warp otherwise.

    For code without line information, whose parts between barriers are not known by their lines.
    """
    return np.where(columns["lone_lane_ratio"] > 1, 32 / columns["block_size"], np.nan)


def _none_without(count: str) -> tuple[tuple[str, ...], Fill]:
    """Return 0 where no instruction of the kind was executed."""
    return (count,), lambda columns, given: _where_none(columns[count])


# Reported metrics that their function corrects, instead of only supplying what is missing.
CORRECTED = ("l1_wavefronts_pct", "l1_other_pct")
# Metric -> the columns that its function reads in addition to the reported ones, and the function.
FILLS: dict[str, tuple[tuple[str, ...], Fill]] = {
    "sm_count": (("grid_size", "blocks_per_sm_limit", "device_sm_count", "cluster_size"), sms_of_waves),
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
    "barrier_working_share": (("lone_lane_ratio", "block_size"), one_warp),
    **{
        name: _none_without("mufu_inst")
        for name in ("function_check_inst", "short_division_inst", "reused_reciprocal_inst")
    },
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
