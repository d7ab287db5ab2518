"""x + 0.01 v of the particles that are alive: the first sixteenth of all slots."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

PART = 16
TOLERANCES = {"out": Tolerance(1e-6, 1e-7, "one multiply-add, rounded once")}


def sizes(card: Card) -> dict[str, int]:
    """slots: of 12 bytes each, a multiple of 4096."""
    return {"slots": min(1 << 26, int(0.25 * card.memory) // 12 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=12.0 * n["slots"] / PART, flop=2.0 * n["slots"] / PART)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "x": rng.random(n["slots"], dtype=xp.float32),
        "v": rng.random(n["slots"], dtype=xp.float32) - xp.float32(0.5),
        "alive": xp.array([n["slots"] // PART], xp.int32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"out": xp.empty(n["slots"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"out": out["out"][: n["slots"] // PART]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    x, v = (data[name][: n["slots"] // PART].astype(xp.float64) for name in ("x", "v"))
    return {"out": x + 0.01 * v}
