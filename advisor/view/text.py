"""Values as JSON may hold them: numbers without NaN and infinity, and nothing where something is unknown.

What all text faces share: wrapping to a width, colour only where wanted, and data shown, never obeyed.
"""

from __future__ import annotations

import math
import textwrap
from typing import Any

from advisor.knowledge.texts import BOUNDS
from advisor.records.diagnosis import Comparison, LaunchDiagnosis
from advisor.records.readings import ReportInfo

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


_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


# How many of a kernel's name are shown in a line; the full name is in the JSON.
NAME_WIDTH = 60


def paint(text: str, style: str, colour: bool) -> str:
    """The text in an ANSI style, or as it is."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colour and style in _STYLES and text else text


def shown(data: str) -> str:
    """Data from a report as it may stand in a line: control characters become their escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in data)


def cut(text: str, width: int) -> str:
    """At most `width` characters, the end of a longer text replaced by an ellipsis."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def title_text(launch: LaunchDiagnosis, width: int, *more: str) -> str:
    """The kernel, the launch (or that it is a workload), what else is said of it; a long name is cut, not the rest.

    width: columns, or 0 for no bound but the name's own.
    """
    number = launch.scope if launch.scope != "launch" else f"launch {launch.index}"
    rest = "".join(f" · {part}" for part in (number, *more))
    room = min(NAME_WIDTH, max(12, width - len(rest))) if width else NAME_WIDTH
    return cut(f"{cut(shown(launch.kernel), room)}{rest}", width or len(rest) + room)


def share_text(share: float) -> str:
    """`88 %`: a share, 0 to 1, as the texts of the knowledge show it."""
    return f"{100 * share:.0f} %"


def plural(count: float, one: str, many: str = "") -> str:
    """The word for so many: `one`, or `many` (by default `one` with an s)."""
    return one if count == 1 else many or one + "s"


def wrap(text: str, width: int, indent: int = 0, hang: int | None = None) -> list[str]:
    """Lines of at most `width` columns, the first indented by `indent`, the others by `hang` (default: alike)."""
    return textwrap.wrap(
        text,
        width=max(20, width),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent if hang is None else hang),
        break_on_hyphens=False,
    ) or [""]


def labelled(label: str, text: str, width: int, column: int = 11) -> list[str]:
    """`label` in its own column, the text beside it, wrapped."""
    lines = wrap(text, width - column)
    return [f"{label:<{column}}{lines[0]}", *(" " * column + line for line in lines[1:])]


def time_text(nanoseconds: float | None) -> str:
    """A duration in the unit that reads best."""
    if nanoseconds is None:
        return "unknown time"
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= scale:
            value = nanoseconds / scale
            return f"{value:.3g} {unit}" if value < 1000 else f"{value:,.0f} {unit}"
    return f"{nanoseconds:.0f} ns"


def comparison_text(item: Comparison) -> str:
    """`dram_pct = 32.7 %, test < 60, margin +45%`: a number, the test it was put to, and how clear the outcome is."""
    return f"{measured_text(item)}, {tested_text(item)}"


def measured_text(item: Comparison) -> str:
    """`dram_pct = 32.7 %`."""
    value = "unknown" if item.value is None else f"{BOUNDS[item.bound]}{item.value:,.4g}"
    unit = f" {item.unit}" if item.unit not in ("", "ratio", "count", "bool") else ""
    return f"{item.metric} = {value}{unit}"


def tested_text(item: Comparison) -> str:
    """`test < 60, margin +45%`."""
    return f"test {item.test}{margin_text(item)}"


def margin_text(item: Comparison) -> str:
    """How far the value is from its threshold; nothing where the threshold is zero, since no share of it exists."""
    if item.margin is None or not item.threshold:
        return ""
    return f", {1 + item.margin:,.0f} times the threshold" if item.margin >= 4 else f", margin {item.margin:+.0%}"


def factor_text(value: float) -> str:
    """`2.2`, with one digit where a second would pretend."""
    return f"{value:.2f}" if value < 2 else f"{value:.1f}" if value < 10 else f"{value:.0f}"


def brief_factor(value: float) -> str:
    """`1.2` or `130`, two digits or whole, for columns."""
    return f"{value:.2g}" if value < 99.5 else f"{value:.0f}"


def gain_text(estimate: float, low: float, high: float) -> str:
    """`2.2x (1.8 to 2.7)`."""
    return f"{factor_text(estimate)}x ({factor_text(low)} to {factor_text(high)})"
