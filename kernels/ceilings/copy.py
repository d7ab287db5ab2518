"""The device copy: bytes are those read and those written."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

TOLERANCES = {"y": Tolerance(0.0, 0.0, "a copy is exact")}


def sizes(card: Card) -> dict[str, int]:
    """n float4: 4 GiB per array, or a tenth of the memory if that is less."""
    return {"n": min(1 << 28, card.memory // 10 // 16)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=32.0 * n["n"], flop=0.0)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"x": rng.random(4 * n["n"], dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"y": xp.empty(4 * n["n"], xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"y": data["x"]}
