"""The places in the code that carry a finding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from advisor.model import Location
from advisor.source.hotspots import Spot, lines, spots
from advisor.source.listing import Listing, read_listing
from advisor.source.measures import Measure, measure
from advisor.source.texts import read_texts

MOST = 3
# A place with less of the measure than this is not worth a visit.
_LEAST_SHARE = 0.05


def locate(path: Path, launch: int, measure_id: str, cc: str = "", most: int = MOST) -> tuple[Location, ...]:
    """At most `most` places of a launch where the measure is largest, largest first.

    One a source line, with its hottest instruction and the line's share; inlined code is placed in the function that
    was inlined, with the calls that led there. One an instruction where the report has no line information (file ''
    and line 0). Empty where the report lacks what the measure is made of. InputError where
    the report has no data about single instructions.
    """
    wanted = measure(measure_id)
    return places(read_listing(path, launch, (wanted,), cc=cc), wanted, most)


def locate_all(
    path: Path, launch: int, measure_ids: Sequence[str], cc: str = "", most: int = MOST
) -> tuple[dict[str, tuple[Location, ...]], dict[str, tuple[str, ...]]]:
    """The places of several measures in one reading, by measure, and the lines of the files that they are in.

    A file that is neither in the report nor on this machine has no lines. InputError as for `locate`.
    """
    wanted = [measure(name) for name in dict.fromkeys(measure_ids)]
    listing = read_listing(path, launch, wanted, cc=cc)
    found = {each.id: places(listing, each, most) for each in wanted}
    files = dict.fromkeys(place.file for row in found.values() for place in row if place.file)
    return found, read_texts(files, (), listing.sources)


def places(listing: Listing, wanted: Measure, most: int = MOST) -> tuple[Location, ...]:
    """The same of instructions that are already read."""
    values = listing.values(wanted)
    return () if values is None else hottest(spots(listing, values), wanted.id, most)


def hottest(found: Sequence[Spot], measure_id: str, most: int = MOST) -> tuple[Location, ...]:
    """The same of the instructions that have any of the measure, hottest first."""
    hot = [(line.file, line.line, line.spots[0], line.share) for line in lines(found)]
    hot = hot or [("", 0, spot, spot.share) for spot in found]
    return tuple(
        Location(file, line, spot.row.pc, spot.row.sass, measure_id, share, spot.row.calls)
        for file, line, spot, share in hot[:most]
        if share >= _LEAST_SHARE
    )
