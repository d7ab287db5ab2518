"""The picture of one GPU as a drawing: a row for each kind of work, over the window of the trace."""

from __future__ import annotations

from advisor.render.pictures import Box, Chart, Line, Word
from advisor.render.text import shown, time_text
from advisor.render.timeline_picture import at_text, lane_name
from advisor.timeline.picture import fullness
from advisor.timeline.results import GpuTimeline

_WIDTH, _LEFT, _RIGHT = 760, 110, 70
_ROW, _GAP, _TOP = 20, 8, 6
_CELLS = 290
_LANES = 24


def timeline_chart(gpu: GpuTimeline) -> Chart | None:
    """Rows of slices, each as high as the share of it that is covered; None where the trace has only sums."""
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
        percent = f"{100 * lane.spans.length / (end - start):.1f} %"
        words.append(Word(_WIDTH - _RIGHT + 8, y + _ROW - 5, percent, "start", "lane"))
    bottom = _TOP + len(lanes) * (_ROW + _GAP)
    words.append(Word(_LEFT, bottom + 10, f"at {at_text(start)}"))
    words.append(Word(_WIDTH - _RIGHT, bottom + 10, at_text(end), "end"))
    axis = Line(_LEFT, bottom - 2, _WIDTH - _RIGHT, bottom - 2, "grid")
    slice_ = time_text((end - start) / _CELLS)
    name = f" {shown(gpu.name)}" if gpu.name else ""
    says = f"A slice is {slice_}; the higher, the more of it is covered. At the right each row's share of the window."
    return Chart(f"GPU {gpu.gpu}{name}", says, _WIDTH, round(bottom + 18), (axis,), tuple(boxes), tuple(words))
