"""Loads, stores and asynchronous copies of all memories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.emulator.build import Build, Run
from advisor.emulator.program import Operand
from advisor.emulator.spaces import (
    LOCAL_WINDOW,
    SHARED_WINDOW,
    GenericAccess,
    GlobalAccess,
    LocalAccess,
    SharedAccess,
    active_lanes,
    lanes_of,
    load_local,
    load_words,
    store_local,
    store_words,
    wide_address,
)
from advisor.emulator.state import LANES, Array, Group
from advisor.hardware import traffic

_U32, _U64 = np.uint32, np.uint64
SIZES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "32": 4, "64": 8, "128": 16}
HINTS = (
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
CACHE = ("LTC64B", "LTC128B", "LTC256B", "BYPASS", "ACCESS", "ZD")


def _size(b: Build) -> tuple[int, bool]:
    name = next((m for m in b.ins.modifiers if m in SIZES), "32")
    return SIZES[name], name.startswith("S")


def ldg(b: Build) -> Run:
    """LDG, LD: load from global memory."""
    b.modifiers(*SIZES, *HINTS, *CACHE)
    if len(b.ins.operands) != 2:
        raise b.refuse("a load with a predicate result")
    size, signed = _size(b)
    if b.ins.opcode == "LD" and b.machine.windows:
        return _generic_load(b, size, signed)
    access = GlobalAccess(b, b.operand(1), "load", size)
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
        for put, word in zip(puts, load_words(memory.view, flat, size, signed), strict=True):
            put(g, m, word)

    return run


def stg(b: Build) -> Run:
    """STG, ST: store to global memory."""
    b.modifiers(*SIZES, *HINTS, *CACHE)
    size, _ = _size(b)
    if b.ins.opcode == "ST" and b.machine.windows:
        return _generic_store(b, size)
    access = GlobalAccess(b, b.operand(0), "store", size)
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
        store_words(memory.view, flat, m, size, words)
        if check is not None:
            check.stored_global(g, m, flat, size, words, at)

    return run


def _generic_load(b: Build, size: int, signed: bool) -> Run:
    access = GenericAccess(b, b.operand(1), "load", size)
    puts = [b.put(b.operand(0), i) for i in range(max(1, size // 4))]
    b.always, b.reads, value = True, "generic", b.value
    memory, machine, at = b.machine.launch.memory, b.machine, b.at
    flat_shared = machine.shared.reshape(-1)

    def run(g: Group, m: Any) -> None:
        for space, lanes, found in access.parts(g, m):
            if space == "global":
                flat = access.to_global.located(g, lanes, found)
                if machine.check is not None:
                    machine.check.reads_global(g, lanes, flat, size, at)
                memory.fill_before_reading(flat)
                words = load_words(memory.view, flat, size, signed)
            elif space == "shared":
                words = load_words(flat_shared.view, access.flat_shared(g, lanes, found), size, signed)
            else:
                words = load_local(machine, *access.to_local.located(g, lanes, found), size, signed)
            if value:
                for put, word in zip(puts, words, strict=True):
                    put(g, lanes, word)

    return run


def _generic_store(b: Build, size: int) -> Run:
    access = GenericAccess(b, b.operand(0), "store", size)
    gets = [b.raw(b.operand(1), after=i) for i in range(max(1, size // 4))]
    b.always, b.writes, value = True, "generic", b.value
    memory, machine, at = b.machine.launch.memory, b.machine, b.at
    flat_shared = machine.shared.reshape(-1)

    def run(g: Group, m: Any) -> None:
        words = [get(g) for get in gets]
        for space, lanes, found in access.parts(g, m):
            if space == "global":
                flat = access.to_global.located(g, lanes, found)
                memory.fill_before_reading(flat)
                if machine.check is not None:
                    machine.check.writes_global(g, lanes, flat, size, words, at)
                if value:
                    store_words(memory.view, flat, lanes, size, words)
            elif space == "shared":
                flat = access.flat_shared(g, lanes, found)
                if value:
                    store_words(flat_shared.view, flat, lanes, size, words)
            else:
                places = access.to_local.located(g, lanes, found)
                if value:
                    store_local(machine, *places, lanes, size, words)

    return run


def qspc(b: Build) -> Run:
    """QSPC: whether a generic address is one of shared (.S), local (.L) or global (.G) memory."""
    names = b.modifiers("E", "S", "L", "G")
    put, address = b.put_predicate(b.operand(0)), wide_address(b, b.operand(2))
    space = next((n for n in names if n in "SLG"), "")

    def run(g: Group, m: Any) -> None:
        window = address(g) >> _U64(32)
        shared, local = window == _U64(SHARED_WINDOW), window == _U64(LOCAL_WINDOW)
        put(g, m, shared if space == "S" else local if space == "L" else ~shared & ~local)

    return run


def lds(b: Build) -> Run:
    """LDS: load from shared memory."""
    b.modifiers(*SIZES, "U")
    size, signed = _size(b)
    access = SharedAccess(b, b.operand(1), "load", size)
    puts = [b.put(b.operand(0), i) for i in range(max(1, size // 4))]
    b.always, b.reads, value = True, "shared", b.value
    flat_memory = b.machine.shared.reshape(-1)

    def run(g: Group, m: Any) -> None:
        offsets = access.offsets(g, m)
        if value:
            for put, word in zip(
                puts, load_words(flat_memory.view, access.flat(g, offsets), size, signed), strict=True
            ):
                put(g, m, word)

    return run


def sts(b: Build) -> Run:
    """STS: store to shared memory."""
    b.modifiers(*SIZES)
    size, _ = _size(b)
    access = SharedAccess(b, b.operand(0), "store", size)
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
        store_words(flat_memory.view, flat, m, size, words)
        if machine.check is not None:
            machine.check.stored_shared(g, m, offsets, flat, size, words, at)

    return run


def ldl(b: Build) -> Run:
    """LDL: load from local memory."""
    b.modifiers(*SIZES, *HINTS)
    size, signed = _size(b)
    access = LocalAccess(b, b.operand(1), "load", size)
    puts = [b.put(b.operand(0), i) for i in range(max(1, size // 4))]
    b.always, b.reads, value = True, "local", b.value
    machine = b.machine

    def run(g: Group, m: Any) -> None:
        offsets, columns = access.places(g, m)
        if value:
            for put, word in zip(puts, load_local(machine, offsets, columns, size, signed), strict=True):
                put(g, m, word)

    return run


def stl(b: Build) -> Run:
    """STL: store to local memory."""
    b.modifiers(*SIZES, *HINTS)
    size, _ = _size(b)
    access = LocalAccess(b, b.operand(0), "store", size)
    gets = [b.raw(b.operand(1), after=i) for i in range(max(1, size // 4))]
    b.always, b.writes, value = True, "local", b.value
    machine = b.machine

    def run(g: Group, m: Any) -> None:
        offsets, columns = access.places(g, m)
        if not value:
            return
        store_local(machine, offsets, columns, lanes_of(g, m), size, [get(g) for get in gets])

    return run


def ldc(b: Build) -> Run:
    """LDC, ULDC: load from a constant bank."""
    names = b.modifiers(*SIZES, "IL", "IS", "ISL")
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
        counts.requests[g.at] += active_lanes(g, m) > 0
        counts.wavefronts[g.at] += traffic.distinct(found, m)
        counts.ideal_wavefronts[g.at] += active_lanes(g, m) > 0
        if machine.check is not None:
            machine.check.constant(g, m, (found + op.offset) & 0xFFFFFFFF, op.bank, size, at)

    machine.constant_counters[at] = count


def ldgsts(b: Build) -> Run:
    """LDGSTS: copy from global to shared memory; here it is complete at once."""
    names = b.modifiers(*SIZES, *HINTS, *CACHE, "ZFILL")
    if len(b.ins.operands) > 3 or (len(b.ins.operands) == 3) != ("ZFILL" in names):
        raise b.refuse("a copy with a predicate")
    size, _ = _size(b)
    kept_noting, b.noting = b.noting, b.uses
    there = b.predicate(b.operand(2)) if "ZFILL" in names else None
    b.noting = kept_noting
    to = SharedAccess(b, b.operand(0), "store", size)
    source = GlobalAccess(b, b.operand(1), "load", size)
    b.always, b.reads, b.writes, value = True, "global", "shared", b.value
    memory = b.machine.launch.memory
    flat_memory = b.machine.shared.reshape(-1)

    def run(g: Group, m: Any) -> None:
        # Lanes whose predicate is false read nothing and store zeros.
        lanes = m if there is None else lanes_of(g, m) & there(g)
        none = lanes is not None and not lanes.any()
        flat = np.zeros((g.count, LANES), np.int64) if none else source.offsets(g, lanes)
        b.machine.counts_of(b.at, "global", "load", size)
        kept = b.machine.memory_counts.pop(b.at)
        offsets = to.offsets(g, m)
        made = b.machine.memory_counts.pop(b.at)
        kept.wavefronts += made.wavefronts
        kept.ideal_wavefronts += made.ideal_wavefronts
        kept.space = "global+shared"
        b.machine.memory_counts[b.at] = kept
        if value:
            memory.fill_before_reading(flat)
            words = load_words(memory.view, flat, size, False)
            if lanes is not m:
                words = [np.where(lanes, word, _U32(0)) for word in words]
            store_words(flat_memory.view, to.flat(g, offsets), m, size, words)

    return run


class _Matrices:
    """The 8 by 8 matrices of 16 bits of LDSM and STSM; lanes 8i to 8i + 7 give the rows of matrix i."""

    def __init__(self, b: Build, op: Operand, kind: str) -> None:
        names = b.modifiers("16", "M88", "MT88", "2", "4")
        self.refuse = b.refuse
        self.count = 4 if "4" in names else 2 if "2" in names else 1
        self.transposed = "MT88" in names
        self.access = SharedAccess(b, op, kind, 4)
        lane = np.arange(LANES)
        self._giving = None if self.count == 4 else lane < 8 * self.count
        # Of the two halves of a lane: the row of the matrix, and the place in the row.
        row, place = lane // 4, 2 * (lane % 4)
        places = (row, place), (row, place + 1)
        self._places = tuple(one[::-1] for one in places) if self.transposed else places

    def offsets(self, g: Group, m: Any) -> Array:
        """Return the offsets of the rows within the block's shared memory, after counting them."""
        if m is not None:
            raise self.refuse("lanes that are apart")
        mask = None if self._giving is None else np.broadcast_to(self._giving, (g.count, LANES))
        found = self.access.offsets(g, mask, 16, count=False)
        words = (found >> 2)[:, : 8 * self.count]
        total: Any = 0
        for i in range(self.count):
            rows = words[:, 8 * i : 8 * i + 8]
            total = total + traffic.worst_bank(np.concatenate([rows + k for k in range(4)], axis=1), None)[0]
        self.access.count(g, None, np.asarray(total), np.full(g.count, self.count))
        return found

    def half(self, flat: Array, i: int, upper: int) -> Array:
        """Return where the lower or upper half of each lane of matrix i is, in units of 16 bits.

        flat: bytes of the rows in the shared memory of all blocks.
        """
        row, place = self._places[upper]
        return np.asarray(flat[:, 8 * i + row] // 2 + place)


def ldsm(b: Build) -> Run:
    """LDSM: load 8 by 8 matrices of 16 bits."""
    matrices = _Matrices(b, b.operand(1), "load")
    puts = [b.put(b.operand(0), i) for i in range(matrices.count)]
    b.always, b.reads, value = True, "shared", b.value
    memory = b.machine.shared.reshape(-1)
    halves, words = memory.view(np.uint16), memory.view(_U32)

    def run(g: Group, m: Any) -> None:
        found = matrices.offsets(g, m)
        if not value:
            return
        flat = matrices.access.flat(g, found)
        for i, put in enumerate(puts):
            low = matrices.half(flat, i, 0)
            if matrices.transposed:
                high = matrices.half(flat, i, 1)
                put(g, m, halves[low].astype(_U32) | (halves[high].astype(_U32) << _U32(16)))
            else:  # both halves are one word
                put(g, m, words[low // 2])

    return run


def stsm(b: Build) -> Run:
    """STSM: store 8 by 8 matrices of 16 bits."""
    matrices = _Matrices(b, b.operand(0), "store")
    gets = [b.raw(b.operand(1), after=i) for i in range(matrices.count)]
    b.always, b.writes, value = True, "shared", b.value
    halves = b.machine.shared.reshape(-1).view(np.uint16)

    def run(g: Group, m: Any) -> None:
        found = matrices.offsets(g, m)
        if not value:
            return
        flat = matrices.access.flat(g, found)
        for i, get in enumerate(gets):
            word = np.broadcast_to(get(g), (g.count, LANES))
            for upper in (0, 1):
                halves[matrices.half(flat, i, upper)] = (word >> _U32(16 * upper)).astype(np.uint16)

    return run


HANDLERS: dict[str, Callable[[Build], Run]] = {
    **dict.fromkeys(("LDG", "LD"), ldg),
    **dict.fromkeys(("STG", "ST"), stg),
    "LDS": lds,
    "STS": sts,
    "LDL": ldl,
    "STL": stl,
    **dict.fromkeys(("LDC", "ULDC"), ldc),
    "LDGSTS": ldgsts,
    "LDSM": ldsm,
    "STSM": stsm,
    "QSPC": qspc,
}
