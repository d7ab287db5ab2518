"""The instruction mix: from executed opcodes to canonical counts, one launch at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from advisor.sass import opcodes

Array = np.ndarray[Any, Any]
# HFMA2 is arithmetic only where other half instructions stand beside it, or where it exceeds this share of all
# instructions: else it loads constants (`HFMA2 R1, -RZ, RZ, 0, 0`). By the disassembly of 53 kernels constants take up
# to 6 % of the instructions, while a product of half matrices that does nothing to save loads has one HFMA2 in three to
# five instructions: the line is between them. On two bfloat16 values (BF16_V2) it is always arithmetic.
HFMA2_IS_WORK = 0.15
# HADD2.F32 is not among them: it widens a half to fp32 and computes nothing.
_HALF_MATH = {
    "HADD2": ("half_math_inst", "hadd2_inst"),
    "HMUL2": ("half_math_inst", "hmul2_inst"),
    "HFMA2": ("half_math_inst", "hfma2_inst"),
}


@lru_cache(maxsize=8192)
def _weights(opcode: str, plain: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Metrics that one execution counts to, and metrics that it may count to but that only its modifiers would tell."""
    what = opcodes.classify(opcode)
    if not what.entry:
        return ("unclassified_inst",), ()
    counts = what.counts
    if what.pipe == "fma":
        counts = (*counts, "fma_pipe_inst")
    if what.is_conversion and what.involves_f64:
        counts = (*counts, "f64_conversion_inst")
    half = _HALF_MATH.get(what.entry.split(".")[0], ())
    counts = (*counts, *(("half_widen_inst",) if what.entry == "HADD2" and ".F32" in opcode else half))
    if not plain:
        return counts, ()
    open_: set[str] = (
        {"f64_conversion_inst"} if what.is_conversion and opcode in ("F2F", "F2I", "I2F", "FRND") else set()
    )
    if what.entry == "HADD2":
        open_ |= {"half_widen_inst", *half}
    for other in opcodes.refined().get(opcode, ()):
        open_ |= set(other.counts) ^ set(what.counts)
    return counts, tuple(open_)


def _may_be_constant(opcode: str) -> bool:
    return opcode.startswith("HFMA2") and ".BF16" not in opcode


def count(executed: Mapping[str, float]) -> dict[str, float]:
    """Canonical counts of a launch from warp-level executions by opcode; NaN where only modifiers would tell.

    A metric that no opcode counts to is absent: zero.
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
    """The columns `names` from the frame's column of opcode mappings; NaN where a launch has none."""
    rows = [count(executed) if isinstance(executed, Mapping) and executed else None for executed in column]
    return {
        name: np.array([np.nan if row is None else row.get(name, 0.0) for row in rows], dtype=float) for name in names
    }
