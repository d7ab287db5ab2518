"""The units of a workload in the order of their percentages, and those that limit together."""

from __future__ import annotations

import math
from collections.abc import Mapping

# Every unit that can be typed; between equals the earlier leads, since it feeds the later.
UNITS = (
    *("sm_throughput_pct", "rtcore_pct", "tex_unit_pct", "l2_pct", "dram_pct", "pcie_pct", "idc_pct"),
    *("pd_pct", "vaf_pct", "vpc_pct", "raster_pct", "prop_pct", "zrop_pct", "crop_pct"),
)
CLUSTER_POINTS = 10.0  # p3.clusters


def units_of(values: Mapping[str, float]) -> list[tuple[float, str]]:
    """The known units as (percent, metric), the fullest first."""
    known = [(values[u], -at, u) for at, u in enumerate(UNITS) if math.isfinite(values.get(u, math.nan))]
    return [(value, unit) for value, _, unit in sorted(known, reverse=True)]


def clusters(values: Mapping[str, float]) -> list[list[str]]:
    """Units grouped by their percentages: each group within CLUSTER_POINTS of its first, the fullest group first."""
    out: list[list[str]] = []
    first = math.inf
    for value, unit in units_of(values):
        if not out or first - value > CLUSTER_POINTS:
            out.append([])
            first = value
        out[-1].append(unit)
    return out
