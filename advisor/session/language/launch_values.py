"""Parse the launch that a what-if question supposes: blocks, threads per block, registers per thread, shared memory.

`264 blocks` is the grid, `blocks of 128 threads` the block size and `half the registers` half of those per thread,
although metrics of the report have the same words in their names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final

from advisor.hardware import gpus
from advisor.hardware.occupancy import WARP
from advisor.records.diagnosis import LaunchDiagnosis

_KIB: Final = 1024  # CUDA sizes shared memory in units of 1024 bytes
_LONGEST: Final = 400
# Whole numbers: the digits of `1.5` are none.
_N: Final = r"(?<![\d.,])(?P<n>\d{1,3}(?:,\d{3})+|\d{1,10})(?!\.?\d)"
_SIDES: Final = r"(?<![\d.,])(?P<n>\d{1,10}(?:\s*[x×,]\s*\d{1,10}){0,2})(?!\.?\d)"
_TO: Final = r"(?:\s+(?:size|count))?\s*(?:=|:|of|to|at|were|was|is|are|would be|becomes?)?\s*"
_REGISTERS: Final = r"(?:registers?|regs?)\b"
_PER_THREAD: Final = r"(?:\s*(?:per|a|/|each)\s*thread)?"
_WARPS: Final = r"\s*(?P<warps>warps?)"
_BLOCK: Final = r"(?:thread\s*blocks?|blocks?|ctas?)"
_SHARED: Final = r"(?:shared\s*(?:memory|mem)|smem)\b"
# Shared memory as a resource of a block; what is accessed in it (conflicts, loads) is another subject.
_RESOURCE: Final = r"(?!\s*(?:bank|conflict|access|load|store|traffic|request|wavefront|atomic|through|util))"
_BYTES: Final = r"(?P<n>\d{1,7}(?:\.\d{1,3})?)\s*(?P<unit>[kK]i?[bB]?\b|[bB]ytes?\b|[bB]\b)"
_FACTOR: Final = (
    r"(?P<factor>half|halve|halved|halving|twice|double|doubled|doubling|triple|a quarter of|quarter"
    r"|(?<![\d.,])\d{1,3}(?:x|×| times))"
    r"(?:\s+(?:as many|as much|the (?:number|amount|count) of|of|the|its|my|our|that many))*"
)
_FACTORS: Final = {"half": 0.5, "halv": 0.5, "twic": 2.0, "doub": 2.0, "trip": 3.0, "quar": 0.25, "a qu": 0.25}

_MOST_THREADS: Final = 1024  # of a block, on every GPU
# Blocks of a cluster are another number; `64 blocks more` and `I saved 8 registers` are differences.
_CLUSTER: Final = re.compile(r"\bclusters?\b", re.IGNORECASE)
_MORE: Final = re.compile(r"\s*(?:more|less|fewer|extra)\b", re.IGNORECASE)
_CHANGED: Final = re.compile(r"\b(?:sav|free|spen|add|remov)\w*\s+$", re.IGNORECASE)
_LAUNCHED: Final = re.compile(r"\b(?:launch\w*|start\w*|grid)\b", re.IGNORECASE)

_GRID, _SIZE, _PER, _BYTES_OF = "grid_size", "block_size", "registers_per_thread", "shared_bytes_per_block"
_FIT: Final = "occupancy_theoretical_pct"


def _shape(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


# In order: what is found is cut out, so that `blocks of 128 threads` is not read again as a number of blocks.
_SHAPES: Final = (
    (_GRID, _shape(rf"\b{_SIDES}(?=\s*{_BLOCK}\s*(?:of|with)\s+\d)")),
    (_SIZE, _shape(rf"\b{_BLOCK}\s*(?:of|with|at)\s+{_SIDES}(?!\s*{_BLOCK})(?:\s*threads?|{_WARPS})?\b")),
    (_SIZE, _shape(rf"\b{_SIDES}{_WARPS}\s*(?:per|a|in a|in each|each|/)\s*{_BLOCK}\b")),
    (_SIZE, _shape(rf"\b{_BLOCK}\s*(?:size|dim|dimension)\b{_TO}{_SIDES}(?:\s*threads?)?\b")),
    (_SIZE, _shape(rf"\b{_SIDES}\s*threads?\s*(?:per|a|in a|in each|each|/)\s*{_BLOCK}\b")),
    (_SIZE, _shape(rf"\bthreads?\s*(?:per|a|in a|/)\s*{_BLOCK}{_TO}{_SIDES}\b")),
    # `264 thread blocks` are so many blocks, `256-thread blocks` have so many threads.
    (_SIZE, _shape(rf"\b{_SIDES}(?:-\s*threads?|\s*threads)[\s-]+{_BLOCK}\b")),
    (_SIZE, _shape(rf"\b{_FACTOR}\s+(?:{_BLOCK}\s*size|threads?\s*(?:per|in a|in each|/)\s*{_BLOCK})\b")),
    (_PER, _shape(rf"\b{_N}\s*{_REGISTERS}{_PER_THREAD}")),
    (_PER, _shape(rf"\b(?:{_REGISTERS}{_PER_THREAD}|(?:-*max)?rregcount){_TO}{_N}\b")),
    (_PER, _shape(rf"\b{_FACTOR}\s+{_REGISTERS}{_PER_THREAD}")),
    (_BYTES_OF, _shape(rf"\b{_BYTES}(?:\s*of)?\s*{_SHARED}{_RESOURCE}")),
    (_BYTES_OF, _shape(rf"\b{_SHARED}{_TO}{_BYTES}")),
    (_BYTES_OF, _shape(rf"\b{_FACTOR}\s+{_SHARED}{_RESOURCE}")),
    (
        _BYTES_OF,
        _shape(rf"\b(?P<none>without(?:\s+any)?|no|zero|drop|avoid)\s+(?:the\s+)?{_SHARED}{_RESOURCE}"),
    ),
    (_GRID, _shape(rf"\bgrid\b(?:\s*size)?{_TO}{_SIDES}\b(?:\s*{_BLOCK}\b)?")),
    (
        _FIT,
        _shape(rf"\b{_N}\s*{_BLOCK}\s*(?:fit\s*)?(?:per|/|on an|on each|on every|each|an?)\s*(?:sm|multiprocessor)\b"),
    ),
    (_GRID, _shape(rf"\b{_SIDES}\s*{_BLOCK}\b")),
    (_GRID, _shape(rf"\b{_FACTOR}\s+(?:{_BLOCK}\b|grid\b(?:\s*size)?)")),
)


def launch_values(text: str, launch: LaunchDiagnosis | None, alone: bool = False) -> dict[str, float]:
    """Return the numbers of another launch that a text names: blocks, threads, registers, bytes as ncu counts them.

    Empty if it names none, a difference, or only a multiple of a number that the report lacks; alone: also if it has
    other numbers.
    """
    if _CLUSTER.search(text):
        return {}
    line, have = text[:_LONGEST], {} if launch is None else launch.metrics
    out: dict[str, float] = {}
    for metric, shape in _SHAPES:
        found = shape.search(line)
        if found is None or metric in out:
            continue
        if _MORE.match(line[found.end() :]) or _CHANGED.search(line[: found.start()]):
            return {}
        groups = found.groupdict()
        if metric == _FIT:
            metric, value = _per_sm(float((groups["n"] or "").replace(",", "")), line, launch)
        else:
            value = _value(metric, groups, have, _reserved(launch))
        # `16x16 blocks` are blocks of that shape, `264 blocks` are so many.
        if metric == _GRID and value and not (groups.get("n") or "0").isdecimal() and value <= _MOST_THREADS:
            metric = _SIZE if _SIZE not in out and "," not in (groups["n"] or "") else metric
        if value is None:
            continue
        out[metric] = value
        line = f"{line[: found.start()]} ; {line[found.end() :]}"
    return {} if alone and any(c.isdigit() for c in line) else out


def _per_sm(blocks: float, line: str, launch: LaunchDiagnosis | None) -> tuple[str, float | None]:
    """Return what a number of blocks per SM supposes: the grid if they are launched, else the occupancy if they fit."""
    have = {} if launch is None else launch.metrics
    if _LAUNCHED.search(line):
        return _GRID, blocks * have["sm_count"] if "sm_count" in have else None
    if launch is None or launch.cc not in gpus.table().capabilities or "block_size" not in have:
        return _FIT, None
    warps = gpus.limits_of(launch.cc).warps_per_sm
    return _FIT, 100 * blocks * math.ceil(have["block_size"] / WARP) / warps


def _value(metric: str, found: Mapping[str, str | None], have: Mapping[str, float], reserved: int) -> float | None:
    """Return the value of a match; None for a multiple of an unknown number."""
    if factor := found.get("factor"):
        times = _FACTORS.get(factor[:4].casefold()) or float(re.match(r"\d*", factor)[0] or 1)  # type: ignore[index]
        if metric not in have:
            return None
        own = reserved if metric == _BYTES_OF else 0
        return float(math.floor((have[metric] - own) * times)) + own
    if found.get("none"):
        return float(reserved)
    typed = found["n"] or ""
    if metric == _BYTES_OF:
        return float(typed) * (_KIB if (found["unit"] or "")[0] in "kK" else 1) + reserved
    if metric == _PER:
        return float(typed.replace(",", ""))
    # `1,024` is one number, `32,8` and `32 x 8` are sides.
    sides = [typed.replace(",", "")] if re.fullmatch(r"\d{1,3}(?:,\d{3})+", typed) else re.split(r"\s*[x×,]\s*", typed)
    return float(math.prod(int(side) for side in sides)) * (WARP if found.get("warps") else 1)


def _reserved(launch: LaunchDiagnosis | None) -> int:
    """Return the bytes of each block's shared memory that the system reserves: ncu's number holds them."""
    if launch is None or launch.cc not in gpus.table().capabilities:
        return 0
    return gpus.limits_of(launch.cc).shared_reserved
