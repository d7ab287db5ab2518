"""Overlap of each particle with those of smaller index: m_i * sum over j < i of m_j max(0, r^2 - |x_i - x_j|^2)^3."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

REACH2 = 0.25
SAMPLE = 96
TOLERANCES = {
    "out": Tolerance(
        2e-4,
        1e-6,
        "up to n = 135,168 terms added one after the other in single precision: sqrt(n) * 2^-24 = 2e-5 of the sum; "
        "the cube of a difference of squares loses about 1e-6 a term; times ten, and sums of a few small terms by "
        "the absolute part",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """n particles: 1,024 per SM, so that blocks of 1,024 rows give every SM one block."""
    return {"n": 1024 * card.sms}


def scalars(n: dict[str, int]) -> dict[str, Any]:
    """The square of the reach."""
    return {"reach2": np.float32(REACH2)}


def work(n: dict[str, int]) -> Work:
    """Each pair once: 13 operations. The particles fit in the caches."""
    return Work(bytes=20.0 * n["n"], flop=13.0 * n["n"] * (n["n"] - 1) / 2)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """particles: (n, 4), position in the unit cube and mass in [0.5, 1.5)."""
    particles = rng.random((n["n"], 4), dtype=xp.float32)
    particles[:, 3] += xp.float32(0.5)
    return {"particles": particles}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """One sum per particle."""
    return {"out": xp.empty(n["n"], xp.float32)}


def _rows(n: dict[str, int]) -> Any:
    """Rows spread over all of them, the first and the last included."""
    return np.unique(np.linspace(0, n["n"] - 1, SAMPLE).astype(np.int64))


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The chosen rows against all rows before them, in double precision."""
    p = data["particles"].astype(xp.float64)
    sums = []
    for row in _rows(n):
        before, me = p[:row], p[row]
        d = xp.maximum(REACH2 - ((before[:, :3] - me[:3]) ** 2).sum(axis=1), 0.0)
        sums.append(me[3] * (before[:, 3] * d**3).sum())
    return {"out": xp.stack(sums)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The chosen rows: all rows would need n^2 / 2 pairs in double precision."""
    return {"out": out["out"][_rows(n).tolist()]}
