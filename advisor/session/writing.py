"""The session written to a file."""

from __future__ import annotations

from typing import Any, Final

from advisor.session import events as e
from advisor.session import strings
from advisor.session.records import Card, Line
from advisor.session.state import State
from advisor.session.transcripts import serialize
from advisor.session.transitions import add, wait

KINDS: Final = ("transcript", "markdown", "html", "json")


def write_asked(state: State, event: e.WriteAsked) -> State:
    """The session is to be written; before there is anything in it there is nothing to write.

    An exercise is something to tell of, but a transcript, which holds nothing of exercises, would be empty.
    """
    told = state.diagnosis is not None or bool(state.answers) or state.timeline is not None
    practised = event.what != "transcript" and state.exercising is not None and bool(state.exercising.worked)
    if event.what not in KINDS or not (told or practised):
        return state
    return wait(state, e.Write(event.what, event.path))


def done(state: State, request: e.Write, result: Any) -> State:
    """The file was written: where it is, and for a transcript how to play it again."""
    lines = [Line(str(result), "strong", "File")]
    if request.what == "transcript":
        lines.append(
            Line(
                (
                    f"ncu-advisor replay {result} plays it again, with --check it tells whether all is still "
                    "concluded so"
                ),
                "quiet",
            )
        )
    again = any(isinstance(old, e.Told) and (old.request, old.result) == (request, result) for old in state.log)
    title = "Saved again, in the same file" if again else serialize.WRITTEN
    return add(state, Card("note", title, tuple(lines), state.position, label=strings.NOTE))
