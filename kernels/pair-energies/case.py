"""Lennard-Jones energies at many distances, summed over four kinds of pairs."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

KINDS = ((0.2, 0.9), (0.25, 1.0), (0.3, 1.05), (0.15, 1.1))  # epsilon, sigma
SAMPLE = 61  # every 61st pair: odd, to cover all lanes
TOLERANCES = {
    "energy": Tolerance(
        1e-4,
        1e-4,
        "the twelfth power makes the rounding of a quotient, 3 * 2^-24, twelve times as large: 2e-6 of terms up to 4, "
        "which partly cancel",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """n: pairs of 4 bytes in and 4 bytes out, a multiple of 4096."""
    return {"n": min(1 << 25, int(0.20 * card.memory) // 8 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * n["n"], flop=(2 + 4 * 7.0) * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "distance": xp.float32(0.95) + xp.float32(2.0) * rng.random(n["n"], dtype=xp.float32),
        "kinds": xp.array(KINDS, xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"energy": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"energy": out["energy"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    r = data["distance"][::SAMPLE].astype(xp.float64)
    total = xp.zeros(r.shape, xp.float64)
    for epsilon, sigma in data["kinds"].astype(xp.float64):
        q6 = (sigma / r) ** 6
        total += 4 * epsilon * (q6 * q6 - q6)
    return {"energy": total}
