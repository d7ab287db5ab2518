"""Row sums of a row-major matrix of 256 columns."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

COLS = 256
_MULTIPLE = 1024

TOLERANCES = {
    "sums": Tolerance(2e-5, 0.0, "256 positive numbers added in single precision: 255 roundings of 2^-24 at most"),
}


def sizes(card: Card) -> dict[str, int]:
    """rows: 2^20 on a large GPU, 1 GiB of matrix; cols: 256."""
    return {"rows": min(1 << 20, int(0.35 * card.memory) // (4 * COLS) // _MULTIPLE * _MULTIPLE), "cols": COLS}


def work(n: dict[str, int]) -> Work:
    """The matrix is read once, and one sum per row is written."""
    return Work(4.0 * n["rows"] * (n["cols"] + 1), 1.0 * n["rows"] * n["cols"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """a: (rows, cols) float32 in [0, 1)."""
    return {"a": rng.random((n["rows"], n["cols"]), dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"sums": xp.empty(n["rows"], xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"sums": data["a"].sum(axis=1, dtype=xp.float64)}
