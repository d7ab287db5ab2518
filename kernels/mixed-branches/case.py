"""Particles of eight materials, each followed through the same number of small steps under its material's force."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

STEPS = 256
H = 0.05  # the time step
SAMPLE = 61  # every 61st particle: all lanes occur, and all materials, because these are random

TOLERANCES = {
    "out": Tolerance(
        relative=0.0,
        absolute=1e-4,
        why="each of 256 steps rounds position and speed, both under 2, by at most 2^-24; a particle in a well "
        "keeps such an error, but an error of its energy shifts its frequency, so that it grows with the time "
        "that is left, 12.8 at most: 2 * 256 * 2^-24 * 12.8 = 4e-4 if all pointed the same way, sqrt(256) times "
        "less, 2.4e-5, at random",
    )
}


def sizes(card: Card) -> dict[str, int]:
    return {"n": min(1 << 22, card.memory // 64 // 4096 * 4096), "steps": STEPS}


def work(n: dict[str, int]) -> Work:
    # About eight operations per step: a force of four, two multiply-adds.
    return Work(bytes=12.0 * n["n"], flop=8.0 * n["steps"] * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    material = rng.integers(0, 8, n["n"], dtype=xp.int32)
    return {
        "material": material,
        "in": 2 * rng.random(n["n"], dtype=xp.float32) - 1,
        "order": xp.argsort(material).astype(xp.int32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"out": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"out": out["out"][::SAMPLE]}


def _force(xp: Any, material: int, v: Any) -> Any:
    """The force of a material on a particle at v, as in the kernels."""
    return (
        lambda: -v,
        lambda: -v * v * v,
        lambda: -v * abs(v),
        lambda: -xp.clip(v, -0.5, 0.5),
        lambda: xp.clip(v, -0.25, 0.25) - v,
        lambda: -v * (v**4 + 0.5),
        lambda: -v * (1 - v * v / 6 + v**4 / 120),
        lambda: -v * (1 + v * (0.5 + v)),
    )[material]()


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    kinds, start = data["material"][::SAMPLE], data["in"][::SAMPLE].astype(xp.float64)
    out = xp.zeros(start.shape, xp.float64)
    for material in range(8):
        v = start[kinds == material]
        w = xp.zeros(v.shape, xp.float64)
        for _ in range(n["steps"]):
            w = w + H * _force(xp, material, v)
            v = v + H * w
        out[kinds == material] = v + w
    return {"out": out}
