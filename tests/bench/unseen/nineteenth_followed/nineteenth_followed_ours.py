"""Cures of the kernels of harbours.cu by an author who followed the advice; all else is the round's."""

from __future__ import annotations

from typing import Any

import nineteenth_ours
import numpy as np
from device import Tools
from pair import Pair, follow


def like_slow(_: Tools, pair: Pair) -> dict[str, Any]:
    slow: Any = pair.slow
    return {"grid": slow.grid, "block": slow.block, "args": slow.args, "shared": slow.shared}


def greenhouse_degree_days(t: Tools, pair: Pair) -> dict[str, Any]:
    same = like_slow(t, pair)
    return same | {"grid": (same["grid"][0] * 32,)}  # a greenhouse a warp


def knot_polynomials(t: Tools, pair: Pair) -> dict[str, Any]:
    same = like_slow(t, pair)
    return same | {"grid": (same["grid"][0] * 4,), "block": (512,)}  # 32 places of a block, 16 parts of the terms


def rink_freezing(t: Tools, pair: Pair) -> dict[str, Any]:
    """Rinks by about the number of their steps, the longest first."""
    same = like_slow(t, pair)
    cold, goal, _, skin, *_ = same["args"]
    about = goal * (skin + goal / 2) / cold
    order = t.xp.ascontiguousarray(t.xp.argsort(-about).astype(np.int32))
    return same | {"args": (order, *same["args"])}


def lake_relaxation(t: Tools, pair: Pair) -> dict[str, Any]:
    same = like_slow(t, pair)
    across, down = same["grid"]
    return same | {"grid": (across, down // 8)}  # 64 rows of a block


def mill_specks(t: Tools, pair: Pair) -> dict[str, Any]:
    same = like_slow(t, pair)
    return same | {"grid": (-(-same["grid"][0] // 16),)}  # 16 points a thread


def lawn_background(t: Tools, pair: Pair) -> dict[str, Any]:
    same = like_slow(t, pair)
    shared = 4 * 8 * 128 + 96 * 128 * 4  # tiles of four warps, and counts
    return same | {"grid": (-(-same["grid"][0] // 4),), "shared": shared}  # four pixels a thread


def wool_differences(t: Tools, pair: Pair) -> dict[str, Any]:
    same = like_slow(t, pair)
    across, down = same["grid"]
    return same | {"grid": (across // 4, down // 4)}  # 64 by 64 of a block


def bracelet_balance(t: Tools, pair: Pair) -> dict[str, Any]:
    same = like_slow(t, pair)
    return same | {"grid": (-(-same["grid"][0] // 64),), "block": (256,)}  # 64 bracelets of a block


def brick_layout(t: Tools, pair: Pair) -> dict[str, Any]:
    same = like_slow(t, pair)
    scan, gain, laid, *sizes = same["args"]
    _, channels, depth, rows, columns = (int(size) for size in sizes)
    args = (scan, gain, laid, *(np.int32(size) for size in sizes))
    return same | {"grid": (-(-rows // 2), depth, channels), "block": (columns, 2), "args": args}


CASES = follow(
    nineteenth_ours.CASES,
    "harbours",
    {
        "greenhouse_degree_days": greenhouse_degree_days,
        "tulip_colours": like_slow,
        "compass_deviation": like_slow,
        "elevator_grain_heat": like_slow,
        "knot_polynomials": knot_polynomials,
        "rink_freezing": rink_freezing,
        "lake_relaxation": lake_relaxation,
        "organ_pipes": like_slow,
        "mill_specks": mill_specks,
        "petal_softening": like_slow,
        "lawn_background": lawn_background,
        "wool_differences": wool_differences,
        "bracelet_balance": bracelet_balance,
        "brick_layout": brick_layout,
    },
)
