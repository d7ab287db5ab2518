"""Cures of the kernels of steeples.cu by an author who followed the advice; all else is the round's."""

from __future__ import annotations

from typing import Any

import eighteenth_more
from device import Tools
from pair import SMS, Pair, follow


def as_slow(t: Tools, pair: Pair) -> dict[str, Any]:
    slow = pair.slow
    return {"grid": slow.grid, "block": slow.block, "args": slow.args, "shared": slow.shared}


def two_lanes(t: Tools, pair: Pair) -> dict[str, Any]:
    """Twice the threads; the ions stay in their order, and so does what is put out."""
    push, some = pair.slow.args[2], t.size(1 << 16, 1 << 10)
    pair.outs = lambda _: (push[:some],)
    return as_slow(t, pair) | {"grid": 2 * pair.slow.grid[0]}


def by_windows(t: Tools, pair: Pair) -> dict[str, Any]:
    """A window a block."""
    args = pair.slow.args
    pictures = args[0].shape[0]
    height, width, side, channels = (int(k) for k in args[3:7])
    sizes = tuple(eighteenth_more.i32(k) for k in (height, width, side, channels))
    grid = (width // side, height // side, pictures)
    return as_slow(t, pair) | {"grid": grid, "block": (channels, side), "args": (*args[:3], *sizes)}


def four_bidders(t: Tools, pair: Pair) -> dict[str, Any]:
    """Four bidders a warp, eight warps a block."""
    bidders = int(pair.slow.args[4])
    return as_slow(t, pair) | {"grid": -(-bidders // 32), "block": 256}


def of_arrays(t: Tools, pair: Pair) -> dict[str, Any]:
    """An array for each of the four values of a cell that are used."""
    cell, n = pair.slow.args
    density, energy = (t.xp.ascontiguousarray(cell[:, k]) for k in range(2))
    pressure, sound = (t.xp.zeros(len(cell), eighteenth_more.f32) for _ in range(2))
    outs = {"slow": (cell[:, 8], cell[:, 9]), "cured": (pressure, sound)}
    pair.outs = lambda w: outs[w]
    return as_slow(t, pair) | {"args": (density, energy, pressure, sound, n)}


CASES = follow(
    eighteenth_more.CASES,
    "steeples",
    {
        "thruster_gather": two_lanes,
        "dashcam_contrast": as_slow,
        "tablet_grains": as_slow,
        "gradient_survey": as_slow,
        "aid_echoes": as_slow,
        "paint_shares": as_slow,
        "plankton_windows": by_windows,
        "whale_calls": as_slow,
        "soap_beads": as_slow,
        "auction_rings": four_bidders,
        "snore_bands": lambda t, pair: as_slow(t, pair) | {"grid": (pair.slow.grid[0], t.size(33, 4))},
        "cache_keepers": lambda t, pair: as_slow(t, pair) | {"grid": 8 * SMS},
        "impact_states": of_arrays,
    },
)
