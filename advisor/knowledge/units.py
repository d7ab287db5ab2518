"""The table of hardware units, knowledge/units.yaml."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from advisor.knowledge.loader import load_mapping
from advisor.records import resources

# Units within so many percentage points of each other limit together (p3.clusters).
CLUSTER_POINTS = 10.0


class UnitDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One unit; the fields are described in knowledge/units.yaml."""

    name: str
    label: str = ""
    side: Literal["", "compute", "memory"] = ""
    rare: bool = False
    throughput: Literal["", "sm", "memory"] = ""
    part_of: str = ""
    leads: bool = False
    wins_ties: bool = False
    term: str = ""


@lru_cache(maxsize=1)
def units() -> dict[str, UnitDef]:
    """All units by metric, in their order."""
    return load_mapping(resources.folder("knowledge") / "units.yaml", UnitDef)


def unit_name(metric: str) -> str:
    """`pipe_fma_pct` -> `FMA pipe`; the metric itself where it is not a unit."""
    found = units().get(metric)
    return found.name if found is not None else metric


@lru_cache(maxsize=8)
def throughput_units(throughput: str, side: str = "") -> tuple[str, ...]:
    """The metrics whose largest value is this throughput (`sm`, `memory`), of one side if given."""
    found = (m for m, u in units().items() if u.throughput == throughput and side in ("", u.side))
    return tuple(sorted(found, key=lambda metric: not units()[metric].wins_ties))


def compute_units() -> tuple[str, ...]:
    """The arithmetic pipes and the issue slots."""
    return throughput_units("sm", "compute")


def inner_units() -> tuple[str, ...]:
    """The units of the memory path that count towards SM throughput."""
    return throughput_units("sm", "memory")


def memory_units() -> tuple[str, ...]:
    """The units that count towards memory throughput."""
    return throughput_units("memory")


@lru_cache(maxsize=8)
def parts_of(metric: str) -> tuple[str, ...]:
    """The metrics whose largest value is this unit's percentage."""
    return tuple(name for name, unit in units().items() if unit.part_of == metric)


@lru_cache(maxsize=1)
def leading_units() -> tuple[str, ...]:
    """The units that may lead."""
    return tuple(metric for metric, unit in units().items() if unit.leads)
