"""The squared errors of 16 linear models with three variables, by warp of a tile of 2048 records."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

MODELS, TILE, WARPS = 16, 2048, 8
TOLERANCES = {"error": Tolerance(1e-4, 1e-4, "256 squares of differences of numbers below 5, in single precision")}


def sizes(card: Card) -> dict[str, int]:
    """tiles: 80 % of the L2 cache, a multiple of 4."""
    return {"tiles": max(4, int(0.8 * min(card.l2, card.memory / 8)) // (16 * TILE) // 4 * 4)}


def work(n: dict[str, int]) -> Work:
    records = float(n["tiles"] * TILE)
    return Work(bytes=16.0 * records + 4.0 * WARPS * MODELS * n["tiles"], flop=10.0 * MODELS * records)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "records": rng.random((n["tiles"] * TILE, 4), dtype=xp.float32),
        "models": rng.random((MODELS, 4), dtype=xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"error": xp.empty((MODELS, n["tiles"], WARPS), xp.float32)}


def answers(step: str, n: dict[str, int]) -> dict[str, str | float]:
    return {"theoretical_bytes": work(n).bytes, "reads_again": "yes"}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    records, models = data["records"].astype(xp.float64), data["models"].astype(xp.float64)
    out = []
    for m in models:
        off = records[:, 3] - (records[:, :3] @ m[:3] + m[3])
        # A warp takes 32 records in a row, every 256 of a tile.
        out.append((off * off).reshape(n["tiles"], TILE // 256, WARPS, 32).sum(axis=(1, 3)))
    return {"error": xp.stack(out)}
