"""An access to global, shared or local memory: addresses of the lanes, bounds and alignment, counts, and the words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from advisor.emulator.build import Build, Getter, join, scalar
from advisor.emulator.program import Instruction, Operand
from advisor.emulator.state import LANES, Array, FaultError, Group
from advisor.hardware import traffic

_U32, _U64 = np.uint32, np.uint64
# The upper words of generic addresses in the windows of shared and local memory. Below RANK_BITS of a shared address is
# the byte, above them the rank of the block in its cluster.
SHARED_WINDOW, LOCAL_WINDOW, RANK_BITS = 0x7B00, 0x7C00, 24
_BYTE = (1 << RANK_BITS) - 1
_WINDOWS = ("SR_SWINHI", "SR_LWINHI", *(f"c[0x0][{place:#x}]" for place in (0x18, 0x1C, 0x20, 0x24)))


def lanes_of(g: Group, m: Array | None) -> Array:
    """Return which lanes take part, (count, 32). m: that mask, or None if all do."""
    return np.ones((g.count, LANES), bool) if m is None else m


def active_lanes(g: Group, m: Array | None) -> Any:
    """Return the number of lanes of each warp that take part, (count,). m: as in `lanes_of`."""
    return np.full(g.count, LANES) if m is None else m.sum(axis=1)


def wide_address(b: Build, op: Operand) -> Getter:
    """Return the getter of 64-bit addresses of global memory, (count, 32)."""
    if op.kind != "memory":
        raise b.refuse("an address is expected")
    kept, b.noting = b.noting, b.uses
    parts: list[Getter] = []
    if op.base >= 0:
        base = Operand("R", op.base)
        # Compare-and-swap is written without the .64 of its pair of registers.
        if op.wide or ("E" in b.ins.modifiers and op.uniform < 0):
            parts.append(b.u64(base))
        else:
            narrow = b.raw(base)
            parts.append(lambda g: narrow(g).astype(_U64))
    if op.uniform >= 0:
        parts.append(b.u64(Operand("UR", op.uniform)))
    b.noting = kept
    added = _U64(op.offset & 0xFFFFFFFFFFFFFFFF)

    def read(g: Group) -> Array:
        total: Any = np.full((1, 1), added, _U64)
        for part in parts:
            total = total + part(g)
        return np.broadcast_to(total, (g.count, LANES))

    return read


def narrow_address(b: Build, op: Operand) -> Getter:
    """Return the getter of addresses of shared or local memory as int64, (count, 32)."""
    if op.kind != "memory":
        raise b.refuse("an address is expected")
    kept, b.noting = b.noting, b.uses
    parts: list[Getter] = []
    if op.base >= 0:
        base = b.raw(Operand("R", op.base))
        scale = _U32(op.scale)
        parts.append((lambda g: base(g) * scale) if op.scale > 1 else base)
    if op.uniform >= 0:
        parts.append(b.raw(Operand("UR", op.uniform)))
    b.noting = kept
    added = scalar(op.offset & 0xFFFFFFFF)

    def read(g: Group) -> Array:
        total: Any = added
        for part in parts:
            total = total + part(g)
        return np.broadcast_to(total, (g.count, LANES)).astype(np.int64)

    return read


def uses_windows(code: Sequence[Instruction]) -> bool:
    """Return whether generic addresses of shared or local memory can be formed."""
    return any(name in one.text for one in code for name in _WINDOWS)


class GlobalAccess:
    """An access to global memory: checks addresses and counts."""

    def __init__(self, b: Build, op: Operand, kind: str, size: int) -> None:
        self.machine, self.at, self.kind, self.size = b.machine, b.at, kind, size
        self.address = wide_address(b, op)
        self.memory = b.machine.launch.memory
        strong = {"STRONG", "MMIO"} & set(b.ins.modifiers) and kind == "load"
        self.cached = "strong" if strong else kind  # how caches see it: a strong load passes L1 by

    def offsets(self, g: Group, m: Array | None) -> Array:
        """Return the offsets of the lanes, after counting them."""
        return self.located(g, m, self.address(g))

    def located(self, g: Group, m: Array | None, addresses: Array) -> Array:
        """Return the offsets of addresses, after counting them; a check needs no counts."""

        def fail(kind: str, address: int, where: Any) -> FaultError:
            row, lane = int(where[0]), int(where[1])
            lanes = lanes_of(g, m)
            if not lanes[row, lane]:
                row, lane = (int(v) for v in np.argwhere(lanes)[0])
            who = self.machine.thread(int(g.warps[row]), lane)
            kind_of = "an atomic operation" if self.kind == "atomic" else f"a {self.kind}"
            what = f"{kind_of} of {self.size} bytes at 0x{address:x}"
            if kind == "misaligned":
                return FaultError(kind, self.at, f"{who}: {what}, which is not a multiple of {self.size}")
            return FaultError(kind, self.at, f"{who}: {what}: {self.memory.near(address)}")

        found = self.memory.offsets(addresses, m, self.size, fail)
        counts = self.machine.counts_of(self.at, "global", self.kind, self.size)
        if self.machine.check is not None:
            return found
        active = active_lanes(g, m)
        counts.requests[g.at] += active > 0
        touched = traffic.sectors(found, m, 5)
        counts.sectors[g.at] += touched
        counts.tags[g.at] += traffic.sectors(found, m, 7)
        counts.ideal_sectors[g.at] += np.minimum(touched, (active * self.size + 31) // 32)
        if self.machine.tracer is not None:
            self.machine.tracer.note(self.at, g, m, found, touched, "global", self.kind)
        if self.machine.sector_log is not None:
            self.machine.sector_log.note(g, m, found, self.cached)
        return found


class SharedAccess:
    """An access to shared memory: checks addresses and counts."""

    def __init__(self, b: Build, op: Operand, kind: str, size: int, lanes: int = LANES) -> None:
        self.machine, self.at, self.kind, self.size = b.machine, b.at, kind, size
        self.address = narrow_address(b, op)
        self.lanes = lanes

    def offsets(self, g: Group, m: Array | None, size: int | None = None, count: bool = True) -> Array:
        """Return the offsets within the block's shared memory, after counting them."""
        found = self.address(g)
        if self.machine.mates.shape[1] > 1:
            found = found & _BYTE
        return self.located(g, m, found, size or self.size, count)

    def located(self, g: Group, m: Array | None, found: Array, width: int, count: bool, watched: bool = True) -> Array:
        """Return the offsets of bytes of shared memory; a check needs no counts.

        watched: whether they are of the thread's own block.
        """
        machine = self.machine
        lanes = m
        low, high = machine.layout.shared_base, machine.shared_end
        if lanes is not None:
            first = lanes.argmax(axis=1)
            found = np.where(lanes, found, np.where(lanes.any(axis=1), found[np.arange(g.count), first], low)[:, None])
        odd = width > 1 and bool((found & (width - 1)).any())
        if odd or int(found.min()) < low or int(found.max()) + width > high:
            bad = (found < low) | (found + width > high) | ((found & (width - 1)) != 0)
            row, lane = (int(v) for v in np.argwhere(bad)[0])
            self._fail(g, row, lane, int(found[row, lane]), width)
        if machine.check is not None:
            machine.counts_of(self.at, "shared", self.kind, self.size)
            if watched:
                machine.check.shared(g, m, found, width, self.kind, self.at)
        elif count:
            atomic = self.kind == "atomic"
            cost = traffic.atomic_wavefronts(found, m) if atomic else traffic.wavefronts(found, m, width)
            self.count(g, m, *cost)
            if machine.tracer is not None:
                machine.tracer.note(self.at, g, m, found, cost[0], "shared", self.kind)
        return np.asarray(found)

    def count(self, g: Group, m: Array | None, wavefronts: Array, ideal: Array) -> None:
        """Add to the counts of the instruction."""
        counts = self.machine.counts_of(self.at, "shared", self.kind, self.size)
        counts.requests[g.at] += active_lanes(g, m) > 0
        counts.wavefronts[g.at] += wavefronts
        counts.ideal_wavefronts[g.at] += ideal

    def _fail(self, g: Group, row: int, lane: int, address: int, width: int) -> None:
        machine = self.machine
        who = machine.thread(int(g.warps[row]), lane)
        low = machine.layout.shared_base
        what = f"a shared {'atomic operation' if self.kind == 'atomic' else self.kind} of {width} bytes"
        if address % width:
            raise FaultError(
                "misaligned",
                self.at,
                f"{who}: {what} at {address - low}, not a multiple of {width}",
            )
        size = machine.shared_end - low
        raise FaultError(
            "out_of_bounds",
            self.at,
            f"{who}: {what} at byte {_signed(address - low)} of {size}",
        )

    def flat(self, g: Group, offsets: Array) -> Array:
        """Return offsets in the shared memory of all blocks, as bytes."""
        rows = self.machine.block_of[g.warps] * self.machine.shared.shape[1]
        return np.asarray(offsets + rows[:, None])


class LocalAccess:
    """An access to local memory, where the words of the 32 lanes lie side by side."""

    def __init__(self, b: Build, op: Operand, kind: str, size: int) -> None:
        self.machine, self.at, self.kind, self.size = b.machine, b.at, kind, size
        self.address = narrow_address(b, op)

    def places(self, g: Group, m: Array | None) -> tuple[Array, Array]:
        """Return (offsets in bytes, columns of `machine.local`), after counting."""
        return self.located(g, m, self.address(g))

    def located(self, g: Group, m: Array | None, found: Array) -> tuple[Array, Array]:
        """Return (offsets in bytes, columns of `machine.local`) of bytes of local memory, after counting."""
        bad = (found < 0) | (found + self.size > self.machine.local_size) | (found & (self.size - 1) != 0)
        if m is not None:
            bad = bad & m
        if bad.any():
            row, lane = (int(v) for v in np.argwhere(bad)[0])
            who = self.machine.thread(int(g.warps[row]), lane)
            raise FaultError(
                "out_of_bounds",
                self.at,
                f"{who}: a local {self.kind} of {self.size} bytes at byte {_signed(int(found[row, lane]))} of"
                f" {self.machine.local_size}",
            )
        if m is not None:
            found = np.where(m, found, 0)
        lanes = np.arange(LANES)[None, :]
        counts = self.machine.counts_of(self.at, "local", self.kind, self.size)
        counts.requests[g.at] += active_lanes(g, m) > 0
        pieces = [((found >> 2) + i) * 4 + (lanes >> 3) for i in range(max(1, self.size // 4))]
        wide = None if m is None else np.tile(m, (1, len(pieces)))
        counts.sectors[g.at] += traffic.distinct(np.concatenate(pieces, axis=1), wide)
        return found, g.warps[:, None] * LANES + lanes


class GenericAccess:
    """An access by a generic address: to shared or local memory if it is in their windows, else to global memory.

    Lanes that access the shared memory of another block of the cluster are not counted: no wavefront of their own.
    """

    def __init__(self, b: Build, op: Operand, kind: str, size: int) -> None:
        self.machine, self.at, self.size = b.machine, b.at, size
        self.address = wide_address(b, op)
        self.to_global = GlobalAccess(b, op, kind, size)
        self.to_shared = SharedAccess(b, op, kind, size)
        self.to_local = LocalAccess(b, op, kind, size)

    def parts(self, g: Group, m: Array | None) -> list[tuple[str, Array, Array]]:
        """Return (space, lanes, addresses or bytes) of each space that lanes access."""
        addresses = self.address(g)
        window, lanes = (addresses >> _U64(32)).astype(np.int64), lanes_of(g, m)
        low = (addresses & _U64(0xFFFFFFFF)).astype(np.int64)
        shared, local = lanes & (window == SHARED_WINDOW), lanes & (window == LOCAL_WINDOW)
        found = (("global", lanes & ~shared & ~local, addresses), ("shared", shared, low), ("local", local, low))
        return [one for one in found if one[1].any()]

    def flat_shared(self, g: Group, lanes: Array, addresses: Array) -> Array:
        """Return places in the shared memory of all blocks, as bytes, after counting those of the own block."""
        machine = self.machine
        own = machine.block_of[g.warps]
        rank, offsets = addresses >> RANK_BITS, addresses & _BYTE
        in_own = rank == machine.cluster_rank[own][:, None]
        near, far = lanes & in_own, lanes & ~in_own
        blocks = machine.blocks_at(own[:, None], rank, lanes)
        if far.any():
            self.to_shared.located(g, far, offsets, self.size, False, False)
            machine.counts_of(self.at, "shared", self.to_shared.kind, self.size)
            if machine.check is not None and self.to_shared.kind != "load":
                machine.check.stored_by_others(blocks[far], offsets[far], self.size)
        if near.any():
            self.to_shared.located(g, near, offsets, self.size, True)
        found: Array = np.where(lanes, blocks * machine.shared.shape[1] + offsets, 0)
        return found


def _signed(value: int) -> int:
    return value - (1 << 32) if value >= 1 << 31 else value


_TYPES = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def load_words(view: Callable[[Any], Array], flat: Array, size: int, signed: bool) -> list[Array]:
    """Return the 32-bit words that lanes load from bytes `flat`."""
    if size == 16:
        pairs = [view(np.uint64)[(flat >> 3) + i] for i in (0, 1)]
        return [w for p in pairs for w in (p.astype(_U32), (p >> _U64(32)).astype(_U32))]
    found = view(_TYPES[size])[flat >> (size.bit_length() - 1)]
    if size == 8:
        return [found.astype(_U32), (found >> _U64(32)).astype(_U32)]
    if size < 4:
        if signed:
            return [found.view(np.int8 if size == 1 else np.int16).astype(np.int32).view(_U32)]
        return [found.astype(_U32)]
    return [found]


def store_words(view: Callable[[Any], Array], flat: Array, m: Array | None, size: int, words: list[Any]) -> None:
    """Store words of lanes to bytes `flat`, in the order of warps and lanes."""
    shape = flat.shape
    if size == 16:
        for i in (0, 1):
            store_words(view, flat + 8 * i, m, 8, words[2 * i : 2 * i + 2])
        return
    value = join(np.broadcast_to(words[0], shape), np.broadcast_to(words[1], shape)) if size == 8 else words[0]
    value = np.broadcast_to(value, shape)
    index = flat >> (size.bit_length() - 1)
    target = view(_TYPES[size])
    if m is None:
        target[index] = value.astype(target.dtype)
    else:
        target[index[m]] = value[m].astype(target.dtype)


def load_local(machine: Any, offsets: Array, columns: Array, size: int, signed: bool) -> list[Array]:
    """Return the 32-bit words that lanes load from bytes of their local memory."""
    out = []
    for i in range(max(1, size // 4)):
        word = machine.local[(offsets >> 2) + i, columns]
        if size < 4:
            bits = 8 * size
            word = (word >> ((offsets & 3) * 8).astype(_U32)) & _U32((1 << bits) - 1)
            if signed:
                word = ((word << _U32(32 - bits)).view(np.int32) >> np.int32(32 - bits)).view(_U32)
        out.append(word)
    return out


def store_local(machine: Any, offsets: Array, columns: Array, lanes: Array, size: int, words: list[Any]) -> None:
    """Store words of lanes to bytes of their local memory."""
    for i, word in enumerate(words):
        rows = (offsets >> 2) + i
        new = np.broadcast_to(word, offsets.shape)
        if size < 4:
            shift = ((offsets & 3) * 8).astype(_U32)
            keep = ~(_U32((1 << (8 * size)) - 1) << shift)
            new = (machine.local[rows, columns] & keep) | ((new & _U32((1 << (8 * size)) - 1)) << shift)
        machine.local[rows[lanes], columns[lanes]] = new[lanes]
