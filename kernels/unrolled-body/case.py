"""Inference of a small neural network with fixed weights: 32 inputs, 192 hidden units with ReLU, 32 outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

HIDDEN, WIDTH = 192, 32
SAMPLE = 61  # every 61st sample: all lanes occur

TOLERANCES = {
    "output": Tolerance(
        relative=0.0,
        absolute=2e-5,
        why="a hidden unit sums 32 products under 1/8, an output 192 products of a unit under 1 and a weight "
        "under 1/8; each addition rounds by at most 2^-24 of a partial sum of order one, 224 of them 1.3e-5 at "
        "worst",
    )
}


def sizes(card: Card) -> dict[str, int]:
    rounds = max(1, min(8, card.memory // 1024 // (768 * card.sms)))  # of three blocks of 256 an SM
    return {"samples": 768 * card.sms * rounds, "weight_count": HIDDEN * 2 * WIDTH}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=4.0 * 2 * WIDTH * n["samples"], flop=4.0 * HIDDEN * WIDTH * n["samples"])


def _weights() -> np.ndarray[Any, np.dtype[np.float32]]:
    """The network's weights: 24 bits of a hash of their position, centred and scaled; exact in single precision."""
    k = np.arange(HIDDEN * 2 * WIDTH, dtype=np.uint32)
    with np.errstate(over="ignore"):
        bits = (((k * np.uint32(2654435761)) ^ np.uint32(0x9E3779B9)) * np.uint32(2246822519)) >> np.uint32(8)
    return ((bits.astype(np.float64) * 2.0**-24 - 0.5) * 0.25).astype(np.float32)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    signals = 2 * rng.random((WIDTH, n["samples"]), dtype=xp.float32) - 1
    return {"input": signals, "weights": xp.asarray(_weights())}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"output": xp.empty((WIDTH, n["samples"]), xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"output": out["output"][:, ::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    weights = xp.asarray(_weights().reshape(HIDDEN, 2, WIDTH).astype(np.float64))
    units = weights[:, 0, :] @ data["input"][:, ::SAMPLE].astype(xp.float64)
    return {"output": weights[:, 1, :].T @ xp.maximum(units, 0.0)}
