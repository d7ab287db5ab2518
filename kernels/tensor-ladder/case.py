"""C = A B^T in half precision with single-precision sums, square: the rows of A and of B are contiguous."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, TensorMap, Tolerance, Work

ROWS = 61  # every 61st row is compared: all residues of a tile's 128 rows occur

TOLERANCES = {
    "c": Tolerance(
        relative=2e-3,
        absolute=0.02,
        why="the output is rounded to half precision, 2^-11 of itself; the sums of 8192 products of variance 1/144 are "
        "single precision, off by less than 1e-4. Its own standard deviation is 7.5",
    )
}


def sizes(card: Card) -> dict[str, int]:
    """n: a multiple of 1024; less on a GPU with less than 4 GiB of memory."""
    return {"n": min(8192, int((card.memory / 64) ** 0.5) // 1024 * 1024)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=6.0 * n["n"] ** 2, flop=2.0 * n["n"] ** 3)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    size = n["n"] * n["n"]
    return {name: (rng.random(size, dtype=xp.float32) - xp.float32(0.5)).astype(xp.float16) for name in ("a", "b")}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"c": xp.empty(n["n"] * n["n"], xp.float16)}


def tensor_maps(n: dict[str, int]) -> dict[str, TensorMap]:
    side = n["n"]
    return {
        "a_map": TensorMap("a", (side, side), box=(128, 64)),
        "b_map": TensorMap("b", (side, side), box=(256, 64)),
    }


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"c": out["c"].reshape(n["n"], -1)[::ROWS]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    a = data["a"].reshape(n["n"], -1)[::ROWS].astype(xp.float64)
    return {"c": a @ data["b"].reshape(n["n"], -1).astype(xp.float64).T}


def answers(step: str, n: dict[str, int]) -> dict[str, str]:
    return {"intended_dtype": "f16"}
