"""Sets of time as sorted, disjoint intervals: unions, gaps between them and intersections, in whole ns."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.timeline.columns import is_sorted, pieces, reach, same
from advisor.timeline.spans import Spans

Array = np.ndarray[Any, np.dtype[Any]]


EMPTY = Spans(np.empty(0, np.int64), np.empty(0, np.int64))


def union(start: Array, end: Array) -> Spans:
    """Return the union of intervals in any order; empty intervals are dropped."""
    keep = end > start
    if not keep.all():
        start, end = start[keep], end[keep]
    if not len(start):
        return EMPTY
    if not is_sorted(start):
        order = np.argsort(start, kind="stable")
        start, end = start[order], end[order]
    last = reach(end)
    apart = start[1:] > last[:-1]
    if apart.all():  # the intervals are the union
        return Spans(start, last)
    # Masks, not indices, which take eight times the memory.
    first = np.concatenate([[True], apart])
    final = np.concatenate([apart, [True]])
    return Spans(start[first], last[final])


def before(spans: Spans, at: Array) -> Array:
    """Return the time of the spans before each moment of `at`, in ns."""
    if not len(spans):
        return np.zeros(len(at), np.int64)
    return _before(spans, _done(spans), at)


def _done(spans: Spans) -> Array:
    """Return the time of the spans before each of them."""
    done = np.zeros(len(spans) + 1, np.int64)
    np.cumsum(spans.end - spans.start, out=done[1:])
    return done


def _before(spans: Spans, done: Array, at: Array) -> Array:
    place = np.searchsorted(spans.start, at, "right")
    last = np.maximum(place - 1, 0)
    inside = np.where(place > 0, np.clip(at - spans.start[last], 0, spans.end[last] - spans.start[last]), 0)
    return np.asarray(done[last] + inside, dtype=np.int64)


def shared(spans: Spans, start: Array, end: Array) -> Array:
    """Return the time of the spans within each interval [start, end), in ns."""
    if not len(spans):
        return same(0, len(start))
    out, done = np.empty(len(start), np.int64), _done(spans)
    for some in pieces(len(start)):
        out[some] = _before(spans, done, end[some]) - _before(spans, done, start[some])
    return out


def common(a: Spans, b: Spans) -> int:
    """Return the time that two sets share, in ns."""
    few, many = (a, b) if len(a) < len(b) else (b, a)
    return int(shared(many, few.start, few.end).sum())
