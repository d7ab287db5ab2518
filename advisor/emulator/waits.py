"""Where the instructions of a program wait for the results of others: a scan of the code, in the order of addresses.

A warp issues one instruction after the other. It waits where an instruction uses a register that a load has not filled
yet: loads that were issued before that are waited for together. A result of arithmetic can be used four cycles later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.emulator.build import Build, Register
from advisor.hardware import sass

# Cycles from an arithmetic instruction to one that uses its result, on Volta and later (Jia et al. 2018).
_FIXED = 4
_ENDS = ("BRA", "BRX", "JMP", "CALL", "RET", "EXIT", "BSYNC", "BAR", "WARPSYNC")


@dataclass(slots=True)
class Waits:
    """Sums over all executions: cycles of waiting for arithmetic; waits for loads, and for shared memory and XU."""

    fixed: float = 0.0
    loads: float = 0.0
    shared: float = 0.0


def waits(builds: Sequence[Build], executed: Sequence[float]) -> Waits:
    """Return the waits of a program. executed: executions of each instruction."""
    out = Waits()
    ready: dict[Register, int] = {}
    pending: dict[Register, str] = {}
    clock = 0
    for b, times in zip(builds, executed, strict=True):
        used = b.uses | b.data
        what = sass.classify(b.ins.opcode)
        kinds = {pending[r] for r in used if r in pending}
        if "load" in kinds:
            out.loads += times
        if "shared" in kinds:
            out.shared += times
        if kinds:
            pending = {r: kind for r, kind in pending.items() if kind not in kinds}
        late = max((ready[r] - clock for r in used if r in ready), default=0)
        if late > 0:
            out.fixed += late * times
            clock += late
        clock += 1
        for register in b.defs:
            if b.reads in ("global", "read-only", "generic", "local"):
                pending[register] = "load"
            elif b.reads == "shared" or what.pipe == "xu":
                pending[register] = "shared"
            else:
                ready[register] = clock + _FIXED - 1
        if b.ins.opcode in _ENDS:
            ready.clear()
    return out
