"""Sums of energies by layer: 8 sums of floats from 0 to 1, each hit in a random layer."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

LAYERS = 8
ZEROED = ("total",)
TOLERANCES = {
    "total": Tolerance(
        1e-4,
        0.0,
        "a layer of 4 million hits adds up in a block's sum of some thousands and in 500 such sums: each addition "
        "rounds by 2^-24 of the sum so far, at random 1e-6 and in the worst order 3e-5",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """n: hits of 4 bytes of energy and 1 byte of layer, a multiple of 4096."""
    return {"n": min(1 << 25, int(0.20 * card.memory) // 5 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=5.0 * n["n"], flop=1.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "energy": rng.random(n["n"], dtype=xp.float32),
        "layer": rng.integers(0, LAYERS, n["n"], dtype=xp.uint8),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"total": xp.zeros(LAYERS, xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    each = [data["energy"][data["layer"] == k].sum(dtype=xp.float64) for k in range(LAYERS)]
    return {"total": xp.stack(each)}


def answers(step: str, n: dict[str, int]) -> dict[str, str]:
    return {"integer_work": "yes"}
