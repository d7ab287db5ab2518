"""Numbers in input files that nothing can have: they are taken as unknown, before arithmetic overflows on them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

# No metric, in ns, bytes, bytes/s, Hz or counts, comes near it; its square and its products with units are finite.
LARGEST = 1e30
MOST_BLOCKS = 2**31 - 1  # CUDA's limit of the largest dimension of a grid
_WHOLE = re.compile(r"[0-9]{1,18}")


def plausible(value: float) -> float:
    """The number; NaN for an infinite one or one beyond LARGEST."""
    return value if abs(value) <= LARGEST else math.nan


def whole(text: str) -> int | None:
    """The number of ASCII digits, None for any other text and for more than 18 of them."""
    return int(text) if _WHOLE.fullmatch(text) else None


def shape_of(parts: Iterable[object]) -> tuple[int, int, int] | None:
    """Three dimensions of a grid or block, as texts or numbers; None where one is missing, zero or beyond CUDA's."""
    found = [whole(part) if isinstance(part, str) else _int(part) for part in parts]
    if len(found) != 3 or not all(part is not None and 0 < part <= MOST_BLOCKS for part in found):
        return None
    x, y, z = (part or 0 for part in found)
    return x, y, z


def all_fit(data: object) -> bool:
    """Whether every integer in nested data fits into 64 bits: arithmetic with a larger one and a float overflows."""
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
