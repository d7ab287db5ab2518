"""Draw the memory system of a launch as boxes and arrows in text: volumes, percentages of peak, hit rates.

In the wide form the boxes are next to each other as in ncu's chart, in the narrow form below each other. Missing
values are shown as "unknown", or as "?" with a note if there is no room; never as 0.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from advisor.knowledge.units import most_of, unit_name
from advisor.records import quantities
from advisor.view.charts.bars import known, unit_limits
from advisor.view.charts.canvas import Canvas, Row

FEWEST = 40  # columns of the narrow form
WIDE = 76  # columns from which the boxes are side by side
SECTOR = 32  # bytes
UNKNOWN, BRIEF = "unknown", "?"
ASKED = "? means that the value is unknown."
CANNOT = (
    "The chart cannot show which line moves these bytes, how many of them are used, or when: all values are"
    " sums and averages over the launch."
)
_BOX, _NARROW = 13, 8
_ROWS = 13
# The utilisation of the chart's units, for the sentence on the highest.
_UNITS = ("dram_pct", "l2_pct", "l1_wavefronts_pct", "l2_read_xbar_pct", "l2_write_xbar_pct", "idc_pct")


class MemoryChart(Struct, frozen=True):
    """A memory chart. rows: the drawing; notes: remarkable values, in words; cannot: limits of such a chart."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    cannot: str = CANNOT


def memory_chart(metrics: Mapping[str, float], *, width: int = 80, blocks: bool = True) -> MemoryChart:
    """Return the chart of these canonical metrics, at most `width` columns (FEWEST or more)."""
    width = max(width, FEWEST)
    if width < WIDE:
        return MemoryChart(tuple(_tall(metrics, width, blocks)), tuple(_notes(metrics)))
    rows = _wide(metrics, width, blocks)
    asked = [ASKED] if any(BRIEF in text for row in rows for text, _ in row) else []
    return MemoryChart(tuple(rows), tuple(asked + _notes(metrics)))


def _wide(metrics: Mapping[str, float], width: int, blocks: bool) -> list[Row]:
    """Draw SM, L1 with shared memory and constants, L2, and the memories behind it, from left to right."""
    spare = min(width, 100) - WIDE
    first, second, third = 11 + spare // 3, 9 + spare // 3, 9 + spare // 3
    middle = _NARROW + first
    cache = middle + _BOX + second
    beyond = cache + _BOX + third
    canvas = Canvas(beyond + _BOX, _ROWS, blocks=blocks)
    to, back = _arrows(blocks)
    canvas.box(0, 0, _NARROW, _ROWS, "SM")
    canvas.put(1, 1, _count(known(metrics, "inst_executed"), BRIEF))
    canvas.put(1, 2, "instr.", "quiet")
    for top, name in ((0, "global"), (3, "local"), (6, "shared")):
        amounts = [known(metrics, f"{name}_{side}_inst") for side in ("load", "store")]
        role = "busy" if name == "local" and any(amounts) else ""
        canvas.put(_NARROW + 1, top, f"{name} !" if role else name, role or "quiet")
        for row, (side, amount) in enumerate(zip(("ld", "st"), amounts, strict=True), top + 1):
            canvas.put(_NARROW + 1, row, f"{side} {_count(amount, BRIEF)}", role)
            canvas.put(middle - 1, row, to, role)
    canvas.put(_NARROW + 1, 10, "constant", "quiet")
    canvas.put(_NARROW + 1, 11, f"ld {_count(known(metrics, 'constant_inst'), BRIEF)}")
    canvas.put(middle - 1, 11, to)
    canvas.box(middle, 0, _BOX, 6, "L1/TEX")
    _percent(canvas, middle + 1, 1, "hit", metrics, "l1_hit_pct", judged=False)
    _percent(canvas, middle + 1, 2, "busy", metrics, "l1_wavefronts_pct")
    canvas.box(middle, 6, _BOX, 4, "Shared")
    _percent(canvas, middle + 1, 7, "busy", metrics, "shared_wavefronts_hw_pct")
    canvas.put(middle + 1, 8, f"{_passes(metrics, BRIEF)} ideal"[: _BOX - 2])
    canvas.box(middle, 10, _BOX, 3, "Constants")
    _percent(canvas, middle + 1, 11, "busy", metrics, "idc_pct")
    ways = (("l2_load_bytes", "l2_read_xbar_pct", back), ("l2_store_bytes", "l2_write_xbar_pct", to))
    for row, (volume, share, arrow) in zip((1, 3), ways, strict=True):
        canvas.put(middle + _BOX, row, f"{arrow} {_bytes(known(metrics, volume), BRIEF)}"[:second])
        value = known(metrics, share)
        canvas.put(middle + _BOX, row + 1, f"  {_pct(value, BRIEF)}"[:second], _role(value))
    canvas.box(cache, 0, _BOX, _ROWS, "L2")
    _percent(canvas, cache + 1, 1, "hit", metrics, "l2_hit_pct", judged=False)
    _percent(canvas, cache + 1, 2, "busy", metrics, "l2_pct")
    canvas.put(cache + _BOX, 1, f"{back} {_bytes(known(metrics, 'dram_read_bytes'), BRIEF)}"[:third])
    canvas.put(cache + _BOX, 2, f"{to} {_bytes(known(metrics, 'dram_write_bytes'), BRIEF)}"[:third])
    canvas.box(beyond, 0, _BOX, 5, "DRAM")
    _percent(canvas, beyond + 1, 1, "busy", metrics, "dram_pct")
    canvas.put(beyond + 1, 2, _rate(known(metrics, "dram_bytes_per_s"), BRIEF))
    peak = known(metrics, "dram_peak_bytes_per_s")
    of = f"of {_rate(peak, BRIEF)}"
    canvas.put(beyond + 1, 3, of if len(of) <= _BOX - 2 else f"of {_rate(peak, BRIEF, 2)}", "quiet")
    for top, metric, title, what in (
        (5, "sysmem_sectors", "System", "memory"),
        (9, "peer_sectors", "Peer", "another GPU"),
    ):
        canvas.box(beyond, top, _BOX, 3, title)
        canvas.put(beyond + 1, top + 1, what, "quiet")
        canvas.put(cache + _BOX, top + 1, f"{_both(blocks)} {_bytes(_sectors(metrics, metric), BRIEF)}"[:third])
    return canvas.rows()


def _percent(
    canvas: Canvas, x: int, y: int, label: str, metrics: Mapping[str, float], metric: str, *, judged: bool = True
) -> None:
    value = known(metrics, metric)
    text = _share(metrics, metric, BRIEF)
    canvas.put(x, y, f"{label} {text}"[: _BOX - 2], _role(value) if judged or value is None else "")


def _tall(metrics: Mapping[str, float], width: int, blocks: bool) -> list[Row]:
    """Draw the boxes below each other with arrows between them."""
    width = min(width, 64)
    canvas = Canvas(width, 26, blocks=blocks)
    to, back = ("▼", "▲") if blocks else ("v", "^")
    canvas.box(0, 0, width, 7, "SM")
    canvas.put(2, 1, f"{_count(known(metrics, 'inst_executed'))} warp instructions", "quiet")
    half = max(width // 2 - 4, 16)
    for row, name in enumerate(("global", "local", "shared"), 2):
        loads, stores = (known(metrics, f"{name}_{side}_inst") for side in ("load", "store"))
        marked = name == "local" and any((loads, stores))
        role = "busy" if marked else ""
        canvas.put(2, row, f"{name} !" if marked else name, role or "quiet")
        canvas.put(12, row, f"ld {_count(loads)}", role)
        canvas.put(12 + half - 2, row, f"st {_count(stores)}"[: width - half - 11], role)
    canvas.put(2, 5, "constant", "quiet")
    canvas.put(12, 5, f"ld {_count(known(metrics, 'constant_inst'))}")
    y = 7
    second = width // 2 + 1
    for title, lines in (
        ("L1/TEX", (("hit", "l1_hit_pct"), ("busy", "l1_wavefronts_pct"))),
        ("L2", (("hit", "l2_hit_pct"), ("busy", "l2_pct"))),
    ):
        extra = title == "L1/TEX"
        canvas.box(0, y, width, 5 if extra else 3, title)
        for x, (label, metric) in zip((2, second), lines, strict=True):
            value = known(metrics, metric)
            canvas.put(
                x, y + 1, f"{label} {_share(metrics, metric)}", _role(value) if label == "busy" or value is None else ""
            )
        if extra:
            value = known(metrics, "shared_wavefronts_hw_pct")
            canvas.put(2, y + 2, f"shared busy {_pct(value)}", _role(value))
            canvas.put(second, y + 2, f"passes {_passes(metrics)} ideal"[: width - second - 1])
            value = known(metrics, "idc_pct")
            canvas.put(2, y + 3, f"constants busy {_pct(value)}", _role(value))
        y += 5 if extra else 3
        down, up = (
            (("l2_store_bytes", "l2_write_xbar_pct"), ("l2_load_bytes", "l2_read_xbar_pct"))
            if extra
            else (("dram_write_bytes", ""), ("dram_read_bytes", ""))
        )
        for x, arrow, (volume, share) in ((2, back, up), (second, to, down)):
            value = known(metrics, share) if share else None
            text = f"{arrow} {_bytes(known(metrics, volume))}" + (f", {_pct(value)}" if share else "")
            canvas.put(x, y, text[: width // 2 - 2], _role(value) if share and value is not None else "")
        y += 1
    canvas.box(0, y, width, 4, "DRAM")
    value = known(metrics, "dram_pct")
    canvas.put(2, y + 1, f"busy {_pct(value)}", _role(value))
    rate, peak = (known(metrics, f"dram{part}_bytes_per_s") for part in ("", "_peak"))
    canvas.put(2, y + 2, f"{_rate(rate)} of {_rate(peak)}"[: width - 4], "quiet")
    for row, (metric, what) in enumerate((("sysmem_sectors", "system memory"), ("peer_sectors", "another GPU")), y + 4):
        canvas.put(2, row, f"{_both(blocks)} {what:<15}{_bytes(_sectors(metrics, metric))}")
    return canvas.rows()[: y + 6]


def _notes(metrics: Mapping[str, float]) -> list[str]:
    """Return notes on the highest utilisation, local traffic, traffic outside the GPU, and unknown values."""
    full = [(value, unit_name(metric)) for metric in _UNITS if (value := known(metrics, metric)) is not None]
    notes = []
    if full:
        value, name = max(full)
        notes.append(f"Highest utilisation: {name}, {_pct(value)} of its peak.")
    local = known(metrics, "local_inst")
    if local:
        share = known(metrics, "local_l2_share")
        part = "" if share is None else f"; {100 * share:.3g} % of the traffic between L1 and L2"
        spills = known(metrics, "spill_inst")
        kind = "" if spills is None else f", {_count(spills) if spills else 'none'} of them spills"
        notes.append(f"! Local memory: {_count(local)} instructions{kind}{part}.")
    far = [
        f"{_bytes(amount)} {where}"
        for metric, where in (("sysmem_sectors", "of the system's memory"), ("peer_sectors", "of another GPU"))
        if (amount := _sectors(metrics, metric))
    ]
    if far:
        notes.append(f"! Not from this GPU's memory: {' and '.join(far)}.")
    lacking = [unit_name(metric) for metric in _UNITS if known(metrics, metric) is None]
    if lacking:
        notes.append(f"Unknown utilisation: {', '.join(lacking)}.")
    return notes


def _arrows(blocks: bool) -> tuple[str, str]:
    return ("►", "◄") if blocks else (">", "<")


def _both(blocks: bool) -> str:
    return "↔" if blocks else "="


def _role(value: float | None) -> str:
    if value is None:
        return "unknown"
    busy, high = unit_limits()
    return "high" if value >= high else "busy" if value >= busy else ""


def _sectors(metrics: Mapping[str, float], name: str) -> float | None:
    """Return a number of sectors in bytes."""
    value = known(metrics, name)
    return None if value is None else SECTOR * value


def _share(metrics: Mapping[str, float], metric: str, unknown: str = UNKNOWN) -> str:
    """Return a percentage, or the most that it can be, `≤ 15 %`."""
    most = most_of(metrics, metric)
    return _pct(known(metrics, metric), unknown) if most is None else f"≤ {most:.0f} %"


def _pct(value: float | None, unknown: str = UNKNOWN) -> str:
    return unknown if value is None else f"{value:.1f} %" if abs(value) < 99.95 else f"{value:.0f} %"


def _passes(metrics: Mapping[str, float], unknown: str = UNKNOWN) -> str:
    """Return how many times their minimum the shared accesses take, as a range where their width is unknown."""
    low, high = known(metrics, "shared_wavefront_ratio"), known(metrics, "shared_wavefront_ratio_most")
    wide = low is not None and high is not None and high > 1.1 * low
    return f"{low:.0f}-{high:.0f}x" if wide else _times(low, unknown)


def _times(ratio: float | None, unknown: str = UNKNOWN) -> str:
    return unknown if ratio is None else f"{ratio:.3g}x"


def _bytes(value: float | None, unknown: str = UNKNOWN) -> str:
    return unknown if value is None else quantities.show(float(f"{value:.3g}"), "byte", 3)


def _rate(value: float | None, unknown: str = UNKNOWN, digits: int = 3) -> str:
    return unknown if value is None else quantities.show(float(f"{value:.{digits}g}"), "byte/s", digits)


def _count(value: float | None, unknown: str = UNKNOWN) -> str:
    """Format as `524 k`: three digits and a prefix."""
    if value is None:
        return unknown
    for prefix, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= 0.9995 * size:
            return f"{value / size:.3g} {prefix}"
    return f"{value:.0f}"
