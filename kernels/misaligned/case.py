"""Sums of the eight features of 32 table records for each query; the table is several times smaller than L2."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

LOOKUPS = 32
HEADER, RECORD, FEATURES = 4, 32, 8  # in floats; the features are the last of a record
_BYTES = 160  # of a query: 32 indices and eight sums
_MULTIPLE = 1 << 12

TOLERANCES = {
    "result": Tolerance(4e-6, 0.0, "32 positive numbers added in single precision: 31 roundings of 2^-24 at most"),
}


def sizes(card: Card) -> dict[str, int]:
    """entries: records of 128 bytes that fill a quarter of L2 or less; queries: 2^21 on a large GPU."""
    entries = 1 << ((max(card.l2, 1 << 20) // 4 // 128).bit_length() - 1)
    return {"entries": entries, "queries": min(1 << 21, int(0.3 * card.memory) // _BYTES // _MULTIPLE * _MULTIPLE)}


def work(n: dict[str, int]) -> Work:
    """Indices, features and sums are transferred once; one addition per feature."""
    return Work(n["queries"] * 4.0 * (LOOKUPS + FEATURES) + 32.0 * n["entries"], 8.0 * LOOKUPS * n["queries"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """file: a header of 4 floats, then the records; table: (entries, 32) float32; index: (queries, 32) int32."""
    file = rng.random(HEADER + n["entries"] * RECORD, dtype=xp.float32)
    index = rng.integers(0, n["entries"], (n["queries"], LOOKUPS), dtype=xp.int32)
    return {"file": file, "table": file[HEADER:].reshape(-1, RECORD).copy(), "index": index}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"result": xp.empty((n["queries"], FEATURES), xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Every 37th query, all eight sums."""
    return {"result": out["result"][::37]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    rows = data["index"][::37]
    total = xp.zeros((rows.shape[0], FEATURES), np.float64)
    for k in range(LOOKUPS):
        total += data["table"][rows[:, k], RECORD - FEATURES :]
    return {"result": total}
