"""Fill in the counts of instructions that a report lacks, from the machine code that it has.

The code gives expected executions per warp (`records.readings.CodeCounts`). They are scaled to the number of executed
instructions: the measured one, or that of the issue slots in use, or the sum of the code's own counts over all warps.
A number of the report or of the user has priority. Filled metrics, and all that follow from them, are `estimated`: they
count less as evidence (see `observations.ESTIMATE_FACTOR`), and texts say `about`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
from msgspec import Struct

from advisor.hardware.gpus import table
from advisor.hardware.sass_axes import repeats
from advisor.knowledge.math_functions import COUNTS
from advisor.reasoning.code_accesses import decided
from advisor.reasoning.enrich import tensor_ops, with_numbers
from advisor.reasoning.metrics.instruction_mix import access_metrics, mix
from advisor.records.readings import Access, CodeCounts

if TYPE_CHECKING:
    import pandas as pd

    from advisor.knowledge.schemas import MetricDef

Array = np.ndarray[Any, Any]
ESTIMATED: Final = "estimated"
FLAG: Final = "counts_from_code"
# Canonical counts of accesses: metric -> (space, kind).
_ACCESSED: Final = {
    f"{space}_{kind}_inst": (space, kind) for space in ("global", "shared", "local") for kind in ("load", "store")
}
# Opcodes that reach global memory and are in no global access: generic addresses, textures, surfaces, the TMA.
_GENERIC, _TEXTURES = ("LD", "ST", "ATOM", "RED"), ("TEX", "TLD", "TLD4", "SULD", "SUST", "SURED", "SUATOM")
_ELSEWHERE: Final = frozenset((*_GENERIC, *_TEXTURES, "UBLKCP", "UBLKRED", "UTMALDG", "UTMASTG", "UTMAREDG"))
# What the global accesses alone do not say then.
_OF_GLOBAL: Final = (
    *("requested_bytes", "widest_requested_bytes"),
    *("sector_ratio", "load_sectors_actual", "load_sectors_ideal", "store_sectors_actual", "store_sectors_ideal"),
    *("ideal_sectors_per_request_load", "ideal_sectors_per_request_store", "uniform_load_inst", "uniform_load_bytes"),
)
# What says how many instructions a launch executed.
_SCALES: Final = ("inst_executed", "issue_pct", "device_schedulers_per_sm", "sm_count", "sm_cycles_elapsed", "warps")
_PASSES: Final = "l1_passes"


def with_code_counts(
    frame: pd.DataFrame,
    derived: pd.DataFrame,
    metrics: Mapping[str, MetricDef],
    derive: Callable[[pd.DataFrame], pd.DataFrame],
) -> pd.DataFrame:
    """Return the derived frame with the counts that the code gives; `derived` itself if no launch needs them.

    frame: before `derive`. The column `estimated` has for each launch the ids of the metrics that rest on the code.
    """
    import pandas as pd

    both = zip(frame["code"], frame["opcodes"], strict=True) if "code" in frame else ()
    found = [code if isinstance(code, CodeCounts) and counted is None else None for code, counted in both]
    if not any(found):
        return derived
    of = {name: derived[name].to_numpy(dtype=float) for name in (*_SCALES, _PASSES)}
    cycles = [_cycles_per_request(str(cc)) for cc in frame["cc"]]
    scaled = [
        _scaled(one, {n: float(column[row]) for n, column in of.items()}, cycles[row], grid)
        for row, (one, grid) in enumerate(zip(found, frame["grid"], strict=True))
    ]
    filled: dict[str, Array] = {}
    flag = np.array([math.nan if one is None else 1.0 for one in scaled])
    for name, values in (_columns(scaled, metrics) | _traffic(derived)).items():
        known = derived[name].to_numpy(dtype=float)
        own = frame[name].to_numpy(dtype=float) if name in frame else np.full(len(frame), np.nan)
        filled[name] = np.where(np.isfinite(known) | np.isnan(flag), own, values)
    again = derive(with_numbers(frame, filled | {FLAG: flag}))
    kept, estimated = _added(derived, again, list(metrics))
    kept[ESTIMATED] = pd.Series(estimated, index=kept.index, dtype=object)
    return kept


def _traffic(derived: pd.DataFrame) -> dict[str, Array]:
    """Return the bytes of DRAM from its utilisation, to hold them against the bytes that the code requests."""
    of = {n: derived[n].to_numpy(dtype=float) for n in ("dram_pct", "dram_peak_bytes_per_s", "duration_ns")}
    return {"dram_bytes": of["dram_pct"] / 100 * of["dram_peak_bytes_per_s"] * of["duration_ns"] / 1e9}


@lru_cache(maxsize=64)
def _cycles_per_request(cc: str) -> tuple[int, ...]:
    """Return the cycles between two requests of the load/store path at its peak; all known ones if it is unknown."""
    known = {name: one.limits.cycles_per_request for name, one in table().capabilities.items()}
    own = known.get(cc)
    return (own,) if own else tuple(sorted({number for number in known.values() if number}))


class _Scaled(Struct, frozen=True):
    """The counts of a launch, as of a report that has them."""

    opcodes: dict[str, float]
    accesses: tuple[Access, ...]
    spills: float
    indexed: float
    data_branches: float = math.nan
    own_cycles: float = math.nan
    repeats: float = math.nan
    grid_reads: float = 0.0
    functions: dict[str, float] = {}


def _scaled(code: CodeCounts | None, of: Mapping[str, float], cycles: Sequence[int], grid: Any) -> _Scaled | None:
    """Return the counts of a launch: those of a warp, times a factor for all of them.

    of: its metrics by name; cycles: those that a request takes at its peak, of which one is right; grid: its blocks
    along each axis, if they are known.
    """
    per_warp = math.fsum(code.opcodes.values()) if code is not None else 0.0
    if code is None or not per_warp:
        return None
    slots = of["issue_pct"] / 100 * of["device_schedulers_per_sm"] * of["sm_count"] * of["sm_cycles_elapsed"]
    total = next((n for n in (of["inst_executed"], slots) if math.isfinite(n) and n > 0), per_warp * of["warps"])
    if not math.isfinite(total):
        return None
    factor = total / per_warp
    known = (code.data_branches, code.own_cycles, _repeats(code, grid))
    data_branches, own_cycles, repeated = (math.nan if one is None else one for one in known)
    return _Scaled(
        {opcode: number * factor for opcode, number in code.opcodes.items()},
        tuple(_times(access, factor) for access in decided(code, [of[_PASSES] * number for number in cycles])),
        code.spills * factor,
        code.indexed * factor,
        data_branches,
        own_cycles,
        repeated,
        code.grid_reads * factor,
        {name: number * factor for name, number in code.functions.items()},
    )


def _repeats(code: CodeCounts, grid: Any) -> float | None:
    """Return how often blocks load the same bytes; None where it is unknown."""
    return repeats(code.loaded, [int(n) for n in grid]) if isinstance(grid, tuple) and len(grid) == 3 else None


def _times(access: Access, factor: float) -> Access:
    counts = ("executed", "lanes", "sectors", "sectors_ideal", "wavefronts", "wavefronts_ideal")
    return msgspec.structs.replace(access, **{name: getattr(access, name) * factor for name in counts})


def _total(field: str, space: str, kinds: Sequence[str] = ("load", "store")) -> Callable[[_Scaled], float]:
    return lambda one: math.fsum(getattr(a, field) for a in one.accesses if a.space == space and a.kind in kinds)


def _function(name: str, one: _Scaled) -> float:
    found = one.functions.get(name, math.nan)
    return found if found >= 0 else math.nan


def _sector_ratio(one: _Scaled) -> float:
    return max(_total("sectors", "global")(one), 1.0) / max(_total("sectors_ideal", "global")(one), 1.0)


def _columns(scaled: list[_Scaled | None], metrics: Mapping[str, MetricDef]) -> dict[str, Array]:
    """Return the metrics that the counts give, shape (launches,) each; NaN where there are none."""
    opcodes = [None if one is None else one.opcodes for one in scaled]
    by_opcode = [name for name, entry in metrics.items() if entry.source == "opcodes"]
    by_access = [name for name, entry in metrics.items() if entry.source == "accesses"]
    out = mix(opcodes, by_opcode) | access_metrics((None if one is None else one.accesses for one in scaled), by_access)
    parts: dict[str, Callable[[_Scaled], float]] = {
        "inst_executed": lambda one: math.fsum(one.opcodes.values()),
        "spill_inst": lambda one: one.spills,
        "indexed_local_inst": lambda one: one.indexed,
        "data_branch_share": lambda one: one.data_branches,
        "code_interval": lambda one: one.own_cycles,
        "block_repeats": lambda one: one.repeats,
        "grid_size_inst": lambda one: one.grid_reads,
        "shared_wavefronts": _total("wavefronts", "shared"),
        "shared_wavefronts_ideal": _total("wavefronts_ideal", "shared"),
        "shared_wavefronts_hw": _total("wavefronts", "shared"),
        # Not their number: bytes that depend on trip counts are too inexact to hold against those of DRAM.
        "sector_ratio": _sector_ratio,
        "tensor_opcode_ops": lambda one: tensor_ops(one.opcodes),
        **{name: _total("executed", space, (kind,)) for name, (space, kind) in _ACCESSED.items()},
    }
    parts |= {name: partial(_function, name) for name in (*COUNTS, "function_check_inst")}
    for name, part in parts.items():
        if name in metrics:
            out[name] = np.array([math.nan if one is None else part(one) for one in scaled])
    elsewhere = [_reaches_elsewhere(one) for one in opcodes]
    for name in _OF_GLOBAL:
        out[name] = np.where(elsewhere, np.nan, out[name])
    return out


def _reaches_elsewhere(opcodes: Mapping[str, float] | None) -> bool:
    """Whether other instructions than the global accesses may reach global memory."""
    return any(opcode.partition(".")[0] in _ELSEWHERE for opcode in opcodes or ())


def _added(before: pd.DataFrame, after: pd.DataFrame, names: list[str]) -> tuple[pd.DataFrame, list[frozenset[str]]]:
    """Return the frame `after` with what was known before, and for each launch the metrics that are known only now."""
    old, new = (frame[names].to_numpy(dtype=float) for frame in (before, after))
    kept = with_numbers(after, dict(zip(names, np.where(np.isfinite(old), old, new).T, strict=True)))
    other = ~np.isfinite(old) & np.isfinite(new)
    named = np.array(names, dtype=object)
    sets: dict[bytes, frozenset[str]] = {}  # most launches of a report have the same ones
    for row in other:
        sets.setdefault(row.tobytes(), frozenset(named[row].tolist()) - {FLAG})
    return kept, [sets[row.tobytes()] for row in other]
