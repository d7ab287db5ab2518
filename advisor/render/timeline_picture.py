"""The picture of one GPU in text: a row for each kind of work, a column for each slice of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from advisor.render.text import time_text
from advisor.timeline.intervals import shared
from advisor.timeline.picture import fullness
from advisor.timeline.results import GpuTimeline, Lane

Array = np.ndarray[Any, np.dtype[Any]]

_BLOCKS = " ▁▂▃▄▅▆▇█"
_PLAIN = " .:-=+*%#"
_LABEL = 15
_SHARE = 8
_LABELS = {
    "kernels": "kernels",
    "communication": "communication",
    "copies": "host copies",
    "migrations": "migrations",
    "other": "sets, d2d",
    "busy": "anything",
}
_IDLE = "idle"


def picture(gpu: GpuTimeline, width: int, blocks: bool) -> list[str]:
    """Rows of `width` columns: how full each slice is, with the row's share of the window; then the times."""
    if gpu.window is None or not gpu.lanes or gpu.window[1] <= gpu.window[0]:
        return []
    rows = [text for _, text in lane_rows(gpu.lanes, gpu.window, width, blocks)]
    return [*rows, *axis_rows(gpu.window, width)]


def cells_of(width: int) -> int:
    """How many columns of a row stand for time."""
    return max(10, width - _LABEL - _SHARE - 2)


def lane_rows(lanes: Sequence[Lane], window: tuple[int, int], width: int, blocks: bool) -> list[tuple[str, str]]:
    """(lane id, row) of each lane within any window of the trace, in ns; what was idle stands under what was busy."""
    start, end = window
    cells = cells_of(width)
    out = []
    for lane in lanes:
        full = fullness(lane, start, end, cells)
        inside = shared(lane.spans, np.array([start]), np.array([end]))
        covered = int(inside[0])
        out.append((lane.id, _row(lane_name(lane), full, _percent(covered, end - start), blocks)))
        if lane.id == "busy":
            out.append((_IDLE, _row(_IDLE, 1 - full, _percent(end - start - covered, end - start), blocks)))
    return out


def _row(name: str, full: Array, share: str, blocks: bool) -> str:
    shades, edge = (_BLOCKS, "│") if blocks else (_PLAIN, "|")
    row = "".join(shades[_level(float(part), len(shades) - 1)] for part in full)
    return f"{name:<{_LABEL}}{edge}{row}{edge}{share:>{_SHARE}}"


def axis_rows(window: tuple[int, int], width: int) -> list[str]:
    """Where the rows begin and end, and how much time a column is."""
    start, end = window
    cells = cells_of(width)
    left, right = f"at {at_text(start)}", f"{at_text(end)}"
    slice_ = time_text((end - start) / cells)
    says = f"a column is {slice_}; the fuller, the more of it is covered"
    return [
        " " * (_LABEL + 1) + left + right.rjust(cells - len(left)),
        " " * (_LABEL + 1) + says[: cells + _SHARE],
    ]


def mark_row(name: str, spans: Sequence[tuple[int, int]], window: tuple[int, int], width: int, mark: str) -> str:
    """A row with a mark in each column that one of the stretches of time (start, end) touches."""
    start, end = window
    cells = cells_of(width)
    row = [" "] * cells
    for first, last in spans:
        if last <= start or first >= end:
            continue
        low = (max(first, start) - start) * cells // (end - start)
        high = -(-(min(last, end) - start) * cells // (end - start))
        for at in range(low, max(min(high, cells), low + 1)):
            row[min(at, cells - 1)] = mark
    return f"{name[: _LABEL - 1]:<{_LABEL}} {''.join(row)}"


def lane_name(lane: Lane) -> str:
    """What a row shows."""
    return _LABELS.get(lane.id, f"stream {lane.stream}")[: _LABEL - 1]


def _level(share: float, most: int) -> int:
    """The shade of a share: none only for nothing at all, the fullest only for all of it."""
    if share <= 0:
        return 0
    if share >= 0.999:
        return most
    return max(1, min(most - 1, round(share * most)))


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


def at_text(moment: int) -> str:
    """A moment of the trace in seconds, as Nsight Systems shows it."""
    return f"{moment / 1e9:.6f} s"
