"""Models of one warp-wide access: sectors of a global load or store, wavefronts of a shared one."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.errors import UsageError

LANES = 32
SECTOR = 32  # bytes: what L1 and L2 hand out
BANKS = 32  # of shared memory, each 4 bytes wide
WORD = 4
WAVEFRONT = BANKS * WORD
WIDTHS = (1, 2, 4, 8, 16)  # bytes of a lane's access


@dataclass(frozen=True, slots=True)
class Coalescing:
    """Sectors of a request: touched, ideal (the same bytes side by side), and the bytes used of each touched one."""

    sectors: int
    ideal: int
    bytes_per_sector: float

    @property
    def waste(self) -> float:
        """Share of the touched sectors over the ideal, 0 to 1."""
        return 1 - self.ideal / self.sectors


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


def coalescing(
    width: int = 4, stride: int = 1, offset: int = 0, lanes: int = LANES, block_x: int = LANES, row_stride: int = 0
) -> Coalescing:
    """A global access in which lane l touches element (l // block_x) * row_stride + (l % block_x) * stride.

    width: bytes of an element; stride and row_stride: elements; offset: bytes from a 32-byte boundary to element 0.
    Ideals and words: errata.sectors (4 sectors for 32 x 4 bytes, 16 for 32 x 16), errata.inactive_lanes (lanes that are
    off ask for nothing), errata.row_stride.
    """
    _checked(width, lanes)
    if block_x < 1:
        raise UsageError(f"a block has at least 1 thread in x, not {block_x}")
    starts = {offset + (lane // block_x * row_stride + lane % block_x * stride) * width for lane in range(lanes)}
    touched = {byte // SECTOR for start in starts for byte in (start, start + width - 1)}
    used = len({byte for start in starts for byte in range(start, start + width)})
    return Coalescing(len(touched), -(-used // SECTOR), used / len(touched))


def banks(width: int = 4, stride: int = 1, offset: int = 0, lanes: int = LANES) -> BankUse:
    """A shared access in which lane l touches the `width` bytes at offset + l x stride x width.

    Lanes of 8 and 16 bytes are served in halves and quarters of a warp; in each group a bank gives one word at a time,
    the same word to all lanes that ask for it (cuda.shared_memory). errata.lane_stride: 64 bytes between lanes hit 2 of
    32 banks, 16 ways, not 2.
    """
    _checked(width, lanes)
    group = max(1, min(LANES, WAVEFRONT // width))
    total = 0
    every: set[int] = set()
    for first in range(0, lanes, group):
        words: set[int] = set()
        for lane in range(first, min(first + group, lanes)):
            start = offset + lane * stride * width
            words.update(range(start // WORD, (start + width - 1) // WORD + 1))
        in_bank: dict[int, int] = {}
        for word in words:
            in_bank[word % BANKS] = in_bank.get(word % BANKS, 0) + 1
        total += max(in_bank.values())
        every |= words
    ideal = max(-(-len(every) // BANKS), -(-lanes // group))
    return BankUse(total, ideal, total / ideal)
