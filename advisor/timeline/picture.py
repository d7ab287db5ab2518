"""The rows of a picture of one GPU, and how full each of them is in each slice of time."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.timeline.facts import GpuFacts
from advisor.timeline.intervals import before, union
from advisor.timeline.results import Lane

Array = np.ndarray[Any, np.dtype[Any]]

_ROWS = ("kernels", "communication", "copies", "migrations", "other")
_MOST_STREAMS = 6


def lanes(facts: GpuFacts) -> tuple[Lane, ...]:
    """Kinds of work that were there, what was busy at all, and of several streams those with the most work."""
    if facts.work is None:
        return ()
    out = [Lane(name, facts.spans[name]) for name in _ROWS if len(facts.spans[name])]
    out.append(Lane("busy", facts.spans["busy"]))
    streams = np.unique(facts.work.stream)
    if len(streams) > 1:
        rows = []
        for stream in streams.tolist():
            mine = facts.work.stream == stream
            rows.append(Lane("stream", union(facts.work.start[mine], facts.work.end[mine]), int(stream)))
        rows.sort(key=lambda lane: (-lane.spans.length, lane.stream))
        out += sorted(rows[:_MOST_STREAMS], key=lambda lane: lane.stream or 0)
    return tuple(out)


def fullness(lane: Lane, start: int, end: int, slices: int) -> Array:
    """The covered share, 0 to 1, of each of `slices` equal parts of the time from start to end."""
    edges = np.linspace(start, end, slices + 1)
    moments = np.rint(edges).astype(np.int64)
    width = np.maximum(np.diff(moments), 1)
    return np.asarray(np.diff(before(lane.spans, moments)) / width)
