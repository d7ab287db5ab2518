"""Samples of 12 bits, decoded with a code book of 4096 floats."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

BOOK = 4096
TOLERANCES = {"value": Tolerance(0.0, 0.0, "values are copied")}


def sizes(card: Card) -> dict[str, int]:
    """n: samples of 2 bytes in and 4 bytes out, a multiple of 4096."""
    return {"n": min(1 << 25, int(0.20 * card.memory) // 6 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=6.0 * n["n"] + 4.0 * BOOK, flop=0.0)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "code": rng.integers(0, BOOK, n["n"], dtype=xp.uint16),
        "book": rng.random(BOOK, dtype=xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"value": xp.empty(n["n"], xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"value": data["book"][data["code"].astype(xp.int32)]}


def answers(step: str, n: dict[str, int]) -> dict[str, str]:
    return {"integer_work": "yes"}
