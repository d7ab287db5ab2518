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
    measures: Sequence[Measure],
    *,
    cc: str = "",
    where: Sequence[Where] = (),
    search: re.Pattern[str] | None = None,
    folders: Sequence[Path] = (),
) -> View:
    """Reads and arranges one launch by the first of the measures that the report can give.

    InputError where it can give none; what it says is about the first.
    """
    listing = read_listing(path, launch, (*measures, MEASURES["excess_wavefronts"]), cc=cc)
    for measure in measures:
        values = None if measure.waits_for_load and not listing.has_code else listing.values(measure)
        if values is not None:
            break
    else:
        first = measures[0]
        lacking = ", ".join(sorted(listing.lacking & set(first.needs))) or "its machine code"
        raise InputError(f"{path.name}: launch {launch} does not hold {lacking}, which {first.id} is made of")
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
