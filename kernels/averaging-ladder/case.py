"""Data sets of vectors: the average of each set, then a matrix times the average."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

LENGTH = 1024  # elements of a vector, rows and columns of the matrix
COUNT = 1024  # vectors of a data set

# An average of 1024 numbers in [0, 1), added sequentially in the worst case: a relative error of at most 1024 * 2^-24 =
# 6e-5, on average sqrt(1024) * 2^-24 = 2e-6. The product adds 1024 terms that are all positive: another 6e-5 at most.
TOLERANCES = {
    "result": Tolerance(relative=1.3e-4, absolute=0.0, why="two sums of 1024 positive terms: 2 * 1024 * 2^-24")
}


def sizes(card: Card) -> dict[str, int]:
    """Two data sets per SM (two blocks of 1024 threads fit), 4 MB each, within a third of the memory."""
    most = int(card.memory * 0.35) // (4 * LENGTH * COUNT)
    return {"sets": max(1, min(2 * card.sms, most)), "count": COUNT}


def work(n: dict[str, int]) -> Work:
    """Every vector and the matrix are read once, the results written once; one addition per number read, and one
    multiply-add per matrix element and data set."""
    numbers = n["sets"] * LENGTH * n["count"]
    return Work(
        bytes=4.0 * (numbers + LENGTH * LENGTH + n["sets"] * LENGTH),
        flop=float(numbers) + 2.0 * n["sets"] * LENGTH * LENGTH,
    )


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """data[set][element][vector] and matrix[row][element]."""
    return {
        "data": rng.random(n["sets"] * LENGTH * n["count"], dtype=xp.float32),
        "matrix": rng.random(LENGTH * LENGTH, dtype=xp.float32),
    }


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """result[set][row]."""
    return {"result": xp.empty(n["sets"] * LENGTH, dtype=xp.float32)}


def scratch(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """averages[set][element], if a version keeps them in memory."""
    return {"averages": xp.empty(n["sets"] * LENGTH, dtype=xp.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Both sums in double precision."""
    averages = data["data"].reshape(n["sets"], LENGTH, n["count"]).mean(axis=2, dtype=xp.float64)
    matrix = data["matrix"].reshape(LENGTH, LENGTH).astype(xp.float64)
    return {"result": (averages @ matrix.T).ravel()}
