"""From a reader's frame to one in which every canonical metric has its column; NaN is unknown."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from advisor.catalog import catalog
from advisor.catalog.schemas import MetricDef
from advisor.errors import KnowledgeError
from advisor.metrics import leaders, occupancy, stalls
from advisor.metrics.access import access_metrics
from advisor.metrics.fallbacks import FILLS
from advisor.metrics.mix import mix
from advisor.metrics.plan import Plan, plan
from advisor.model import IDENTITY

if TYPE_CHECKING:
    import pandas as pd

Array = np.ndarray[Any, Any]
# Text columns beside the metrics: a metric id, a stall reason, or the names of resources; '' is unknown.
LABELS = ("compute_leader", "memory_leader", "stall_leader", "occupancy_limiter")


@lru_cache(maxsize=1)
def _own_plan() -> Plan:
    return plan(catalog().metrics)


def columns_of(frame: pd.DataFrame) -> dict[str, Array]:
    """The frame's numeric columns as float arrays of shape (rows,)."""
    # All at once: a frame has hundreds of columns, and taking each out of it costs more than what is done with it.
    kinds = [dtype.kind in "fiub" for dtype in frame.dtypes]
    values = frame.loc[:, kinds].to_numpy(dtype=float).T
    return dict(zip(map(str, frame.columns[kinds]), values, strict=True))


def check(frame: pd.DataFrame, metrics: Mapping[str, MetricDef] | None = None) -> None:
    """The contract of the frame: columns are IDENTITY, canonical metrics as float64, or LABELS as text.

    KnowledgeError names the first column that is neither, or that has another type.
    """
    known = catalog().metrics if metrics is None else metrics
    for name in map(str, frame.columns):
        if name in IDENTITY:
            continue
        if name in LABELS:
            if not all(isinstance(value, str) for value in frame[name]):
                raise KnowledgeError(f"the column {name!r} of the frame must hold text")
        elif name not in known:
            raise KnowledgeError(f"the column {name!r} of the frame is no metric of knowledge/metrics.yaml")
        elif frame[name].dtype != np.float64:
            raise KnowledgeError(f"the column {name!r} of the frame must be float64, not {frame[name].dtype}")


def derive(
    frame: pd.DataFrame, keep: Collection[str] = (), metrics: Mapping[str, MetricDef] | None = None
) -> pd.DataFrame:
    """The frame with every canonical metric as a float64 column, and LABELS; rows and their order stay.

    frame: IDENTITY columns and any metrics, in the units of metrics.yaml; it may have been derived before. A number
    that the report gives wins over a formula; a number that can only be derived is computed anew wherever its inputs
    are known. keep: metrics that hold as they stand, as in a what-if: what depends on them is computed anew, even
    where a report gave it. Infinities become NaN. KnowledgeError for a catalogue whose formulas are wrong.
    """
    import pandas as pd

    known = catalog().metrics if metrics is None else metrics
    steps = _own_plan() if known is catalog().metrics else plan(known)
    rows = len(frame)
    reported, unknown = columns_of(frame), np.full(rows, np.nan)
    told = {name: _finite(reported[name]) if name in reported else unknown for name in known}
    for name in ("grid_size", "block_size", "device_cc_major", "device_cc_minor", "device_mig"):
        if name in known:
            told[name] = _else(told[name], _identity(frame, name, rows))
    held = frozenset(keep)
    columns = _compute(known, steps, told, _counted(frame, known), held, steps.follow(held) if held else frozenset())
    identity = [name for name in IDENTITY if name in frame]
    rest = [name for name in frame.columns if name not in identity and name not in columns and name not in LABELS]
    # The numbers as one block: column by column pandas takes longer to put them together than they take to compute.
    numbers = pd.DataFrame(np.array([columns[name] for name in known]).T, index=frame.index, columns=list(known))
    labels = pd.DataFrame(_labels(columns), index=frame.index)
    return pd.concat((frame[identity], numbers, frame[rest], labels), axis=1)


def _finite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, np.nan)


def _else(values: Array, other: Array) -> Array:
    return np.where(np.isfinite(values), values, other)


def _identity(frame: pd.DataFrame, name: str, rows: int) -> Array:
    """Grid, block, compute capability and MIG as the frame's identity columns have them."""
    source = {"grid_size": "grid", "block_size": "block", "device_mig": "gpu_name"}.get(name, "cc")
    if source not in frame:
        return np.full(rows, np.nan)
    if source == "gpu_name":
        # A part of a GPU is called by its size, such as `NVIDIA A100-SXM4-40GB MIG 1g.5gb`.
        names = (gpu if isinstance(gpu, str) else "" for gpu in frame["gpu_name"])
        return np.array([float(" MIG " in name) if name else math.nan for name in names])
    if source == "cc":
        parts = (str(cc).partition(".")[0 if name.endswith("major") else 2] for cc in frame["cc"])
        return np.array([float(p) if p.isdigit() else math.nan for p in parts])
    return np.array([float(math.prod(xyz)) if isinstance(xyz, tuple | list) else math.nan for xyz in frame[source]])


def _counted(frame: pd.DataFrame, known: Mapping[str, MetricDef]) -> dict[str, Array]:
    """The metrics that come from the opcodes and the accesses of each launch."""
    out: dict[str, Array] = {}
    for column, source, function in (("opcodes", "opcodes", mix), ("accesses", "accesses", access_metrics)):
        names = [name for name, entry in known.items() if entry.source == source]
        if column in frame and len(names):
            out |= function(frame[column], names)
    return out


def _compute(
    known: Mapping[str, MetricDef],
    steps: Plan,
    told: Mapping[str, Array],
    counted: Mapping[str, Array],
    held: frozenset[str],
    affected: frozenset[str],
) -> dict[str, Array]:
    columns: dict[str, Array] = {}
    shares: dict[str, Array] = {}
    rows = len(next(iter(told.values()))) if told else 0
    with np.errstate(all="ignore"):
        for name in steps.order:
            value = told[name]
            if name not in held:
                made = counted.get(name)
                if name in steps.formulas:
                    made = steps.formulas[name].column(columns, rows)
                if name in FILLS:
                    filled = FILLS[name][1](columns, told)
                    made = filled if made is None else _else(made, filled)
                if name.endswith("_not_issued_pct"):
                    shares = shares or stalls.not_issued(columns)
                    made = shares.get(name, made)
                elif name in ("compute_pct", "compute_from_breakdown"):
                    made = leaders.compute(columns)[0 if name == "compute_pct" else 1]
                elif name == "memory_pct":
                    made = leaders.memory(columns)[0]
                elif name == "blocks_per_sm_limit":
                    made = occupancy.blocks_per_sm(columns)
                if made is not None:
                    reported = bool(known[name].names) and name not in affected
                    value = _else(value, made) if reported else _else(made, value)
            columns[name] = _finite(value)
    return columns


def _labels(columns: Mapping[str, Array]) -> dict[str, Array]:
    with np.errstate(all="ignore"):
        return {
            "compute_leader": leaders.compute(columns)[2],
            "memory_leader": leaders.memory(columns)[1],
            "stall_leader": stalls.leader(columns),
            "occupancy_limiter": occupancy.limiter(columns),
        }
