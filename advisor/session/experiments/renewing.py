"""A new version beside the old: which launch of the new report it is, and what changed. Done by the desk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.compare.compare import compare_diagnoses
from advisor.compare.matching import match, runs_of
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis
from advisor.records.errors import UsageError
from advisor.session.records import Renewed

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
) -> Renewed:
    """`before` holds the former launch alone. launch: the index of the one meant in the new report, None for the match.

    The answers are applied to the launch found, so that both sides are judged with them. UsageError, with what to do,
    where no launch or several kernels could be meant.
    """
    position = _position(before.launches[0], current.diagnosis, launch)
    judged = current.answered(position, answers) if answers else current
    now = judged.diagnosis.launches[position]
    reports = judged.diagnosis.reports
    info = reports[now.report] if now.report < len(reports) else reports[0]
    alone = replace(judged.diagnosis, reports=(info,), launches=(now,))
    # Another card is no mistake here: the comparison says so, and what can still be said.
    return Renewed(judged.diagnosis, position, compare_diagnoses(before, alone, catalog, force=True))


def _position(former: LaunchDiagnosis, found: Diagnosis, launch: int | None) -> int:
    """The place of the launch to compare: the one named, else of the same kernel and shape, else of the same kernel."""
    name = found.reports[0].path if found.reports else ""
    if launch is not None:
        at = next((at for at, each in enumerate(found.launches) if each.index == launch), None)
        if at is None:
            highest = max((each.index for each in found.launches), default=0)
            raise UsageError(f"{_last(name)} has no launch {launch}: they count from 0 to {highest}")
        return at
    couples, _, _ = match(runs_of((former,)), runs_of(found.launches))
    if not couples:
        raise UsageError(
            f"{_last(name)} holds no launch of {former.kernel[:_SHOWN]}: name the launch that is meant as "
            f"{_last(name)}#N"
        )
    wanted = couples[0][1].launch
    return next(at for at, each in enumerate(found.launches) if each is wanted)


def _last(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
