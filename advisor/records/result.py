"""The result of `diagnose`, in a module of its own so that `import advisor` stays cheap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.records.diagnosis import LaunchDiagnosis, MeasuredCeilings
    from advisor.records.readings import ReportInfo


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The reports that were read, one entry per launch in the order of the reports, the measured ceilings used."""

    reports: tuple[ReportInfo, ...]
    launches: tuple[LaunchDiagnosis, ...]
    measured_ceilings: tuple[MeasuredCeilings, ...] = ()
