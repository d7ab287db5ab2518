"""The session saved where the user says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from advisor.dialogue import events as e
from advisor.dialogue import face
from advisor.dialogue.state import State
from advisor.dialogue.transcripts import form, words
from advisor.dialogue.transcripts.carried import Memory, transcript_of
from advisor.dialogue.transcripts.scrub import of_this_machine
from advisor.errors import AdvisorError, UsageError
from advisor.files import write_whole

SUFFIX: Final = ".jsonl"
_MOST_NUMBERED: Final = 1000
Writer = Callable[[e.Write, State], str]


def writer(memory: Memory, others: Mapping[str, Writer] | None = None) -> Writer:
    """What performs Write: transcripts here, the other kinds by `others`. UsageError where it cannot be written."""

    def write(request: e.Write, state: State) -> str:
        if request.what == "transcript":
            return save(request.path, state, memory)
        other = (others or {}).get(request.what)
        if other is None:
            raise UsageError(face.NOT_AVAILABLE)
        return other(request, state)

    return write


def save(path: str, state: State, memory: Memory) -> str:
    """Write the session to `path`; without one to a new file in the working folder. Returns the path as it is shown.

    UsageError where the place holds something that is no session, or cannot be written.
    """
    place = place_for(path)
    write_whole(place, form.text_of(transcript_of(state, memory, of_this_machine())))
    return str(place)


def place_for(path: str) -> Path:
    """The file that a session goes to: `.jsonl` behind a bare name, and never over anything but a session."""
    if not path:
        names = (f"session{'' if n < 2 else f'-{n}'}{SUFFIX}" for n in range(1, _MOST_NUMBERED))
        return next((Path(name) for name in names if not Path(name).exists()), Path(f"session{SUFFIX}"))
    try:
        place = Path(path).expanduser()
        place = place if place.suffix or place.is_dir() or place.exists() else place.with_name(place.name + SUFFIX)
        if not place.is_file() or not place.stat().st_size:
            return place
    except (OSError, ValueError, RuntimeError) as problem:
        raise UsageError(words.BAD_PLACE.format(path=path[:200], why=problem)) from None
    try:
        form.head(place)
    except AdvisorError:
        raise UsageError(words.NO_SESSION_THERE.format(path=place)) from None
    return place
