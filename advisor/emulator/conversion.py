"""Conversions between integers, doubles, floats, halves, bfloat16 and 8-bit floats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from advisor.emulator import rounding
from advisor.emulator.build import Build, Getter, Run, flush
from advisor.emulator.program import Operand
from advisor.emulator.state import Array, Group

_U32, _U64, _F32 = np.uint32, np.uint64, np.float32
_INTEGERS: dict[str, tuple[int, bool]] = {
    "U8": (8, False),
    "S8": (8, True),
    "U16": (16, False),
    "S16": (16, True),
    "U32": (32, False),
    "S32": (32, True),
    "U64": (64, False),
    "S64": (64, True),
}


def _integer(b: Build, op: Operand, kind: str) -> Getter:
    """Return the getter of an integer of any width as int64 or uint64."""
    width, signed = _INTEGERS[kind]
    if width == 64:
        wide = b.u64(op)
        return (lambda g: wide(g).view(np.int64)) if signed else wide
    part = next((s for s in op.suffixes if s in ("B0", "B1", "B2", "B3", "H0", "H1")), "")
    plain = replace(op, suffixes=())
    get = b.raw(plain)
    shift = 8 * int(part[1]) if part.startswith("B") else 16 * int(part[1]) if part else 0
    negative, absolute = op.negative, op.absolute

    def read(g: Group) -> Array:
        value = get(g) >> _U32(shift)
        if signed:
            out: Array = ((value << _U32(32 - width)).view(np.int32) >> np.int32(32 - width)).astype(np.int64)
        else:
            out = (value & _U32((1 << width) - 1)).astype(np.int64)
        if absolute:
            out = np.abs(out)
        return np.negative(out) if negative else out

    return read


def _words_of(value: Array) -> tuple[Array, Array]:
    """Return 64-bit integers as two doubles whose sum they are."""
    if value.dtype == np.int64:
        upper = (value >> np.int64(32)).astype(np.float64)
    else:
        upper = (value >> _U64(32)).astype(np.float64)
    lower = (value.view(_U64) & _U64(0xFFFFFFFF)).astype(np.float64)
    return upper * 2.0**32, lower


def i2f(b: Build) -> Run:
    """I2F, I2FP: integer to float, half, bfloat16 or double."""
    names = b.modifiers("F16", "BF16", "F32", "F64", *_INTEGERS, *rounding.MODES, "RU")
    kind = next((n for n in names if n in _INTEGERS), "S32")
    mode = rounding.mode_of(names)
    get = _integer(b, b.operand(1), kind)
    wide = _INTEGERS[kind][0] == 64
    if "F64" in names:
        put64 = b.put64(b.operand(0))

        def double(g: Group, m: Any) -> None:
            value = get(g)
            if not wide or mode == "RN":
                put64(g, m, value.astype(np.float64))
                return
            upper, lower = _words_of(value)
            total = upper + lower
            put64(g, m, rounding.directed64(total, lower - (total - upper), mode))

        return double

    def exact(g: Group) -> Array:
        # Rounded to odd where 53 bits are too few, so that rounding once more is right.
        value = get(g)
        return rounding.odd_sum(*_words_of(value)) if wide else value.astype(np.float64)

    if "F16" in names or "BF16" in names:
        put_word, bfloat = b.put(b.operand(0)), "BF16" in names
        return lambda g, m: put_word(g, m, rounding.to_half(exact(g), bfloat, mode))
    put = b.put_float(b.operand(0))
    return lambda g, m: put(g, m, rounding.narrow(exact(g), mode))


def half_source(b: Build, op: Operand, bfloat: bool = False) -> Getter:
    """Return the getter of a half or bfloat16 as float64: the lower one of a word, or with .H1 the upper one."""
    shift = _U32(16 if any(s.startswith("H1") for s in op.suffixes) else 0)
    get = b.raw(replace(op, suffixes=(), negative=False, absolute=False), "half")
    negative, absolute = op.negative, op.absolute

    def read(g: Group) -> Array:
        bits = (get(g) >> shift) & _U32(0xFFFF)
        found = rounding.from_half(bits, bfloat)
        found = np.abs(found) if absolute else found
        return np.negative(found) if negative else found

    return read


def _float_source(b: Build, op: Operand, kind: str, ftz: bool) -> Getter:
    if kind == "F64":
        return b.f64(op)
    if kind in ("F16", "BF16"):
        return half_source(b, op, kind == "BF16")
    return b.f32(op, ftz)


def f2i(b: Build) -> Run:
    """F2I: float to integer; rounds to nearest unless it says otherwise, clamps to the range.

    NaN becomes 0, but the largest power of two of 32 or 64 bits if the source is a double or the result has 64 bits
    (PTX ISA, cvt).
    """
    names = b.modifiers("FTZ", "TRUNC", "FLOOR", "CEIL", "NTZ", "F16", "BF16", "F32", "F64", *_INTEGERS)
    source = next((n for n in names if n in ("F16", "BF16", "F64")), "F32")
    kind = next((n for n in names if n in _INTEGERS), "S32")
    how = next((n for n in names if n in ("TRUNC", "FLOOR", "CEIL")), "RINT")
    width, signed = _INTEGERS[kind]
    x = _float_source(b, b.operand(1), source, "FTZ" in names)
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if width == 64:
        put64 = b.put64(b.operand(0))
        number: Any = np.int64 if signed else np.uint64

        def run64(g: Group, m: Any) -> None:
            found = x(g)
            out = rounding.to_integer(found, how, low, high, number).view(_U64)
            put64(g, m, np.where(np.isnan(found), _U64(1 << 63), out))

        return run64
    put, nan = b.put(b.operand(0)), _U32(1 << 31 if source == "F64" else 0)

    def run(g: Group, m: Any) -> None:
        found = x(g)
        put(g, m, np.where(np.isnan(found), nan, rounding.to_integer(found, how, low, high, np.int64).astype(_U32)))

    return run


def frnd(b: Build) -> Run:
    """FRND: round to a whole number."""
    names = b.modifiers("FTZ", "TRUNC", "FLOOR", "CEIL", "F16", "BF16", "F32", "F64")
    how = next((n for n in names if n in ("TRUNC", "FLOOR", "CEIL")), "RINT")
    kind = next((n for n in names if n in ("F16", "BF16", "F64")), "F32")
    function: Any = {"TRUNC": np.trunc, "FLOOR": np.floor, "CEIL": np.ceil, "RINT": np.rint}[how]
    x = _float_source(b, b.operand(1), kind, "FTZ" in names)
    if kind == "F64":
        put64 = b.put64(b.operand(0))
        return lambda g, m: put64(g, m, function(x(g)))
    if kind in ("F16", "BF16"):
        put_word = b.put(b.operand(0))
        return lambda g, m: put_word(g, m, rounding.to_half(function(x(g)), kind == "BF16"))
    put = b.put_float(b.operand(0))
    return lambda g, m: put(g, m, function(x(g)))


def f2f(b: Build) -> Run:
    """F2F: between half, bfloat16, float and double. The first type is the destination's."""
    names = b.modifiers("FTZ", "F16", "BF16", "F32", "F64", *rounding.MODES)
    kinds = [n for n in names if n in ("F16", "BF16", "F32", "F64")]
    if len(kinds) != 2:
        raise b.refuse()
    to, source = kinds
    mode, ftz = rounding.mode_of(names), "FTZ" in names
    x = _float_source(b, b.operand(1), source, ftz)
    if to == "F64":
        put64 = b.put64(b.operand(0))
        return lambda g, m: put64(g, m, x(g).astype(np.float64))
    if to in ("F16", "BF16"):
        put_word = b.put(b.operand(0))
        return lambda g, m: put_word(g, m, rounding.to_half(x(g).astype(np.float64), to == "BF16", mode))
    put = b.put_float(b.operand(0))

    def run(g: Group, m: Any) -> None:
        found = rounding.narrow(x(g).astype(np.float64), mode)
        put(g, m, flush(found) if ftz else found)

    return run


def f2fp(b: Build) -> Run:
    """F2FP: pack two floats into halves, bfloat16 or 8-bit floats; the first source is the upper one.

    UNPACK_B: two 8-bit floats to halves, or back; TF32: one float, rounded or cut (RZ) to 10 bits of fraction.
    """
    names = b.modifiers(
        *("F16", "BF16", "F32", "TF32", "E4M3", "E5M2", "SATFINITE", "RELU", "PACK_AB", "PACK_B", "RN", "RZ"),
        *("UNPACK_B", "MERGE_C", "PACK_AB_MERGE_C", "UNPACK_B_MERGE_C"),
    )
    small = next((n for n in names if n in ("E4M3", "E5M2")), "")
    merged, relu, put = b.ins.operands[-1], "RELU" in names, b.put(b.operand(0))
    if any(n.endswith("MERGE_C") for n in names) and (merged.kind != "R" or merged.index >= 0):
        raise b.refuse("a result that is merged")

    def positive(value: Array) -> Array:
        return np.where(value < 0, value.dtype.type(0), value) if relu else value

    if "TF32" in names:
        x = b.f32(b.operand(1))

        def tensor(g: Group, m: Any) -> None:
            bits = positive(x(g)).view(_U32)
            up = bits if "RZ" in names else bits + _U32(0xFFF) + ((bits >> _U32(13)) & _U32(1))
            put(g, m, np.where(np.isnan(bits.view(_F32)), _U32(0x7FFFFFFF), up & _U32(0xFFFFE000)))

        return tensor
    if small and names[0] == "F16":
        op = b.operand(1)
        word, shift = b.raw(replace(op, suffixes=())), _U32(16 if "H1" in "".join(op.suffixes) else 0)

        def unpacked(g: Group, m: Any) -> None:
            bits = word(g) >> shift
            low, high = (rounding.from_small(bits >> _U32(8 * i), small).astype(np.float16) for i in (0, 1))
            put(g, m, low.view(np.uint16).astype(_U32) | (high.view(np.uint16).astype(_U32) << _U32(16)))

        return unpacked
    if small and "F16" in names:
        halves = [half_source(b, replace(b.operand(1), suffixes=(s,))) for s in ("H0_H0", "H1_H1")]
        get = halves[::-1]
    else:
        get = [b.f32(b.operand(i)) for i in (1, 2)]
    if small:
        return lambda g, m: put(
            g,
            m,
            (rounding.to_small(positive(get[0](g)), small) << _U32(8)) | rounding.to_small(positive(get[1](g)), small),
        )
    bfloat, mode = "BF16" in names, rounding.mode_of(names)

    def run(g: Group, m: Any) -> None:
        high, low = (rounding.to_half(positive(one(g)).astype(np.float64), bfloat, mode) for one in get)
        put(g, m, (high << _U32(16)) | low)

    return run


HANDLERS: dict[str, Callable[[Build], Run]] = {
    **dict.fromkeys(("I2F", "I2FP"), i2f),
    "F2I": f2i,
    "FRND": frnd,
    "F2F": f2f,
    "F2FP": f2fp,
}
