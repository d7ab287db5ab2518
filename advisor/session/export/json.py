"""A session as the JSON of schemas/session.json: what was said, concluded, compared and asked; no times of day."""

from __future__ import annotations

import math
from typing import Any, Final

from advisor.records.escapes import json_text
from advisor.session.export.document import title
from advisor.session.export.practice import practice_list
from advisor.session.export.summary import Subject, cites, class_told, first_told, gave_told, subjects
from advisor.session.records import Card, Experiment
from advisor.session.state import State
from advisor.view.compare_json import pair_dict
from advisor.view.diagnosis_json import launch_dict
from advisor.view.text import number, present, report_dict
from advisor.view.timeline_json import timeline_dict

SCHEMA: Final = "ncu-advisor/session/1"


def session_dict(state: State) -> dict[str, Any]:
    """The whole document; what is unknown is absent. Nothing is told of a kernel whose class was not shown."""
    every = subjects(state)
    told = [one for one in every if one.position is not None]
    return present(
        {
            "schema": SCHEMA,
            "title": title(state, told),
            "reports": [report_dict(info) for info in state.diagnosis.reports] if state.diagnosis is not None else [],
            "traces": list(state.traces),
            "typed": state.numbers,
            "gpu": state.gpu or None,
            "steps": list(state.visited),
            "kernels": [_kernel(state, one) for one in told],
            "general": [_turn(card) for one in every if one.position is None for card in one.cards],
            "timeline": None if state.timeline is None else timeline_dict(state.timeline),
            "practice": practice_list(state),
            "sources": {key: state.lore.source(key) for key in cites(told)},
        }
    )


def session_text(document: dict[str, Any]) -> str:
    """The document as text: the same bytes for the same session."""
    return json_text(document, indent=1) + "\n"


def _kernel(state: State, subject: Subject) -> dict[str, Any]:
    """One kernel; launch and versions only where its class was shown."""
    launch = subject.launch if subject.told else None
    places = (None,) if state.numbers else (None, subject.position)
    bounds = [bound for place, bound in state.expected if place == subject.position]
    return present(
        {
            "name": subject.name,
            "version": subject.version or None,
            "summary": None
            if launch is None
            else {"class": class_told(subject), "first": first_told(subject), "gave": gave_told(subject)},
            "launch": None if launch is None else launch_dict(launch),
            "earlier": [{"version": name, "launch": launch_dict(one)} for one, name in subject.earlier],
            "expected": bounds[-1] if bounds else None,
            "answers": [{"question": q, "value": _value(v)} for place, q, v in state.answers if place in places],
            "unknown": [question for place, question in state.unknown if place in places],
            "put_off": [question for place, question in state.put_off if place in places],
            "experiments": [_experiment(row) for row in subject.experiments],
            "comparisons": [
                {"before": step.before, "after": step.after, "change": step.change, "pair": pair_dict(step.pair)}
                for step in subject.steps
            ],
            "conversation": [_turn(card) for card in subject.cards],
        }
    )


def _value(value: float | str) -> float | int | str | None:
    return value if isinstance(value, str) or not math.isfinite(value) else number(value)


def _experiment(row: Experiment) -> dict[str, Any]:
    return present(
        {
            "version": row.version,
            "change": row.change,
            "duration_ns": number(row.duration_ns),
            "ratio": number(row.ratio),
            "class": row.class_id or None,
            "finding": row.finding or None,
            "observation": row.observation,
            "next": row.next_step,
        }
    )


def _turn(card: Card) -> dict[str, Any]:
    return present(
        {
            "kind": card.kind,
            "label": card.label,
            "title": card.title,
            "aside": card.aside or None,
            "about": card.finding or None,
            "past": card.past,
            "lines": [
                present({"text": line.text, "style": line.style, "label": line.label or None, "depth": line.depth})
                for line in card.lines
            ],
        }
    )
