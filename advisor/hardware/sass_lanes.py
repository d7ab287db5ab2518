"""A word of a register in many threads, as far as it is known from the code: what differs between them.

The value in thread t is U + offset[t] + X[class[t]]. U is the same in all threads and unknown; X is unknown for each
class. So `base + 4 * tid` has known offsets, `base + 4 * tid * width` has a class for each tid, and so has
`table[index[tid]]`. Words are 32 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, Any]
WORD_BITS: Final = 32
_WORD: Final = 1 << WORD_BITS
_MOST_ALIGNED: Final = 1 << 20
# The comparisons of ISETP and its relatives, by their modifiers.
COMPARE: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
    "EQ": np.equal,
    "NE": np.not_equal,
}
# Indices that differ by less than this have the same quotient by an unknown divisor in most warps: rows are longer.
_ONE_ROW: Final = 1024
# Why threads are in classes: the least certain of the operands decides.
SCALED, LOADED, LOST = 1, 2, 3


@dataclass(frozen=True, eq=False, slots=True)
class Lanes:
    """A word of the threads. base: the part that all have, or None if it is unknown; then `aligned`, a power of two,
    divides it. classes: threads with the same number have the same unknown part, or None for no such part; kind: where
    it comes from: SCALED by an unknown factor, LOADED, or LOST, by other arithmetic.
    """

    offsets: Array
    base: int | None = None
    aligned: int = 1
    classes: Array | None = None
    kind: int = 0

    @property
    def uniform(self) -> bool:
        """Whether all threads have the same value."""
        return self.classes is None and bool((self.offsets == self.offsets[0]).all())

    @property
    def known(self) -> bool:
        """Whether each thread's value is known."""
        return self.base is not None and self.classes is None

    @property
    def values(self) -> Array:
        """The values, if they are known."""
        return (self.offsets + (self.base or 0)) % _WORD

    def same(self, other: Lanes) -> bool:
        """Whether both say the same."""
        return self is other or (
            self.base == other.base
            and self.aligned == other.aligned
            and self.kind == other.kind
            and np.array_equal(self.offsets, other.offsets)
            and _alike(self.classes, other.classes)
        )


def _alike(one: Array | None, other: Array | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def signed(offsets: Array) -> Array:
    """Return words as signed numbers."""
    return (offsets + _WORD // 2) % _WORD - _WORD // 2


def _lowest_bit(value: int) -> int:
    return min(value & -value, _MOST_ALIGNED) if value else _MOST_ALIGNED


_NONE: Final = np.zeros(1, np.int64)
UNIFORM: Final = Lanes(_NONE)


@lru_cache(maxsize=4096)
def number(value: int) -> Lanes:
    """Return a known number, the same in all threads."""
    return Lanes(_NONE, value % _WORD)


def exactly(values: Array) -> Lanes:
    """Return a word with known values."""
    if values.size > 1 and not (values == values[0]).all():
        first = int(values[0])
        return Lanes(signed(values.astype(np.int64) - first), first % _WORD)
    return number(int(values[0]))


def _made(offsets: Array, base: int | None, aligned: int, classes: Array | None, kind: int) -> Lanes:
    """Return a word; equal offsets take one place."""
    if offsets.size > 1 and (offsets == offsets[0]).all():
        offsets = offsets[:1]
    if base is not None and offsets.size == 1 and offsets[0]:
        base, offsets = (base + int(offsets[0])) % _WORD, _NONE
    return Lanes(offsets, base, aligned, classes, kind if classes is not None else 0)


@lru_cache(maxsize=512)  # a kernel has few different patterns, and many instructions of each
def _numbered(values: bytes) -> Array:
    """Return equal numbers, from 0, for equal values of 64 bits."""
    return np.asarray(np.unique(np.frombuffer(values, np.int64), return_inverse=True)[1], np.int64).reshape(-1)


def classed(*parts: Array | None) -> Array | None:
    """Return classes of the threads that agree in all parts; None if all threads do."""
    found: Array | None = None
    for part in parts:
        if part is None or part.size < 2 or (found is not None and int(found.max()) == found.size - 1):
            continue  # no thread is in a class with another one already
        ids = _numbered(part.astype(np.int64).tobytes())
        if ids.any():
            found = ids if found is None else _numbered((found * ids.size + ids).tobytes())
    return found


def function_of(kind: int, *values: Lanes) -> Lanes:
    """Return what is known of any function of these values: it is the same where they are."""
    classes = classed(*(part for value in values for part in (value.offsets, value.classes)))
    return UNIFORM if classes is None else Lanes(_NONE, None, 1, classes, max([kind, *(v.kind for v in values)]))


def lost(*parts: Array) -> Lanes:
    """Return a word of which nothing is known but that it is the same in threads that agree in all parts."""
    return Lanes(_NONE, None, 1, classed(*parts), LOST)


def joined(one: Lanes, other: Lanes) -> Lanes:
    """Return what holds for both values."""
    if one is other or one.same(other):
        return one
    apart = signed(other.offsets - one.offsets)
    if not _alike(one.classes, other.classes) or (apart.size > 1 and (apart != apart[0]).any()):
        return function_of(LOST, one, other)
    shift = int(apart[0]) + (other.base or 0) - (one.base or 0)
    aligned = min(v.aligned if v.base is None else _MOST_ALIGNED for v in (one, other))
    offsets = one.offsets + (one.base or 0)
    return _made(signed(offsets), None, min(aligned, _lowest_bit(shift)), one.classes, max(one.kind, other.kind))


def added(*values: Lanes) -> Lanes:
    """Return the sum."""
    some = [value for value in values if value.base != 0 or value.classes is not None or value.offsets.size > 1]
    if len(some) < 2:
        return some[0] if some else number(0)
    total = sum(value.base or 0 for value in some)
    offsets = some[0].offsets
    for value in some[1:]:
        offsets = offsets + value.offsets
    unknown = [value.aligned for value in some if value.base is None]
    classes = classed(*(value.classes for value in some))
    kind = max(value.kind for value in some)
    if unknown:
        return _made(signed(offsets + total), None, min(unknown), classes, kind)
    return _made(signed(offsets), total % _WORD, 1, classes, kind)


def negated(value: Lanes) -> Lanes:
    """Return 0 minus the value."""
    base = None if value.base is None else -value.base % _WORD
    return _made(signed(-value.offsets), base, value.aligned, value.classes, value.kind)


def _alignment(value: Lanes) -> int:
    """Return a power of two that divides a value that all threads have."""
    own = _lowest_bit(int(value.offsets[0]) + (value.base or 0))
    return own if value.base is not None else min(own, value.aligned)


def multiplied(one: Lanes, other: Lanes) -> Lanes:
    """Return the product: of an unknown factor and threads that differ, classes."""
    if one.known and other.known:
        return exactly((one.values * other.values) % _WORD)
    if not one.uniform:
        one, other = other, one  # if one of them is uniform, it is the first now
    if not one.uniform:
        if one.known or other.known:
            known, unknown = (one, other) if one.known else (other, one)
            if unknown.classes is None:
                values = signed(known.values)
                return _made(signed(values * unknown.offsets), None, 1, classed(values), SCALED)
        return function_of(LOST, one, other)
    if one.base is not None:
        factor = int(signed(np.array(one.base)))
        if factor == 0:
            return number(0)
        base = None if other.base is None else other.base * factor % _WORD
        aligned = min(_MOST_ALIGNED, other.aligned * _lowest_bit(factor))
        return _made(signed(other.offsets * factor), base, aligned, other.classes, other.kind)
    if other.uniform:
        return Lanes(_NONE, None, min(_MOST_ALIGNED, _alignment(one) * _alignment(other)))
    return Lanes(_NONE, None, 1, classed(other.offsets, other.classes), max(SCALED, other.kind))


def shifted_left(value: Lanes, by: Lanes) -> Lanes:
    """Return the value times a power of two."""
    if by.known and by.uniform:
        return multiplied(value, number(1 << min(int(by.base or 0), 40)))
    if by.known and value.known:
        return exactly((value.values << np.minimum(by.values, 32)) % _WORD)
    return multiplied(value, UNIFORM) if by.uniform else function_of(LOST, value, by)


def shifted_right(value: Lanes, by: Lanes, sign: bool = False) -> Lanes:
    """Return the value divided by a power of two. sign: keep the highest bit."""
    if by.known and value.known:
        values = signed(value.values) if sign else value.values
        return exactly((values >> np.minimum(by.values, 63)) % _WORD)
    if by.known and by.uniform and value.classes is None:
        bits = int(by.base or 0)
        if bits < WORD_BITS and 1 << bits <= value.aligned:
            return _made(value.offsets >> bits, None, value.aligned >> bits, None, 0)
        if int(np.ptp(value.offsets)) < 1 << min(bits, 40):
            return UNIFORM
    return function_of(value.kind or LOST, value, by)


def masked(value: Lanes, mask: Lanes) -> Lanes:
    """Return the bits of both."""
    if value.known and mask.known:
        return exactly(value.values & mask.values)
    if value.known:
        value, mask = mask, value
    if mask.known and mask.uniform and value.classes is None:
        bits = int(mask.base or 0)
        if bits < value.aligned:  # the bits of the known offsets alone
            return exactly((value.offsets % _WORD) & bits)
        clear = ~bits % _WORD
        if clear & (clear + 1) == 0 and clear < value.aligned:
            return _made(value.offsets & ~clear, None, value.aligned, None, 0)
    return function_of(value.kind or LOST, value, mask)


def merged(one: Lanes, other: Lanes) -> Lanes:
    """Return one OR other, or XOR: their sum, as far as known. An unknown number that all have only permutes them."""
    if one.known and other.known:
        return exactly(one.values | other.values)
    return added(one, other)


def high_product(one: Lanes, other: Lanes) -> Lanes:
    """Return the upper word of a product, as in a division by a constant or by an unknown number."""
    if one.known and other.known:
        return exactly((one.values * other.values) >> WORD_BITS)
    if not one.uniform:
        one, other = other, one
    if not one.uniform or other.classes is not None or int(np.ptp(other.offsets)) >= _ONE_ROW:
        return function_of(LOST, one, other)
    if one.base is not None and not other.uniform:
        return _made((other.offsets - other.offsets.min()) * one.base >> WORD_BITS, None, 1, None, 0)
    return UNIFORM


_A, _B, _C = 0xF0, 0xCC, 0xAA


def logic(table: int, a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    """Return LOP3: a function of the bits of three words. table: its results for the bits 000, 001, ..., 111."""
    words = (_A, a), (_B, b), (_C, c)
    if all(value.known for _, value in words):
        return exactly(_by_table(table, a.values, b.values, c.values))
    zero = [value.known and value.uniform and value.base == 0 for _, value in words]
    if zero[2]:
        return _of_two(table & 0x55 | (table & 0x55) << 1, words[0], words[1])
    if zero[1]:
        return _of_two(table & 0x33 | (table & 0x33) << 2, words[0], words[2])
    if zero[0]:
        return _of_two(table & 0x0F | (table & 0x0F) << 4, words[1], words[2])
    for (x, one), (y, other), (z, third) in (words, (words[0], words[2], words[1]), (words[1], words[2], words[0])):
        if table in ((x & y) | z, (x & y) ^ z):
            return merged(masked(one, other), third)
        if table == (x | y) & z:
            return masked(merged(one, other), third)
    if table in (_A ^ _B ^ _C, _A | _B | _C):
        return merged(merged(a, b), c)
    return function_of(LOST, a, b, c)


def _of_two(table: int, first: tuple[int, Lanes], second: tuple[int, Lanes]) -> Lanes:
    """Return a function of two words, each with the table of itself."""
    (x, one), (y, other) = first, second
    if table == x & y:
        return masked(one, other)
    if table in (x | y, x ^ y):
        both = one.known and other.known
        return exactly(one.values ^ other.values) if both and table == x ^ y else merged(one, other)
    if table == x & ~y & 0xFF:
        return masked(one, inverted(other))
    if table == y & ~x & 0xFF:
        return masked(other, inverted(one))
    return function_of(LOST, one, other)


def inverted(value: Lanes) -> Lanes:
    """Return the complement."""
    return added(negated(value), number(-1))


def _by_table(table: int, a: Array, b: Array, c: Array) -> Array:
    out = np.zeros(1, np.int64)
    for n in range(8):
        if table >> n & 1:
            x, y, z = (w if n >> bit & 1 else ~w % _WORD for w, bit in ((a, 2), (b, 1), (c, 0)))
            out = out | x & y & z
    return out


def limited(one: Lanes, other: Lanes) -> Lanes:
    """Return the smaller or the larger of two words: bounds are rarely reached, so the one that differs in threads."""
    if one.uniform == other.uniform:
        return joined(one, other)
    return added(other if one.uniform else one, UNIFORM)


def chosen(predicate: Array | None, one: Lanes, other: Lanes) -> Lanes:
    """Return `one` where the predicate holds, else `other`. predicate: None if it is unknown."""
    if predicate is None:
        return joined(one, other)
    if predicate.all():
        return one
    if not predicate.any():
        return other
    if one.known and other.known:
        return exactly(np.where(predicate, one.values, other.values))
    return joined(one, other)
