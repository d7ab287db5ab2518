"""The mixing product of two complex fields: x y + (x - y)(x + y) / 2, element by element in double precision."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

LAUNCHES = {"expression": 6, "in-place": 6, "fuse": 1, "elementwise-kernel": 1}
SAMPLE = 17  # every 17th element is compared

TOLERANCES = {
    "z": Tolerance(
        relative=0.0,
        absolute=1e-14,
        why="the reference forms x^2 and y^2 where the kernels form x - y and x + y: with parts under 1 both "
        "round four times, by at most 2^-53 of values under 4, so they differ by less than 16 * 4 * 2^-53 = "
        "7e-15",
    )
}


def sizes(card: Card) -> dict[str, int]:
    return {"n": min(1 << 24, card.memory // 256 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    # Two complex products of six operations, three complex sums of two, one scaling of two.
    return Work(bytes=3 * 16.0 * n["n"], flop=20.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {name: rng.random(2 * n["n"], dtype=xp.float64).view(xp.complex128) for name in ("x", "y")}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"z": xp.empty(n["n"], xp.complex128)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"z": out["z"].view("f8").reshape(-1, 2)[::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    (a, b), (c, d) = (data[name].view(xp.float64).reshape(-1, 2)[::SAMPLE].T for name in ("x", "y"))
    real = a * c - b * d + 0.5 * ((a * a - b * b) - (c * c - d * d))
    return {"z": xp.stack([real, a * d + b * c + a * b - c * d], axis=1)}


def answers(step: str, n: dict[str, int]) -> dict[str, float]:
    return {"theoretical_bytes": work(n).bytes / LAUNCHES[step]}
