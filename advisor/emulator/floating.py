"""Floating-point instructions of 32 and 64 bits, and special functions.

Special functions (MUFU) are computed in double precision and rounded once: they differ from the hardware's by at
most its own error, which NVIDIA gives as 1 ulp for RCP, 2 ulp for RSQ, SQRT, EX2 and LG2 (away from 1), and 2^-20.9
absolute for SIN and COS.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.emulator import rounding
from advisor.emulator.build import Build, Getter, Run, flush
from advisor.emulator.conversion import half_source
from advisor.emulator.integer import COMBINE, one_of
from advisor.emulator.state import Array, Group

_U32, _U64, _F32 = np.uint32, np.uint64, np.float32
_ROUNDING = ("RZ", "RM", "RP", "RN")


def _finish(b: Build, ftz: bool, saturate: bool) -> Callable[[Group, Any, Array], None]:
    put = b.put_float(b.operand(0))
    if not ftz and not saturate:
        return put

    def write(g: Group, m: Any, value: Array) -> None:
        if saturate:
            value = np.where(np.isnan(value), _F32(0), np.clip(value, _F32(0), _F32(1)))
        put(g, m, flush(value) if ftz else value)

    return write


def fadd(b: Build) -> Run:
    """FADD: a + b."""
    names = b.modifiers("FTZ", "SAT", *_ROUNDING)
    ftz, mode = "FTZ" in names, rounding.mode_of(names)
    x, y = b.f32(b.operand(1), ftz), b.f32(b.operand(2), ftz)
    put = _finish(b, ftz, "SAT" in names)
    return lambda g, m: put(g, m, rounding.add32(x(g), y(g), mode))


def fmul(b: Build) -> Run:
    """FMUL: a * b."""
    names = b.modifiers("FTZ", "SAT", *_ROUNDING)
    ftz, mode = "FTZ" in names, rounding.mode_of(names)
    x, y = b.f32(b.operand(1), ftz), b.f32(b.operand(2), ftz)
    put = _finish(b, ftz, "SAT" in names)
    return lambda g, m: put(g, m, rounding.mul32(x(g), y(g), mode))


def ffma(b: Build) -> Run:
    """FFMA: a * b + c with one rounding."""
    names = b.modifiers("FTZ", "SAT", *_ROUNDING)
    ftz, mode = "FTZ" in names, rounding.mode_of(names)
    x, y, z = (b.f32(b.operand(i), ftz) for i in (1, 2, 3))
    put = _finish(b, ftz, "SAT" in names)
    return lambda g, m: put(g, m, rounding.fma32(x(g), y(g), z(g), mode, ftz))


def fmnmx(b: Build) -> Run:
    """FMNMX: minimum where the predicate is true, else maximum; a NaN gives way to a number."""
    names = b.modifiers("FTZ", "NAN", "XORSIGN")
    ftz, keep = "FTZ" in names, "NAN" in names
    x, y, p = b.f32(b.operand(1), ftz), b.f32(b.operand(2), ftz), b.predicate(b.operand(3))
    put = b.put_float(b.operand(0))
    if "XORSIGN" in names:  # the smaller or larger size, with the product's sign
        left, right = (b.raw(b.operand(i), "float") for i in (1, 2))

        def signed(g: Group, m: Any) -> None:
            sign = (left(g) ^ right(g)) & _U32(0x80000000)
            put(g, m, (np.abs(minmax(x(g), y(g), p(g), keep)).view(_U32) | sign).view(_F32))

        return signed
    return lambda g, m: put(g, m, minmax(x(g), y(g), p(g), keep))


def minmax(x: Array, y: Array, least: Array, keep_nan: bool) -> Array:
    """Return the minimum where `least`, else the maximum; -0 is below +0."""
    if keep_nan:
        low, high = np.minimum(x, y), np.maximum(x, y)
    else:
        low, high = np.fmin(x, y), np.fmax(x, y)
    equal = (x == 0) & (y == 0)
    negative, positive = np.signbit(x) | np.signbit(y), ~(np.signbit(x) & np.signbit(y))
    low = np.where(equal, np.where(negative, x.dtype.type(-0.0), x.dtype.type(0)), low)
    high = np.where(equal, np.where(positive, x.dtype.type(0), x.dtype.type(-0.0)), high)
    return np.where(least, low, high)


ORDERED: dict[str, Callable[[Any, Any], Any]] = {
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
    "EQ": np.equal,
    "NE": lambda a, b: (a < b) | (a > b),
    "NUM": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    "NAN": lambda a, b: np.isnan(a) | np.isnan(b),
    "LTU": lambda a, b: ~(a >= b),
    "LEU": lambda a, b: ~(a > b),
    "GTU": lambda a, b: ~(a <= b),
    "GEU": lambda a, b: ~(a < b),
    "EQU": lambda a, b: ~((a < b) | (a > b)),
    "NEU": np.not_equal,
}


def _setp(b: Build, x: Getter, y: Getter) -> Run:
    names = b.modifiers(*ORDERED, *COMBINE, "FTZ", "MIN", "MAX")
    combine = one_of(b, names, COMBINE)
    compare = next((ORDERED[n] for n in names if n in ORDERED), None)
    if compare is None:
        least, most = "MIN" in names, "MAX" in names
        if not least and not most:
            raise b.refuse()
        return _choose(b, x, y, np.less if least else np.greater)
    puts = b.put_predicate(b.operand(0)), b.put_predicate(b.operand(1))
    p = b.predicate(b.operand(4))

    def run(g: Group, m: Any) -> None:
        found, also = compare(x(g), y(g)), p(g)
        both = combine(found, also), combine(~found, also)
        puts[0](g, m, both[0])
        puts[1](g, m, both[1])

    return run


def _choose(b: Build, x: Getter, y: Getter, better: Callable[[Any, Any], Any]) -> Run:
    """DSETP.MIN P0, P1, a, b: P0 says whether a is to be taken, P1 whether both are NaN."""
    puts = b.put_predicate(b.operand(0)), b.put_predicate(b.operand(1))
    p = b.predicate(b.operand(4))

    def run(g: Group, m: Any) -> None:
        left, right = x(g), y(g)
        also = p(g)
        both = (better(left, right) | np.isnan(right)) & also, np.isnan(left) & np.isnan(right) & also
        puts[0](g, m, both[0])
        puts[1](g, m, both[1])

    return run


def fsetp(b: Build) -> Run:
    """FSETP: compare floats and combine with a predicate."""
    ftz = "FTZ" in b.ins.modifiers
    return _setp(b, b.f32(b.operand(2), ftz), b.f32(b.operand(3), ftz))


def dsetp(b: Build) -> Run:
    """DSETP: compare doubles and combine with a predicate."""
    return _setp(b, b.f64(b.operand(2)), b.f64(b.operand(3)))


def fset(b: Build) -> Run:
    """FSET.BF: 1.0 where a comparison holds."""
    names = b.modifiers(*ORDERED, *COMBINE, "FTZ", "BF")
    compare, combine = one_of(b, names, ORDERED), one_of(b, names, COMBINE)
    ftz = "FTZ" in names
    x, y, p, put = b.f32(b.operand(1), ftz), b.f32(b.operand(2), ftz), b.predicate(b.operand(3)), b.put(b.operand(0))
    one = _U32(0x3F800000 if "BF" in names else 0xFFFFFFFF)
    return lambda g, m: put(g, m, np.where(combine(compare(x(g), y(g)), p(g)), one, _U32(0)))


def fchk(b: Build) -> Run:
    """FCHK: whether a / b needs the slow path: an operand is special, or the exponents are near their limits."""
    b.modifiers("DIVIDE")
    x, y, put = b.f32(b.operand(1)), b.f32(b.operand(2)), b.put_predicate(b.operand(0))

    def run(g: Group, m: Any) -> None:
        left = ((x(g).view(_U32) >> _U32(23)) & _U32(0xFF)).astype(np.int32)
        right = ((y(g).view(_U32) >> _U32(23)) & _U32(0xFF)).astype(np.int32)
        special = (left == 255) | (right == 255) | (right == 0) | (right >= 253)
        distance = left - right
        put(g, m, special | (left < 24) | (distance < -125) | (distance > 125))

    return run


def mufu(b: Build) -> Run:
    """MUFU: reciprocal, roots, powers, logarithms, sine and cosine."""
    names = b.modifiers("RCP", "RSQ", "SQRT", "EX2", "LG2", "SIN", "COS", "TANH", "RCP64H", "RSQ64H", "FTZ", "F16")
    name = next(n for n in names if n not in ("FTZ", "F16"))
    if "F16" in names:
        return _mufu_half(b, name)
    if name in ("RCP64H", "RSQ64H"):
        get, put_word = b.raw(b.operand(1)), b.put(b.operand(0))
        negative, absolute = b.operand(1).negative, b.operand(1).absolute

        def high(g: Group, m: Any) -> None:
            value = (get(g).astype(_U64) << _U64(32)).view(np.float64)
            value = np.abs(value) if absolute else value
            value = -value if negative else value
            found = 1.0 / value if name == "RCP64H" else 1.0 / np.sqrt(value)
            put_word(g, m, (np.asarray(found).view(_U64) >> _U64(32)).astype(_U32))

        return high
    x, put = b.f32(b.operand(1)), b.put_float(b.operand(0))
    function = _FUNCTIONS[name]

    def run(g: Group, m: Any) -> None:
        put(g, m, flush(function(flush(x(g)).astype(np.float64)).astype(_F32)) if name != "RCP" else _rcp(x(g)))

    return run


def _mufu_half(b: Build, name: str) -> Run:
    """MUFU.F16: on the lower half, or with .H1 the upper one; the result is in the lower half."""
    op = b.operand(1)
    if name not in _FUNCTIONS or set(op.suffixes) - {"H0_H0", "H1_H1", "H0", "H1"}:
        raise b.refuse()
    x, put, function = half_source(b, op), b.put(b.operand(0)), _FUNCTIONS[name]
    return lambda g, m: put(g, m, rounding.to_half(np.asarray(function(x(g)))))


def _rcp(value: Array) -> Array:
    return (1.0 / flush(value).astype(np.float64)).astype(_F32)


_FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "RCP": lambda x: 1.0 / x,
    "RSQ": lambda x: 1.0 / np.sqrt(x),
    "SQRT": np.sqrt,
    "EX2": np.exp2,
    "LG2": np.log2,
    "SIN": lambda x: np.sin(2 * np.pi * (x - np.rint(x))),
    "COS": lambda x: np.cos(2 * np.pi * (x - np.rint(x))),
    "TANH": np.tanh,
}


def dadd(b: Build) -> Run:
    """DADD: a + b."""
    mode = rounding.mode_of(b.modifiers(*_ROUNDING))
    x, y, put = b.f64(b.operand(1)), b.f64(b.operand(-1 % len(b.ins.operands))), b.put64(b.operand(0))

    def run(g: Group, m: Any) -> None:
        left, right = np.broadcast_arrays(x(g), y(g))
        total = left + right
        if mode != "RN":
            part = total - left
            total = rounding.directed64(total, (left - (total - part)) + (right - part), mode)
        put(g, m, total)

    return run


def dmul(b: Build) -> Run:
    """DMUL: a * b."""
    mode = rounding.mode_of(b.modifiers(*_ROUNDING))
    x, y, put = b.f64(b.operand(1)), b.f64(b.operand(2)), b.put64(b.operand(0))

    def run(g: Group, m: Any) -> None:
        left, right = np.broadcast_arrays(x(g), y(g))
        if mode == "RN":
            put(g, m, left * right)
        else:
            product, error = rounding.two_product(left, right)
            put(g, m, rounding.directed64(product, np.where(np.isfinite(error), error, 0.0), mode))

    return run


def dfma(b: Build) -> Run:
    """DFMA: a * b + c with one rounding."""
    mode = rounding.mode_of(b.modifiers(*_ROUNDING))
    x, y, z = (b.f64(b.operand(i)) for i in (1, 2, 3))
    put = b.put64(b.operand(0))

    def run(g: Group, m: Any) -> None:
        left, right, added = x(g), y(g), z(g)
        found = rounding.fma64(left, right, added)
        if mode != "RN":
            # The sign of the error of the rounded result decides; it is exact in twice the precision.
            high, low = rounding.two_product(*np.broadcast_arrays(left, right))
            error = (high - found) + added + low
            found = rounding.directed64(found, error, mode)
        put(g, m, found)

    return run


def dmnmx(b: Build) -> Run:
    """DMNMX: minimum or maximum of doubles."""
    b.modifiers("NAN")
    x, y, p, put = b.f64(b.operand(1)), b.f64(b.operand(2)), b.predicate(b.operand(3)), b.put64(b.operand(0))
    return lambda g, m: put(g, m, minmax(x(g), y(g), p(g), False))


HANDLERS: dict[str, Callable[[Build], Run]] = {
    **dict.fromkeys(("FADD", "FADD32I"), fadd),
    **dict.fromkeys(("FMUL", "FMUL32I"), fmul),
    **dict.fromkeys(("FFMA", "FFMA32I"), ffma),
    "FMNMX": fmnmx,
    "FSETP": fsetp,
    "DSETP": dsetp,
    "FSET": fset,
    "FCHK": fchk,
    "MUFU": mufu,
    "DADD": dadd,
    "DMUL": dmul,
    "DFMA": dfma,
    "DMNMX": dmnmx,
}
