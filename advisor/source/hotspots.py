"""Hot instructions and hot lines for a measure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.source.flow import Loop
from advisor.source.frames import Place
from advisor.source.listing import Listing, Row
from advisor.source.where import Where


@dataclass(frozen=True, slots=True)
class Spot:
    """An instruction with its value; share of the launch's total, 0 to 1; loop: the innermost around it, from 0.

    at: its place in the listing.
    """

    row: Row
    value: float
    share: float
    loop: int | None
    at: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A source line, file and line together; value and share over its instructions, which come hottest first.

    inclusive: its share with everything that was inlined into it; calls: where it was inlined itself, the nearest call
    of each instruction, with the share that came through it, largest first.
    """

    file: str
    line: int
    value: float
    share: float
    spots: tuple[Spot, ...]
    inclusive: float = 0.0
    calls: tuple[tuple[str, int, float], ...] = ()

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
    """The instructions with a value above 0, or with filters all that pass them; hottest first, then by address.

    texts: source lines, which `search` also looks through, beside the SASS and `file:line`.
    """
    total = sum(values) or 1.0
    inner = innermost(len(listing.rows), loops)
    out = []
    for i, (row, value) in enumerate(zip(listing.rows, values, strict=True)):
        if value <= 0 and not where and search is None:
            continue
        spot = Spot(row, value, value / total, inner[i], i)
        fields = {
            "share": spot.share,
            "value": value,
            "executed": row.executed,
            "samples": row.samples,
            "line": float(row.line),
        }
        if row.lanes is not None:
            fields["lanes"] = row.lanes
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
    groups: dict[Place, list[Spot]] = {}
    for spot in found:
        if spot.row.line:
            groups.setdefault((spot.row.file, spot.row.line), []).append(spot)
    whole = inclusive(found)
    made = [
        Line(
            *place,
            sum(s.value for s in group),
            min(1.0, sum(s.share for s in group)),
            tuple(group),
            whole[place],
            _calls(group),
        )
        for place, group in groups.items()
    ]
    return tuple(sorted(made, key=lambda m: (-m.value, m.file, m.line)))


def inclusive(found: Sequence[Spot]) -> dict[Place, float]:
    """(file, line) -> share of the instructions that the line stands for or that were inlined into it."""
    out: dict[Place, float] = {}
    for spot in found:
        # A function that calls itself counts once.
        for place in {(spot.row.file, spot.row.line), *spot.row.calls}:
            if place[1]:
                out[place] = min(1.0, out.get(place, 0.0) + spot.share)
    return out


def call_sites(found: Sequence[Spot]) -> tuple[tuple[str, int, float], ...]:
    """(file, line, inclusive share) of the lines that something was inlined into, largest share first."""
    called = {place for spot in found for place in spot.row.calls}
    sites = [(*place, share) for place, share in inclusive(found).items() if place in called]
    return tuple(sorted(sites, key=lambda site: (-site[2], site[0], site[1])))


def ptx_lines(found: Sequence[Spot]) -> tuple[tuple[int, float, float], ...]:
    """(line of PTX, value, share), hottest first; instructions that name no line of PTX are left out."""
    sums: dict[int, list[float]] = {}
    for spot in found:
        if spot.row.ptx:
            one = sums.setdefault(spot.row.ptx, [0.0, 0.0])
            one[0] += spot.value
            one[1] += spot.share
    return tuple(sorted(((n, v, min(1.0, s)) for n, (v, s) in sums.items()), key=lambda each: (-each[1], each[0])))


def _calls(group: Sequence[Spot]) -> tuple[tuple[str, int, float], ...]:
    sums: dict[Place, float] = {}
    for spot in group:
        if spot.row.calls:
            sums[spot.row.calls[0]] = sums.get(spot.row.calls[0], 0.0) + spot.share
    sites = [(*place, min(1.0, share)) for place, share in sums.items()]
    return tuple(sorted(sites, key=lambda site: (-site[2], site[0], site[1])))
