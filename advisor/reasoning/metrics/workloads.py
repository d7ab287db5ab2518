"""The units of a workload in the order of their percentages, and those that limit together.

What follows from the numbers of a typed-in workload: the top unit, who is how far behind it, compute and memory.

A person types the fullest units. One that was not typed is therefore at most as full as the lowest that was, which
often settles a comparison; where it does not, the unit stays unknown.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from advisor.knowledge.schemas import MetricDef
from advisor.knowledge.texts import fill
from advisor.readers.workload import typed
from advisor.reasoning.metrics.derive import derive

if TYPE_CHECKING:
    import pandas as pd

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


LEADS = {
    "sm_lead": "sm_throughput_pct",
    "tex_lead": "tex_unit_pct",
    "l2_lead": "l2_pct",
    "vram_lead": "dram_pct",
    "crop_lead": "crop_pct",
    "zrop_lead": "zrop_pct",
    "pd_lead": "pd_pct",
    "vaf_lead": "vaf_pct",
}
STALL_LEADS = {"long_scoreboard_lead": "stall_long_scoreboard_pct", "barrier_lead": "stall_barrier_pct"}
# Below these the class is settled whatever the exact number is (the guide's step 1).
_BUSY, _ABSENT = 60.0, 30.0
_SM = "sm_throughput_pct"


def _lead(values: Mapping[str, float], name: str, among: Sequence[str], shared: float = math.inf) -> float:
    """How far `name` is before the largest other of `among`; NaN where what was typed does not settle it.

    shared: what all of them add up to at most, where they share something.
    """
    known = {n: values[n] for n in among if math.isfinite(values.get(n, math.nan))}
    others = [value for n, value in known.items() if n != name]
    if name in known:
        return known[name] - max(others) if others else known[name]
    if not others:
        return math.nan
    bound = min(*others, shared - sum(others)) - max(others)
    return bound if bound < 0 else math.nan


def follows(values: dict[str, float]) -> dict[str, float]:
    """The metrics of one workload that follow from the typed ones."""
    units = units_of(values)
    if not units:
        return {}
    top, lowest = units[0][0], units[-1][0]
    sm = values.get(_SM, math.nan)
    others = [value for value, unit in units if unit != _SM]
    memory = max(others) if others else math.nan
    dram = values.get("dram_pct", math.nan)
    absent = lowest < min(_ABSENT, memory - CLUSTER_POINTS)
    out = {
        "top_unit_pct": top,
        "compute_pct": sm if math.isfinite(sm) else lowest if lowest < _BUSY else math.nan,
        "memory_pct": memory,
        "vram_pct": dram if math.isfinite(dram) else lowest if absent else math.nan,
    }
    out |= {lead: _lead(values, unit, UNITS) for lead, unit in LEADS.items()}
    stalls = [n for n in values if n.startswith("stall_") and n.endswith("_pct") and "not_issued" not in n]
    out |= {lead: _lead(values, stall, stalls, 100.0) for lead, stall in STALL_LEADS.items()}
    # Both are of the same instructions: over elapsed cycles, and over those in which an SM had a warp.
    if not math.isfinite(values.get("sm_throughput_active_pct", math.nan)):
        active = values.get("sm_active_pct", math.nan)
        out["sm_throughput_active_pct"] = min(100.0, 100 * sm / active) if active > 0 else math.nan
    if not math.isfinite(values.get("shader_warp_slots", math.nan)):
        out["shader_warp_slots"] = values.get("device_max_warps_per_sm", math.nan)
    return out


def _complete(frame: pd.DataFrame, pinned: Collection[str]) -> pd.DataFrame:
    """The frame with what follows from the typed numbers in its columns; `pinned` ones stay as they are."""
    out = frame.copy()
    found = [follows({str(n): float(v) for n, v in row.items() if isinstance(v, float)}) for _, row in frame.iterrows()]
    for name in sorted({n for one in found for n in one} - set(pinned)):
        before = out[name].to_numpy(dtype=float)
        out[name] = np.array([one.get(name, old) for one, old in zip(found, before, strict=True)])
    return out


def derive_workloads(
    frame: pd.DataFrame, keep: Collection[str] = (), metrics: Mapping[str, MetricDef] | None = None
) -> pd.DataFrame:
    """As `derive`, for typed-in workloads: what follows from the units first, formulas on top of it.

    The labels are the SM and the fullest other unit by the names that people read.
    """
    known = derive(frame, keep, metrics)
    out = derive(_complete(known, keep), keep, metrics)
    words = typed()
    names = {word.metric: unit for unit, word in words.units.items()}
    rows = [units_of({u: float(out[u].to_numpy(dtype=float)[at]) for u in UNITS}) for at in range(len(out))]
    lower = fill(words.untyped, {"unit": names[_SM]})
    out["compute_leader"] = [names[_SM] if _SM in [u for _, u in units] else lower for units in rows]
    out["memory_leader"] = [next((names[u] for _, u in units if u != _SM), "") for units in rows]
    return out
