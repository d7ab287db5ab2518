"""Instructions on pairs of halves (HADD2, HMUL2, HFMA2, HSETP2, HSET2, HMNMX2) and of bfloat16.

Each operation is computed in double precision and rounded once to 16 bits, as the hardware does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from advisor.emulator.build import Build, Run, number_bits, scalar
from advisor.emulator.floating import ORDERED, minmax
from advisor.emulator.integer import COMBINE, one_of
from advisor.emulator.program import Operand
from advisor.emulator.rounding import from_half, to_bfloat, to_half
from advisor.emulator.state import Array, Group

_U32 = np.uint32
_PICKS = {"H0_H0": (0, 0), "H1_H1": (1, 1), "H1_H0": (0, 1), "H0_H1": (1, 0)}
Pair = Callable[[Group], tuple[Array, Array]]


def _pair(b: Build, op: Operand, bfloat: bool, ftz: bool = False) -> Pair:
    """Return the getter of the low and the high value of an operand as float64."""
    if op.suffixes == ("F32",):
        one = b.raw(op, "float")
        return lambda g: (lambda v: (v, v))(one(g).view(np.float32).astype(np.float64))
    low, high = _PICKS.get(op.suffixes[0] if op.suffixes else "H1_H0", (None, None))
    if low is None or high is None:
        raise b.refuse(f"the operand modifier {op.suffixes[0]}")
    bare = replace(op, negative=False, absolute=False, inverted=False, suffixes=())
    get = b.raw(bare, "half")
    negative, absolute = op.negative, op.absolute

    def one_half(bits: Array, upper: int) -> Array:
        word = (bits >> _U32(16)) if upper else bits & _U32(0xFFFF)
        found = from_half(word, bfloat)
        if ftz:
            found = np.where(np.abs(found) < 2.0**-14, np.copysign(0.0, found), found)
        found = np.abs(found) if absolute else found
        return -found if negative else found

    def read(g: Group) -> tuple[Array, Array]:
        bits = get(g)
        return one_half(bits, low), one_half(bits, high)

    return read


def _immediates(b: Build, first: int, bfloat: bool) -> Pair:
    """Return two immediates that follow each other as (low, high): the first is the high half."""
    upper, lower = b.operand(first), b.operand(first + 1)
    values = []
    for op in (lower, upper):
        if bfloat:
            values.append(np.full((1, 1), np.float64(float(op.text))))
        else:
            bits = number_bits(op.text, "half")
            values.append(np.array([[bits]], np.uint16).view(np.float16).astype(np.float64))
    return lambda g: (values[0], values[1])


def _sources(b: Build, count: int, bfloat: bool, ftz: bool = False) -> list[Pair]:
    """Return the getters of the sources; two immediates in a row are one source."""
    out: list[Pair] = []
    at = 1
    while len(out) < count:
        op = b.operand(at)
        following = b.ins.operands[at + 1] if at + 1 < len(b.ins.operands) else None
        if op.kind == "number" and following is not None and following.kind == "number":
            out.append(_immediates(b, at, bfloat))
            at += 2
        else:
            out.append(_pair(b, op, bfloat, ftz))
            at += 1
    return out


def _pack(low: Array, high: Array, bfloat: bool, ftz: bool = False) -> Array:
    def bits(value: Array) -> Array:
        found = to_half(value, bfloat)
        if ftz and not bfloat:  # an exponent of 0: only the sign stays
            found = np.where(found & _U32(0x7C00) == 0, found & _U32(0x8000), found)
        return found

    return np.asarray(bits(low) | (bits(high) << _U32(16)))


def _saturate(value: Array) -> Array:
    return np.where(np.isnan(value), 0.0, np.clip(value, 0.0, 1.0))


def _arithmetic(count: int, function: Callable[..., Array]) -> Callable[[Build], Run]:
    def build(b: Build) -> Run:
        names = b.modifiers("F32", "BF16_V2", "BF16", "MMA", "SAT", "RELU", "FTZ")
        bfloat = "BF16_V2" in names or "BF16" in names
        if "F32" in names:
            get = _sources(b, count, bfloat)
            put_float = b.put_float(b.operand(0))

            def single(g: Group, m: Any) -> None:
                put_float(g, m, function(*(pair(g)[0] for pair in get)).astype(np.float32))

            return single
        ftz = "FTZ" in names
        if b.operand(1).negative and b.operand(1).index < 0 and _constant(b):
            return _move(b)
        sources, put = _sources(b, count, bfloat, ftz), b.put(b.operand(0))
        saturate, relu = "SAT" in names, "RELU" in names

        def run(g: Group, m: Any) -> None:
            values = [pair(g) for pair in sources]
            halves = [function(*(v[i] for v in values)) for i in (0, 1)]
            if saturate:
                halves = [_saturate(h) for h in halves]
            if relu:
                halves = [np.where(np.isnan(h), h, np.maximum(h, 0.0)) for h in halves]
            put(g, m, _pack(halves[0], halves[1], bfloat, ftz))

        return run

    return build


def _constant(b: Build) -> bool:
    """Whether it is HFMA2 d, -RZ, RZ, high, low: the compiler's way to load a constant."""
    ops = b.ins.operands
    return len(ops) == 5 and ops[2].index < 0 and ops[2].kind == "R" and ops[3].kind == ops[4].kind == "number"


def _move(b: Build) -> Run:
    put = b.put(b.operand(0))
    bfloat = "BF16_V2" in b.ins.modifiers
    words = []
    for op in (b.operand(4), b.operand(3)):
        if bfloat:
            words.append(int(to_bfloat(np.array([float(op.text)], np.float32))[0]))
        else:
            words.append(number_bits(op.text, "half"))
    value = scalar(words[0] | words[1] << 16)
    return lambda g, m: put(g, m, value)


def hsetp2(b: Build) -> Run:
    """HSETP2: compare pairs of halves into two predicates."""
    names = b.modifiers(*ORDERED, *COMBINE, "BF16_V2", "H0_AND")
    compare, combine = one_of(b, names, ORDERED), one_of(b, names, COMBINE)
    bfloat = "BF16_V2" in names
    puts = b.put_predicate(b.operand(0)), b.put_predicate(b.operand(1))
    x, y = _pair(b, b.operand(2), bfloat), None
    rest = b.ins.operands[3:]
    y = _immediates(b, 3, bfloat) if rest[0].kind == rest[1].kind == "number" else _pair(b, rest[0], bfloat)
    p = b.predicate(b.ins.operands[-1])
    both = "H0_AND" in names

    def run(g: Group, m: Any) -> None:
        left, right = x(g), y(g)
        low, high = compare(left[0], right[0]), compare(left[1], right[1])
        if both:
            low, high = low & high, ~(low & high)
        also = p(g)
        found = combine(low, also), combine(high, also)
        puts[0](g, m, found[0])
        puts[1](g, m, found[1])

    return run


def hset2(b: Build) -> Run:
    """HSET2: compare pairs of halves; .BF: 1.0 where it holds, else all ones."""
    names = b.modifiers(*ORDERED, *COMBINE, "BF16_V2", "BF", "FTZ")
    compare, combine = one_of(b, names, ORDERED), one_of(b, names, COMBINE)
    bfloat, ftz = "BF16_V2" in names, "FTZ" in names
    x, y = _sources(b, 2, bfloat, ftz)
    p, put = b.predicate(b.ins.operands[-1]), b.put(b.operand(0))
    one = _U32(0xFFFF if "BF" not in names else 0x3F80 if bfloat else 0x3C00)

    def run(g: Group, m: Any) -> None:
        left, right, also = x(g), y(g), p(g)
        low, high = (np.where(combine(compare(left[i], right[i]), also), one, _U32(0)) for i in (0, 1))
        put(g, m, low | (high << _U32(16)))

    return run


def hmnmx2(b: Build) -> Run:
    """HMNMX2: minimum or maximum of pairs of halves."""
    names = b.modifiers("BF16_V2", "NAN")
    bfloat, keep = "BF16_V2" in names, "NAN" in names
    x, y = _sources(b, 2, bfloat)
    p, put = b.predicate(b.ins.operands[-1]), b.put(b.operand(0))

    def run(g: Group, m: Any) -> None:
        left, right, least = x(g), y(g), p(g)
        low, high = (minmax(left[i], right[i], least, keep) for i in (0, 1))
        put(g, m, _pack(low, high, bfloat))

    return run


HANDLERS: dict[str, Callable[[Build], Run]] = {
    "HADD2": _arithmetic(2, lambda a, b: a + b),
    "HMUL2": _arithmetic(2, lambda a, b: a * b),
    "HFMA2": _arithmetic(3, lambda a, b, c: a * b + c),
    "HSETP2": hsetp2,
    "HSET2": hset2,
    "HMNMX2": hmnmx2,
}
