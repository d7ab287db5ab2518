"""Treat impossible numbers in input files as unknown, before they overflow in arithmetic."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable

# Far above every metric in ns, bytes, bytes/s, Hz or counts; its square and its products with units are finite.
LARGEST = 1e30
MOST_BLOCKS = 2**31 - 1  # CUDA's limit of the largest dimension of a grid
_WHOLE = re.compile(r"[0-9]{1,18}")


def plausible(value: float) -> float:
    """Return the number, or NaN if it is infinite or beyond LARGEST."""
    return value if abs(value) <= LARGEST else math.nan


def whole(text: str) -> int | None:
    """Parse a number of at most 18 ASCII digits; return None for any other text."""
    return int(text) if _WHOLE.fullmatch(text) else None


def shape_of(parts: Iterable[object]) -> tuple[int, int, int] | None:
    """Return the dimensions of a grid or block, given as texts or numbers; None if one is missing, 0 or too large."""
    found = [whole(part) if isinstance(part, str) else _int(part) for part in parts]
    if len(found) != 3 or not all(part is not None and 0 < part <= MOST_BLOCKS for part in found):
        return None
    x, y, z = (part or 0 for part in found)
    return x, y, z


def all_fit(data: object) -> bool:
    """Return whether all integers in nested data fit into 64 bits; larger ones overflow in arithmetic with floats."""
    stack = [data]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack += item.values()
        elif isinstance(item, list | tuple):
            stack += item
        elif isinstance(item, int) and not -(2**63) <= item < 2**63:
            return False
    return True


def _int(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MOST_BLOCKS:
        return None
    return int(value)


def float_bits(value: float) -> int:
    """Return the bits of the nearest fp32 value without the sign; those of infinity where there is none."""
    try:
        return int(struct.unpack("<I", struct.pack("<f", abs(value)))[0])
    except OverflowError:
        return 0x7F800000
