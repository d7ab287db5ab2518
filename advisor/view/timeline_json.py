"""An analysis of traces as JSON: schemas/timeline.json describes it."""

from __future__ import annotations

from typing import Any

from advisor.records.escapes import json_text
from advisor.timeline.kernels import KernelRank
from advisor.timeline.results import GpuTimeline, Moment, TimelineResult
from advisor.view.diagnosis_json import comparison_dict, finding_dict
from advisor.view.numbers import number, present

SCHEMA = "ncu-advisor/timeline/1"


def timeline_json(result: TimelineResult) -> str:
    """The document."""
    return json_text(timeline_dict(result), indent=1)


def timeline_dict(result: TimelineResult) -> dict[str, Any]:
    """The document as plain data; what is unknown is absent."""
    both = result.together
    return present(
        {
            "schema": SCHEMA,
            "traces": [
                present(
                    {
                        "path": t.path,
                        "sha256": t.sha256,
                        "format": t.form,
                        "tool": t.tool,
                        "schema_version": t.schema,
                        "complete": t.complete,
                        "problems": list(t.problems),
                        "run_ns": t.run,
                    }
                )
                for t in result.traces
            ],
            "unreadable": [{"path": path, "why": why} for path, why in result.failed],
            "gpus": [_gpu(result, gpu) for gpu in result.gpus],
            "together": None
            if both is None
            else present(
                {
                    "kernels": [
                        {"name": name, "launches": count, "total_ns": number(total), "share_pct": number(share)}
                        for name, count, total, share in both.kernels
                    ],
                    "busiest": both.busiest,
                    "idlest": both.idlest,
                    "late": both.late,
                    "notes": list(both.notes),
                }
            ),
        }
    )


def _gpu(result: TimelineResult, gpu: GpuTimeline) -> dict[str, Any]:
    command = gpu.command
    return present(
        {
            "trace": gpu.trace,
            "device": gpu.gpu if gpu.gpu >= 0 else None,
            "name": gpu.name or None,
            "window": {"start_ns": gpu.window[0], "end_ns": gpu.window[1]} if gpu.window is not None else None,
            "metrics": {name: number(value) for name, value in gpu.values.items()},
            "decision": present(
                {
                    "id": gpu.decision.id,
                    "title": gpu.decision.title,
                    "because": gpu.decision.because,
                    "margin": number(gpu.decision.margin),
                    "evidence": [comparison_dict(item) for item in gpu.decision.evidence],
                    "next": list(gpu.next),
                    "kernel": gpu.target.name if gpu.target is not None else None,
                }
            ),
            "patterns": [
                {**finding_dict(p.finding), "typical": p.typical, "moments": [_moment(m) for m in p.moments]}
                for p in gpu.patterns
            ],
            "unknown": [
                {
                    "id": one.id,
                    "metrics": list(one.wanting),
                    "because": [result.parts[p][0] for p in one.parts if p in result.parts],
                    "get": [result.parts[p][1] for p in one.parts if p in result.parts],
                }
                for one in gpu.unseen
            ],
            "kernels": [_kernel(kernel) for kernel in gpu.kernels],
            "ncu": None
            if command is None
            else present(
                {
                    "command": command.command,
                    "kernel": command.kernel,
                    "launch_skip": command.skip,
                    "launch_count": command.count,
                    "nvtx_include": command.range or None,
                    "grid": list(command.grid) if command.grid else None,
                    "block": list(command.block) if command.block else None,
                    "shapes": command.shapes or None,
                    "shape_share_pct": number(command.shape_share) if command.shape_share is not None else None,
                    "each_gpu": command.each_gpu,
                    "start_ns": command.start,
                    "duration_ns": command.duration,
                }
            ),
            "notes": list(gpu.notes),
        }
    )


def _moment(moment: Moment) -> dict[str, Any]:
    return present(
        {
            "kind": moment.kind,
            "start_ns": moment.start,
            "duration_ns": moment.duration,
            "what": moment.what or None,
            "before": moment.before or None,
            "after": moment.after or None,
            "bytes": moment.size,
            "pageable": moment.pageable,
            "call": moment.call or None,
            "system_call": moment.system or None,
            "range": moment.range or None,
            "call_pct": None if moment.call_share is None else number(100 * moment.call_share),
            "system_call_pct": None if moment.system_share is None else number(100 * moment.system_share),
        }
    )


def _kernel(kernel: KernelRank) -> dict[str, Any]:
    return present(
        {
            "name": kernel.name,
            "short": kernel.short,
            "launches": kernel.launches,
            "total_ns": number(kernel.total),
            "covered_ns": number(kernel.covered),
            "share_pct": number(kernel.share),
            "busy_pct": number(kernel.busy),
            "mean_ns": number(kernel.mean),
            "shortest_ns": number(kernel.shortest),
            "longest_ns": number(kernel.longest),
            "window_bound": number(kernel.bound),
            "run_bound": number(kernel.run_bound),
            "communication": kernel.communication,
        }
    )
