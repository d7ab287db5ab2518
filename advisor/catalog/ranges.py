"""What a metric's value can be, as far as its unit and its name tell."""

from __future__ import annotations

from advisor.errors import UsageError


def most_of(metric: str, unit: str) -> float | None:
    """The most that the metric can be, in its unit: a percentage 100, a share 1; None where nothing bounds it.

    No metric can be less than 0.
    """
    if unit in ("%", "percent"):
        return 100.0
    return 1.0 if unit == "ratio" and metric.endswith("_share") else None


def checked(metric: str, unit: str, value: float, measured: float | None = None) -> float:
    """The value, if the metric can have it; UsageError names the range. What was measured may be beyond it.

    A percentage of peak that is read off in several passes may come out a little above 100.
    """
    most = most_of(metric, unit)
    beyond = most is not None and value > max(most, measured or 0.0)
    if value >= 0 and not beyond:
        return value
    sign = " %" if unit == "%" else ""
    span = "it is 0 or more" if most is None else f"it lies between 0 and {most:g}{sign}"
    raise UsageError(f"{metric} cannot be {value:g}{sign}: {span}")
