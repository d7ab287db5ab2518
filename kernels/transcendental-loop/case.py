"""A Fourier series of 64 harmonics evaluated at many points."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

HARMONICS = 64
SAMPLE = 61  # every 61st point: odd, to cover all lanes and all parts of a float4

TOLERANCES = {
    "value": Tolerance(
        relative=0.0,
        absolute=5e-4,
        why="coefficients are at most 1 / k. An angle k x is rounded to 2^-24 of itself, and fast sines are good "
        "to 2^-21: 64 harmonics sum that up to 5e-5. The three-term recurrence is off by up to k^2 / 2 * 2^-24 "
        "near x = 0, which sums to 6e-5. The limit is some ten times that; a missing harmonic is off by more "
        "than 5e-3 at most points",
    )
}


def sizes(card: Card) -> dict[str, int]:
    return {"n": min(1 << 24, card.memory // 64 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    # Two multiply-adds per harmonic to sum, two (the three-term recurrence) for the next sine and cosine.
    return Work(bytes=8.0 * n["n"], flop=8.0 * HARMONICS * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    falling = 1.0 / xp.arange(1, HARMONICS + 1, dtype=xp.float32)[:, None]
    return {
        "angle": 2 * rng.random(n["n"], dtype=xp.float32) - 1,  # in half turns
        "coefficient": (2 * rng.random((HARMONICS, 2), dtype=xp.float32) - 1) * falling,
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"value": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"value": out["value"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    x = xp.pi * data["angle"][::SAMPLE].astype(xp.float64)
    y = xp.zeros(x.shape, xp.float64)
    for k in range(1, HARMONICS + 1):
        a, b = data["coefficient"][k - 1].astype(xp.float64)
        y += a * xp.cos(k * x) + b * xp.sin(k * x)
    return {"value": y}
