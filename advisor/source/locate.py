"""The places in the code that carry a finding.

Findings get their places in the code: read from the report on demand, since that takes time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from advisor.knowledge.base import Catalog
from advisor.records.diagnosis import Diagnosis, Finding, LaunchDiagnosis, Location
from advisor.records.errors import InputError
from advisor.records.readings import Progress
from advisor.source.hotspots import Spot, lines, spots
from advisor.source.listing import Listing, read_listing
from advisor.source.measures import Measure, measure
from advisor.source.view import read_texts

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


# (place of the report, file as the report names it) -> its lines.
Texts = dict[tuple[int, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Located:
    """A diagnosis with `locations`; what went wrong, each once; and the text of the files that the places are in."""

    diagnosis: Diagnosis
    problems: tuple[str, ...] = ()
    texts: Mapping[tuple[int, str], tuple[str, ...]] = field(default_factory=dict)


def located(diagnosis: Diagnosis, catalog: Catalog, progress: Progress | None = None) -> tuple[Diagnosis, list[str]]:
    """The diagnosis with `locations` in the first finding of each launch of a binary report, and what went wrong.

    A child process a launch, several tenths of a second. Launches whose first finding has no measure stay as they are.
    """
    found = locate_findings(diagnosis, catalog, progress)
    return found.diagnosis, list(found.problems)


def locate_findings(
    diagnosis: Diagnosis,
    catalog: Catalog,
    progress: Progress | None = None,
    *,
    positions: Collection[int] | None = None,
    every: bool = False,
    jobs: int = 2,
) -> Located:
    """The same with the source texts, of the launches at some positions only, of every diagnosis or the first.

    jobs: launches read at a time.
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

    found, lines = locate_all(Path(report.path), launch.index, tuple(measures.values()), launch.cc)
    texts.update({(launch.report, file): text for file, text in lines.items()})

    def placed(finding: Finding) -> Finding:
        return replace(finding, locations=found[measures[finding.id]]) if finding.id in measures else finding

    return replace(launch, findings=tuple(placed(f) for f in launch.findings))


def places_of(path: Path, launch: int, cc: str, finding: str, catalog: Catalog) -> tuple[Location, ...]:
    """The places of one finding of one launch; none where it has no measure or the report tells none."""
    entry = catalog.findings.get(finding)
    if entry is None or not entry.locate:
        return ()

    try:
        return locate(path, launch, entry.locate, cc)
    except InputError:
        return ()
