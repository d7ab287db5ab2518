"""Write a session for other readers: Markdown, HTML or JSON, without home folders, user and host names."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from advisor.records.errors import UsageError
from advisor.records.escapes import json_text
from advisor.records.files import write_whole
from advisor.session import events as e
from advisor.session.export.document import session_document
from advisor.session.export.record import session_record
from advisor.session.language.files import ENDINGS, default_name
from advisor.session.state import State
from advisor.session.transcripts.format import Scrubber, of_this_machine
from advisor.timeline.results import TimelineResult
from advisor.view.blocks import FIXED, map_texts
from advisor.view.writers import PAGE_FORMATS, page_writer
from advisor.view.writers.json import plain

FORMS: Final = (*PAGE_FORMATS, "json")
_MOST_NUMBERED: Final = 1000
# Fields and keys whose values are the program's own words, never data.
_FIXED_KEYS: Final = frozenset(
    {"schema", "kind", "style", "verdict", "matched", "advice", "state", "outcome", "status"}
)


def text_of(state: State, what: str, scrubber: Scrubber | None = None) -> str:
    """Return the session in the format `what`, one of FORMS. scrubber: None for the one of this machine."""
    clean = scrubber or of_this_machine()
    state = _with_plain_paths(state, clean)
    if what == "json":
        return json_text(_data(plain(session_record(state)), clean), indent=1) + "\n"
    return page_writer(what)(map_texts(session_document(state), clean.text, FIXED)).rstrip("\n") + "\n"


def write(request: e.Write, state: State) -> str:
    """Write the session in one of FORMS; return the file's name. Raises UsageError on failure."""
    if request.what not in FORMS:
        raise UsageError("This is not available here.")
    place = place_for(request.path, default_name(state.paths or state.traces, request.what), request.what)
    for path in (*state.paths, *state.traces):
        if place.exists() and Path(path).exists() and place.samefile(path):
            raise UsageError(f"{place}: is an input of this session: name another file")
    write_whole(place, text_of(state, request.what))
    return str(place)


def place_for(path: str, default: str, what: str) -> Path:
    """Return the file to write. A default name gets a number if the file exists; a name that the user gave is kept, and
    the format's ending is added if it has none. Raises UsageError for a name that cannot be a file.
    """
    try:
        if not path or path == default:
            first = Path(default)
            names = (first if n < 2 else first.with_stem(f"{first.stem}-{n}") for n in range(1, _MOST_NUMBERED))
            place = next((name for name in names if not name.exists()), None)
            if place is None:
                raise UsageError(f"{default}: too many files have this name: name another file")
            return place
        chosen = Path(path).expanduser()
        chosen.resolve()  # raises an error for an invalid name
        bare = not chosen.suffix and chosen.name and not chosen.exists()
        return chosen.with_name(chosen.name + ENDINGS[what]) if bare else chosen
    except (OSError, ValueError, RuntimeError) as problem:
        raise UsageError(f"{path[:200]}: cannot be a file: {problem}") from None


def _with_plain_paths(state: State, clean: Scrubber) -> State:
    """Return the state with the names of files as a transcript has them."""
    changes: dict[str, Any] = {
        "paths": tuple(map(clean.path, state.paths)),
        "traces": tuple(map(clean.path, state.traces)),
    }
    if state.diagnosis is not None:
        infos = tuple(replace(info, path=clean.path(info.path)) for info in state.diagnosis.reports)
        changes["diagnosis"] = dataclasses.replace(state.diagnosis, reports=infos)
    if isinstance(state.timeline, TimelineResult):
        timeline = state.timeline
        traces = tuple(replace(info, path=clean.path(info.path)) for info in timeline.traces)
        failed = tuple((clean.path(path), why) for path, why in timeline.failed)
        changes["timeline"] = replace(timeline, traces=traces, failed=failed)
    return replace(state, **changes)


def _data(data: Any, clean: Scrubber, key: str = "") -> Any:
    if isinstance(data, str):
        return data if key in _FIXED_KEYS else clean.text(data)
    if isinstance(data, dict):
        return {name: _data(value, clean, name) for name, value in data.items()}
    return [_data(item, clean, key) for item in data] if isinstance(data, list | tuple) else data
