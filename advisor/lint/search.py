"""Look for values on which tests come out as wanted, where exact reasoning cannot tell: sampling with repair."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from advisor.catalog.expressions import FALSE, TRUE, UNKNOWN, Test
from advisor.engine.whatif import turning_point

_TRIES = 24
_REPAIRS = 40


def truth(test: Test, values: dict[str, float]) -> int:
    """FALSE, UNKNOWN or TRUE of a test on one set of values."""
    codes: list[int] = []
    for comparison in test.comparisons:
        left, right = comparison.left.scalar(values), comparison.right.scalar(values)
        known = math.isfinite(left) and math.isfinite(right)
        codes.append((TRUE if comparison.holds(left, right) else FALSE) if known else UNKNOWN)
    return int(test.combine(codes, codes, codes, min, max)[0])


def find_values(true: Sequence[Test], false: Sequence[Test], seed: int = 0) -> dict[str, float] | None:
    """Values (none negative) on which all of `true` hold and none of `false`, or None when none were found.

    Each try starts from random magnitudes and repairs one wrong test at a time, by moving one of its metrics just
    beyond the point where a comparison turns, to where the fewest tests are wrong.
    """
    draw = random.Random(seed)
    wanted = [(t, True) for t in true] + [(t, False) for t in false]
    names = sorted({n for t, _ in wanted for n in t.names})

    def wrong(values: dict[str, float]) -> list[Test]:
        return [t for t, holds in wanted if (truth(t, values) == TRUE) != holds]

    for _ in range(_TRIES):
        values = {n: round(10 ** draw.uniform(-2, 8), 3) for n in names}
        for _ in range(_REPAIRS):
            bad = wrong(values)
            if not bad:
                return values
            moves = _moves(draw.choice(bad), values)
            if not moves:
                break
            values = draw.choice(moves) if draw.random() < 0.2 else min(moves, key=lambda m: len(wrong(m)))
    return None


def _moves(test: Test, values: dict[str, float]) -> list[dict[str, float]]:
    out = []
    for comparison in test.comparisons:
        for metric in sorted(comparison.left.names | comparison.right.names):
            turn = turning_point(comparison, metric, values, math.inf)
            if turn is not None and turn[1] >= 0:
                out.append({**values, metric: turn[1]})
    return out
