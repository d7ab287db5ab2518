"""A square matrix of floats and its transpose."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

TOLERANCES = {"out": Tolerance(relative=0.0, absolute=0.0, why="elements are moved, not computed with")}


def sizes(card: Card) -> dict[str, int]:
    """A matrix of about 500 MB, at most a sixth of the GPU's memory; whole tiles of 128."""
    side = int((min(512e6, card.memory / 6) / 4) ** 0.5)
    return {"n": max(1, side // 128) * 128}


def work(n: dict[str, int]) -> Work:
    """Every element is read once and written once."""
    return Work(bytes=8.0 * n["n"] ** 2, flop=0.0)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """The matrix, row by row."""
    return {"in": rng.random(n["n"] ** 2, dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """Its transpose, row by row."""
    return {"out": xp.empty(n["n"] ** 2, dtype=xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Exact: the same numbers at other positions."""
    return {"out": xp.ascontiguousarray(data["in"].reshape(n["n"], n["n"]).T).ravel()}
