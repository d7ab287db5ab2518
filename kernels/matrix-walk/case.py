"""y = A x for eight vectors x; A has 4096 columns and is far larger than L2."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

COLS, VECTORS = 4096, 8
_MULTIPLE = 1024

TOLERANCES = {
    "y": Tolerance(2e-5, 0.0, "4096 positive products, some 160 roundings of 2^-24 one after the other: 1e-5"),
}


def sizes(card: Card) -> dict[str, int]:
    """rows: 2^17 on a large GPU, 2 GiB of matrix; cols: 4096."""
    return {"rows": min(1 << 17, int(0.35 * card.memory) // (4 * COLS) // _MULTIPLE * _MULTIPLE), "cols": COLS}


def work(n: dict[str, int]) -> Work:
    """Matrix, vectors and products are transferred once; one multiply-add per element and vector."""
    elements = n["rows"] * n["cols"]
    return Work(4.0 * (elements + VECTORS * (n["rows"] + n["cols"])), 2.0 * VECTORS * elements)


def answers(step: str, n: dict[str, int]) -> dict[str, Any]:
    return {"theoretical_bytes": work(n).bytes, "reads_again": "no" if step == "all-vectors" else "yes"}


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """a: (rows, cols), x: (8, cols), float32 in [0, 1)."""
    return {
        "a": rng.random((n["rows"], n["cols"]), dtype=xp.float32),
        "x": rng.random((VECTORS, n["cols"]), dtype=xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"y": xp.empty((VECTORS, n["rows"]), xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Every 17th row, all vectors."""
    return {"y": out["y"][:, ::17]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"y": data["x"].astype(xp.float64) @ data["a"][::17].astype(xp.float64).T}
