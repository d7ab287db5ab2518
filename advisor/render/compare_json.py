"""A comparison as the JSON that other programs rely on (schemas/compare.json); what is unknown is absent."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from advisor.model import Finding, LaunchDiagnosis, ReportInfo
from advisor.pipelines.compare.records import Condition, FindingChange, MetricChange, Pair, Runs, Trap
from advisor.pipelines.compare.thresholds import Outcome
from advisor.quantify.noise import Judged, Spread
from advisor.render.compare import word
from advisor.render.compare_results import Result

SCHEMA = "ncu-advisor/compare/1"
_DIGITS = 10


def _number(value: float | None) -> float | int | None:
    """A finite number with ten significant digits, or None."""
    if value is None or not math.isfinite(value):
        return None
    short = float(f"{value:.{_DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _present(pairs: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in pairs.items() if value is not None}


def _report(info: ReportInfo) -> dict[str, Any]:
    return _present(
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


def _conditions(items: Sequence[Condition]) -> list[dict[str, Any]]:
    return [{"id": c.id, "text": c.text, "cites": list(c.cites)} for c in items]


def _spread(seen: Spread | None, unit: str) -> dict[str, Any] | None:
    if seen is None:
        return None
    return {
        f"median_{unit}": _number(seen.median),
        f"low_{unit}": _number(seen.low),
        f"high_{unit}": _number(seen.high),
        "runs": seen.runs,
        "noise": _number(seen.noise),
    }


def _runs(runs: Runs) -> dict[str, Any]:
    launch: LaunchDiagnosis = runs.launch
    first = next((f.id for f in launch.findings if f.kind == "diagnosis"), None)
    return _present(
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
            "profiled_ns": _number(launch.duration_ns),
            "cycles": _spread(runs.cycles, "cycles"),
            "class": launch.verdict.id,
            "first": first,
        }
    )


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        "verdict": judged.word,
        "speedup": _number(judged.speedup),
        "change": _number(judged.change),
        "noise": _number(judged.noise),
    }


def _finding(finding: Finding | None) -> dict[str, Any] | None:
    if finding is None:
        return None
    told = finding.speedup
    gain = None
    if told is not None:
        gain = {
            "estimate": _number(told.estimate),
            "low": _number(told.low),
            "high": _number(told.high),
            "next_limiter": told.next_limiter,
        }
    return _present(
        {
            "kind": finding.kind,
            "confidence": _number(finding.confidence),
            "speedup": gain,
            "because": finding.because,
            "cites": list(finding.cites),
        }
    )


def _change(change: FindingChange) -> dict[str, Any]:
    return _present(
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
    return _present(
        {
            "metric": row.metric,
            "unit": row.unit,
            "before": _number(row.before),
            "after": _number(row.after),
            "change": _number(row.change),
            "change_in": None if row.change is None else "points" if row.unit == "%" else "ratio",
            "shown": row.shown,
        }
    )


def _trap(trap: Trap) -> dict[str, Any]:
    return _present(
        {
            "metric": trap.metric,
            "before": _number(trap.before),
            "after": _number(trap.after),
            "work": trap.work or None,
            "work_before": _number(trap.work_before),
            "work_after": _number(trap.work_after),
            "text": trap.text,
            "cites": list(trap.cites),
        }
    )


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return _present({"threshold": outcome.threshold.text, "crossed": outcome.crossed, "text": outcome.text})


def _pair(pair: Pair, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    kept = pair.promise
    return _present(
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
                "estimate": _number(kept.estimate),
                "low": _number(kept.low),
                "high": _number(kept.high),
                "measured": _number(kept.measured),
                "outcome": kept.outcome,
                "text": kept.text,
            },
            "next": _present(
                {
                    "advice": pair.next.advice,
                    "finding": pair.next.finding or None,
                    "gain": _number(pair.next.gain),
                    "text": pair.next.text,
                    "cites": list(pair.next.cites),
                }
            ),
            "units": [
                _present(
                    {
                        "metric": unit.metric,
                        "name": unit.name,
                        "before": _number(unit.before),
                        "after": _number(unit.after),
                        "achievable": _number(unit.achievable),
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
        "base": _report(found.base),
        "current": _report(found.current),
        "conditions": _conditions(found.conditions),
        "pairs": [_pair(pair, row) for pair, row in zip(found.pairs, outcomes, strict=True)],
        "base_only": [_runs(runs) for runs in found.base_only],
        "current_only": [_runs(runs) for runs in found.current_only],
        **({"measured_ceilings": [dict(card) for card in found.ceilings]} if found.ceilings else {}),
    }


def compare_json(result: Result) -> str:
    """The document as text: the same bytes for the same reports."""
    return json.dumps(compare_dict(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
