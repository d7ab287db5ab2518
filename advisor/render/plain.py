"""Values as JSON may hold them: numbers without NaN and infinity, and nothing where something is unknown."""

from __future__ import annotations

import math
from typing import Any

from advisor.model import Comparison, ReportInfo

_DIGITS = 10


def number(value: float | None) -> float | int | None:
    """A finite number with at most ten significant digits, so that the last bits of an average do not show; or None."""
    if value is None or not math.isfinite(value):
        return None
    short = float(f"{value:.{_DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def present(pairs: dict[str, Any]) -> dict[str, Any]:
    """Without what is None."""
    return {key: value for key, value in pairs.items() if value is not None}


def comparison_dict(item: Comparison) -> dict[str, Any]:
    """One line of evidence; what is unknown is absent."""
    return present(
        {
            "observation": item.observation,
            "metric": item.metric,
            "value": number(item.value),
            "bound": item.bound or None,
            "unit": item.unit,
            "test": item.test,
            "threshold": number(item.threshold),
            "margin": number(item.margin),
            "margin_abs": number(item.margin_abs),
            "says": item.says,
            "cites": list(item.cites),
        }
    )


def report_dict(info: ReportInfo) -> dict[str, Any]:
    """One input file."""
    return present(
        {
            "path": info.path,
            "sha256": info.sha256,
            "tool": info.tool,
            "format": info.format,
            "complete": info.complete,
            "launches_missing": info.launches_missing,
            "problems": list(info.problems),
        }
    )
