"""Blocks that fit on an SM, and what holds them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
LIMITS = ("registers", "shared", "blocks", "warps", "barriers")


def _limits(columns: Mapping[str, Array]) -> Array:
    """Shape (5, rows), blocks an SM. Without shared memory there is no limit by it; barriers count where reported."""
    limits = {name: columns[f"occupancy_limit_{name}"] for name in LIMITS}
    free = ~np.isfinite(limits["shared"]) & (columns["shared_bytes_per_block"] == 0)
    limits["shared"] = np.where(free, np.inf, limits["shared"])
    limits["barriers"] = np.where(np.isfinite(limits["barriers"]), limits["barriers"], np.inf)
    return np.array([limits[name] for name in LIMITS])


def blocks_per_sm(columns: Mapping[str, Array]) -> Array:
    """The lowest limit; unknown where one of registers, shared memory, blocks and warps is."""
    lowest = _limits(columns).min(axis=0)
    return np.where(np.isfinite(lowest), lowest, np.nan)


def limiter(columns: Mapping[str, Array]) -> Array:
    """The names of the lowest limits joined with `+`; '' where unknown."""
    limits = _limits(columns)
    lowest = limits.min(axis=0)
    out = np.full(limits.shape[1], "", dtype=object)
    for row in np.flatnonzero(np.isfinite(lowest)):
        out[row] = "+".join(name for name, at in zip(LIMITS, limits[:, row], strict=True) if at == lowest[row])
    return out
