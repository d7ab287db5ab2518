"""The result of `diagnose`, in a module of its own so that `import advisor` stays cheap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.records.diagnosis import LaunchDiagnosis
    from advisor.records.readings import ReportInfo


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The reports that were read, and one entry per launch, in the order of the reports."""

    reports: tuple[ReportInfo, ...]
    launches: tuple[LaunchDiagnosis, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)
