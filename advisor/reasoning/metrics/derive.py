"""Derive every canonical metric from a reader's frame; NaN is unknown."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from advisor.knowledge import stated
from advisor.knowledge.base import catalog
from advisor.knowledge.expressions import Expression, ExpressionError, parse
from advisor.knowledge.schemas import MetricDef
from advisor.knowledge.units import SAME_POINTS, compute_units, inner_units, memory_units, not_arithmetic
from advisor.reasoning.metrics.fills import COMMON, CORRECTED, FILLS, REASONS, Array, l1_elapsed, or_else, passes_text
from advisor.reasoning.metrics.instruction_mix import access_metrics, mix
from advisor.records.errors import KnowledgeError
from advisor.records.magnitudes import whole
from advisor.records.readings import IDENTITY

if TYPE_CHECKING:
    import pandas as pd


# The threshold of the classes: from here on a unit counts as utilised (guide.step1.table).
_UTILISED = 60.0
_NO_BREAKDOWN = "memory_internal_pct"


def _leader(columns: Mapping[str, Array], names: tuple[str, ...]) -> tuple[Array, Array]:
    """Return the largest known value of the columns (NaN if none is known) and its column's name."""
    values = np.array([columns[name] for name in names])
    filled = np.where(np.isfinite(values), values, -np.inf)
    largest = filled.max(axis=0)
    return np.where(np.isfinite(largest), largest, np.nan), np.array(names, dtype=object)[filled.argmax(axis=0)]


def compute(columns: Mapping[str, Array]) -> tuple[Array, Array, Array]:
    """Return compute_pct, compute_from_breakdown and compute_leader.

    The value is the most utilised of the pipes and the issue slots if all are known, else SM throughput. If the load
    and store path, barriers or constants account for SM throughput, it does not measure arithmetic, and the known pipes
    are used. Without either, a single unit of 60 % or more is the least that it can be; compute_from_breakdown is then
    unknown.
    """
    largest, name = _leader(columns, compute_units())
    total = columns["sm_throughput_pct"]
    inside, _ = _leader(columns, inner_units())
    elsewhere = np.isfinite(largest) & (inside >= total - SAME_POINTS)
    known = np.isfinite(np.array([columns[name] for name in compute_units()])).all(axis=0) | elsewhere
    # Without a total, a known unit at the threshold of the class decides it, whatever the unknown ones do.
    least = ~known & ~np.isfinite(total) & (largest >= _UTILISED)
    value = np.where(known | least, largest, total)
    broken_down = np.where(np.isfinite(value) & ~least, np.where(known, 1.0, 0.0), np.nan)
    return value, broken_down, np.where(np.isfinite(value), np.where(known | least, name, "sm_throughput_pct"), "")


# L1 throughput above memory throughput by more than the difference between two passes (public_reports.l1_above_memory).
_L1_ABOVE = 1.1


def memory(columns: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return memory_pct and memory_leader: memory throughput, or LSU, ADU, IDC, MIO or a corrected L1 unit if higher.

    Unknown without memory throughput. The leader is the unit of the breakdown that the number comes from, or memory
    throughput itself if the report does not break it down.
    """
    total = columns["memory_throughput_pct"]
    inside, inside_name = _leader(columns, inner_units())
    unit, unit_name = _leader(columns, memory_units())
    # A unit that has no breakdown in ncu says nothing where a known one has the same percentage from another pass.
    named, its_name = _leader(columns, tuple(name for name in memory_units() if name != _NO_BREAKDOWN))
    unit_name = np.where(named >= unit - SAME_POINTS, its_name, unit_name)
    corrected = np.where(unit > total + SAME_POINTS, unit, np.nan)
    # L1 by its own throughput if its units are unknown: memory throughput can count it by a peak that is never reached.
    own = l1_elapsed(columns)
    above = ~np.isfinite(columns["l1_wavefronts_pct"]) & (own > _L1_ABOVE * total)
    corrected = np.where(above, np.fmax(corrected, own), corrected)
    unit, unit_name = np.where(above, own, unit), np.where(above, "l1_throughput_pct", unit_name)
    value = np.where(np.isfinite(total), np.fmax(np.fmax(total, inside), corrected), np.nan)
    # Memory throughput is the largest of its units: a clearly smaller unit does not explain it.
    outside = np.where(unit >= total - SAME_POINTS, unit_name, _within(columns, total))
    name = np.where(inside > np.fmax(total, corrected), inside_name, outside)
    return value, np.where(np.isfinite(value), name, "")


def _within(columns: Mapping[str, Array], total: Array) -> Array:
    """Return the name of the one cache whose printed throughput reaches memory throughput, else that name itself."""
    caches = ("l1_throughput_pct", "l2_throughput_pct")
    l1, l2 = (columns[name] >= total - SAME_POINTS for name in caches)
    return np.where(l1 == l2, "memory_throughput_pct", np.where(l1, *caches)).astype(object)


def elsewhere(columns: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return sm_other_leads and sm_leader: whether SM throughput is that of a unit that is no arithmetic, and its name.

    NaN and '' without such units. 0 and '' where an arithmetic unit, or one that the report lacks, has that number.
    """
    value, name = _leader(columns, not_arithmetic())
    total = columns["sm_throughput_pct"]
    leads = (np.abs(value - total) <= SAME_POINTS) & (total > columns["compute_pct"] + SAME_POINTS)
    known = np.isfinite(value) & np.isfinite(total)
    return np.where(known, leads.astype(float), np.nan), np.where(leads, name, "")


LIMITS = ("registers", "shared", "blocks", "warps", "barriers")


def _limits(columns: Mapping[str, Array]) -> Array:
    """Return blocks per SM, shape (5, rows). Unused shared memory does not limit; barriers count if reported."""
    limits = {name: columns[f"occupancy_limit_{name}"] for name in LIMITS}
    # Without shared memory, ncu writes the limit of the blocks, infinity or nothing (CC 7.5 has no driver's part).
    free = columns["shared_bytes_per_block"] == 0
    limits["shared"] = np.where(free, np.inf, limits["shared"])
    limits["barriers"] = np.where(np.isfinite(limits["barriers"]), limits["barriers"], np.inf)
    return np.array([limits[name] for name in LIMITS])


def blocks_per_sm(columns: Mapping[str, Array]) -> Array:
    """Return the lowest limit; unknown if that of registers, shared memory, blocks or warps is unknown."""
    lowest = _limits(columns).min(axis=0)
    return np.where(np.isfinite(lowest), lowest, np.nan)


def limiter(columns: Mapping[str, Array]) -> Array:
    """Return the names of the lowest limits joined with `+`; '' if unknown."""
    limits = _limits(columns)
    lowest = limits.min(axis=0)
    out = np.full(limits.shape[1], "", dtype=object)
    for row in np.flatnonzero(np.isfinite(lowest)):
        out[row] = "+".join(name for name, at in zip(LIMITS, limits[:, row], strict=True) if at == lowest[row])
    return out


def not_issued(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Return `stall_<reason>_not_issued_pct`; unknown if a reason that the architecture has was not sampled."""
    samples = {reason: columns[f"samples_{reason}_not_issued"] for reason in REASONS}
    major = columns["device_cc_major"]
    known = np.isfinite(np.array([samples[reason] for reason in COMMON])).all(axis=0)
    known &= np.isfinite(samples["imc_miss"]) | (major > 9)
    known &= np.isfinite(samples["warpgroup_arrive"]) | (major < 9) | (major > 9)
    total = np.nansum(np.array([samples[reason] for reason in REASONS]), axis=0)
    out = {}
    for reason, number in samples.items():
        share = 100 * number / np.where(total > 0, total, np.nan)
        out[f"stall_{reason}_not_issued_pct"] = np.where(known, share, np.nan)
    gmma, arrive = (out[f"stall_{reason}_not_issued_pct"] for reason in ("gmma", "warpgroup_arrive"))
    out["stall_gmma_not_issued_pct"] = np.where(np.isfinite(gmma), gmma, arrive)
    return out


def leader(columns: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the reason, apart from `selected`, with most of a warp's time, and its cycles.

    '' and NaN if an unknown reason could have more.
    """
    reasons = [reason for reason in REASONS if reason != "selected"]
    cycles = np.array([columns[f"stall_{reason}"] for reason in reasons])
    filled = np.where(np.isfinite(cycles), cycles, -1.0)
    first = filled.argmax(axis=0)
    largest = filled.max(axis=0)
    known = np.nansum(cycles, axis=0) + np.nan_to_num(columns["stall_selected"], nan=1.0)
    # Apart from rounding of printed numbers, an unknown reason cannot exceed what the interval leaves.
    rest = columns["issue_interval"] - known - 0.02 * columns["issue_interval"]
    certain = (largest > 0) & ((rest <= largest) | np.isfinite(cycles[: len(COMMON) - 1]).all(axis=0))
    return np.where(certain, np.array(reasons, dtype=object)[first], ""), np.where(certain, largest, np.nan)


_SAMPLES = tuple(f"samples_{reason}_not_issued" for reason in REASONS)


@lru_cache(maxsize=1)
def code_inputs() -> dict[str, tuple[str, ...]]:
    """Map metrics computed by code to their inputs; formulas, fallbacks, opcodes and accesses are excluded."""
    compute_reads = (*compute_units(), "sm_throughput_pct")
    return {
        "compute_pct": compute_reads,
        "compute_from_breakdown": compute_reads,
        "sm_other_leads": (*not_arithmetic(), "sm_throughput_pct", "compute_pct"),
        "memory_pct": (
            *(*inner_units(), *memory_units()),
            *("memory_throughput_pct", "l1_throughput_pct", "l2_throughput_pct", "sm_active_pct", "dram_pct"),
        ),
        "stall_leading": (*(f"stall_{reason}" for reason in REASONS), "issue_interval"),
        "blocks_per_sm_limit": (*(f"occupancy_limit_{name}" for name in LIMITS), "shared_bytes_per_block"),
        **{f"stall_{reason}_not_issued_pct": (*_SAMPLES, "device_cc_major") for reason in REASONS},
    }


class Plan(Struct, frozen=True):
    """Ids in an order in which every metric follows its inputs, the parsed formulas, and the inputs of each metric."""

    order: tuple[str, ...]
    formulas: Mapping[str, Expression]
    reads: Mapping[str, frozenset[str]]

    def follow(self, changed: frozenset[str]) -> frozenset[str]:
        """Return the metrics that depend on the changed ones, excluding the changed ones."""
        out: set[str] = set()
        for name in self.order:
            if name not in changed and self.reads[name] & (changed | out):
                out.add(name)
        return frozenset(out)


def plan(metrics: Mapping[str, MetricDef]) -> Plan:
    """Return the plan of a catalogue; raises KnowledgeError for a wrong formula, an unknown metric, or a cycle."""
    formulas: dict[str, Expression] = {}
    reads: dict[str, frozenset[str]] = {}
    for name, entry in metrics.items():
        needed: set[str] = set(code_inputs().get(name, ()))
        if name in FILLS:
            needed |= set(FILLS[name][0])
        if stated.reads(name) <= metrics.keys():
            needed |= stated.reads(name)
        if entry.formula:
            try:
                formulas[name] = parse(entry.formula)
            except ExpressionError as e:
                raise KnowledgeError(f"knowledge/metrics.yaml:1: {name}: {e}") from None
            needed |= formulas[name].names
        absent = sorted(needed - metrics.keys())
        if absent:
            raise KnowledgeError(f"knowledge/metrics.yaml:1: {name} reads {absent[0]}, which is not a metric")
        reads[name] = frozenset(needed)
    try:
        order = tuple(TopologicalSorter(reads).static_order())
    except CycleError as e:
        circle = " -> ".join(str(name) for name in e.args[1])
        raise KnowledgeError(f"knowledge/metrics.yaml:1: metrics depend on each other in a cycle: {circle}") from None
    return Plan(order, formulas, reads)


# Text columns: a metric id, a stall reason, or the names of resources; '' is unknown.
LABELS = ("compute_leader", "memory_leader", "sm_leader", "stall_leader", "occupancy_limiter", "shared_passes")


@lru_cache(maxsize=1)
def _own_plan() -> Plan:
    return plan(catalog().metrics)


def columns_of(frame: pd.DataFrame) -> dict[str, Array]:
    """Return the frame's numeric columns as float arrays of shape (rows,)."""
    # All at once: a frame has hundreds of columns, and extracting them one by one is slow.
    kinds = [dtype.kind in "fiub" for dtype in frame.dtypes]
    values = frame.loc[:, kinds].to_numpy(dtype=float).T
    return dict(zip(map(str, frame.columns[kinds]), values, strict=True))


def check(frame: pd.DataFrame, metrics: Mapping[str, MetricDef] | None = None) -> None:
    """Check the frame: columns are IDENTITY, canonical metrics as float64, or LABELS as text.

    Raises KnowledgeError for the first column that is neither, or that has another type.
    """
    known = catalog().metrics if metrics is None else metrics
    for name in map(str, frame.columns):
        if name in IDENTITY:
            continue
        if name in LABELS:
            if not all(isinstance(value, str) for value in frame[name]):
                raise KnowledgeError(f"the column {name!r} of the frame must hold text")
        elif name not in known:
            raise KnowledgeError(f"the column {name!r} of the frame is not a metric of knowledge/metrics.yaml")
        elif frame[name].dtype != np.float64:
            raise KnowledgeError(f"the column {name!r} of the frame must be float64, not {frame[name].dtype}")


def derive(
    frame: pd.DataFrame, keep: Collection[str] = (), metrics: Mapping[str, MetricDef] | None = None
) -> pd.DataFrame:
    """Return the frame with every canonical metric as a float64 column, and LABELS; rows and their order stay.

    frame: IDENTITY columns and any metrics, in the units of metrics.yaml; it may have been derived before. A number in
    the report has priority over a formula; a number that can only be derived is computed again wherever its inputs are
    known. keep: metrics that stay unchanged, as in a what-if; metrics that depend on them are computed again, even if
    the report gave them. Infinities become NaN. Raises KnowledgeError for a catalogue whose formulas are wrong.
    """
    import pandas as pd

    known = catalog().metrics if metrics is None else metrics
    steps = _own_plan() if known is catalog().metrics else plan(known)
    rows = len(frame)
    reported, unknown = columns_of(frame), np.full(rows, np.nan)
    given = {name: _finite(reported[name]) if name in reported else unknown for name in known}
    for name in ("grid_size", "block_size", "device_cc_major", "device_cc_minor", "device_mig"):
        if name in known:
            given[name] = or_else(given[name], _identity(frame, name, rows))
    _zero_where_absent(known, given)
    held = frozenset(keep)
    columns = _compute(known, steps, given, _counted(frame, known), held, steps.follow(held) if held else frozenset())
    identity = [name for name in IDENTITY if name in frame]
    rest = [name for name in frame.columns if name not in identity and name not in columns and name not in LABELS]
    # Build the numbers as one block: pandas takes longer to join single columns than the computation takes.
    numbers = pd.DataFrame(np.array([columns[name] for name in known]).T, index=frame.index, columns=list(known))
    labels = pd.DataFrame(_labels(columns), index=frame.index)
    return pd.concat((frame[identity], numbers, frame[rest], labels), axis=1)


def _zero_where_absent(known: Mapping[str, MetricDef], given: dict[str, Array]) -> None:
    """Set the counts of what a GPU's architecture does not have to 0 where the report does not have them."""
    if not {"device_cc_major", "device_cc_minor"} <= given.keys():
        return
    capability = given["device_cc_major"] + given["device_cc_minor"] / 10
    for name, entry in known.items():
        if entry.since:
            given[name] = np.where((capability < entry.since) & ~np.isfinite(given[name]), 0.0, given[name])


def _finite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, np.nan)


def _not_lost(share: Array, given: Mapping[str, Array]) -> Array:
    """Return a share of elapsed cycles, unknown where it is exactly 0 and the cycles themselves are not a number.

    A kernel that ran has executed instructions, so the counters of that pass were lost.
    """
    cycles = given.get("sm_cycles_elapsed")
    return share if cycles is None else np.where((share == 0) & ~np.isfinite(cycles), np.nan, share)


def _identity(frame: pd.DataFrame, name: str, rows: int) -> Array:
    """Return a column for grid, block, compute capability or MIG from the frame's identity columns."""
    source = {"grid_size": "grid", "block_size": "block", "device_mig": "gpu_name"}.get(name, "cc")
    if source not in frame:
        return np.full(rows, np.nan)
    if source == "gpu_name":
        # The name of a part of a GPU ends with its size, such as `NVIDIA A100-SXM4-40GB MIG 1g.5gb`.
        names = (gpu if isinstance(gpu, str) else "" for gpu in frame["gpu_name"])
        return np.array([float(" MIG " in name) if name else math.nan for name in names])
    if source == "cc":
        parts = (str(cc).partition(".")[0 if name.endswith("major") else 2] for cc in frame["cc"])
        return np.array([math.nan if (number := whole(p)) is None else float(number) for p in parts])
    return np.array([float(math.prod(xyz)) if isinstance(xyz, tuple | list) else math.nan for xyz in frame[source]])


def _counted(frame: pd.DataFrame, known: Mapping[str, MetricDef]) -> dict[str, Array]:
    """Return the metrics that come from the opcodes and the accesses of each launch."""
    out: dict[str, Array] = {}
    for column, source, function in (("opcodes", "opcodes", mix), ("accesses", "accesses", access_metrics)):
        names = [name for name, entry in known.items() if entry.source == source]
        if column in frame and len(names):
            out |= function(frame[column], names)
    return out


def _compute(
    known: Mapping[str, MetricDef],
    steps: Plan,
    given: Mapping[str, Array],
    counted: Mapping[str, Array],
    held: frozenset[str],
    affected: frozenset[str],
) -> dict[str, Array]:
    columns: dict[str, Array] = {}
    shares: dict[str, Array] = {}
    rows = len(next(iter(given.values()))) if given else 0
    with np.errstate(all="ignore"):
        for name in steps.order:
            value = given[name]
            if name not in held:
                made = counted.get(name)
                if name in steps.formulas:
                    made = steps.formulas[name].column(columns, rows)
                if made is None:
                    made = stated.kept(name, given)
                if name in FILLS:
                    filled = FILLS[name][1](columns, given)
                    made = filled if made is None else or_else(made, filled)
                if name.endswith("_not_issued_pct"):
                    shares = shares or not_issued(columns)
                    made = shares.get(name, made)
                elif name in ("compute_pct", "compute_from_breakdown"):
                    made = compute(columns)[0 if name == "compute_pct" else 1]
                elif name == "sm_other_leads":
                    made = elsewhere(columns)[0]
                elif name == "memory_pct":
                    made = memory(columns)[0]
                elif name == "blocks_per_sm_limit":
                    made = blocks_per_sm(columns)
                elif name == "stall_leading":
                    made = leader(columns)[1]
                if made is not None:
                    reported = bool(known[name].names) and name not in affected and name not in CORRECTED
                    value = or_else(value, made) if reported else or_else(made, value)
            if name == "compute_pct" and name not in held:
                value = _not_lost(value, given)
            columns[name] = stated.believed(name, columns, _finite(value))
    return columns


def _labels(columns: Mapping[str, Array]) -> dict[str, Array]:
    with np.errstate(all="ignore"):
        return {
            "compute_leader": compute(columns)[2],
            "memory_leader": memory(columns)[1],
            "sm_leader": elsewhere(columns)[1],
            "stall_leader": leader(columns)[0],
            "occupancy_limiter": limiter(columns),
            "shared_passes": passes_text(columns),
        }
