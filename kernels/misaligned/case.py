"""Sums of 32 table entries of eight features for each query; the table fits L2 several times over."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

LOOKUPS = 32
_BYTES = 160  # of a query: 32 indices and eight sums
_MULTIPLE = 1 << 12

TOLERANCES = {
    "result": Tolerance(4e-6, 0.0, "32 positive numbers added in single precision: 31 roundings of 2^-24 at most"),
}


def sizes(card: Card) -> dict[str, int]:
    """entries: so many that 32 bytes of each fill a sixth of L2 or less; queries: 2^21 on a large card."""
    entries = 1 << ((max(card.l2, 1 << 20) // 6 // 32).bit_length() - 1)
    return {"entries": entries, "queries": min(1 << 21, int(0.3 * card.memory) // _BYTES // _MULTIPLE * _MULTIPLE)}


def work(n: dict[str, int]) -> Work:
    """Indices and features once, sums once; an addition for each feature looked up."""
    return Work(n["queries"] * 4.0 * (LOOKUPS + 8) + 32.0 * n["entries"], 8.0 * LOOKUPS * n["queries"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """packed: (entries, 9) float32, the first a key; features: the other eight alone; index: (queries, 32) int32."""
    packed = rng.random((n["entries"], 9), dtype=xp.float32)
    index = rng.integers(0, n["entries"], (n["queries"], LOOKUPS), dtype=xp.int32)
    return {"packed": packed, "features": packed[:, 1:].copy(), "index": index}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"result": xp.empty((n["queries"], 8), xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Every 37th query, all eight sums."""
    return {"result": out["result"][::37]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    rows = data["index"][::37]
    total = xp.zeros((rows.shape[0], 8), np.float64)
    for k in range(LOOKUPS):
        total += data["packed"][rows[:, k], 1:]
    return {"result": total}
