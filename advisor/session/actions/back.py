"""Undo."""

from __future__ import annotations

from typing import Final

from advisor.session.action import Action, Command, Typed
from advisor.session.actions.help import NotUnderstood
from advisor.session.requests import Back, Event
from advisor.session.state import State


def _back(line: Typed, state: State) -> Event:
    return Back() if state.last_undoable is not None else NotUnderstood("/back", (), "There is nothing to undo.")


_BACK: Final = Command("back", "undo the last action", _back)
# The reducer itself handles undo, since it replays the log.
ACTIONS: Final = (Action(Back, lambda state, event: state, "undoes it", (_BACK,)),)
