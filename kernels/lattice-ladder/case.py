"""Collision step of a lattice Boltzmann method with 37 velocities in two dimensions, in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

Q = 37  # velocities: the points of a square lattice with x*x + y*y <= 10
TEMPERATURE = 0.7  # of the lattice: the unit of velocity is its square root
LIMIT = 0.05  # maximum relaxation of a moment, times the density
SAMPLE = 8192  # sites that are checked, spread over all blocks and lanes

# Two sums of 37 products, each with some tens of roundings of 2^-53 on terms of at most a few tenths: about 1e-15 on
# populations between 0.0005 and 0.3. The reference rounds at 2^-64.
TOLERANCES = {
    "next": Tolerance(relative=1e-12, absolute=1e-14, why="two sums of 37 products: some 100 * 2^-53 of terms below 1")
}


def sizes(card: Card) -> dict[str, int]:
    """Sites in whole waves of one, two and three blocks of 256 per SM; both copies within a third of the memory."""
    wave = card.sms * 6 * 256
    return {"sites": wave * max(1, min(8, int(card.memory * 0.33 / (2 * Q * 8 * wave))))}


def work(n: dict[str, int]) -> Work:
    """Populations are read and written once.

    FLOP of a site: 185 for density and momentum, 13 for the velocity and terms that depend only on it, 14 for each
    direction's distance from equilibrium, 2 * 37 * 37 forward, 38 to relax, 2 * 37 * 37 back."""
    return Work(bytes=2.0 * Q * 8 * n["sites"], flop=float(185 + 13 + 14 * Q + 4 * Q * Q + 38) * n["sites"])


def _lattice() -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """Velocities, weights of a Gaussian, and the polynomials that are orthonormal under these weights.

    forward[i][k] is polynomial k at velocity i, backward[i][k] the same times the weight: applied in sequence
    they restore the populations."""
    side = range(-3, 4)
    points = np.array([(x, y) for x in side for y in side if x * x + y * y <= 10], dtype=np.float64) / TEMPERATURE**0.5
    weight = np.exp(-0.5 * (points**2).sum(axis=1))
    weight /= weight.sum()
    basis: list[np.ndarray[Any, np.dtype[np.float64]]] = []
    for order in range(13):
        for j in range(order + 1):
            row = points[:, 0] ** (order - j) * points[:, 1] ** j
            row /= np.sqrt((weight * row * row).sum())
            for _ in range(2):
                for other in basis:
                    row = row - (weight * row * other).sum() * other
            norm = np.sqrt((weight * row * row).sum())
            if norm > 1e-6:
                basis.append(row / norm)
    polynomials = np.array(basis).T
    conserved = np.arange(Q) < 3
    return {
        "forward": polynomials.ravel(),
        "backward": (weight[:, None] * polynomials).ravel(),
        "weight": weight,
        "cx": points[:, 0].copy(),
        "cy": points[:, 1].copy(),
        "rate": np.where(conserved, 0.0, 0.6 + 0.035 * np.arange(Q)),
    }


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """now[direction][site], up to 40 % over the weights; the tables of the lattice."""
    tables = {name: xp.asarray(values) for name, values in _lattice().items()}
    now = rng.random(Q * n["sites"], dtype=xp.float64).reshape(Q, n["sites"])
    now *= 0.4
    now += 1.0
    now *= tables["weight"][:, None]
    return {"now": now.ravel(), **tables}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """next[direction][site]."""
    return {"next": xp.empty(Q * n["sites"], dtype=xp.float64)}


def _spread(values: Any, sites: int) -> Any:
    """Every n-th site; the odd step covers all lanes."""
    return values.reshape(Q, sites)[:, :: max(1, sites // SAMPLE) | 1]


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The sample's populations."""
    return {"next": _spread(out["next"], n["sites"])}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The sample on the host in extended precision (64 bits of mantissa on x86)."""

    def host(values: Any) -> np.ndarray[Any, Any]:
        return np.asarray(values.get() if hasattr(values, "get") else values).astype(np.longdouble)

    f = host(_spread(data["now"], n["sites"]))
    cx, cy, weight, rate = (host(data[name])[:, None] for name in ("cx", "cy", "weight", "rate"))
    forward, backward = (host(data[name]).reshape(Q, Q) for name in ("forward", "backward"))
    rho = f.sum(axis=0)
    ux, uy = (cx * f).sum(axis=0) / rho, (cy * f).sum(axis=0) / rho
    a, b = cx * ux + cy * uy, ux * ux + uy * uy
    equilibrium = (
        weight * rho * (1 + a + (a * a - b) / 2 + (a**3 - 3 * a * b) / 6 + (a**4 - 6 * a * a * b + 3 * b * b) / 24)
    )
    moment = forward.T @ (f - equilibrium)
    change = -rate * np.clip(moment, -LIMIT * rho, LIMIT * rho)
    return {"next": xp.asarray((f + backward @ change).astype(np.float64))}
