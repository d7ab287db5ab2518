"""Cures of the kernels of viaducts.cu by authors who followed the advice; all else is the round's."""

from __future__ import annotations

from typing import Any

import numpy as np
import seventeenth_more
from device import Tools
from pair import Pair, follow


def by_pieces(t: Tools, pair: Pair) -> dict[str, Any]:
    """Large clusters in pieces of 32 grains, small ones whole; the largest first."""
    grain, begins, pull = pair.slow.args
    start = t.host(begins)
    held = np.diff(start)
    piece = np.where(held > 128, 32, 128)
    blocks = -(-held // piece)
    owner = np.repeat(np.arange(len(held)), blocks)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(blocks) - blocks, blocks)
    task = np.stack([owner, start[owner] + piece[owner] * within], axis=1).astype(np.int32)
    task = np.ascontiguousarray(task[np.argsort(-held[owner], kind="stable")])
    return {"grid": len(owner), "args": (grain, begins, t.xp.asarray(task), pull)}


CASES = follow(
    seventeenth_more.CASES,
    "viaducts",
    {
        "spray_charges": lambda t, pair: {},
        "enzyme_cascades": lambda t, pair: {},
        "panorama_matches": lambda t, pair: {"grid": max(1, pair.slow.grid[0] // 4)},
        "slide_radar": lambda t, pair: {},
        "heart_murmurs": lambda t, pair: {"grid": pair.slow.grid[0] * 8, "block": 512},
        "dust_clusters": by_pieces,
        "nuclei_stains": lambda t, pair: {"grid": (pair.slow.grid[0], -(-pair.slow.grid[1] // 16))},
        "water_mains": lambda t, pair: {"grid": -(-pair.slow.grid[0] // 32)},
        "iceberg_alarms": lambda t, pair: {"grid": -(-pair.slow.grid[0] // 8), "block": 128},
        "rumour_days": lambda t, pair: {},
        "chip_fields": lambda t, pair: {},
    },
)
