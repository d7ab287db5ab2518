"""Lazy random arrays behave like NumPy's, and give the same elements however they are read."""

from __future__ import annotations

import numpy as np

from advisor.practice.lazy_arrays import CHUNK, LARGE, LazyArray, LazyGenerator


def test_parts_and_the_whole_have_the_same_elements() -> None:
    made = LazyGenerator(3).random(LARGE + 5, dtype=np.float32)
    assert isinstance(made, LazyArray) and made.dtype == np.float32
    part = made.chunk(CHUNK - 7, CHUNK + 9)
    whole = np.asarray(made)
    assert (whole[CHUNK - 7 : CHUNK + 9] == part).all() and len(whole) == LARGE + 5
    assert whole.min() >= 0 and whole.max() < 1 and abs(whole.mean() - 0.5) < 0.01
    assert (np.asarray(LazyGenerator(3).random(LARGE + 5, dtype=np.float32)) == whole).all()


def test_arithmetic_stays_lazy_and_is_numpys() -> None:
    made = LazyGenerator(1).random(LARGE, dtype=np.float32)
    whole = np.asarray(made).copy()
    other = (made - np.float32(0.5)) * made
    assert isinstance(other, LazyArray)
    assert (np.asarray(other) == (whole - np.float32(0.5)) * whole).all()
    made *= made
    np.minimum(made, np.float32(0.5), out=made)
    assert (np.asarray(made) == np.minimum(whole * whole, np.float32(0.5))).all()


def test_other_uses_make_a_numpy_array() -> None:
    made = LazyGenerator(1).integers(0, 9, LARGE, dtype=np.int32).reshape(-1, 2)
    assert made.shape == (LARGE // 2, 2) and made.nbytes == 4 * LARGE
    assert made[:3].shape == (3, 2) and made.sum() == np.asarray(made).sum()
    assert isinstance(LazyGenerator(1).random(10), np.ndarray)


def test_a_column_and_every_nth_element_stay_lazy() -> None:
    def made() -> LazyArray:
        return LazyGenerator(2).random((2 * LARGE, 3), dtype=np.float32)

    whole = np.asarray(made())
    for column in (0, 2, -2):
        part = made()[:, column]
        assert isinstance(part, LazyArray) and part.shape == (2 * LARGE,)
        assert (part.copy().chunk(CHUNK - 3, CHUNK + 9) == whole[CHUNK - 3 : CHUNK + 9, column]).all()
    strided = made().reshape(-1)[5:-1:3]
    assert isinstance(strided, LazyArray) and len(strided) == len(whole.reshape(-1)[5:-1:3])
    assert (np.asarray(strided) == whole.reshape(-1)[5:-1:3]).all()
    assert (made().reshape(-1)[::-1] == whole.reshape(-1)[::-1]).all()
