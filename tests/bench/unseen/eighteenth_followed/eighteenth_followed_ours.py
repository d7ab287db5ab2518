"""Cures of the kernels of orchids.cu by an author who followed the advice; all else is the round's."""

from __future__ import annotations

from typing import Any

import eighteenth_ours
import numpy as np
from device import Tools
from pair import Pair, follow

MOST = 4096  # meshes of a part of a net


def like_slow(_: Tools, pair: Pair) -> dict[str, Any]:
    slow: Any = pair.slow
    return {"grid": slow.grid, "block": slow.block, "args": slow.args, "shared": slow.shared}


def whistle_modes(t: Tools, pair: Pair) -> dict[str, Any]:
    # 16 tiles by 64 shares are nearly a whole wave of 1,056 blocks
    return like_slow(t, pair) | {"grid": (4, 4, t.size(64, 4))}


def pickle_sourness(t: Tools, pair: Pair) -> dict[str, Any]:
    same = like_slow(t, pair)
    return same | {"grid": (same["grid"][0] // 4,)}  # 1,024 jars of a block


def drum_skins(t: Tools, pair: Pair) -> dict[str, Any]:
    same = like_slow(t, pair)
    return same | {"grid": (same["grid"][0] // 8,)}  # a drum a warp


def bale_values(t: Tools, pair: Pair) -> dict[str, Any]:
    same = like_slow(t, pair)
    bale, *others = same["args"]
    mass, moisture = (t.xp.ascontiguousarray(bale[:, column]) for column in (6, 7))
    return same | {"args": (mass, moisture, *others)}


def net_strains(t: Tools, pair: Pair) -> dict[str, Any]:
    """Each net in equal parts of at most MOST meshes."""
    same = like_slow(t, pair)
    length, rest, starts, *others = same["args"]
    start = t.host(starts).astype(np.int64)
    meshes = np.diff(start)
    parts = -(-meshes // MOST)
    net = np.repeat(np.arange(parts.size), parts)
    number = np.arange(net.size) - np.repeat(np.cumsum(parts) - parts, parts)
    edges = [start[net] + meshes[net] * (number + more) // parts[net] for more in (0, 1)]
    part = t.xp.asarray(np.ascontiguousarray(np.stack([net, *edges], axis=1).astype(np.int32)))
    return same | {"grid": (int(net.size),), "args": (length, rest, part, *others)}


CASES = follow(
    eighteenth_ours.CASES,
    "orchids",
    {
        "ivy_spread": like_slow,  # the grid is square in rows and columns: 32 by 8 of them a block
        "pickle_sourness": pickle_sourness,
        "abacus_beads": like_slow,
        "whistle_modes": whistle_modes,
        "dart_fields": like_slow,
        "crane_trusses": like_slow,
        "gear_torques": like_slow,
        "pebble_loads": like_slow,
        "drum_skins": drum_skins,
        "parachute_falls": like_slow,
        "piano_strings": like_slow,
        "bale_values": bale_values,
        "net_strains": net_strains,
        "kite_tails": like_slow,
    },
)
