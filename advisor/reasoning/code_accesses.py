"""Decide the sectors and wavefronts of accesses whose addresses the machine code shows only in part.

Some addresses are known from the code but for a part that all lanes have (`hardware.sass_addresses`). Others have a
factor or an index in them that is not: their lanes may be adjacent or far apart, and the code gives both limits. What
tells them apart is the measured number of passes through the data stage of L1 per request: what the known accesses
leave of it belongs to the others. The same number contradicts the code where neither limit fits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from advisor.hardware.lanes import LANES
from advisor.hardware.sass import classify
from advisor.hardware.simulators import WAVEFRONT
from advisor.records.readings import Access, CodeAccess, CodeCounts

# The passes of a mix of instructions follow from their shares, of which four in five are within a factor of 1.4
# (hardware/sass_counts.py): beyond 1.5 the measured passes contradict the addresses.
CONTRADICTED: Final = 1.5
# Unknown accesses are decided where both limits differ by more than this part of all passes.
DECIDED: Final = 0.15
_HARDLY: Final = 1.1  # limits this near to each other are one number
_FOLLOWED: Final = ("global", "shared")
_MOVES: Final = ("load", "store")


class _Passes(Struct):
    """Passes and requests of a warp: of known accesses, and the limits of the others by space.

    widest: the most passes that one access needs whose lanes are adjacent: a quarter of its bytes per lane.
    """

    requests: float = 0.0
    known: float = 0.0
    low: float = 0.0
    high: float = 0.0
    spaces: frozenset[str] = frozenset()
    blurred: float = 0.0
    widest: float = 1.0


def decided(code: CodeCounts, passes_per_request: Sequence[float]) -> tuple[Access, ...]:
    """Return the accesses with their sectors (global) and wavefronts (shared), NaN where nothing decides.

    passes_per_request: the measured passes through the data stage of L1 per request, NaN if unknown: several values if
    one of them is right.
    """
    found = _passes(code)
    part = _agreed([_part(found, number) for number in passes_per_request])
    merged: dict[tuple[str, str, int], list[CodeAccess]] = {}
    for access in code.accesses:
        merged.setdefault((access.space, access.kind, access.width), []).append(access)
    return tuple(_access(of, part) for of in merged.values())


def _agreed(parts: Sequence[float | None]) -> float | None:
    """Return the least of several parts, if none of them says that there is nothing to find and another one does."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or not known:
        return None
    return min(known) if (min(known) > 0) == (max(known) > 0) and not any(map(math.isnan, known)) else math.nan


def _access(of: Sequence[CodeAccess], part: float | None) -> Access:
    first = of[0]
    pieces = math.fsum(_pieces(one, part) for one in of)
    ideal = math.fsum(one.ideal for one in of)
    executed, lanes = (math.fsum(getattr(one, name) for one in of) for name in ("executed", "lanes"))
    sectors = (pieces, ideal) if first.space == "global" else (math.nan, math.nan)
    wavefronts = (pieces, ideal) if first.space == "shared" else (math.nan, math.nan)
    return Access(first.space, first.kind, first.width, executed, lanes, *sectors, *wavefronts)


def _pieces(one: CodeAccess, part: float | None) -> float:
    """Return the sectors or wavefronts. part: how far unknown ones are from their ideal to their limit, or NaN."""
    if part is None or one.kind not in _MOVES or one.space not in _FOLLOWED:
        return math.nan
    if one.sure or one.pieces <= _HARDLY * one.ideal:
        return one.pieces
    return one.ideal + part * (max(_most(one), one.ideal) - one.ideal)


def _most(one: CodeAccess) -> float:
    return one.executed * LANES if math.isnan(one.pieces) else one.pieces


def _passes(code: CodeCounts) -> _Passes:
    out, copies = _Passes(), 0.0
    for one in code.accesses:
        if one.space not in _FOLLOWED:
            continue
        if one.kind not in _MOVES or not one.width:
            out.blurred += one.executed
            continue
        out.requests += one.executed
        out.widest = max(out.widest, one.width / 8 * LANES / WAVEFRONT)
        if one.sure:
            out.known += one.passes
            continue
        least = max(one.executed, one.ideal if one.space == "shared" else one.ideal / 4)
        out.low += least
        out.high += max(least, one.executed * LANES if math.isnan(one.passes) else one.passes)
        out.spaces |= {one.space}
    for opcode, number in code.opcodes.items():
        what = classify(opcode)
        copies += number if what.access == "copy" else 0.0
        if what.pipe == "lsu" and what.space not in _FOLLOWED:
            out.requests += number
            out.known += number
    out.requests -= copies  # counted as a load and as a store, but one request
    out.blurred += code.indexed + code.spills
    return out


def _part(found: _Passes, passes_per_request: float) -> float | None:
    """Return how far unknown accesses are from their ideal to their limit, NaN if unknown, None if contradicted."""
    if not math.isfinite(passes_per_request) or found.requests <= 0:
        return math.nan
    total = passes_per_request * found.requests
    if found.known + found.low > CONTRADICTED * total:
        return None
    if found.blurred > (1 - 1 / CONTRADICTED) * found.requests:
        return math.nan
    if found.known + found.high < total / CONTRADICTED and not found.blurred:
        return None
    span = found.high - found.low
    if span <= DECIDED * total:
        return math.nan
    part = min(1.0, max(0.0, (total - found.known - found.low) / span))
    unsure = DECIDED * total / span
    if part <= unsure:
        return 0.0
    if passes_per_request <= found.widest * _HARDLY:
        return math.nan  # wide accesses alone, as of a kernel that takes one of its two paths, need as many
    if part >= 1 - unsure:
        return 1.0
    return part if len(found.spaces) == 1 and not found.blurred else math.nan
