"""A diagnosis as the JSON that other programs rely on: schemas/diagnosis.json describes it."""

from __future__ import annotations

from typing import Any

from advisor.records.diagnosis import Diagnosis, Finding, LaunchDiagnosis, Speedup
from advisor.records.escapes import json_text
from advisor.view.budget import budget_dict
from advisor.view.fix_simulation import check_dict
from advisor.view.ncu_rules import verdict_dict
from advisor.view.other_gpu import elsewhere_dict
from advisor.view.text import comparison_dict, number, present, report_dict
from advisor.view.workload import SCOPE, band, units_dict

SCHEMA = "ncu-advisor/diagnosis/1"


def _speedup(speedup: Speedup | None) -> dict[str, Any] | None:
    if speedup is None:
        return None
    return {
        "estimate": number(speedup.estimate),
        "low": number(speedup.low),
        "high": number(speedup.high),
        "next_limiter": speedup.next_limiter,
        "how": speedup.how,
    }


def finding_dict(finding: Finding) -> dict[str, Any]:
    """One finding."""
    fix = finding.fix
    return present(
        {
            "id": finding.id,
            "kind": finding.kind,
            "title": finding.title,
            "confidence": number(finding.confidence),
            "speedup": _speedup(finding.speedup),
            "evidence": [comparison_dict(item) for item in finding.evidence],
            "because": finding.because,
            "rules": list(finding.rules),
            "undecided": list(finding.undecided),
            "locations": [
                {
                    "file": place.file,
                    "line": place.line,
                    "pc": place.pc,
                    "sass": place.sass,
                    "metric": place.metric,
                    "share": number(place.share),
                    "calls": [{"file": file, "line": line} for file, line in place.calls],
                }
                for place in finding.locations
            ],
            "fix": None
            if fix is None
            else present(
                {
                    "id": fix.id,
                    "summary": fix.summary,
                    "steps": list(fix.steps),
                    "costs": fix.costs,
                    "practice": fix.practice,
                    "see": list(fix.see),
                    "check": check_dict(fix.check) if fix.check is not None else None,
                }
            ),
            "cites": list(finding.cites),
        }
    )


def launch_dict(launch: LaunchDiagnosis) -> dict[str, Any]:
    """One launch."""
    return present(
        {
            "report": launch.report,
            "index": launch.index,
            "kernel": launch.kernel,
            "kernel_full": launch.kernel_full,
            "grid": list(launch.grid) if launch.grid else None,
            "block": list(launch.block) if launch.block else None,
            "duration_ns": number(launch.duration_ns),
            "gpu": {"name": launch.gpu_name, "cc": launch.cc, "known_as": launch.known_as},
            "class": present(
                {
                    "id": launch.verdict.id,
                    "margin": number(launch.verdict.margin),
                    "because": launch.verdict.because,
                    "evidence": [comparison_dict(item) for item in launch.verdict.evidence],
                    "notes": list(launch.verdict.notes),
                    "units": units_dict(launch.metrics) if launch.scope == SCOPE else None,
                    "band": band(launch.metrics) if launch.scope == SCOPE else None,
                }
            ),
            "scope": SCOPE if launch.scope == SCOPE else None,
            "findings": [finding_dict(finding) for finding in launch.findings],
            "budget": budget_dict(launch.budget) if launch.budget is not None else None,
            "on": elsewhere_dict(launch.on) if launch.on is not None else None,
            "ncu_rules": [verdict_dict(verdict) for verdict in launch.ncu_rules] or None,
            "questions": [
                {
                    "id": q.id,
                    "ask": q.ask,
                    "why": q.why,
                    "would_change": list(q.would_change),
                    "kind": q.kind,
                    "unit": q.unit,
                    "choices": dict(q.choices),
                }
                for q in launch.questions
            ],
            "missing": [
                {"metric": m.metric, "needed_for": list(m.needed_for), "collect": m.collect} for m in launch.missing
            ],
        }
    )


def diagnosis_dict(diagnosis: Diagnosis) -> dict[str, Any]:
    """The whole document."""
    return {
        "schema": SCHEMA,
        "reports": [report_dict(info) for info in diagnosis.reports],
        "launches": [launch_dict(launch) for launch in diagnosis.launches],
        **diagnosis.extra,
    }


def diagnosis_json(diagnosis: Diagnosis) -> str:
    """The document as text: sorted nowhere by chance, so two runs give the same bytes."""
    return json_text(diagnosis_dict(diagnosis), indent=1) + "\n"
