"""A diagnosis as the JSON that other programs rely on: schemas/diagnosis.json describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.readers.workload import unit_names
from advisor.reasoning.workloads import clusters
from advisor.records.diagnosis import (
    Budget,
    Comparison,
    Diagnosis,
    Elsewhere,
    Finding,
    FixCheck,
    Form,
    LaunchDiagnosis,
    RuleVerdict,
    Speedup,
)
from advisor.records.escapes import json_text
from advisor.records.readings import ReportInfo
from advisor.view.charts.bars import known
from advisor.view.numbers import number, present
from advisor.view.pages.ncu_rules import reason_text

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
                    "units": units_dict(launch.metrics) if launch.scope == "workload" else None,
                    "band": band(launch.metrics) if launch.scope == "workload" else None,
                }
            ),
            "scope": "workload" if launch.scope == "workload" else None,
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


def comparison_dict(item: Comparison) -> dict[str, Any]:
    """One line of evidence; what is unknown is absent."""
    return present(
        {
            "observation": item.observation,
            "metric": item.metric,
            "value": number(item.value),
            "bound": item.bound or None,
            "unit": item.unit,
            "test": item.test,
            "threshold": number(item.threshold),
            "margin": number(item.margin),
            "margin_abs": number(item.margin_abs),
            "says": item.says,
            "cites": list(item.cites),
        }
    )


def report_dict(info: ReportInfo) -> dict[str, Any]:
    """One input file."""
    return present(
        {
            "path": info.path,
            "sha256": info.sha256,
            "tool": info.tool,
            "format": info.format,
            "complete": info.complete,
            "launches_missing": info.launches_missing,
            "problems": list(info.problems),
        }
    )


def budget_dict(budget: Budget) -> dict[str, Any]:
    """The `budget` of a launch."""
    together = budget.together
    return {
        "together": {
            "estimate": number(together.estimate),
            "low": number(together.low),
            "high": number(together.high),
            "next_limiter": together.next_limiter,
            "how": together.how,
        },
        "order": [
            {
                "finding": step.finding,
                "alone": number(step.alone),
                "gain": number(step.gain),
                "total": number(step.total),
                "next_limiter": step.next_limiter,
            }
            for step in budget.steps
        ],
        "left_out": list(budget.left_out),
    }


def _numbers(pairs: Mapping[str, float]) -> dict[str, Any]:
    return {name: number(value) for name, value in pairs.items()}


def _form_dict(form: Form) -> dict[str, Any]:
    return present(
        {
            "kind": form.kind,
            "result": number(form.result),
            "index": form.index or None,
            "sizes": list(form.sizes) or None,
            "numbers": _numbers(dict(form.numbers)),
        }
    )


def check_dict(check: FixCheck) -> dict[str, Any]:
    """A check as JSON; `result` is in the unit that the simulator's name tells."""
    return {
        "simulator": check.simulator,
        "of": check.of,
        "measured": _numbers(dict(check.measured)),
        "fits": [_form_dict(form) for form in check.fits],
        "after": [_form_dict(form) for form in check.after],
        "command": check.command,
    }


def verdict_dict(verdict: RuleVerdict) -> dict[str, Any]:
    """One verdict as JSON."""
    return present(
        {
            "rule": verdict.rule,
            "subject": verdict.short,
            "message": verdict.message,
            "times": verdict.times,
            "speedup": number(verdict.speedup),
            "local_pct": number(verdict.local_pct),
            "leading": verdict.leading,
            "about": list(verdict.about),
            "here": present(
                {
                    "status": verdict.status,
                    "id": verdict.subject or None,
                    "by": verdict.by or None,
                    "place": verdict.place,
                    "speedup": number(verdict.gain),
                    "evidence": [comparison_dict(item) for item in verdict.evidence],
                    "wanting": list(verdict.wanting),
                    "because": reason_text(verdict),
                }
            ),
        }
    )


def elsewhere_dict(on: Elsewhere) -> dict[str, Any]:
    """The `on` of a launch."""
    return present(
        {
            "gpu": on.gpu,
            "here": on.here,
            "ratio": number(on.ratio),
            "low": number(on.low),
            "high": number(on.high),
            "duration_ns": number(on.duration_ns),
            "duration_low_ns": number(on.duration_low_ns),
            "duration_high_ns": number(on.duration_high_ns),
            "limiter": on.leader or None,
            "units": [
                {
                    "term": unit.term,
                    "need": number(unit.need),
                    "ratio": number(unit.ratio),
                    "low": number(unit.low),
                    "high": number(unit.high),
                }
                for unit in on.units
            ],
            "occupancy_pct": number(on.occupancy_pct),
            "waves": number(on.waves),
            "class": on.class_id or None,
            "findings": list(on.findings),
            "cannot": [{"id": name, "says": text} for name, text in on.cannot],
        }
    )


def units_dict(metrics: Mapping[str, float]) -> list[dict[str, Any]]:
    """The typed units for the JSON, the fullest first, with the number of their cluster from 0."""
    names = unit_names()
    return [
        {"unit": names[unit], "metric": unit, "pct": number(metrics[unit]), "cluster": at}
        for at, group in enumerate(clusters(metrics))
        for unit in group
    ]


def band(metrics: Mapping[str, float]) -> str | None:
    """Where the top unit stands: high (over 80 %), low (under 60 %) or middle (p3.bands)."""
    top = known(metrics, "top_unit_pct")
    return None if top is None else "high" if top > 80 else "low" if top < 60 else "middle"
