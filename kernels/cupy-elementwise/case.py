"""Rows of a matrix scaled to Euclidean length one."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

EVERY = 7  # every seventh row is compared
LAUNCHES = {"calls": 4, "reduction-kernel": 2, "raw-kernel": 1}

TOLERANCES = {
    "y": Tolerance(
        relative=4e-6,
        absolute=0.0,
        why="squares are positive, so a sum of 1024 in any tree or loop of partial sums is good to some 30 * "
        "2^-24 of itself; the root halves that, root and division add two roundings: 1.1e-6, and a loop over 32 "
        "partial sums doubles it",
    )
}


def sizes(card: Card) -> dict[str, int]:
    return {"rows": min(1 << 16, card.memory // 64 // 1024), "columns": 1024}


def work(n: dict[str, int]) -> Work:
    elements = 1.0 * n["rows"] * n["columns"]
    return Work(bytes=8.0 * elements, flop=3.0 * elements)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"x": rng.random((n["rows"], n["columns"]), dtype=xp.float32) + xp.float32(0.01)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"y": xp.empty((n["rows"], n["columns"]), xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"y": out["y"][::EVERY]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    x = data["x"][::EVERY].astype(xp.float64)
    return {"y": x / xp.sqrt((x * x).sum(axis=1, keepdims=True))}


def answers(step: str, n: dict[str, int]) -> dict[str, float]:
    return {"theoretical_bytes": work(n).bytes / LAUNCHES[step]}
