"""Many symmetric positive definite systems of 12 equations, one per thread, element by element in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

M = 12
ELEMENTS = M * (M + 1) // 2
STEP = 251  # checked: every 251st system


def sizes(card: Card) -> dict[str, int]:
    """n: systems of 408 bytes each; 856 MB in total, or 30 % of the memory."""
    return {"n": min(1 << 21, int(0.30 * card.memory) // 408 // 1024 * 1024)}


def work(n: dict[str, int]) -> Work:
    multiply_adds = sum((M - k) * (M - 1 - k) // 2 + (M - 1 - k) for k in range(M)) + M * (M - 1) // 2
    products = sum(M - 1 - k for k in range(M)) + 2 * M
    return Work(bytes=4.0 * (ELEMENTS + 2 * M) * n["n"], flop=float(n["n"]) * (2 * multiply_adds + products + M))


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """Off the diagonal -0.5 to 0.5, on it 12 to 13: the diagonal dominates, so the matrices are positive definite."""
    matrices = rng.random(ELEMENTS * n["n"], dtype=xp.float32)
    matrices -= np.float32(0.5)
    rows = matrices.reshape(ELEMENTS, n["n"])
    for i in range(M):
        rows[i * (i + 3) // 2] += np.float32(12.5)
    return {"matrices": matrices, "right": rng.random(M * n["n"], dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"solutions": xp.empty(M * n["n"], np.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Gaussian elimination in double precision, a different method from the kernel's."""
    lower = data["matrices"].reshape(ELEMENTS, n["n"])[:, ::STEP].astype(np.float64)
    x = data["right"].reshape(M, n["n"])[:, ::STEP].astype(np.float64)
    a = [[lower[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)].copy() for j in range(M)] for i in range(M)]
    for k in range(M):
        for i in range(k + 1, M):
            factor = a[i][k] / a[k][k]
            for j in range(k, M):
                a[i][j] = a[i][j] - factor * a[k][j]
            x[i] -= factor * x[k]
    for k in range(M - 1, -1, -1):
        for j in range(k + 1, M):
            x[k] -= a[k][j] * x[j]
        x[k] /= a[k][k]
    return {"solutions": x}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"solutions": out["solutions"].reshape(M, n["n"])[:, ::STEP]}


TOLERANCES = {
    "solutions": Tolerance(
        1e-4,
        2e-6,
        "condition number under 3, 12 steps of a few roundings and a reciprocal root good to 2^-22: below 1e-5 of the "
        "largest component, which is about 0.08; small components carry the absolute part",
    )
}
