"""Rings of 32 reacting and diffusing cells, advanced by 32 steps; each ring has its own number of substeps per step.

A substep of length h = 0.04 / substeps: v += 0.2 h (left - 2 v + right), then eight times the midpoint rule over an
eighth of h for dv/dt = 0.08 - 0.5 v + 1.3 v^2 - 0.9 v^3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

STEPS = 32  # one per lane: a warp keeps the counts of a ring in a register
SPAN = 0.04
SAMPLE = 512
TOLERANCES = {
    "out": Tolerance(
        1e-4,
        1e-5,
        "a substep rounds about 70 times at 2^-24 of values under one, and over a time of 1.3 the reaction makes no"
        " error three times as large: over a hundred substeps on average, sqrt(7000) * 6e-8 = 5e-6; times ten and "
        "more",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """rings: one warp each, one block of 32 rings per SM."""
    return {"rings": 32 * card.sms, "steps": STEPS}


def work(n: dict[str, int]) -> Work:
    """A substep takes 5 operations to exchange and 8 * 16 to react; 3.125 substeps per step on average."""
    cells = 32.0 * n["rings"]
    return Work(bytes=8 * cells + 4.0 * n["rings"] * n["steps"], flop=133 * 3.125 * n["steps"] * cells)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """start: cells in [0, 1); substeps: (rings, steps), 24 to 31 in two of a ring's 32 steps, one or two in the others.

    A ring is stiff when it ignites, somewhere in the first half of the steps, and when it burns out, in the second.
    """
    rings, half = n["rings"], n["steps"] // 2
    substeps = rng.integers(1, 3, (rings, n["steps"]), dtype=xp.int32)
    for start in (0, half):
        moment = start + rng.integers(0, half, rings, dtype=xp.int32)
        substeps[xp.arange(rings), moment] = rng.integers(24, 32, rings, dtype=xp.int32)
    return {"start": rng.random(32 * rings, dtype=xp.float32), "substeps": substeps}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """The cells after the last step."""
    return {"out": xp.empty(32 * n["rings"], xp.float32)}


def _chosen(n: dict[str, int]) -> Any:
    """Evenly spaced rings that cover every position in a block."""
    return np.unique(np.linspace(0, n["rings"] - 1, SAMPLE).astype(np.int64))


def _rate(v: Any) -> Any:
    return ((-0.9 * v + 1.3) * v - 0.5) * v + 0.08


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The same substeps in double precision on the host, for the chosen rings."""
    chosen = xp.asarray(_chosen(n))
    start, substeps = data["start"].reshape(-1, 32)[chosen], data["substeps"][chosen]
    if hasattr(start, "get"):
        start, substeps = start.get(), substeps.get()
    v = start.astype(np.float64)
    for step in range(n["steps"]):
        count = substeps[:, step]
        for k in range(int(count.max())):
            h = (SPAN / count[count > k])[:, None]
            u = v[count > k]
            u = u + 0.2 * h * (np.roll(u, 1, axis=1) - 2 * u + np.roll(u, -1, axis=1))
            for _ in range(8):
                u = u + 0.125 * h * _rate(u + 0.0625 * h * _rate(u))
            v[count > k] = u
    return {"out": v}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The chosen rings: the reference takes a thousand dependent steps."""
    return {"out": out["out"].reshape(-1, 32)[_chosen(n).tolist()]}
