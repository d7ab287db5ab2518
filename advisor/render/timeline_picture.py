"""The picture of one GPU in text: a row for each kind of work, a column for each slice of time."""

from __future__ import annotations

from advisor.render.text import time_text
from advisor.timeline.picture import fullness
from advisor.timeline.results import GpuTimeline, Lane

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
    start, end = gpu.window
    cells = max(10, width - _LABEL - _SHARE - 2)
    out = []
    shades = _BLOCKS if blocks else _PLAIN
    edge = "│" if blocks else "|"
    for lane in gpu.lanes:
        full = fullness(lane, start, end, cells)
        row = "".join(shades[_level(float(share), len(shades) - 1)] for share in full)
        out.append(f"{lane_name(lane):<{_LABEL}}{edge}{row}{edge}{_percent(lane.spans.length, end - start):>{_SHARE}}")
        if lane.id == "busy":
            row = "".join(shades[_level(1 - float(share), len(shades) - 1)] for share in full)
            idle = end - start - lane.spans.length
            out.append(f"{_IDLE:<{_LABEL}}{edge}{row}{edge}{_percent(idle, end - start):>{_SHARE}}")
    left, right = f"at {at_text(start)}", f"{at_text(end)}"
    out.append(" " * (_LABEL + 1) + left + right.rjust(cells - len(left)))
    slice_ = time_text((end - start) / cells)
    out.append(" " * (_LABEL + 1) + f"a column is {slice_}; the fuller, the more of it is covered"[: cells + _SHARE])
    return out


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
