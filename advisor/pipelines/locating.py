"""Findings get their places in the code: read from the report on demand, since that takes time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from advisor.catalog import Catalog
from advisor.errors import InputError
from advisor.model import Diagnosis, Finding, LaunchDiagnosis, Location, Progress

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
    from advisor.source.locate import locate_all

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
    from advisor.source.locate import locate

    try:
        return locate(path, launch, entry.locate, cc)
    except InputError:
        return ()
