"""The first finding of a launch gets its places in the code: read from the report on demand, since that takes time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from advisor.catalog import Catalog
from advisor.errors import InputError
from advisor.model import Diagnosis, LaunchDiagnosis
from advisor.pipelines.diagnose import Progress


def located(diagnosis: Diagnosis, catalog: Catalog, progress: Progress | None = None) -> tuple[Diagnosis, list[str]]:
    """The diagnosis with `locations` in the first finding of each launch of a binary report, and what went wrong.

    A child process a launch, several tenths of a second. Launches whose first finding has no measure stay as they are.
    """
    problems: list[str] = []
    launches = []
    for number, launch in enumerate(diagnosis.launches):
        if progress is not None:
            progress("locate", number, len(diagnosis.launches))
        try:
            launches.append(_located(diagnosis, catalog, launch))
        except InputError as e:
            problems.append(str(e))
            launches.append(launch)
    return replace(diagnosis, launches=tuple(launches)), list(dict.fromkeys(problems))


def _located(diagnosis: Diagnosis, catalog: Catalog, launch: LaunchDiagnosis) -> LaunchDiagnosis:
    at = next((i for i, f in enumerate(launch.findings) if f.kind == "diagnosis"), None)
    report = diagnosis.reports[launch.report]
    if at is None or report.format != "ncu-rep":
        return launch
    measure = catalog.findings[launch.findings[at].id].locate
    if not measure:
        return launch
    from advisor.source.locate import locate

    places = locate(Path(report.path), launch.index, measure, launch.cc)
    findings = list(launch.findings)
    findings[at] = replace(findings[at], locations=places)
    return replace(launch, findings=tuple(findings))
