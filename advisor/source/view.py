"""Build the content of `ncu-advisor source`: hot lines and instructions, structure, shared accesses, texts."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final

from msgspec import Struct, field

from advisor.hardware.sass_flow import innermost
from advisor.records.errors import InputError
from advisor.source.columns import Column, Facts
from advisor.source.hotspots import Line, Spot, Where, call_sites, lines, ptx_lines, spots
from advisor.source.listing import Listing, Row, Wait, Waits, files_of, read_listing
from advisor.source.measures import EXECUTED, LANES, MEASURES, SAMPLES, STALL, Measure
from advisor.source.structure import SharedGroup, Structure, Zone, bands, shared_groups, structure, zones

# A report is untrusted: a file that it names is opened only if it looks like source and is not too large.
_SOURCE = re.compile(r"\.(cuh?|cuf|c|cc|cpp|cxx|cl|h|hh|hpp|hxx|inl|py|ptx|f90)", re.IGNORECASE)
_MOST_BYTES = 8 * 1024 * 1024
# shown with every measure, if the report has it
_ALWAYS = tuple(MEASURES[name] for name in ("excess_wavefronts", "idle_lanes"))
_STALLS = tuple(measure for name, measure in MEASURES.items() if name.startswith("stall_"))
# measures of waiting: the view shows the waits of their instructions
_OF_WAITS = (SAMPLES, STALL)


def read_texts(
    files: Iterable[str], folders: Sequence[Path] = (), embedded: Mapping[str, str] | None = None
) -> dict[str, tuple[str, ...]]:
    """Read the lines of source files: under one of `folders`, else from `embedded`, else at their path.

    embedded: file -> text that the report contains, which was compiled, while the file may have changed. In a folder,
    use the longest end of the path that exists there, so that `/build/src/a.cu` is found as `src/a.cu`.
    """
    out: dict[str, tuple[str, ...]] = {}
    for name in files:
        found = (text for path in _candidates(name, folders) if (text := _read(path)) is not None)
        text = next(found, None) or (embedded or {}).get(name) or _read(Path(name))
        if text is not None:
            out[name] = tuple(text.splitlines())
    return out


def _candidates(name: str, folders: Sequence[Path]) -> Iterable[Path]:
    parts = (PureWindowsPath(name) if "\\" in name else PurePosixPath(name)).parts
    plain = [part for part in parts if part not in ("/", "\\", "..") and not part.endswith((":", ":\\"))]
    for folder in folders:
        for start in range(len(plain)):
            yield folder.joinpath(*plain[start:])


def _read(path: Path) -> str | None:
    if not _SOURCE.fullmatch(path.suffix):
        return None
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode) or about.st_size > _MOST_BYTES:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return None


def by_line(texts: dict[str, tuple[str, ...]]) -> dict[tuple[str, int], str]:
    """Map (file, line) to its text, with its indentation."""
    return {(file, n): text.rstrip() for file, lines in texts.items() for n, text in enumerate(lines, 1)}


class Trust(Struct, frozen=True):
    """Coverage of line information, as shares of the executed instructions, 0 to 1.

    lined: those with a line; inlined: those inlined into another function.
    """

    lined: float
    inlined: float


class Peak(Struct, frozen=True):
    """The executed instruction with the most live registers, the first if several; loop: its innermost loop."""

    row: Row
    live: int
    loop: int | None


class View(Struct, frozen=True):
    """One launch by one measure. total: of the launch; texts: (file, line) -> source; shared: most conflicts first.

    call_sites: (file, line, share) of lines with inlined calls; waits: of spots by index, for measures of waiting;
    columns, cells: the requested values of each instruction, by index; ptx: hot lines of PTX (number, text, value,
    share), None if not requested; has_ptx: whether the report holds it; embedded: files whose text the report contains;
    peak: of the live registers.
    """

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
    call_sites: tuple[tuple[str, int, float], ...] = ()
    bands: dict[str, float] = field(default_factory=dict)
    zones: tuple[Zone, ...] = ()
    waits: dict[int, Wait] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()
    cells: dict[int, tuple[float | str | None, ...]] = field(default_factory=dict)
    ptx: tuple[tuple[int, str, float, float], ...] | None = None
    has_ptx: bool = False
    trust: Trust | None = None
    embedded: int = 0
    peak: Peak | None = None


class Query(Struct, frozen=True):
    """Filters and additions of a view. folders: where to search for source files, besides the report's own paths.

    top: number of spots with waits and columns; None: waits of all, and columns of every instruction.
    """

    where: tuple[Where, ...] = ()
    search: re.Pattern[str] | None = None
    folders: tuple[Path, ...] = ()
    columns: tuple[Column, ...] = ()
    ptx: bool = False
    top: int | None = None


EVERYTHING: Final = Query()


def view(
    path: Path, launch: int, kernel: str, measures: Sequence[Measure], query: Query = EVERYTHING, cc: str = ""
) -> View:
    """Read and arrange one launch by the first measure that the report has. Raises InputError as `arrange` does."""
    needs = tuple(Measure(c.id, c.title, c.needs, lambda sight: 0.0) for c in query.columns)
    listing = read_listing(path, launch, (*measures, *_ALWAYS, *_STALLS, *needs), cc=cc)
    return arrange(listing, path.name, launch, kernel, measures, query)


def arrange(
    listing: Listing, name: str, launch: int, kernel: str, measures: Sequence[Measure], query: Query = EVERYTHING
) -> View:
    """Arrange a launch whose instructions are already read. name: of the report.

    Raises InputError, about the first measure, if the report has none of them.
    """
    for measure in measures:
        values = None if measure.blames and not listing.has_code else listing.values(measure)
        if values is not None:
            break
    else:
        first = measures[0]
        lacking = ", ".join(sorted(listing.lacking & set(first.needs))) or "its machine code"
        raise InputError(f"{name}: launch {launch} lacks {lacking}, which {first.id} needs")
    if LANES in listing.lacking and any(w.field == "lanes" for w in query.where):
        raise InputError(f"{name}: launch {launch} lacks {LANES}, which --where lanes needs")
    shape, waits = structure(listing), Waits(listing)
    files, top, columns = files_of(listing.rows), query.top, query.columns
    texts = by_line(read_texts(files, query.folders, listing.sources))
    found = spots(listing, values, shape.flow, where=query.where, search=query.search, texts=texts)
    facts = Facts(listing, shape.live, tuple(innermost(len(listing.rows), shape.flow)), waits)
    shown = range(len(listing.rows)) if top is None else [spot.at for spot in found[:top]]
    waiting = measure.needs[0].startswith(_OF_WAITS) and not measure.blames
    return View(
        launch=launch,
        kernel=kernel,
        measure=measure,
        total=sum(values),
        lines=lines(found),
        spots=found,
        structure=shape,
        shared=() if listing.lacking & set(_ALWAYS[0].needs) else shared_groups(listing),
        texts=texts,
        has_lines=listing.has_lines,
        has_code=listing.has_code,
        call_sites=call_sites(found),
        bands={} if LANES in listing.lacking else bands(listing),
        zones=() if LANES in listing.lacking else zones(listing),
        waits={spot.at: wait for spot in found[:top] if (wait := waits.of(spot.at))} if waiting else {},
        columns=columns,
        cells={at: tuple(column.value(facts, at) for column in columns) for at in shown} if columns else {},
        ptx=tuple((n, listing.ptx[n - 1], value, share) for n, value, share in ptx_lines(found)) if query.ptx else None,
        has_ptx=any(row.ptx for row in listing.rows),
        trust=_trust(listing),
        embedded=sum(name in listing.sources for name in files),
        peak=_peak(listing, shape, facts.loops),
    )


def _trust(listing: Listing) -> Trust | None:
    total = sum(row.executed for row in listing.rows)
    if not total or EXECUTED in listing.lacking:
        return None
    lined = sum(row.executed for row in listing.rows if row.line)
    return Trust(lined / total, sum(row.executed for row in listing.rows if row.calls or row.inner) / total)


def _peak(listing: Listing, shape: Structure, loops: Sequence[int | None]) -> Peak | None:
    ran = [i for i, row in enumerate(listing.rows) if row.executed]
    if not shape.live or not ran:
        return None
    at = max(ran, key=lambda i: (shape.live[i], -i))
    return Peak(listing.rows[at], shape.live[at], loops[at])
