"""The counters that patches promise to lower, of instructions, lines and whole launches.

A counter has a cost: cycles of an SM for one of it, from the rates of the units. 4 warp instructions are issued per
cycle; L1 gives 4 sectors or one wavefront of shared memory per cycle; conversions, and double precision at its lowest,
use a unit of 16 lanes; a constant address takes two cycles. An L2 slice takes three cycles for a float that is added at
one address (h200.atomics), and a GPU has about as many slices as SMs: at one address it costs more. The cost is None
where waiting and not a rate decides: barriers, fences, loads past the L1 cache.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from advisor.emulator.counts import Counted, InstructionCounts
from advisor.hardware import sass


@dataclass(frozen=True)
class Counter:
    """A counter: its title, the share of an instruction, and cycles of an SM for one of it."""

    title: str
    of: Callable[[InstructionCounts, sass.OpClass], float]
    cycles: float | None


def _is_access(one: InstructionCounts) -> bool:
    return one.space in ("global", "shared") and one.kind in ("load", "store")


COUNTERS: dict[str, Counter] = {
    "inst_executed": Counter("warp instructions", lambda i, op: i.executed, 0.25),
    "idle_lane_passes": Counter("warp instructions without use", lambda i, op: i.executed - i.threads_on / 32, 0.25),
    "memory_requests": Counter("loads and stores of warps", lambda i, op: i.executed if _is_access(i) else 0.0, 1.0),
    "global_sectors": Counter(
        "global sectors", lambda i, op: i.sectors or 0.0 if "global" in i.space and i.kind != "atomic" else 0.0, 0.25
    ),
    "shared_wavefronts": Counter(
        "shared wavefronts", lambda i, op: i.wavefronts or 0.0 if "shared" in i.space else 0.0, 1.0
    ),
    "local_accesses": Counter("local loads and stores", lambda i, op: i.executed if i.space == "local" else 0.0, 1.0),
    "spill_accesses": Counter(
        "spill loads and stores", lambda i, op: i.executed if i.space == "local" and i.is_spill else 0.0, 1.0
    ),
    "double_inst": Counter("double-precision instructions", lambda i, op: i.executed if op.involves_f64 else 0.0, 2.0),
    "conversion_inst": Counter(
        "conversions", lambda i, op: i.executed if op.is_conversion and not op.involves_f64 else 0.0, 2.0
    ),
    "atomic_lanes": Counter(
        "threads at atomic operations", lambda i, op: i.threads_on if i.kind == "atomic" else 0.0, 3.0
    ),
    "constant_passes": Counter(
        "passes of indexed constant loads", lambda i, op: i.wavefronts or 0.0 if i.space == "constant" else 0.0, 2.0
    ),
    "barriers": Counter("barriers of warps", lambda i, op: i.executed if i.opcode.startswith("BAR") else 0.0, None),
    "sync_inst": Counter(
        "barriers and fences of warps",
        lambda i, op: i.executed if i.opcode.startswith(("BAR", "MEMBAR", "FENCE")) else 0.0,
        None,
    ),
    "strong_accesses": Counter(
        "loads and stores past L1",
        lambda i, op: i.executed if ".STRONG" in i.opcode and i.kind in ("load", "store") else 0.0,
        None,
    ),
}


_ACCEPTED = 0.1  # more instructions, where what the promised counter saves cannot be given in cycles
Totals = Mapping[str, float]


def totals(counted: Iterable[Counted]) -> dict[str, float]:
    """Return all counters, summed over launches."""
    rows = [(i, sass.classify(i.opcode)) for one in counted for i in one.instructions if i.executed]
    return {name: math.fsum(counter.of(i, op) for i, op in rows) for name, counter in COUNTERS.items()}


def lines(counted: Iterable[Counted], name: str, file: str) -> dict[int, float]:
    """Return line -> share of a counter, of the lines of one file."""
    out: dict[int, float] = {}
    counter = COUNTERS[name]
    for one in counted:
        for i in one.instructions:
            at, line = one.program.lines.get(i.address, ("", 0))
            if i.executed and at == file:
                out[line] = out.get(line, 0.0) + counter.of(i, sass.classify(i.opcode))
    whole = sum(out.values()) or 1.0
    return {line: value / whole for line, value in out.items() if value > 0}


def balance(promised: str, before: Totals, after: Totals) -> tuple[float, float, str]:
    """Return cycles of an SM that the promised counter saves, those that others add, and the largest of these.

    Where the counter has no cost, the saving is a tenth of the instructions: as much more is accepted.
    """
    added, worst, most = 0.0, 0.0, ""
    for name, counter in COUNTERS.items():
        # Counters that are parts of another one are left out.
        if name in (promised, "idle_lane_passes", "spill_accesses", "memory_requests", "sync_inst"):
            continue
        rise = max(0.0, after[name] - before[name]) * (counter.cycles if counter.cycles is not None else 0.25)
        added += rise
        if rise > worst:
            worst, most = rise, name
    cost = COUNTERS[promised].cycles
    if cost is not None:
        return (before[promised] - after[promised]) * cost, added, most
    return before["inst_executed"] * 0.25 * _ACCEPTED, added, most
