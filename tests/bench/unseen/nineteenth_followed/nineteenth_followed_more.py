"""Cures of the kernels of dovetails.cu by an author who followed the advice; all else is the round's."""

from __future__ import annotations

from typing import Any

import nineteenth_more
from device import Tools
from pair import Pair, follow


def as_slow(t: Tools, pair: Pair) -> dict[str, Any]:
    slow = pair.slow
    return {"grid": slow.grid, "block": slow.block, "args": slow.args, "shared": slow.shared}


def two_applicants(t: Tools, pair: Pair) -> dict[str, Any]:
    """Two applicants a thread; the weights stand in constant memory."""
    args = pair.slow.args
    return as_slow(t, pair) | {"grid": -(-int(args[5]) // 512), "args": (args[0], *args[3:])}


def sorted_links(t: Tools, pair: Pair) -> dict[str, Any]:
    """The links of each page in the order of the pages that they come from."""
    xp, (start, origin, *rest) = t.xp, pair.slow.args
    i32, i64 = nineteenth_more.i32, nineteenth_more.np.int64
    pages = len(start) - 1
    page = xp.searchsorted(start[1:], xp.arange(len(origin), dtype=i32), side="right").astype(i64)
    order = xp.sort(page * pages + origin)
    return as_slow(t, pair) | {"args": (start, (order % pages).astype(i32), *rest)}


def by_lattice(t: Tools, pair: Pair) -> dict[str, Any]:
    """Blocks of 256 by 2 spins of a plane."""
    lx, ly, lz = (int(k) for k in pair.slow.args[4:7])
    return as_slow(t, pair) | {"grid": (-(-lx // 256), -(-ly // 2), lz), "block": (256, 2)}


def by_tiles(t: Tools, pair: Pair) -> dict[str, Any]:
    """The columns of a block in shared memory, in the slow launch's layout."""
    after, levels = pair.slow.args[2], int(pair.slow.args[3])
    pair.outs = lambda _: (after,)
    return as_slow(t, pair) | {"shared": 128 * (levels | 1) * 4}


CASES = follow(
    nineteenth_more.CASES,
    "dovetails",
    {
        "fission_bank": as_slow,
        "callable_bonds": as_slow,
        "compton_angles": as_slow,
        "coagulate_bins": as_slow,
        "sky_draws": lambda t, pair: as_slow(t, pair) | {"block": 256},
        "loan_offers": two_applicants,
        "probe_frames": as_slow,
        "page_ranks": sorted_links,
        "drain_terrain": as_slow,
        "contact_energies": as_slow,
        "spin_glass": by_lattice,
        "permafrost_sweep": by_tiles,
        "furnace_exchange": as_slow,
        "survey_lens": as_slow,
    },
)
