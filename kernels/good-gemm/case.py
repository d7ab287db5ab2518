"""C = A B in single precision, square."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

ROWS = 61  # every 61st row is compared: all residues of a tile's 128 rows occur

TOLERANCES = {
    "c": Tolerance(
        relative=0.0,
        absolute=2e-4,
        why="4096 products, uniform in (-1/4, 1/4), sum to about 5.3; each addition rounds by at most 2^-24 of "
        "the sum so far, at random sqrt(4096) * 2^-24 * 5.3 = 2e-5. The limit is ten times that; a lost product "
        "is off by 0.06",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """n: a multiple of 128; less on a GPU with less than 1 GiB of memory."""
    return {"n": min(4096, int((card.memory / 64) ** 0.5) // 128 * 128)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=12.0 * n["n"] ** 2, flop=2.0 * n["n"] ** 3)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    size = n["n"] * n["n"]
    return {name: rng.random(size, dtype=xp.float32) - xp.float32(0.5) for name in ("a", "b")}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"c": xp.empty(n["n"] * n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"c": out["c"].reshape(n["n"], -1)[::ROWS]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    a = data["a"].reshape(n["n"], -1)[::ROWS].astype(xp.float64)
    return {"c": a @ data["b"].reshape(n["n"], -1).astype(xp.float64)}


def answers(step: str, n: dict[str, int]) -> dict[str, Any]:
    return {"theoretical_flop": 2.0 * n["n"] ** 3, "redundant_work": "no"}
