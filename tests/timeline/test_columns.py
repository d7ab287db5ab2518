"""Columns of a trace in the smallest integers, and the same results as with whole arrays of 64 bits."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.timeline import columns
from advisor.timeline.intervals import union
from advisor.timeline.kernels import _by_name
from advisor.timeline.read import read_trace
from advisor.timeline.trace import KERNEL, SET, Work, dimensions, pack_block, pack_grid

NUMBERS = st.lists(st.integers(-(1 << 62), 1 << 62) | st.integers(-3, 3), max_size=40)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "PIECE", 7)


@given(NUMBERS)
def test_a_column_holds_what_was_put_into_it(values: list[int]) -> None:
    made = columns.Column()
    for start in range(0, len(values), 5):
        made.add(np.array(values[start : start + 5], np.int64))
    assert made.whole().tolist() == values


@given(NUMBERS)
def test_what_is_counted_in_pieces_is_what_numpy_counts(values: list[int]) -> None:
    column = columns.narrow(np.array(values, np.int64))
    found, counts = np.unique(np.array(values, np.int64), return_counts=True)
    assert columns.distinct(column).tolist() == found.tolist()
    assert [part.tolist() for part in columns.counted(column)] == [found.tolist(), counts.tolist()]
    assert [found[at] for at in columns.codes(column, found)] == values
    assert columns.first_rows(column, found).tolist() == [values.index(one) for one in found.tolist()]


@pytest.mark.parametrize("most", [0, 127, 128, 32767, 32768, (1 << 31) - 1, 1 << 31, 1 << 62])
def test_no_number_is_too_large_for_its_column(most: int) -> None:
    for values in ([0, most], [0, -most - 1], [most, most]):
        assert columns.narrow(np.array(values, np.int64)).tolist() == values


WORK = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20), st.integers(0, 3), st.booleans()), max_size=40)


@given(WORK)
def test_kernels_are_summed_in_pieces_as_in_one(given_work: list[tuple[int, int, int, bool]]) -> None:
    rows = sorted(given_work)
    start, length, name = (np.array([row[at] for row in rows], np.int64) for at in range(3))
    kind = np.array([KERNEL if row[3] else SET for row in rows], np.int8)
    nothing = np.zeros(len(rows), np.int64)
    work = Work(start, start + length, kind, nothing, nothing, name, *([nothing] * 7))
    found = _by_name(work)
    assert set(found) == set(name[kind == KERNEL].tolist())
    for index, one in found.items():
        mine = (name == index) & (kind == KERNEL)
        assert one.covered == union(start[mine], (start + length)[mine]).length
        expected = (mine.sum(), length[mine].sum(), length[mine].min(), length[mine].max())
        assert (one.count, one.total, one.shortest, one.longest) == expected


def test_every_shape_comes_out_of_its_packing() -> None:
    for grid in ((1, 1, 1), (2**31 - 1, 65535, 65535), (7, 1, 65535)):
        assert dimensions(pack_grid(*grid), pack_block(1024, 1, 64)) == (grid, (1024, 1, 64))
    assert pack_grid(2**31 - 1, 1, 1) < 2**31
    for grid in ((0, 1, 1), (1, 0, 1), (1, 1, 0)):
        assert dimensions(pack_grid(*grid), pack_block(1, 1, 1)) is None


def test_a_kernel_of_a_trace_takes_few_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """13 columns and those of its call took over 150 bytes."""
    from tests.bench.scale import _trace

    monkeypatch.undo()
    taken = []
    for count in (20_000, 60_000):
        path = Path(_trace(tmp_path, count)[1])
        tracemalloc.start()
        trace = read_trace(path)
        taken.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert trace.work is not None and len(trace.work) == count
    assert (taken[1] - taken[0]) / 40_000 < 60
