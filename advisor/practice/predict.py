"""Predict, then reveal: what the learner committed to, held against what the profile shows.

Points, 100 in all: 30 for the class, 40 for the cause (20 where it is among the findings but not the first), and up to
30 for the speedup, falling with the error factor e = max(p/m, m/p): 30 * max(0, 1 - log2(e) / 2), so that a factor of
two costs half and a factor of four all of them. Without a measured or estimated speedup the rest counts for 100.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

MINE = "mine"  # the step that stands for the learner's own version
CLASS_POINTS, CAUSE_POINTS, AMONG_POINTS, SPEEDUP_POINTS = 30, 40, 20, 30


@dataclass(frozen=True, slots=True)
class Score:
    """Points of each part and in all (0 to 100); `factor`: how far off the speedup was, None where none is known."""

    class_points: int
    cause_points: int
    speedup_points: int
    factor: float | None
    total: int


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
    """Points for a prediction; speedups are ratios > 0, ValueError otherwise."""
    if not (speedup > 0 and math.isfinite(speedup)):
        raise ValueError("a speedup is a positive number")
    of_class = CLASS_POINTS if class_id == actual_class else 0
    of_cause = CAUSE_POINTS if cause == actual_cause else AMONG_POINTS if cause in others else 0
    if actual_speedup is None:
        total = round(100 * (of_class + of_cause) / (CLASS_POINTS + CAUSE_POINTS))
        return Score(of_class, of_cause, 0, None, total)
    factor = max(speedup / actual_speedup, actual_speedup / speedup)
    of_speedup = round(SPEEDUP_POINTS * max(0.0, 1 - math.log2(factor) / 2))
    return Score(of_class, of_cause, of_speedup, factor, of_class + of_cause + of_speedup)
