"""Count canonical metrics from executed opcodes, and sum the source-level accesses of a launch."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from advisor.hardware import sass
from advisor.records.readings import Access

Array = np.ndarray[Any, Any]
# HFMA2 is arithmetic only if there are other half instructions, or if it exceeds this share of all instructions:
# otherwise it loads constants (`HFMA2 R1, -RZ, RZ, 0, 0`). In the disassembly of 53 kernels, constants take up to 6 %
# of the instructions, while a plain product of half matrices has one HFMA2 in three to five instructions: the threshold
# is between them. On two bfloat16 values (BF16_V2) it is always arithmetic.
HFMA2_IS_WORK = 0.15
# HADD2.F32 is excluded: it widens a half to fp32 and computes nothing.
_HALF_MATH = {
    "HADD2": ("half_math_inst", "hadd2_inst"),
    "HMUL2": ("half_math_inst", "hmul2_inst"),
    "HFMA2": ("half_math_inst", "hfma2_inst"),
}
# Metrics of executions with a modifier, by opcode: strong loads pass by L1, .CAS and .CAST compare and swap, .X adds
# the carry of the lower half of a 64-bit integer, .U64.RP begins the division of one, .F64.S64 makes a double of one,
# .U8 and .S8 make a float of a byte, .F64.F32 makes a float a double, .4A adds up the products of four bytes.
_MARKED = {
    "IADD3": ((".X", "carry_inst"),),
    "IMAD": ((".X", "carry_inst"),),
    "IMAD.HI": ((".X", "carry_inst"),),
    "LDG": ((".CONSTANT", "read_only_load_inst"), (".STRONG", "strong_load_inst")),
    "LD": ((".STRONG", "strong_load_inst"),),
    "ATOMG": ((".CAS", "global_swap_inst"),),
    "ATOM": ((".CAS", "global_swap_inst"),),
    "ATOMS": ((".CAS", "shared_swap_inst"),),
    "I2F": (
        *((".U64.RP", "long_division_inst"), (".F64.S64", "wide_to_double_inst")),
        *((".U8", "byte_conversion_inst"), (".S8", "byte_conversion_inst")),
    ),
    "F2F": ((".F64.F32", "promoted_inst"), (".F32.F64", "demoted_inst")),
    "IDP": ((".4A", "byte_product_inst"),),
    "MUFU": ((".RCP64H", "double_seed_inst"), (".RSQ64H", "double_seed_inst")),
}
# Metrics of some opcodes of an entry, without its others: copies of the TMA without prefetches, fences without error
# barriers.
_NAMED = {
    "bulk_copy_inst": ("UBLKCP", "UTMALDG", "UTMASTG"),
    "call_inst": ("CALL", "CAL", "JCAL"),
    "fence_inst": ("MEMBAR",),
    "exit_inst": ("EXIT",),
    "float_of_integer_inst": ("I2F", "I2FP"),
}


@lru_cache(maxsize=8192)
def _weights(opcode: str, plain: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the metrics that one execution counts to, and those that only its modifiers could confirm."""
    what = sass.classify(opcode)
    if not what.entry:
        return ("unclassified_inst",), ()
    counts = what.counts
    if what.pipe == "fma":
        counts = (*counts, "fma_pipe_inst")
    if what.is_conversion and what.involves_f64:
        counts = (*counts, "f64_conversion_inst")
    half = _HALF_MATH.get(what.entry.split(".")[0], ())
    marked = _MARKED.get(what.entry, ())
    nearest = opcode.split(".")[0] == "F2I" and set(opcode.split(".")[1:]) <= {"FTZ", "NTZ"}
    counts = (*counts, *(("nearest_integer_inst",) if nearest else ()))
    counts = (*counts, *(metric for mark, metric in marked if mark in opcode))
    counts = (*counts, *(metric for metric, names in _NAMED.items() if opcode.split(".")[0] in names))
    counts = (*counts, *(("half_widen_inst",) if what.entry == "HADD2" and ".F32" in opcode else half))
    if not plain:
        return counts, ()
    open_: set[str] = (
        {"f64_conversion_inst"} if what.is_conversion and opcode in ("F2F", "F2I", "I2F", "FRND") else set()
    )
    open_ |= {metric for _, metric in marked} | ({"nearest_integer_inst"} if nearest else set())
    if what.entry == "HADD2":
        open_ |= {"half_widen_inst", *half}
    for other in sass.refined().get(opcode, ()):
        open_ |= set(other.counts) ^ set(what.counts)
    return counts, tuple(open_)


def _may_be_constant(opcode: str) -> bool:
    return opcode.startswith("HFMA2") and ".BF16" not in opcode


def count(executed: Mapping[str, float]) -> dict[str, float]:
    """Return canonical counts of a launch from warp-level executions by opcode; NaN if modifiers would be needed.

    A metric that no opcode counts to is absent, which means zero.
    """
    plain = not any("." in opcode for opcode in executed)
    out: dict[str, float] = {}
    unsure: set[str] = set()

    def add(metrics: Iterable[str], number: float) -> None:
        for metric in metrics:
            out[metric] = out.get(metric, 0.0) + number

    hfma2 = 0.0
    for opcode, number in executed.items():
        counts, may = _weights(opcode, plain)
        if number:
            unsure.update(may)
        if _may_be_constant(opcode):
            hfma2 += number
            counts = tuple(metric for metric in counts if metric == "fma_pipe_inst")
        add(counts, number)
    fills = hfma2 > HFMA2_IS_WORK * math.fsum(executed.values())
    add(("half_inst",) if fills or out.get("half_inst") else ("move_inst",), hfma2)
    add(_HALF_MATH["HFMA2"] if fills or out.get("half_math_inst") else (), hfma2)
    return {**out, **dict.fromkeys(unsure, math.nan)}


def mix(column: Iterable[Any], names: Iterable[str]) -> dict[str, Array]:
    """Return the columns `names` from the frame's column of opcode mappings; NaN where a launch has none."""
    rows = [count(executed) if isinstance(executed, Mapping) and executed else None for executed in column]
    return {
        name: np.array([np.nan if row is None else row.get(name, 0.0) for row in rows], dtype=float) for name in names
    }


NARROW_BITS = 32
DOUBLE_BITS = 64
WIDEST_BITS = 128
WORD_BITS = 32
SECTOR_BYTES = 32


def _ratio(above: float, below: float) -> float:
    return above / below if below else math.nan


def summarise(accesses: Sequence[Access]) -> dict[str, float]:
    """Return canonical metrics of one launch. Units: sectors, bytes, bits; a ratio without accesses is NaN.

    A count that the report lacks is NaN in an access and makes the sums with it NaN.
    """
    reached = [a for a in accesses if a.space == "global"]
    out: dict[str, float] = {}
    for kind in ("load", "store"):
        chosen = [a for a in reached if a.kind == kind]
        actual, ideal = (math.fsum(getattr(a, f) for a in chosen) for f in ("sectors", "sectors_ideal"))
        out[f"{kind}_sectors_actual"] = actual
        out[f"{kind}_sectors_ideal"] = ideal
        out[f"ideal_sectors_per_request_{kind}"] = _ratio(ideal, math.fsum(a.executed for a in chosen))
    out["requested_bytes"] = math.fsum(a.lanes * a.width / 8 for a in reached)
    most = max((a.width for a in reached), default=0)
    out["widest_requested_bytes"] = math.fsum(a.lanes for a in reached) * most / 8
    wide = [a for a in reached if a.width > 0]
    executed = math.fsum(a.executed for a in wide)
    out["access_bits_mean"] = _mean_bits(wide)
    out["narrow_access_share"] = _ratio(math.fsum(a.executed for a in wide if a.width <= NARROW_BITS), executed)
    moved = math.fsum(a.lanes * a.width for a in reached)
    out["wide_access_share"] = _ratio(math.fsum(a.lanes * a.width for a in reached if a.width >= DOUBLE_BITS), moved)
    loads = [a for a in accesses if a.kind == "load" and a.space in ("global", "shared")]
    out["loaded_bytes"] = math.fsum(a.lanes * a.width / 8 for a in loads)
    out["global_loaded_bytes"] = math.fsum(a.lanes * a.width / 8 for a in loads if a.space == "global")
    stored = [a for a in accesses if a.space == "shared" and a.kind == "store"]
    out["shared_stored_bytes"] = math.fsum(a.lanes * a.width / 8 for a in stored)
    out["loading_lanes"] = math.fsum(a.lanes for a in loads if a.space == "global")
    out["loaded_words"] = math.nan if any(not a.width for a in loads) else math.fsum(map(_words, loads))
    shared_loads = [a for a in loads if a.space == "shared" and a.width > 0]
    widest = math.fsum(a.executed for a in shared_loads if a.width >= WIDEST_BITS)
    out["shared_wide_load_share"] = _ratio(widest, math.fsum(a.executed for a in shared_loads))
    wide_loads = [a for a in shared_loads if a.width >= WIDEST_BITS]
    passes, fewest = (math.fsum(getattr(a, f) for a in wide_loads) for f in ("wavefronts", "wavefronts_ideal"))
    out["shared_wide_load_ratio"] = _ratio(passes, fewest)
    stores = [a for a in reached if a.kind == "store"]
    narrow = math.fsum(a.executed for a in stores if 0 < a.width <= NARROW_BITS)
    out["narrow_store_share"] = _ratio(narrow, math.fsum(a.executed for a in stores))
    alike = [(a, _uniform(a)) for a in loads if a.space == "global"]
    out["uniform_load_inst"] = math.fsum(number for _, number in alike)
    out["uniform_load_bytes"] = math.fsum(number * a.width / 8 for a, number in alike)
    shared = [a for a in accesses if a.space == "shared" and a.kind in ("load", "store") and a.width > 0]
    out["shared_bits_mean"] = _mean_bits(shared)
    out["local_bits_mean"] = _mean_bits([a for a in accesses if a.space == "local" and a.width > 0])
    out["shared_wide_excess_share"] = _excess_share((a.width >= DOUBLE_BITS, a) for a in shared)
    out["shared_atomic_excess_share"] = _excess_share((a.kind == "atomic", a) for a in accesses if a.space == "shared")
    return out


def _uniform(loads: Access) -> float:
    """Return the least number of loads whose lanes all use one sector; NaN without the number of sectors.

    Loads of one width are known by their sums alone. If u of n loads take one sector and no other takes fewer than the
    c sectors that the lanes' own bytes fill, the sum is at least u + (n - u) * c; scattered loads among them only hide
    uniform ones. If c is one sector or less, as for bytes, nothing is known and the result is 0.
    """
    if not loads.executed or not loads.width:
        return 0.0
    own = loads.lanes * loads.width / 8 / SECTOR_BYTES / loads.executed
    if own <= 1:
        return 0.0 if loads.lanes else math.nan
    sectors = loads.sectors / loads.executed
    return math.nan if math.isnan(sectors) else loads.executed * min(1.0, max(0.0, (own - sectors) / (own - 1)))


def _words(loads: Access) -> float:
    """Return the registers that a lane fills with these loads, summed over the warps: one for 4 bytes or fewer."""
    return loads.executed * max(1.0, loads.width / WORD_BITS)


def _mean_bits(accesses: Sequence[Access]) -> float:
    executed = math.fsum(a.executed for a in accesses)
    return _ratio(math.fsum(a.executed * a.width for a in accesses), executed)


def _excess_share(shared: Iterable[tuple[bool, Access]]) -> float:
    """Return the share of the marked accesses in the passes over the ideal number; 0 if there are none over it."""
    excess = [(marked, a.wavefronts - a.wavefronts_ideal) for marked, a in shared]
    total = math.fsum(e for _, e in excess)
    if math.isnan(total):
        return math.nan
    return math.fsum(e for marked, e in excess if marked) / total if total > 0 else 0.0


def access_metrics(column: Iterable[Any], names: Iterable[str]) -> dict[str, Array]:
    """Return the columns `names` from the frame's column of access tuples; NaN where a launch has none."""
    rows = [summarise(accesses) if isinstance(accesses, tuple | list) else None for accesses in column]
    return {name: np.array([np.nan if row is None else row[name] for row in rows], dtype=float) for name in names}
