"""A chain of 16 simple effects on every sample: gain, offset, clip and fold, in an order that the host chooses."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

SAMPLE = 61  # every 61st sample: odd, to cover all lanes
EFFECTS = (0, 1, 3, 2, 0, 3, 1, 2, 0, 1, 3, 2, 0, 3, 1, 2)
AMOUNTS = (1.4, 0.1, 0.3, 0.9, 1.2, 0.2, -0.15, 0.8, 1.3, 0.05, 0.25, 0.95, 1.1, 0.2, -0.1, 0.7)
TOLERANCES = {
    "y": Tolerance(
        1e-5, 1e-5, "16 effects round by 2 * 2^-24 each of values under two, and gains multiply that by at most 3"
    )
}


def sizes(card: Card) -> dict[str, int]:
    """n: samples of 4 bytes, a multiple of 4096."""
    return {"n": min(1 << 25, int(0.20 * card.memory) // 8 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * n["n"], flop=28.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "x": 2 * rng.random(n["n"], dtype=xp.float32) - 1,
        "effects": xp.array(EFFECTS, xp.int32),
        "amounts": xp.array(AMOUNTS, xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"y": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"y": out["y"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    v = data["x"][::SAMPLE].astype(xp.float64)
    amounts = data["amounts"].astype(xp.float64)
    for k, which in enumerate(EFFECTS):
        a = amounts[k]
        if which == 0:
            v = v * a
        elif which == 1:
            v = v + a
        elif which == 2:
            v = xp.minimum(xp.maximum(v, -a), a)
        else:
            v = v - a * v * xp.abs(v)
    return {"y": v}
