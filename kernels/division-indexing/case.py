"""A permutation of the axes of a six-dimensional array: (a, b, c, d, e, f) becomes (a, c, b, e, d, f)."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

ORDER = (0, 2, 1, 4, 3, 5)
TOLERANCES = {"out": Tolerance(relative=0.0, absolute=0.0, why="values are moved, not computed")}


def sizes(card: Card) -> dict[str, int]:
    inner = {"b": 20, "c": 24, "d": 6, "e": 10, "f": 96}
    slab = int(np.prod(list(inner.values())))
    a = max(2, min(24, card.memory // 24 // slab))
    return {"a": a, **inner, "n": a * slab}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * n["n"], flop=0.0)


def _shape(n: dict[str, int]) -> tuple[int, ...]:
    return tuple(n[axis] for axis in "abcdef")


def _magic(divisor: int) -> tuple[int, int]:
    """m and s with x / divisor = (x * m >> 32) >> s for all 0 <= x < 2^31; a divisor of 1 does not occur."""
    s = (divisor - 1).bit_length() - 1
    return (2 ** (32 + s) + divisor - 1) // divisor, s


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    shape = _shape(n)
    strides = [int(np.prod(shape[axis + 1 :])) for axis in range(6)]
    extent = [shape[axis] for axis in ORDER]
    pairs = [_magic(x) for x in extent]
    return {
        "in": rng.random(n["n"], dtype=xp.float32),
        "extent": xp.asarray(extent, dtype=xp.int32),
        "stride": xp.asarray([strides[axis] for axis in ORDER], dtype=xp.int32),
        "magic": xp.asarray([m for m, _ in pairs], dtype=xp.uint32),
        "shift": xp.asarray([s for _, s in pairs], dtype=xp.uint32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"out": xp.empty(n["n"], xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"out": xp.ascontiguousarray(data["in"].reshape(_shape(n)).transpose(ORDER)).ravel()}


def answers(step: str, n: dict[str, int]) -> dict[str, str]:
    return {"integer_work": "no"}
