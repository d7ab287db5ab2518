"""What another launch implies: grid, blocks per SM, occupancy and waves of other blocks, registers or shared memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from advisor.hardware import gpus
from advisor.hardware.occupancy import occupancy
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import UsageError

# What a launch is made of, and the limits of blocks per SM that follow from each: all of them from the block size.
_LIMITED: Final = {"registers_per_thread": ("registers",), "shared_bytes_per_block": ("shared",)}
SHAPE: Final = ("grid_size", "block_size", *_LIMITED)


def with_launch(launch: LaunchDiagnosis, values: Mapping[str, float]) -> dict[str, float]:
    """Return the values with those that another launch implies: limits of blocks per SM, occupancy, waves.

    Another block size implies the grid of as many threads. Values that are given stay, and limits of resources that do
    not change are those of the report. Raises UsageError for a block that cannot run.
    """
    have = launch.metrics
    if not set(SHAPE) & set(values):
        return dict(values)
    now = {**have, **values}
    out: dict[str, float] = {}
    if "block_size" in values and "grid_size" not in values and {"grid_size", "block_size"} <= set(have):
        out["grid_size"] = float(math.ceil(have["grid_size"] * have["block_size"] / max(now["block_size"], 1.0)))
    fits = _blocks(launch, now)
    if fits is not None:
        blocks, percent, limits = fits
        out |= {name: count for name, count in limits.items() if name in have}
        out |= {"blocks_per_sm_limit": float(blocks), "occupancy_theoretical_pct": percent}
        if have.get("occupancy_achieved_pct", 0.0) > percent:
            out["occupancy_achieved_pct"] = percent  # no more warps are active than fit
    blocks_now = {**now, **out}.get("blocks_per_sm_limit")
    grid = {**now, **out}.get("grid_size")
    if have.get("sm_count") and blocks_now and grid:
        out["waves"] = grid / (have["sm_count"] * blocks_now)
    return {**values, **{name: value for name, value in out.items() if name not in values}}


def _blocks(launch: LaunchDiagnosis, now: Mapping[str, float]) -> tuple[int, float, dict[str, float]] | None:
    """Return the blocks that fit an SM, the theoretical occupancy (0-100) and the limits; None if nothing changes.

    Also None where the report lacks one of the numbers, or the GPU's limits are unknown.
    """
    size, registers, shared = (now.get(n) for n in ("block_size", "registers_per_thread", "shared_bytes_per_block"))
    changed = {name for name in ("block_size", *_LIMITED) if now.get(name) != launch.metrics.get(name)}
    if not changed or not size or registers is None or shared is None:
        return None
    if launch.cc not in gpus.table().capabilities:
        return None
    limits = gpus.limits_of(launch.cc)
    fits = occupancy(limits, int(size), int(registers), max(0, int(shared) - limits.shared_reserved))
    counts = {f"occupancy_limit_{name}": float(count) for name, count in fits.limits}
    if "block_size" not in changed:
        renewed = {f"occupancy_limit_{name}" for one in changed for name in _LIMITED[one]}
        counts |= {name: launch.metrics[name] for name in counts if name in launch.metrics and name not in renewed}
    blocks = int(min(counts.values()))
    if not blocks:
        least = " and ".join(name.removeprefix("occupancy_limit_") for name, count in counts.items() if not count)
        raise UsageError(f"a block of {size:,.0f} threads does not fit an SM: {least} allow none")
    return blocks, 100 * blocks * fits.warps_per_block / limits.warps_per_sm, counts
