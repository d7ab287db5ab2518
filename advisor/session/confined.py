"""Sources of a session in a browser: confined to one folder, without writing and without programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from advisor.compare.side import Side
from advisor.records.errors import UsageError
from advisor.records.guard import is_within, refused
from advisor.records.readings import Progress
from advisor.session import events as e
from advisor.session.executor import Judged, Sources
from advisor.session.export import export
from advisor.session.language.files import ENDINGS, default_name
from advisor.session.state import State
from advisor.session.transcripts import format as serialize
from advisor.session.transcripts.attachments import Memory, transcript_of

_LONGEST: Final = 200  # characters of the name of a download
_NAME: Final = re.compile(r"[^\w.-]+", re.ASCII)  # what the name of a download does not keep


def confined(live: Sources, root: Path, memory: Memory, deliver: Callable[[str, str], None]) -> Sources:
    """Return sources that read below `root` only, send what is exported to `deliver`, and run no exercises.

    deliver: takes the name of a file without folders, and its text; memory: what the session has read, for transcripts.
    """

    def checked(paths: Sequence[Path]) -> Sequence[Path]:
        for path in paths:
            if not is_within(path, root):
                raise UsageError(refused(path))
        return paths

    def analyse(paths: Sequence[Path], gpu: str | None, progress: Progress) -> Judged:
        return live.analyse(checked(paths), gpu, progress)

    def trace(paths: Sequence[Path], progress: Progress) -> Any:
        return live.trace(checked(paths), progress)

    def side(text: str) -> Side:
        # Before it is parsed too: parsing asks whether the file exists.
        checked([Path(text), Path(text.rpartition("#")[0] or text)])
        found = live.side(text)
        checked([found.path])
        return found

    def write(request: e.Write, state: State) -> str:
        if request.what == "transcript":
            text = serialize.text_of(transcript_of(state, memory, serialize.of_this_machine()))
        elif request.what in export.FORMS:
            text = export.text_of(state, request.what)
        else:
            raise UsageError("This is not available here.")
        name = _file_name(request.path, state, request.what)
        deliver(name, text)
        return name

    def practise(request: e.Practise, progress: Progress) -> Any:
        raise UsageError("Exercises compile and run programs: not available in a served session")

    return replace(live, analyse=analyse, trace=trace, side=side, write=write, practise=practise)


def _file_name(path: str, state: State, what: str) -> str:
    """Return the last part of a typed path as a plain file name with the ending of its format."""
    default = default_name(state.paths or state.traces, what)
    bare = _NAME.sub("-", re.split(r"[/\\]", path)[-1]).strip("-.")[:_LONGEST]
    return (bare if "." in bare else bare + ENDINGS[what]) if bare else default
