"""The random numbers of `cupy.random.default_rng(seed)` without a GPU, for inputs of a recording whose seed is known.

CuPy keeps 2,048 states a multiprocessor of cuRAND's XORWOW, which all run through the same sequence, from places that
are 2^67 numbers apart. Element i of an array comes from state i modulo their number. The steps of XORWOW are linear
over bits, so powers of a matrix give the places. `CupyGenerator` has the methods that exercises use, and refuses what
it does not reproduce. Recorded counts that depend on the inputs show that the numbers are the same (CuPy 14.2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from advisor.practice.lazy_arrays import LARGE, LazyArray
from advisor.records.errors import KnowledgeError

STATES_PER_SM = 2048
_BITS = 160  # of the linear part of a state: five words
_WEYL = np.uint32(362437)
_SNAPSHOTS = 16  # states kept of an array, so that any part of it can be made
Array = np.ndarray[Any, Any]
Draw = Callable[["Stream", int], Array]


def _stepped(words: list[Array]) -> list[Array]:
    """Return the five words after a step; the last is new."""
    t = words[0] ^ (words[0] >> np.uint32(2))
    last = words[4]
    return [*words[1:], (last ^ (last << np.uint32(4))) ^ (t ^ (t << np.uint32(1)))]


def _moved(matrix: Array, words: Array) -> Array:
    """Apply a matrix of bits, given by the states (5, 160) to which it takes each single bit, to states (5, n)."""
    out = np.zeros_like(words)
    for bit in range(_BITS):
        on = np.uint32(0) - (words[bit // 32] >> np.uint32(bit % 32) & np.uint32(1))
        for row, column in zip(out, matrix[:, bit], strict=True):
            if column:
                row ^= on & column
    return out


@lru_cache(maxsize=1)
def _places(states: int) -> tuple[Array, ...]:
    """Return the matrices that move a state on by 2^67, 2^68, … numbers, as many as this number of states needs."""
    bit = np.arange(_BITS)
    single = np.zeros((5, _BITS), np.uint32)
    single[bit // 32, bit] = np.uint32(1) << (bit % 32).astype(np.uint32)
    step = np.array(_stepped(list(single)))
    for _ in range(67):
        step = _moved(step, step)
    out = [step]
    while 1 << len(out) < states:
        out.append(_moved(out[-1], out[-1]))
    return tuple(out)


class Stream:
    """All states of a generator: five words and a counter each; they move on as numbers are drawn."""

    def __init__(self, words: list[Array], counter: Array) -> None:
        self.words, self.counter = words, counter

    @classmethod
    def seeded(cls, seed: int, states: int) -> Stream:
        """Return the states of a seed as `curand_init` makes them. seed: the one given to `default_rng`."""
        low = int(np.random.SeedSequence(seed).generate_state(1, np.uint32)[0])
        word = (1 << 32) - 1
        s0, s1 = low ^ 0xAAD26B49, 0xF7DCEFDD
        t0, t1 = 1099087573 * s0 & word, 2591861531 * s1 & word
        first = (123456789 + t0, 362436069 ^ t0, 521288629 + t1, 88675123 ^ t1, 5783321 + t0)
        words = np.array([[w & word] for w in first], np.uint32)
        for matrix in _places(states):
            words = np.concatenate([words, _moved(matrix, words[:, : states - words.shape[1]])], axis=1)
        counter = np.full(states, 6615241 + t1 + t0 & word, np.uint32)
        return cls([w.copy() for w in words], counter)

    @property
    def number(self) -> int:
        """The number of states."""
        return len(self.counter)

    def copy(self) -> Stream:
        """Return the same states, which move on by themselves."""
        return Stream([w.copy() for w in self.words], self.counter.copy())

    def draw(self, which: Array | slice) -> Array:
        """Return the next number of some states."""
        moved = _stepped([w[which] for w in self.words])
        counter = self.counter[which] + _WEYL
        if isinstance(which, slice) and which == slice(0, self.number):
            self.words, self.counter = moved, counter
        else:
            for word, new in zip(self.words, moved, strict=True):
                word[which] = new
            self.counter[which] = counter
        return np.asarray(moved[4] + counter)


class _Numbers:
    """The numbers of one array, made in parts from snapshots of the states. draw: makes those of the first n states."""

    def __init__(self, before: Stream, total: int, draw: Draw) -> None:
        self._total, self._draw, self._states = total, draw, before.number
        self._batches = -(-total // self._states)
        self._every = max(1, self._batches // _SNAPSHOTS)
        self._known = {0: before}
        self._now, self._at = before.copy(), 0
        self._kept: tuple[tuple[int, int], Array] = (0, 0), np.zeros(0)  # the batches that were made last

    def _next(self) -> Array:
        made = self._draw(self._now, min(self._states, self._total - self._at * self._states))
        self._at += 1
        if self._at % self._every == 0:
            self._known.setdefault(self._at, self._now.copy())
        return made

    def _go(self, batch: int) -> None:
        start = max(at for at in self._known if at <= batch)
        if not start <= self._at <= batch:
            self._now, self._at = self._known[start].copy(), start
        while self._at < batch:
            self._next()

    def part(self, start: int, stop: int) -> Array:
        """Return numbers [start, stop)."""
        first, last = start // self._states, -(-stop // self._states)
        if (first, last) != self._kept[0]:
            self._go(first)
            made = [self._next() for _ in range(first, last)]
            self._kept = (first, last), np.concatenate(made) if made else np.zeros(0)
        return self._kept[1][start - first * self._states : stop - first * self._states]

    def after(self) -> Stream:
        """Return the states after the last number."""
        self._go(self._batches)
        return self._now.copy()


class CupyGenerator:
    """CuPy's generator of random arrays on a GPU with this number of multiprocessors; large ones are lazy."""

    def __init__(self, seed: int, sms: int) -> None:
        self._last: Stream | _Numbers = Stream.seeded(seed, STATES_PER_SM * sms)

    def _array(self, size: Any, dtype: Any, draw: Draw) -> Any:
        shape = (int(size),) if np.ndim(size) == 0 else tuple(int(n) for n in size)
        total = math.prod(shape)
        before = self._last.after() if isinstance(self._last, _Numbers) else self._last
        self._last = numbers = _Numbers(before, total, draw)
        if total < LARGE:
            return numbers.part(0, total).astype(dtype).reshape(shape)
        return LazyArray(shape, dtype, lambda start, stop: numbers.part(start, stop).astype(dtype))

    def random(self, size: Any = 1, dtype: Any = np.float64) -> Any:
        """Return uniform numbers in [0, 1). Raises KnowledgeError for another type than float32."""
        if np.dtype(dtype) != np.float32:
            raise KnowledgeError("the random numbers of CuPy are reproduced in single precision only")

        def draw(states: Stream, number: int) -> Array:
            # The conversion and the sum round to single precision; the factor is a power of two.
            made = states.draw(slice(0, number)).astype(np.float32) * np.float32(2.0**-32) + np.float32(2.0**-33)
            return np.where(made >= 1, np.float32(0), made)

        return self._array(size, dtype, draw)

    def integers(self, low: int, high: int | None = None, size: Any = 1, dtype: Any = np.int64) -> Any:
        """Return whole numbers in [low, high): bits are drawn until they are not above the largest."""
        start, stop = (0, low) if high is None else (low, high)
        largest = stop - 1 - start
        if not 0 <= largest < 1 << 32:
            raise KnowledgeError(f"random numbers from {start} to {stop} are not reproduced")
        mask = np.uint32((1 << largest.bit_length()) - 1)

        def draw(states: Stream, number: int) -> Array:
            made = states.draw(slice(0, number)) & mask
            while (again := np.flatnonzero(made > largest)).size:
                made[again] = states.draw(again) & mask
            return np.asarray(made.astype(np.int64) + start)

        return self._array(size, dtype, draw)

    def standard_normal(self, size: Any = 1, dtype: Any = np.float64) -> Any:
        """Raise KnowledgeError: normal numbers are not reproduced."""
        raise KnowledgeError("the normal random numbers of CuPy are not reproduced")
