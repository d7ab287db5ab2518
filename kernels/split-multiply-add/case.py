"""Explicit Euler steps of dx/dt = p(x), p a polynomial of degree 7, from many starting points."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

STEPS = 64
H = 0.03125
SAMPLE = 17  # every 17th point: odd, to cover all lanes and all parts of a float4
# Falling steeply: every trajectory in (-1, 1) converges to the one stable point near 0.3.
P = (0.35, -1.0, -0.4, -0.25, 0.2, -0.15, 0.1, -0.3)

TOLERANCES = {
    "end": Tolerance(
        relative=0.0,
        absolute=2e-6,
        why="a step rounds its polynomial's 7 terms at a 1/32 of their weight and x itself, |x| < 1, by at most "
        "2^-25; steps pull trajectories together by some 3 %, so earlier errors fade: about 33 roundings of "
        "2^-24 stay, 2e-6 at worst",
    )
}


def sizes(card: Card) -> dict[str, int]:
    return {"n": min(1 << 24, card.memory // 64 // 4096 * 4096)}


def scalars(n: dict[str, int]) -> dict[str, Any]:
    return {**{f"p{i}": np.float32(p) for i, p in enumerate(P)}, "h": np.float32(H)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * n["n"], flop=16.0 * STEPS * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"start": 2 * rng.random(n["n"], dtype=xp.float32) - 1}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"end": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"end": out["end"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    x = data["start"][::SAMPLE].astype(xp.float64)
    terms = [float(np.float32(p)) for p in P]
    for _ in range(STEPS):
        slope = xp.full(x.shape, terms[-1])
        for term in terms[-2::-1]:
            slope = slope * x + term
        x = x + H * slope
    return {"end": x}
