"""Unions of intervals against a set of single nanoseconds, for any intervals."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from advisor.timeline.intervals import before, common, shared, union

INTERVALS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 12)).map(lambda t: (t[0], t[0] + t[1])), max_size=14)


def spans(intervals: list[tuple[int, int]]):
    start, end = (np.array([pair[i] for pair in intervals], dtype=np.int64) for i in (0, 1))
    return union(start, end)


def covered(intervals: list[tuple[int, int]]) -> set[int]:
    return {moment for start, end in intervals for moment in range(start, end)}


@given(INTERVALS)
def test_a_union_covers_what_any_interval_covers_once(intervals: list[tuple[int, int]]) -> None:
    found = spans(intervals)
    pairs = list(zip(found.start.tolist(), found.end.tolist(), strict=True))
    assert covered(pairs) == covered(intervals)
    assert found.length == len(covered(intervals))
    # Disjoint, in order, and not even touching.
    assert all(a[1] < b[0] for a, b in pairwise(pairs))


@given(INTERVALS, INTERVALS)
def test_what_two_sets_share(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    assert common(spans(a), spans(b)) == common(spans(b), spans(a)) == len(covered(a) & covered(b))


@given(INTERVALS, st.lists(st.integers(-5, 90), min_size=1))
def test_how_much_lies_before_a_moment(intervals: list[tuple[int, int]], moments: list[int]) -> None:
    found = before(spans(intervals), np.array(moments, dtype=np.int64))
    assert found.tolist() == [sum(t < moment for t in covered(intervals)) for moment in moments]


@given(INTERVALS, INTERVALS)
def test_how_much_of_a_set_lies_in_each_interval(
    intervals: list[tuple[int, int]], windows: list[tuple[int, int]]
) -> None:
    start, end = (np.array([w[i] for w in windows], dtype=np.int64) for i in (0, 1))
    expected = [len(covered(intervals) & set(range(a, b))) for a, b in windows]
    assert shared(spans(intervals), start, end).tolist() == expected
