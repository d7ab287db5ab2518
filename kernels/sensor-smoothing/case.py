"""A smoothing filter of seven symmetric weights: y[i] from x[i] to x[i + 6]."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

SAMPLE = 61  # every 61st output: odd, to cover all lanes
WEIGHTS = (0.025, 0.075, 0.2, 0.4, 0.2, 0.075, 0.025)
TOLERANCES = {"y": Tolerance(1e-6, 1e-6, "seven products of values under one, each rounded to 2^-24 at most")}


def sizes(card: Card) -> dict[str, int]:
    """n: samples of 4 bytes, a multiple of 4096."""
    return {"n": min(1 << 26, int(0.25 * card.memory) // 8 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * n["n"], flop=10.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"x": rng.random(n["n"] + 6, dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"y": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"y": out["y"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    parts = [w * data["x"][k : k + n["n"]][::SAMPLE].astype(xp.float64) for k, w in enumerate(WEIGHTS)]
    return {"y": sum(parts[1:], parts[0])}
