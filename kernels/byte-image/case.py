"""Inversion of a grey image of n pixels of one byte."""

from __future__ import annotations

from typing import Any

from advisor.practice.api import Card, Tolerance, Work

_MULTIPLE = 1 << 20

TOLERANCES = {"positive": Tolerance(0.0, 0.0, "whole numbers from 0 to 255 are exact")}


def sizes(card: Card) -> dict[str, int]:
    """n: pixels; 2^29 on a large GPU, 512 MiB in and 512 MiB out."""
    return {"n": min(1 << 29, int(0.3 * card.memory) // 2 // _MULTIPLE * _MULTIPLE)}


def work(n: dict[str, int]) -> Work:
    """One byte in and one byte out per pixel."""
    return Work(2.0 * n["n"], 0.0)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """negative: n uint8, 0 to 255."""
    return {"negative": rng.integers(0, 256, n["n"], dtype=xp.uint8)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"positive": xp.empty(n["n"], xp.uint8)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"positive": xp.uint8(255) - data["negative"]}
