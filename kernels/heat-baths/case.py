"""Sum over temperatures and levels of a polynomial of each level's share exp(-b E) / sum of exp(-b E), for many molecules."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

LEVELS, TEMPERATURES = 8192, 256
SAMPLE = 37  # every 37th molecule is compared: odd, so that the blocks differ
TOLERANCES = {
    "total": Tolerance(
        2e-4,
        0.0,
        "the approximation of 2^x is off by 2^-22 and its argument by 2^-24 of 15 at most; a thread adds 8192 terms, "
        "each rounded by 2^-24 of its sum, 5e-4 of it in the worst and 5e-6 in a random order",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """molecules: 8 for each SM."""
    return {"molecules": 8 * card.sms, "temperatures": TEMPERATURES}


def work(n: dict[str, int]) -> Work:
    pairs = float(LEVELS) * n["molecules"] * n["temperatures"]
    return Work(bytes=4.0 * LEVELS * n["molecules"], flop=16.0 * pairs)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    beta = (xp.arange(n["temperatures"], dtype=xp.float32) + 1) * xp.float32(4 / n["temperatures"])
    return {"level": xp.float32(2.5) * rng.random(n["molecules"] * LEVELS, dtype=xp.float32), "beta": beta}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"total": xp.empty(n["molecules"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"total": out["total"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    level = data["level"].reshape(n["molecules"], LEVELS)[::SAMPLE].astype(xp.float64)
    total = xp.zeros(level.shape[0], xp.float64)
    for t in range(n["temperatures"]):
        weight = xp.exp(-data["beta"].astype(xp.float64)[t] * level)
        p = weight / weight.sum(axis=1, keepdims=True)
        total += (p * (0.5 + p * (1 + p * (-0.75 + p * (0.5 + p * (-0.25 + p * 0.125)))))).sum(axis=1)
    return {"total": total}
