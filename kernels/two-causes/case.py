"""Kinetic energy of the particles of 64 domains, one after the other in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

DOMAINS = 64
FIELDS = ("vx", "vy", "vz", "mass")
ZEROED = ("energy",)


def sizes(card: Card) -> dict[str, int]:
    """n: particles, 32 bytes as structs and 16 as arrays; a multiple of 64 domains of 8192."""
    return {"n": min(1 << 25, int(0.30 * card.memory) // 48 // (DOMAINS * 8192) * DOMAINS * 8192)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=16.0 * n["n"], flop=8.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    particles = rng.random(8 * n["n"], dtype=xp.float32)
    arrays = {name: xp.ascontiguousarray(particles[4 + f :: 8]) for f, name in enumerate(FIELDS)}
    return {"particles": particles, **arrays}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"energy": xp.zeros(DOMAINS, np.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    per_domain = n["n"] // DOMAINS
    sums = []
    for start in range(0, n["n"], per_domain):
        vx, vy, vz, mass = (data[f][start : start + per_domain].astype(np.float64) for f in FIELDS)
        sums.append((0.5 * mass * (vx * vx + vy * vy + vz * vz)).sum())
    return {"energy": xp.stack([xp.asarray(s) for s in sums])}


TOLERANCES = {
    "energy": Tolerance(
        5e-5,
        0.0,
        "4096 warps' sums of 32 added one after another: each rounds by at most 2^-25 of the total, "
        "1.2e-4 in all and by chance 64 * 2^-25 = 2e-6; a warp left out is worth 2.4e-4",
    )
}
