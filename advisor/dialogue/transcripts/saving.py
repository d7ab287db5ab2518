"""The session saved where the user says."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
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
    """What performs Write: transcripts here, the other kinds by `others`. UsageError where it cannot be written.

    A file is written over only where this writer wrote it.
    """
    mine: set[Path] = set()

    def write(request: e.Write, state: State) -> str:
        if request.what == "transcript":
            return save(request.path, state, memory, mine)
        other = (others or {}).get(request.what)
        if other is None:
            raise UsageError(face.NOT_AVAILABLE)
        return other(request, state)

    return write


def save(path: str, state: State, memory: Memory, mine: set[Path]) -> str:
    """Write the session to `path`; without one to a new file in the working folder. Returns the path as it is shown.

    mine: the files that this session wrote, which it may write over; the new one is added. UsageError where the place
    holds anything else, or cannot be written.
    """
    place = place_for(path, mine)
    write_whole(place, form.text_of(transcript_of(state, memory, of_this_machine())))
    mine.add(place.resolve())
    return str(place)


def place_for(path: str, mine: Collection[Path] = ()) -> Path:
    """The file that a session goes to: `.jsonl` behind a bare name, and never over a file that is not among `mine`."""
    if not path:
        for n in range(1, _MOST_NUMBERED):
            place = Path(f"session{'' if n < 2 else f'-{n}'}{SUFFIX}")
            if not place.exists():
                return place
        raise UsageError(words.NAME_IT)
    try:
        place = Path(path).expanduser()
        place = place if place.suffix or place.is_dir() or place.exists() else place.with_name(place.name + SUFFIX)
        if not place.is_file() or not place.stat().st_size or place.resolve() in mine:
            return place
    except (OSError, ValueError, RuntimeError) as problem:
        raise UsageError(words.BAD_PLACE.format(path=path[:200], why=problem)) from None
    try:
        form.head(place)
    except AdvisorError:
        raise UsageError(words.NO_SESSION_THERE.format(path=place)) from None
    raise UsageError(words.OTHER_SESSION_THERE.format(path=place))
