"""Charge density from particles: n particles of eight floats, of which the kernel needs one."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

INVERSE_VOLUME = np.float32(0.37)
_BYTES = 40  # a particle as a struct, its charge again in an array, its density
_MULTIPLE = 1 << 16

TOLERANCES = {
    "density": Tolerance(1e-6, 0.0, "one product in single precision: half a unit in the last place, 2^-24 = 6e-8"),
}


def sizes(card: Card) -> dict[str, int]:
    """n: particles; 2^27 on a large GPU."""
    return {"n": min(1 << 27, int(0.35 * card.memory) // _BYTES // _MULTIPLE * _MULTIPLE)}


def work(n: dict[str, int]) -> Work:
    """4 bytes of charge in, 4 bytes of density out, one product."""
    return Work(8.0 * n["n"], 1.0 * n["n"])


def scalars(n: dict[str, int]) -> dict[str, Any]:
    return {"inverse_volume": INVERSE_VOLUME}


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """particles: (n, 8) float32 in [0, 1); charge: its last column, contiguous."""
    particles = rng.random((n["n"], 8), dtype=xp.float32)
    return {"particles": particles, "charge": particles[:, 7].copy()}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"density": xp.empty(n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Every 13th particle: covers all positions in a block and in a vector."""
    return {"density": out["density"][::13]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    charge = data["particles"][::13, 7].astype(xp.float64)
    return {"density": charge * float(INVERSE_VOLUME)}
