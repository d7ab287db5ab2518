"""The check of all exercises as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from advisor.practice.selfcheck import Judged
from advisor.view.pages.measuring import status_of


def selfcheck_json(judged: Sequence[Judged]) -> dict[str, Any]:
    """`ncu-advisor/selfcheck/1`: every exercise and step with time, ratio, findings and problems."""
    return {
        "schema": "ncu-advisor/selfcheck/1",
        "exercises": [
            {
                "name": j.exercise.name,
                "gpu": j.gpu,
                "ok": j.ok,
                "problems": list(j.problems),
                **({"overlap": {"verdict": j.overlap.word, "hidden": j.overlap.hidden}} if j.overlap else {}),
                "steps": [
                    {
                        "id": s.step.id,
                        "time_ns": s.time_ns,
                        **({"speedup": s.ratio} if s.ratio is not None else {}),
                        **({"estimate": s.gain} if s.gain is not None else {}),
                        "class": s.class_id,
                        "first": s.first,
                        "expected": s.step.expect,
                        "status": status_of(s).lower(),
                        "reached": dict(s.reached or {}),
                        "problems": list(s.problems),
                    }
                    for s in j.steps
                ],
            }
            for j in judged
        ],
    }
