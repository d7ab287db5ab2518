"""Before the reveal: what the user expects; and numbers that nobody asked for."""

from __future__ import annotations

from advisor.dialogue import events as e
from advisor.dialogue.state import State


def expected(state: State, event: e.Expected) -> State:
    """The bound that the user expects; then the reveal."""
    return state


def volunteered(state: State, event: e.Volunteered) -> State:
    """Numbers that nobody asked for: answers where the report is silent, contradictions where it is not."""
    return state
