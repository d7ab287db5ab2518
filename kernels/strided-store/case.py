"""Conversion of eight planes of n values to n records of eight."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

_BYTES = 64  # eight floats in, eight out
_MULTIPLE = 1 << 16

TOLERANCES = {"records": Tolerance(0.0, 0.0, "values are moved, not computed")}


def sizes(card: Card) -> dict[str, int]:
    """n: records; 2^24 on a large GPU, 512 MiB in and 512 MiB out."""
    return {"n": min(1 << 24, int(0.35 * card.memory) // _BYTES // _MULTIPLE * _MULTIPLE)}


def work(n: dict[str, int]) -> Work:
    """Each value read once and written once."""
    return Work(64.0 * n["n"], 0.0)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """planes: (8, n) float32 in [0, 1)."""
    return {"planes": rng.random((8, n["n"]), dtype=xp.float32)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"records": xp.empty((n["n"], 8), xp.float32)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """Every fifth record, completely."""
    return {"records": out["records"][::5]}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"records": data["planes"][:, ::5].T}
