"""The registers of the warps that are executed together, and the group of warps that an instruction acts on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
LANES = 32


def lanes_of(bits: Any) -> Array:
    """Return which lanes masks of 32 bits name: of one mask an array of 32, of an array of them one of (count, 32)."""
    return (np.asarray(bits, dtype=np.int64)[..., None] >> np.arange(LANES)) & 1 == 1  # type: ignore[no-any-return]


class FaultError(Exception):
    """An error that the GPU would report too, or that makes results undefined.

    kind: out_of_bounds, misaligned, deadlock, uninitialised, race, barrier, inactive_lane, wrong_mask or trap; at:
    index of the instruction; words: a line.
    """

    def __init__(self, kind: str, at: int, words: str) -> None:
        super().__init__(words)
        self.kind, self.at, self.words = kind, at, words


class Group:
    """The warps that execute an instruction together.

    at: a slice or an array of indices of warps; count: how many; mask: active lanes (count, 32), or None if all are;
    active: number of active lanes of each warp, or 32.
    """

    __slots__ = ("active", "at", "count", "mask", "warps")

    def __init__(self, at: Any, warps: Array, mask: Array | None) -> None:
        self.at, self.warps, self.count, self.mask = at, warps, len(warps), mask
        self.active: Any = LANES if mask is None else mask.sum(axis=1)

    def lanes(self) -> Array:
        """Return the active lanes as an array of (count, 32)."""
        return np.ones((self.count, LANES), bool) if self.mask is None else self.mask


class State:
    """The registers of `warps` warps. The last plane of each array is the constant register: RZ, URZ, PT, UPT.

    values: uint32 (registers, warps, 32); floats: the same bits as float32; predicates: bool (8, warps, 32);
    uniform: uint32 (64, warps, 1); uniform_predicates: bool (9, warps, 1); barriers: lanes of B0 to B15, bool.
    """

    def __init__(self, warps: int, registers: int) -> None:
        self.values: Array = np.zeros((registers + 1, warps, LANES), np.uint32)
        self.floats: Array = self.values.view(np.float32)
        self.signed: Array = self.values.view(np.int32)
        self.predicates: Array = np.zeros((9, warps, LANES), bool)
        self.predicates[-1] = True
        self.uniform: Array = np.zeros((257, warps, 1), np.uint32)
        self.uniform_predicates: Array = np.zeros((9, warps, 1), bool)
        self.uniform_predicates[-1] = True
        self.barriers: Array = np.zeros((17, warps, LANES), bool)
