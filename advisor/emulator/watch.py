"""Watch a launch for errors that bounds and alignment do not show: races, values that nobody wrote, wrong warp masks.

Two accesses of one word, one of them a store, are a race if their threads are in different warps of a block without a
barrier between them, or in different blocks, unless these are of one cluster with a barrier of the cluster between the
two. Accesses of one warp are ordered. Atomic operations, and loads and stores
that are volatile or otherwise strong, are synchronisation and no race. Several stores of one value are no race.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from advisor.emulator.machine import Machine
from advisor.emulator.memory import GlobalMemory
from advisor.emulator.state import LANES, Array, FaultError, Group

_NOBODY = -1
_SEVERAL = -2
_FULL = np.uint32(0x01010101)  # four bytes of a word that are all written
_BACK = 64  # instructions before a store in which its value may have been loaded
_EPOCH = 16  # bits of a block's barriers in an epoch; above them are those of its cluster
_LOST = "that other lanes read and update at the same time: updates are lost, use an atomic operation"


def _error(machine: Machine, kind: str, at: int, g: Group, where: Any, words: str) -> FaultError:
    row, lane = int(where[0]), int(where[1])
    return FaultError(kind, at, f"{machine.thread(int(g.warps[row]), lane)} {words}")


@dataclass(slots=True)
class Undefined:
    """The shuffles that read registers of inactive lanes, whose values are undefined.

    first: the error of each such instruction; value: what the lanes read instead, at the instructions `at`.
    """

    first: dict[int, FaultError] = field(default_factory=dict)
    at: frozenset[int] = frozenset()
    value: int = 0


class GlobalWatch:
    """Who wrote and read each piece of global memory during a launch.

    grain: bytes of a piece, the smallest access of the program; a thread is its block's number * 1024 + its number.
    """

    def __init__(self, memory: GlobalMemory, grain: int) -> None:
        self.memory, self.grain = memory, grain
        pieces = len(memory.view(np.uint8)) // grain
        # Pages that are not touched take no memory.
        self.writer = np.zeros(pieces, np.int32)  # thread + 1, 0: nobody
        self.reader = np.zeros(pieces, np.int32)  # the first reader + 1
        self.other = np.zeros(pieces, np.int32)  # a later reader + 1
        self.written = np.zeros(pieces, np.int32)  # barriers of the block before the access
        self.read = np.zeros(pieces, np.int32)


class SharedWatch:
    """The watch of one machine: its blocks' shared memory, its warps, and with `everywhere` global memory.

    undefined: notes shuffles from inactive lanes; without it the first one is an error.
    """

    def __init__(
        self, machine: Machine, everywhere: GlobalWatch | None = None, undefined: Undefined | None = None
    ) -> None:
        self.machine, self.everywhere, self.undefined = machine, everywhere, undefined
        blocks, size = machine.shared.shape
        self.written = np.zeros((blocks, size), bool)
        self.writer = np.full((blocks, size // 4), _NOBODY, np.int32)
        self.reader = np.full((blocks, size // 4), _NOBODY, np.int32)
        self.lane = np.full((blocks, size // 4), _NOBODY, np.int32)  # the lane that read last, or several
        self.barriers = np.zeros(blocks, np.int32)  # that each block has passed: its epoch
        self.waiting: dict[
            tuple[int, int], tuple[int, str]
        ] = {}  # block, barrier -> instruction and line that came first
        self.numbers = np.array(machine.launch.blocks, np.int32)
        self._updating: dict[int, bool] = {}

    def _who(self, g: Group, shape: Any) -> Array:
        warp = ((g.warps % self.machine.warps_of_block)[:, None] * LANES + np.arange(LANES)).astype(np.int32)
        return np.broadcast_to(self.numbers[self.machine.block_of[g.warps]][:, None] * 1024 + warp, shape)

    # Barriers

    def barrier(self, blocks: Array) -> None:
        """Forget the accesses before a barrier of these blocks."""
        self.writer[blocks] = _NOBODY
        self.reader[blocks] = _NOBODY
        self.lane[blocks] = _NOBODY
        self.barriers[blocks] += 1
        for block in blocks.tolist():
            self.waiting = {key: found for key, found in self.waiting.items() if key[0] != block}

    def cluster_barrier(self, blocks: Array) -> None:
        """Forget the accesses before a barrier of the blocks of a cluster."""
        self.barrier(blocks)
        self.barriers[blocks] = ((self.barriers[blocks].max() >> _EPOCH) + 1) << _EPOCH

    def skipped(self, g: Group, m: Array, at: int) -> None:
        """Check that a barrier with a predicate is reached by all lanes of its warp or by none."""
        bad = g.lanes() & ~m & m.any(axis=1, keepdims=True)
        if bad.any():
            words = "does not reach this barrier, which other threads of its warp reach"
            raise _error(self.machine, "barrier", at, g, np.argwhere(bad)[0], words)

    def arrive(self, g: Group, barrier: int, at: int) -> None:
        """Check that threads of a block that meet at a barrier of all its threads are at the same line."""
        machine = self.machine
        line = machine.program.where(at)
        for row, warp in enumerate(g.warps.tolist()):
            key = int(machine.block_of[warp]), barrier
            first = self.waiting.setdefault(key, (at, line))
            if first[1] != line:
                lane = int(g.lanes()[row].argmax())
                words = f"waits at this barrier while other threads of its block wait at that of {first[1]}"
                raise _error(machine, "barrier", at, g, (row, lane), words)

    # Warps

    def exchange(self, g: Group, m: Array | None, lane: Array, at: int, found: Array) -> Array:
        """Check that the lanes that a shuffle reads are active; return what the lanes get."""
        lanes = g.lanes() if m is None else m
        bad = lanes & ~np.take_along_axis(lanes, lane, axis=1)
        if not bad.any():
            return found
        undefined = self.undefined
        if undefined is None or at not in undefined.first:
            where = np.argwhere(bad)[0]
            source = int(lane[tuple(where)])
            words = f"reads the register of lane {source} of its warp, which is not active: the value is undefined"
            error = _error(self.machine, "inactive_lane", at, g, where, words)
            if undefined is None:
                raise error
            undefined.first[at] = error
        return np.where(bad, np.uint32(undefined.value), found) if at in undefined.at else found

    def mask(self, g: Group, lanes: Array, needed: Array, at: int) -> None:
        """Check that a mask names the lanes that execute."""
        bad = lanes & ~needed
        if bad.any():
            words = "is not in the mask of the warp operation that it executes"
            raise _error(self.machine, "wrong_mask", at, g, np.argwhere(bad)[0], words)

    def constant(self, g: Group, m: Array | None, offsets: Array, bank: int, size: int, at: int) -> None:
        """Check that a load from a constant bank with a computed index ends within the bank."""
        lanes = g.lanes() if m is None else m
        end = len(self.machine.bank(bank).data)
        bad = lanes & ((offsets < 0) | (offsets + size > end))
        if bad.any():
            where = np.argwhere(bad)[0]
            words = f"reads constant memory at byte {int(offsets[tuple(where)])} of {end}, where the GPU gives 0"
            raise _error(self.machine, "out_of_bounds", at, g, where, words)

    # Shared memory

    def shared(self, g: Group, m: Array | None, offsets: Array, width: int, kind: str, at: int) -> None:
        """Check an access of `width` bytes a lane. Raises FaultError."""
        machine = self.machine
        lanes = g.lanes() if m is None else m
        if not lanes.any():
            return
        block = np.broadcast_to(machine.block_of[g.warps][:, None], offsets.shape)[lanes]
        warp = np.broadcast_to(g.warps[:, None], offsets.shape)[lanes].astype(np.int32)
        places = offsets[lanes]

        def fail(fault: str, which: Array, words: str) -> FaultError:
            first = int(np.flatnonzero(which)[0])
            byte = int(places[first]) - machine.layout.shared_base
            where = tuple(int(v[first]) for v in np.nonzero(lanes))
            return _error(machine, fault, at, g, where, f"{words} (byte {byte})")

        # The shared memory of all blocks side by side: bytes, and words of 4 bytes.
        flat = block * machine.shared.shape[1] + places
        written = self.written.reshape(-1).view(np.bool_ if width < 4 else np.uint32)
        parts = [flat + i for i in range(width)] if width < 4 else [(flat >> 2) + i for i in range(width // 4)]
        full = True if width < 4 else _FULL
        if kind == "load":
            for part in parts:
                missing = written[part] != full
                if missing.any():
                    raise fail("uninitialised", missing, "reads shared memory that no thread has written")
        all_writers, all_readers, all_lanes = (a.reshape(-1) for a in (self.writer, self.reader, self.lane))
        for index in [flat >> 2] if width < 4 else parts:
            writer = all_writers[index]
            other = (writer != _NOBODY) & (writer != warp)
            if kind != "atomic" and other.any():
                verb = "reads" if kind == "load" else "writes"
                words = f"{verb} shared memory that another warp wrote since the last barrier"
                raise fail("race", other, words)
            if kind == "store":
                reader = all_readers[index]
                other = (reader != _NOBODY) & (reader != warp)
                if other.any():
                    words = "writes shared memory that another warp reads since the last barrier"
                    raise fail("race", other, words)
                all_writers[index] = warp
            elif kind == "load":
                # -2: warps that differ have read it.
                seen = all_readers[index]
                all_readers[index] = np.where((seen == _NOBODY) | (seen == warp), warp, _SEVERAL)
                lane = np.broadcast_to(np.arange(LANES, dtype=np.int32), offsets.shape)[lanes]
                before = all_lanes[index]
                all_lanes[index] = now = np.where((before == _NOBODY) | (before == lane), lane, _SEVERAL)
                # Of lanes that read one word now, the last is in the array.
                all_lanes[index[all_lanes[index] != now]] = _SEVERAL
        if kind != "load":
            for part in parts:
                written[part] = full

    def copied(self, block: int, start: int, size: int) -> None:
        """Note that a bulk copy has written bytes of the shared memory of a block."""
        self.written[block, start : start + size] = True

    def stored_by_others(self, blocks: Array, offsets: Array, size: int) -> None:
        """Note that threads of other blocks of the cluster have written `size` bytes each."""
        for i in range(size):
            self.written[blocks, offsets + i] = True

    def stores_shared(
        self, g: Group, m: Array | None, offsets: Array, flat: Array, size: int, words: list[Any], at: int
    ) -> None:
        """Check before a store that no lane loses an update of another one: both have read and now write one word."""
        if size < 4 or not self._updates(at):
            return
        lanes = g.lanes() if m is None else m
        block = np.broadcast_to(self.machine.block_of[g.warps][:, None], lanes.shape)[lanes]
        several = self.lane[block, offsets[lanes] >> 2] == _SEVERAL
        lost = several & _repeated(flat[lanes])
        lost &= _changes(self.machine.shared.reshape(-1), flat[lanes], lanes, size, words)
        if lost.any():
            where = _at(lanes, lost)
            byte = int(offsets[where]) - self.machine.layout.shared_base
            raise _error(self.machine, "race", at, g, where, f"updates shared memory (byte {byte}) {_LOST}")

    def stored_shared(
        self, g: Group, m: Array | None, offsets: Array, flat: Array, size: int, words: list[Any], at: int
    ) -> None:
        """Check after a store that no other lane of the same instruction has overwritten it with another value."""
        where = _overwritten(self.machine.shared.reshape(-1), g, m, flat, size, words)
        if where is not None:
            byte = int(offsets[where]) - self.machine.layout.shared_base
            said = f"writes shared memory (byte {byte}) that another thread writes at the same time, with another value"
            raise _error(self.machine, "race", at, g, where, said)

    def _updates(self, at: int) -> bool:
        """Return whether a store writes what was computed from a load of the same address."""
        if at not in self._updating:
            builds, code = self.machine.builds, self.machine.code
            wanted, found = set(builds[at].data), False
            for i in range(at - 1, max(at - _BACK, -1), -1):
                if not builds[i].defs & wanted:
                    continue
                if builds[i].reads and builds[i].reads in (builds[at].writes, "read-only"):
                    found = code[i].operands[-1] == code[at].operands[0]
                    break
                wanted |= builds[i].data
            self._updating[at] = found
        return self._updating[at]

    # Global memory

    def reads_global(self, g: Group, m: Array | None, flat: Array, size: int, at: int) -> None:
        """Note a load, and check that no thread that it is not ordered with has written the bytes."""
        if self.everywhere is None:
            return
        seen, lanes = self.everywhere, g.lanes() if m is None else m
        who, epoch = self._who(g, lanes.shape)[lanes], self._epoch(g, lanes)
        for piece in self._pieces(flat[lanes], size):
            writer = seen.writer[piece] - 1
            bad = (writer >= 0) & self._unordered(writer, who, seen.written[piece], epoch)
            if bad.any():
                raise self._global_race(g, lanes, bad, writer, flat, at, "reads", "wrote")
            before, read = seen.reader[piece] - 1, seen.read[piece]
            stale = (before // 1024 == who // 1024) & (read != epoch)
            if self.machine.mates.shape[1] > 1:
                stale |= self._mates(before, who) & (read >> _EPOCH != epoch >> _EPOCH)
            stale &= before >= 0
            seen.reader[piece] = np.where((seen.reader[piece] == 0) | stale, who + 1, seen.reader[piece])
            seen.other[piece] = who + 1
            seen.read[piece] = epoch

    def writes_global(self, g: Group, m: Array | None, flat: Array, size: int, words: list[Any], at: int) -> None:
        """Check a store before it happens: nobody else reads the bytes, or has written other ones, without order."""
        if self.everywhere is None:
            return
        seen, lanes = self.everywhere, g.lanes() if m is None else m
        who, epoch = self._who(g, lanes.shape)[lanes], self._epoch(g, lanes)
        changed = _changes(seen.memory.view(np.uint8), flat[lanes], lanes, size, words)
        for piece in self._pieces(flat[lanes], size):
            repeated = _repeated(piece) & self._updates(at)
            for column in (seen.reader, seen.other):
                reader = column[piece] - 1
                known = (reader >= 0) & changed
                bad = known & self._unordered(reader, who, seen.read[piece], epoch)
                if bad.any():
                    raise self._global_race(g, lanes, bad, reader, flat, at, "writes", "reads")
                lost = known & repeated & (reader != who) & (seen.read[piece] == epoch)
                if lost.any():
                    said = f"updates {self._place(flat, lanes, lost)} {_LOST}"
                    raise _error(self.machine, "race", at, g, _at(lanes, lost), said)
            writer = seen.writer[piece] - 1
            bad = (writer >= 0) & changed & self._unordered(writer, who, seen.written[piece], epoch)
            if bad.any():
                raise self._global_race(g, lanes, bad, writer, flat, at, "writes", "writes with another value")
            seen.writer[piece] = who + 1
            seen.written[piece] = epoch

    def stored_global(self, g: Group, m: Array | None, flat: Array, size: int, words: list[Any], at: int) -> None:
        """Check after a store that no other lane of the same instruction has overwritten it with another value."""
        if self.everywhere is None:
            return
        where = _overwritten(self.everywhere.memory.view(np.uint8), g, m, flat, size, words)
        if where is not None:
            place = self.everywhere.memory.place(int(flat[where]))
            said = f"writes {place}, which another thread writes at the same time with another value"
            raise _error(self.machine, "race", at, g, where, said)

    def _epoch(self, g: Group, lanes: Array) -> Array:
        return np.broadcast_to(self.barriers[self.machine.block_of[g.warps]][:, None], lanes.shape)[lanes]

    def _pieces(self, flat: Array, size: int) -> list[Array]:
        assert self.everywhere is not None
        grain = self.everywhere.grain
        return [flat // grain + i for i in range(max(1, size // grain))]

    def _mates(self, one: Array, other: Array) -> Array:
        """Return where two threads are of one cluster."""
        cluster = self.machine.cluster_in_grid
        return np.asarray(cluster(one // 1024) == cluster(other // 1024))

    def _unordered(self, earlier: Array, now: Array, then: Array, epoch: Array) -> Array:
        """Return where two accesses have no order: other blocks, or other warps without a barrier between them."""
        blocks = earlier // 1024 != now // 1024
        if self.machine.mates.shape[1] > 1:
            blocks &= ~(self._mates(earlier, now) & (then >> _EPOCH != epoch >> _EPOCH))
        return np.asarray(blocks | ((earlier // LANES != now // LANES) & (then == epoch)))

    def _global_race(
        self, g: Group, lanes: Array, bad: Array, other: Array, flat: Array, at: int, verb: str, did: str
    ) -> FaultError:
        first = int(np.flatnonzero(bad)[0])
        block, thread = divmod(int(other[first]), 1024)
        gx, gy, _ = self.machine.launch.grid
        bx, by, _ = self.machine.launch.block
        them = (
            f"block ({block % gx}, {block // gx % gy}, {block // (gx * gy)}), thread ({thread % bx}, "
            f"{thread // bx % by}, {thread // (bx * by)})"
        )
        place = self._place(flat, lanes, bad)
        words = f"{verb} {place}, which {them} {did} in the same launch: nothing orders the two"
        return _error(self.machine, "race", at, g, _at(lanes, bad), words)

    def _place(self, flat: Array, lanes: Array, which: Array) -> str:
        assert self.everywhere is not None
        offset = int(flat[lanes][int(np.flatnonzero(which)[0])])
        return self.everywhere.memory.place(offset)


def _at(lanes: Array, which: Array) -> tuple[int, ...]:
    first = int(np.flatnonzero(which)[0])
    return tuple(int(v[first]) for v in np.nonzero(lanes))


def _repeated(index: Array) -> Array:
    """Return which elements occur more than once."""
    ordered = np.sort(index)
    if (ordered[1:] != ordered[:-1]).all():
        return np.zeros(len(index), bool)
    _, inverse, counts = np.unique(index, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse] > 1)


def _values(flat: Array, memory: Array, size: int) -> list[Array]:
    """Return the bytes at `flat` as words of at most 4 bytes."""
    width = min(size, 4)
    view = memory[: len(memory) // width * width].view({1: np.uint8, 2: np.uint16, 4: np.uint32}[width])
    return [view[flat // width + i] for i in range(max(1, size // 4))]


def _changes(memory: Array, flat: Array, lanes: Array, size: int, words: list[Any]) -> Array:
    """Return for each active lane whether its store changes the memory."""
    out: Array = np.zeros(len(flat), bool)
    for now, word in zip(_values(flat, memory, size), words, strict=True):
        out |= now != np.broadcast_to(word, lanes.shape)[lanes].astype(now.dtype)
    return out


def _overwritten(
    memory: Array, g: Group, m: Array | None, flat: Array, size: int, words: list[Any]
) -> tuple[int, int] | None:
    """Return (row, lane) of a store whose value is not in memory after it, or None."""
    lanes = g.lanes() if m is None else m
    for now, word in zip(_values(flat, memory, size), words, strict=True):
        bad = lanes & (now != np.broadcast_to(word, lanes.shape).astype(now.dtype))
        if bad.any():
            row, lane = (int(v) for v in np.argwhere(bad)[0])
            return row, lane
    return None
