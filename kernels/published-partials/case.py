"""y = x / (1 + |x|) and the sum of y, in one pass."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

CHUNK = 1 << 24
ZEROED = ("done",)
TOLERANCES = {
    "y": Tolerance(1e-6, 1e-7, "one addition and a fast division, which is good to 2 units in the last place"),
    "total": Tolerance(
        1e-4,
        0.0,
        "a thread adds some hundred values, and a thousand partial sums follow: 1e-6 at random, 4e-5 at worst",
    ),
}


def sizes(card: Card) -> dict[str, int]:
    """n: samples of 4 bytes, a multiple of 4096."""
    return {"n": min(1 << 25, int(0.20 * card.memory) // 8 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * n["n"], flop=3.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"x": 4 * rng.random(n["n"], dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"y": xp.empty(n["n"], xp.float32), "total": xp.empty(1, xp.float32)}


def scratch(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"partial": xp.empty(1 << 14, xp.float32), "done": xp.zeros(1, xp.uint32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    y, total = xp.empty(n["n"], xp.float32), xp.zeros(1, xp.float64)
    for start in range(0, n["n"], CHUNK):
        x = data["x"][start : start + CHUNK].astype(xp.float64)
        soft = x / (1 + xp.abs(x))
        y[start : start + CHUNK] = soft
        total += soft.sum()
    return {"y": y, "total": total}
