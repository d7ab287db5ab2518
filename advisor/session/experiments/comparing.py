"""Find the launch of a new report that a former version is compared with, and compare them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from advisor.compare.compare import compare_diagnoses, match, runs_of
from advisor.compare.records import Compared
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis
from advisor.records.errors import UsageError
from advisor.session.records import VersionComparison
from advisor.view.text import file_name

if TYPE_CHECKING:
    from advisor.knowledge.base import Catalog
    from advisor.session.executor import Judged

_SHOWN = 60  # characters of a kernel's name in a line


def compare(
    catalog: Catalog,
    before: Diagnosis,
    current: Judged,
    launch: int | None,
    answers: Mapping[str, float | str],
) -> VersionComparison:
    """Compare `before`, which holds the former launch alone. launch: its index in the new report, None for the match.

    The answers are applied to the launch found, so that both sides use the same ones. Raises UsageError, with advice,
    if no launch or several kernels match.
    """
    position = _position(before.launches[0], current.diagnosis, launch)
    judged = current.answered(position, answers) if answers else current
    now = judged.diagnosis.launches[position]
    reports = judged.diagnosis.reports
    info = reports[now.report] if now.report < len(reports) else reports[0]
    alone = dataclasses.replace(judged.diagnosis, reports=(info,), launches=(now,))
    # Another GPU is not an error: the comparison reports it, and which conclusions still hold.
    return VersionComparison(judged.diagnosis, position, compare_diagnoses(before, alone, catalog, force=True))


def compare_launches(catalog: Catalog, diagnosis: Diagnosis, before: int, after: int) -> Compared:
    """Compare two launches of a diagnosis by their positions, whatever their kernels, reports and GPUs."""

    def alone(position: int) -> Diagnosis:
        launch = diagnosis.launches[position]
        info = diagnosis.reports[launch.report] if launch.report < len(diagnosis.reports) else diagnosis.reports[0]
        named = replace(info, path=f"{info.path}#{launch.index}")
        return dataclasses.replace(diagnosis, reports=(named,), launches=(replace(launch, report=0),))

    return compare_diagnoses(alone(before), alone(after), catalog, force=True)


def _position(former: LaunchDiagnosis, found: Diagnosis, launch: int | None) -> int:
    """Return the index of the given launch, else of one with the same kernel and shape, else the same kernel."""
    name = found.reports[0].path if found.reports else ""
    if launch is not None:
        at = next((at for at, each in enumerate(found.launches) if each.index == launch), None)
        if at is None:
            highest = max((each.index for each in found.launches), default=0)
            raise UsageError(f"{file_name(name)} has no launch {launch}: launches are numbered 0 to {highest}")
        return at
    couples, _, _ = match(runs_of((former,)), runs_of(found.launches))
    if not couples:
        raise UsageError(
            f"{file_name(name)} holds no launch of {former.kernel[:_SHOWN]}: name the launch to compare as "
            f"{file_name(name)}#N"
        )
    wanted = couples[0][1].launch
    return next(at for at, each in enumerate(found.launches) if each is wanted)
