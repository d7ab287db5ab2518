"""The result of `diagnose`, in a separate module so that `import advisor` stays fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.records.diagnosis import LaunchDiagnosis, MeasuredCeilings
    from advisor.records.readings import ReportInfo


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A diagnosis: the reports, one entry per launch in the order of the reports, and the measured ceilings used."""

    reports: tuple[ReportInfo, ...]
    launches: tuple[LaunchDiagnosis, ...]
    measured_ceilings: tuple[MeasuredCeilings, ...] = ()
