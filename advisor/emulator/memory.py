"""The memory of the emulated GPU: global memory with bounds, constant banks, shared and local memory."""

from __future__ import annotations

import itertools
import mmap
from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.emulator.program import RefusedError
from advisor.emulator.state import Array, FaultError

BASE = 0x7000_0000_0000
PIECE = 1 << 18  # bytes that are filled at a time; allocations begin at multiples, with unmapped bytes between them
Fill = Callable[[Array, int, int], None]
_LARGEST = 1 << 40
_NULL = 1 << 20  # addresses below it come from a null pointer and an index


class Region:
    """An allocation: name, address, size in bytes; fill(view, start, stop): writes bytes of its content, or None."""

    __slots__ = ("address", "fill", "name", "size")

    def __init__(self, name: str, address: int, size: int, fill: Fill | None) -> None:
        self.name, self.address, self.size, self.fill = name, address, size, fill


class GlobalMemory:
    """Global memory: allocations with unmapped bytes between them.

    Pages that are not touched take no memory, and content is written when it is first read.
    """

    def __init__(self) -> None:
        self.regions: list[Region] = []
        self._end = PIECE
        self._bytes: Array | None = None
        self._starts: Array = np.zeros(0, np.int64)
        self._ends: Array = np.zeros(0, np.int64)
        self._filled: Array = np.zeros(0, bool)
        self._pending = False

    def allocate(self, name: str, size: int, fill: Fill | None = None) -> int:
        """Reserve bytes before the launch; return the address. Raises RefusedError if the size is absurd."""
        if self._bytes is not None or not 0 <= size < _LARGEST:
            raise RefusedError(f"{name}: {size} bytes of global memory are not emulated")
        address = BASE + self._end
        self.regions.append(Region(name, address, size, fill))
        self._end += (size // PIECE + 2) * PIECE
        return address

    def _map(self) -> Array:
        if self._bytes is None:
            try:
                if hasattr(mmap, "MAP_PRIVATE"):
                    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
                    area = mmap.mmap(-1, self._end, flags=flags)
                else:
                    area = mmap.mmap(-1, self._end)
            except (OSError, OverflowError, ValueError):
                raise RefusedError(f"{self._end >> 20} MiB of global memory cannot be reserved") from None
            self._bytes = np.frombuffer(area, np.uint8)
            self._starts = np.array([r.address - BASE for r in self.regions], np.int64)
            self._ends = np.array([r.address - BASE + r.size for r in self.regions], np.int64)
            self._filled = np.ones(self._end // PIECE + 1, bool)
            for region in self.regions:
                if region.fill is not None:
                    start = (region.address - BASE) // PIECE
                    self._filled[start : start + region.size // PIECE + 1] = False
                    self._pending = True
        return self._bytes

    def copy(self) -> GlobalMemory:
        """Return a memory of its own with the same allocations and bytes."""
        other = GlobalMemory()
        other.regions, other._end = self.regions, self._end
        if self._bytes is not None:
            bytes_ = other._map()
            for start in range(0, self._end, PIECE):
                piece = self._bytes[start : start + PIECE]
                if piece.any():
                    bytes_[start : start + PIECE] = piece
            other._filled, other._pending = self._filled.copy(), self._pending
        return other

    def content(self, name: str) -> Array:
        """Return the bytes of an allocation, to be read and written."""
        region = next(r for r in self.regions if r.name == name)
        start = region.address - BASE
        view = self._map()[start : start + region.size]
        self._fill(np.arange(start // PIECE, (start + max(region.size, 1) - 1) // PIECE + 1))
        return view

    def _fill(self, pieces: Array) -> None:
        for piece in pieces[~self._filled[pieces]]:
            self._filled[piece] = True
            place = int(piece) * PIECE
            region = self.regions[int(np.searchsorted(self._starts, place, side="right")) - 1]
            start = place - (region.address - BASE)
            stop = min(start + PIECE, region.size)
            if region.fill is not None and stop > start:
                region.fill(self._map()[place : place + stop - start], start, stop)

    def fill_before_reading(self, offsets: Array) -> None:
        """Write the content of the pieces that these offsets are in, if that has not been done."""
        if not self._pending:
            return
        pieces = offsets // PIECE
        if not self._filled[pieces].all():
            self._fill(np.unique(pieces))

    def offsets(
        self, addresses: Array, mask: Array | None, size: int, fail: Callable[[str, int, Any], FaultError]
    ) -> Array:
        """Return offsets in the whole memory; those of inactive lanes are of an active one.

        Raises what `fail(kind, address, (warp, lane))` returns for an address that is misaligned or in no allocation.
        """
        self._map()
        offsets = (addresses - np.uint64(BASE)).view(np.int64)
        if mask is not None:
            first = offsets[mask][0]
            offsets = np.where(mask, offsets, first)
        if size > 1:
            odd = offsets & (size - 1)
            if odd.any():
                where = np.argwhere(odd)[0]
                raise fail("misaligned", int(offsets[tuple(where)]) + BASE, where)
        low, high = int(offsets.min()), int(offsets.max())
        at = int(np.searchsorted(self._starts, low, side="right")) - 1
        if at >= 0 and high + size <= self._ends[at]:
            return offsets
        places = np.searchsorted(self._starts, offsets, side="right") - 1
        bad = (places < 0) | (offsets + size > self._ends[places])
        if bad.any():
            where = np.argwhere(bad)[0]
            raise fail("out_of_bounds", int(offsets[tuple(where)]) + BASE, where)
        return offsets

    def view(self, dtype: Any) -> Array:
        """Return the whole memory as an array of a type."""
        data = self._map()
        width = np.dtype(dtype).itemsize
        return data[: len(data) // width * width].view(dtype)

    def region_of(self, offset: int) -> Region:
        """Return the allocation that an offset from `offsets` is in."""
        return self.regions[int(np.searchsorted(self._starts, offset, side="right")) - 1]

    def place(self, offset: int) -> str:
        """Describe the bytes at an offset from `offsets`."""
        region = self.region_of(offset)
        return f"byte {offset - (region.address - BASE)} of `{region.name}`"

    def near(self, address: int) -> str:
        """Describe the allocation next to an address that is in none."""
        best = min(
            self.regions,
            key=lambda r: min(abs(address - r.address), abs(address - (r.address + r.size))),
            default=None,
        )
        if best is None:
            return "no memory is allocated"
        if address < _NULL:
            return "a null pointer"
        for wrapped, width in itertools.product((1, -1), (1, 2, 4, 8, 16)):
            meant = address + wrapped * (width << 32)
            if any(r.address <= meant < r.address + r.size for r in self.regions):
                return f"{width << 32} bytes from where a 32-bit index that did not overflow would be"
        past = address - (best.address + best.size)
        if past >= 0:
            return f"{past} bytes after the end of `{best.name}`, which has {best.size} bytes"
        if address < best.address:
            return f"{best.address - address} bytes before `{best.name}`"
        return f"it crosses the end of `{best.name}`, which has {best.size} bytes"


class Bank:
    """A constant bank."""

    def __init__(self, number: int, data: bytes) -> None:
        self.number = number
        self.data = bytearray(data)
        self._words: Array | None = None

    def write(self, offset: int, data: bytes) -> None:
        """Write bytes before the launch; the bank grows if needed."""
        if len(self.data) < offset + len(data):
            self.data.extend(bytes(offset + len(data) - len(self.data)))
        self.data[offset : offset + len(data)] = data
        self._words = None

    def word(self, offset: int, at: int) -> int:
        """Return 32 bits at an offset. Raises FaultError beyond the end."""
        if not 0 <= offset <= len(self.data) - 4:
            raise FaultError(
                "out_of_bounds", at, f"a read of constant bank {self.number} at 0x{offset:x}, beyond its end"
            )
        return int.from_bytes(self.data[offset : offset + 4], "little")

    def words(self, offsets: Array, at: int) -> Array:
        """Return 32 bits at offsets that are multiples of 4; those beyond the end read as 0, as on the GPU."""
        if self._words is None:
            padded = bytes(self.data) + bytes(-len(self.data) % 4)
            self._words = np.frombuffer(padded, np.uint32)
        index = (offsets & 0xFFFFFFFF) >> 2
        inside = index < len(self._words)
        return np.where(inside, self._words[np.where(inside, index, 0)] if len(self._words) else 0, 0).astype(np.uint32)

    def raw_bytes(self, offsets: Array, count: int) -> Array:
        """Return `count` bytes at offsets as uint32 (count is 1 or 2)."""
        data = np.frombuffer(bytes(self.data) + b"\0\0\0\0", np.uint8)
        index = np.minimum(offsets & 0xFFFFFFFF, len(data) - 4)
        out: Array = data[index].astype(np.uint32)
        return out if count == 1 else out | (data[index + 1].astype(np.uint32) << np.uint32(8))
