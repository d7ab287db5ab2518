"""Count, sum and maximum of positive readings by station; each reading belongs to a random one of 1024 stations."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

STATIONS = 1024
ZEROED = ("lock", "count", "sum", "most")
TOLERANCES = {
    "count": Tolerance(0.0, 0.0, "whole numbers"),
    "sum": Tolerance(1e-4, 0.0, "some thousand additions, each rounded to 2^-24 of the sum so far: 1e-4 at worst"),
    "most": Tolerance(0.0, 0.0, "one of the readings"),
}


def sizes(card: Card) -> dict[str, int]:
    """n: readings. Small enough for the caches: the accesses to 12 KB of statistics are the subject."""
    return {"n": min(1 << 21, card.memory // 64)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * n["n"] + 12.0 * STATIONS, flop=2.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "reading": rng.random(n["n"], dtype=xp.float32),
        "station": rng.integers(0, STATIONS, n["n"], dtype=xp.int32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {name: xp.zeros(STATIONS, xp.int32 if name == "count" else xp.float32) for name in ("count", "sum", "most")}


def scratch(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"lock": xp.zeros(STATIONS, xp.int32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    station, reading = data["station"], data["reading"]
    most = xp.zeros(STATIONS, xp.float32)
    for s in range(STATIONS):
        most[s] = reading[station == s].max()
    return {
        "count": xp.bincount(station, minlength=STATIONS).astype(xp.int32),
        "sum": xp.bincount(station, weights=reading.astype(xp.float64), minlength=STATIONS),
        "most": most,
    }


def answers(step: str, n: dict[str, int]) -> dict[str, str]:
    return {"integer_work": "yes"}
