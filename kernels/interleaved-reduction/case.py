"""Sum of each row of a matrix of floats with 4096 columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

COLS = 4096


def sizes(card: Card) -> dict[str, int]:
    """rows: a gigabyte of them, or 35 % of the memory."""
    return {"rows": min(65536, int(0.35 * card.memory) // (4 * COLS))}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=4.0 * n["rows"] * (COLS + 1), flop=float(n["rows"]) * (COLS - 1))


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"in": rng.random(n["rows"] * COLS, dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"sums": xp.empty(n["rows"], np.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"sums": data["in"].reshape(n["rows"], COLS).sum(axis=1, dtype=np.float64)}


TOLERANCES = {
    "sums": Tolerance(
        2e-5,
        0.0,
        "a tree of 12 levels, or 16 additions and a tree of 8, rounds at most 24 times by 2^-24 of the sum: 1.4e-6; an "
        "element left out changes a sum of about 2048 by 2.4e-4",
    )
}
