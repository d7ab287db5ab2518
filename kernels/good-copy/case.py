"""A copy of n floats."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

_MULTIPLE = 1 << 20

TOLERANCES = {"saved": Tolerance(0.0, 0.0, "values are moved, not computed")}


def sizes(card: Card) -> dict[str, int]:
    """n: floats; 2^27 on a large GPU, 512 MiB in and 512 MiB out."""
    return {"n": min(1 << 27, int(0.35 * card.memory) // 8 // _MULTIPLE * _MULTIPLE)}


def work(n: dict[str, int]) -> Work:
    """4 bytes in and 4 bytes out per value."""
    return Work(8.0 * n["n"], 0.0)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """state: n float32 in [0, 1)."""
    return {"state": rng.random(n["n"], dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"saved": xp.empty(n["n"], xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"saved": data["state"]}
