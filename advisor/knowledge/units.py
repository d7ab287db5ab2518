"""The table of hardware units, knowledge/units.yaml."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

import msgspec

from advisor.knowledge.loader import load_mapping
from advisor.records import resources

# Units whose percentages differ by at most this many points are co-limiters (p3.clusters).
CLUSTER_POINTS = 10.0
# Throughput is the largest of its units, but from another pass: a difference of half a point counts as equal.
SAME_POINTS = 0.5


class UnitDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One unit; the fields are described in knowledge/units.yaml."""

    name: str
    label: str = ""
    side: Literal["", "compute", "memory"] = ""
    rare: bool = False
    throughput: Literal["", "sm", "memory"] = ""
    ncu_only: bool = False
    part_of: str = ""
    leads: bool = False
    wins_ties: bool = False
    term: str = ""
    within: str = ""
    bound: str = ""
    leading: str = ""


@lru_cache(maxsize=1)
def units() -> dict[str, UnitDef]:
    """Return all units by metric, in the order of the file."""
    return load_mapping(resources.folder("knowledge") / "units.yaml", UnitDef)


def unit_name(metric: str) -> str:
    """Return the name of a unit: `FMA pipe` for `pipe_fma_pct`; the metric itself if it is not a unit."""
    found = units().get(metric)
    return found.name if found is not None else metric


@lru_cache(maxsize=1)
def _bounds() -> dict[str, str]:
    return {unit.name: unit.bound for unit in units().values() if unit.bound}


def bound_title(leader: str, otherwise: str) -> str:
    """Return the title of a class that the unit called `leader` limits, such as `L2-bound`.

    `otherwise`: the title for a name that is no unit's, or that of a unit without a title of its own.
    """
    return _bounds().get(leader, otherwise)


def leader_name(metric: str) -> str:
    """Return the name of a unit as the one that leads: a throughput as a whole is no unit."""
    found = units().get(metric)
    return found.leading if found is not None and found.leading else unit_name(metric)


@lru_cache(maxsize=8)
def throughput_units(throughput: str, side: str = "") -> tuple[str, ...]:
    """Return the metrics whose maximum is this throughput (`sm`, `memory`), of one side if given."""
    found = (m for m, u in units().items() if u.throughput == throughput and side in ("", u.side))
    return tuple(sorted(found, key=lambda metric: not units()[metric].wins_ties))


def compute_units() -> tuple[str, ...]:
    """Return the arithmetic pipes and the issue slots."""
    return throughput_units("sm", "compute")


def inner_units() -> tuple[str, ...]:
    """Return the units of the memory path that count towards SM throughput."""
    return throughput_units("sm", "memory")


@lru_cache(maxsize=1)
def not_arithmetic() -> tuple[str, ...]:
    """Return the units of ncu's SM throughput that do not count as compute here."""
    return (*inner_units(), *(metric for metric, unit in units().items() if unit.ncu_only))


def memory_units() -> tuple[str, ...]:
    """Return the units that count towards memory throughput."""
    return throughput_units("memory")


def most_of(metrics: Mapping[str, float], metric: str) -> float | None:
    """Return the most that a unit of unknown percentage can be: that of its whole; None if that is unknown too."""
    unit = units().get(metric)
    if unit is None or not unit.within or math.isfinite(metrics.get(metric, math.nan)):
        return None
    most = metrics.get(unit.within, math.nan)
    return most if math.isfinite(most) else None


@lru_cache(maxsize=8)
def parts_of(metric: str) -> tuple[str, ...]:
    """Return the metrics whose maximum is this unit's percentage."""
    return tuple(name for name, unit in units().items() if unit.part_of == metric)


@lru_cache(maxsize=1)
def leading_units() -> tuple[str, ...]:
    """Return the units that can be the leading unit."""
    return tuple(metric for metric, unit in units().items() if unit.leads)
