"""Clusters of blocks, barriers in shared memory (mbarrier) and bulk copies.

A bulk copy is complete at once: its bytes are there, and are subtracted from what its barrier waits for. TRYWAIT lets
the warp wait until the phase is complete, so it is executed once, as it nearly always is on the GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from advisor.emulator.build import Build, Run
from advisor.emulator.program import Operand
from advisor.emulator.spaces import RANK_BITS, lanes_of, narrow_address, wide_address
from advisor.emulator.state import LANES, Array, FaultError, Group

_U32, _U64 = np.uint32, np.uint64
_COUNT_FIELD = 0x100000  # SYNCS.EXCH stores this minus the count, twice over
_LARGEST_COPY = 1 << 20


@dataclass(slots=True)
class Arrival:
    """A barrier in shared memory: threads of a phase, those still to arrive, bytes still to come, phases completed."""

    count: int
    pending: int
    bytes: int = 0
    phase: int = 0

    def arrive(self, threads: int, expected: int) -> None:
        """Let threads arrive, and expect bytes (negative: bytes have come)."""
        self.bytes += expected
        self.pending -= threads

    def turn(self) -> bool:
        """Begin the next phase if this one is complete; return whether it was."""
        if self.pending > 0 or self.bytes != 0:
            return False
        self.pending = self.count
        self.phase += 1
        return True


class Arrivals:
    """The barriers of the blocks that run: (block, byte of shared memory) -> barrier; and the cluster barriers."""

    def __init__(self, machine: Any) -> None:
        self.machine = machine
        self.barriers: dict[tuple[int, int], Arrival] = {}
        clusters = len(machine.mates)
        self.arrived = np.zeros(clusters, np.int64)
        self.phase = np.zeros(clusters, np.int64)
        self.of_warp = np.zeros(machine.warps, np.int64)  # the cluster's phase in which a warp arrived last

    def places(self, g: Group, rows: Array, addresses: Array) -> tuple[Array, Array]:
        """Return the blocks and the bytes that shared addresses of some warps of the group are at."""
        own = self.machine.block_of[g.warps[rows]]
        return self.machine.blocks_at(own, addresses >> RANK_BITS), addresses & ((1 << RANK_BITS) - 1)

    def find(self, g: Group, rows: Array, addresses: Array, at: int) -> list[tuple[tuple[int, int], Arrival]]:
        """Return the barriers at shared addresses of some warps, with their keys.

        Raises FaultError for an address at which none was made.
        """
        out = []
        blocks, places = self.places(g, rows, addresses)
        for row, *key in zip(rows.tolist(), blocks.tolist(), places.tolist(), strict=True):
            found = self.barriers.get((key[0], key[1]))
            if found is None:
                byte = key[1] - self.machine.layout.shared_base
                words = f"uses a barrier at byte {byte} of shared memory that was not made"
                raise FaultError("barrier", at, f"{self.machine.thread(int(g.warps[row]), 0)} {words}")
            out.append(((key[0], key[1]), found))
        return out

    def turn(self, key: tuple[int, int]) -> None:
        """Wake those who wait for a barrier if its phase is complete."""
        if self.barriers[key].turn():
            self.machine.wake(("arrival", key))
            if self.machine.check is not None:
                self.machine.check.barrier(np.array([key[0]]))

    def settle(self, cluster: int) -> None:
        """Complete the barrier of a cluster if all its threads that are alive have arrived."""
        machine = self.machine
        blocks = machine.mates[cluster]
        alive = int(machine.live_threads[blocks[blocks >= 0]].sum())
        if self.arrived[cluster] and self.arrived[cluster] >= alive:
            self.arrived[cluster] = 0
            self.phase[cluster] += 1
            machine.wake(("cluster", cluster))
            if machine.check is not None:
                machine.check.cluster_barrier(blocks[blocks >= 0])


def cluster_arrive(b: Build) -> Run:
    """UCGABAR_ARV: arrive at the barrier of the cluster."""
    b.modifiers()
    b.control = True
    machine, at = b.machine, b.at

    def run(g: Group, m: Any) -> Any:
        state = machine.arrivals
        found = machine.cluster_of[machine.block_of[g.warps]]
        state.of_warp[g.warps] = state.phase[found]
        np.add.at(state.arrived, found, np.broadcast_to(g.active, (g.count,)))
        machine.pc[g.at] = at + 1
        for cluster in np.unique(found).tolist():
            state.settle(cluster)
        return at + 1

    return run


def cluster_wait(b: Build) -> Run:
    """UCGABAR_WAIT: wait until all threads of the cluster have arrived."""
    b.modifiers()
    b.control = True
    machine, at = b.machine, b.at

    def run(g: Group, m: Any) -> Any:
        state = machine.arrivals
        found = machine.cluster_of[machine.block_of[g.warps]]
        machine.pc[g.at] = at + 1
        waits = state.phase[found] <= state.of_warp[g.warps]
        if not waits.any():
            return at + 1
        for row in np.flatnonzero(waits):
            machine.block(g, int(row), ("cluster", int(found[row])), at + 1)
        return None

    return run


def syncs(b: Build) -> Run:
    """SYNCS: make a barrier in shared memory, arrive at it, test its phase or wait for it."""
    names = b.modifiers(
        *("EXCH", "64", "ARRIVE", "TRANS64", "A1T0", "A1TR", "A0TR", "ART0", "RED", "PHASECHK", "TRYWAIT", "CCTL", "IV")
    )
    if "EXCH" in names:
        return _made(b)
    if "ARRIVE" in names:
        return _arrive(b, names)
    if "PHASECHK" in names:
        return _phase(b, "TRYWAIT" in names)
    b.noting = b.uses
    address, state, at = narrow_address(b, b.operand(0)), b.machine.arrivals, b.at
    b.always = True

    def end(g: Group, m: Any) -> None:
        rows, lanes = np.nonzero(lanes_of(g, m))
        for key, _ in state.find(g, rows, address(g)[rows, lanes], at):
            state.barriers.pop(key, None)

    return end


def _first(g: Group, m: Any) -> tuple[Array, Array]:
    """Return the warps of the group that have an active lane, and the first one of each."""
    lanes = lanes_of(g, m)
    rows = np.flatnonzero(lanes.any(axis=1))
    return rows, lanes[rows].argmax(axis=1)


def _made(b: Build) -> Run:
    b.noting = b.uses
    address, value = narrow_address(b, b.operand(1)), b.u64(b.operand(2))
    b.always, machine = True, b.machine

    def run(g: Group, m: Any) -> None:
        rows, lanes = np.nonzero(lanes_of(g, m))
        words = np.broadcast_to(value(g), (g.count, LANES))[rows, lanes]
        blocks, places = machine.arrivals.places(g, rows, address(g)[rows, lanes])
        for block, place, word in zip(blocks.tolist(), places.tolist(), words.tolist(), strict=True):
            count = _COUNT_FIELD - (word >> 1 & 0xFFFFF)
            machine.arrivals.barriers[block, place] = Arrival(count, count)

    return run


def _arrive(b: Build, names: tuple[str, ...]) -> Run:
    b.noting = b.uses
    address, value = narrow_address(b, b.operand(1)), b.u32(b.operand(2))
    result = b.operand(0)
    puts = [b.put(result, i) for i in (0, 1)] if result.index >= 0 else []
    b.always, machine, at = True, b.machine, b.at
    threads = 0 if "A0TR" in names else 1
    counted, bytes_too = "ART0" in names, not {"A1T0", "ART0"} & set(names)

    def run(g: Group, m: Any) -> None:
        rows, lanes = np.nonzero(lanes_of(g, m))
        given = np.broadcast_to(value(g), (g.count, LANES))[rows, lanes].tolist()
        token = np.zeros((g.count, LANES), _U32)
        found = machine.arrivals.find(g, rows, address(g)[rows, lanes], at)
        for row, lane, extra, (key, barrier) in zip(rows, lanes, given, found, strict=True):
            token[row, lane] = (barrier.phase & 1) << 31
            barrier.arrive(extra if counted else threads, extra if bytes_too else 0)
            machine.arrivals.turn(key)
        for put, word in zip(puts, (np.zeros_like(token), token), strict=False):
            put(g, m, word)

    return run


def _phase(b: Build, wait: bool) -> Run:
    """PHASECHK: whether the phase with the parity in bit 31 of an operand is complete."""
    b.noting = b.uses
    put, address, parity = b.put_predicate(b.operand(0)), narrow_address(b, b.operand(1)), b.u32(b.operand(2))
    machine, at = b.machine, b.at
    b.control, b.always = wait, True

    def run(g: Group, m: Any) -> Any:
        rows, lanes = _first(g, m)
        every, wanted = address(g)[rows], (np.broadcast_to(parity(g), (g.count, LANES)) >> _U32(31))[rows]
        first = np.arange(len(rows)), lanes
        differ = (every != every[first][:, None]) | (wanted != wanted[first][:, None])
        if (differ & lanes_of(g, m)[rows]).any():
            raise b.refuse("lanes that test different barriers or phases")
        bits = wanted[first].tolist()
        done = np.zeros((g.count, 1), bool)
        missing = []
        found = machine.arrivals.find(g, rows, every[first], at)
        for row, bit, (key, barrier) in zip(rows.tolist(), bits, found, strict=True):
            done[row] = barrier.phase & 1 != bit
            if not done[row, 0]:
                missing.append((row, key))
        put(g, m, done if not wait else np.ones((g.count, 1), bool))
        if not wait:
            return None
        machine.pc[g.at] = at + 1
        for row, key in missing:
            machine.block(g, row, ("arrival", key), at + 1)
        return None if missing else at + 1

    return run


def arrives(b: Build) -> Run:
    """ARRIVES.LDGSTSBAR: arrive when the thread's copies are complete, which they are; without .ARVCNT it adds one."""
    names = b.modifiers("LDGSTSBAR", "64", "ARVCNT")
    if "ARVCNT" not in names:
        return lambda g, m: None
    b.noting = b.uses
    address, machine, at = narrow_address(b, b.operand(0)), b.machine, b.at
    b.always = True

    def run(g: Group, m: Any) -> None:
        rows, lanes = np.nonzero(lanes_of(g, m))
        for key, barrier in machine.arrivals.find(g, rows, address(g)[rows, lanes], at):
            barrier.arrive(1, 0)
            machine.arrivals.turn(key)

    return run


def bulk_copy(b: Build) -> Run:
    """UBLKCP: a warp copies bytes from global to shared memory (.S.G) or back (.G.S); the size is in units of 16."""
    names = b.modifiers("S", "G")
    if names not in (("S", "G"), ("G", "S")) or len(b.ins.operands) != 3:
        raise b.refuse()
    to_shared = names[0] == "S"
    b.noting = b.uses
    near, far = (b.operand(0), b.operand(1)) if to_shared else (b.operand(1), b.operand(0))
    shared, remote = narrow_address(b, near), wide_address(b, far)
    arrival = b.raw(Operand("UR", near.uniform + 1)) if to_shared else None
    size = b.raw(b.operand(2))
    b.reads, b.writes = ("global", "shared") if to_shared else ("shared", "global")
    b.always, value, machine, at = True, b.value, b.machine, b.at
    memory = machine.launch.memory

    def run(g: Group, m: Any) -> None:
        rows, lane = _first(g, m)
        if not len(rows):
            return
        number = np.broadcast_to(size(g), (g.count, 1))[rows, 0].astype(np.int64) * 16
        blocks, starts = machine.arrivals.places(g, rows, shared(g)[rows, lane])

        def who(i: int) -> str:
            return machine.thread(int(g.warps[rows[i]]), int(lane[i])) + f": a bulk copy of {number[i]} bytes"

        for kind, bad, words in (
            ("misaligned", (number <= 0) | (number > _LARGEST_COPY), ""),
            ("misaligned", starts % 16 != 0, " at a shared address that is not a multiple of 16"),
            (
                "out_of_bounds",
                (starts < machine.layout.shared_base) | (starts + number > machine.shared_end),
                " beyond shared memory",
            ),
        ):
            if bad.any():
                raise FaultError(kind, at, who(int(bad.argmax())) + words)

        def fail(kind: str, address: int, where: Any) -> FaultError:
            return FaultError(kind, at, f"{who(int(where[0]))} at 0x{address:x}: {memory.near(address)}")

        first = remote(g)[rows, lane]
        ends = np.stack([first, first + number.astype(_U64) - _U64(16)], axis=1)
        flat = memory.offsets(ends, None, 16, fail)[:, 0]
        if value:
            for block, start, place, count in zip(*(v.tolist() for v in (blocks, starts, flat, number)), strict=True):
                memory.fill_before_reading(np.arange(place, place + count, 16))
                own, data = machine.shared[block, start : start + count], memory.view(np.uint8)[place : place + count]
                if to_shared:
                    own[:] = data
                else:
                    data[:] = own
                if to_shared and machine.check is not None:
                    machine.check.copied(block, start, count)
        if arrival is not None:
            found = np.broadcast_to(arrival(g), (g.count, 1))[rows, 0].astype(np.int64)
            barriers = machine.arrivals.find(g, rows, found, at)
            for (key, barrier), count in zip(barriers, number.tolist(), strict=True):
                barrier.arrive(0, -count)
                machine.arrivals.turn(key)

    return run


HANDLERS: dict[str, Callable[[Build], Run]] = {
    "UCGABAR_ARV": cluster_arrive,
    "UCGABAR_WAIT": cluster_wait,
    "SYNCS": syncs,
    "ARRIVES": arrives,
    "UBLKCP": bulk_copy,
}
