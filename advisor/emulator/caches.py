"""Model the caches: the sectors that the blocks of one SM access, in the order in which they run, through an L1 cache.

Modelled, not counted: the GPU runs warps in another order. L1 has lines of 128 bytes with four sectors, keeps the lines
used last, and passes stores on, which leave their sectors there. The blocks are those that one SM has at a time: every
`sms`-th block of the grid, as blocks are handed out in turn. What L1 does not have goes to L2. A sector is fetched
from DRAM at its first access, as Nsight Compute empties the caches before a launch, and again as often as it was
evicted: if what the running blocks use together is more than L2 holds, a reuse finds its sector with the probability
L2 size / that. Of each array they use as much as they would if none shared a sector, at most all of it. Sectors that
were written go to DRAM as far as all that is used is more than L2 holds.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from advisor.emulator.counts import Problem, machine_of, members, memory_of
from advisor.emulator.memory import BASE, GlobalMemory
from advisor.emulator.program import RefusedError
from advisor.emulator.relevance import relevance
from advisor.emulator.state import Array, Group

SECTOR, LINE = 32, 128
_LINE_SECTORS = LINE // SECTOR
_MOST_SECTORS = 300_000  # that go through the model
_MOST_WARPS = 64


@dataclass(frozen=True, slots=True)
class Caches:
    """The sizes of a GPU's caches. sms: its SMs; resident: blocks that an SM has at a time; l1, l2: bytes."""

    sms: int
    resident: int
    l1: int
    l2: int


@dataclass(frozen=True, slots=True)
class CacheTraffic:
    """The modelled traffic of a launch, in sectors; hits as shares of the look-ups, nan without any.

    l2_reads, l2_writes: sectors that pass between L1 and L2; dram_reads, dram_writes: between L2 and DRAM.
    """

    l1_hit: float
    l2_hit: float
    l2_reads: float
    l2_writes: float
    dram_reads: float
    dram_writes: float


class _FullError(Exception):
    """The executed blocks access more sectors than go through the model."""


class SectorLog:
    """The sectors of each access in the order of execution: a kind for each access, and its sectors.

    It holds complete blocks or nothing: noting more than the model takes ends the run with _FullError.
    """

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.sectors: list[Array] = []
        self.total = 0

    def note(self, g: Group, m: Array | None, offsets: Array, kind: str) -> None:
        """Note an access of a group. offsets: bytes in global memory of each lane."""
        for row in range(g.count):
            lanes = offsets[row] if m is None else offsets[row][m[row]]
            if len(lanes):
                found = np.unique(lanes >> 5)
                self.kinds.append(kind)
                self.sectors.append(found)
                self.total += len(found)
        if self.total > _MOST_SECTORS:
            raise _FullError


class _Cache:
    """Lines with sectors; the lines used last are kept."""

    def __init__(self, size: int) -> None:
        self._lines: OrderedDict[int, int] = OrderedDict()
        self._most = max(size // LINE, 1)

    def look(self, sector: int) -> bool:
        """Return whether a sector is there; put it there."""
        line, bit = sector // _LINE_SECTORS, 1 << sector % _LINE_SECTORS
        have = self._lines.get(line, 0)
        if have:
            self._lines.move_to_end(line)
        if have & bit:
            return True
        self._lines[line] = have | bit
        if len(self._lines) > self._most:
            self._lines.popitem(last=False)
        return False


def model_caches(
    problem: Problem, caches: Caches, seconds: float = 10.0, sectors: float | None = None
) -> CacheTraffic | None:
    """Execute the blocks of one SM, and return the traffic of the grid; None without accesses of global memory.

    sectors: that the grid accesses, as counted; by default as many for each block as for those of the SM. Fewer blocks
    are executed, with their part of the L1, if more than 300,000 sectors are accessed. seconds: of processor time for
    all together. Raises RefusedError if one block accesses more, and as counting does; FaultError.
    """
    cluster = problem.program.cluster
    unit = math.prod(cluster)
    units = math.prod(problem.grid) // unit
    per_block = -(-math.prod(problem.block) // 32)
    wanted = max(1, min(caches.resident // unit or 1, _MOST_WARPS // (per_block * unit) or 1))
    deadline = time.process_time() + seconds
    memory, addresses = memory_of(problem)
    trial = machine_of(problem, [0], memory, addresses, None, seconds)
    needed = relevance(problem.program, trial.builds).needed.__contains__
    while True:
        apart = max(1, min(caches.sms, units // wanted))
        chosen = [n * apart for n in range(wanted) if n * apart < units]
        blocks = [block for number in chosen for block in members(number, problem.grid, cluster)]
        left = max(deadline - time.process_time(), 0.0)
        machine = machine_of(problem, blocks, memory, addresses, needed, left)
        machine.sector_log = log = SectorLog()
        try:
            machine.run()
            break
        except _FullError:
            if wanted == 1:
                many = f"more than {_MOST_SECTORS:,} sectors"
                raise RefusedError(f"a block accesses {many} of global memory, too many for the cache model") from None
            wanted //= 2
        memory, addresses = memory_of(problem)
    if not log.kinds:
        return None
    # A part of the SM's blocks has a part of its L1.
    share = min(1.0, len(blocks) / max(caches.resident, 1))
    grid = units * unit
    scale = sectors / log.total if sectors else grid / len(blocks)
    running = min(1.0, caches.sms * caches.resident / grid)
    return _through(log, memory, int(caches.l1 * share), caches.l2, scale, running)


def _through(
    log: SectorLog, memory: GlobalMemory, l1_bytes: int, l2_bytes: int, scale: float, running: float
) -> CacheTraffic:
    """Return the traffic of a grid. scale: its accesses over the executed ones; running: share that runs at a time."""
    l1 = _Cache(l1_bytes)
    looks = hits = reads = writes = 0
    read: set[int] = set()
    written: set[int] = set()
    for kind, found in zip(log.kinds, log.sectors, strict=True):
        for sector in found.tolist():
            if kind == "load":
                looks += 1
                if l1.look(sector):
                    hits += 1
                    continue
            elif kind == "store":
                looks += 1
                hits += l1.look(sector)
            looks += kind == "strong"
            if kind in ("load", "strong"):
                reads += 1
                read.add(sector)
            else:
                writes += 1
                written.add(sector)
                if kind == "atomic":
                    read.add(sector)
    first, wrote = _distinct(read, memory, scale), _distinct(written, memory, scale)
    used = _distinct(read | written, memory, scale) * SECTOR
    at_a_time = _distinct(read | written, memory, scale * running) * SECTOR
    reuse = max(reads * scale - first, 0.0)
    lost = reuse * (1.0 - min(1.0, l2_bytes / max(at_a_time, 1.0)))
    misses, total = first + lost, (reads + writes) * scale
    return CacheTraffic(
        hits / looks if looks else math.nan,
        max(1.0 - misses / total, 0.0) if total else math.nan,
        reads * scale,
        writes * scale,
        misses,
        wrote * max(0.0, 1.0 - l2_bytes / max(used, 1.0)),
    )


def _distinct(sectors: set[int], memory: GlobalMemory, scale: float) -> float:
    """Return the distinct sectors of the grid, from those of the executed blocks.

    Of each array: as many as the blocks would access if none shared any, but not more than it has.
    """
    starts = [region.address - BASE for region in memory.regions]
    found = np.fromiter(sectors, np.int64, len(sectors))
    places = np.searchsorted(starts, found * SECTOR, side="right") - 1
    counts = np.bincount(places, minlength=len(starts)) if len(found) else np.zeros(len(starts))
    total = 0.0
    for region, number in zip(memory.regions, counts.tolist(), strict=True):
        total += min(number * scale, max(region.size / SECTOR, number))
    return total
