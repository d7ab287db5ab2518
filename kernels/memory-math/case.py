"""exp(A) of many 4x4 matrices A, stored one after the other: transition probabilities of the branches of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

THREADS = 256
ORDER = 16
TOLERANCES = {
    "out": Tolerance(
        1e-5,
        1e-6,
        "matrices of norm under 3: the series ends after 16 terms, where the next is under 3^17 / 17! = 3.6e-7; each "
        "of 64 multiply-adds rounds at 2^-24 of values under 3, sqrt(64) * 2e-7 at most; results are in [0, 1]",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """tiles of 256 matrices: 128 per SM. On an H200 input and output take 277 MB each."""
    return {"tiles": 128 * card.sms}


def scalars(n: dict[str, int]) -> dict[str, Any]:
    """A sum that no generated matrix has: all their entries are positive."""
    return {"never": np.float32(-1.0)}


def work(n: dict[str, int]) -> Work:
    """64 bytes in and 64 out per matrix; 15 products of 64 multiply-adds and 16 times 16 more."""
    matrices = float(THREADS * n["tiles"])
    return Work(bytes=128 * matrices, flop=2 * (15 * 64 + 16 * 16) * matrices)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """Rate matrices times a branch length: rows sum to zero, off the diagonal in [0, 1/2)."""
    a = rng.random((THREADS * n["tiles"], 16), dtype=xp.float32) * xp.float32(0.5)
    a[:, ::5] = 0
    for row in range(4):
        a[:, 5 * row] = -a[:, 4 * row : 4 * row + 4].sum(axis=1)
    return {"in": a}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """One matrix per input."""
    return {"out": xp.empty((THREADS * n["tiles"], 16), xp.float32)}


def _part(a: Any) -> Any:
    """Every 31st matrix: not a multiple of the tile, so that every position in a tile is covered."""
    return a[::31]


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The series to 32 terms, in double precision."""
    a = _part(data["in"]).astype(xp.float64).reshape(-1, 4, 4)
    one = xp.eye(4, dtype=xp.float64)
    e = one + a / 32
    for k in range(31, 0, -1):
        e = one + xp.matmul(a, e) / k
    return {"out": e.reshape(-1, 16)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Every 31st matrix: all of them would take several GB in double precision."""
    return {"out": _part(out["out"])}
