"""The variance of each of many series of readings, kept in linked pages.

A page is 128 bytes: 31 readings and, as its last word, the number of the series' next page. The pages of a series are
anywhere in the pool. Readings are centred on zero.
"""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

READINGS = 31
LENGTH = 32
TOLERANCES = {
    "out": Tolerance(
        1e-5,
        0.0,
        "a lane adds 32 squares one after the other, then 32 lanes are added in a tree: sqrt(32) * 2^-24 is under "
        "1e-6, and the mean of centred readings is too small to cancel anything; times ten",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """series: 512 warps per SM, a multiple of four. On an H200 pages take 277 MB, the ordered readings 268 MB."""
    return {"series": 512 * card.sms, "length": LENGTH}


def work(n: dict[str, int]) -> Work:
    """Each reading is read once, each result written once; one addition and one multiply-add per reading."""
    readings = float(READINGS * n["length"] * n["series"])
    return Work(bytes=4 * readings + 4.0 * n["series"], flop=3 * readings)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """pages: (series * length, 32) words, readings in [-0.5, 0.5) as bits; first: each series' first page.

    readings: the same readings in the order of the series, (series, length, 31).
    """
    count = n["series"] * n["length"]
    order = xp.argsort(rng.random(count, dtype=xp.float32)).reshape(n["series"], n["length"])
    pages = (rng.random((count, 32), dtype=xp.float32) - xp.float32(0.5)).view(xp.uint32)
    pages[order.ravel(), READINGS] = xp.roll(order, -1, axis=1).ravel().astype(xp.uint32)
    readings = xp.empty((n["series"], n["length"], READINGS), xp.float32)
    for t in range(n["length"]):
        readings[:, t] = pages[order[:, t], :READINGS].view(xp.float32)
    return {"pages": pages, "first": order[:, 0].astype(xp.uint32), "readings": readings}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """The variance of each series."""
    return {"out": xp.empty(n["series"], xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """All series follow their links at the same time, in double precision."""
    page = data["first"].astype(xp.int64)
    total = xp.zeros(n["series"], xp.float64)
    squares = xp.zeros(n["series"], xp.float64)
    for _ in range(n["length"]):
        words = data["pages"][page]
        readings = xp.ascontiguousarray(words[:, :READINGS]).view(xp.float32).astype(xp.float64)
        total += readings.sum(axis=1)
        squares += (readings * readings).sum(axis=1)
        page = words[:, READINGS].astype(xp.int64)
    count = READINGS * n["length"]
    return {"out": squares / count - (total / count) ** 2}
