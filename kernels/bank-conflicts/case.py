"""Transpose of a square matrix of floats."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work


def sizes(card: Card) -> dict[str, int]:
    """n: rows and columns, a multiple of 64, not a power of two; both matrices take 1.3 GB, or 30 % of the memory."""
    n = int((0.30 * card.memory / 8) ** 0.5) // 64 * 64
    return {"n": min(n, 12864)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * n["n"] ** 2, flop=0.0)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"in": rng.random(n["n"] ** 2, dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"out": xp.empty(n["n"] ** 2, np.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"out": data["in"].reshape(n["n"], n["n"])[:, ::7].T}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Every seventh row: across the tiles this covers every row of a tile."""
    return {"out": out["out"].reshape(n["n"], n["n"])[::7]}


TOLERANCES = {"out": Tolerance(0.0, 0.0, "a transpose moves values and computes nothing: they are equal")}
