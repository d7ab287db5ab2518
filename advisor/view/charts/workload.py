"""Charts of a typed-in workload: its units by utilisation, further shares, stall reasons."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.readers.workload import clusters, unit_names
from advisor.view.charts.bars import Bar, bar, bar_width, known, stalls, unit_style

SHARES = "Shares of time, of slots, of requests"
WAITING = "Waiting warps (share of active warps)"
# Shown after the units, in the order of the article's questions: GPU idle, SMs active, warps issuing, cache hits.
_SHARES = (
    ("graphics_idle_pct", "Idle"),
    ("sm_active_pct", "SM active"),
    ("sm_throughput_active_pct", "SM work when active"),
    ("shader_occupancy_pct", "Warps of slots"),
    ("l1_hit_pct", "TEX hit rate"),
    ("l2_hit_pct", "L2 hit rate"),
)


def unit_bars(metrics: Mapping[str, float], *, width: int = 80, blocks: bool = True) -> tuple[Bar, ...]:
    """Return bars of the units in clusters of 10 points, the highest first; others of a cluster are indented."""
    cells, names = bar_width(width), unit_names()
    rows = []
    for group in clusters(metrics):
        for at, unit in enumerate(group):
            value = known(metrics, unit)
            style, note = unit_style(value)
            drawn = bar(value, cells, blocks=blocks)
            rows.append(Bar(names[unit], value, drawn, note, "total" if at == 0 else style, unit))
    return tuple(rows)


def share_bars(metrics: Mapping[str, float], *, width: int = 80, blocks: bool = True) -> tuple[Bar, ...]:
    """Return bars of the other known values: idle time, activity of the SMs, warps, hit rates."""
    found = [(metric, label, known(metrics, metric)) for metric, label in _SHARES]
    return tuple(
        Bar(label, value, bar(value, bar_width(width), blocks=blocks, marks=()), "", "total", metric)
        for metric, label, value in found
        if value is not None
    )


def stall_bars(metrics: Mapping[str, float], *, width: int = 80, blocks: bool = True) -> tuple[Bar, ...]:
    """Return bars of the stall reasons that were typed."""
    return tuple(row for row in stalls(metrics, width=width, blocks=blocks) if row.value is not None)


def parts(metrics: Mapping[str, float], *, width: int = 80, blocks: bool = True) -> list[tuple[str, tuple[Bar, ...]]]:
    """Return all charts of a workload with their headings, without empty ones."""
    found = [("", unit_bars), (SHARES, share_bars), (WAITING, stall_bars)]
    made = [(heading, draw(metrics, width=width, blocks=blocks)) for heading, draw in found]
    return [(heading, rows) for heading, rows in made if rows]
