"""An output against its reference, element by element, in pieces so that little memory is needed beside the two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from advisor.errors import KnowledgeError
from advisor.practice.api import Tolerance

PIECE = 1 << 24  # elements compared at a time: 128 MB of float64
_POISON = {"f": 0xFF, "c": 0xFF}  # all ones is a NaN that no arithmetic of a GPU gives
_OTHER_POISON = 0xA5


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first wrong element of an output, and how many there are; `unwritten`: it still holds the poison."""

    output: str
    index: tuple[int, ...]
    expected: float
    got: float
    wrong: int
    total: int
    unwritten: bool


def poison_byte(dtype: Any) -> int:
    """The byte that fills an array of this type before a run."""
    return _POISON.get(np.dtype(dtype).kind, _OTHER_POISON)


def poison(array: Any) -> None:
    """Fill a contiguous array with what no kernel writes: a NaN, or bytes of 0xA5."""
    array.view(np.uint8).fill(poison_byte(array.dtype))


def _bad(have: Any, want: Any, tolerance: Tolerance) -> Any:
    if have.dtype.kind in "fc" or want.dtype.kind in "fc":
        wide = np.complex128 if "c" in (have.dtype.kind, want.dtype.kind) else np.float64
        have, want = have.astype(wide), want.astype(wide)
    elif tolerance.absolute == tolerance.relative == 0:
        return have != want
    else:
        have, want = have.astype(np.int64), want.astype(np.int64)
    return ~(abs(have - want) <= tolerance.absolute + tolerance.relative * abs(want))


def compare(cp: Any, name: str, have: Any, want: Any, tolerance: Tolerance, poisoned: bool) -> Mismatch | None:
    """None where every element is within the tolerance; KnowledgeError when the two have different shapes.

    poisoned: whether the output started as poison, so that one never written can be told.
    """
    want = cp.asarray(want)
    if tuple(have.shape) != tuple(want.shape):
        raise KnowledgeError(f"the reference of {name!r} has the shape {want.shape}, the output {have.shape}")
    flat_have, flat_want = have.ravel(), want.ravel()
    size, wrong, first = int(flat_have.size), 0, -1
    for at in range(0, size, PIECE):
        bad = _bad(flat_have[at : at + PIECE], flat_want[at : at + PIECE], tolerance)
        count = int(bad.sum())
        if count and first < 0:
            first = at + int(bad.argmax())
        wrong += count
    if not wrong:
        return None
    element = flat_have[first : first + 1]
    left = poisoned and bool((element.view(np.uint8) == poison_byte(have.dtype)).all())
    index = tuple(int(i) for i in np.unravel_index(first, have.shape))
    expected, got = (_number(a[first].item()) for a in (flat_want, flat_have))
    return Mismatch(name, index, expected, got, wrong, size, left)


def _number(value: Any) -> float:
    return abs(value) if isinstance(value, complex) else float(value)
