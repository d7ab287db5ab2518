"""Run every block of a launch, with all values, to check its results and its use of memory.

Beside the bounds and the alignment of every access, memory and warp operations are watched (`watch`): a load of shared
memory that no thread has written, races in shared and global memory, shuffles from inactive lanes, wrong masks.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

from advisor.emulator.counts import Problem, machine_of, memory_of
from advisor.emulator.memory import GlobalMemory
from advisor.emulator.program import Program, RefusedError
from advisor.emulator.state import FaultError
from advisor.emulator.watch import GlobalWatch, SharedWatch

MOST_WARPS = 1 << 18
_PART = 512  # warps that run at a time


@dataclass(slots=True)
class Done:
    """A launch after all its blocks have run: its memory, and the steps, each an instruction for some warps."""

    memory: GlobalMemory
    steps: int


def run_whole(
    problem: Problem,
    memory: GlobalMemory | None = None,
    addresses: Any = None,
    seconds: float = 60.0,
    watch: bool = False,
) -> Done:
    """Run all blocks with all values. memory, addresses: of an earlier launch whose results this one continues.

    seconds: of processor time for all blocks together.
    Raises FaultError for errors of the program, and RefusedError for what is not emulated or too large.
    """
    blocks = math.prod(problem.grid)
    warps = -(-math.prod(problem.block) // 32)
    if blocks * warps > MOST_WARPS:
        raise RefusedError(f"{blocks * warps} warps are too many to run whole: use a smaller problem")
    if memory is None or addresses is None:
        memory, addresses = memory_of(problem)
    per = max(1, _PART // warps)
    deadline = time.process_time() + seconds
    steps = 0
    everywhere = GlobalWatch(memory, _grain(problem.program)) if watch else None
    for start in range(0, blocks, per):
        left = deadline - time.process_time()
        if left <= 0:
            raise RefusedError(f"did not end within {seconds:.0f} s of CPU time")
        machine = machine_of(problem, range(start, min(start + per, blocks)), memory, addresses, None, left)
        if watch:
            machine.check = SharedWatch(machine, everywhere)
        machine.run()
        steps += machine.steps_done
    return Done(memory, steps)


def _grain(program: Program) -> int:
    """Return the bytes of the smallest access of global memory, at most 4."""
    names = [i.modifiers for i in program.code if i.opcode in ("LDG", "STG", "LD", "ST", "LDGSTS")]
    if any({"U8", "S8"} & set(n) for n in names):
        return 1
    return 2 if any({"U16", "S16"} & set(n) for n in names) else 4


def located(error: FaultError, program: Program) -> str:
    """Return a fault in one line, with the source line of its instruction."""
    return f"{program.where(error.at)}: {error.words}"
