"""Hot instructions and hot lines for a measure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.source.flow import Loop
from advisor.source.listing import Listing, Row
from advisor.source.where import Where


@dataclass(frozen=True, slots=True)
class Spot:
    """An instruction with its value; share of the launch's total, 0 to 1; loop: the innermost around it, from 0."""

    row: Row
    value: float
    share: float
    loop: int | None


@dataclass(frozen=True, slots=True)
class Line:
    """A source line, file and line together; value and share over its instructions, which come hottest first."""

    file: str
    line: int
    value: float
    share: float
    spots: tuple[Spot, ...]

    @property
    def loop(self) -> int | None:
        """The loop of its hottest instruction."""
        return self.spots[0].loop


def spots(
    listing: Listing,
    values: Sequence[float],
    loops: Sequence[Loop] = (),
    *,
    where: Sequence[Where] = (),
    search: re.Pattern[str] | None = None,
    texts: dict[tuple[str, int], str] | None = None,
) -> tuple[Spot, ...]:
    """The instructions with a value above 0 that pass the filters, hottest first, then by address.

    texts: source lines, which `search` also looks through, beside the SASS and `file:line`.
    """
    total = sum(values) or 1.0
    inner = innermost(len(listing.rows), loops)
    out = []
    for i, (row, value) in enumerate(zip(listing.rows, values, strict=True)):
        if value <= 0:
            continue
        spot = Spot(row, value, value / total, inner[i])
        fields = {
            "share": spot.share,
            "value": value,
            "executed": row.executed,
            "samples": row.samples,
            "line": float(row.line),
        }
        if not all(w.holds(fields) for w in where):
            continue
        if search is not None:
            text = (texts or {}).get((row.file, row.line), "")
            if not any(search.search(t) for t in (row.sass, f"{row.file}:{row.line}", text)):
                continue
        out.append(spot)
    return tuple(sorted(out, key=lambda s: (-s.value, s.row.pc)))


def innermost(count: int, loops: Sequence[Loop]) -> list[int | None]:
    """For each of `count` places the number of the deepest loop around it, or None."""
    out: list[int | None] = [None] * count
    for n in sorted(range(len(loops)), key=lambda n: loops[n].depth):
        for place in loops[n].body:
            out[place] = n
    return out


def lines(found: Sequence[Spot]) -> tuple[Line, ...]:
    """The same by source line, hottest first; instructions without line information are left out."""
    groups: dict[tuple[str, int], list[Spot]] = {}
    for spot in found:
        if spot.row.line:
            groups.setdefault((spot.row.file, spot.row.line), []).append(spot)
    made = [
        Line(file, line, sum(s.value for s in group), min(1.0, sum(s.share for s in group)), tuple(group))
        for (file, line), group in groups.items()
    ]
    return tuple(sorted(made, key=lambda m: (-m.value, m.file, m.line)))
