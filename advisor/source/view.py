"""What `ncu-advisor source` shows of one launch: hot lines and instructions, the structure, the shared accesses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import InputError
from advisor.source.hotspots import Line, Spot, lines, spots
from advisor.source.listing import Listing, files_of, read_listing
from advisor.source.measures import MEASURES, Measure
from advisor.source.structure import SharedGroup, Structure, shared_groups, structure
from advisor.source.texts import by_line, read_texts
from advisor.source.where import Where


@dataclass(frozen=True, slots=True)
class View:
    """One launch by one measure. total: of the launch; texts: (file, line) -> source; shared: most conflicts first."""

    launch: int
    kernel: str
    measure: Measure
    total: float
    lines: tuple[Line, ...]
    spots: tuple[Spot, ...]
    structure: Structure
    shared: tuple[SharedGroup, ...]
    texts: dict[tuple[str, int], str]
    has_lines: bool
    has_code: bool


def view(
    path: Path,
    launch: int,
    kernel: str,
    measure: Measure,
    *,
    cc: str = "",
    where: Sequence[Where] = (),
    search: re.Pattern[str] | None = None,
    folders: Sequence[Path] = (),
) -> View:
    """Reads and arranges one launch; InputError where the report lacks what the measure is made of."""
    listing = read_listing(path, launch, (measure, MEASURES["excess_wavefronts"]), cc=cc)
    values = listing.values(measure)
    if values is None:
        lacking = ", ".join(sorted(listing.lacking & set(measure.needs)))
        raise InputError(f"{path.name}: launch {launch} does not hold {lacking}, which {measure.id} is made of")
    if not listing.has_code and measure.waits_for_load:
        raise InputError(f"{path.name}: launch {launch} holds no machine code, which {measure.id} needs")
    shape = structure(listing)
    texts = by_line(read_texts(files_of(listing.rows), folders))
    found = spots(listing, values, shape.flow, where=where, search=search, texts=texts)
    return View(
        launch,
        kernel,
        measure,
        sum(values),
        lines(found),
        found,
        shape,
        _shared(listing),
        texts,
        listing.has_lines,
        listing.has_code,
    )


def _shared(listing: Listing) -> tuple[SharedGroup, ...]:
    return () if listing.lacking & set(MEASURES["excess_wavefronts"].needs) else shared_groups(listing)
