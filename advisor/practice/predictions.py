"""Compare a learner's napkin numbers with those of the exercise, and score predictions against the profile.

There are 100 points: 30 for the class, 40 for the cause (20 if it is a finding but not the first), and up to 30 for the
speedup, depending on the error factor e = max(p/m, m/p): 30 * max(0, 1 - log2(e) / 2), so that a factor of two costs
half of them and a factor of four all. Without a measured or estimated speedup the other points are scaled to 100.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Final, Literal

from msgspec import Struct

from advisor.knowledge.base import Catalog
from advisor.practice.state import Prediction
from advisor.records import quantities
from advisor.records.diagnosis import ENDS
from advisor.records.errors import AdvisorError

# Napkin sizes and rates are rounded to two digits, and a rate comes from a datasheet or a measured copy, which differ
# by up to a tenth. A factor of two means that something was counted wrong; in between is a rough guess.
RIGHT: Final = 0.10
CLOSE: Final = 0.50
# The units that `read` knows; a number of anything else (warps, wavefronts) has no unit.
_UNITS: Final = ("byte", "byte/s", "ns", "FLOP", "FLOP/s", "Hz", "%", "cycle")
_SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_NUMBER = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)\s*([A-Za-zµμ%]+(?:/[A-Za-z]+)?)?", re.IGNORECASE)
_LONGEST = 200  # maximum number of typed characters to read
Word = Literal["right", "close", "off", "unread"]


class Quantity(Struct, frozen=True):
    """A number in the canonical unit of its kind; the unit is empty for a plain number."""

    value: float
    unit: str


class Verdict(Struct, frozen=True):
    """The comparison of a typed number: `unread` if the two are not comparable; factor: typed over expected."""

    word: Word
    factor: float | None = None


def read(text: str) -> tuple[Quantity, ...]:
    """Return the numbers in a text, in order, each with the unit that follows it."""
    return tuple(_quantity(match[1], match[2] or "") for match in _NUMBER.finditer(text[:_LONGEST]))


def _quantity(digits: str, unit: str) -> Quantity:
    plain = float(digits.rstrip(",").replace(",", ""))
    if unit.casefold() in _SCALES:
        return Quantity(plain * _SCALES[unit.casefold()], "")
    for canonical in _UNITS if unit else ():
        try:
            quantities.parse(f"1{unit}", "")  # A bare suffix such as k has no kind of its own.
            break
        except AdvisorError:
            pass
        try:
            return Quantity(quantities.parse(f"{digits.rstrip(',')} {unit}", canonical), canonical)
        except AdvisorError:
            continue
    try:
        return Quantity(quantities.parse(f"{digits.rstrip(',')}{unit}", ""), "")
    except AdvisorError:
        return Quantity(plain, "")


def _power(typed: str) -> Quantity | None:
    """Return a plain number written as a power, of which `read` would take only the base."""
    try:
        return Quantity(quantities.parse(typed, ""), "") if "^" in typed or "**" in typed else None
    except AdvisorError:
        return None


def understood(typed: str) -> Quantity | None:
    """Return the number that `judge` reads in a typed text, or None if there is none."""
    said = read(typed)
    return _power(typed) or said[0] if said else None


def wanted(expected: str) -> tuple[str, ...]:
    """Return the unit to ask for, and a second unit if a plain number precedes a number with a unit.

    Return nothing if `expected` has no number above zero, because no comparison is possible.
    """
    units = [quantity.unit for quantity in read(expected) if quantity.value > 0]
    named = [unit for unit in units if unit]
    return tuple(dict.fromkeys((*units[:1], *named[:1])))


def judge(expected: str, typed: str) -> Verdict:
    """Compare the first number typed with the nearest of `expected` of the same kind.

    Compare a number typed without a unit with the first expected number, in that number's unit.
    """
    mine, known = understood(typed), read(expected)
    if mine is None or not known:
        return Verdict("unread")
    same = [k.value for k in known if k.unit == mine.unit]
    if not same and not mine.unit:
        first = _NUMBER.search(expected)
        same = [float(first[1].rstrip(",").replace(",", ""))] if first is not None else []
    if not same or mine.value <= 0 or not any(value > 0 for value in same):
        exact = any(value == mine.value for value in same)
        return Verdict("right" if exact else "unread", 1.0 if exact else None)
    factor = min((mine.value / value for value in same if value > 0), key=lambda f: max(f, 1 / f))
    off = max(factor, 1 / factor) - 1
    return Verdict("right" if off <= RIGHT else "close" if off <= CLOSE else "off", factor)


NO_CAUSE: Final = "none"  # the prediction that nothing needs a fix
NOTHING_TO_FIX: Final = (*ENDS, "unexplained")
MEMORY_CLASSES: Final = ("dram_bound", "internal_congestion", "mixed_memory_bound")
MINE = "mine"  # the step id of the learner's own version
CLASS_POINTS, CAUSE_POINTS, AMONG_POINTS, SPEEDUP_POINTS = 30, 40, 20, 30


class Score(Struct, frozen=True):
    """The points of each part and the total (0 to 100). factor: error of the predicted speedup, None if not known."""

    class_points: int
    cause_points: int
    speedup_points: int
    factor: float | None
    total: int


class Revealed(Struct, frozen=True):
    """A prediction and the result of the profile: points, class, first cause and measured speedup."""

    said: Prediction
    class_id: str
    cause: str
    speedup: float | None
    score: Score


def class_limits(knowledge: Catalog) -> dict[str, str]:
    """Return the test of each class that has one, as text without units (percent of peak).

    Shape: class -> its comparisons, in the order of the decision, such as `compute >= 60, memory < 60`.
    """
    observed = {name: entry.test for name, entry in knowledge.observations.items()}
    tests = ((name, [observed[when] for when in entry.when]) for name, entry in knowledge.classes.items())
    return {name: ", ".join(found).replace(" and ", ", ").replace("_pct", "") for name, found in tests if found}


def score(
    class_id: str,
    cause: str,
    speedup: float,
    *,
    actual_class: str,
    actual_cause: str,
    others: Collection[str],
    actual_speedup: float | None,
) -> Score:
    """Score a prediction. Raises ValueError if a speedup is not a ratio > 0."""
    if not (speedup > 0 and math.isfinite(speedup)):
        raise ValueError("a speedup is a positive number")
    of_class = CLASS_POINTS if class_id == actual_class else 0
    if class_id != actual_class and {class_id, actual_class} <= set(MEMORY_CLASSES):
        of_class = CLASS_POINTS // 2  # the right side of the chip, another level of its memory
    if cause == NO_CAUSE and actual_cause in ("", *NOTHING_TO_FIX):
        cause = actual_cause
    of_cause = CAUSE_POINTS if cause == actual_cause else AMONG_POINTS if cause in others else 0
    if actual_speedup is None:
        total = round(100 * (of_class + of_cause) / (CLASS_POINTS + CAUSE_POINTS))
        return Score(of_class, of_cause, 0, None, total)
    of_speedup, factor = nearness(speedup, actual_speedup)
    return Score(of_class, of_cause, of_speedup, factor, of_class + of_cause + of_speedup)


def nearness(said: float, actual: float) -> tuple[int, float | None]:
    """Return the points of an estimate, by the factor that it is off, and this factor; None if one of them is not > 0.

    Half of the points are left at a factor of two, none at a factor of four.
    """
    if not (said > 0 and actual > 0 and math.isfinite(said)):
        return 0, None
    factor = max(said / actual, actual / said)
    return round(SPEEDUP_POINTS * max(0.0, 1 - math.log2(factor) / 2)), factor
