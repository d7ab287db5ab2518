"""A bank of leaky integrators driven by one signal, v(t) = leak v(t - 1) + input(t); 512 of them per SM."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

PER_SM = 512  # four for each of 128 threads
SAMPLE = 129  # every 129th integrator: all lanes occur, and all four quarters

TOLERANCES = {
    "potential": Tolerance(
        relative=0.0,
        absolute=0.02,
        why="a leak up to 0.9999 remembers 10^4 samples, so a potential is about sqrt(10^4 / 2) = 70. A "
        "remembered sample adds a rounding of up to 2^-24 of that, at random sqrt(10^4 / 2) * 4e-6 = 3e-4, with "
        "rare sums at several times that; a chain split into four by the leak's fourth power adds up to 0.01. "
        "One lost sample is off by about 1",
    )
}


def sizes(card: Card) -> dict[str, int]:
    # Over half of an SM's shared memory, so that one block fits, and within the limit of a block.
    room = min(0.6 * card.shared_per_sm, card.shared_per_block - 2048.0)
    return {"samples": int(room) // 4096 * 1024, "integrators": PER_SM * card.sms}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=4.0 * n["samples"] + 8.0 * n["integrators"], flop=2.0 * n["samples"] * n["integrators"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {
        "signal": rng.standard_normal(n["samples"], dtype=xp.float32),
        "leaks": xp.float32(0.999) + xp.float32(0.0009) * rng.random(n["integrators"], dtype=xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"potential": xp.empty(n["integrators"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"potential": out["potential"][::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    leak = data["leaks"][::SAMPLE].astype(xp.float64)
    age = xp.arange(n["samples"] - 1, -1, -1, dtype=xp.float64)
    return {"potential": (leak[:, None] ** age[None, :]) @ data["signal"].astype(xp.float64)}
