"""The rate of double-precision multiply-adds: eight chains per thread; a multiply-add is two operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

ROUNDS = 512
TOLERANCES = {
    "y": Tolerance(
        1e-12,
        0.0,
        "each round shrinks earlier errors by a = 0.999, so they add up to at most 1000 roundings of 2^-53 each",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """Four waves of full SMs."""
    return {"rounds": ROUNDS, "threads": card.sms * 32 * 256}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * n["threads"], flop=16.0 * n["rounds"] * n["threads"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {}


def scalars(n: dict[str, int]) -> dict[str, Any]:
    return {"a": np.float64(0.999), "b": np.float64(0.5)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"y": xp.empty(n["threads"], xp.float64)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """One block's worth from the end of the grid."""
    return {"y": out["y"][-256:]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    a, b = (float(v) for v in scalars(n).values())
    first = xp.arange(n["threads"] - 256, n["threads"])
    value = ((first[:, None] + xp.arange(8)[None, :]) % 1024).astype(xp.float64)
    # v -> v a + b, once per round
    scale = a ** n["rounds"]
    return {"y": (value * scale + b * (1 - scale) / (1 - a)).sum(axis=1)}
