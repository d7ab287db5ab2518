"""A filter of 128 taps over a signal of pairs (in-phase, quadrature); the filtered components are in two planes."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

TAPS = 128
SPAN = 1024
STEP = 97  # checked: every 97th output, so that every position in a block occurs


def sizes(card: Card) -> dict[str, int]:
    """n: filtered samples of a component, a multiple of 1024; 16 bytes each in total."""
    return {"n": min(1 << 24, int(0.25 * card.memory) // 16 // SPAN * SPAN)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=16.0 * n["n"] + 8.0 * TAPS, flop=4.0 * TAPS * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "signal": rng.random(2 * (n["n"] + TAPS), dtype=xp.float32),
        "taps": (rng.random(TAPS, dtype=xp.float32) + 0.5) / TAPS,
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"filtered": xp.empty(2 * n["n"], np.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    taps = data["taps"].astype(np.float64)
    found = []
    for component in range(2):
        plane = data["signal"][component::2]
        total = 0.0
        for k in range(TAPS):
            total = total + taps[k] * plane[k : k + n["n"] : STEP].astype(np.float64)
        found.append(total)
    return {"filtered": xp.stack(found)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"filtered": out["filtered"].reshape(2, n["n"])[:, ::STEP]}


TOLERANCES = {
    "filtered": Tolerance(
        5e-5, 0.0, "128 positive terms added one after another: at most 128 * 2^-24 = 8e-6; one tap is worth over 1e-3"
    )
}
