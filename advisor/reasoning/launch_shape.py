"""What another block size implies for a launch: its grid, occupancy and waves."""

from __future__ import annotations

import math
from collections.abc import Mapping

from advisor.hardware import gpus
from advisor.hardware.occupancy import occupancy
from advisor.records.diagnosis import LaunchDiagnosis


def with_launch(launch: LaunchDiagnosis, values: Mapping[str, float]) -> dict[str, float]:
    """Return the values with those that another block size implies: the grid of as many threads, occupancy and waves.

    Values that are given stay. Raises UsageError for a block that cannot run.
    """
    have, size = launch.metrics, values.get("block_size")
    if size is None:
        return dict(values)
    out: dict[str, float] = {}
    if {"grid_size", "block_size"} <= set(have):
        out["grid_size"] = float(math.ceil(have["grid_size"] * have["block_size"] / max(size, 1.0)))
    registers, shared = have.get("registers_per_thread"), have.get("shared_bytes_per_block")
    if registers is not None and shared is not None and launch.cc in gpus.table().capabilities:
        limits = gpus.limits_of(launch.cc)
        fits = occupancy(limits, int(size), int(registers), max(0, int(shared) - limits.shared_reserved))
        counts = {f"occupancy_limit_{name}": float(count) for name, count in fits.limits}
        out |= {name: count for name, count in counts.items() if name in have}
        out |= {"blocks_per_sm_limit": float(fits.blocks), "occupancy_theoretical_pct": fits.percent}
        if have.get("sm_count") and "grid_size" in out:
            out["waves"] = {**out, **values}["grid_size"] / (have["sm_count"] * fits.blocks)
    return {**values, **{name: value for name, value in out.items() if name not in values}}
