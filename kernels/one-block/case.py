"""The dot product of two vectors of n floats; n is a multiple of four, for accesses of 16 bytes."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

ZEROED = ("out",)
TOLERANCES = {
    "out": Tolerance(
        2e-4,
        0.0,
        "each thread adds up to 49,152 products one after the other in single precision (one block of 1,024): the "
        "error of such a sum of positive terms grows like sqrt(49152) * 2^-24 = 1.3e-5 and is systematic in the "
        "last bits; times 15",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """n elements per vector: 50 million, or a twentieth of the GPU's memory for both."""
    return {"n": min(3 << 24, card.memory // 160 // 4 * 4)}


def work(n: dict[str, int]) -> Work:
    """Both vectors are read once; one multiply-add per element."""
    return Work(bytes=8.0 * n["n"], flop=2.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """Two vectors of numbers in [0, 1)."""
    return {"x": rng.random(n["n"], dtype=xp.float32), "y": rng.random(n["n"], dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """One number."""
    return {"out": xp.zeros(1, xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """In double precision, part by part."""
    total, part = xp.zeros(1, xp.float64), 1 << 22
    for start in range(0, n["n"], part):
        x, y = (data[name][start : start + part].astype(xp.float64) for name in ("x", "y"))
        total += (x * y).sum()
    return {"out": total}
