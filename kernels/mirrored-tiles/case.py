"""Each sample v of a tile with the sample w opposite to it: v -> v (w - v / 2) + 1/4, 20 times; the sum of all v."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

TILE, STEPS = 16384, 20  # floats
ZEROED = ("total",)
TOLERANCES = {
    "total": Tolerance(
        1e-4,
        0.0,
        "the iteration contracts and rounds by 2^-24; a thread adds some hundred results and about 4000 warps add "
        "theirs to one total, 2e-4 in the worst and 4e-6 in a random order",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """tiles: of 64 KB, between 4 and 32 for each SM."""
    return {"tiles": min(32 * card.sms, int(0.20 * card.memory) // 4 // TILE)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=4.0 * TILE * n["tiles"], flop=4.0 * STEPS * TILE * n["tiles"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"x": rng.random(n["tiles"] * TILE, dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"total": xp.zeros(1, xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    total = xp.zeros(1, xp.float64)
    rows = data["x"].reshape(n["tiles"], TILE)
    for start in range(0, n["tiles"], 512):
        v = rows[start : start + 512].astype(xp.float64)
        w = v[:, ::-1]
        for _ in range(STEPS):
            v = v * (w - 0.5 * v) + 0.25
        total += v.sum()
    return {"total": total}
