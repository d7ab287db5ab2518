"""128 steps of the logistic map v -> r v (1 - v) from many starting values, for rates at which it converges."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

STEPS = 128
SAMPLE = 61  # every 61st value: odd, to cover all lanes
TOLERANCES = {
    "last": Tolerance(
        1e-4, 1e-5, "a step rounds by 3 * 2^-24 and shrinks the error of the steps before by 0.9 or less: 2e-6 in all"
    )
}


def sizes(card: Card) -> dict[str, int]:
    """n: values of 4 bytes in twice and out once, a multiple of 4096."""
    return {"n": min(1 << 24, int(0.20 * card.memory) // 12 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=12.0 * n["n"], flop=3.0 * STEPS * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "start": xp.float32(0.05) + xp.float32(0.9) * rng.random(n["n"], dtype=xp.float32),
        "rate": xp.float32(1.5) + xp.float32(1.3) * rng.random(n["n"], dtype=xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"last": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"last": out["last"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    v, r = (data[name][::SAMPLE].astype(xp.float64) for name in ("start", "rate"))
    for _ in range(STEPS):
        v = r * v * (1 - v)
    return {"last": v}
