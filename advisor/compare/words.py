"""Numbers as the texts of a comparison write them."""

from __future__ import annotations

import math

from advisor.records import quantities

_SHOWN = {"ns": "ns", "byte": "byte", "byte/s": "byte/s", "Hz": "Hz", "flop": "FLOP"}
_PREFIXES = ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e4, " k"))
_PLAIN = ("ratio", "count", "bool", "")


def amount(value: float | None, unit: str) -> str:
    """`268 MB`, `52.1 %`, `1.05 M inst`: three or four digits in the prefix that reads best."""
    if value is None or not math.isfinite(value):
        return "unknown"
    if unit == "%":
        return f"{value:.1f} %"
    if unit in _SHOWN:
        return quantities.show(_rounded(value), _SHOWN[unit], 3)
    for scale, prefix in _PREFIXES:
        if abs(value) >= scale and (scale > 1e4 or value >= 1e5):
            divisor = 1e3 if scale == 1e4 else scale
            return f"{_three(value / divisor)}{prefix}{_named(unit)}"
    return f"{_three(value)}{_named(unit)}"


def _rounded(value: float) -> float:
    """Three significant digits, so that a large whole number is not written out."""
    return float(f"{value:.3g}")


def _three(value: float) -> str:
    if value.is_integer() and abs(value) < 1e5:
        return f"{value:,.0f}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _named(unit: str) -> str:
    return "" if unit in _PLAIN else f" {unit}"


def factor(value: float) -> str:
    """`2.4`, `0.31`, `12`: a factor with the digits that it deserves."""
    if value >= 10 or value == 0:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 2 else f"{value:.2f}"


def times(value: float) -> str:
    """A speedup: `2.4x`, `1.05x`."""
    return f"{factor(value)}x"


def gain_range(estimate: float, low: float, high: float) -> str:
    """`2.4x (1.8 to 3.0)`."""
    return f"{times(estimate)} ({factor(low)} to {factor(high)})"


def percent(share: float) -> str:
    """A relative change with its sign: `-63 %`, `+4.2 %`; from ten times more on the factor: `x 43`."""
    if share >= 10:
        return f"x {factor(1 + share)}"
    return f"{share * 100:+.1f} %" if abs(share) < 0.1 else f"{share * 100:+.0f} %"


def plain_percent(share: float) -> str:
    """A share without a sign: `3 %`, `0.8 %`."""
    return f"{share * 100:.1f} %" if share < 0.02 else f"{share * 100:.0f} %"
