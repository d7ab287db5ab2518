"""Operators on atomics: how many operations reach one address, and what waits for them."""

from __future__ import annotations

import numpy as np

from advisor.reasoning.metrics.fills import or_else
from advisor.reasoning.time_model.operators.l2 import l2_left
from advisor.reasoning.time_model.operators.table import Given, Left, Operator, Table, fixed_cycles, share
from advisor.reasoning.time_model.terms import Array


def _fences(table: Table, left: Array) -> Left:
    """Return what is left of a warp's waits if fences wait for `left` of the atomics before them.

    A fence ends when all earlier accesses of its thread are done, so it also waits for the queue of its atomics.
    """
    waits = or_else(share(np.nan_to_num(table.get("stall_membar")), fixed_cycles(table)), 0.0)
    return {"latency_fixed": 1 - waits * (1 - left)}


def _reduce_first(table: Table, given: Given) -> Left:
    """Threads combine their values first: of the global atomics `left` remain, one for each of some `blocks`.

    That is where all threads of a block add to one address. If a block has as many addresses as a warp has now, as many
    warps' atomics as blocks remain; which of both, no report shows, so it is the middle on a log scale. The code of a
    library cannot be changed: its atomics can only be spread over more addresses, so that all L2 slices have the same
    number, and each lane a sector of its own.
    """
    left = np.clip(given["left"], 0.0, 1.0)
    executed = table.get("atomic_inst") - or_else(table.get("shared_atomic_inst"), 0.0)
    several = share(given["blocks"], executed)
    left = np.where(several > left, np.sqrt(left * several), left)
    updated = table.total("l2_red_sectors", "l2_atom_sectors")
    apart = executed * table.get("lanes_pred_on") / updated
    spread = np.minimum(1.0, np.fmax(1.0, or_else(apart, 1.0)) / table.get("atomic_focus"))
    left = np.where((table.get("library_kernel") == 1) & (spread > left), spread, left)
    # An atomic enters L2 by a request of its own, so without counts its share is known from both rates.
    entered = or_else(share(table.get("l2_atomic_pct"), table.get("l2_tag_requests_pct")), 0.0)
    sectors = or_else(share(updated, table.get("l2_sectors")), entered)
    idle = or_else(table.get("idle_wait_share"), 1.0)
    return l2_left(table, 1 - sectors * (1 - left), atomics=left) | {
        "atomics": left,
        "latency_memory": np.fmax(left, np.fmin(1.0, idle)),
        "block_launch": np.fmin(1.0, 1 / table.get("waves")),
        **_fences(table, left),
    }


def _spread_atomics(table: Table, given: Given) -> Left:
    """The elements of different owners lie in lines of their own, in more slices: `left` of the busiest one's work."""
    left = np.clip(given["left"], 0.0, 1.0)
    idle = np.fmin(1.0, or_else(table.get("idle_wait_share"), 1.0))
    return {"atomics": left, "latency_memory": np.fmax(left, idle), **_fences(table, left)}


def _shared_copies(table: Table, given: Given) -> Left:
    """Updates of one shared address leave for registers or own copies: `left` of them, with their tries, remain.

    A failed compare-and-swap loads, compares and tries again: five instructions each beside the swap itself.
    """
    left = np.clip(given["left"], 0.0, 1.0)
    tries = or_else(share(6 * table.get("shared_swap_inst"), table.get("inst_executed")), 0.0)
    issue = np.fmax(0.05, 1 - tries * (1 - left))
    accesses = or_else(share(table.total("shared_atomic_inst", "shared_swap_inst"), table.get("memory_inst")), 0.5)
    return {
        "l1_shared": left,
        "latency_shared": left,
        "lsu": np.fmax(left, 1 - accesses * (1 - left)),
        "issue": issue,
        "alu": issue,
        "latency_fixed": issue,
        "latency_memory": issue,
    }


def _no_lock(table: Table, given: Given) -> Left:
    """No thread waits for a lock: `updates` of the global operations remain, and `executed` of the instructions."""
    updates, executed = np.clip(given["updates"], 0.0, 1.0), np.clip(given["executed"], 0.0, 1.0)
    out = dict.fromkeys(("atomics", "l2", "l1_global", "lsu"), updates)
    return out | dict.fromkeys(("issue", "alu", "latency"), executed) | {"imbalance": np.fmin(1.0, given["uneven"])}


OPERATORS = (
    Operator(
        "reduce_first",
        "threads combine their values before they reach one address",
        _reduce_first,
        ("atomics", "l2", "l2_fabric", "latency_memory", "latency_fixed", "block_launch"),
        {"left": None, "blocks": "grid_size"},
        ("atomic_inst", "atomic_focus", "lanes_pred_on", "l2_red_sectors", "l2_atom_sectors"),
    ),
    Operator(
        "spread_atomics",
        "elements of different owners lie in lines of their own",
        _spread_atomics,
        ("atomics", "latency_memory", "latency_fixed"),
        {"left": None},
    ),
    Operator(
        "shared_copies",
        "updates of one shared address leave for registers or own copies",
        _shared_copies,
        ("l1_shared", "latency_shared", "lsu", "issue", "alu", "latency_fixed", "latency_memory"),
        {"left": None},
    ),
    Operator(
        "no_lock",
        "no thread waits for a lock",
        _no_lock,
        ("atomics", "l2", "l1_global", "lsu", "issue", "alu", "latency", "imbalance"),
        {"updates": None, "executed": None, "uneven": "1"},
    ),
)
