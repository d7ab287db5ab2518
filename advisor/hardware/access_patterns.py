"""One warp's access, from the byte address of each lane: sectors of a global one, wavefronts of a shared one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from advisor.records.errors import UsageError

LANES = 32
SECTOR = 32  # bytes: what L1 and L2 hand out
LINE = 128  # bytes: what L1 looks up at a time
BANKS = 32  # of shared memory, each 4 bytes wide
WORD = 4
WAVEFRONT = BANKS * WORD
WIDTHS = (1, 2, 4, 8, 16)  # bytes of a lane's access

Addresses = Sequence[int | None]
"""The byte address of each of 32 lanes, None where the lane is off."""


@dataclass(frozen=True, slots=True)
class Coalescing:
    """Sectors of a request: touched, ideal, the bytes used of each touched one, and the 128-byte lines they lie in.

    ideal, as ncu counts it: what the active lanes' bytes fill side by side, and never more than are touched.
    """

    sectors: int
    ideal: int
    bytes_per_sector: float
    lines: int = 0

    @property
    def waste(self) -> float:
        """Share of the touched sectors over the ideal, 0 to 1."""
        return 1 - self.ideal / self.sectors if self.sectors else 0.0


@dataclass(frozen=True, slots=True)
class BankUse:
    """Wavefronts of a shared access, the ideal, and ways: passes for each ideal one (1 without conflicts)."""

    wavefronts: int
    ideal: int
    ways: float


def _checked(width: int, lanes: int) -> None:
    if width not in WIDTHS:
        raise UsageError(f"a lane accesses 1, 2, 4, 8 or 16 bytes, not {width}")
    if not 1 <= lanes <= LANES:
        raise UsageError(f"a warp has 1 to {LANES} active lanes, not {lanes}")


def touched_sectors(addresses: Addresses, width: int) -> tuple[int, ...]:
    """The numbers of the sectors that a warp touches, in order; sector 0 begins at byte 0."""
    starts = {start for start in addresses if start is not None}
    return tuple(sorted({byte // SECTOR for start in starts for byte in (start, start + width - 1)}))


def coalescing_of(addresses: Addresses, width: int) -> Coalescing:
    """Sectors of a global access; all zero when no lane is on.

    Lanes that are off ask for nothing (errata.inactive_lanes), lanes that ask for the same bytes share them.
    Counted like this the sectors are memory_l2_theoretical_sectors_global over inst_executed (ncu.source_metrics).
    """
    touched = touched_sectors(addresses, width)
    used = len({byte for start in set(addresses) if start is not None for byte in range(start, start + width)})
    lines = len({sector * SECTOR // LINE for sector in touched})
    ideal = min(len(touched), -(-sum(start is not None for start in addresses) * width // SECTOR))
    return Coalescing(len(touched), ideal, used / len(touched) if touched else 0.0, lines)


def groups(addresses: Addresses, width: int) -> list[range]:
    """The lanes that shared memory serves together: those of a pass without conflicts, in order.

    Up to 4 bytes a lane that is the warp. 8 bytes are served in halves and 16 in quarters: a bank gives 4 bytes at a
    time (cuda.shared_memory). Where all active lanes agree with their neighbour (lane exclusive-or 1), or all with the
    next but one (exclusive-or 2), groups are twice as large: 8 bytes go in one, 16 bytes in halves (ncu.shared_memory
    counts them so; checked on an H200). Groups without an active lane take no pass.
    """
    size = max(1, min(LANES, WAVEFRONT // width))
    if size < LANES and any(_pairs_agree(addresses, step) for step in (1, 2)):
        size *= 2
    found = [range(first, first + size) for first in range(0, LANES, size)]
    return [lanes for lanes in found if any(addresses[lane] is not None for lane in lanes)]


def _pairs_agree(addresses: Addresses, step: int) -> bool:
    """Whether lane and lane ^ step have the same address wherever both are active."""
    pairs = ((addresses[lane], addresses[lane ^ step]) for lane in range(LANES))
    return all(one is None or other is None or one == other for one, other in pairs)


def passes(addresses: Addresses, width: int) -> dict[int, tuple[int, int]]:
    """The pass, counted from 0 over the whole access, in which each lane gets its first word, and that word's bank.

    In each group a bank gives one word at a time, the same word to all lanes that ask for it.
    """
    out: dict[int, tuple[int, int]] = {}
    before = 0
    for lanes in groups(addresses, width):
        turn, taken = _turns(addresses, width, lanes)
        for lane in lanes:
            start = addresses[lane]
            if start is not None:
                word = start // WORD
                out[lane] = before + turn[word], word % BANKS
        before += taken
    return out


def _turns(addresses: Addresses, width: int, lanes: range) -> tuple[dict[int, int], int]:
    """The pass in which each word of a group of lanes is read from its bank, and the number of passes."""
    turn: dict[int, int] = {}
    in_bank: dict[int, int] = {}
    for lane in lanes:
        start = addresses[lane]
        if start is None:
            continue
        for word in range(start // WORD, (start + width - 1) // WORD + 1):
            if word not in turn:
                turn[word] = in_bank.get(word % BANKS, 0)
                in_bank[word % BANKS] = turn[word] + 1
    return turn, max(in_bank.values(), default=0)


def banks_of(addresses: Addresses, width: int) -> BankUse:
    """Wavefronts of a shared access; all zero when no lane is on.

    memory_l1_wavefronts_shared and …_ideal over inst_executed (ncu.source_metrics). errata.lane_stride: 64 bytes
    between lanes hit 2 of 32 banks, 16 ways, not 2.
    """
    served = groups(addresses, width)
    total = sum(_turns(addresses, width, lanes)[1] for lanes in served)
    return BankUse(total, len(served), total / len(served) if served else 0.0)


def coalescing(
    width: int = 4, stride: int = 1, offset: int = 0, lanes: int = LANES, block_x: int = LANES, row_stride: int = 0
) -> Coalescing:
    """A global access in which lane l touches element (l // block_x) * row_stride + (l % block_x) * stride.

    width: bytes of an element; stride and row_stride: elements; offset: bytes from a 32-byte boundary to element 0.
    Ideals and words: errata.sectors (4 sectors for 32 x 4 bytes, 16 for 32 x 16), errata.row_stride.
    """
    _checked(width, lanes)
    if block_x < 1:
        raise UsageError(f"a block has at least 1 thread in x, not {block_x}")
    starts = [offset + (lane // block_x * row_stride + lane % block_x * stride) * width for lane in range(lanes)]
    return coalescing_of([*starts, *[None] * (LANES - lanes)], width)


def banks(width: int = 4, stride: int = 1, offset: int = 0, lanes: int = LANES) -> BankUse:
    """A shared access in which lane l touches the `width` bytes at offset + l x stride x width."""
    _checked(width, lanes)
    starts = [offset + lane * stride * width for lane in range(lanes)]
    return banks_of([*starts, *[None] * (LANES - lanes)], width)
