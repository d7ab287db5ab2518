"""The JSON document of `diagnose`."""

from __future__ import annotations

from typing import Literal

from advisor.reasoning.engine.explain import BlockedRule, Proof
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis, MeasuredCeilings
from advisor.records.readings import ReportInfo
from advisor.records.record import Count, Record


class Explanation(Record, kw_only=True):
    """How a finding or class was concluded on a launch (proof), or what kept its rules from firing (rules)."""

    launch: Count
    kind: Literal["how", "why_not"]
    id: str
    proof: Proof | None = None
    rules: tuple[BlockedRule, ...] | None = None


class DiagnosisDocument(Record, tag_field="schema", tag="ncu-advisor/diagnosis/1"):
    """Output of `ncu-advisor diagnose --format json`.

    measured_ceilings: absent if no measured ceiling was used.
    """

    reports: tuple[ReportInfo, ...]
    launches: tuple[LaunchDiagnosis, ...]
    measured_ceilings: tuple[MeasuredCeilings, ...] = ()
    explanations: tuple[Explanation, ...] = ()


def diagnosis_document(diagnosis: Diagnosis, explanations: tuple[Explanation, ...] = ()) -> DiagnosisDocument:
    """Return the document of a diagnosis."""
    return DiagnosisDocument(diagnosis.reports, diagnosis.launches, diagnosis.measured_ceilings, explanations)
