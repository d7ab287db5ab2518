"""Matrix instructions of a warp: HMMA (halves, bfloat16, TF32), IMMA (bytes) and DMMA (doubles).

HMMA's sums are made in double precision and rounded once to the result's type; the hardware truncates inside its adder
tree, so results may differ in the last bits. IMMA is exact. DMMA adds its four products one after the other with fused
multiply-adds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.emulator import rounding
from advisor.emulator.build import Build, Getter, Run
from advisor.emulator.program import Operand
from advisor.emulator.state import LANES, Array, Group

_U32 = np.uint32
_LANE = np.arange(LANES)
_ROW, _QUAD = _LANE >> 2, _LANE & 3


def _words(b: Build, op: Operand, count: int) -> Callable[[Group], list[Array]]:
    gets: list[Getter] = [b.raw(op, after=i) for i in range(count)]
    return lambda g: [np.ascontiguousarray(np.broadcast_to(get(g), (g.count, LANES))) for get in gets]


def _halves(word: Array, bfloat: bool) -> tuple[Array, Array]:
    return rounding.from_half(word & _U32(0xFFFF), bfloat), rounding.from_half(word >> _U32(16), bfloat)


def _whole(b: Build, m: Any) -> None:
    if m is not None:
        raise b.refuse("executed by a part of a warp")


def hmma(b: Build) -> Run:
    """HMMA.16816 and HMMA.1688: a 16 by 8 result of halves or bfloat16; HMMA.1684 and 1688 of TF32."""
    names = b.modifiers("16816", "1688", "1684", "F32", "F16", "BF16", "TF32")
    shape = names[0]
    tf32, bfloat, wide = "TF32" in names, "BF16" in names, "F32" in names
    if (shape == "1684" and not tf32) or (shape == "16816" and tf32):
        raise b.refuse()
    depth = {"16816": 16, "1688": 8, "1684": 4}[shape]
    per_word = 1 if tf32 else 2
    tiles = depth // (4 * per_word)  # words along k of a row of A
    left, right = _words(b, b.operand(1), 2 * tiles), _words(b, b.operand(2), tiles)
    added = _words(b, b.operand(3), 4 if wide else 2)
    puts = [b.put(b.operand(0), i) for i in range(4 if wide else 2)]

    def matrix(words: list[Array], rows: int, k_of: Callable[[int], tuple[int, int]]) -> Array:
        out = np.zeros((len(words[0]), rows, depth))
        for i, word in enumerate(words):
            row, start = k_of(i)
            if tf32:
                out[:, _ROW + row, _QUAD + start] = (word & _U32(0xFFFFE000)).view(np.float32)
            else:
                low, high = _halves(word, bfloat)
                out[:, _ROW + row, 2 * _QUAD + start] = low
                out[:, _ROW + row, 2 * _QUAD + 1 + start] = high
        return out

    step = 4 * per_word

    def run(g: Group, m: Any) -> None:
        _whole(b, m)
        a = matrix(left(g), 16, lambda i: (8 * (i % 2), step * (i // 2)))
        t = matrix(right(g), 8, lambda i: (0, step * i))
        found = np.matmul(a, t.transpose(0, 2, 1))
        c = added(g)
        for half in (0, 1):
            sums = [found[:, _ROW + 8 * half, 2 * _QUAD + i] for i in (0, 1)]
            if wide:
                for i in (0, 1):
                    total = sums[i] + c[2 * half + i].view(np.float32)
                    puts[2 * half + i](g, m, total.astype(np.float32).view(_U32))
            else:
                low, high = _halves(c[half], False)
                words = [rounding.to_half(s + x) for s, x in zip(sums, (low, high), strict=True)]
                puts[half](g, m, words[0] | (words[1] << _U32(16)))

    return run


def imma(b: Build) -> Run:
    """IMMA.16816 and IMMA.16832 of bytes: a 16 by 8 result of 32-bit integers."""
    names = b.modifiers("16816", "16832", "ROW", "COL", "S8", "U8", "SAT")
    kinds = [n for n in names if n in ("S8", "U8")]
    if len(kinds) != 2 or "SAT" in names:
        raise b.refuse()
    tiles = 1 if "16816" in names else 2
    left, right, added = _words(b, b.operand(1), 2 * tiles), _words(b, b.operand(2), tiles), _words(b, b.operand(3), 4)
    puts = [b.put(b.operand(0), i) for i in range(4)]

    def matrix(words: list[Array], rows: int, kind: str, k_of: Callable[[int], tuple[int, int]]) -> Array:
        out = np.zeros((len(words[0]), rows, 16 * tiles))
        for i, word in enumerate(words):
            row, start = k_of(i)
            parts = word.view(np.int8 if kind == "S8" else np.uint8).reshape(len(word), LANES, 4)
            for k in range(4):
                out[:, _ROW + row, 4 * _QUAD + k + start] = parts[:, :, k]
        return out

    def run(g: Group, m: Any) -> None:
        _whole(b, m)
        a = matrix(left(g), 16, kinds[0], lambda i: (8 * (i % 2), 16 * (i // 2)))
        t = matrix(right(g), 8, kinds[1], lambda i: (0, 16 * i))
        found = np.matmul(a, t.transpose(0, 2, 1)).astype(np.int64)
        c = added(g)
        for i in range(4):
            value = found[:, _ROW + 8 * (i // 2), 2 * _QUAD + i % 2]
            puts[i](g, m, (value + c[i]).astype(_U32))

    return run


def dmma(b: Build) -> Run:
    """DMMA.8x8x4: an 8 by 8 result of doubles."""
    if b.modifiers("8x8x4") != ("8x8x4",):
        raise b.refuse()
    left, right = b.f64(b.operand(1)), b.f64(b.operand(2))
    third = b.operand(3)
    after = Operand("R", third.index + 2 if third.index >= 0 else -1, negative=third.negative)
    added = [b.f64(third), b.f64(after)]
    out = b.operand(0)
    puts = [b.put64(out), b.put64(Operand("R", out.index + 2 if out.index >= 0 else -1))]

    def run(g: Group, m: Any) -> None:
        _whole(b, m)
        x, y = (np.broadcast_to(get(g), (g.count, LANES)) for get in (left, right))
        totals = [np.broadcast_to(get(g), (g.count, LANES)) for get in added]
        for k in range(4):
            row = x[:, 4 * _ROW + k]
            totals = [rounding.fma64(row, y[:, 4 * (2 * _QUAD + i) + k], totals[i]) for i in (0, 1)]
        for put, total in zip(puts, totals, strict=True):
            put(g, m, np.ascontiguousarray(total))

    return run


HANDLERS: dict[str, Callable[[Build], Run]] = {"HMMA": hmma, "IMMA": imma, "DMMA": dmma}
