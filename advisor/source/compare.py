"""Two launches side by side: what each opcode and each source line had of a measure before, and has now."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from advisor.errors import InputError
from advisor.source.align import Alignment, align
from advisor.source.listing import Listing, Row, read_listing
from advisor.source.measures import Measure

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Change:
    """An opcode (file '' and line 0), or a source line (opcode ''), with its values before and now."""

    opcode: str
    file: str
    line: int
    before: float
    now: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two launches by one measure: totals, opcodes and lines, what changed most first.

    aligned: their instructions side by side; None where that cannot be told or was not asked for.
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
    """Compares two launches, each given as report, index and compute capability. InputError as for a view.

    by: what two instructions must share to be the same, `opcode` or the whole `instruction`.
    """
    sides = []
    for path, launch, cc in (a, b):
        listing = read_listing(path, launch, (measure,), cc=cc)
        values = listing.values(measure)
        if values is None:
            raise InputError(f"{path.name}: launch {launch} lacks what {measure.id} is made of")
        sides.append((listing, values))
    return compare(sides[0], sides[1], measure, by)


def compare(
    a: tuple[Listing, list[float]], b: tuple[Listing, list[float]], measure: Measure, by: str = "opcode"
) -> Comparison:
    """The same of what is already read. Lines are told apart by the file's name without its folders."""
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
    """A path's last part, whichever system wrote it."""
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
