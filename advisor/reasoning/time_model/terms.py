"""Compute the share of a launch's time that each unit needs: the terms of knowledge/time_model.yaml."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from msgspec import Struct

from advisor.knowledge.time_model import LEVELS, OTHER, latencies, time_model

Array = np.ndarray[Any, Any]
# The parts of L1's wavefronts, and the metric of each part's share; the rest belongs to global accesses.
SHARES = {"l1_shared": "shared_wavefront_share", "l1_local": "local_wavefront_share"}
# Units that all SMs share, and those of them that isolated sectors fill early.
_LONE = ("dram", "l2", "l2_fill")
_SHARED = (*_LONE, "l2_fabric")
LATENCY = ("latency_memory", "latency_shared", "latency_fixed", "latency_barrier")


class Rows(Mapping[str, Array]):
    """Some rows (indices) of a frame's columns; a column is cut when it is read."""

    def __init__(self, columns: Mapping[str, Array], at: Any) -> None:
        self._columns, self._at = columns, at

    def __getitem__(self, name: str) -> Array:
        return np.asarray(self._columns[name][self._at])

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


class Needs(Struct, frozen=True):
    """Shares of the launch's time, arrays of shape (rows,), 0 if unknown.

    imbalance: work of the busiest SM / average. queued: the busiest SM has more warps to run than fit at once, so
    spreading them also shortens its latency. missed: share of the L2 look-ups that miss, 0 if unknown.
    passed: what is left of the need of L2 if nothing misses, as its crossbars pass the same bytes, 0 if unknown.
    crossed: share of what one partition of L2 asks of the other that misses there too, 1 if unknown.
    known: where each term of a counter is known. dense: what is left of the need of DRAM and L2 if the same sectors
    were not isolated. crowded: by how much the need of DRAM and L2 is larger because the SMs are busy for a part of the
    time only, 1 if they all are until the end.
    """

    terms: Mapping[str, Array]
    imbalance: Array
    latency_known: Array
    queued: Array
    missed: Array
    passed: Array
    crossed: Array
    known: Mapping[str, Array]
    dense: Mapping[str, Array] = {}
    crowded: Mapping[str, Array] = {}

    def at(self, rows: Any) -> Needs:
        """Return the needs of some rows (indices)."""
        return Needs(
            {name: need[rows] for name, need in self.terms.items()},
            self.imbalance[rows],
            self.latency_known[rows],
            self.queued[rows],
            self.missed[rows],
            self.passed[rows],
            self.crossed[rows],
            {name: known[rows] for name, known in self.known.items()},
            {name: left[rows] for name, left in self.dense.items()},
            {name: more[rows] for name, more in self.crowded.items()},
        )


def with_assumed(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Return the columns with what the model takes for a metric that a row lacks."""
    out = dict(columns)
    rows = len(next(iter(out.values()))) if out else 0
    for name, value in time_model().assumed.items():
        out[name] = np.where(np.isfinite(_get(out, name, rows)), _get(out, name, rows), value)
    return out


def _get(columns: Mapping[str, Array], name: str, rows: int) -> Array:
    found = columns.get(name)
    return np.full(rows, np.nan) if found is None else np.asarray(found, dtype=float)


def l1_passes(get: Callable[[str], Array]) -> Array:
    """Return the wavefronts that the L1 data stages of all SMs pass, one a cycle at most; get: returns a metric."""
    return get("l1_wavefronts_pct") / 100 * get("sm_cycles_elapsed") * get("sm_count")


@np.errstate(all="ignore")
def needs(columns: Mapping[str, Array], rows: int) -> Needs:
    """Return the needs of every term before any fix. Units of `columns` as in metrics.yaml."""
    model = time_model()

    def get(name: str) -> Array:
        return _get(columns, name, rows)

    told = {name: get(metric) for name, metric in SHARES.items()}
    # Without counts of L1 an access of local memory counts as any other, and one of shared memory as the passes that
    # the addresses of its lanes in the code take.
    passes = l1_passes(get)
    ideal = get("shared_inst") * np.fmax(1.0, get("shared_bits_mean") / 32)
    of_passes = np.where(passes > 0, ideal * get("shared_wavefront_ratio") / passes, np.nan)
    told["l1_shared"] = np.where(np.isfinite(told["l1_shared"]), told["l1_shared"], np.clip(of_passes, 0.0, 1.0))
    of_accesses = get("local_inst") / get("memory_inst")
    shares = {name: np.nan_to_num(share) for name, share in told.items()}
    rest = np.fmin(np.nan_to_num(of_accesses), 1 - shares["l1_shared"])
    shares["l1_local"] = np.where(np.isfinite(told["l1_local"]), shares["l1_local"], rest)
    shares["l1_global"] = np.clip(1 - shares["l1_shared"] - shares["l1_local"], 0, 1)
    imbalance = np.fmax(np.nan_to_num(get("sm_active_ratio"), nan=1.0), 1.0)
    out: dict[str, Array] = {}
    counted: dict[str, Array] = {}
    for name, term in model.terms.items():
        if not term.metric:
            continue
        percent = get(term.metric)
        if term.instead:
            percent = np.where(np.isfinite(percent), percent, get(term.instead))
        counted[name] = np.isfinite(percent)
        need = np.nan_to_num(percent) / 100 / term.ceiling
        if term.part_of:
            counted[name] = counted[name] & np.isfinite(told.get(name, percent))
            need = need * shares[name]
        out[name] = need * imbalance if term.per_sm else need
    plain_l2 = out["l2"]
    lone = _lone_sectors(get)
    dense: dict[str, Array] = {}
    for name in _LONE:
        need = np.minimum(1.0, out[name] * model.terms[name].ceiling / model.scattered.ceiling)
        crowded = np.where(lone, np.maximum(out[name], need), out[name])
        dense[name] = np.where(crowded > 0, out[name] / crowded, 1.0)
        out[name] = crowded
    busier: dict[str, Array] = {}
    # SMs that have ended ask for nothing. While all are busy, these units serve more than on average, up to all of
    # their time; if that is not enough, those that are left use them up too. A smaller difference between the SMs is
    # that of their start and end, and SMs without any block never asked.
    uneven = _uneven(get, imbalance)
    for name in _SHARED:
        more = np.clip(out[name] * uneven, out[name], np.maximum(out[name], 1.0))
        busier[name] = np.where(out[name] > 0, more / out[name], 1.0)
        out[name] = more
    l1 = out["l1_global"] + out["l1_shared"] + out["l1_local"]
    # A slice saturated with atomics delays loads like any other saturated unit.
    memory = np.max([out["dram"], out["l2"], out["l2_fill"], out["l2_fabric"], l1, out["lsu"], out["atomics"]], axis=0)
    latency, known, queued = _latency(get, imbalance, memory, np.max([memory, *out.values()], axis=0))
    out.update(latency)
    fullest = np.max([need for name, need in out.items() if name not in LATENCY], axis=0)
    out["in_turn"] = np.minimum(1.0, _in_turn(get, fullest) * imbalance)
    counted["in_turn"] = np.isfinite(get("first_sm_unit_pct")) & np.isfinite(get("second_sm_unit_pct"))
    missed = np.clip(np.nan_to_num(1 - get("l2_hit_pct") / 100), 0, 1)
    bars = np.fmax(np.nan_to_num(get("l2_read_xbar_pct")), np.nan_to_num(get("l2_write_xbar_pct"))) / 100
    passed = np.where(plain_l2 > 0, np.minimum(1.0, bars / model.terms["l2"].ceiling / plain_l2), 0.0)
    crossed = np.clip(np.nan_to_num(get("l2_fabric_misses") / get("l2_fabric_sectors"), nan=1.0), 0, 1)
    return Needs(out, imbalance, known, queued, missed, passed, crossed, counted, dense, busier)


def _uneven(get: Any, imbalance: Array) -> Array:
    """Return the imbalance of the SMs that have blocks, 1 where it is small or the grid unknown."""
    with_blocks = np.fmin(1.0, get("grid_size") / get("sm_count"))
    ratio = np.where(np.isfinite(with_blocks), np.fmax(imbalance * with_blocks, 1.0), 1.0)
    bounds = time_model().uneven
    return np.asarray(1 + (ratio - 1) * np.clip((ratio - bounds.low) / (bounds.high - bounds.low), 0, 1))


_FULL = 0.8  # the band in which a unit limits (peak-percentage method)
# The units of an SM that phases may use one after the other; additions and integer work count as one.
_TURNS = (("fma", "alu"), ("fp64",), ("xu",), ("tensor",), ("l1_global", "l1_shared", "l1_local"))


def _in_turn(get: Any, fullest: Array) -> Array:
    """Return the sum of the needs of the two most utilised units of an SM where its phases use one after the other.

    The conditions of the rule pipes_serialised.in_turn that counters show: neither unit is full, both together fill
    the time once, warps queue for them or meet at barriers, and there are eight barriers or more for each warp. No
    unit is full (`fullest`, the largest need), which would explain the time. 0 elsewhere.
    """
    first, second = get("first_sm_unit_pct"), get("second_sm_unit_pct")
    turns = (second >= 30) & (first <= 70) & (first + second >= 75) & (first + second <= 120)
    waits = get("phase_wait_pct")
    turns &= (
        (fullest < _FULL)
        & (waits >= 15)
        & (waits > get("stall_long_scoreboard_pct"))
        & (get("barrier_inst") >= 8 * get("warps"))
    )
    return np.asarray(np.where(turns, np.minimum(1.0, (first + second) / 100), 0.0))


def turns_left(now: Mapping[str, Array], factors: Mapping[str, Array]) -> Array:
    """Return what is left of phases that use two units in turn if `factors` of the work of units are left.

    They then use the two that are the fullest after it.
    """
    before, after = [], []
    for names in _TURNS:
        need = [now[name] for name in names]
        left = [now[name] * factors.get(name, 1.0) for name in names]
        shared = names[0].startswith("l1")
        before.append(np.asarray(sum(need)) if shared else np.max(need, axis=0))
        after.append(np.asarray(sum(left)) if shared else np.max(left, axis=0))
    was, stays = (np.max([one + other for one, other in combinations(needs, 2)], axis=0) for needs in (before, after))
    return np.where(was > 0, stays / np.maximum(was, 1e-12), 1.0)


def _lone_sectors(get: Any) -> Array:
    """Return where DRAM moves isolated sectors: lanes are scattered, and DRAM moves far more than they touch.

    A strided walk touches adjacent sectors one after another and saturates DRAM like a copy; a random one leaves the
    other sector unused in each pair that DRAM moves together. Copies of the TMA are whole, and in no count of sectors.
    """
    ratio = time_model().scattered.ratio
    touched = 32 * get("global_sectors") + np.nan_to_num(get("tma_load_bytes")) + np.nan_to_num(get("tma_store_bytes"))
    return np.asarray((get("sector_ratio") > ratio) & (get("dram_bytes") > ratio * touched))


def _queueing(need: Array) -> Array:
    """Return the share of waiting due to a unit's queue: 0 (all is latency) to 1 (all beyond it is queueing)."""
    bounds = time_model().queueing
    return np.asarray(np.clip((need - bounds.low) / (bounds.high - bounds.low), 0, 1))


def _unloaded(get: Any) -> dict[str, Array]:
    """Return the latencies of each launch's GPU without other load, in cycles; assumed ones if the GPU is unknown."""
    assumed = latencies(OTHER)
    given = {level: get(f"{level}_latency_cycles") for level in LEVELS}
    return {level: np.where(np.isfinite(known), known, assumed[level]) for level, known in given.items()}


def _latency(get: Any, imbalance: Array, memory_need: Array, fullest: Array) -> tuple[dict[str, Array], Array, Array]:
    """Return the shares of the time that a warp's unloaded lifetime takes, for the number of warps that an SM holds.

    Lifetime of a warp = instructions x (1 + fixed stalls) + waits for loads, shared memory and barriers. If the memory
    system is saturated (`memory_need`, 0 to 1), waits for loads are limited to what they would take without other load:
    the rest is queueing at the saturated unit and shrinks with it, as throttle stalls do. If nothing is saturated, all
    of the waiting is latency. In between, the split is proportional. The same holds for barriers and the most utilised
    unit (`fullest`, its need), because a warp at a barrier waits for those that queue. Drain and not-selected stalls
    are never latency. Source: Little's law; h200.time_model for the bounds of the proportion.
    """
    cycles = _unloaded(get)
    per_warp = get("inst_issued") / get("warps")
    per_warp = np.where(np.isfinite(per_warp), per_warp, get("inst_executed") / get("warps"))

    def stall(*reasons: str) -> Array:
        return np.asarray(sum(np.nan_to_num(get(f"stall_{r}")) for r in reasons))

    fixed = per_warp * (
        1 + stall("wait", "branch_resolving", "dispatch_stall", "no_instruction", "imc_miss", "sleeping", "membar")
    )
    fixed = fixed + per_warp * stall("misc", "gmma", "warpgroup_arrive")
    loads = (np.nan_to_num(get("global_load_inst")) + np.nan_to_num(get("local_load_inst"))) / get("warps")
    l1, l2 = (np.clip(np.nan_to_num(get(m)) / 100, 0, 1) for m in ("l1_hit_pct", "l2_hit_pct"))
    idle = l1 * cycles["l1"] + (1 - l1) * (l2 * cycles["l2"] + (1 - l2) * cycles["dram"])
    queueing = _queueing(memory_need)
    throttled = per_warp * stall("lg_throttle", "tex_throttle")
    memory_now = per_warp * stall("long_scoreboard")
    idle_wait = np.where(loads > 0, np.minimum(memory_now, loads * idle), memory_now)
    memory = queueing * idle_wait + (1 - queueing) * (memory_now + throttled)
    through_mio = (np.nan_to_num(get("shared_inst")) + np.nan_to_num(get("xu_inst"))) / get("warps")
    # Without shared memory and special functions, special registers and constants wait in the queue of the loads and
    # atomics: no instruction can wait longer than the latency for it.
    through_mio = np.where(through_mio > 0, through_mio, per_warp)
    shared_now = per_warp * stall("short_scoreboard")
    shared = np.fmin(shared_now, through_mio * cycles["shared"])
    now = fixed + memory_now + shared_now + throttled + per_warp * stall("mio_throttle", "math_pipe_throttle", "drain")
    # A warp at a barrier waits for the others. If a unit is saturated, their queueing there shrinks with it.
    own = fixed + memory + shared
    barrier = per_warp * stall("barrier") * (1 - _queueing(fullest) * (1 - own / now))

    warps = get("warps") / get("sm_count") * imbalance
    slots = get("occupancy_theoretical_pct") / 100 * get("device_max_warps_per_sm")
    resident = np.fmin(slots, warps)
    rounds = warps / resident / get("sm_cycles_elapsed")
    parts = {"latency_memory": memory, "latency_shared": shared, "latency_fixed": fixed, "latency_barrier": barrier}
    out = {name: part * rounds for name, part in parts.items()}
    known = np.isfinite(np.asarray(sum(out.values())))
    return {name: np.where(known, part, 0.0) for name, part in out.items()}, known, warps > slots
