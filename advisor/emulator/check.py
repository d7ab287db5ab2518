"""Run every block of a launch, with all values, to check its results and its use of memory.

Beside the bounds and the alignment of every access, memory and warp operations are watched (`watch`): a load of shared
memory that no thread has written, races in shared and global memory, shuffles from inactive lanes, wrong masks.

A shuffle from an inactive lane is an error only if what it reads is used: the sum of the first lanes of a warp by
`__shfl_down_sync` gives the other lanes values that nobody reads. So such a launch is executed again with other values
in these places: they are used if the memory then differs, or if it does not end.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from advisor.emulator.counts import Problem, machine_of, members, memory_of
from advisor.emulator.memory import GlobalMemory
from advisor.emulator.program import Program, RefusedError
from advisor.emulator.state import FaultError
from advisor.emulator.watch import GlobalWatch, SharedWatch, Undefined

MOST_WARPS = 1 << 18
_PART = 512  # warps that run at a time
# Values in the place of undefined ones: large and of both signs, as floats and as integers, so that sums, largest and
# smallest values and bits change.
_OTHERS = (0x7F0F5A3C, 0xFF0F5A3C)
_AGAIN = 4  # executions for which the repetitions have time at least: two are always needed


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

    seconds: of processor time for all blocks together, and for all repetitions together.
    Raises FaultError for errors of the program, and RefusedError for what is not emulated or too large.
    """
    blocks = math.prod(problem.grid)
    warps = -(-math.prod(problem.block) // 32)
    if blocks * warps > MOST_WARPS:
        raise RefusedError(f"{blocks * warps} warps are too many to run whole: use a smaller problem")
    if memory is None or addresses is None:
        memory, addresses = memory_of(problem)
    undefined = Undefined()
    shuffles = watch and any(i.opcode == "SHFL" for i in problem.program.code)
    before = memory.copy() if shuffles else memory
    begin = time.process_time()
    steps = _run(problem, memory, addresses, seconds, undefined if watch else None)
    if undefined.first:
        end = time.process_time()
        deadline = end + max(seconds, _AGAIN * (end - begin))

        def differs(at: frozenset[int]) -> bool:
            return any(_differs(problem, before, addresses, deadline, Undefined({}, at, v), memory) for v in _OTHERS)

        if differs(frozenset(undefined.first)):
            used = (error for at, error in undefined.first.items() if differs(frozenset([at])))
            raise next(used, next(iter(undefined.first.values())))
    return Done(memory, steps)


def _differs(
    problem: Problem, before: GlobalMemory, addresses: Any, deadline: float, undefined: Undefined, right: GlobalMemory
) -> bool:
    """Return whether a launch gives another memory, or does not end, if undefined values are others.

    deadline: of the processor time of this process.
    """
    memory = before.copy()
    try:
        _run(problem, memory, addresses, deadline - time.process_time(), undefined)
    except (FaultError, RefusedError):
        return True
    return any(not np.array_equal(memory.content(r.name), right.content(r.name)) for r in memory.regions)


def _run(problem: Problem, memory: GlobalMemory, addresses: Any, seconds: float, undefined: Undefined | None) -> int:
    """Run all blocks, watched if there is `undefined`; return the steps."""
    cluster = problem.program.cluster
    unit = math.prod(cluster)
    per = max(1, _PART // (-(-math.prod(problem.block) // 32) * unit))
    # All blocks of a cluster run together.
    order = [members(number, problem.grid, cluster) for number in range(math.prod(problem.grid) // unit)]
    deadline = time.process_time() + seconds
    late = RefusedError(f"did not end within {seconds:.0f} s of CPU time")
    steps = 0
    everywhere = GlobalWatch(memory, _grain(problem.program)) if undefined is not None else None
    for start in range(0, len(order), per):
        together = [block for one in order[start : start + per] for block in one]
        left = deadline - time.process_time()
        if left <= 0:
            raise late
        machine = machine_of(problem, together, memory, addresses, None, left)
        if undefined is not None:
            machine.check = SharedWatch(machine, everywhere, undefined)
        try:
            machine.run()
        except RefusedError:
            if time.process_time() > deadline:
                raise late from None
            raise
        steps += machine.steps_done
    return steps


def _grain(program: Program) -> int:
    """Return the bytes of the smallest access of global memory, at most 4."""
    names = [i.modifiers for i in program.code if i.opcode in ("LDG", "STG", "LD", "ST", "LDGSTS")]
    if any({"U8", "S8"} & set(n) for n in names):
        return 1
    return 2 if any({"U16", "S16"} & set(n) for n in names) else 4


def located(error: FaultError, program: Program) -> str:
    """Return a fault in one line, with the source line of its instruction."""
    return f"{program.where(error.at)}: {error.words}"
