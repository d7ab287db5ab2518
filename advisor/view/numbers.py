"""Format numbers for every page, screen and command: one format for each kind of number.

`records.quantities` formats plain numbers, also for lower packages; this module formats whole records.
"""

from __future__ import annotations

import math
from typing import Any

from advisor.knowledge.base import metric_title
from advisor.knowledge.texts import BOUNDS
from advisor.records.diagnosis import Comparison, Speedup
from advisor.records.quantities import (
    amount_text,
    brief_text,
    change_text,
    confidence_text,
    count_text,
    counted,
    exact_text,
    factor_text,
    gain_text,
    is_open,
    is_wide,
    percent_text,
    plural,
    range_text,
    saved_text,
    saves_nothing,
    share_text,
    show,
    significant,
    speedup_text,
    time_range_text,
    time_text,
    unit_name,
)

__all__ = [
    "amount_text",
    "bound_text",
    "brief_text",
    "change_text",
    "comparison_text",
    "confidence_text",
    "count_text",
    "counted",
    "estimate_text",
    "exact_text",
    "factor_text",
    "gain_text",
    "is_open",
    "is_wide",
    "margin_text",
    "measured_text",
    "number",
    "outcome_text",
    "percent_text",
    "plural",
    "present",
    "range_text",
    "rate_text",
    "saved_text",
    "saves_nothing",
    "shape_text",
    "share_text",
    "short_gain_text",
    "show",
    "significant",
    "size_text",
    "speedup_text",
    "tested_text",
    "time_range_text",
    "time_text",
    "unit_text",
]

_DIGITS = 10
_FAR = 4  # margin from which a value is given as a multiple of its threshold
_SCALED = ("byte", "byte/s", "ns", "us", "Hz")


def number(value: float | None) -> float | int | None:
    """Return a finite number for JSON with at most ten significant digits; None if unknown."""
    if value is None or not math.isfinite(value):
        return None
    short = significant(value, _DIGITS)
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def present(pairs: dict[str, Any]) -> dict[str, Any]:
    """Return the pairs whose value is not None."""
    return {key: value for key, value in pairs.items() if value is not None}


def size_text(count: float) -> str:
    """`268 MB`: bytes with three significant digits."""
    return show(significant(count, 3), "byte", 3)


def rate_text(value: float, unit: str = "byte/s") -> str:
    """`4.1 TB/s`, `67 TFLOP/s`: a rate with three significant digits."""
    return show(significant(value, 3), unit, 3)


def bound_text(factor: float) -> str:
    """`1.67×`, `4×`: a bound of a speedup by a formula, with three digits since it is arithmetic, not an estimate."""
    return f"{significant(factor, 3):,.12g}×"


def estimate_text(gain: Speedup) -> str:
    """`2.2× (1.8–2.7×)`: an estimated speedup with its range."""
    return gain_text(gain.estimate, gain.low, gain.high)


def short_gain_text(gain: Speedup | None) -> str:
    """`2.2×`: an estimated speedup without its range, `≤33×` if it may be none, `≥1.6×` if the upper end says nothing.

    A dash without an estimate.
    """
    if gain is None:
        return "–"
    if is_open(gain.low, gain.high):
        return f"≤{speedup_text(gain.high)}"
    return f"≥{speedup_text(gain.low)}" if is_wide(gain.low, gain.high) else speedup_text(gain.estimate)


def shape_text(shape: tuple[int, int, int] | None) -> str:
    """`256×256`: a grid or block without trailing ones."""
    if shape is None:
        return "unknown"
    kept = list(shape)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return "×".join(f"{n:,}" for n in kept)


def comparison_text(item: Comparison) -> str:
    """`dram_pct = 32.7 %, test < 60, margin +45 %`: a value, its test, and how clear the outcome is."""
    return f"{measured_text(item)}, {tested_text(item)}"


def measured_text(item: Comparison) -> str:
    """`dram_pct = 32.7 %`, `dram_bytes = 268 MB`."""
    if item.value is not None and item.unit in _SCALED:
        return f"{item.metric} = {BOUNDS[item.bound]}{amount_text(item.value, item.unit)}"
    value = "unknown" if item.value is None else f"{BOUNDS[item.bound]}{item.value:,.4g}"
    return f"{item.metric} = {value}{unit_text(item.unit, item.value)}"


def unit_text(unit: str, value: float | None = None) -> str:
    """Return the unit of a number with a blank before it; empty if there is none."""
    return f" {unit if value is None else unit_name(unit, value)}" if unit not in ("", "ratio", "count", "bool") else ""


def tested_text(item: Comparison) -> str:
    """`test < 60, margin +45 %`; a computed threshold also with its value: `test > 2 * l2_pct (here 54.2)`."""
    return f"{_test_text(item)}{margin_text(item)}"


def _test_text(item: Comparison) -> str:
    worked_out = item.threshold is not None and any(c.isalpha() for c in item.test)
    here = f" (here {item.threshold:,.4g})" if worked_out else ""
    return f"test {item.test}{here}"


def outcome_text(item: Comparison) -> str:
    """`Waves Per SM (waves) = 0.03, test > 1 does not hold, margin -97 %`: what was tested, and how that came out."""
    outcome = {True: "holds", False: "does not hold", None: "is undecided"}[item.holds]
    title = metric_title(item.metric)
    measured = measured_text(item)
    named = f"{title} ({item.metric}){measured.removeprefix(item.metric)}" if title != item.metric else measured
    return f"{named}, {_test_text(item)} {outcome}{margin_text(item)}"


def margin_text(item: Comparison) -> str:
    """Format the distance from the threshold as a share of it; empty if the threshold is zero or must be equalled.

    A value far from the threshold is given as a multiple of it, since a percentage of thousands says nothing.
    """
    if item.margin is None or not item.threshold or "==" in item.test:
        return ""
    if abs(item.margin) < _FAR:
        percent = f"{100 * item.margin:+.0f}"
        return f", margin {'0' if percent in ('-0', '+0') else percent} %"
    times = 1 + item.margin if item.value is None else item.value / item.threshold
    return f", {speedup_text(times)} the threshold" if times >= 1 else ", far below the threshold"


def at_text(moment: int) -> str:
    """Format a moment of the trace in seconds, as Nsight Systems does."""
    return f"{moment / 1e9:.6f} s"
