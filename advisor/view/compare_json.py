"""A comparison as the JSON that other programs rely on (schemas/compare.json); what is unknown is absent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from advisor.compare.records import Condition, FindingChange, MetricChange, Pair, Runs, Trap
from advisor.compare.thresholds import Outcome
from advisor.reasoning.time_model.noise import Judged, Spread
from advisor.records.diagnosis import Finding, LaunchDiagnosis
from advisor.records.escapes import json_text
from advisor.view.diagnosis_json import report_dict
from advisor.view.numbers import number, present
from advisor.view.pages.compare import Result, word

SCHEMA = "ncu-advisor/compare/1"


def _conditions(items: Sequence[Condition]) -> list[dict[str, Any]]:
    return [{"id": c.id, "text": c.text, "cites": list(c.cites)} for c in items]


def _spread(seen: Spread | None, unit: str) -> dict[str, Any] | None:
    if seen is None:
        return None
    return {
        f"median_{unit}": number(seen.median),
        f"low_{unit}": number(seen.low),
        f"high_{unit}": number(seen.high),
        "runs": seen.runs,
        "noise": number(seen.noise),
    }


def _runs(runs: Runs) -> dict[str, Any]:
    launch: LaunchDiagnosis = runs.launch
    first = next((f.id for f in launch.findings if f.kind == "diagnosis"), None)
    return present(
        {
            "kernel": launch.kernel,
            "kernel_full": launch.kernel_full,
            "grid": list(launch.grid) if launch.grid else None,
            "block": list(launch.block) if launch.block else None,
            "launches": list(runs.indexes),
            "shown": launch.index,
            "gpu": {"name": launch.gpu_name, "cc": launch.cc, "known_as": launch.known_as},
            "measured": runs.measured,
            "time": _spread(runs.times, "ns"),
            "profiled_ns": number(launch.duration_ns),
            "cycles": _spread(runs.cycles, "cycles"),
            "class": launch.verdict.id,
            "first": first,
        }
    )


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        "verdict": judged.word,
        "speedup": number(judged.speedup),
        "change": number(judged.change),
        "noise": number(judged.noise),
    }


def _finding(finding: Finding | None) -> dict[str, Any] | None:
    if finding is None:
        return None
    told = finding.speedup
    gain = None
    if told is not None:
        gain = {
            "estimate": number(told.estimate),
            "low": number(told.low),
            "high": number(told.high),
            "next_limiter": told.next_limiter,
        }
    return present(
        {
            "kind": finding.kind,
            "confidence": number(finding.confidence),
            "speedup": gain,
            "because": finding.because,
            "cites": list(finding.cites),
        }
    )


def _change(change: FindingChange) -> dict[str, Any]:
    return present(
        {
            "id": change.id,
            "title": change.title,
            "kind": change.kind,
            "state": change.state,
            "before": _finding(change.before),
            "after": _finding(change.after),
            "text": change.text or None,
        }
    )


def _metric(row: MetricChange) -> dict[str, Any]:
    return present(
        {
            "metric": row.metric,
            "unit": row.unit,
            "before": number(row.before),
            "after": number(row.after),
            "change": number(row.change),
            "change_in": None if row.change is None else "points" if row.unit == "%" else "ratio",
            "shown": row.shown,
        }
    )


def _trap(trap: Trap) -> dict[str, Any]:
    return present(
        {
            "metric": trap.metric,
            "before": number(trap.before),
            "after": number(trap.after),
            "work": trap.work or None,
            "work_before": number(trap.work_before),
            "work_after": number(trap.work_after),
            "text": trap.text,
            "cites": list(trap.cites),
        }
    )


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return present({"threshold": outcome.threshold.text, "crossed": outcome.crossed, "text": outcome.text})


def pair_dict(pair: Pair, outcomes: Sequence[Outcome] = ()) -> dict[str, Any]:
    """One kernel before and after."""
    kept = pair.promise
    return present(
        {
            "matched": pair.matched,
            "base": _runs(pair.base),
            "current": _runs(pair.current),
            **(_judged(pair.judged) if pair.judged is not None else {"verdict": word(pair)}),
            "by_cycles": _judged(pair.by_cycles) if pair.by_cycles is not None else None,
            "conditions": _conditions(pair.conditions),
            "findings": [_change(change) for change in pair.findings],
            "promise": None
            if kept is None
            else {
                "id": kept.id,
                "estimate": number(kept.estimate),
                "low": number(kept.low),
                "high": number(kept.high),
                "measured": number(kept.measured),
                "outcome": kept.outcome,
                "text": kept.text,
            },
            "next": present(
                {
                    "advice": pair.next.advice,
                    "finding": pair.next.finding or None,
                    "gain": number(pair.next.gain),
                    "text": pair.next.text,
                    "cites": list(pair.next.cites),
                }
            ),
            "units": [
                present(
                    {
                        "metric": unit.metric,
                        "name": unit.name,
                        "before": number(unit.before),
                        "after": number(unit.after),
                        "achievable": number(unit.achievable),
                    }
                )
                for unit in pair.units
            ],
            "traps": [_trap(trap) for trap in pair.traps],
            "metrics": [_metric(row) for row in pair.metrics],
            "fail_on": [_outcome(outcome) for outcome in outcomes],
        }
    )


def compare_dict(result: Result) -> dict[str, Any]:
    """The whole document, every metric included."""
    found = result.compared
    outcomes = result.outcomes or tuple(() for _ in found.pairs)
    return {
        "schema": SCHEMA,
        "base": report_dict(found.base),
        "current": report_dict(found.current),
        "conditions": _conditions(found.conditions),
        "pairs": [pair_dict(pair, row) for pair, row in zip(found.pairs, outcomes, strict=True)],
        "base_only": [_runs(runs) for runs in found.base_only],
        "current_only": [_runs(runs) for runs in found.current_only],
        **({"measured_ceilings": [dict(card) for card in found.ceilings]} if found.ceilings else {}),
    }


def compare_json(result: Result) -> str:
    """The document as text: the same bytes for the same reports."""
    return json_text(compare_dict(result), indent=1) + "\n"
