"""What each unit needs of a launch's time, as a share of it: the terms of knowledge/time_model.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from advisor.knowledge.loader import load
from advisor.records import resources

Array = np.ndarray[Any, Any]
LATENCY = ("latency_memory", "latency_shared", "latency_fixed", "latency_barrier")


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One term: its name for people, its chain, the metric it comes from and the part of the peak that is reachable.

    instead: the metric to use where that one is unknown. follows: the term whose work it does too, so that what
    a fix leaves of the one it leaves of the other. alone: of the terms whose work it waits for, what it is called where
    the launch has any of that one only.
    """

    name: str
    chain: str
    metric: str = ""
    instead: str = ""
    part_of: str = ""
    follows: str = ""
    alone: dict[str, str] = {}
    ceiling: float = 1.0
    per_sm: bool = False
    cites: tuple[str, ...] = ()


class Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A constant with the range in which it is believed."""

    low: float
    high: float
    estimate: float = 1.0
    cites: tuple[str, ...] = ()


class Accuracy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The factor within which the predicted and the measured time of nine in ten unmodified launches agree."""

    within: float
    cites: tuple[str, ...] = ()


class Latencies(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cycles from a load to its value on an idle machine."""

    l1: float
    l2: float
    dram: float
    shared: float
    cites: tuple[str, ...] = ()


class DramCeiling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Percent of the DRAM peak that reads alone and a copy reach."""

    read: float
    copy: float
    cites: tuple[str, ...] = ()


class Scattered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of their peak that DRAM and L2 reach with lone sectors, and the ratios from which on they count so."""

    ceiling: float
    ratio: float
    cites: tuple[str, ...] = ()


class TimeModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """knowledge/time_model.yaml."""

    norm: Range
    scale: Range
    accuracy: Accuracy
    queueing: Range
    scattered: Scattered
    launch_ns: Range
    latency_cycles: Latencies
    block_launch: dict[str, Any]
    dram_ceiling: DramCeiling
    terms: dict[str, Term]
    how: dict[str, str]


@lru_cache(maxsize=1)
def time_model() -> TimeModel:
    """The model's constants; KnowledgeError with file and line when the file is wrong."""
    return load(resources.folder("knowledge") / "time_model.yaml", TimeModel)


def fix_terms() -> tuple[str, ...]:
    """The terms that a fix may change."""
    return (*time_model().terms, "latency", "imbalance", "launch")


def block_launch_ceiling(cc: str) -> float:
    """Blocks that a GPU of this compute capability starts in an SM clock cycle."""
    table = time_model().block_launch
    return float(table.get(cc, table["other"]))


@dataclass(frozen=True)
class Needs:
    """Shares of the launch's time, arrays of shape (rows,), 0 where unknown; `imbalance` is busiest SM over average.

    `queued`: the busiest SM has more warps to run than fit at once, so that spreading them shortens its latency too.
    `missed`: share of the L2 look-ups that miss, 0 where unknown.
    """

    terms: Mapping[str, Array]
    imbalance: Array
    latency_known: Array
    queued: Array
    missed: Array

    def at(self, rows: Any) -> Needs:
        """The needs of some rows (indices)."""
        return Needs(
            {name: need[rows] for name, need in self.terms.items()},
            *(part[rows] for part in (self.imbalance, self.latency_known, self.queued, self.missed)),
        )


def _get(columns: Mapping[str, Array], name: str, rows: int) -> Array:
    found = columns.get(name)
    return np.full(rows, np.nan) if found is None else np.asarray(found, dtype=float)


def needs(columns: Mapping[str, Array], rows: int) -> Needs:
    """The needs of every term before any fix. Units of `columns` as in metrics.yaml."""
    model = time_model()

    def get(name: str) -> Array:
        return _get(columns, name, rows)

    shares = {
        "l1_shared": np.nan_to_num(get("shared_wavefront_share")),
        "l1_local": np.nan_to_num(get("local_wavefront_share")),
    }
    shares["l1_global"] = np.clip(1 - shares["l1_shared"] - shares["l1_local"], 0, 1)
    imbalance = np.fmax(np.nan_to_num(get("sm_active_ratio"), nan=1.0), 1.0)
    out: dict[str, Array] = {}
    for name, term in model.terms.items():
        if not term.metric:
            continue
        percent = get(term.metric)
        if term.instead:
            percent = np.where(np.isfinite(percent), percent, get(term.instead))
        need = np.nan_to_num(percent) / 100 / term.ceiling
        if term.part_of:
            need = need * shares[name]
        out[name] = need * imbalance if term.per_sm else need
    lone = _lone_sectors(get)
    for name in ("dram", "l2", "l2_fill"):
        need = np.minimum(1.0, out[name] * model.terms[name].ceiling / model.scattered.ceiling)
        out[name] = np.where(lone, np.maximum(out[name], need), out[name])
    l1 = out["l1_global"] + out["l1_shared"] + out["l1_local"]
    # A slice saturated with atomics delays loads like any other saturated unit.
    memory = np.max([out["dram"], out["l2"], out["l2_fill"], l1, out["lsu"], out["atomics"]], axis=0)
    latency, known, queued = _latency(get, imbalance, memory, np.max([memory, *out.values()], axis=0))
    out.update(latency)
    missed = np.clip(np.nan_to_num(1 - get("l2_hit_pct") / 100), 0, 1)
    return Needs(out, imbalance, known, queued, missed)


def _lone_sectors(get: Any) -> Array:
    """Where DRAM moves isolated sectors: lanes are scattered, and DRAM moves far more than all sectors that they touch.

    A walk in steps touches neighbouring sectors one after another and fills DRAM as a copy does; a random one leaves of
    each pair of sectors that DRAM moves together the other one unused.
    """
    ratio = time_model().scattered.ratio
    return np.asarray((get("sector_ratio") > ratio) & (get("dram_bytes") > ratio * 32 * get("global_sectors")))


def _queueing(need: Array) -> Array:
    """How much of the waiting is for the queue of a unit with this need, 0 (all is latency) to 1 (all beyond it)."""
    bounds = time_model().queueing
    return np.asarray(np.clip((need - bounds.low) / (bounds.high - bounds.low), 0, 1))


def _latency(get: Any, imbalance: Array, memory_need: Array, fullest: Array) -> tuple[dict[str, Array], Array, Array]:
    """Shares of the time that a warp's unloaded lifetime takes, given how many warps an SM holds at once.

    Lifetime of a warp = instructions x (1 + fixed stalls) + waits for loads, shared memory and barriers. Where the
    memory system is saturated (`memory_need`, 0 to 1), waits for loads are limited to what they would take on an idle
    machine: the rest is queueing at the saturated unit and shrinks with it, as throttle stalls do. Where nothing is
    saturated there is no such unit, and all of the waiting is latency. In between, in proportion. The same holds for
    barriers and the most utilised unit (`fullest`, its need), because a warp at a barrier waits for those that queue.
    Drain and not-selected stalls are never latency. Source: Little's law; h200.time_model for the bounds of the
    proportion.
    """
    cycles = time_model().latency_cycles
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
    idle = l1 * cycles.l1 + (1 - l1) * (l2 * cycles.l2 + (1 - l2) * cycles.dram)
    queueing = _queueing(memory_need)
    throttled = per_warp * stall("lg_throttle", "tex_throttle")
    memory_now = per_warp * stall("long_scoreboard")
    idle_wait = np.where(loads > 0, np.minimum(memory_now, loads * idle), memory_now)
    memory = queueing * idle_wait + (1 - queueing) * (memory_now + throttled)
    through_mio = (np.nan_to_num(get("shared_inst")) + np.nan_to_num(get("xu_inst"))) / get("warps")
    shared_now = per_warp * stall("short_scoreboard")
    shared = np.where(through_mio > 0, np.minimum(shared_now, through_mio * cycles.shared), shared_now)
    now = fixed + memory_now + shared_now + throttled + per_warp * stall("mio_throttle", "math_pipe_throttle", "drain")
    # Waiting at a barrier is waiting for the others. Where a unit is saturated, their queueing there shrinks with it.
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
