"""Divide the issue slots that a launch lost to a stall reason among the producers that its warps waited for."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct, field

from advisor.records.diagnosis import BlamedSlots, Location, LostSlots, Place
from advisor.source.listing import Listing, Row
from advisor.source.measures import Measure

# The most producers of a reason to keep, and the least percent of the issue slots that is worth showing.
_MOST = 4
_LEAST = 1.0

# (file, line, opcode without modifiers), or the address without a line; and whether a register is overwritten
_Key = tuple[str, int, str]
_Blame = tuple[_Key, bool]


class _Group(Struct):
    """The samples blamed on the instructions of one key; rows: samples by index of the producer and of the waiting."""

    total: float = 0.0
    ambiguous: float = 0.0
    producers: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    used: dict[int, float] = field(default_factory=lambda: defaultdict(float))


def blamed(listing: Listing, lost: LostSlots, counted: Measure) -> LostSlots:
    """Return the lost slots of one reason with their producers; unchanged if the report lacks the samples.

    counted: the measure of that reason's samples, with `blames`.
    """
    if listing.lacking & set(counted.needs):
        return lost
    samples = [counted.value(row.sight) for row in listing.rows]
    total = sum(samples)
    if not total:
        return lost
    groups: dict[_Blame, _Group] = defaultdict(_Group)
    found = 0.0
    for at, value in enumerate(samples):
        for source in listing.producers.blamed(at, counted.blames) if value else ():
            group, part = groups[(_key(listing.rows[source.at]), source.overwrites)], value * source.share
            group.total += part
            group.ambiguous += 0.0 if source.sure else part
            group.producers[source.at] += part
            group.used[at] += part
            found += part
    each = lost.percent / total
    order = sorted(groups.items(), key=lambda one: -one[1].total)
    shown = [(key[1], group) for key, group in order if group.total * each >= _LEAST][:_MOST]
    made = tuple(_blamed(listing, group, each, lost.percent, counted.id, overwrites) for overwrites, group in shown)
    unattributed = max(0.0, (total - found) * each)
    elsewhere = max(0.0, lost.percent - unattributed - sum(one.percent for one in made))
    locations = tuple(one.producer for one in made[:1])
    return LostSlots(lost.reason, lost.percent, locations, made, elsewhere, unattributed)


def _key(row: Row) -> _Key:
    return (row.file, row.line, row.opcode.partition(".")[0]) if row.line else ("", row.pc, "")


def _blamed(
    listing: Listing, group: _Group, each: float, percent: float, measure: str, overwrites: bool
) -> BlamedSlots:
    producer, used = (_location(listing, rows, each / percent, measure) for rows in (group.producers, group.used))
    return BlamedSlots(min(100.0, group.total * each), producer, used, min(100.0, group.ambiguous * each), overwrites)


def _location(listing: Listing, rows: dict[int, float], each: float, measure: str) -> Location:
    """Return the place of most of a group's samples, with its line's share, `each` per sample, of all of the reason."""
    lines: dict[_Key, float] = defaultdict(float)
    for at, value in rows.items():
        lines[_key(listing.rows[at])] += value
    key = max(lines, key=lambda one: lines[one])
    at = max((i for i in rows if _key(listing.rows[i]) == key), key=lambda i: rows[i])
    row, share = listing.rows[at], min(1.0, lines[key] * each)
    calls = tuple(Place(*call) for call in row.calls)
    return Location(row.file, row.line, row.pc, row.sass, measure, share, calls, min(share, rows[at] * each))
