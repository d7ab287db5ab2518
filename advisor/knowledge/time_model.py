"""The constants of the time model: knowledge/time_model.yaml."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec
from msgspec import structs

from advisor.knowledge.loader import load
from advisor.records import resources


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One term: its display name, what it is, its chain, the metric it comes from and the reachable part of the peak.

    instead: the metric to use if that one is unknown. follows: the term whose work it also does; a factor for that term
    applies to this one too. alone: for each term that it waits for, its name if the launch uses only that one.
    """

    name: str
    chain: str
    what: str = ""
    metric: str = ""
    instead: str = ""
    part_of: str = ""
    follows: str = ""
    alone: dict[str, str] = {}
    ceiling: float = 1.0
    per_sm: bool = False
    cites: tuple[str, ...] = ()


class Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A constant with its plausible range."""

    low: float
    high: float
    estimate: float = 1.0
    cites: tuple[str, ...] = ()


class Accuracy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How exact the model is, in nine of ten cases.

    within: the factor by which predicted and measured time of unmodified launches differ; of_fix: the error of a
    predicted speedup, as a share of its logarithm; furthest: what a fix of unknown kind leaves at best of the work;
    in_flight: what more operations in flight leave at best of the time that warps wait; above: how far the upper end
    of a range is from its estimate, as a share of what the other constants give, on a log scale.
    """

    within: float
    of_fix: float
    furthest: float
    in_flight: float
    above: float
    cites: tuple[str, ...] = ()


class Latencies(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cycles from a load to its value without other load on the GPU; None: not measured on this architecture."""

    l1: float | None = None
    l2: float | None = None
    dram: float | None = None
    shared: float | None = None
    cites: tuple[str, ...] = ()


class DramCeiling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Percent of the DRAM peak that reads alone and a copy reach; None: not measured on this architecture."""

    read: float | None = None
    copy: float | None = None
    cites: tuple[str, ...] = ()


class LaunchRate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Blocks that a GPU starts in an SM clock cycle."""

    rate: float
    cites: tuple[str, ...] = ()


class Scattered(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of their peak that DRAM and L2 reach with isolated sectors, and the ratio from which it applies."""

    ceiling: float
    ratio: float
    cites: tuple[str, ...] = ()


class Blamed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Stall reasons of lost issue slots, and the terms of the work that they wait for."""

    reasons: tuple[str, ...]
    terms: tuple[str, ...]
    cites: tuple[str, ...] = ()


class Usual(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The usual predicted over measured time of a launch, and the share of an unusual one that stays after a fix.

    kept: of its logarithm, where the fix changes all of the work that takes the time.
    """

    relative: float
    kept: float
    cites: tuple[str, ...] = ()


class TimeModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of knowledge/time_model.yaml."""

    norm: Range
    scale: Range
    usual: Usual
    accuracy: Accuracy
    queueing: Range
    scattered: Scattered
    uneven: Range
    launch_ns: Range
    latency_cycles: dict[str, Latencies]
    block_launch: dict[str, LaunchRate]
    dram_ceiling: dict[str, DramCeiling]
    terms: dict[str, Term]
    how: dict[str, str]
    blame: tuple[Blamed, ...] = ()
    assumed: dict[str, float] = {}


@lru_cache(maxsize=1)
def time_model() -> TimeModel:
    """Return the model's constants; raises KnowledgeError with file and line if the file is invalid."""
    return load(resources.folder("knowledge") / "time_model.yaml", TimeModel)


def fix_terms() -> tuple[str, ...]:
    """Return the terms that a fix may change."""
    return (*time_model().terms, "latency", "imbalance", "launch")


OTHER = "other"  # the assumption for compute capabilities that nobody measured
LEVELS = ("l1", "l2", "dram", "shared")


def block_launch_ceiling(cc: str) -> float | None:
    """Return the blocks that a GPU of this compute capability starts in an SM clock cycle, None if unknown."""
    found = time_model().block_launch.get(cc)
    return found.rate if found else None


def latencies(cc: str) -> dict[str, float]:
    """Return the unloaded latencies of this compute capability in cycles, by LEVELS; assumed if not measured."""
    return _with_other(time_model().latency_cycles, cc, LEVELS)


def dram_ceiling(cc: str) -> dict[str, float]:
    """Return the percent of the DRAM peak that a `read` and a `copy` reach; assumed if not measured."""
    return _with_other(time_model().dram_ceiling, cc, ("read", "copy"))


def _with_other(
    table: Mapping[str, Latencies] | Mapping[str, DramCeiling], cc: str, names: Sequence[str]
) -> dict[str, float]:
    own, other = structs.asdict(table[cc]) if cc in table else {}, structs.asdict(table[OTHER])
    return {name: float(other[name] if own.get(name) is None else own[name]) for name in names}
