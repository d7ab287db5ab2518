"""Find the places in the code that cause a finding; read the report only on demand, because that takes time."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec import Struct, field, structs

from advisor.knowledge.base import Catalog
from advisor.readers.emulated import read_locations
from advisor.readers.launch_code import CodeReader
from advisor.records.diagnosis import Diagnosis, Finding, IssueSlots, LaunchDiagnosis, Location, Place
from advisor.records.emulated import FORMAT
from advisor.records.errors import InputError
from advisor.records.readings import Progress
from advisor.source.blame import blamed
from advisor.source.hotspots import Spot, lines, spots
from advisor.source.listing import Listing, listing_of, read_listing
from advisor.source.measures import LOST, MEASURES, Measure, measure
from advisor.source.view import read_texts

MOST = 3
# (index of the report, file as the report names it) -> its lines
Texts = dict[tuple[int, str], tuple[str, ...]]
# A place with a smaller share of the measure is not worth showing.
_LEAST_SHARE = 0.05
_LEAST_LOST = 1.0  # percent of the issue slots from which the place of a stall reason is worth reading
_IN_CODE = {"no_instruction": "no_instructions"}  # reasons that samples of instructions name otherwise
_ELSE = "samples"  # the measure of a finding whose own no instruction has


def places(listing: Listing, wanted: Measure, most: int = MOST) -> tuple[Location, ...]:
    """Return at most `most` places of a launch with the largest measure, largest first.

    A place is a source line, with its hottest instruction and the line's share; inlined code is placed in the inlined
    function, with the calls that led there. Without line information it is an instruction (file '' and line 0). Empty
    if the report lacks the counters of the measure.
    """
    values = listing.values(wanted)
    return () if values is None else hottest(spots(listing, values), wanted.id, most)


def hottest(found: Sequence[Spot], measure_id: str, most: int = MOST) -> tuple[Location, ...]:
    """Return the places of the instructions whose measure is above zero, hottest first."""
    hot = [(line.file, line.line, line.spots[0], line.share) for line in lines(found)]
    hot = hot or [("", 0, spot, spot.share) for spot in found]
    return tuple(
        Location(
            file,
            line,
            spot.row.pc,
            spot.row.sass,
            measure_id,
            share,
            tuple(Place(*call) for call in spot.row.calls),
            spot.share,
        )
        for file, line, spot, share in hot[:most]
        if share >= _LEAST_SHARE
    )


class Located(Struct, frozen=True):
    """A diagnosis with `locations`; the distinct errors; and the text of the files that the places are in."""

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
    """Add `locations` to the first finding of each launch of a binary report, or to `every` diagnosis.

    Each launch takes a tenth of a second and more; jobs: launches to read in parallel. positions: the
    launches to locate, by default all. Launches whose findings have no measure stay unchanged.
    """
    problems: list[str] = []
    texts: Texts = {}
    chosen = sorted(range(len(diagnosis.launches)) if positions is None else positions)
    launches = list(diagnosis.launches)
    # Each thread waits for a process of its own.
    with _Readers() as readers, ThreadPoolExecutor(jobs) as pool:
        work = [pool.submit(_located, diagnosis, catalog, launches[at], every, texts, readers) for at in chosen]
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
    return Located(dataclasses.replace(diagnosis, launches=tuple(launches)), tuple(dict.fromkeys(problems)), texts)


class _Readers:
    """The readers of reports that no thread uses, at most one for each thread: each has a child process."""

    def __init__(self) -> None:
        self._free: list[CodeReader] = []
        self._lock = threading.Lock()

    @contextmanager
    def of(self, path: Path) -> Iterator[CodeReader]:
        """Lend a reader of a report; a free one of another report is closed for it."""
        with self._lock:
            found = next((one for one in self._free if one.path == path), None)
            other = self._free[0] if found is None and self._free else None
            self._free = [one for one in self._free if one is not found and one is not other]
        if other is not None:
            other.close()
        reader = found or CodeReader(path)
        try:
            yield reader
        finally:
            with self._lock:
                self._free.append(reader)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for one in self._free:
            one.close()


def _located_by_document(launch: LaunchDiagnosis, path: Path, measures: Mapping[str, str]) -> LaunchDiagnosis:
    """Add the places that an emulated launch has in its document."""
    if not path.is_file():
        return launch
    known = read_locations(path)

    def placed(finding: Finding) -> Finding:
        if finding.id not in measures or finding.id not in known:
            return finding
        places = tuple(
            Location(p.file, p.line, p.address, p.sass, measures[finding.id], p.share, sass_share=p.share)
            for p in known[finding.id]
        )
        return structs.replace(finding, locations=places)

    return structs.replace(launch, findings=tuple(map(placed, launch.findings)))


def _located(
    diagnosis: Diagnosis,
    catalog: Catalog,
    launch: LaunchDiagnosis,
    every: bool,
    texts: Texts,
    readers: _Readers,
) -> LaunchDiagnosis:
    report = diagnosis.reports[launch.report]
    seen = [f for f in launch.findings if f.kind == "diagnosis"]
    measures = {f.id: m for f in (seen if every else seen[:1]) if (m := catalog.findings[f.id].locate)}
    if report.format == FORMAT:
        return _located_by_document(launch, Path(report.path.partition("#")[0]), measures)
    lost = lost_measures(launch)
    if report.format != "ncu-rep" or not (measures or lost):
        return launch
    wanted = [measure(name) for name in dict.fromkeys(measures.values())]
    needed = (*wanted, *lost.values(), MEASURES[_ELSE])
    with readers.of(Path(report.path)) as reader:
        listing = listing_of(reader, launch.index, needed, cc=launch.cc)
    found = {each.id: places_or_hot(listing, each) for each in wanted}
    files = dict.fromkeys(place.file for row in found.values() for place in row if place.file)
    texts.update({(launch.report, file): text for file, text in read_texts(files, (), listing.sources).items()})

    def placed(finding: Finding) -> Finding:
        return structs.replace(finding, locations=found[measures[finding.id]]) if finding.id in measures else finding

    return structs.replace(
        launch, findings=tuple(placed(f) for f in launch.findings), issue_slots=placed_slots(launch, listing)
    )


def lost_measures(launch: LaunchDiagnosis) -> dict[str, Measure]:
    """Return the measures of the reasons that cost a launch most issue slots, by reason; empty if that is unknown."""
    lost = () if launch.issue_slots is None else launch.issue_slots.lost
    reasons = [one.reason for one in lost if one.percent >= _LEAST_LOST]
    names = {reason: _IN_CODE.get(reason, reason) for reason in reasons}
    return {reason: LOST[name] for reason, name in names.items() if name in LOST}


def placed_slots(launch: LaunchDiagnosis, listing: Listing) -> IssueSlots | None:
    """Return the account of the issue slots with the producers or the hottest place of each loss worth reading."""
    slots = launch.issue_slots
    if slots is None:
        return None
    wanted = lost_measures(launch)
    lost, unattributed = [], 0.0
    for one in slots.lost:
        measure = wanted.get(one.reason)
        if measure is None:
            unattributed += one.percent
        elif measure.blames and listing.has_code:
            one = blamed(listing, one, measure)
            unattributed += one.percent if one.unattributed is None else one.unattributed
        elif listing.has_code and (found := places(listing, measure, 1)):
            one = structs.replace(one, locations=found)
        else:
            unattributed += one.percent
        lost.append(one)
    return structs.replace(slots, lost=tuple(lost), unattributed=min(100.0, unattributed))


def places_of(path: Path, launch: int, cc: str, finding: str, catalog: Catalog) -> tuple[Location, ...]:
    """Return the places of a launch's finding; empty if it has no measure or the report has no counters."""
    entry = catalog.findings.get(finding)
    if entry is None or not entry.locate:
        return ()
    wanted = measure(entry.locate)
    try:
        return places_or_hot(read_listing(path, launch, (wanted, MEASURES[_ELSE]), cc=cc), wanted)
    except InputError:
        return ()


def places_or_hot(listing: Listing, wanted: Measure) -> tuple[Location, ...]:
    """Return the places of a measure; where it is known that no instruction has any of it, those that are sampled most.

    A rule may see a cause of a diagnosis that leaves no trace in its measure, such as an array in registers whose
    places are compared one after the other.
    """
    values = listing.values(wanted)
    return places(listing, wanted if values is None or any(values) else MEASURES[_ELSE])
