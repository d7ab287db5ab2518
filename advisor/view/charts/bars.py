"""Bar charts of a launch: speed of light, stalls, occupancy, as rows of data (`Bar`) and as text.

Each row has a style, which may become a colour; `note` repeats it in words. Values are percent 0-100. An unknown
value has no bar and is shown as "unknown", never as 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from advisor.knowledge.base import catalog
from advisor.knowledge.units import most_of, parts_of, units
from advisor.records.quantities import percent_text

BUSY = 60.0  # a unit is utilised: step 1 of the guide and ncu's own threshold
HIGH = 80.0  # a unit is near its limit: the same threshold in ncu's rules and the triage guide

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_NARROW = 64  # columns; below it labels and notes are shortened to leave room for the bars
_VALUE = 8
_FEWEST_CELLS = 6
_RARE = 5.0  # percent below which a unit that few kernels use gets no row
_SHORT = {"near limit": "limit", "over 100 %": ">100", "healthy": "fine"}

_ACRONYMS = frozenset({"lg", "mio", "imc", "tex", "gmma"})
_TOTALS = {"compute": ("compute_pct", "sm_throughput_pct"), "memory": ("memory_pct", "memory_throughput_pct")}
_LIMITERS = {
    "registers": "registers",
    "shared": "shared memory",
    "blocks": "the block slots",
    "warps": "the warp slots",
    "barriers": "barriers",
}


class Bar(Struct, frozen=True):
    """One row. value: percent or None (unknown); bar: the drawn bar; style: high, busy, quiet, unknown or total.

    depth: 1 for a part of the unit above it. most: the most that an unknown value can be, if that is known.
    """

    label: str
    value: float | None
    bar: str
    note: str
    style: str
    metric: str = ""
    depth: int = 0
    most: float | None = None

    @property
    def text(self) -> str:
        """The value, or its upper limit, or that it is unknown."""
        return percent_text(self.value) if self.most is None else f"≤ {percent_text(self.most)}"


def can_draw(encoding: str | None) -> bool:
    """Return whether an output encoding has the block characters; without them bars are drawn in ASCII."""
    try:
        (_EIGHTHS + "·┊").encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def known(metrics: Mapping[str, float], name: str) -> float | None:
    """Return the metric's value, or None if it is absent or not finite."""
    value = metrics.get(name)
    return float(value) if value is not None and math.isfinite(value) else None


def bar(value: float | None, width: int, *, blocks: bool = True, marks: Sequence[float] | None = None) -> str:
    """Draw a bar of `width` cells for 0-100 %; above 100 it is full. Marks are visible in unfilled cells.

    marks: the percentages to mark, by default the limits of a unit.
    """
    if value is None:
        return " " * width
    share = min(max(value, 0.0), 100.0) / 100.0 * width
    full = int(share)
    if blocks:
        part = int((share - full) * 8)
        filled = "█" * full + (_EIGHTHS[part] if part else "")
    else:
        filled = "#" * round(share)
    if value > 0 and not filled:
        filled = "▏" if blocks else "#"
    # A mark is the first cell that is completely above its threshold.
    marks = unit_limits() if marks is None else marks
    ticks = {min(math.ceil(mark / 100.0 * width - 1e-9), width - 1) for mark in marks}
    rest = (("┊" if blocks else "|") if at in ticks else ("·" if blocks else ".") for at in range(len(filled), width))
    return filled + "".join(rest)


def unit_limits() -> tuple[float, float]:
    """Return the thresholds of the rules, in percent, for a utilised unit and for one near its limit."""
    return catalog().threshold("compute_high"), catalog().threshold("nothing_full")


def unit_style(value: float | None) -> tuple[str, str]:
    """Return style and note of a unit at this percentage."""
    if value is None:
        return "unknown", ""
    if value > 100.5:
        return "high", "over 100 %"
    busy, high = unit_limits()
    if value >= high:
        return "high", "near limit"
    if value >= busy:
        return "busy", "busy"
    return "quiet", ""


def _label_width(width: int) -> int:
    return 20 if width >= _NARROW else 18


def bar_width(width: int) -> int:
    """Return the number of cells for the bar in a row of `width` columns."""
    note = 10 if width >= _NARROW else 5
    return max(width - _label_width(width) - _VALUE - note - 3, _FEWEST_CELLS)


def speed_of_light(
    metrics: Mapping[str, float], side: str, *, width: int = 80, blocks: bool = True, parts: bool = False
) -> tuple[Bar, ...]:
    """Return bars of one side, `compute` or `memory`: its throughput, then its units, highest utilisation first.

    Unknown units come last; rarely used ones are left out if unknown or nearly idle. With `parts`, the known parts of a
    unit follow it, highest utilisation first, except nearly idle ones.
    """
    cells = bar_width(width)
    rows = []
    for name, unit in units().items():
        if unit.side != side:
            continue
        value = known(metrics, name)
        if unit.rare and (value is None or value < _RARE):
            continue
        style, note = unit_style(value)
        most = most_of(metrics, name)
        rows.append(Bar(unit.label, value, bar(value, cells, blocks=blocks), note, style, name, most=most))
    rows.sort(key=lambda row: (row.value is None, -(row.value or 0.0)))
    first, fallback = _TOTALS[side]
    total = known(metrics, first)
    name = first if total is not None else fallback
    total = total if total is not None else known(metrics, fallback)
    note = unit_style(total)[1]
    head = Bar(
        side.capitalize(), total, bar(total, cells, blocks=blocks), note, "unknown" if total is None else "total", name
    )
    below = {row.metric: _parts(metrics, row.metric, cells, blocks) if parts else () for row in rows}
    return (head, *(one for row in rows for one in (row, *below[row.metric])))


def _parts(metrics: Mapping[str, float], unit: str, cells: int, blocks: bool) -> tuple[Bar, ...]:
    """Return bars of the parts of a unit that are not nearly idle."""
    shown = [(name, units()[name].label) for name in parts_of(unit) if units()[name].label]
    found = [(value, label, name) for name, label in shown if (value := known(metrics, name)) is not None]
    rows = []
    for value, label, name in sorted(found, key=lambda part: -part[0]):
        if value >= _RARE:
            style, note = unit_style(value)
            rows.append(Bar(label, value, bar(value, cells, blocks=blocks), note, style, name, depth=1))
    return tuple(rows)


def reason_label(reason: str) -> str:
    """Return the usual name of a stall reason: `lg_throttle` is LG throttle."""
    first, *rest = reason.split("_")
    return " ".join([first.upper() if first in _ACRONYMS else first.capitalize(), *rest])


def stalls(metrics: Mapping[str, float], *, top: int = 6, width: int = 80, blocks: bool = True) -> tuple[Bar, ...]:
    """Return at most `top` stall reasons of 1 % or more, as shares of all warp cycles, the largest first.

    `selected` is not a stall and is left out; a note explains that `not_selected` means another warp was issued.
    """
    cells = bar_width(width)
    found = []
    for name in metrics:
        if not (name.startswith("stall_") and name.endswith("_pct")) or name.endswith("_not_issued_pct"):
            continue
        reason = name[len("stall_") : -len("_pct")]
        value = known(metrics, name)
        if value is not None and reason != "selected":
            # Harmless reasons come after the others, even if they are larger.
            found.append((reason == "not_selected", -value, reason, name))
    found.sort()
    if not any(minus for _, minus, _, _ in found):
        found = []  # warps that exist wait for something: these reasons are those that the GPU does not have
    rows = []
    for healthy, minus, reason, name in ([f for f in found if -f[1] >= 1.0] or found[:1])[:top]:
        drawn = bar(-minus, cells, blocks=blocks, marks=())
        rows.append(Bar(reason_label(reason), -minus, drawn, "healthy" if healthy else "", "stall", name))
    return tuple(rows) or (Bar("Stall reasons", None, " " * cells, "", "unknown"),)


def occupancy(metrics: Mapping[str, float], labels: Mapping[str, str], *, width: int = 80, blocks: bool = True) -> Bar:
    """Return achieved occupancy as a bar with the theoretical one as its mark; the note names the limiter."""
    achieved, theoretical = known(metrics, "occupancy_achieved_pct"), known(metrics, "occupancy_theoretical_pct")
    marks = () if theoretical is None else (theoretical,)
    drawn = bar(achieved, bar_width(width), blocks=blocks, marks=marks)
    note = "" if theoretical is None else f"of {theoretical:.0f} %"
    return Bar("Occupancy", achieved, drawn, note, "unknown" if achieved is None else "stall", "occupancy_achieved_pct")


def occupancy_limit(metrics: Mapping[str, float], labels: Mapping[str, str]) -> str:
    """Return what limits the occupancy in words; empty if unknown.

    It is the grid if it has fewer blocks than the SMs can hold, whatever would limit a larger one: achieved occupancy
    is an average over the SMs that have a block, so each has at most `ceil(blocks / SMs)` blocks.
    """
    grid, sms, held = (known(metrics, name) for name in ("grid_size", "sm_count", "blocks_per_sm_limit"))
    theoretical = known(metrics, "occupancy_theoretical_pct")
    if limited_by_grid(metrics) and grid and sms and held and theoretical:
        most = math.ceil(grid / sms)
        blocks = f"{grid:.0f} block{'' if grid == 1 else 's'} for {sms:.0f} SMs"
        return (
            f"limited by the grid: {blocks}, at most {most} of {held:.0f} on an SM ({theoretical * most / held:.0f} %)"
        )
    return theoretical_limit(metrics, labels)


def limited_by_grid(metrics: Mapping[str, float]) -> bool:
    """Return whether the grid has fewer blocks than the SMs can hold, and so limits the occupancy; False if unknown."""
    grid, sms, held = (known(metrics, name) for name in ("grid_size", "sm_count", "blocks_per_sm_limit"))
    return bool(grid and sms and held and math.ceil(grid / sms) < held)


def theoretical_limit(metrics: Mapping[str, float], labels: Mapping[str, str]) -> str:
    """Return the limiters of the theoretical occupancy in words, all of those that tie; empty if unknown."""
    limiter = labels.get("occupancy_limiter", "")
    names = [_LIMITERS.get(part, part) for part in limiter.split("+") if part]
    if not names:
        return ""
    blocks = known(metrics, "blocks_per_sm_limit")
    joined = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
    held = "" if blocks is None else f", {blocks:.0f} block{'' if blocks == 1 else 's'} per SM"
    return f"limited by {joined}{held}"


def row_text(row: Bar, width: int = 80) -> str:
    """Format a row as text of at most `width` columns (46 or more): label, value, bar, note."""
    room = _label_width(width)
    label = row.label if row.style == "total" else "  " * (1 + row.depth) + row.label
    label = label if len(label) <= room else label[: room - 1] + "."
    note = row.note if width >= _NARROW else _SHORT.get(row.note, row.note)
    return f"{label:<{room}} {row.text:>{_VALUE}} {row.bar} {note}".rstrip()[:width]


def scale_text(width: int = 80) -> str:
    """Return the scale above speed-of-light bars with 0, 60, 80 and 100 %."""
    return " " * (_label_width(width) + _VALUE + 2) + scale_line((BUSY, HIGH), bar_width(width))


def scale_line(marks: Sequence[float], cells: int) -> str:
    """Return a scale with 0, the marks and 100, each above its cell of a bar."""
    line = ""
    for mark in (0.0, *marks, 100.0):
        at = min(math.ceil(mark / 100.0 * cells - 1e-9), cells - 1)
        if not line or at > len(line):
            line = f"{line:<{at}}{mark:.0f}"
    return line
