"""Dot products of n queries with n points of 256 dimensions; the values of one dimension are contiguous."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

DIMENSIONS = 256
STEP = 65  # checked: every 65th query, so that each row of a tile occurs


def sizes(card: Card) -> dict[str, int]:
    """n: queries and points, a multiple of 128; the scores take 4 n^2 bytes, at most a quarter of the memory."""
    return {"n": min(8192 if card.sms >= 40 else 4096, int((card.memory / 16) ** 0.5) // 128 * 128)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * DIMENSIONS * n["n"] + 4.0 * n["n"] ** 2, flop=2.0 * DIMENSIONS * n["n"] ** 2)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {name: rng.random(DIMENSIONS * n["n"], dtype=xp.float32) for name in ("queries", "points")}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"score": xp.empty(n["n"] ** 2, np.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    queries = data["queries"].reshape(DIMENSIONS, n["n"])[:, ::STEP].astype(np.float64)
    points = data["points"].reshape(DIMENSIONS, n["n"]).astype(np.float64)
    total = xp.zeros((queries.shape[1], n["n"]), np.float64)
    for q, p in zip(queries, points, strict=True):
        total += q[:, None] * p[None, :]
    return {"score": total}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"score": out["score"].reshape(n["n"], n["n"])[::STEP]}


TOLERANCES = {
    "score": Tolerance(
        3e-5, 0.0, "256 positive products added one after another: at most 256 * 2^-24 = 1.5e-5; one is worth 4e-3"
    )
}
