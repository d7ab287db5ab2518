"""Which screen shows which view of a session. A screen is imported when its view is first opened."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Final

from textual.events import Key
from textual.screen import Screen

from advisor.session.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.tui.app import AdvisorApp

# View (dialogue.state.VIEWS) -> module in this package and class.
SCREENS: Final[Mapping[str, tuple[str, str]]] = {
    "source": ("source", "SourceScreen"),
    "proof": ("proof", "ProofScreen"),
    "whatif": ("whatif", "WhatIfScreen"),
    "steps": ("steps", "StepsScreen"),
    "log": ("log", "LogScreen"),
    "timeline": ("timeline", "TimelineScreen"),
    "knowledge": ("knowledge", "KnowledgeScreen"),
    "practice": ("practice", "PracticeScreen"),
}


class ViewScreen(Screen[None]):
    """A screen over the conversation: it shows the state and posts events, and leaves by Escape."""

    app: AdvisorApp
    opens: ClassVar[Mapping[str, str]] = {"/": ""}  # a character that opens the line -> what the line begins with

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self.blocks = blocks

    def to_line(self, key: Key) -> str | None:
        """What a key puts into the screen's line, None where it has another use (see tui.handing)."""
        return self.opens.get(key.character or "")

    def show(self, state: State) -> None:
        """Show this state."""
        raise NotImplementedError


def make(view: str, blocks: bool) -> ViewScreen | None:
    """A new screen for a view, None where there is none."""
    if view not in SCREENS:
        return None
    module, name = SCREENS[view]
    made = getattr(import_module(f"advisor.tui.screens.{module}"), name)(blocks=blocks)
    assert isinstance(made, ViewScreen)
    return made
