"""Run every block of a launch, with all values, to check its results and its use of memory.

Beside the bounds and the alignment of every access, shared memory is watched: a load of bytes that no thread of the
block has written, and two threads of different warps that access the same word between two barriers, one of them to
write it, are errors. Accesses of one warp are ordered and no race.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from advisor.emulator.counts import Problem, machine_of, memory_of
from advisor.emulator.machine import Machine
from advisor.emulator.memory import GlobalMemory
from advisor.emulator.program import Program, RefusedError
from advisor.emulator.state import Array, FaultError, Group

MOST_WARPS = 1 << 15
_PART = 512  # warps that run at a time
_NOBODY = -1


class SharedWatch:
    """Who wrote and read each word of shared memory since the last barrier of its block."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        blocks, size = machine.shared.shape
        self.written = np.zeros((blocks, size), bool)
        self.writer = np.full((blocks, size // 4), _NOBODY, np.int32)
        self.reader = np.full((blocks, size // 4), _NOBODY, np.int32)

    def barrier(self, blocks: Array) -> None:
        """Forget the accesses before a barrier of these blocks."""
        self.writer[blocks] = _NOBODY
        self.reader[blocks] = _NOBODY

    def shared(self, g: Group, m: Array | None, offsets: Array, width: int, kind: str, at: int) -> None:
        """Check an access of `width` bytes a lane. Raises FaultError."""
        machine = self.machine
        lanes = g.lanes() if m is None else m
        if not lanes.any():
            return
        block = np.broadcast_to(machine.block_of[g.warps][:, None], offsets.shape)[lanes]
        warp = np.broadcast_to(g.warps[:, None], offsets.shape)[lanes].astype(np.int32)
        places = offsets[lanes]
        if kind == "load":
            for byte in range(width):
                missing = ~self.written[block, places + byte]
                if missing.any():
                    raise self._error(
                        "uninitialised", g, lanes, missing, places, at, "reads shared memory that no thread has written"
                    )
        for word in range(max(1, width // 4)):
            index = (places >> 2) + word
            writer = self.writer[block, index]
            other = (writer != _NOBODY) & (writer != warp)
            if kind == "atomic":
                other &= False
            if other.any():
                verb = "reads" if kind == "load" else "writes"
                raise self._error(
                    "race",
                    g,
                    lanes,
                    other,
                    places,
                    at,
                    f"{verb} shared memory that another warp wrote since the last barrier",
                )
            if kind == "store":
                reader = self.reader[block, index]
                other = (reader != _NOBODY) & (reader != warp)
                if other.any():
                    raise self._error(
                        "race",
                        g,
                        lanes,
                        other,
                        places,
                        at,
                        "writes shared memory that another warp reads since the last barrier",
                    )
                self.writer[block, index] = warp
            elif kind == "load":
                # -2: warps that differ have read it.
                seen = self.reader[block, index]
                self.reader[block, index] = np.where((seen == _NOBODY) | (seen == warp), warp, -2)
        if kind != "load":
            for byte in range(width):
                self.written[block, places + byte] = True

    def _error(self, kind: str, g: Group, lanes: Array, which: Array, places: Array, at: int, words: str) -> FaultError:
        first = int(np.flatnonzero(which)[0])
        row, lane = (int(v[first]) for v in np.nonzero(lanes))
        machine = self.machine
        byte = int(places[first]) - machine.layout.shared_base
        return FaultError(kind, at, f"{machine.thread(int(g.warps[row]), lane)} {words} (byte {byte})")


@dataclass(slots=True)
class Done:
    """A launch after all its blocks have run: its memory, and the executed warp instructions."""

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

    Raises FaultError for errors of the program, and RefusedError for what is not emulated or too large.
    """
    blocks = math.prod(problem.grid)
    warps = -(-math.prod(problem.block) // 32)
    if blocks * warps > MOST_WARPS:
        raise RefusedError(f"{blocks * warps} warps are too many to run whole: use a smaller problem")
    if memory is None or addresses is None:
        memory, addresses = memory_of(problem)
    per = max(1, _PART // warps)
    steps = 0
    for start in range(0, blocks, per):
        machine = machine_of(problem, range(start, min(start + per, blocks)), memory, addresses, None, seconds)
        if watch:
            machine.check = SharedWatch(machine)
        machine.run()
        steps += machine.steps_done
    return Done(memory, steps)


def located(error: FaultError, program: Program) -> str:
    """Return a fault in one line, with the source line of its instruction."""
    return f"{program.where(error.at)}: {error.words}"
