"""The steps of the method: where the session stands, what each step says of the launch at hand."""

from __future__ import annotations

from typing import Any

from advisor.dialogue import events as e
from advisor.dialogue.state import State


def steps_shown(state: State, event: e.StepsShown) -> State:
    """All steps, and which were visited."""
    return state


def step_shown(state: State, event: e.StepShown) -> State:
    """A step is gone to."""
    return state


def collect_shown(state: State, event: e.CollectShown) -> State:
    """The command that collects what is missing."""
    return state


def gathered(state: State, request: e.Gather, result: Any) -> State:
    """The command was put together."""
    return state
