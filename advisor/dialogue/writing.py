"""The session written to a file, and exercises practised from it."""

from __future__ import annotations

from typing import Any

from advisor.dialogue import events as e
from advisor.dialogue.state import State


def write_asked(state: State, event: e.WriteAsked) -> State:
    """The session is to be written."""
    return state


def practised(state: State, event: e.Practised) -> State:
    """Something is done with an exercise."""
    return state


def done(state: State, request: e.Write | e.Practise, result: Any) -> State:
    """The file was written, or the exercise answered."""
    return state
