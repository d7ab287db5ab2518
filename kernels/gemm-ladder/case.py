"""The product of two square matrices of floats."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

SAMPLE = 61  # every 61st row of C is checked: rows of all warps and tiles

# n products in [0, 1) added in single precision: the error grows like sqrt(n) * 2^-24 of a sum of about n / 4, at
# most n * 2^-24 of it; for n = 4096 that is 4e-6 and 2.4e-4.
TOLERANCES = {
    "c": Tolerance(relative=1e-4, absolute=0.0, why="25 times sqrt(n) * 2^-24 for n = 4096; all terms positive")
}


def sizes(card: Card) -> dict[str, int]:
    """4096 on a GPU with 80 SMs or more; 2048 on a smaller one, where the first version would take seconds.

    Less on a GPU with less than 256 MiB of memory; a multiple of 128.
    """
    wanted = 4096 if card.sms >= 80 and card.memory >= 2 << 30 else 2048
    return {"n": min(wanted, int((card.memory / 64) ** 0.5) // 128 * 128)}


def work(n: dict[str, int]) -> Work:
    """A and B are read once, C written once; n multiply-adds per element of C."""
    return Work(bytes=12.0 * n["n"] ** 2, flop=2.0 * n["n"] ** 3)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """A and B, row by row."""
    return {name: rng.random(n["n"] ** 2, dtype=xp.float32) for name in ("a", "b")}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """C, row by row."""
    return {"c": xp.empty(n["n"] ** 2, dtype=xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Whole rows of C."""
    return {"c": out["c"].reshape(n["n"], n["n"])[::SAMPLE]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """The same rows in double precision."""
    a, b = (data[name].reshape(n["n"], n["n"]) for name in ("a", "b"))
    return {"c": a[::SAMPLE].astype(xp.float64) @ b.astype(xp.float64)}
