"""A session written for others: Markdown, HTML or JSON, without home folders, user and host names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, structs

from advisor.records.errors import UsageError
from advisor.records.escapes import json_text
from advisor.records.files import write_whole
from advisor.session import events as e
from advisor.session.export.document import (
    Subject,
    cites,
    class_summary,
    first_summary,
    gain_summary,
    practice_list,
    session_document,
    subjects,
    title,
)
from advisor.session.language.files import ENDINGS, default_name
from advisor.session.records import Card, Experiment
from advisor.session.state import State
from advisor.session.transcripts.format import Scrubber, of_this_machine
from advisor.view.compare_json import pair_dict
from advisor.view.diagnosis_json import launch_dict, report_dict
from advisor.view.numbers import number, present
from advisor.view.timeline_json import timeline_dict
from advisor.view.writers.html import page_html
from advisor.view.writers.markdown import page_markdown


def session_dict(state: State) -> dict[str, Any]:
    """The whole document; what is unknown is absent. Of a kernel whose class was not shown there are no conclusions."""
    every = subjects(state)
    kernels = [one for one in every if one.position is not None]
    return present(
        {
            "schema": "ncu-advisor/session/1",
            "title": title(state, kernels),
            "reports": [report_dict(info) for info in state.diagnosis.reports] if state.diagnosis is not None else [],
            "traces": list(state.traces),
            "typed": state.numbers,
            "gpu": state.gpu or None,
            "steps": list(state.visited),
            "kernels": [_kernel(state, one) for one in kernels],
            "general": [_turn(card) for one in every if one.position is None for card in one.cards],
            "timeline": None if state.timeline is None else timeline_dict(state.timeline),
            "practice": practice_list(state),
            "sources": {key: state.knowledge.source(key) for key in cites(kernels)},
        }
    )


def session_text(document: dict[str, Any]) -> str:
    """The document as text: the same bytes for the same session."""
    return json_text(document, indent=1) + "\n"


def _kernel(state: State, subject: Subject) -> dict[str, Any]:
    """One kernel; launch and versions only where its class was shown."""
    launch = subject.launch if subject.revealed else None
    places = (None,) if state.numbers else (None, subject.position)
    bounds = [bound for place, bound in state.expected if place == subject.position]
    return present(
        {
            "name": subject.name,
            "version": subject.version or None,
            "summary": None
            if launch is None
            else {"class": class_summary(subject), "first": first_summary(subject), "gave": gain_summary(subject)},
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


FORMS: Final = ("markdown", "html", "json")
_MOST_NUMBERED: Final = 1000
# Fields and keys whose values are words of ours, never data.
_FIXED: Final = frozenset({"tone", "style", "kind", "shape", "anchor", "id", "link"})
_FIXED_KEYS: Final = frozenset(
    {"schema", "kind", "style", "verdict", "matched", "advice", "state", "outcome", "status"}
)


def text_of(state: State, what: str, scrubber: Scrubber | None = None) -> str:
    """The session as `what`, one of FORMS. scrubber: that of this machine where None."""
    clean = scrubber or of_this_machine()
    state = _with_plain_paths(state, clean)
    if what == "json":
        return session_text(_data(session_dict(state), clean))
    document = _scrubbed(session_document(state), clean)
    if what == "html":
        return page_html(document) + "\n"
    return page_markdown(document)


def writers() -> Mapping[str, Callable[[e.Write, State], str]]:
    """What performs a Write of each of FORMS: it returns the file's name."""
    return dict.fromkeys(FORMS, _write)


def _write(request: e.Write, state: State) -> str:
    place = place_for(request.path, default_name(state.paths or state.traces, request.what), request.what)
    for path in (*state.paths, *state.traces):
        if place.exists() and Path(path).exists() and place.samefile(path):
            raise UsageError(f"{place}: is what this session is about: name another file")
    write_whole(place, text_of(state, request.what))
    return str(place)


def place_for(path: str, default: str, what: str) -> Path:
    """The file to write. A name that nobody chose gets a number where it is taken; a chosen one is taken as it is, with
    the form's ending behind a bare one. UsageError for what can be no file.
    """
    try:
        if not path or path == default:
            first = Path(default)
            names = (first if n < 2 else first.with_stem(f"{first.stem}-{n}") for n in range(1, _MOST_NUMBERED))
            place = next((name for name in names if not name.exists()), None)
            if place is None:
                raise UsageError(f"{default}: there are too many of this name: name another file")
            return place
        chosen = Path(path).expanduser()
        chosen.resolve()  # says what a name cannot be
        bare = not chosen.suffix and chosen.name and not chosen.exists()
        return chosen.with_name(chosen.name + ENDINGS[what]) if bare else chosen
    except (OSError, ValueError, RuntimeError) as problem:
        raise UsageError(f"{path[:200]}: cannot be a file: {problem}") from None


def _with_plain_paths(state: State, clean: Scrubber) -> State:
    """The same with the names of files as a transcript has them."""
    changes: dict[str, Any] = {
        "paths": tuple(map(clean.path, state.paths)),
        "traces": tuple(map(clean.path, state.traces)),
    }
    if state.diagnosis is not None:
        infos = tuple(replace(info, path=clean.path(info.path)) for info in state.diagnosis.reports)
        changes["diagnosis"] = replace(state.diagnosis, reports=infos)
    if is_dataclass(state.timeline) and not isinstance(state.timeline, type):
        timeline: Any = state.timeline
        infos = tuple(replace(info, path=clean.path(info.path)) for info in timeline.traces)
        failed = tuple((clean.path(path), why) for path, why in timeline.failed)
        changes["timeline"] = replace(timeline, traces=infos, failed=failed)
    return replace(state, **changes)


def _scrubbed(part: Any, clean: Scrubber) -> Any:
    """A document, or a part of one, with every text in it scrubbed."""
    if isinstance(part, str):
        return clean.text(part)
    if isinstance(part, tuple):
        return tuple(_scrubbed(item, clean) for item in part)
    if is_dataclass(part) and not isinstance(part, type):
        names = [field.name for field in fields(part) if field.name not in _FIXED]
        return replace(part, **{name: _scrubbed(getattr(part, name), clean) for name in names})
    if isinstance(part, Struct):
        names = [name for name in part.__struct_fields__ if name not in _FIXED]
        return structs.replace(part, **{name: _scrubbed(getattr(part, name), clean) for name in names})
    return part


def _data(data: Any, clean: Scrubber, key: str = "") -> Any:
    if isinstance(data, str):
        return data if key in _FIXED_KEYS else clean.text(data)
    if isinstance(data, dict):
        return {name: _data(value, clean, name) for name, value in data.items()}
    return [_data(item, clean, key) for item in data] if isinstance(data, list | tuple) else data
