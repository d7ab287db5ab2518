"""Arithmetic with the rounding of the hardware: fused multiply-add, directed rounding, conversions to integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.emulator.state import Array

_HALFWAY, _TAIL = np.uint64(0x10000000), np.uint64(0x1FFFFFFF)
_NORMAL32 = 2.0**-126
MODES = ("RN", "RZ", "RM", "RP")


def mode_of(modifiers: tuple[str, ...]) -> str:
    """Return the rounding mode among modifiers: RN, RZ (to zero), RM (down) or RP (up)."""
    return next((m for m in modifiers if m in MODES), "RN")


def odd_sum(a: Array, b: Array) -> Array:
    """Return the float64 sum a + b, rounded to odd: rounding it again to 51 bits or fewer is exact."""
    total = a + b
    part = total - a
    error = (a - (total - part)) + (b - part)
    bits = np.ascontiguousarray(total).view(np.int64)
    # Towards the error: one unit of the last place if the result is inexact and its last bit is 0.
    step = np.where((error > 0) == (total > 0), 1, -1)
    inexact = (error != 0) & np.isfinite(total) & np.isfinite(error) & (bits & 1 == 0) & (total != 0)
    # An even result that lies beyond the exact sum is replaced by its odd neighbour before it.
    return np.where(inexact, bits + step, bits).view(np.float64)


def narrow(value: Array, mode: str, kind: Any = np.float32) -> Array:
    """Return float64 values as float32 or float16 in a rounding mode."""
    found = value.astype(kind)
    if mode == "RN":
        return found
    wide = found.astype(np.float64)
    if mode == "RZ":
        wrong, towards = np.abs(wide) > np.abs(value), kind(0)
    elif mode == "RM":
        wrong, towards = wide > value, kind(-np.inf)
    else:
        wrong, towards = wide < value, kind(np.inf)
    return np.where(wrong & np.isfinite(value), np.nextafter(found, towards), found).astype(kind)


def to_odd32(value: Array) -> Array:
    """Return doubles as float32 rounded to odd, so that a second rounding to 16 bits is right."""
    found = value.astype(np.float32)
    wide = found.astype(np.float64)
    inexact = (wide != value) & np.isfinite(found)
    even = found.view(np.uint32) & np.uint32(1) == 0
    towards = np.where(value > wide, np.float32(np.inf), np.float32(-np.inf))
    return np.where(inexact & even, np.nextafter(found, towards), found).astype(np.float32)


def to_bfloat(value: Array, mode: str = "RN") -> Array:
    """Return float32 values as the bits of bfloat16 in uint32."""
    bits = value.view(np.uint32)
    low, upper = bits & np.uint32(0xFFFF), bits >> np.uint32(16)
    if mode == "RN":
        up = low + (upper & np.uint32(1)) > np.uint32(0x8000)
    elif mode == "RZ":
        up = np.zeros(bits.shape, bool)
    else:
        up = (low != 0) & (np.signbit(value) == (mode == "RM")) & np.isfinite(value)
    return np.where(np.isnan(value), np.uint32(0x7FFF), upper + up)


def from_bfloat(bits: Array) -> Array:
    """Return the float32 values of bfloat16 in the lower half of uint32."""
    return np.asarray((bits << np.uint32(16)).view(np.float32))


def to_half(value: Array, bfloat: bool = False, mode: str = "RN") -> Array:
    """Return float64 values, rounded once, as the bits of halves or bfloat16 in uint32."""
    if bfloat:
        return to_bfloat(to_odd32(value), mode)
    return np.asarray(narrow(value, mode, np.float16).view(np.uint16).astype(np.uint32))


def from_half(bits: Array, bfloat: bool = False) -> Array:
    """Return the float64 values of halves or bfloat16 in uint32, whose upper halves are 0."""
    found = from_bfloat(bits) if bfloat else bits.astype(np.uint16).view(np.float16)
    return np.asarray(found.astype(np.float64))


def _small_table(fraction: int, bias: int, largest: int, *beyond: float) -> Array:
    """Return the values of the codes 0 to 127 of a number of 8 bits. beyond: of those over `largest`."""
    codes = np.arange(largest + 1)
    exponent, part = codes >> fraction, (codes & ((1 << fraction) - 1)) / (1 << fraction)
    normal = np.ldexp(1.0 + part, exponent - bias)
    return np.append(np.where(exponent == 0, np.ldexp(part, 1 - bias), normal), beyond)


_SMALL = {
    "E4M3": _small_table(3, 7, 0x7E, np.nan),
    "E5M2": _small_table(2, 15, 0x7B, np.inf, np.nan, np.nan, np.nan),
}
_SMALL_NAN = 0x7F


def to_small(value: Array, kind: str) -> Array:
    """Return values as the bits of 8-bit floats E4M3 or E5M2 in uint32: to nearest even, clamped to the largest."""
    table = _SMALL[kind][np.isfinite(_SMALL[kind])]
    size = np.abs(value.astype(np.float64))
    at = np.minimum(np.searchsorted(table, size, side="right") - 1, len(table) - 2)
    at = np.where(np.isnan(size), 0, at)
    low, high = table[at], table[at + 1]
    middle = (low + high) / 2
    code = at + ((size > middle) | ((size == middle) & (at & 1 == 1)))
    code = np.where(np.isnan(size), _SMALL_NAN, code) | (np.signbit(value) & ~np.isnan(value)) * 0x80
    return np.asarray(code.astype(np.uint32))


def from_small(bits: Array, kind: str) -> Array:
    """Return the float64 values of 8-bit floats E4M3 or E5M2."""
    found = _SMALL[kind][bits & np.uint32(0x7F)]
    return np.asarray(np.where(bits & np.uint32(0x80) != 0, -found, found))


def fma32(a: Array, b: Array, c: Array, mode: str = "RN", ftz: bool = False) -> Array:
    """Return a * b + c of float32 values with one rounding."""
    product = a.astype(np.float64) * b
    total = product + c
    if mode == "RN":
        tail = np.ascontiguousarray(total).view(np.uint64) & _TAIL
        doubtful = tail == _HALFWAY
        if not ftz:
            doubtful = doubtful | ((np.abs(total) < _NORMAL32) & (total != 0))
        if not doubtful.any():
            return np.asarray(total.astype(np.float32))
    addend = np.broadcast_to(np.asarray(c, np.float64), total.shape)
    return narrow(odd_sum(np.broadcast_to(product, total.shape), addend), mode)


def add32(a: Array, b: Array, mode: str = "RN") -> Array:
    """Return a + b of float32 values."""
    if mode == "RN":
        return np.asarray(a + b)
    x, y = np.broadcast_arrays(a.astype(np.float64), b.astype(np.float64))
    return narrow(odd_sum(x, y), mode)


def mul32(a: Array, b: Array, mode: str = "RN") -> Array:
    """Return a * b of float32 values."""
    if mode == "RN":
        return np.asarray(a * b)
    return narrow(a.astype(np.float64) * b, mode)


_SPLIT = 134217729.0  # 2^27 + 1


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """Return the rounded product of doubles and its error (Dekker); exact unless something over- or underflows."""
    product = a * b
    t = _SPLIT * a
    ah = t - (t - a)
    al = a - ah
    t = _SPLIT * b
    bh = t - (t - b)
    bl = b - bh
    return product, ((ah * bh - product) + ah * bl + al * bh) + al * bl


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def fma64(a: Array, b: Array, c: Array) -> Array:
    """Return a * b + c of doubles with one rounding (Boldo and Melquiond 2008); results that overflow are plain."""
    a, b, c = np.broadcast_arrays(a, b, c)
    plain = a * b + c
    # Scale a and b so that the splitting neither over- nor underflows; where that is not enough, the sum is plain.
    ma, ea = np.frexp(a)
    mb, eb = np.frexp(b)
    power = ea + eb
    mc = np.ldexp(c, -power)
    usable = np.isfinite(a) & np.isfinite(b) & np.isfinite(c) & (a != 0) & (b != 0)
    usable &= (np.abs(mc) < 2.0**900) & ((np.abs(mc) > 2.0**-900) | (c == 0)) & (power < 1020) & (power > -960)
    high, low = two_product(ma, mb)
    t, e = _two_sum(mc, low)
    v, w = _two_sum(high, t)
    exact = np.ldexp(v + odd_sum(e, w), power)
    return np.where(usable & np.isfinite(exact), exact, plain)


def directed64(result: Array, error: Array, mode: str) -> Array:
    """Return a float64 result moved by one unit if the sign of its error asks for it in a directed mode."""
    if mode == "RZ":
        move = np.where(result > 0, error < 0, error > 0)
        return np.where(move, np.nextafter(result, 0.0), result)
    if mode == "RM":
        return np.where(error < 0, np.nextafter(result, -np.inf), result)
    if mode == "RP":
        return np.where(error > 0, np.nextafter(result, np.inf), result)
    return result


def to_integer(value: Array, rounding: str, low: int, high: int, kind: Any) -> Array:
    """Return floats as integers of a type, clamped to [low, high]; NaN gives 0."""
    wide = value.astype(np.float64)
    if rounding == "TRUNC":
        whole = np.trunc(wide)
    elif rounding == "FLOOR":
        whole = np.floor(wide)
    elif rounding == "CEIL":
        whole = np.ceil(wide)
    else:
        whole = np.rint(wide)
    under, over = whole <= float(low), whole >= float(high)
    safe = np.where(under | over | np.isnan(whole), 0.0, whole)
    out = safe.astype(kind)
    out = np.where(under, kind(low), out)
    out = np.where(over, kind(high), out)
    return np.asarray(np.where(np.isnan(whole), kind(0), out))
