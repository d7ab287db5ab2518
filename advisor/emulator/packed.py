"""Integer instructions that also work on parts of a word: pairs of 16 bits, four bytes. Sums, minima, differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from advisor.emulator.build import Build, Run
from advisor.emulator.state import Array, Group

_U32 = np.uint32
_KINDS: dict[str, tuple[int, bool]] = {"16x2": (16, False), "S16x2": (16, True), "U16x2": (16, False)}


def parts(value: Array, bits: int, signed: bool) -> list[Array]:
    """Return the parts of words as int64, the lowest first. bits: of a part, 8, 16 or 32."""
    out = []
    for low in range(0, 32, bits):
        top = value << _U32(32 - bits - low)
        moved = top.view(np.int32) >> np.int32(32 - bits) if signed else top >> _U32(32 - bits)
        out.append(np.asarray(moved.astype(np.int64)))
    return out


def joined(found: list[Any], bits: int) -> Array:
    """Return parts as words, the lowest first; each wraps to its width."""
    out: Any = _U32(0)
    for i, part in enumerate(found):
        out = out | ((part & ((1 << bits) - 1)).astype(_U32) << _U32(bits * i))
    return np.asarray(out)


def _form(names: tuple[str, ...]) -> tuple[int, bool]:
    """Return the bits of a part, and whether parts are signed."""
    return next((_KINDS[n] for n in names if n in _KINDS), (32, "U32" not in names))


def _least_or_most(least: Array, values: Sequence[Array], relu: bool) -> Array:
    """Return the minimum of values where `least` is true, else the maximum; relu: at least 0."""
    found = np.where(least, reduce(np.minimum, values), reduce(np.maximum, values))
    return np.maximum(found, 0) if relu else found


def viadd(b: Build) -> Run:
    """VIADD, UVIADD: a + b; .16x2: both halves apart."""
    names = b.modifiers("16x2")
    x, y, put = b.u32(b.operand(1)), b.u32(b.operand(2)), b.put(b.operand(0))
    if not names:
        return lambda g, m: put(g, m, x(g) + y(g))

    def run(g: Group, m: Any) -> None:
        pairs = zip(parts(x(g), 16, False), parts(y(g), 16, False), strict=True)
        put(g, m, joined([left + right for left, right in pairs], 16))

    return run


def minmax(b: Build) -> Run:
    """IMNMX, VIMNMX, VIMNMX3: the minimum of two or three where the predicate is true, else the maximum.

    RELU: at least 0. Predicates after the destination say for each part, the lowest first, whether the first is taken.
    """
    names = b.modifiers("U32", "S32", "S16x2", "U16x2", "RELU")
    bits, signed = _form(names)
    operands = list(b.ins.operands)
    put, p = b.put(operands.pop(0)), b.predicate(operands.pop())
    chosen = []
    while operands and operands[0].kind in ("P", "UP"):
        chosen.append(b.put_predicate(operands.pop(0)))
    if len(operands) != (3 if b.ins.opcode == "VIMNMX3" else 2) or (chosen and len(chosen) != 32 // bits):
        raise b.refuse()
    gets = [b.u32(o) for o in operands]
    relu = "RELU" in names

    def run(g: Group, m: Any) -> None:
        values = [parts(get(g), bits, signed) for get in gets]
        least = p(g)
        out = []
        for i, ones in enumerate(zip(*values, strict=True)):
            if chosen:
                chosen[i](g, m, np.where(least, ones[0] <= ones[1], ones[0] >= ones[1]))
            out.append(_least_or_most(least, ones, relu))
        put(g, m, joined(out, bits))

    return run


def viaddmnmx(b: Build) -> Run:
    """VIADDMNMX: the minimum or maximum of a + b, which wraps, and c; RELU: at least 0."""
    names = b.modifiers("U32", "S16x2", "U16x2", "RELU")
    bits, signed = _form(names)
    if len(b.ins.operands) != 5:
        raise b.refuse()
    x, y, z = (b.u32(b.operand(i)) for i in (1, 2, 3))
    p, put = b.predicate(b.operand(4)), b.put(b.operand(0))
    relu = "RELU" in names

    def run(g: Group, m: Any) -> None:
        pairs = zip(parts(x(g), bits, signed), parts(y(g), bits, signed), strict=True)
        sums = parts(joined([left + right for left, right in pairs], bits), bits, signed)
        least, others = p(g), parts(z(g), bits, signed)
        put(g, m, joined([_least_or_most(least, ones, relu) for ones in zip(sums, others, strict=True)], bits))

    return run


def vabsdiff(b: Build) -> Run:
    """VABSDIFF: |a - b| + c. VABSDIFF4: of each byte; .ACC: their sum + c."""
    names = b.modifiers("U32", "U8", "ACC")
    x, y, z, put = b.u32(b.operand(1)), b.u32(b.operand(2)), b.u32(b.operand(3)), b.put(b.operand(0))
    bytewise = b.ins.opcode == "VABSDIFF4"
    bits, signed = (8, "U8" not in names) if bytewise else (32, "U32" not in names)
    if bytewise and "ACC" not in names and (b.operand(3).kind != "R" or b.operand(3).index >= 0):
        raise b.refuse("bytes with a third operand")

    def run(g: Group, m: Any) -> None:
        pairs = zip(parts(x(g), bits, signed), parts(y(g), bits, signed), strict=True)
        found = [np.abs(left - right) for left, right in pairs]
        if bytewise and "ACC" not in names:
            put(g, m, joined(found, 8))
        else:
            put(g, m, joined([sum(found) + z(g).astype(np.int64)], 32))

    return run


def idp(b: Build) -> Run:
    """IDP.4A, IDP.2A: products of four bytes, or of two halves and two bytes (.LO: the lower ones), added."""
    names = b.modifiers("4A", "2A", "LO", "HI", "U8", "S8", "U16", "S16")
    forms = [n for n in names if n[0] in "US"]
    if len(forms) != 2 or not {"4A", "2A"} & set(names):
        raise b.refuse()
    x, y, z, put = b.u32(b.operand(1)), b.u32(b.operand(2)), b.u32(b.operand(3)), b.put(b.operand(0))
    pair, high = "2A" in names, "HI" in names

    def run(g: Group, m: Any) -> None:
        left = parts(x(g), 16 if pair else 8, forms[0][0] == "S")
        right = parts(y(g), 8, forms[1][0] == "S")
        if pair:
            right = right[2:] if high else right[:2]
        total = z(g).astype(np.int64)
        for one, other in zip(left, right, strict=True):
            total = total + one * other
        put(g, m, joined([total], 32))

    return run


HANDLERS: dict[str, Callable[[Build], Run]] = {
    **dict.fromkeys(("VIADD", "UVIADD"), viadd),
    **dict.fromkeys(("IMNMX", "VIMNMX", "UIMNMX", "UVIMNMX", "VIMNMX3"), minmax),
    "VIADDMNMX": viaddmnmx,
    **dict.fromkeys(("VABSDIFF", "VABSDIFF4"), vabsdiff),
    "IDP": idp,
}
