"""C = A B with half-precision inputs and single-precision output, square."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

ROWS = 61  # every 61st row is compared: all residues of a tile's 128 rows occur

TOLERANCES = {
    "c": Tolerance(
        relative=0.0,
        absolute=0.04,
        why="inputs are uniform in (-0.5, 0.5): a product has variance 1/144, so 32 of them sum to about 0.5 and "
        "each of the 32 half-precision additions rounds by up to 2^-12 of that. 4096 such errors add up at "
        "random to about 0.003; the limit is over ten times that, and a hundredth of the output's own standard "
        "deviation of 5.3",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """n: a multiple of 128; less on a GPU with less than 1 GiB of memory."""
    return {"n": min(4096, int((card.memory / 64) ** 0.5) // 128 * 128)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=8.0 * n["n"] ** 2, flop=2.0 * n["n"] ** 3)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    size = n["n"] * n["n"]
    return {name: (rng.random(size, dtype=xp.float32) - xp.float32(0.5)).astype(xp.float16) for name in ("a", "b")}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"c": xp.empty(n["n"] * n["n"], xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"c": out["c"].reshape(n["n"], -1)[::ROWS]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    a = data["a"].reshape(n["n"], -1)[::ROWS].astype(xp.float64)
    return {"c": a @ data["b"].reshape(n["n"], -1).astype(xp.float64)}


def answers(step: str, n: dict[str, int]) -> dict[str, str]:
    return {"intended_dtype": "f16"}
