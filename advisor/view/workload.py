"""A typed-in workload as text and JSON: its units in place of a kernel's, and the words that the file lacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.readers.workload import key_of, unit_names
from advisor.reasoning.metrics.workloads import clusters
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.view.charts import Bar, bar, bar_width, bars_text, known, scale_text, stalls, unit_style
from advisor.view.text import number, wrap

SCOPE = "workload"
SHARES = "Shares of time, of slots, of requests"
WAITING = "Waiting warps (share of active warps)"
# Beside the units, in the order of the article's questions: is it fed, are the SMs filled, do they work, do caches hit.
_SHARES = (
    ("graphics_idle_pct", "Idle"),
    ("sm_active_pct", "SM active"),
    ("sm_throughput_active_pct", "SM work when active"),
    ("shader_occupancy_pct", "Warps of slots"),
    ("l1_hit_pct", "TEX hit rate"),
    ("l2_hit_pct", "L2 hit rate"),
)


def unit_bars(metrics: Mapping[str, float], *, width: int = 80, blocks: bool = True) -> tuple[Bar, ...]:
    """The units in clusters of 10 points, the fullest first; the first of each stands out, the others are set in."""
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
    """What is known beside the units: idle time, activity of the SMs, warps, hit rates."""
    found = [(metric, label, known(metrics, metric)) for metric, label in _SHARES]
    return tuple(
        Bar(label, value, bar(value, bar_width(width), blocks=blocks, marks=()), "", "total", metric)
        for metric, label, value in found
        if value is not None
    )


def stall_bars(metrics: Mapping[str, float], *, width: int = 80, blocks: bool = True) -> tuple[Bar, ...]:
    """The stall reasons that were typed."""
    return tuple(row for row in stalls(metrics, width=width, blocks=blocks) if row.value is not None)


def parts(metrics: Mapping[str, float], *, width: int = 80, blocks: bool = True) -> list[tuple[str, tuple[Bar, ...]]]:
    """All charts of a workload with their headings; those of which nothing is known are left out."""
    found = [("", unit_bars), (SHARES, share_bars), (WAITING, stall_bars)]
    made = [(heading, draw(metrics, width=width, blocks=blocks)) for heading, draw in found]
    return [(heading, rows) for heading, rows in made if rows]


def units_text(metrics: Mapping[str, float], *, width: int = 80, blocks: bool = True) -> str:
    """The charts as text of at most `width` columns."""
    lines = [scale_text(width)]
    for heading, rows in parts(metrics, width=width, blocks=blocks):
        lines += [heading] if heading else []
        lines.append(bars_text(rows, width))
    return "\n".join(lines)


def lacking_lines(launch: LaunchDiagnosis, width: int) -> list[str]:
    """What could not be looked at, and the words to type for it."""
    wanted = sorted({finding for item in launch.missing for finding in item.needed_for})
    keys = dict.fromkeys(key_of(item.metric) for item in launch.missing)
    lines = wrap(f"{', '.join(wanted)} (unknown, not absent)", width, 2, 2)
    return lines + wrap(f"type into the workload file: {'; '.join(keys)} (ncu-advisor explain graphics)", width, 2, 2)


def units_dict(metrics: Mapping[str, float]) -> list[dict[str, Any]]:
    """The typed units for the JSON, the fullest first, with the number of their cluster from 0."""
    names = unit_names()
    return [
        {"unit": names[unit], "metric": unit, "pct": number(metrics[unit]), "cluster": at}
        for at, group in enumerate(clusters(metrics))
        for unit in group
    ]


def band(metrics: Mapping[str, float]) -> str | None:
    """Where the top unit stands: high (over 80 %), low (under 60 %) or middle (p3.bands)."""
    top = known(metrics, "top_unit_pct")
    return None if top is None else "high" if top > 80 else "low" if top < 60 else "middle"
