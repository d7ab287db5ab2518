"""Logic, shifts, bytes and bits of words, and logic of predicates, on vectors and on the uniform datapath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.emulator.build import Build, Getter, Run, join
from advisor.emulator.state import Array, Group

_U32, _U64 = np.uint32, np.uint64
_WORD = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)


def lop3(b: Build) -> Run:
    """LOP3.LUT, ULOP3.LUT: any function of three bits; optionally whether the result is not zero."""
    b.modifiers("LUT", "PAND")
    operands = list(b.ins.operands)
    outs = [operands.pop(0)] if operands[0].kind in ("P", "UP") else []
    put = b.put(operands.pop(0))
    last = [o for o in operands if o.kind in ("P", "UP")]
    sources = [o for o in operands if o.kind not in ("P", "UP")]
    if len(sources) != 4 or sources[3].kind != "number":
        raise b.refuse()
    table = int(sources[3].text, 0)
    gets = [b.u32(s) for s in sources[:3]]
    predicates = [b.put_predicate(p) for p in outs]
    p_in = b.predicate(last[0]) if last else None
    conjunction = "PAND" in b.ins.modifiers

    def run(g: Group, m: Any) -> None:
        found = logic(table, gets, g)
        hit = found != 0
        if p_in is not None:
            hit = (hit & p_in(g)) if conjunction else (hit | p_in(g))
        put(g, m, found)
        for p in predicates:
            p(g, m, hit)

    return run


_COMMON: dict[int, Callable[[Any, Any, Any], Any]] = {
    0xC0: lambda x, y, z: x & y,
    0xFC: lambda x, y, z: x | y,
    0x3C: lambda x, y, z: x ^ y,
    0x96: lambda x, y, z: x ^ y ^ z,
    0xFE: lambda x, y, z: x | y | z,
    0x80: lambda x, y, z: x & y & z,
    0xF8: lambda x, y, z: x | (y & z),
    0xEA: lambda x, y, z: (x & y) | z,
    0x33: lambda x, y, z: ~y,
    0x0F: lambda x, y, z: ~x,
}


def logic(table: int, gets: list[Getter], g: Group) -> Array:
    """Apply a table of eight bits to three operands: bit 4a + 2b + c is the result for the bits a, b, c."""
    x, y, z = (get(g) for get in gets)
    common = _COMMON.get(table)
    if common is not None:
        return np.asarray(common(x, y, z))
    out: Any = None
    for i in range(8):
        if table >> i & 1:
            term = (x if i & 4 else ~x) & (y if i & 2 else ~y) & (z if i & 1 else ~z)
            out = term if out is None else out | term
    return np.zeros((1, 1), _U32) if out is None else np.asarray(out)


def plop3(b: Build) -> Run:
    """PLOP3.LUT, UPLOP3.LUT: a function of three predicates."""
    b.modifiers("LUT")
    puts = b.put_predicate(b.operand(0)), b.put_predicate(b.operand(1))
    gets = [b.predicate(b.operand(i)) for i in (2, 3, 4)]
    tables = [int(b.operand(i).text, 0) for i in (5, 6)] if len(b.ins.operands) > 6 else [int(b.operand(5).text, 0), 0]

    def run(g: Group, m: Any) -> None:
        x, y, z = (get(g) for get in gets)
        index = x * np.int8(4) + y * np.int8(2) + z
        for put, table in zip(puts, tables, strict=True):
            put(g, m, np.array([bool(table >> i & 1) for i in range(8)])[index])

    return run


def shf(b: Build) -> Run:
    """SHF, USHF, and SHL/SHR in their names: funnel shifts of a pair of words."""
    names = b.modifiers("L", "R", "W", "U32", "S32", "U64", "S64", "HI", "CLAMP")
    left = "L" in names
    high, wide, wrap = "HI" in names, "U64" in names or "S64" in names, "W" in names
    signed = "S32" in names or "S64" in names
    put = b.put(b.operand(0))
    x, n, y = b.u32(b.operand(1)), b.u32(b.operand(2)), b.u32(b.operand(3))
    width = 64 if wide else 32

    def run(g: Group, m: Any) -> None:
        count = n(g)
        count = count & _U32(width - 1) if wrap else np.minimum(count, _U32(width))
        count64 = count.astype(_U64)
        low, top = x(g), y(g)
        pair = join(low, top)
        if left:
            moved = np.where(count64 >= 64, _U64(0), pair << np.minimum(count64, _U64(63)))
            out = moved >> _32 if high else moved & _WORD
        elif signed:
            moved = (pair.view(np.int64) >> np.minimum(count64, _U64(63)).astype(np.int64)).view(_U64)
            out = moved
            if high:
                out = (top.view(np.int32).astype(np.int64) >> np.minimum(count64, _U64(63)).astype(np.int64)).view(_U64)
        else:
            moved = np.where(count64 >= 64, _U64(0), pair >> np.minimum(count64, _U64(63)))
            out = moved
            if high:
                out = np.where(count64 >= 64, _U64(0), top.astype(_U64) >> np.minimum(count64, _U64(63)))
        put(g, m, (out & _WORD).astype(_U32))

    return run


# The byte of the pair that a mode puts at place i for selector n.
_MODES: dict[str, Callable[[int, int], int]] = {
    "F4E": lambda i, n: n + i,
    "B4E": lambda i, n: (n - i) & 7,
    "RC8": lambda i, n: n,
    "ECL": lambda i, n: max(i, n),
    "ECR": lambda i, n: min(i, n),
    "RC16": lambda i, n: (i & 1) + 2 * (n & 1),
}


def prmt(b: Build) -> Run:
    """PRMT: choose four of eight bytes; a mode makes the choice from the two lowest bits of the selector."""
    names = b.modifiers(*_MODES)
    put = b.put(b.operand(0))
    x, selector, y = b.u32(b.operand(1)), b.u32(b.operand(2)), b.u32(b.operand(3))
    table = None
    if names:
        places = [[_MODES[names[0]](i, n) for i in range(4)] for n in range(4)]
        table = np.array([sum(byte << (4 * i) for i, byte in enumerate(one)) for one in places], _U32)

    def s(g: Group) -> Array:
        found: Array = selector(g)
        return found if table is None else np.asarray(table[found & _U32(3)])

    def run(g: Group, m: Any) -> None:
        pair, select = join(x(g), y(g)), s(g).astype(_U64)
        out: Any = _U64(0)
        for i in range(4):
            nibble = select >> _U64(4 * i)
            byte = (pair >> ((nibble & _U64(7)) << _U64(3))) & _U64(0xFF)
            sign = (nibble & _U64(8)) != 0
            byte = np.where(sign, np.where(byte & _U64(0x80), _U64(0xFF), _U64(0)), byte)
            out = out | (byte << _U64(8 * i))
        put(g, m, out.astype(_U32))

    return run


def popc(b: Build) -> Run:
    """POPC, UPOPC: count the bits."""
    b.modifiers()
    x, put = b.u32(b.operand(1)), b.put(b.operand(0))
    return lambda g, m: put(g, m, count_bits(x(g)))


def count_bits(value: Array) -> Array:
    """Return the number of bits of each uint32."""
    v = value - ((value >> _U32(1)) & _U32(0x55555555))
    v = (v & _U32(0x33333333)) + ((v >> _U32(2)) & _U32(0x33333333))
    v = (v + (v >> _U32(4))) & _U32(0x0F0F0F0F)
    return np.asarray((v * _U32(0x01010101)) >> _U32(24))


def flo(b: Build) -> Run:
    """FLO, UFLO: the highest bit that is set (.SH: counted from the top), all ones if none is."""
    names = b.modifiers("U32", "SH", "S32")
    x, put = b.u32(b.operand(1)), b.put(b.operand(0))
    signed, shift = "U32" not in names, "SH" in names

    def run(g: Group, m: Any) -> None:
        value = x(g)
        if signed:
            value = np.where(value.view(np.int32) < 0, ~value, value)
        top = np.frexp(value.astype(np.float64))[1] - 1
        found = np.where(value == 0, -1, 31 - top if shift else top)
        put(g, m, found.astype(np.int64).astype(_U32))

    return run


def brev(b: Build) -> Run:
    """BREV, UBREV: reverse the bits."""
    b.modifiers()
    x, put = b.u32(b.operand(1)), b.put(b.operand(0))

    def run(g: Group, m: Any) -> None:
        v = x(g)
        for step, bits in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
            v = ((v >> _U32(step)) & _U32(bits)) | ((v & _U32(bits)) << _U32(step))
        put(g, m, (v >> _U32(16)) | (v << _U32(16)))

    return run


def bmsk(b: Build) -> Run:
    """BMSK, UBMSK: a mask of n bits from a position on."""
    names = b.modifiers("C", "W")
    start, count, put = b.u32(b.operand(1)), b.u32(b.operand(2)), b.put(b.operand(0))
    wrap = "W" in names

    def run(g: Group, m: Any) -> None:
        at, n = start(g).astype(_U64), count(g).astype(_U64)
        if wrap:
            at, n = at & _U64(31), n & _U64(31)
        bits = (_U64(1) << np.minimum(n, _32)) - _U64(1)
        put(g, m, np.where(at >= 32, _U64(0), (bits << np.minimum(at, _32)) & _WORD).astype(_U32))

    return run


def sgxt(b: Build) -> Run:
    """SGXT, USGXT: extend the sign (or zeros) from a bit position."""
    names = b.modifiers("U32", "W")
    x, n, put = b.u32(b.operand(1)), b.u32(b.operand(2)), b.put(b.operand(0))
    unsigned, wrap = "U32" in names, "W" in names

    def run(g: Group, m: Any) -> None:
        count = n(g) & _U32(31) if wrap else np.minimum(n(g), _U32(32))
        rest = (_U32(32) - count).astype(_U64)
        moved = (x(g).astype(_U64) << rest) & _WORD
        if unsigned:
            put(g, m, (moved >> rest).astype(_U32))
        else:
            put(g, m, (moved.astype(_U32).view(np.int32).astype(np.int64) >> rest.astype(np.int64)).astype(_U32))

    return run


HANDLERS: dict[str, Callable[[Build], Run]] = {
    **dict.fromkeys(("LOP3", "ULOP3"), lop3),
    **dict.fromkeys(("PLOP3", "UPLOP3"), plop3),
    **dict.fromkeys(("SHF", "USHF"), shf),
    **dict.fromkeys(("PRMT", "UPRMT"), prmt),
    **dict.fromkeys(("POPC", "UPOPC"), popc),
    **dict.fromkeys(("FLO", "UFLO"), flo),
    **dict.fromkeys(("BREV", "UBREV"), brev),
    **dict.fromkeys(("BMSK", "UBMSK"), bmsk),
    **dict.fromkeys(("SGXT", "USGXT"), sgxt),
}
