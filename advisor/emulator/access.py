"""Loads, stores, atomic operations and asynchronous copies of all memories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.emulator import traffic
from advisor.emulator.build import Build, Getter, Run, join, scalar
from advisor.emulator.program import Operand
from advisor.emulator.state import LANES, Array, FaultError, Group

_U32, _U64 = np.uint32, np.uint64
_SIZES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "32": 4, "64": 8, "128": 16}
_HINTS = (
    "E",
    "CONSTANT",
    "STRONG",
    "WEAK",
    "SYS",
    "GPU",
    "CTA",
    "SM",
    "VC",
    "MMIO",
    "EF",
    "EL",
    "LU",
    "EU",
    "NA",
    "PRIVATE",
)
_CACHE = ("LTC64B", "LTC128B", "LTC256B", "BYPASS", "ACCESS", "ZD")


def _size(b: Build) -> tuple[int, bool]:
    name = next((m for m in b.ins.modifiers if m in _SIZES), "32")
    return _SIZES[name], name.startswith("S")


def _flat_lanes(g: Group, m: Array | None) -> Array:
    return np.ones((g.count, LANES), bool) if m is None else m


def _active(g: Group, m: Array | None) -> Any:
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


class _Global:
    """An access to global memory: checks addresses and counts."""

    def __init__(self, b: Build, op: Operand, kind: str, size: int) -> None:
        self.machine, self.at, self.kind, self.size = b.machine, b.at, kind, size
        self.address = wide_address(b, op)
        self.memory = b.machine.launch.memory

    def offsets(self, g: Group, m: Array | None) -> Array:
        """Return the offsets of the lanes, after counting them."""

        def fail(kind: str, address: int, where: Any) -> FaultError:
            row, lane = int(where[0]), int(where[1])
            lanes = _flat_lanes(g, m)
            if not lanes[row, lane]:
                row, lane = (int(v) for v in np.argwhere(lanes)[0])
            who = self.machine.thread(int(g.warps[row]), lane)
            what = f"a {self.kind} of {self.size} bytes at 0x{address:x}"
            if kind == "misaligned":
                return FaultError(kind, self.at, f"{who}: {what}, which is not a multiple of {self.size}")
            return FaultError(kind, self.at, f"{who}: {what}: {self.memory.near(address)}")

        found = self.memory.offsets(self.address(g), m, self.size, fail)
        counts = self.machine.counts_of(self.at, "global", self.kind, self.size)
        active = _active(g, m)
        counts.requests[g.at] += active > 0
        touched = traffic.sectors(found, m, 5)
        counts.sectors[g.at] += touched
        counts.tags[g.at] += traffic.sectors(found, m, 7)
        counts.ideal_sectors[g.at] += np.minimum(touched, (active * self.size + 31) // 32)
        if self.machine.tracer is not None:
            self.machine.tracer.note(self.at, g, m, found, touched, "global", self.kind)
        return found


class _Shared:
    """An access to shared memory: checks addresses and counts."""

    def __init__(self, b: Build, op: Operand, kind: str, size: int, lanes: int = LANES) -> None:
        self.machine, self.at, self.kind, self.size = b.machine, b.at, kind, size
        self.address = narrow_address(b, op)
        self.lanes = lanes

    def offsets(self, g: Group, m: Array | None, size: int | None = None, count: bool = True) -> Array:
        """Return the offsets within the block's shared memory, after counting them."""
        width = size or self.size
        found = self.address(g)
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
        if count:
            atomic = self.kind == "atomic"
            cost = traffic.atomic_wavefronts(found, m) if atomic else traffic.wavefronts(found, m, width)
            self.count(g, m, *cost)
            if machine.tracer is not None:
                machine.tracer.note(self.at, g, m, found, cost[0], "shared", self.kind)
        if machine.check is not None:
            machine.check.shared(g, m, found, width, self.kind, self.at)
        return np.asarray(found)

    def count(self, g: Group, m: Array | None, wavefronts: Array, ideal: Array) -> None:
        """Add to the counts of the instruction."""
        counts = self.machine.counts_of(self.at, "shared", self.kind, self.size)
        counts.requests[g.at] += _active(g, m) > 0
        counts.wavefronts[g.at] += wavefronts
        counts.ideal_wavefronts[g.at] += ideal

    def _fail(self, g: Group, row: int, lane: int, address: int, width: int) -> None:
        machine = self.machine
        who = machine.thread(int(g.warps[row]), lane)
        low = machine.layout.shared_base
        if address % width:
            raise FaultError(
                "misaligned",
                self.at,
                f"{who}: a shared {self.kind} of {width} bytes at {address - low}, not a multiple of {width}",
            )
        size = machine.shared_end - low
        raise FaultError(
            "out_of_bounds",
            self.at,
            f"{who}: a shared {self.kind} of {width} bytes at byte {_signed(address - low)} of {size}",
        )

    def flat(self, g: Group, offsets: Array) -> Array:
        """Return offsets in the shared memory of all blocks, as bytes."""
        rows = self.machine.block_of[g.warps] * self.machine.shared.shape[1]
        return np.asarray(offsets + rows[:, None])


def _signed(value: int) -> int:
    return value - (1 << 32) if value >= 1 << 31 else value


_TYPES = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def _load_words(view: Callable[[Any], Array], flat: Array, size: int, signed: bool) -> list[Array]:
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


def _store_words(view: Callable[[Any], Array], flat: Array, m: Array | None, size: int, words: list[Any]) -> None:
    """Store words of lanes to bytes `flat`, in the order of warps and lanes."""
    shape = flat.shape
    if size == 16:
        for i in (0, 1):
            _store_words(view, flat + 8 * i, m, 8, words[2 * i : 2 * i + 2])
        return
    value = join(np.broadcast_to(words[0], shape), np.broadcast_to(words[1], shape)) if size == 8 else words[0]
    value = np.broadcast_to(value, shape)
    index = flat >> (size.bit_length() - 1)
    target = view(_TYPES[size])
    if m is None:
        target[index] = value.astype(target.dtype)
    else:
        target[index[m]] = value[m].astype(target.dtype)


def ldg(b: Build) -> Run:
    """LDG, LD: load from global memory."""
    b.modifiers(*_SIZES, *_HINTS, *_CACHE)
    if len(b.ins.operands) != 2:
        raise b.refuse("a load with a predicate result")
    size, signed = _size(b)
    access = _Global(b, b.operand(1), "load", size)
    puts = [b.put(b.operand(0), i) for i in range(max(1, size // 4))]
    # What a read-only load reads is not written by the same kernel.
    b.always, b.reads, value = True, "read-only" if "CONSTANT" in b.ins.modifiers else "global", b.value
    memory, machine, at = access.memory, b.machine, b.at
    watched = not {"STRONG", "MMIO"} & set(b.ins.modifiers)

    def run(g: Group, m: Any) -> None:
        flat = access.offsets(g, m)
        if machine.check is not None and watched:
            machine.check.reads_global(g, m, flat, size, at)
        if not value:
            return
        memory.fill_before_reading(flat)
        for put, word in zip(puts, _load_words(memory.view, flat, size, signed), strict=True):
            put(g, m, word)

    return run


def stg(b: Build) -> Run:
    """STG, ST: store to global memory."""
    b.modifiers(*_SIZES, *_HINTS, *_CACHE)
    size, _ = _size(b)
    access = _Global(b, b.operand(0), "store", size)
    gets = [b.raw(b.operand(1), after=i) for i in range(max(1, size // 4))]
    b.always, b.writes, value = True, "global", b.value
    memory, machine, at = access.memory, b.machine, b.at
    watched = not {"STRONG", "MMIO"} & set(b.ins.modifiers)

    def run(g: Group, m: Any) -> None:
        flat = access.offsets(g, m)
        if not value:
            return
        memory.fill_before_reading(flat)
        words = [get(g) for get in gets]
        check = machine.check if watched else None
        if check is not None:
            check.writes_global(g, m, flat, size, words, at)
        _store_words(memory.view, flat, m, size, words)
        if check is not None:
            check.stored_global(g, m, flat, size, words, at)

    return run


def lds(b: Build) -> Run:
    """LDS: load from shared memory."""
    b.modifiers(*_SIZES, "U")
    size, signed = _size(b)
    access = _Shared(b, b.operand(1), "load", size)
    puts = [b.put(b.operand(0), i) for i in range(max(1, size // 4))]
    b.always, b.reads, value = True, "shared", b.value
    flat_memory = b.machine.shared.reshape(-1)

    def run(g: Group, m: Any) -> None:
        offsets = access.offsets(g, m)
        if value:
            for put, word in zip(
                puts, _load_words(flat_memory.view, access.flat(g, offsets), size, signed), strict=True
            ):
                put(g, m, word)

    return run


def sts(b: Build) -> Run:
    """STS: store to shared memory."""
    b.modifiers(*_SIZES)
    size, _ = _size(b)
    access = _Shared(b, b.operand(0), "store", size)
    gets = [b.raw(b.operand(1), after=i) for i in range(max(1, size // 4))]
    b.always, b.writes, value = True, "shared", b.value
    machine, at = b.machine, b.at
    flat_memory = machine.shared.reshape(-1)

    def run(g: Group, m: Any) -> None:
        offsets = access.offsets(g, m)
        if not value:
            return
        flat, words = access.flat(g, offsets), [get(g) for get in gets]
        if machine.check is not None:
            machine.check.stores_shared(g, m, offsets, flat, size, words, at)
        _store_words(flat_memory.view, flat, m, size, words)
        if machine.check is not None:
            machine.check.stored_shared(g, m, offsets, flat, size, words, at)

    return run


class _Local:
    """An access to local memory, where the words of the 32 lanes lie side by side."""

    def __init__(self, b: Build, op: Operand, kind: str, size: int) -> None:
        self.machine, self.at, self.kind, self.size = b.machine, b.at, kind, size
        self.address = narrow_address(b, op)

    def places(self, g: Group, m: Array | None) -> tuple[Array, Array]:
        """Return (offsets in bytes, columns of `machine.local`), after counting."""
        found = self.address(g)
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
        counts.requests[g.at] += _active(g, m) > 0
        pieces = [((found >> 2) + i) * 4 + (lanes >> 3) for i in range(max(1, self.size // 4))]
        wide = None if m is None else np.tile(m, (1, len(pieces)))
        counts.sectors[g.at] += traffic.distinct(np.concatenate(pieces, axis=1), wide)
        return found, g.warps[:, None] * LANES + lanes


def ldl(b: Build) -> Run:
    """LDL: load from local memory."""
    b.modifiers(*_SIZES, *_HINTS)
    size, signed = _size(b)
    access = _Local(b, b.operand(1), "load", size)
    puts = [b.put(b.operand(0), i) for i in range(max(1, size // 4))]
    b.always, b.reads, value = True, "local", b.value
    machine = b.machine

    def run(g: Group, m: Any) -> None:
        offsets, columns = access.places(g, m)
        if not value:
            return
        for i, put in enumerate(puts):
            word = machine.local[(offsets >> 2) + i, columns]
            if size < 4:
                bits = 8 * size
                word = (word >> ((offsets & 3) * 8).astype(_U32)) & _U32((1 << bits) - 1)
                if signed:
                    word = ((word << _U32(32 - bits)).view(np.int32) >> np.int32(32 - bits)).view(_U32)
            put(g, m, word)

    return run


def stl(b: Build) -> Run:
    """STL: store to local memory."""
    b.modifiers(*_SIZES, *_HINTS)
    size, _ = _size(b)
    access = _Local(b, b.operand(0), "store", size)
    gets = [b.raw(b.operand(1), after=i) for i in range(max(1, size // 4))]
    b.always, b.writes, value = True, "local", b.value
    machine = b.machine

    def run(g: Group, m: Any) -> None:
        offsets, columns = access.places(g, m)
        if not value:
            return
        lanes = _flat_lanes(g, m)
        for i, get in enumerate(gets):
            rows = (offsets >> 2) + i
            new = np.broadcast_to(get(g), offsets.shape)
            if size < 4:
                shift = ((offsets & 3) * 8).astype(_U32)
                keep = ~(_U32((1 << (8 * size)) - 1) << shift)
                new = (machine.local[rows, columns] & keep) | ((new & _U32((1 << (8 * size)) - 1)) << shift)
            machine.local[rows[lanes], columns[lanes]] = new[lanes]

    return run


def ldc(b: Build) -> Run:
    """LDC, ULDC: load from a constant bank."""
    names = b.modifiers(*_SIZES, "IL", "IS", "ISL")
    if {"IL", "IS", "ISL"} & set(names):
        raise b.refuse()
    size, signed = _size(b)
    op = b.operand(1)
    if op.kind != "constant":
        raise b.refuse()
    if size >= 4:
        if b.ins.opcode == "LDC" and op.base >= 0:
            _constant_count(b, op, size)
        gets = [b.raw(op, after=i) for i in range(size // 4)]
        puts = [b.put(b.operand(0), i) for i in range(size // 4)]
        return _noted(b, lambda g, m: [put(g, m, v) for put, v in zip(puts, [get(g) for get in gets], strict=True)])
    bank = b.machine.bank(op.bank)
    index = b.raw(Operand("R", op.base)) if op.base >= 0 else b.raw(Operand("UR", op.uniform))
    put, offset = b.put(b.operand(0)), op.offset

    def run(g: Group, m: Any) -> None:
        word = bank.raw_bytes(index(g).astype(np.int64) + offset, size)
        if signed:
            bits = 32 - 8 * size
            word = ((word << _U32(bits)).view(np.int32) >> np.int32(bits)).view(_U32)
        put(g, m, word)

    return run


def _noted(b: Build, run: Callable[[Group, Any], Any]) -> Run:
    def wrapped(g: Group, m: Any) -> None:
        counter = b.machine.constant_counters.get(b.at)
        if counter is not None:
            counter(g, m)
        if b.value:
            run(g, m)

    return wrapped if b.at in b.machine.constant_counters else (lambda g, m: run(g, m) and None)


def _constant_count(b: Build, op: Operand, size: int) -> None:
    """Count the different addresses of a constant load with a computed index: each takes a pass of its own."""
    kept, b.noting = b.noting, b.uses
    index = b.raw(Operand("R", op.base))
    b.noting = kept
    b.always = True
    machine, at = b.machine, b.at

    def count(g: Group, m: Any) -> None:
        counts = machine.counts_of(at, "constant", "load", size)
        found = np.broadcast_to(index(g), (g.count, LANES)).astype(np.int64)
        counts.requests[g.at] += _active(g, m) > 0
        counts.wavefronts[g.at] += traffic.distinct(found, m)
        counts.ideal_wavefronts[g.at] += _active(g, m) > 0
        if machine.check is not None:
            machine.check.constant(g, m, (found + op.offset) & 0xFFFFFFFF, op.bank, size, at)

    machine.constant_counters[at] = count


# Atomic operations

_ATOMIC: dict[str, Callable[[Any, Any], Any]] = {
    "ADD": lambda old, v: old + v,
    "MIN": np.minimum,
    "MAX": np.maximum,
    "AND": lambda old, v: old & v,
    "OR": lambda old, v: old | v,
    "XOR": lambda old, v: old ^ v,
    "EXCH": lambda old, v: v,
    "INC": lambda old, v: np.where(old >= v, old.dtype.type(0), old + old.dtype.type(1)),
    "DEC": lambda old, v: np.where((old == 0) | (old > v), v, old - old.dtype.type(1)),
}
_KINDS: dict[str, Any] = {
    "S32": np.int32,
    "U32": np.uint32,
    "S64": np.int64,
    "64": np.uint64,
    "F32": np.float32,
    "F64": np.float64,
}


def apply_in_order(target: Array, index: Array, change: Callable[[Array, Array], Array]) -> Array:
    """Change elements one lane after the other; return their values before. `change(old, lanes)` gives the new ones.

    Lanes with the same element follow each other in their order, so the result is that of a serial execution.
    """
    old = np.zeros(len(index), target.dtype)
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    first = np.ones(len(ordered), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(first)
    sizes = np.diff(np.append(starts, len(ordered)))
    for turn in range(int(sizes.max()) if len(sizes) else 0):
        lanes = order[starts[sizes > turn] + turn]
        places = index[lanes]
        old[lanes] = target[places]
        target[places] = change(old[lanes], lanes)
    return old


def _atomic(b: Build, shared: bool) -> Run:
    known = (*_ATOMIC, "CAS", "CAST", "SPIN", "POPC", "INC", *_KINDS, "32", "128", "FTZ", "RN", *_HINTS)
    names = b.modifiers(*known)
    operands = list(b.ins.operands)
    if operands and operands[0].kind == "P":
        operands.pop(0)
    result = None if b.ins.opcode in ("RED", "REDG", "REDS") else operands.pop(0)
    place, *sources = operands
    kind: Any = next((_KINDS[n] for n in names if n in _KINDS), np.uint32)
    if "POPC" in names:
        operation = "POPC"
    elif "CAS" in names or "CAST" in names:
        operation = "CAS"
    else:
        operation = next((n for n in names if n in _ATOMIC), "")
    if not operation or "128" in names:
        raise b.refuse()
    size = np.dtype(kind).itemsize
    access: Any = (_Shared if shared else _Global)(b, place, "atomic", size)

    def source(op: Operand) -> Getter:
        wide = b.u64(op) if size == 8 else b.raw(op)
        return lambda g: wide(g).view(kind)

    gets = [source(op) for op in sources]
    if len(gets) != {"CAS": 2, "POPC": 0}.get(operation, 1):
        raise b.refuse()
    puts = [] if result is None or result.index < 0 else [b.put(result, i) for i in range(size // 4)]
    test = "CAST" in names
    if test:
        puts = puts[:1]
    b.always, value = True, b.value
    b.reads = b.writes = "shared" if shared else "global"
    memory = b.machine.launch.memory
    flat_shared = b.machine.shared.reshape(-1)
    view: Callable[[Any], Array] = flat_shared.view if shared else memory.view
    flush = "FTZ" in names

    def run(g: Group, m: Any) -> None:
        if shared:
            offsets = access.offsets(g, m, count=operation != "POPC")
            if operation == "POPC":
                some = np.asarray(_active(g, m) > 0).astype(np.int64)
                access.count(g, m, some, some)
            flat = access.flat(g, offsets)
        else:
            flat = access.offsets(g, m)
        if not value:
            return
        if not shared:
            memory.fill_before_reading(flat)
        lanes = _flat_lanes(g, m)
        index = flat[lanes] >> (size.bit_length() - 1)
        target = view(kind)
        values = [np.broadcast_to(get(g), lanes.shape)[lanes] for get in gets]
        if operation == "POPC":
            values = [np.ones(len(index), kind)]
        if not puts and operation in ("ADD", "POPC") and not flush:
            np.add.at(target, index, values[0])
            return
        if operation == "CAS":
            old = apply_in_order(target, index, lambda o, at: np.where(o == values[0][at], values[1][at], o))
        else:
            function = _ATOMIC["ADD" if operation == "POPC" else operation]
            old = apply_in_order(target, index, lambda o, at: function(o, values[0][at]))
        if puts:
            found = (old == values[0]).astype(_U32) if test else old
            full = np.zeros(lanes.shape, found.dtype)
            full[lanes] = found
            bits: Any = full.view(_U64 if full.dtype.itemsize == 8 else _U32)
            for i, put in enumerate(puts):
                put(g, lanes, (bits >> _U64(32 * i)).astype(_U32) if size == 8 and not test else bits)

    return run


def atomic_global(b: Build) -> Run:
    """ATOM, ATOMG, RED, REDG."""
    return _atomic(b, shared=False)


def atomic_shared(b: Build) -> Run:
    """ATOMS."""
    return _atomic(b, shared=True)


def ldgsts(b: Build) -> Run:
    """LDGSTS: copy from global to shared memory; here it is complete at once."""
    b.modifiers(*_SIZES, *_HINTS, *_CACHE)
    if len(b.ins.operands) != 2:
        raise b.refuse("a copy with a predicate")
    size, _ = _size(b)
    to = _Shared(b, b.operand(0), "store", size)
    source = _Global(b, b.operand(1), "load", size)
    b.always, b.reads, b.writes, value = True, "global", "shared", b.value
    memory = b.machine.launch.memory
    flat_memory = b.machine.shared.reshape(-1)

    def run(g: Group, m: Any) -> None:
        flat = source.offsets(g, m)
        kept = b.machine.memory_counts.pop(b.at)
        offsets = to.offsets(g, m)
        made = b.machine.memory_counts.pop(b.at)
        kept.wavefronts += made.wavefronts
        kept.ideal_wavefronts += made.ideal_wavefronts
        kept.space = "global+shared"
        b.machine.memory_counts[b.at] = kept
        if value:
            memory.fill_before_reading(flat)
            _store_words(flat_memory.view, to.flat(g, offsets), m, size, _load_words(memory.view, flat, size, False))

    return run


def ldsm(b: Build) -> Run:
    """LDSM: load 8 by 8 matrices of 16 bits; lanes 8i to 8i + 7 give the rows of matrix i."""
    names = b.modifiers("16", "M88", "MT88", "2", "4")
    count = 4 if "4" in names else 2 if "2" in names else 1
    transposed = "MT88" in names
    access = _Shared(b, b.operand(1), "load", 4)
    puts = [b.put(b.operand(0), i) for i in range(count)]
    b.always, b.reads, value = True, "shared", b.value
    flat_memory = b.machine.shared.reshape(-1)
    lane = np.arange(LANES)

    def run(g: Group, m: Any) -> None:
        if m is not None:
            raise b.refuse("lanes that are apart")
        used = lane < 8 * count
        mask = None if count == 4 else np.broadcast_to(used, (g.count, LANES))
        found = access.offsets(g, mask, 16, count=False)
        words = (found >> 2)[:, : 8 * count]
        total: Any = 0
        for i in range(count):
            rows = words[:, 8 * i : 8 * i + 8]
            total = total + traffic.worst_bank(np.concatenate([rows + k for k in range(4)], axis=1), None)[0]
        access.count(g, None, np.asarray(total), np.full(g.count, count))
        if not value:
            return
        flat = access.flat(g, found)
        halves = flat_memory.view(np.uint16)
        for i, put in enumerate(puts):
            if transposed:
                rows = flat[:, 8 * i + 2 * (lane % 4)] // 2 + lane // 4
                other = flat[:, 8 * i + 2 * (lane % 4) + 1] // 2 + lane // 4
                put(g, m, halves[rows].astype(_U32) | (halves[other].astype(_U32) << _U32(16)))
            else:
                put(g, m, flat_memory.view(_U32)[flat[:, 8 * i + lane // 4] // 4 + lane % 4])

    return run


HANDLERS: dict[str, Callable[[Build], Run]] = {
    **dict.fromkeys(("LDG", "LD"), ldg),
    **dict.fromkeys(("STG", "ST"), stg),
    "LDS": lds,
    "STS": sts,
    "LDL": ldl,
    "STL": stl,
    **dict.fromkeys(("LDC", "ULDC"), ldc),
    **dict.fromkeys(("ATOM", "ATOMG", "RED", "REDG"), atomic_global),
    "ATOMS": atomic_shared,
    "LDGSTS": ldgsts,
    "LDSM": ldsm,
}
