"""Find hot instructions and hot lines by a measure, filtered by value (`--where`) and by pattern (`--search`)."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from advisor.hardware.sass_flow import Loop, innermost
from advisor.records.errors import UsageError
from advisor.source.listing import Listing, Place, Row

FIELDS = ("share", "value", "executed", "samples", "lanes", "line")
_FORM = re.compile(r"\s*([a-z]+)\s*(<=|>=|<|>|=)\s*(\d{1,15}(?:\.\d{1,15})?)\s*(%?)\s*")
_TESTS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
}


class Where(Struct, frozen=True):
    """A comparison with a value. A share is between 0 and 1 here, even if the user wrote a percentage."""

    field: str
    sign: str
    number: float

    def holds(self, values: Mapping[str, float]) -> bool:
        """Return whether it is true for an instruction's fields; False if the field is missing."""
        value = values.get(self.field)
        return value is not None and _TESTS[self.sign](value, self.number)


def parse_where(text: str) -> Where:
    """Parse `share>5%` or `executed>=1000`. Raises UsageError for anything else."""
    match = _FORM.fullmatch(text)
    if match is None or match[1] not in FIELDS:
        form = f"write FIELD>NUMBER, with <, >, <=, >= or =; fields: {', '.join(FIELDS)}"
        raise UsageError(f"--where {text[:80]!r}: {form}")
    field, sign, number, percent = match.groups()
    if percent and field != "share":
        raise UsageError(f"--where {text[:80]!r}: only the share takes a percentage")
    return Where(field, sign, float(number) / 100 if percent else float(number))


def parse_search(text: str) -> re.Pattern[str]:
    """Compile a regular expression to search in SASS and source lines. Raises UsageError if it is invalid."""
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as e:
        raise UsageError(f"--search {text[:80]!r} is not a regular expression: {e}") from None


class Spot(Struct, frozen=True):
    """An instruction with its value; share: of the launch's total, 0 to 1; loop: its innermost loop, from 0.

    at: its index in the listing.
    """

    row: Row
    value: float
    share: float
    loop: int | None
    at: int = 0


class Line(Struct, frozen=True):
    """A source line (file and line) with the value and share of its instructions, which are sorted hottest first.

    inclusive: its share with all code inlined into it; calls: where it was inlined itself: the nearest call of each
    instruction, with the share of that call, largest first.
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
    """Return the instructions with a value above 0, or those that pass the filters; sort by value, then address.

    texts: source lines, in which `search` also looks, in addition to the SASS and `file:line`.
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


def lines(found: Sequence[Spot]) -> tuple[Line, ...]:
    """Group the instructions by source line, hottest first; omit those without line information."""
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
    """Return for each (file, line) the share of its instructions and of those inlined into it."""
    out: dict[Place, float] = {}
    for spot in found:
        # A recursive function counts once.
        for place in {(spot.row.file, spot.row.line), *spot.row.calls}:
            if place[1]:
                out[place] = min(1.0, out.get(place, 0.0) + spot.share)
    return out


def call_sites(found: Sequence[Spot]) -> tuple[tuple[str, int, float], ...]:
    """Return (file, line, inclusive share) of the lines with inlined calls, largest share first."""
    called = {place for spot in found for place in spot.row.calls}
    sites = [(*place, share) for place, share in inclusive(found).items() if place in called]
    return tuple(sorted(sites, key=lambda site: (-site[2], site[0], site[1])))


def ptx_lines(found: Sequence[Spot]) -> tuple[tuple[int, float, float], ...]:
    """Return (line of PTX, value, share), hottest first; omit instructions without a line of PTX."""
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
