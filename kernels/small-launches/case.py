"""The heat equation on many rods of 128 cells with insulated ends: v += k (left - 2 v + right), a few hundred times."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

CELLS = 128
STEPS = 400
K = np.float32(0.2)
TOLERANCES = {
    "out": Tolerance(
        1e-5,
        2e-6,
        "a step rounds five times at 2^-24 of values under one, and averaging never magnifies an error: sqrt(400 * "
        "5) * 6e-8 = 2.7e-6; times three",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """cells of all rods: 32 rods per SM, one per warp if a warp keeps a rod. steps is even."""
    return {"cells": 32 * card.sms * CELLS, "steps": STEPS}


def scalars(n: dict[str, int]) -> dict[str, Any]:
    """The exchange coefficient of a step."""
    return {"k": K}


def work(n: dict[str, int]) -> Work:
    """The rods are read once and written once, whatever happens in between; five operations per cell and step."""
    return Work(bytes=8.0 * n["cells"], flop=5.0 * n["cells"] * n["steps"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """start: temperatures in [0, 1)."""
    return {"start": rng.random(n["cells"], dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """Temperatures after the last step."""
    return {"out": xp.empty(n["cells"], xp.float32)}


def scratch(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """half: temperatures after every second step."""
    return {"half": xp.empty(n["cells"], xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The same steps in double precision."""
    v, k = data["start"].astype(xp.float64).reshape(-1, CELLS), float(K)
    for _ in range(n["steps"]):
        left = xp.concatenate([v[:, :1], v[:, :-1]], axis=1)
        right = xp.concatenate([v[:, 1:], v[:, -1:]], axis=1)
        v = v + k * (left - 2 * v + right)
    return {"out": v.ravel()}
