"""Draw the activity of one GPU over the window of a trace, one row per kind of work, as a drawing or as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from advisor.timeline.facts import fullness
from advisor.timeline.intervals import shared
from advisor.timeline.results import GpuTimeline, Lane
from advisor.view.charts.canvas import shaded
from advisor.view.charts.drawing import Box, Chart, Line, Word
from advisor.view.numbers import at_text, percent_text, time_text
from advisor.view.text import shown

Array = np.ndarray[Any, np.dtype[Any]]
# The drawing: size, height and distance of rows, number of time slices, maximum number of rows.
_WIDTH, _LEFT, _RIGHT, _TOP = 760, 110, 70, 6
_ROW, _GAP, _CELLS, _LANES = 20, 8, 290, 24
# The text: width of a row's name and of its share.
_LABEL, _SHARE = 15, 8
_IDLE = "idle"
_LABELS = {
    "kernels": "kernels",
    "communication": "communication",
    "copies": "host copies",
    "migrations": "migrations",
    "other": "sets, d2d",
    "busy": "anything",
}


def timeline_chart(gpu: GpuTimeline) -> Chart | None:
    """Draw rows of slices, each as high as its share of activity. Return None if the trace has only sums."""
    if gpu.window is None or not gpu.lanes or gpu.window[1] <= gpu.window[0]:
        return None
    start, end = gpu.window
    lanes = gpu.lanes[:_LANES]
    cell = (_WIDTH - _LEFT - _RIGHT) / _CELLS
    boxes, words = [], []
    for at, lane in enumerate(lanes):
        y = _TOP + at * (_ROW + _GAP)
        boxes.append(Box(_LEFT, y, _WIDTH - _LEFT - _RIGHT, _ROW, "lane"))
        for n, share in enumerate(fullness(lane, start, end, _CELLS)):
            if share > 0:
                high = max(1.0, min(1.0, float(share)) * _ROW)
                boxes.append(Box(_LEFT + n * cell, y + _ROW - high, cell, high, lane.id))
        words.append(Word(_LEFT - 8, y + _ROW - 5, lane_name(lane), "end", "lane"))
        percent = _percent(lane.spans.length, end - start)
        words.append(Word(_WIDTH - _RIGHT + 8, y + _ROW - 5, percent, "start", "lane"))
    bottom = _TOP + len(lanes) * (_ROW + _GAP)
    words.append(Word(_LEFT, bottom + 10, f"at {at_text(start)}"))
    words.append(Word(_WIDTH - _RIGHT, bottom + 10, at_text(end), "end"))
    axis = Line(_LEFT, bottom - 2, _WIDTH - _RIGHT, bottom - 2, "grid")
    slice_ = time_text((end - start) / _CELLS)
    name = f" {shown(gpu.name)}" if gpu.name else ""
    says = f"Each slice is {slice_}; its height is the share that is active. Right: each row's share of the window."
    return Chart(f"GPU {gpu.gpu}{name}", says, _WIDTH, round(bottom + 18), (axis,), tuple(boxes), tuple(words))


def picture(gpu: GpuTimeline, width: int, blocks: bool) -> list[str]:
    """Draw rows of `width` columns: the activity of each slice, the row's share of the window; then the times."""
    if gpu.window is None or not gpu.lanes or gpu.window[1] <= gpu.window[0]:
        return []
    rows = [text for _, text in lane_rows(gpu.lanes, gpu.window, width, blocks)]
    return [*rows, *axis_rows(gpu.window, width)]


def cells_of(width: int) -> int:
    """Return the number of columns of a row that represent time."""
    return max(10, width - _LABEL - _SHARE - 2)


def lane_rows(lanes: Sequence[Lane], window: tuple[int, int], width: int, blocks: bool) -> list[tuple[str, str]]:
    """Return (lane id, row) of each lane in a window of the trace, in ns; the idle row follows the busy row."""
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
    edge = "│" if blocks else "|"
    return f"{name:<{_LABEL}}{edge}{shaded(full.tolist(), blocks)}{edge}{share:>{_SHARE}}"


def axis_rows(window: tuple[int, int], width: int) -> list[str]:
    """Return lines with the start and end of the rows, and the time per column."""
    start, end = window
    cells = cells_of(width)
    left, right = f"at {at_text(start)}", f"{at_text(end)}"
    slice_ = time_text((end - start) / cells)
    says = f"a column is {slice_}; a fuller cell is active for more of it"
    return [
        " " * (_LABEL + 1) + left + right.rjust(cells - len(left)),
        " " * (_LABEL + 1) + says[: cells + _SHARE],
    ]


def mark_row(name: str, spans: Sequence[tuple[int, int]], window: tuple[int, int], width: int, mark: str) -> str:
    """Return a row with a mark in each column that overlaps one of the time spans (start, end)."""
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
    """Return the name of a row."""
    return _LABELS.get(lane.id, f"stream {lane.stream}")[: _LABEL - 1]


def _percent(part: int, whole: int) -> str:
    return percent_text(100 * part / whole)
