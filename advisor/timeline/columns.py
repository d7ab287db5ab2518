"""Columns of millions of rows in little memory: the smallest integers that hold them, and work on them in pieces.

A column in which all values are equal is stored as one of them: an array that only looks long, and is read-only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
PIECE = 1 << 18  # rows of which there are temporary arrays at a time
_KINDS = (np.int8, np.int16, np.int32)


def pieces(rows: int) -> Iterator[slice]:
    """Yield the rows in pieces, in order."""
    for start in range(0, rows, PIECE):
        yield slice(start, min(start + PIECE, rows))


def kind_for(least: int, most: int) -> Any:
    """Return the smallest type of signed integers for values from `least` to `most`."""
    return next((kind for kind in _KINDS if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max), np.int64)


def same(value: int, rows: int) -> Array:
    """Return a column of equal values."""
    return np.broadcast_to(np.array(value, kind_for(value, value)), (rows,))


def is_same(column: Array) -> bool:
    """Return whether a column is stored as one value."""
    return len(column) > 0 and column.strides == (0,)


class Column:
    """A column of integers in the making. wide: keep int64, for times."""

    def __init__(self, wide: bool = False) -> None:
        self._wide = wide
        self._parts: list[Array] = []

    def add(self, values: Array) -> None:
        """Append values."""
        self._parts.append(values.copy() if self._wide else narrow(values))

    def whole(self) -> Array:
        """Return all values; empties the column."""
        parts, self._parts = self._parts, []
        rows = sum(map(len, parts))
        if self._wide or not rows:
            return np.concatenate([np.empty(0, np.int64), *parts])
        if all(is_same(part) and part[0] == parts[0][0] for part in parts):
            return same(int(parts[0][0]), rows)
        out = np.empty(rows, np.result_type(*parts))
        at = 0
        for number, part in enumerate(parts):
            out[at : at + len(part)] = part
            at += len(part)
            parts[number] = part[:0]  # so that no part is in memory twice for long
        return out


def narrow(values: Array) -> Array:
    """Return the values as the smallest integers that hold them."""
    if not len(values):
        return values
    least, most = int(values.min()), int(values.max())
    return same(least, len(values)) if least == most else values.astype(kind_for(least, most))


def distinct(values: Array) -> Array:
    """Return the distinct values, sorted."""
    if is_same(values):
        return values[:1].copy()
    out = values[:0]
    for some in pieces(len(values)):
        out = np.union1d(out, values[some])
    return out


def counted(values: Array) -> tuple[Array, Array]:
    """Return the distinct values, sorted, and how often each occurs."""
    found = distinct(values)
    counts = np.zeros(len(found), np.int64)
    for some in pieces(len(values)):
        counts += np.bincount(np.searchsorted(found, values[some]), minlength=len(found))
    return found, counts


def codes(values: Array, among: Array) -> Array:
    """Return the position of each value in `among`, which is sorted and has all of them."""
    if is_same(values):
        return same(int(np.searchsorted(among, values[0])), len(values))
    out = np.empty(len(values), kind_for(0, max(len(among) - 1, 0)))
    for some in pieces(len(values)):
        out[some] = np.searchsorted(among, values[some])
    return out


def looked_up(table: Array, at: Array) -> Array:
    """Return table[at] as the smallest integers; the table is short."""
    if is_same(at):
        return same(int(table[at[0]]), len(at))
    return narrow(table)[at] if len(table) > 1 and len(at) else table[at]


def first_rows(values: Array, among: Array) -> Array:
    """Return the first row of each of the values `among`, which are sorted; all of them must occur."""
    first = np.full(len(among), len(values), np.int64)
    for some in pieces(len(values)):
        found, at = np.unique(values[some], return_index=True)
        place = np.searchsorted(among, found)
        first[place] = np.minimum(first[place], at + some.start)
    return first


def is_sorted(values: Array) -> bool:
    """Return whether no value is smaller than the one before it."""
    return bool((values[1:] >= values[:-1]).all())


def reach(end: Array) -> Array:
    """Return the latest end up to each row."""
    return end if is_sorted(end) else np.maximum.accumulate(end)
