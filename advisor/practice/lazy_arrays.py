"""Random arrays whose elements are computed when they are read, for inputs that are larger than what is used of them.

`LazyGenerator` stands for NumPy's generator, and `LazyArray` for a large array. Arithmetic with numbers and with arrays
of the same shape stays lazy, and so do a column of a matrix and every n-th element of a vector; everything else makes a
NumPy array first. The elements depend on the seed alone. What stays lazy is new: a change of it in place does not reach
the array that it was made from.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

LARGE = 1 << 20  # elements from which an array is lazy
CHUNK = 1 << 16
Chunk = Callable[[int, int], Any]


class LazyArray:
    """An array given by a function: chunk(start, stop) returns the elements of that range of the flat array."""

    def __init__(self, shape: tuple[int, ...], dtype: Any, chunk: Chunk) -> None:
        self.shape, self.dtype, self._chunk = shape, np.dtype(dtype), chunk
        self._made: Any = None

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(math.prod(self.shape))

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return int(self.size * self.dtype.itemsize)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def chunk(self, start: int, stop: int) -> Any:
        """Return elements [start, stop) of the flat array."""
        if self._made is not None:
            return self._made.reshape(-1)[start:stop]
        return self._chunk(start, stop)

    def __len__(self) -> int:
        return int(self.shape[0])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self._made is None:
            out = np.empty(self.size, self.dtype)
            for start in range(0, self.size, CHUNK):
                stop = min(start + CHUNK, self.size)
                out[start:stop] = self._chunk(start, stop)
            self._made = out.reshape(self.shape)
        return self._made if dtype is None else self._made.astype(dtype)

    def reshape(self, *shape: Any) -> Any:
        """Return the same elements in another shape, still lazy."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        wanted = tuple(int(n) for n in wanted)
        if -1 in wanted:
            known = math.prod(n for n in wanted if n >= 0)
            wanted = tuple(self.size // known if n == -1 else n for n in wanted)
        return LazyArray(wanted, self.dtype, self.chunk)

    def ravel(self) -> Any:
        """Return the flat array, still lazy."""
        return self.reshape(self.size)

    def astype(self, dtype: Any) -> Any:
        """Return the elements as another type, still lazy."""
        return LazyArray(self.shape, dtype, lambda start, stop: self.chunk(start, stop).astype(dtype))

    def view(self, dtype: Any) -> Any:
        """Return the bits as another type of the same size, still lazy."""
        if np.dtype(dtype).itemsize != self.dtype.itemsize:
            return np.asarray(self).view(dtype)
        return LazyArray(self.shape, dtype, lambda start, stop: self.chunk(start, stop).view(dtype))

    def copy(self) -> Any:
        """Return the array itself: it does not change in place."""
        return LazyArray(self.shape, self.dtype, self.chunk)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        lazy = [i for i in inputs if isinstance(i, LazyArray)]
        same = all(np.ndim(i) == 0 or (isinstance(i, LazyArray) and i.shape == self.shape) for i in inputs)
        if method != "__call__" or kwargs or not same or any(i.shape != self.shape for i in lazy):
            plain = [np.asarray(i) if isinstance(i, LazyArray) else i for i in inputs]
            return getattr(ufunc, method)(*plain, **kwargs)
        dtype = ufunc(*(i.chunk(0, 1) if isinstance(i, LazyArray) else i for i in inputs)).dtype
        parts = [i.copy() if isinstance(i, LazyArray) else i for i in inputs]
        if out is not None:
            parts = [LazyArray(i.shape, i.dtype, i._chunk) if isinstance(i, LazyArray) else i for i in inputs]

        def chunk(start: int, stop: int) -> Any:
            return ufunc(*(i.chunk(start, stop) if isinstance(i, LazyArray) else i for i in parts)).astype(dtype)

        if out is not None and out[0] is self:
            self._chunk, self._made = chunk, None
            return self
        return LazyArray(self.shape, dtype, chunk)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    def __getitem__(self, key: Any) -> Any:
        places = _places(self.shape, key) if self._made is None else None
        if places is not None and len(places) >= LARGE:
            first, step = places.start, places.step

            def chunk(start: int, stop: int) -> Any:
                return self.chunk(first + start * step, first + (stop - 1) * step + 1)[::step]

            return LazyArray((len(places),), self.dtype, chunk)
        return np.asarray(self)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        np.asarray(self)[key] = value


def _places(shape: tuple[int, ...], key: Any) -> range | None:
    """Return the places in the flat array of a column `[:, k]` or of `[start:stop:step]`; None for another key."""
    if len(shape) == 1 and isinstance(key, slice):
        found = range(*key.indices(shape[0]))
        return found if found.step > 0 else None
    if len(shape) == 2 and isinstance(key, tuple) and len(key) == 2 and key[0] == slice(None):
        column = key[1]
        if isinstance(column, int) and -shape[1] <= column < shape[1]:
            return range(column % shape[1], shape[0] * shape[1], shape[1])
    return None


def _operator(name: str, ufunc: Any, reverse: bool = False) -> None:
    def apply(self: LazyArray, other: Any) -> Any:
        return ufunc(other, self) if reverse else ufunc(self, other)

    setattr(LazyArray, name, apply)


for _name, _ufunc in (
    *(("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("truediv", np.true_divide)),
    *(("mod", np.remainder), ("floordiv", np.floor_divide), ("and", np.bitwise_and), ("pow", np.power)),
    *(("rshift", np.right_shift), ("lshift", np.left_shift)),
):
    _operator(f"__{_name}__", _ufunc)
    _operator(f"__r{_name}__", _ufunc, reverse=True)


class LazyGenerator:
    """A generator of random arrays; large ones are lazy."""

    def __init__(self, seed: int) -> None:
        self._seed, self._count = seed, 0
        self._plain = np.random.default_rng(seed)

    def _array(self, size: Any, dtype: Any, draw: Callable[[np.random.Generator, int], Any]) -> Any:
        shape = (int(size),) if np.ndim(size) == 0 else tuple(int(n) for n in size)
        total = math.prod(shape)
        if total < LARGE:
            return np.asarray(draw(self._plain, total)).astype(dtype, copy=False).reshape(shape)
        self._count += 1
        seed, number = self._seed, self._count

        def chunk(start: int, stop: int) -> Any:
            first, last = start // CHUNK, -(-stop // CHUNK)
            made = [draw(np.random.default_rng([seed, number, i]), CHUNK) for i in range(first, last)]
            whole = made[0] if len(made) == 1 else np.concatenate(made)
            return whole[start - first * CHUNK : stop - first * CHUNK].astype(dtype, copy=False)

        return LazyArray(shape, dtype, chunk)

    def random(self, size: Any = 1, dtype: Any = np.float64) -> Any:
        """Return uniform numbers in [0, 1)."""
        return self._array(size, dtype, lambda g, n: g.random(n, dtype=np.dtype(dtype).type))

    def integers(self, low: int, high: int | None = None, size: Any = 1, dtype: Any = np.int64) -> Any:
        """Return whole numbers in [low, high)."""
        start, stop = (0, low) if high is None else (low, high)
        return self._array(size, dtype, lambda g, n: g.integers(start, stop, n, dtype=dtype))

    def standard_normal(self, size: Any = 1, dtype: Any = np.float64) -> Any:
        """Return normal numbers."""
        return self._array(size, dtype, lambda g, n: g.standard_normal(n, dtype=np.dtype(dtype).type))
