"""A triage as JSON (schemas/triage.json), piece by piece: no more of it is in memory at once than one group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from advisor.records.escapes import json_text
from advisor.triage.application import Application
from advisor.triage.results import Cause, Group, Triage
from advisor.view.diagnosis_json import budget_dict, comparison_dict, finding_dict
from advisor.view.numbers import number, present

SCHEMA = "ncu-advisor/triage/1"


def triage_json(
    result: Triage, *, most: int | None = None, applications: tuple[Application, ...] = ()
) -> Iterator[str]:
    """The document as pieces of text; `most`: only the first groups."""
    totals = result.totals
    head = {
        "reports": totals.reports,
        "incomplete": totals.incomplete,
        "refused": totals.refused,
        "foreign": totals.foreign,
        "launches": totals.launches,
        "groups": totals.groups,
        "duration_ns": number(totals.duration_ns),
        "back_ns": number(totals.back_ns),
    }
    yield f'{{\n "schema": {_text(SCHEMA)},\n "totals": {_text(head)},\n'
    yield from _listed("groups", (group_dict(group) for group in result.groups(most)))
    if applications:
        yield from _listed("applications", (application_dict(one) for one in applications))
    troubled = (
        {
            "path": report.path,
            "refused": report.refused or None,
            "launches": report.launches,
            "launches_missing": report.launches_missing,
            "problems": list(report.problems),
            "again": report.again or None,
        }
        for report in result.troubled()
    )
    yield from _listed("troubled", (present(one) for one in troubled))
    yield from _listed("foreign", ({"path": path, "why": why} for path, why in result.foreign()))
    yield from _listed("problems", ({"path": path, "why": why} for path, why in result.problems))
    yield f' "measured_ceilings": {_text(list(result.measured))}\n}}\n'


def _text(value: Any) -> str:
    return json_text(value)


def _listed(name: str, values: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield f' "{name}": ['
    between = "\n"
    for value in values:
        yield f"{between}  {_text(value)}"
        between = ",\n"
    yield "],\n"


def _cause(cause: Cause) -> dict[str, Any]:
    return present(
        {
            "id": cause.id,
            "title": cause.title,
            "launches": cause.launches,
            "first": cause.first,
            "back_ns": number(cause.back_ns),
            "back_low_ns": number(cause.low_ns),
            "back_high_ns": number(cause.high_ns),
            "speedup": number(cause.speedup),
        }
    )


def group_dict(group: Group) -> dict[str, Any]:
    """One group."""
    stands = group.stands
    verdict = stands.verdict
    example = {
        "report": stands.report,
        "index": stands.index,
        "duration_ns": number(stands.duration_ns),
        "back_ns": number(stands.back_ns),
        "class": present(
            {
                "id": verdict.id,
                "margin": number(verdict.margin),
                "because": verdict.because,
                "evidence": [comparison_dict(item) for item in verdict.evidence],
            }
        ),
        "finding": finding_dict(stands.finding) if stands.finding is not None else None,
        "budget": budget_dict(stands.budget) if stands.budget is not None else None,
    }
    return present(
        {
            "kernel": group.kernel,
            "kernel_full": group.kernel_full,
            "grid": list(group.grid) or None,
            "block": list(group.block) or None,
            "gpu": {"name": group.gpu_name, "cc": group.cc, "known_as": group.known_as},
            "scope": group.scope,
            "launches": group.launches,
            "reports": group.reports,
            "untimed": group.untimed,
            "duration_ns": number(group.duration_ns),
            "shortest_ns": number(group.shortest_ns),
            "longest_ns": number(group.longest_ns),
            "classes": dict(group.classes),
            "first": group.first or None,
            "fix": group.fix or None,
            "back_ns": number(group.back_ns),
            "back_low_ns": number(group.low_ns),
            "back_high_ns": number(group.high_ns),
            "speedup": number(group.speedup),
            "causes": [_cause(cause) for cause in group.causes],
            "remarks": dict(group.remarks),
            "example": present(example),
        }
    )


def application_dict(one: Application) -> dict[str, Any]:
    """The budget of one GPU of a trace; a gain without bound is absent."""
    return present(
        {
            "trace": one.trace,
            "gpu": one.gpu,
            "basis": one.basis,
            "whole_ns": number(one.whole_ns),
            "gain": number(one.gain),
            "gain_all": number(one.gain_all),
            "overlap": number(one.overlap),
            "profiled_pct": number(one.profiled_pct),
            "kernels": [
                present(
                    {
                        "kernel": k.kernel,
                        "kernel_full": k.kernel_full,
                        "launches": k.launches,
                        "time_ns": number(k.time_ns),
                        "share_pct": number(k.share_pct),
                        "profiled": k.profiled,
                        "fix": k.fix or None,
                        "speedup": number(k.speedup),
                        "speedup_all": number(k.speedup_all),
                        "back_ns": number(k.back_ns),
                        "back_all_ns": number(k.back_all_ns),
                        "gain": number(k.gain),
                    }
                )
                for k in one.kernels
            ],
            "unprofiled": [{"kernel": name, "share_pct": number(share)} for name, share in one.unprofiled],
        }
    )
