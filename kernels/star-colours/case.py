"""A colour index for observations in random order, from the magnitudes of the observed stars."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

RECORD = 32  # floats of a star's record, of which the first eight are magnitudes
MAGNITUDES = 8

TOLERANCES = {"colour": Tolerance(1e-5, 1e-6, "four products of numbers below 1, added in single precision")}


def sizes(card: Card) -> dict[str, int]:
    """stars: their records take 1.6 times the L2 cache, their magnitudes a quarter of that; n: observations."""
    stars = int(1.6 * card.l2) // (4 * RECORD)
    left = 0.2 * card.memory - 4 * (RECORD + MAGNITUDES) * stars
    return {"stars_count": max(1, stars), "n": max(1024, min(1 << 25, int(left) // 8 // 1024 * 1024))}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * n["n"] + 4.0 * MAGNITUDES * n["stars_count"], flop=8.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    stars = rng.random((n["stars_count"], RECORD), dtype=xp.float32)
    which = rng.integers(0, n["stars_count"], n["n"], dtype=xp.int32)
    return {"stars": stars, "magnitudes": stars[:, :MAGNITUDES].copy(), "which": which}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"colour": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Every 13th observation: covers all positions in a block."""
    return {"colour": out["colour"][::13]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    m = data["stars"][data["which"][::13], :MAGNITUDES].astype(xp.float64)
    first = m[:, 0] * m[:, 1] + m[:, 2] * m[:, 3]
    return {"colour": first + m[:, 4] * m[:, 6] - m[:, 5] * m[:, 7]}
