"""z = a x + y on vectors of n floats; n is a multiple of 1,024."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

A = np.float32(0.7)
TOLERANCES = {
    "z": Tolerance(2e-7, 0.0, "positive numbers: a fused multiply-add rounds once, 2^-24, and an unfused one twice")
}


def sizes(card: Card) -> dict[str, int]:
    """n elements: 34 million, or as many as fit in a twentieth of the GPU's memory per vector."""
    return {"n": min(1 << 25, card.memory // 80 // 1024 * 1024)}


def scalars(n: dict[str, int]) -> dict[str, Any]:
    """The factor of x."""
    return {"a": A}


def work(n: dict[str, int]) -> Work:
    """Two vectors are read and one written, once each; one multiply-add per element."""
    return Work(bytes=12.0 * n["n"], flop=2.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """Two vectors of numbers in [0, 1)."""
    return {"x": rng.random(n["n"], dtype=xp.float32), "y": rng.random(n["n"], dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """One vector."""
    return {"z": xp.empty(n["n"], xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """In double precision."""
    return {"z": float(A) * data["x"].astype(xp.float64) + data["y"]}
