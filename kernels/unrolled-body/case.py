"""Eight small networks with fixed weights; each group of 96 samples goes through one of them, eight times.

A round is x + V max(0, U x), with 24 hidden units and 32 inputs and outputs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

EXPERTS, HIDDEN, WIDTH, ROUNDS, GROUP = 8, 24, 32, 8, 96
SAMPLE = 61  # every 61st sample: all lanes occur, and with random groups all experts

TOLERANCES = {
    "output": Tolerance(
        relative=1e-4,
        absolute=1e-4,
        why="a round adds 24 units of 32 products with weights under 1/8 to each value; it rounds some 60 times "
        "at 2^-24 of partial sums of order one and stretches earlier errors by at most 1.3 as it stretches the "
        "values themselves: eight rounds stay under 60 * 2^-24 * 8 * 1.3 = 4e-5 of the values",
    )
}


def sizes(card: Card) -> dict[str, int]:
    rounds = max(1, min(8, card.memory // 1024 // (768 * card.sms)))  # of three blocks of 256 an SM
    return {"samples": 768 * card.sms * rounds, "weight_count": EXPERTS * HIDDEN * 2 * WIDTH}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=4.0 * 2 * WIDTH * n["samples"], flop=4.0 * ROUNDS * HIDDEN * WIDTH * n["samples"])


def _weights() -> np.ndarray[Any, np.dtype[np.float32]]:
    """All experts' weights: 24 bits of a hash of their position, centred and scaled; exact in single precision."""
    k = np.arange(EXPERTS * HIDDEN * 2 * WIDTH, dtype=np.uint32)
    with np.errstate(over="ignore"):
        bits = (((k * np.uint32(2654435761)) ^ np.uint32(0x9E3779B9)) * np.uint32(2246822519)) >> np.uint32(8)
    return ((bits.astype(np.float64) * 2.0**-24 - 0.5) * 0.25).astype(np.float32)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "input": 2 * rng.random((WIDTH, n["samples"]), dtype=xp.float32) - 1,
        "expert": rng.integers(0, EXPERTS, n["samples"] // GROUP, dtype=xp.int32),
        "weights": xp.asarray(_weights()),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"output": xp.empty((WIDTH, n["samples"]), xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"output": out["output"][:, ::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    weights = xp.asarray(_weights().reshape(EXPERTS, HIDDEN, 2, WIDTH).astype(np.float64))
    values = data["input"][:, ::SAMPLE].astype(xp.float64)
    own = data["expert"][xp.arange(0, n["samples"], SAMPLE) // GROUP]
    for expert in range(EXPERTS):
        mine = values[:, own == expert]
        for _ in range(ROUNDS):
            units = xp.maximum(weights[expert, :, 0, :] @ mine, 0.0)
            mine = mine + weights[expert, :, 1, :].T @ units
        values[:, own == expert] = mine
    return {"output": values}
