"""The places in the code that cause a finding, read from the report on demand, since that takes time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from advisor.knowledge.base import Catalog
from advisor.records.diagnosis import Diagnosis, Finding, LaunchDiagnosis, Location, Place
from advisor.records.errors import InputError
from advisor.records.readings import Progress
from advisor.source.hotspots import Spot, lines, spots
from advisor.source.listing import Listing, read_listing
from advisor.source.measures import Measure, measure
from advisor.source.view import read_texts

MOST = 3
# (position of the report, file as the report names it) -> its lines.
Texts = dict[tuple[int, str], tuple[str, ...]]
# A place with less of the measure than this is not worth a visit.
_LEAST_SHARE = 0.05


def places(listing: Listing, wanted: Measure, most: int = MOST) -> tuple[Location, ...]:
    """At most `most` places of a launch where the measure is largest, largest first.

    One for a source line, with its hottest instruction and the line's share; inlined code is placed in the inlined
    function, with the calls that led there. One for an instruction where the report has no line information (file ''
    and line 0). Empty where the report lacks the counters of the measure.
    """
    values = listing.values(wanted)
    return () if values is None else hottest(spots(listing, values), wanted.id, most)


def hottest(found: Sequence[Spot], measure_id: str, most: int = MOST) -> tuple[Location, ...]:
    """The same of the instructions that have any of the measure, hottest first."""
    hot = [(line.file, line.line, line.spots[0], line.share) for line in lines(found)]
    hot = hot or [("", 0, spot, spot.share) for spot in found]
    return tuple(
        Location(
            file, line, spot.row.pc, spot.row.sass, measure_id, share, tuple(Place(*call) for call in spot.row.calls)
        )
        for file, line, spot, share in hot[:most]
        if share >= _LEAST_SHARE
    )


@dataclass(frozen=True, slots=True)
class Located:
    """A diagnosis with `locations`; what went wrong, each once; and the text of the files that the places are in."""

    diagnosis: Diagnosis
    problems: tuple[str, ...] = ()
    texts: Mapping[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)


def locate_findings(
    diagnosis: Diagnosis,
    catalog: Catalog,
    progress: Progress | None = None,
    *,
    positions: Collection[int] | None = None,
    every: bool = False,
    jobs: int = 2,
) -> Located:
    """The diagnosis with `locations` in the first finding of each launch of a binary report, or in `every` diagnosis.

    A child process a launch, several tenths of a second; jobs: launches read at a time. positions: of the launches to
    locate, all by default. Launches whose findings have no measure stay as they are.
    """
    problems: list[str] = []
    texts: Texts = {}
    chosen = sorted(range(len(diagnosis.launches)) if positions is None else positions)
    launches = list(diagnosis.launches)
    with ThreadPoolExecutor(jobs) as pool:  # each waits for a process of its own
        work = [pool.submit(_located, diagnosis, catalog, launches[at], every, texts) for at in chosen]
        try:
            for number, (position, done) in enumerate(zip(chosen, work, strict=True)):
                if progress is not None:
                    progress("locate", number, len(chosen))
                try:
                    launches[position] = done.result()
                except InputError as e:
                    problems.append(str(e))
        finally:
            for done in work:
                done.cancel()
    return Located(replace(diagnosis, launches=tuple(launches)), tuple(dict.fromkeys(problems)), texts)


def _located(
    diagnosis: Diagnosis, catalog: Catalog, launch: LaunchDiagnosis, every: bool, texts: Texts
) -> LaunchDiagnosis:
    report = diagnosis.reports[launch.report]
    seen = [f for f in launch.findings if f.kind == "diagnosis"]
    measures = {f.id: m for f in (seen if every else seen[:1]) if (m := catalog.findings[f.id].locate)}
    if not measures or report.format != "ncu-rep":
        return launch
    wanted = [measure(name) for name in dict.fromkeys(measures.values())]
    listing = read_listing(Path(report.path), launch.index, wanted, cc=launch.cc)
    found = {each.id: places(listing, each) for each in wanted}
    files = dict.fromkeys(place.file for row in found.values() for place in row if place.file)
    texts.update({(launch.report, file): text for file, text in read_texts(files, (), listing.sources).items()})

    def placed(finding: Finding) -> Finding:
        return structs.replace(finding, locations=found[measures[finding.id]]) if finding.id in measures else finding

    return structs.replace(launch, findings=tuple(placed(f) for f in launch.findings))


def places_of(path: Path, launch: int, cc: str, finding: str, catalog: Catalog) -> tuple[Location, ...]:
    """The places of one finding of one launch; none where it has no measure or the report has none."""
    entry = catalog.findings.get(finding)
    if entry is None or not entry.locate:
        return ()
    wanted = measure(entry.locate)
    try:
        return places(read_listing(path, launch, (wanted,), cc=cc), wanted)
    except InputError:
        return ()
