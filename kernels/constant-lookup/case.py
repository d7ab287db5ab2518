"""Luminance of an image of sRGB pixels, four bytes each (the fourth is not used)."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

STEP = 61  # checked: every 61st pixel


def sizes(card: Card) -> dict[str, int]:
    """n: pixels, 5 bytes each in total, a multiple of 4."""
    return {"n": min(1 << 27, int(0.30 * card.memory) // 5 // 4 * 4)}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=5.0 * n["n"] + 1024.0, flop=7.0 * n["n"])


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """A noise image, and the sRGB transfer function at the 256 values of a byte."""
    c = np.arange(256) / 255.0
    table = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).astype(np.float32)
    return {"image": rng.integers(0, 1 << 30, n["n"], dtype=xp.uint32), "table": xp.asarray(table)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"light": xp.empty(n["n"], np.uint8)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    pixels, table = data["image"][::STEP], data["table"].astype(np.float64)
    r, g, b = (table[((pixels >> np.uint32(shift)) & np.uint32(255)).astype(np.int64)] for shift in (0, 8, 16))
    return {"light": 255.0 * (0.2126 * r + 0.7152 * g + 0.0722 * b)}


def checked(out: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"light": out["light"][::STEP]}


TOLERANCES = {
    "light": Tolerance(
        0.0,
        0.501,
        "rounding to a byte takes up to a half; five roundings of 2^-24 before it are below 1e-4 of 255",
    )
}
