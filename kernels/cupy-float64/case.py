"""Kepler's equation E - e sin(E) = M for many orbits, in single precision."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

NEWTON = 5
SAMPLE = 17  # every 17th orbit is compared

TOLERANCES = {
    "anomaly": Tolerance(
        relative=0.0,
        absolute=4e-6,
        why="E is of order pi, so its unit in the last place is 2.4e-7; at e <= 0.6 an error of the residual "
        "grows by at most 1 / (1 - e) = 2.5 on its way into E, and a residual carries about five roundings: 3e-6",
    )
}


def sizes(card: Card) -> dict[str, int]:
    return {"n": min(1 << 24, card.memory // 64 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    # Two functions of some 15 operations, a division of some 8 and six sums and products in each of the Newton steps.
    return Work(bytes=12.0 * n["n"], flop=44.0 * NEWTON * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "mean": xp.float32(3.1415926) * (2 * rng.random(n["n"], dtype=xp.float32) - 1),
        "eccentricity": xp.float32(0.6) * rng.random(n["n"], dtype=xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"anomaly": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"anomaly": out["anomaly"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    mean = data["mean"][::SAMPLE].astype(xp.float64)
    eccentricity = data["eccentricity"][::SAMPLE].astype(xp.float64)
    e = mean + eccentricity * xp.sin(mean)
    for _ in range(NEWTON + 4):
        e = e - (e - eccentricity * xp.sin(e) - mean) / (1 - eccentricity * xp.cos(e))
    return {"anomaly": e}


def answers(step: str, n: dict[str, int]) -> dict[str, str]:
    return {"intended_dtype": "f32"}
