"""The sum of the squares of a signal."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

TILE = 2048  # floats
CHUNK = 1 << 24
ZEROED = ("total",)
TOLERANCES = {
    "total": Tolerance(
        1e-4,
        0.0,
        "a thread adds some hundred squares, and about 3000 warps add their sums to one total: each of these rounds by "
        "2^-24 of the total, 2e-4 in the worst and 3e-6 in a random order",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """tiles: of 2048 floats."""
    return {"tiles": min(1 << 15, int(0.20 * card.memory) // 4 // TILE)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=4.0 * TILE * n["tiles"], flop=2.0 * TILE * n["tiles"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"x": rng.random(n["tiles"] * TILE, dtype=xp.float32) - xp.float32(0.5)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"total": xp.zeros(1, xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    x, total = data["x"], xp.zeros(1, xp.float64)
    for start in range(0, x.size, CHUNK):
        total += xp.square(x[start : start + CHUNK].astype(xp.float64)).sum()
    return {"total": total}
