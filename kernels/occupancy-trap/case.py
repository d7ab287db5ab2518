"""Squared distances between n queries and n points of 128 dimensions; a dimension of all points lies together."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

DIMENSIONS = 128
STEP = 65  # checked: every 65th query, so that each row of a tile comes up


def sizes(card: Card) -> dict[str, int]:
    """n: queries and points, a multiple of 128; the distances take 4 n^2 bytes."""
    return {"n": 8192 if card.sms >= 40 else 4096}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * DIMENSIONS * n["n"] + 4.0 * n["n"] ** 2, flop=3.0 * DIMENSIONS * n["n"] ** 2)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {name: rng.random(DIMENSIONS * n["n"], dtype=xp.float32) for name in ("queries", "points")}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"squared": xp.empty(n["n"] ** 2, np.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    queries = data["queries"].reshape(DIMENSIONS, n["n"])[:, ::STEP].astype(np.float64)
    points = data["points"].reshape(DIMENSIONS, n["n"]).astype(np.float64)
    total = xp.zeros((queries.shape[1], n["n"]), np.float64)
    for q, p in zip(queries, points, strict=True):
        total += (q[:, None] - p[None, :]) ** 2
    return {"squared": total}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"squared": out["squared"].reshape(n["n"], n["n"])[::STEP]}


TOLERANCES = {
    "squared": Tolerance(
        2e-5, 0.0, "128 positive terms, each good to 3 * 2^-24, added one after another: at most 131 * 2^-24 = 8e-6"
    )
}
