"""Compare two launches by a measure: opcodes, source lines and aligned instructions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from advisor.records.errors import InputError
from advisor.source.listing import Listing, Row, read_listing
from advisor.source.measures import Measure

K = TypeVar("K", bound=Hashable)
# The work of difflib grows with the number of pairs of equal entries; beyond this limit it takes too long.
_MOST_PAIRS = 6_000_000
_ADDRESS = re.compile(r"0x[0-9a-f]{6,16}\b")
_LABEL = re.compile(r"`?\(\.?\w+\)`?")


class Hunk(Struct, frozen=True):
    """A block that differs: its rows before and now with their values; either side may be empty."""

    before: tuple[tuple[Row, float], ...]
    now: tuple[tuple[Row, float], ...]

    @property
    def change(self) -> float:
        """The increase of the measure in this block."""
        return sum(value for _, value in self.now) - sum(value for _, value in self.before)


class Alignment(Struct, frozen=True):
    """An alignment. by: opcode or instruction; same: number of entries in the same order in both; hunks: in order."""

    by: str
    same: int
    hunks: tuple[Hunk, ...]

    def ordered(self) -> list[Hunk]:
        """Return the blocks sorted by change of the measure, then by length, then in code order."""
        return sorted(self.hunks, key=lambda hunk: (-abs(hunk.change), -len(hunk.before) - len(hunk.now)))


def align(a: tuple[Listing, Sequence[float]], b: tuple[Listing, Sequence[float]], by: str) -> Alignment | None:
    """Align two launches by opcode, or by whole instruction without branch addresses.

    Return None if a side has no code, or if both are so long and similar that it would take minutes.
    """
    if not (a[0].has_code and b[0].has_code):
        return None
    left, right = ([_token(row, by) for row in listing.rows] for listing, _ in (a, b))
    head = next((i for i, (x, y) in enumerate(zip(left, right, strict=False)) if x != y), min(len(left), len(right)))
    rest = min(len(left), len(right)) - head
    backwards = zip(reversed(left), reversed(right), strict=False)
    tail = min(rest, next((i for i, (x, y) in enumerate(backwards) if x != y), rest))
    middle = (left[head : len(left) - tail], right[head : len(right) - tail])
    counts = [Counter(part) for part in middle]
    if sum(count * counts[1][token] for token, count in counts[0].items()) > _MOST_PAIRS:
        return None
    same, hunks = head + tail, []
    for kind, i, j, k, m in SequenceMatcher(None, *middle, autojunk=False).get_opcodes():
        if kind == "equal":
            same += j - i
            continue
        hunks.append(Hunk(_side(a, head + i, head + j), _side(b, head + k, head + m)))
    return Alignment(by, same, tuple(hunks))


def _side(side: tuple[Listing, Sequence[float]], start: int, end: int) -> tuple[tuple[Row, float], ...]:
    return tuple(zip(side[0].rows[start:end], side[1][start:end], strict=True))


def _token(row: Row, by: str) -> str:
    return row.opcode if by == "opcode" else _ADDRESS.sub("", _LABEL.sub("", row.sass))


class Change(Struct, frozen=True):
    """An opcode (file '' and line 0), or a source line (opcode ''), with its values before and now."""

    opcode: str
    file: str
    line: int
    before: float
    now: float


class Comparison(Struct, frozen=True):
    """A comparison of two launches by a measure: totals, opcodes and lines, largest change first.

    aligned: their instructions side by side; None if not known or not requested.
    """

    measure: Measure
    before: float
    now: float
    opcodes: tuple[Change, ...]
    lines: tuple[Change, ...]
    aligned: Alignment | None = None


def read_and_compare(
    a: tuple[Path, int, str], b: tuple[Path, int, str], measure: Measure, by: str = "opcode"
) -> Comparison:
    """Compare two launches, each given as report, index and compute capability. Raises InputError as a view does.

    by: the property that equal instructions share: `opcode` or the whole `instruction`.
    """
    sides = []
    for path, launch, cc in (a, b):
        listing = read_listing(path, launch, (measure,), cc=cc)
        values = listing.values(measure)
        if values is None:
            raise InputError(f"{path.name}: launch {launch} lacks the data for {measure.id}")
        sides.append((listing, values))
    return compare(sides[0], sides[1], measure, by)


def compare(
    a: tuple[Listing, list[float]], b: tuple[Listing, list[float]], measure: Measure, by: str = "opcode"
) -> Comparison:
    """Compare two listings that were already read. Match files by name, without folders."""
    opcodes = _paired(a, b, lambda row: row.opcode or None)
    lines = _paired(a, b, lambda row: (file_name(row.file), row.line) if row.line else None)
    return Comparison(
        measure,
        sum(a[1]),
        sum(b[1]),
        tuple(Change(key, "", 0, *pair) for key, pair in opcodes),
        tuple(Change("", *key, *pair) for key, pair in lines),
        align(a, b, by),
    )


def file_name(path: str) -> str:
    """Return the last part of a path from any operating system."""
    return path.replace("\\", "/").rpartition("/")[2]


def _paired(
    a: tuple[Listing, list[float]], b: tuple[Listing, list[float]], key: Callable[[Row], K | None]
) -> list[tuple[K, tuple[float, float]]]:
    sums: dict[K, list[float]] = {}
    for side, (listing, values) in enumerate((a, b)):
        for row, value in zip(listing.rows, values, strict=True):
            name = key(row)
            if name is not None and value:
                sums.setdefault(name, [0.0, 0.0])[side] += value
    pairs = [(name, (before, now)) for name, (before, now) in sums.items()]
    return sorted(pairs, key=lambda pair: (-abs(pair[1][1] - pair[1][0]), str(pair[0])))
