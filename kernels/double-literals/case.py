"""Explicit Euler steps of Newton's law of cooling on a large field of temperatures."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

STEPS = 12
RATE, AMBIENT = 0.02, 293.15
SAMPLE = 17  # every 17th cell: odd, to cover all four parts of a float4 and all lanes

TOLERANCES = {
    "end": Tolerance(
        relative=3e-6,
        absolute=0.0,
        why="each of the 12 steps rounds a difference and a temperature near 300 to half a unit in the last "
        "place, 2^-25 of it at most, and a step shrinks earlier errors by 2 %: 24 * 2^-24 = 1.4e-6 bounds the "
        "sum",
    )
}


def sizes(card: Card) -> dict[str, int]:
    return {"n": min(1 << 26, card.memory // 32 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * n["n"], flop=3.0 * STEPS * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"start": 273 + 100 * rng.random(n["n"], dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"end": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"end": out["end"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    t = data["start"][::SAMPLE].astype(xp.float64)
    for _ in range(STEPS):
        t = t + RATE * (AMBIENT - t)
    return {"end": t}


def answers(step: str, n: dict[str, int]) -> dict[str, str]:
    return {"intended_dtype": "f32"}
