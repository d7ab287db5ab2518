"""Units as ncu spells them in all versions, and their conversion to the unit of a canonical metric.

Every factor is a power of ten (ncu's Kbyte is 1000 bytes), so a unit is an exponent and a dimension.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

_PREFIXES = {"n": -9, "u": -6, "µ": -6, "m": -3, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_SECONDS = {"s", "sec", "second", "seconds"}
_BYTES = {"byte", "bytes", "B"}
_HERTZ = {"hz", "Hz", "HZ", "hertz"}
_PERCENT = {"%", "pct", "percent"}
_NOUN = re.compile(r"[#A-Za-z_ .-]+")

# (exponent of ten, exponent of bytes, exponent of seconds)
Parsed = tuple[int, int, int]


def _atom(text: str) -> Parsed | None:
    if text in ("", "1"):
        return 0, 0, 0
    if text in _PERCENT:
        return -2, 0, 0
    for names, found in ((_SECONDS, (0, 1)), (_BYTES, (1, 0)), (_HERTZ, (0, -1))):
        if text in names:
            return 0, *found
        if text[1:] in names and text[0] in _PREFIXES:
            return _PREFIXES[text[0]], *found
    # Every other noun (inst, sector, warp, register, ...) counts things: no dimension.
    return (0, 0, 0) if _NOUN.fullmatch(text) else None


@lru_cache(maxsize=512)
def parse(unit: str) -> Parsed | None:
    """The exponent of ten and the dimension (bytes, seconds) of a unit such as `Gbyte/s`; None if it is no unit."""
    above, _, below = unit.strip().partition("/")
    top, bottom = _atom(above.strip()), _atom(below.strip())
    if top is None or bottom is None:
        return None
    return top[0] - bottom[0], top[1] - bottom[1], top[2] - bottom[2]


def convert(value: float, unit: str, target: str) -> float:
    """`value` given in `unit`, in the unit `target`; NaN where the two measure different things.

    A file that names no unit is taken at its word to use the metric's own (old exports leave units out).
    """
    if not unit.strip() or unit == target or math.isnan(value):
        return value
    have, want = parse(unit), parse(target)
    if have is None or want is None or have[1:] != want[1:]:
        return math.nan
    if (unit.strip() in _PERCENT) != (target in _PERCENT) and target in _PERCENT:
        return math.nan
    shift = have[0] - want[0]
    return value * 10.0**shift if shift >= 0 else value / 10.0**-shift
