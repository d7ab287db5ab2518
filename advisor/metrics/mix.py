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
# to 6 % of the instructions; kernels with real half arithmetic were too few to place the line, which is a choice.
HFMA2_IS_WORK = 0.25


@lru_cache(maxsize=8192)
def _weights(opcode: str, plain: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Metrics that one execution counts to, and metrics that it may count to but that only its modifiers would tell."""
    what = opcodes.classify(opcode)
    if not what.entry:
        return ("unclassified_inst",), ()
    counts = what.counts
    if what.is_conversion and what.involves_f64:
        counts = (*counts, "f64_conversion_inst")
    if not plain:
        return counts, ()
    open_: set[str] = (
        {"f64_conversion_inst"} if what.is_conversion and opcode in ("F2F", "F2I", "I2F", "FRND") else set()
    )
    for other in opcodes.refined().get(opcode, ()):
        open_ |= set(other.counts) ^ set(counts)
    return counts, tuple(open_)


def _is_constant(opcode: str) -> bool:
    return opcode.startswith("HFMA2")


def count(executed: Mapping[str, float]) -> dict[str, float]:
    """Canonical counts of a launch from warp-level executions by opcode; NaN where only modifiers would tell.

    A metric that no opcode counts to is absent: zero.
    """
    plain = not any("." in opcode for opcode in executed)
    out: dict[str, float] = {}
    unsure: set[str] = set()
    hfma2 = other_half = 0.0
    total = 0.0
    for opcode, number in executed.items():
        total += number
        counts, may = _weights(opcode, plain)
        if number:
            unsure.update(may)
        if "half_inst" in counts:
            if _is_constant(opcode):
                hfma2 += number
                continue
            other_half += number
        for metric in counts:
            out[metric] = out.get(metric, 0.0) + number
    works = other_half > 0 or hfma2 > HFMA2_IS_WORK * total
    hidden = "half_inst" if works else "move_inst"
    out[hidden] = out.get(hidden, 0.0) + hfma2
    return {**out, **dict.fromkeys(unsure, math.nan)}


def mix(column: Iterable[Any], names: Iterable[str]) -> dict[str, Array]:
    """The columns `names` from the frame's column of opcode mappings; NaN where a launch has none."""
    rows = [count(executed) if isinstance(executed, Mapping) and executed else None for executed in column]
    return {
        name: np.array([np.nan if row is None else row.get(name, 0.0) for row in rows], dtype=float) for name in names
    }
