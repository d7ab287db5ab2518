"""After a fix: the new report or the new numbers beside the old, and the log of versions."""

from __future__ import annotations

from typing import Any

from advisor.dialogue import events as e
from advisor.dialogue.state import State


def report_given(state: State, event: e.ReportGiven) -> State:
    """A new report after a change."""
    return state


def version_begun(state: State, event: e.VersionBegun) -> State:
    """A new version of the code in an interview."""
    return state


def log_shown(state: State, event: e.LogShown) -> State:
    """The log of versions."""
    return state


def trace_given(state: State, event: e.TraceGiven) -> State:
    """A trace of the whole program."""
    return state


def renewed(state: State, request: e.Renew, result: Any) -> State:
    """The new report was read and compared."""
    return state


def traced(state: State, request: e.Trace, result: Any) -> State:
    """The traces were read."""
    return state
