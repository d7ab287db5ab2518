"""Atomic operations of global and shared memory, in the order of warps and lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.emulator.access import HINTS
from advisor.emulator.build import Build, Getter, Run
from advisor.emulator.program import Operand
from advisor.emulator.rounding import from_half, to_half
from advisor.emulator.spaces import GenericAccess, GlobalAccess, SharedAccess, active_lanes, lanes_of
from advisor.emulator.state import Array, Group

_U32, _U64 = np.uint32, np.uint64
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


def _add_halves(old: Array, value: Array, bfloat: bool) -> Array:
    """Return the sums of two halves or bfloat16 in each uint32."""
    out: Any = _U32(0)
    for shift in (_U32(0), _U32(16)):
        left, right = (((word >> shift) & _U32(0xFFFF)) for word in (old, value))
        out = out | (to_half(from_half(left, bfloat) + from_half(right, bfloat), bfloat) << shift)
    return np.asarray(out)


_PACKED: dict[str, Callable[[Any, Any], Any]] = {
    "F16x2": lambda old, v: _add_halves(old, v, False),
    "BF16x2": lambda old, v: _add_halves(old, v, True),
    "BF16_V2": lambda old, v: _add_halves(old, v, True),
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
    known = (*_ATOMIC, "CAS", "CAST", "SPIN", "POPC", "INC", *_KINDS, *_PACKED, "32", "128", "FTZ", "RN", *HINTS)
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
    packed = next((_PACKED[n] for n in names if n in _PACKED), None)
    if not operation or "128" in names or (packed is not None and operation != "ADD"):
        raise b.refuse()
    size = np.dtype(kind).itemsize
    generic = b.ins.opcode in ("ATOM", "RED") and b.machine.windows
    access: Any = (SharedAccess if shared else GenericAccess if generic else GlobalAccess)(b, place, "atomic", size)

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
    b.reads = b.writes = "shared" if shared else "generic" if generic else "global"
    memory = b.machine.launch.memory
    flat_shared = b.machine.shared.reshape(-1)
    flush = "FTZ" in names

    def run(g: Group, m: Any) -> None:
        if generic:
            for space, some_lanes, found in access.parts(g, m):
                if space == "local":
                    raise b.refuse("an atomic operation on local memory")
                if space == "shared":
                    change(g, some_lanes, access.flat_shared(g, some_lanes, found), True)
                else:
                    change(g, some_lanes, access.to_global.located(g, some_lanes, found), False)
            return
        if shared:
            offsets = access.offsets(g, m, count=operation != "POPC")
            if operation == "POPC":
                some = np.asarray(active_lanes(g, m) > 0).astype(np.int64)
                access.count(g, m, some, some)
            flat = access.flat(g, offsets)
        else:
            flat = access.offsets(g, m)
        change(g, m, flat, shared)

    def change(g: Group, m: Any, flat: Array, in_shared: bool) -> None:
        if not value:
            return
        if not in_shared:
            memory.fill_before_reading(flat)
        lanes = lanes_of(g, m)
        index = flat[lanes] >> (size.bit_length() - 1)
        target = (flat_shared.view if in_shared else memory.view)(kind)
        values = [np.broadcast_to(get(g), lanes.shape)[lanes] for get in gets]
        if operation == "POPC":
            values = [np.ones(len(index), kind)]
        if not puts and operation in ("ADD", "POPC") and not flush and packed is None:
            np.add.at(target, index, values[0])
            return
        if operation == "CAS":
            old = apply_in_order(target, index, lambda o, at: np.where(o == values[0][at], values[1][at], o))
        else:
            function = packed or _ATOMIC["ADD" if operation == "POPC" else operation]
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


HANDLERS: dict[str, Callable[[Build], Run]] = {
    **dict.fromkeys(("ATOM", "ATOMG", "RED", "REDG"), atomic_global),
    "ATOMS": atomic_shared,
}
