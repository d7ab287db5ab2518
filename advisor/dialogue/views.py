"""Views over the conversation: opened, left, and what they ask for."""

from __future__ import annotations

from typing import Any

from advisor.dialogue import events as e
from advisor.dialogue.state import State


def view_shown(state: State, event: e.ViewShown) -> State:
    """A view is opened."""
    return state


def view_left(state: State, event: e.ViewLeft) -> State:
    """Back to the conversation."""
    return state


def source_sought(state: State, event: e.SourceSought) -> State:
    """Other lines or instructions."""
    return state


def supposed(state: State, event: e.Supposed) -> State:
    """Values tried in the what-if view."""
    return state


def shown(state: State, request: e.Locate, result: Any) -> State:
    """What a view asked for is there."""
    return state
