"""Histogram of floats from 0 to below 1 in 16 bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

ZEROED = ("bins",)
CHUNK = 1 << 22


def sizes(card: Card) -> dict[str, int]:
    """n: energies of 4 bytes, a multiple of 4096."""
    return {"n": min(1 << 26, int(0.30 * card.memory) // 4 // 4096 * 4096)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=4.0 * n["n"], flop=1.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """Squares of uniform random numbers: the first bins get most of them."""
    energy = rng.random(n["n"], dtype=xp.float32)
    energy *= energy
    xp.minimum(energy, np.float32(1 - 2.0**-24), out=energy)
    return {"energy": energy}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"bins": xp.zeros(16, np.uint32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Sixteen times a float is exact, so the bin of an element is unambiguous."""
    bins = xp.zeros(16, np.int64)
    for start in range(0, n["n"], CHUNK):
        part = (data["energy"][start : start + CHUNK] * np.float32(16)).astype(np.int32)
        bins += xp.bincount(part, minlength=16)
    return {"bins": bins.astype(np.uint32)}


def answers(step: str, n: dict[str, int]) -> dict[str, Any]:
    return {"integer_work": "yes"}


TOLERANCES = {"bins": Tolerance(0.0, 0.0, "whole numbers: they are equal")}
