"""Verhulst's growth of many populations, dv/dt = r v (1 - v), in 128 explicit steps, in single precision."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

STEPS = 128
SAMPLE = 17  # every 17th population is compared

TOLERANCES = {
    "end": Tolerance(
        relative=3e-5,
        absolute=0.0,
        why="a step multiplies by 1 + r (1 - v) with r <= 0.04 and rounds about twice at 2^-24 of the "
        "population; relative errors are never stretched, so 128 steps sum to at most 256 * 2^-24 = 1.5e-5",
    )
}


def sizes(card: Card) -> dict[str, int]:
    return {"n": min(1 << 24, card.memory // 64 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    # Start, rate and capacity in, the population out; a difference of a product, two products and a sum per step.
    return Work(bytes=16.0 * n["n"], flop=5.0 * STEPS * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "start": xp.float32(0.01) + xp.float32(0.5) * rng.random(n["n"], dtype=xp.float32),
        "rate": xp.float32(0.04) * rng.random(n["n"], dtype=xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"end": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"end": out["end"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    v = data["start"][::SAMPLE].astype(xp.float64)
    rate = data["rate"][::SAMPLE].astype(xp.float64)
    for _ in range(STEPS):
        v = v + rate * v * (1 - v)
    return {"end": v}


def answers(step: str, n: dict[str, int]) -> dict[str, str]:
    return {"intended_dtype": "f32"}
