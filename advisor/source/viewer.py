"""The lines and instructions of a launch for an interactive view, by a measure, with filters and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from advisor.knowledge.base import Catalog
from advisor.records.diagnosis import IssueSlots, LaunchDiagnosis, Location
from advisor.records.errors import InputError
from advisor.source.columns import COLUMNS, parse_columns
from advisor.source.hotspots import parse_search, parse_where
from advisor.source.listing import Listing, Row, read_listing
from advisor.source.locate import placed_slots, places_or_hot
from advisor.source.measures import LOST, MEASURES, Measure, measure
from advisor.source.view import Query, View, arrange

if TYPE_CHECKING:
    from advisor.reasoning.analysis import Analysis


class Wanted(Struct, frozen=True):
    """The measures to try, the best first. finding: to locate, or empty; first: it is the launch's first; own: it has
    its own measure (otherwise the default ones are used)."""

    measures: tuple[Measure, ...]
    finding: str = ""
    first: bool = True
    own: bool = True


class Seen(Struct, frozen=True):
    """A view with all instructions and measures of the launch.

    wanted: the finding of the measure, None if the user chose a measure; rows: all instructions by address, whatever
    the filters; measures: (id, title, total) of those above zero in this launch, in the order of their definition;
    slots: the account of its issue slots, with places; places: those of the wanted finding, if it has a measure of its
    own.
    """

    view: View
    wanted: Wanted | None = None
    rows: tuple[Row, ...] = ()
    measures: tuple[tuple[str, str, float], ...] = ()
    slots: IssueSlots | None = None
    places: tuple[Location, ...] = ()


def measures_for(launch: LaunchDiagnosis, catalog: Catalog, finding: str = "") -> Wanted:
    """Return the measures of a finding, by default the launch's first.

    If it has no place of its own, return stall samples, then executed instructions.
    """
    named = next((f for f in launch.findings if f.id == finding), None)
    chosen = named or next((f for f in launch.findings if f.kind == "diagnosis"), None)
    entry = catalog.findings.get(chosen.id) if chosen is not None else None
    name = (entry.locate if entry is not None else "") or ""
    measures = tuple(MEASURES[each] for each in dict.fromkeys([name or "samples", "samples", "instructions"]))
    return Wanted(measures, chosen.id if chosen is not None else "", named is None, bool(name))


@dataclass
class Viewer:
    """Views of the launches of an analysis; the last launch is cached, so that another measure of it reads nothing.

    folders: where to search for source files, besides the report's own paths.
    """

    folders: tuple[Path, ...] = ()
    _read: dict[tuple[str, int], Listing] = field(default_factory=dict)

    def see(
        self,
        analysis: Analysis,
        position: int,
        *,
        by: str = "",
        search: str = "",
        where: Sequence[str] = (),
        columns: str = "",
        finding: str = "",
    ) -> Seen:
        """Return the view of the launch at a position.

        Raises UsageError for an invalid filter or measure, InputError if the report has no per-instruction data.
        """
        launch = analysis.diagnosis.launches[position]
        report = analysis.diagnosis.reports[launch.report]
        # Check filters before reading, so that a typing error shows at once.
        conditions = tuple(parse_where(text) for text in where)
        pattern = parse_search(search) if search else None
        chosen = parse_columns(columns) if columns else ()
        wanted = None if by else measures_for(launch, analysis.catalog, finding)
        measures = (measure(by),) if wanted is None else wanted.measures
        if report.format != "ncu-rep":
            raise InputError(f"{Path(report.path).name}: only binary reports (.ncu-rep) hold instructions")
        extra = tuple(each for each in measures if each.id not in MEASURES)
        listing = self._listing(Path(report.path), launch, extra)
        query = Query(conditions, pattern, self.folders, chosen, ptx=True)
        view = arrange(listing, Path(report.path).name, launch.index, launch.kernel, measures, query)
        places = places_or_hot(listing, measures[0]) if wanted is not None and wanted.own else ()
        return Seen(view, wanted, listing.rows, _totals(listing), placed_slots(launch, listing), places)

    def _listing(self, path: Path, launch: LaunchDiagnosis, extra: tuple[Measure, ...]) -> Listing:
        key = (str(path), launch.index)
        kept = self._read.get(key)
        if kept is not None and all(_has(kept, name) for each in extra for name in each.needs):
            return kept
        needs = tuple(Measure(c.id, c.title, c.needs, lambda sight: 0.0) for c in COLUMNS.values())
        listing = read_listing(path, launch.index, (*MEASURES.values(), *LOST.values(), *needs, *extra), cc=launch.cc)
        self._read = {key: listing}
        return listing


def _has(listing: Listing, name: str) -> bool:
    return name in listing.lacking or (bool(listing.rows) and name in listing.rows[0].sight.values)


def _totals(listing: Listing) -> tuple[tuple[str, str, float], ...]:
    found: Mapping[str, list[float] | None] = {name: listing.values(each) for name, each in MEASURES.items()}
    return tuple((name, MEASURES[name].title, sum(values)) for name, values in found.items() if values and any(values))
