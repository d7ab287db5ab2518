"""Product of two square matrices of floats."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

STEP = 65  # checked: every 65th row, so that each row of a tile occurs


def sizes(card: Card) -> dict[str, int]:
    """n: rows and columns, a multiple of 128; half as large on a GPU with fewer than 40 SMs, less with less memory."""
    return {"n": min(4096 if card.sms >= 40 else 2048, int((card.memory / 64) ** 0.5) // 128 * 128)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=12.0 * n["n"] ** 2, flop=2.0 * n["n"] ** 3)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    return {name: rng.random(n["n"] ** 2, dtype=xp.float32) for name in ("a", "b")}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"c": xp.empty(n["n"] ** 2, np.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    a, b = (data[name].reshape(n["n"], n["n"]) for name in ("a", "b"))
    return {"c": a[::STEP].astype(np.float64) @ b.astype(np.float64)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"c": out["c"].reshape(n["n"], n["n"])[::STEP]}


TOLERANCES = {
    "c": Tolerance(
        3e-5,
        0.0,
        "n = 4096 positive products added one after another: by chance sqrt(n) * 2^-24 = 4e-6 of the sum at most, with "
        "room; one product is worth 2.4e-4 on average",
    )
}
