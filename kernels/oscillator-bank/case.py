"""Sums of 128 values of triangle waves, one wave with its own frequency per output."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

STEPS = 128
SAMPLE = 61  # every 61st output: odd, to cover all lanes and all parts of a float4
TOLERANCES = {
    "sound": Tolerance(
        0.0,
        5e-3,
        "a phase is rounded to 2^-25 at every step, 4e-6 after 128 of them; a wave changes by 1 per turn, so 128 waves "
        "are off by 5e-4 at worst. The limit is ten times that, and a wave left out is off by 0.25 on average",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """n: oscillators, a multiple of 4096."""
    return {"n": min(1 << 24, card.memory // 64 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    # A step, the nearest whole number and the sum: an addition each.
    return Work(bytes=12.0 * n["n"], flop=3.0 * STEPS * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "phase": rng.random(n["n"], dtype=xp.float32) - xp.float32(0.5),
        "turn": xp.float32(0.8) * rng.random(n["n"], dtype=xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"sound": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"sound": out["sound"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    p, f = (data[name][::SAMPLE].astype(xp.float64) for name in ("phase", "turn"))
    y = xp.zeros(p.shape, xp.float64)
    for _ in range(STEPS):
        p = p + f
        p = p - xp.floor(p + 0.5)
        y += xp.abs(p)
    return {"sound": y}
