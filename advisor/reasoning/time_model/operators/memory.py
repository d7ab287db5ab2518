"""Operators on global, local and shared memory: which bytes move, in how many requests, and how far they travel."""

from __future__ import annotations

import numpy as np

from advisor.knowledge.time_model import time_model
from advisor.reasoning.metrics.fills import or_else
from advisor.reasoning.time_model.operators.l2 import L2_PARTS, coalesced, l2_left
from advisor.reasoning.time_model.operators.table import (
    Given,
    Left,
    Operator,
    Table,
    alu_inst,
    fewer_threads,
    fixed_cycles,
    left_of_fma,
    share,
    useful,
)
from advisor.reasoning.time_model.terms import LATENCY, Array, l1_passes

_GLOBAL_SHARES = ("global_dram_share", "global_lookup_share", "global_wait_share")
_TRAFFIC = (
    "load_sectors_actual",
    "load_sectors_ideal",
    "store_sectors_actual",
    "store_sectors_ideal",
    "load_lines",
    "load_lines_ideal",
    "store_lines",
    "store_lines_ideal",
)

# Of gathered bytes, the share that the caches hold already: no count of a scattered kernel shows whether all or none.
_GATHERED_AGAIN = 0.5
# Of the ALU instructions beside local arrays, the share that computes with data at least: most of six measured cures
# left some 0.4. Instructions that shift or mask bits do so too.
_ALU_OF_DATA = 0.4
_LINE_BYTES = 128
# Atomics of the busiest slice of L2 for one of the average: below, they have many addresses (as atomics_fill_slices).
_EVEN = 4.0
# Registers of a thread beside its results: operands that are loaded ahead, addresses and counters.
_OTHER_REGISTERS = 64.0


def _coalesce(table: Table, given: Given) -> Left:
    """Every access fetches only the sectors that its lanes ask for: in whole lines, or (whole = 0) where they lie.

    stays: the share of the excess sectors that remains, as of loads whose address the data gives.
    """
    whole, stays = given["whole"] > 0, np.clip(or_else(given["stays"], 0.0), 0.0, 1.0)
    # What the TMA copies is in no count of accesses, and stays.
    copied = np.nan_to_num(table.total("tma_load_bytes", "tma_store_bytes")) / 32
    own = or_else(share(table.get("global_sectors"), table.get("global_sectors") + copied), 1.0)
    lookups, excess = own * table.get("global_lookup_share"), table.get("sector_ratio")
    spread = np.where(whole, np.fmax(excess, table.get("global_wavefront_ratio")), excess)
    # Of so many sectors and passes one remains.
    ratio, spread = (one / (1 + stays * (np.fmax(one, 1.0) - 1)) for one in (excess, spread))
    local, moved = own * table.get("global_dram_share"), table.get("dram_bytes")
    # What lanes gather by an index, others may gather too: six triangles share a corner of a mesh. Records that are
    # looked up once are all new.
    fresh = 1 - _GATHERED_AGAIN * or_else(table.get("gathered_share"), 0.0)
    asked = fresh * np.fmax(table.get("requested_bytes"), np.fmin(table.get("asked_bytes"), local * moved))
    needed = np.fmax(fresh * table.get("requested_bytes"), np.fmin(asked, local * moved / ratio))
    dram = 1 - local + np.fmin(local, needed / moved)
    waits = table.get("global_wait_share")
    # Lanes that share whole lines bring a line with each load, whatever the width of their elements.
    lines = np.fmin(1.0, 32 * table.get("load_sectors_ideal") / (_LINE_BYTES * table.get("global_load_inst")))
    idle = table.get("idle_wait_ratio") * np.where(whole, or_else(lines, 1.0), 1.0)
    # Without isolated sectors DRAM and L2 reach their usual ceilings.
    dense = {name: or_else(table.now.dense.get(name, table.ones()), 1.0) for name in ("dram", "l2", "l2_fill")}
    return {
        "l1_global": 1 / spread,
        "l2": 1 - lookups * (1 - coalesced(table, whole, stays, ratio) * dense["l2"]),
        "dram": 1 - local + (dram - 1 + local) * dense["dram"],
        "l2_fill": 1 - local + (dram - 1 + local) * dense["l2_fill"],
        "latency_memory": 1 - waits * (1 - np.fmax(1 / spread, np.minimum(1.0, idle))),
    }


def _widen(table: Table, given: Given) -> Left:
    """Each lane moves `by` times as many bytes in an access, so that fewer threads move the same bytes.

    L1 still passes every byte: 128 bytes each time.
    """
    by = np.fmax(given["by"], 1.0)
    accesses = table.total("global_load_inst", "global_store_inst")
    of_global = or_else(share(accesses, table.get("memory_inst")), 1.0)
    passes = l1_passes(table.get) * (1 - table.total("shared_wavefront_share", "local_wavefront_share"))
    least = or_else(share(table.get("requested_bytes") / 128, passes), 1 / by)
    waits = or_else(table.get("global_wait_share"), 1.0)
    return fewer_threads(table, by) | {
        "lsu": 1 - of_global * (1 - 1 / by),
        "l1_global": np.fmax(1 / by, least),
        "latency_memory": 1 - waits * (1 - 1 / by),
        "block_launch": 1 / by,
    }


def _fetch_once(table: Table, given: Given) -> Left:
    """Each byte crosses DRAM once, and L2 `lookups` of today's times; what DRAM sent again then waits for L2."""
    left, lookups = np.fmin(given["bytes"] / table.get("dram_bytes"), 1.0), np.fmin(given["lookups"], 1.0)
    near = or_else(table.get("l2_latency_cycles") / table.get("dram_latency_cycles"), 0.5)
    return {"dram": left, "l2": lookups, "latency_memory": left + (1 - left) * near}


def _cross_less(table: Table, given: Given) -> Left:
    """Of what crosses between the partitions of L2, `left` remains: blocks that run together use the same data."""
    return {"l2_fabric": np.clip(given["left"], 0.0, 1.0)}


def _pack_lines(table: Table, given: Given) -> Left:
    """A line of L2 holds `by` times as many of the sectors that are read, so L2 holds as many more of them.

    Of records that are asked for at random, L2 holds a share in proportion to its size, so the share of hits grows by
    the same factor, up to all. Misses leave DRAM; what hits waits for L2 instead.
    """
    by = np.fmax(given["by"], 1.0)
    hits = np.clip(table.get("l2_hit_pct") / 100, 0.0, 1.0)
    missed = or_else(share(np.maximum(1 - by * hits, 0.0), 1 - hits), 1.0)
    missed = np.fmax(missed, time_model().accuracy.furthest)
    read = share(table.get("dram_read_bytes"), table.get("dram_bytes"))
    dram = 1 - or_else(read, 1.0) * (1 - missed)
    near = or_else(table.get("l2_latency_cycles") / table.get("dram_latency_cycles"), 0.5)
    return {"dram": dram, "latency_memory": missed + (1 - missed) * near}


def _tile(table: Table, given: Given) -> Left:
    """A thread keeps a tile of results in registers, so that a loaded operand serves a row or a column of it.

    left: of the loads, so that the tile is 1 / left in each direction; alu: of the work of the ALU pipe, which may be
    addresses alone or arithmetic on the data too; what is neither arithmetic nor a load
    (addresses, the loop, its barriers) is done once for all of its results. Blocks of as many threads cover as much
    more, and so ask L2 and DRAM as much less often, down to each byte once. The results take registers, so that an SM
    holds fewer warps and each wait is overlapped by fewer of them.
    """
    left = np.clip(given["left"], 0.0, 1.0)
    registers = 1 / np.fmax(left, 1e-3) ** 2 + _OTHER_REGISTERS
    warps = table.get("device_registers_per_sm") / (32 * registers)
    held = table.get("occupancy_theoretical_pct") / 100 * table.get("device_max_warps_per_sm")
    alone = np.fmax(1.0, or_else(held / warps, 1.0))
    executed = table.get("inst_executed")
    arithmetic = share(table.get("arithmetic_inst"), executed)
    loads = np.fmin(1 - arithmetic, or_else(share(table.get("memory_inst"), executed), 0.0))
    issue = np.fmax(arithmetic, arithmetic + loads * left + (1 - arithmetic - loads) * left**2)
    out = dict.fromkeys(("lsu", "l1_shared", "l1_global", "latency_shared", "latency_memory", "latency_barrier"), left)
    out |= dict.fromkeys(("adu", "idc"), left)
    # Integer products and moves on the FMA pipe are addresses and the loop.
    out |= {"fma": left_of_fma(table, left), "alu": np.clip(given["alu"], 0.0, 1.0)}
    read = share(table.get("dram_read_bytes"), table.get("dram_bytes"))
    once = or_else(table.get("distinct_load_bytes") / table.get("dram_read_bytes"), 1.0)
    dram = or_else(1 - read * (1 - np.fmin(1.0, np.fmax(left, once))), 1.0)
    # Without counts of L2 its look-ups are those of loads that miss L1 and of stores in proportion.
    missing = table.get("global_load_inst") * (1 - or_else(table.get("l1_hit_pct") / 100, 0.0))
    accesses = share(missing, missing + np.nan_to_num(table.get("global_store_inst")))
    loaded = or_else(share(table.get("l2_read_sectors"), table.get("l2_sectors")), or_else(accesses, 0.0))
    out |= {name: np.fmin(1.0, part * alone) for name, part in out.items() if name.startswith("latency")}
    # The results of a tile do not wait for each other, so a warp issues them without a pause.
    pauses = share(np.nan_to_num(table.get("stall_wait")), fixed_cycles(table))
    fixed = np.fmin(1.0, issue * alone * np.fmax(left, 1 - pauses))
    l2 = l2_left(table, 1 - loaded * (1 - left), reads=left)
    return out | l2 | {"issue": issue, "latency_fixed": fixed, "dram": dram}


def _fewer_accesses(table: Table, given: Given) -> Left:
    """`left` of the loads and stores remain, with their instructions; the global ones in proportion."""
    left = np.clip(given["left"], 0.0, 1.0)
    gone = 1 - left
    of_global = or_else(table.get("global_load_share"), 1.0)
    issue = 1 - gone * or_else(share(table.get("memory_inst"), table.get("inst_executed")), 0.0)
    out = {"lsu": left, "l1_shared": left, "latency_shared": left, "issue": issue, "latency_fixed": issue}
    return out | {"l1_global": 1 - gone * of_global, "latency_memory": 1 - gone * of_global}


def _serve_blocks(table: Table, given: Given) -> Left:
    """A thread computes the results of several blocks that load the same data: `left` of the loads remain."""
    left = np.clip(given["left"], 0.0, 1.0)
    loads = or_else(share(table.get("global_load_inst"), table.get("memory_inst")), 1.0)
    issue = 1 - (1 - left) * or_else(share(table.get("global_load_inst"), table.get("inst_executed")), 0.0)
    out = l2_left(table, left, reads=left) | dict.fromkeys(("l1_global", "latency_memory"), left)
    return out | {"lsu": 1 - loads * (1 - left), "issue": issue}


def _pad(table: Table, given: Given) -> Left:
    """Shared accesses take their ideal wavefronts."""
    left = np.clip(given["left"], 0.0, 1.0)
    return {"l1_shared": left, "latency_shared": left}


def _local_share(table: Table, of: str) -> Array:
    """Return the share of local accesses in the wavefronts, L2 look-ups or DRAM bytes; that in the accesses else."""
    return or_else(table.get(f"local_{of}_share"), table.get("local_share_of_memory"))


def _caches_without_local(table: Table, gone: Array) -> Left:
    """Return what is left of L2 and DRAM if the share `gone` of the local accesses leaves."""
    reads, writes = (1 - gone * table.get(f"local_l2_{kind}_share") for kind in ("read", "write"))
    dram = 1 - gone * _local_share(table, "dram")
    left = l2_left(table, 1 - gone * _local_share(table, "lookup"), reads=reads, writes=writes, fills=dram)
    return left | {"dram": dram}


def _without_local(table: Table, given: Given) -> Left:
    """`share` of the local accesses leaves: their wavefronts, L2 look-ups, DRAM bytes, instructions and waits.

    With each leave `address` instructions that form its address. loops: the share of all branches and reconvergence
    points that leaves, with each two of them the comparison of a branch, and of the loads of constants, whose index is
    then known. What computes with data stays.
    """
    gone = np.clip(given["share"], 0.0, 1.0)
    unrolled = gone * np.clip(given["loops"], 0.0, 1.0)
    executed, control = table.get("inst_executed"), table.get("control_inst")
    steering, indexed = unrolled * or_else(control, 0.0), unrolled * or_else(table.get("constant_inst"), 0.0)
    addresses = gone * given["address"] * table.get("local_inst")
    leaving = gone * table.get("local_inst") + addresses + 1.5 * steering + indexed
    issue = 1 - np.fmin(or_else(share(leaving, executed), 0.0), 1 - useful(table))
    # Waits by the numbers of loads, or by their wavefronts, whichever leaves less to the global ones; where the former
    # are not known, all are said to be global.
    of_local, of_global = _local_share(table, "wavefront"), table.get("global_wait_share")
    waits = np.fmin(1 - of_local * gone, np.where(of_global < 1, 1 - gone * (1 - of_global), np.nan))
    constants = table.total("control_inst", "constant_inst", "barrier_inst")
    on_data = np.clip(or_else(table.get("bit_share"), 0.0), _ALU_OF_DATA, 1.0)
    return _caches_without_local(table, gone) | {
        "l1_local": 1 - gone,
        "issue": issue,
        "latency_fixed": issue,
        "lsu": 1 - table.get("local_share_of_memory") * gone,
        "latency_memory": np.maximum(0.03, waits),
        "cbu": 1 - or_else(share(steering, control), 0.0),
        "adu": 1 - or_else(share(steering + indexed, constants), 0.0),
        "idc": 1 - np.where(indexed > 0, unrolled, 0.0),
        "alu": np.fmax(on_data, 1 - or_else(share(addresses + 0.5 * steering, alu_inst(table)), 0.0)),
    }


def _array_near(table: Table, given: Given) -> Left:
    """Arrays with computed indices move from local memory to registers or shared memory: an access is one wavefront."""
    of_local = _local_share(table, "wavefront")
    passes = of_local * l1_passes(table.get)
    return _caches_without_local(table, table.ones()) | {
        "l1_local": np.fmin(1.0, table.get("local_inst") / passes),
        "latency_memory": np.fmin(1 - of_local, or_else(table.get("idle_wait_share"), 1.0)),
    }


def _uniform(table: Table, given: Given) -> Left:
    """Values that all lanes of a warp load move to constant memory: an operand of the instruction, not a load.

    share: of these loads, those that do.
    """
    moved = np.clip(given["share"], 0.0, 1.0)
    count, loads = moved * table.get("uniform_load_inst"), table.get("global_load_inst")
    accesses = table.total("global_load_inst", "global_store_inst")
    least = 0.03
    of_loads = share(count, loads) * or_else(table.get("global_wait_share"), 1.0)
    issue = 1 - or_else(share(count, table.get("inst_executed")), 0.0)
    return {
        "lsu": np.fmax(least, 1 - np.fmin(1.0, moved * table.get("uniform_load_share"))),
        "l1_global": np.fmax(least, 1 - share(count, accesses)),
        "latency_memory": np.fmax(least, 1 - of_loads),
        "issue": issue,
    }


def _cached(table: Table, given: Given) -> Left:
    """Loads that pass by L1 are served by it where the same bytes are asked for again: L2 serves each byte once.

    A byte that DRAM sends is looked up in L2 and filled into it, one that DRAM takes is looked up.
    """
    moved = or_else(2 * table.get("dram_read_bytes") + table.get("dram_write_bytes"), table.get("dram_bytes"))
    left = np.clip(moved / (32 * table.get("l2_sectors")), 0.1, 1.0)
    # A load that hits L1 waits for L1; the others wait as before. Where no unit is full and loads wait longer than for
    # L2 alone, they queue for the few lines that all ask for; where one is full, the need of latency has no queueing.
    near = table.get("l1_latency_cycles") / table.get("l2_latency_cycles")
    full = np.max([table.now.terms[name] for name in ("dram", "l2", "l2_fill", "l1_global", "lsu")], axis=0)
    queued = np.fmin(1.0, or_else(table.get("idle_wait_share"), 1.0))
    queued = np.where(full < time_model().queueing.low, queued, 1.0)
    return {"l2": left, "latency_memory": queued * (left + (1 - left) * or_else(near, 1.0))}


def _unfenced(table: Table, given: Given) -> Left:
    """Fences leave, with their own look-ups in L2: those of accesses and of fills from DRAM remain.

    A warp's fence takes the load/store unit, the barrier unit and the shared part of L1 two cycles each, and L1 three
    more to forget its lines. Whether L1 then serves what it forgot is not known: the middle, on a log scale, of all
    loads as before and of each byte that DRAM sends read from L2 once, but no less than an eighth. Atomics that all
    slices of L2 share entered in turn because of the fences; without, each takes the cycle of its entry.
    """
    read, written, once = table.get("l2_read_sectors"), table.get("l2_write_sectors"), table.get("dram_read_bytes") / 32
    again = np.sqrt(np.fmax(time_model().accuracy.furthest, or_else(share(once, read), 1.0)))
    near = or_else(table.get("l1_latency_cycles") / table.get("l2_latency_cycles"), 1.0)
    fences = table.get("fence_inst") / (table.get("sm_cycles_elapsed") * table.get("sm_count"))
    l1, shared = table.get("l1_wavefronts_pct") / 100, table.get("shared_wavefront_share")

    def left(cycles: Array, busy: Array) -> Array:
        return or_else(1 - share(cycles, busy), 1.0)

    return {
        "l2": or_else(share(read * again + written + once, table.get("l2_sectors")), 1.0),
        "latency_memory": again + (1 - again) * near,
        "lsu": left(2 * fences, table.get("lsu_need_pct") / 100),
        "adu": left(2 * fences, table.get("adu_pct") / 100),
        "l1_shared": left(2 * fences, l1 * shared),
        "l1_global": left(3 * fences, l1 * (1 - shared)),
        "atomics": np.where(
            table.get("atomic_focus") <= _EVEN,
            or_else(share(table.get("l2_atomic_max_pct"), table.get("atomic_time_pct")), 1.0),
            1.0,
        ),
    }


def _near(table: Table, given: Given) -> Left:
    """Data moves next to the GPU or the block: `left` of the waits for it remain.

    remote: accesses of the shared memory of other blocks, which pass L1 as global ones do, and then no more.
    """
    left = np.clip(given["left"], 0.0, 1.0)
    remote = or_else(given["remote"], 0.0)
    others = np.nan_to_num(table.total("global_load_inst", "global_store_inst"))
    passes = 1 - or_else(share(remote, remote + others), 0.0)
    return {"latency_memory": left, "latency_barrier": left, "l1_global": passes}


def _whole_copies(table: Table, given: Given) -> Left:
    """A bulk copy moves `bytes`, so fewer of them are started, each by a thread that computes its address and waits."""
    bytes_now = or_else(table.get("bulk_copy_bytes"), table.get("dram_bytes") / table.get("bulk_copy_inst"))
    left = np.clip(bytes_now / given["bytes"], 0.0, 1.0)
    started = or_else(share(8 * table.get("bulk_copy_inst"), table.get("inst_executed")), 0.5)
    issue = 1 - np.fmax(started, 0.5) * (1 - left)
    return {"bulk_copies": left, "issue": issue, "alu": issue, "latency_fixed": issue, "latency_memory": left}


def _stream(table: Table, given: Given) -> Left:
    """Another call goes through the data once: of what DRAM moves `bytes` remain, and no other unit needs as long.

    Loads follow one another and all SMs share them, so that waits overlap. The other units need `others` of DRAM's
    time: reductions that go through an array once keep the fullest of them a third busy to a half (tests/bench/unseen).
    """
    left, now = np.clip(given["bytes"], 0.0, 1.0), table.now.terms
    nothing = np.zeros_like(left)
    # Data that is in L2 already passes only that.
    needs = [now.get(term, nothing) for term in ("dram", "l2_fill", "l2")]
    streamed = left * np.fmax(np.fmax(needs[0], needs[1]), needs[2])
    out = {"dram": left, "l2_fill": left, "l2": left, "imbalance": 0.0 * left}
    for term in (*_STREAMED, *LATENCY):
        needed = now.get(term, nothing)
        known = (needed > 0) & (streamed > 0)
        out[term] = np.where(known, np.clip(given["others"] * streamed / np.where(known, needed, 1.0), 0.0, 1.0), 1.0)
    return out


_STREAMED = (
    *("l2_fabric", "l1_global", "l1_shared", "l1_local", "lsu", "fma", "alu", "xu", "issue", "adu", "cbu"),
    *("idc", "block_launch", "in_turn"),
)
_ALL_MEMORY = ("l1_global", "l2", "l2_fill", "dram", "latency_memory")
_THREADS = ("issue", "latency_fixed", "fma", "alu", "adu", "cbu", "idc")
_ACCESSES = ("lsu", "l1_shared", "l1_global", "latency_shared", "latency_memory", "issue", "latency_fixed")
_LOCAL = (
    *("local_inst", "local_lookup_share", "local_dram_share", "local_wavefront_share"),
    *("local_l2_read_share", "local_l2_write_share", "local_share_of_memory"),
)

OPERATORS = (
    Operator(
        "coalesce",
        "every access fetches only the sectors that its lanes ask for, in whole lines",
        _coalesce,
        _ALL_MEMORY,
        {"whole": "1", "stays": "min(gather_excess_share, far_excess_share)"},
        reads=(
            "sector_ratio",
            "dram_bytes",
            "requested_bytes",
            "global_sectors",
            *_GLOBAL_SHARES,
            *_TRAFFIC,
            *L2_PARTS,
        ),
    ),
    Operator(
        "widen",
        "each lane moves more bytes in an access, so fewer threads move the same bytes",
        _widen,
        ("lsu", "l1_global", "latency_memory", "block_launch", *_THREADS),
        {"by": None},
        ("requested_bytes", "memory_inst", "inst_executed"),
    ),
    Operator(
        "fetch_once",
        "each byte crosses DRAM once",
        _fetch_once,
        ("dram", "l2", "latency_memory"),
        {"bytes": None, "lookups": "1"},
        ("dram_bytes",),
    ),
    Operator(
        "stream",
        "another call goes through the data once, at the rate of DRAM",
        _stream,
        ("dram", "l2_fill", "l2", "imbalance", *_STREAMED, *LATENCY),
        {"bytes": "1", "others": "0.4"},
        ("dram_bytes",),
    ),
    Operator(
        "cross_less",
        "less data crosses between the partitions of L2",
        _cross_less,
        ("l2_fabric",),
        {"left": None},
        ("l2_fabric_sectors",),
    ),
    Operator(
        "pack_lines",
        "a line of L2 holds more of the sectors that are read",
        _pack_lines,
        ("dram", "latency_memory"),
        {"by": None},
        ("l2_hit_pct", "dram_read_bytes", "dram_bytes"),
    ),
    Operator(
        "tile",
        "a thread keeps a tile of results in registers, so a loaded operand serves a row or a column of it",
        _tile,
        (*_ACCESSES, "latency_barrier", "adu", "idc", "fma", "alu", "l2", "l2_fabric", "dram"),
        {"left": None, "alu": "1"},
        ("arithmetic_inst", "inst_executed"),
    ),
    Operator(
        "fewer_accesses",
        "some loads and stores leave, with their instructions",
        _fewer_accesses,
        _ACCESSES,
        {"left": None},
        ("memory_inst", "inst_executed"),
    ),
    Operator(
        "serve_blocks",
        "a thread computes the results of several blocks that load the same data",
        _serve_blocks,
        ("l2", "l2_fabric", "l1_global", "latency_memory", "lsu", "issue"),
        {"left": None},
        ("global_load_inst", "inst_executed"),
    ),
    Operator(
        "pad",
        "shared accesses take their ideal wavefronts",
        _pad,
        ("l1_shared", "latency_shared"),
        {"left": "1 / shared_wavefront_ratio"},
    ),
    Operator(
        "without_local",
        "local accesses leave, with their traffic in all caches and DRAM",
        _without_local,
        (
            *("l1_local", "l2", "l2_fabric", "dram", "issue", "latency_fixed", "lsu", "latency_memory", "cbu", "adu"),
            *("idc", "alu"),
        ),
        {"share": "1", "address": "0", "loops": "0"},
        ("inst_executed", *_LOCAL),
    ),
    Operator(
        "array_near",
        "arrays move from local memory to registers or shared memory",
        _array_near,
        ("l1_local", "l2", "l2_fabric", "dram", "latency_memory"),
        reads=_LOCAL,
    ),
    Operator(
        "uniform",
        "values that all lanes load become constants",
        _uniform,
        ("lsu", "l1_global", "latency_memory", "issue"),
        {"share": "1"},
        reads=("uniform_load_inst", "global_load_inst", "global_store_inst", "uniform_load_share"),
    ),
    Operator(
        "cached",
        "loads are served by L1 where the same bytes are asked for again",
        _cached,
        ("l2", "latency_memory"),
        reads=("dram_bytes", "dram_read_bytes", "dram_write_bytes", "l2_sectors", "idle_wait_share"),
    ),
    Operator(
        "unfenced",
        "fences leave, with their own look-ups in L2",
        _unfenced,
        ("l2", "latency_memory", "lsu", "adu", "l1_shared", "l1_global", "atomics"),
        reads=(
            *("l2_read_sectors", "l2_write_sectors", "dram_read_bytes", "l2_sectors", "fence_inst", "lsu_need_pct"),
            *("adu_pct", "l1_wavefronts_pct", "shared_wavefront_share", "sm_cycles_elapsed", "sm_count"),
            *("l2_atomic_max_pct", "atomic_focus", "atomic_time_pct"),
        ),
    ),
    Operator(
        "near",
        "data moves next to its user",
        _near,
        ("latency_memory", "latency_barrier", "l1_global"),
        {"left": None, "remote": "0"},
    ),
    Operator(
        "whole_copies",
        "a bulk copy moves more bytes, so fewer are started",
        _whole_copies,
        ("bulk_copies", "issue", "alu", "latency_fixed", "latency_memory"),
        {"bytes": None},
        ("bulk_copy_bytes", "bulk_copy_inst"),
    ),
)
