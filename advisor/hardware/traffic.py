"""Count what the memory instructions of a warp cost: sectors and tags of global memory, wavefronts of shared memory.

The counts are those of Nsight Compute's source page, per warp instruction: sectors are distinct pieces of 32 bytes,
tags distinct lines of 128 bytes. A wavefront of shared memory takes one word of each of the 32 banks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.hardware.lanes import LANES

Array = np.ndarray[Any, Any]
_BANKS = 32


def same_rows(relative: Array, mask: Array | None) -> bool:
    """Return whether all rows have the same steps and the same active lanes."""
    return bool((relative == relative[0]).all()) and (mask is None or bool((mask == mask[0]).all()))


def distinct(values: Array, mask: Array | None) -> Array:
    """Return how many different values the active lanes of each row have."""
    if mask is not None:
        first = mask.argmax(axis=1)
        values = np.where(mask, values, values[np.arange(len(values)), first][:, None])
    steps = values[:, 1:] - values[:, :-1]
    if (steps < 0).any():
        values = np.sort(values, axis=1)
        steps = values[:, 1:] - values[:, :-1]
    found: Array = np.count_nonzero(steps, axis=1) + 1
    return found if mask is None else found * mask.any(axis=1)


def sectors(offsets: Array, mask: Array | None, shift: int) -> Array:
    """Return the distinct pieces of 2^shift bytes that each row touches."""
    if mask is None and len(offsets) > 1:
        # Rows that are a whole number of pieces apart with equal steps have equal counts.
        base = offsets[:, :1]
        relative = offsets - base
        if (relative == relative[0]).all():
            low = base[:, 0] & ((1 << shift) - 1)
            if (low == low[0]).all():
                one = distinct((relative[:1] + low[0]) >> shift, None)
                return np.broadcast_to(one, (len(offsets),))
    return distinct(offsets >> shift, mask)


def wavefronts(offsets: Array, mask: Array | None, size: int) -> tuple[Array, Array]:
    """Return the wavefronts of shared memory of each row, and the fewest for as many different words.

    A bank gives one word in a wavefront: the bank from which the most different words are wanted decides. The rules for
    wide accesses were found by comparing with recorded counts.
    """
    words = offsets >> 2
    if len(words) > 1:
        if same_rows(words - words[:, :1], mask):
            one = wavefronts(offsets[:1], None if mask is None else mask[:1], size)
            return np.broadcast_to(one[0], (len(offsets),)), np.broadcast_to(one[1], (len(offsets),))
        if mask is not None:
            some = mask.any(axis=1)
            if not some.all():
                both = np.zeros((2, len(words)), np.int64)
                both[:, some] = wavefronts(offsets[some], mask[some], size)
                return both[0], both[1]
    if size < 8:
        return worst_bank(words, mask)
    wide = 32 if size == 8 else 16
    total: Any = 0
    ideal: Any = 0
    for start in range(0, LANES, wide):
        lanes = slice(start, start + wide)
        found, least = _pair_of_parts(words[:, lanes], None if mask is None else mask[:, lanes], size // 4)
        total, ideal = total + found, ideal + least
    return total, ideal


def _pair_of_parts(words: Array, mask: Array | None, count: int) -> tuple[Array, Array]:
    """Return the wavefronts of two parts of a warp that one wavefront could serve.

    8 bytes a lane are served by half warps, 16 bytes by quarters. Two parts are served together if each lane i has the
    address of lane i ^ 1, or each that of lane i ^ 2; inactive lanes do not matter.
    """
    lanes = np.arange(words.shape[1])
    together = np.zeros(len(words), bool)
    for step in (1, 2):
        same = words == words[:, lanes ^ step]
        if mask is not None:
            same = same | ~mask | ~mask[:, lanes ^ step]
        together |= same.all(axis=1)

    def cost(part: slice) -> tuple[Array, Array]:
        some = None if mask is None else np.tile(mask[:, part], (1, count))
        return worst_bank(np.concatenate([words[:, part] + i for i in range(count)], axis=1), some)

    half = words.shape[1] // 2
    low, high, both = cost(slice(0, half)), cost(slice(half, None)), cost(slice(None))
    return np.where(together, both[0], low[0] + high[0]), np.where(together, both[1], low[1] + high[1])


def worst_bank(words: Array, mask: Array | None) -> tuple[Array, Array]:
    """Return the largest number of different words in one bank, and all different words / 32, for each row."""
    rows = len(words)
    if mask is not None:
        first = mask.argmax(axis=1)
        words = np.where(mask, words, words[np.arange(rows), first][:, None])
    ordered = np.sort(words, axis=1)
    new = np.ones(ordered.shape, bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    places = (np.arange(rows)[:, None] * _BANKS + (ordered & (_BANKS - 1)))[new]
    counts = np.bincount(places, minlength=rows * _BANKS).reshape(rows, _BANKS)
    worst, ideal = counts.max(axis=1), (counts.sum(axis=1) + _BANKS - 1) // _BANKS
    if mask is None:
        return worst, ideal
    some = mask.any(axis=1)
    return worst * some, ideal * some


def atomic_wavefronts(offsets: Array, mask: Array | None) -> tuple[Array, Array]:
    """Return the wavefronts of atomic operations on shared memory, and the fewest for as many different words.

    Lanes at the same word follow each other, so the bank with the most lanes decides.
    """
    lanes = np.ones(offsets.shape, bool) if mask is None else mask
    rows = len(offsets)
    places = (np.arange(rows)[:, None] * _BANKS + ((offsets >> 2) & (_BANKS - 1)))[lanes]
    counts = np.bincount(places, minlength=rows * _BANKS).reshape(rows, _BANKS)
    return counts.max(axis=1), worst_bank(offsets >> 2, mask)[1]
