"""Operators on what runs at once: warps, blocks, loads in flight, and what keeps them waiting."""

from __future__ import annotations

import numpy as np

from advisor.reasoning.metrics.fills import or_else
from advisor.reasoning.time_model.operators.table import (
    CONTROL,
    Given,
    Left,
    Operator,
    Table,
    fewer_threads,
    left_of_fma,
    share,
    useful,
)


def _occupy(table: Table, given: Given) -> Left:
    """An SM holds `blocks` of today's blocks at once, so that their waits overlap; never more than the grid has.

    grows: 1 where the grid has just as many blocks as fit, for a loop over the data, and grows with what fits.
    """
    now, grid = table.get("blocks_per_sm_limit"), table.get("grid_size")
    places = table.get("sm_count") * now
    left = np.fmax(now / given["blocks"], np.where((given["grows"] > 0) & (grid == places), 0.0, places / grid))
    return {"latency": np.clip(left, 0.0, 1.0)}


def _more_registers(table: Table, given: Given) -> Left:
    """Threads take more registers: where these limit the blocks of an SM, it holds one block less, at least."""
    most, held = table.get("blocks_per_sm_limit"), table.get("grid_size") / table.get("sm_count")
    fewer = np.maximum(most - 1, 1)
    limited = (table.get("occupancy_limit_registers") <= most) & ~(held <= fewer)
    return {"latency": np.where(limited, most / fewer, 1.0)}


def _overlap(table: Table, given: Given) -> Left:
    """A warp has `by` operations in flight where it had one, so that it waits once for all of them."""
    by = np.fmax(given["by"], 1.0)
    out = {f"latency_{name}": 1 / np.fmax(or_else(given[name], 1.0), 1.0) for name in ("fixed", "shared", "barrier")}
    return out | {"latency_memory": 1 / by}


def _interleave(table: Table, given: Given) -> Left:
    """Phases that use different units run at the same time: `left` of the sum of both units' times."""
    return {"in_turn": np.clip(given["left"], 0.0, 1.0)}


def _fill(table: Table, given: Given) -> Left:
    """The work spreads evenly over all SMs, in as many warps as they hold; `left` of today's waits remain."""
    return {"imbalance": 0.0 * given["left"], "latency": np.clip(given["left"], 0.0, 1.0)}


def _more_threads(table: Table, given: Given) -> Left:
    """`by` threads share the work of one, so a grid that does not fill the GPU has as many more warps and blocks."""
    by, waves = np.fmax(or_else(given["by"], 1.0), 1.0), or_else(table.get("waves"), 1.0)
    # The busiest of the SMs over their average, of blocks that are fewer than they are.
    uneven = or_else(table.get("sm_count") / table.get("grid_size"), 1.0)
    excess = np.maximum(uneven / by - 1, 0) / np.maximum(uneven - 1, 1e-9)
    return {
        "imbalance": np.where(uneven > 1, np.fmin(1.0, excess), 1.0),
        "latency": np.clip(np.fmax(waves, 1 / by), 0.0, 1.0),
    }


def _balance(table: Table, given: Given) -> Left:
    """`left` of the busiest SM's excess over the average remains."""
    return {"imbalance": np.clip(given["left"], 0.0, 1.0)}


def _even_warps(table: Table, given: Given) -> Left:
    """The warps of an SM end together, so that its slots stay full: `left` of the waits remain."""
    return {"latency": np.clip(given["left"], 0.0, 1.0)}


def _merge_blocks(table: Table, given: Given) -> Left:
    """`left` of the blocks start; each thread does the work of several, with several loads in flight."""
    left = np.clip(given["left"], 1e-3, 1.0)
    return fewer_threads(table, 1 / left, each=True) | {
        "block_launch": left,
        "latency_memory": np.fmax(1 / np.fmax(given["in_flight"], 1.0), left),
    }


def _skip_threads(table: Table, given: Given) -> Left:
    """Only the `left` of the threads that have work are started, in `blocks` of the blocks.

    Those that have none compute an index and compare it, or take part in what their block does together, and L1 sets up
    each block. What computes with data is executed by threads that have work. accesses: what is left of the accesses,
    where those without work execute none.
    """
    left = np.clip(given["left"], 0.0, 1.0)
    accesses = np.clip(or_else(given["accesses"], left), 0.0, 1.0)
    out = dict.fromkeys(("issue", "alu", *CONTROL, "l1_shared", "latency"), left)
    out |= dict.fromkeys(("lsu", "l1_global"), accesses)
    out |= {"issue": np.fmax(left, useful(table)), "fma": left_of_fma(table, left)}
    return out | {"block_launch": np.clip(given["blocks"], 0.0, 1.0)}


def _fewer_barriers(table: Table, given: Given) -> Left:
    """`left` of the barriers remain; accesses that only carried data from one part to the next leave with them.

    With each barrier leave up to `control` instructions that steer the part behind it, such as the branch of a level of
    a tree with its reconvergence. levels: all instructions of such levels, where they were counted. shuffles: those
    that come for them. Each takes the load/store unit and its data stage for a cycle, and an addition follows it: 32.4
    million shuffles and 13.0 million accesses filled 45.5 million cycles on an H200.
    """
    left = np.clip(given["left"], 0.0, 1.0)
    barriers, control = table.get("barrier_inst"), table.get("control_inst")
    served = table.total("control_inst", "constant_inst", "barrier_inst")
    steering = np.minimum(given["control"] * barriers, control)
    gone = (1 - left) * (barriers + or_else(steering, 0.0)) / served
    kept = np.fmax(left, np.clip(given["own"], 0.0, 1.0))
    out = dict.fromkeys(("l1_shared", "lsu", "latency_shared"), kept)
    out |= {"latency_barrier": left, "adu": np.fmax(left, 1 - or_else(gone, 1.0))}
    whole = np.fmax(steering, given["levels"])
    executed = 1 - (1 - left) * or_else(share(whole, table.get("inst_executed")), 0.0)
    added = (1 - left) * given["shuffles"]
    cycles = added / (table.get("sm_cycles_elapsed") * table.get("sm_count"))
    stage = table.get("l1_wavefronts_pct") * table.get("shared_wavefront_share") / 100
    for unit, busy in (("lsu", table.get("lsu_need_pct") / 100), ("l1_shared", stage)):
        out[unit] = np.fmin(1.0, out[unit] + or_else(share(cycles, busy), 0.0))
    executed = np.fmin(1.0, executed + 2 * or_else(share(added, table.get("inst_executed")), 0.0))
    computed = 1 - (1 - left) * or_else(share(given["levels"], table.get("inst_executed")), 0.0)
    control_left = 1 - (1 - left) * or_else(share(steering, control), 0.0)
    return out | {"cbu": control_left, "issue": executed, "latency_fixed": executed, "alu": computed, "fma": computed}


def _fewer_launches(table: Table, given: Given) -> Left:
    """`left` of the launches remain, with what each costs the host and what it takes to start and to end."""
    return {"launch": np.clip(given["left"], 0.0, 1.0)}


OPERATORS = (
    Operator(
        "occupy",
        "an SM holds more blocks at once",
        _occupy,
        ("latency",),
        {"blocks": None, "grows": "0"},
        ("grid_size",),
    ),
    Operator(
        "more_registers",
        "threads take more registers, so that an SM may hold fewer blocks",
        _more_registers,
        ("latency",),
        reads=("blocks_per_sm_limit", "occupancy_limit_registers"),
    ),
    Operator(
        "overlap",
        "a warp has several operations in flight",
        _overlap,
        ("latency_memory", "latency_fixed", "latency_shared", "latency_barrier"),
        {"by": "1", "fixed": "1", "shared": "1", "barrier": "1"},
        unused="1",
    ),
    Operator(
        "interleave",
        "phases that use different units run at the same time",
        _interleave,
        ("in_turn",),
        {"left": None},
    ),
    Operator("fill", "the work spreads evenly over all SMs", _fill, ("imbalance", "latency"), {"left": None}),
    Operator(
        "more_threads",
        "several threads share the work of one, so that a grid with few of them fills the GPU",
        _more_threads,
        ("imbalance", "latency"),
        {"by": None},
        ("waves", "sm_count", "grid_size"),
    ),
    Operator("balance", "all SMs have the same work", _balance, ("imbalance",), {"left": "0"}),
    Operator("even_warps", "the warps of an SM end together", _even_warps, ("latency",), {"left": None}),
    Operator(
        "merge_blocks",
        "fewer blocks start, whose threads do more work each",
        _merge_blocks,
        ("block_launch", "latency_memory", "issue", "latency_fixed", "fma", "alu", "adu", "cbu", "idc"),
        {"left": None, "in_flight": "4"},
    ),
    Operator(
        "skip_threads",
        "only threads that have work are started",
        _skip_threads,
        ("block_launch", "issue", "fma", "alu", *CONTROL, "lsu", "l1_global", "l1_shared", "latency"),
        {"left": None, "blocks": None, "accesses": None},
    ),
    Operator(
        "fewer_barriers",
        "barriers leave, with the accesses that only carried data across them",
        _fewer_barriers,
        ("latency_barrier", "adu", "l1_shared", "lsu", "latency_shared", "cbu", "issue", "latency_fixed", "alu", "fma"),
        {"left": None, "own": "1", "control": "0", "levels": "0", "shuffles": "0"},
    ),
    Operator("fewer_launches", "the host launches less often", _fewer_launches, ("launch",), {"left": None}),
)
