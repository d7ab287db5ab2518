"""Sessions that the program keeps by itself, on the screen: offered to be gone on with, and what stops the keeping."""

from __future__ import annotations

import time

from textual.message import Message

from advisor.session.transcripts.autosave import SavedSession, remark, title
from advisor.tui.screens.offer import OfferScreen
from advisor.tui.start_options import Saved

_MOST = 3  # offered at a time


class NotKept(Message):
    """A session cannot be saved by itself, and why."""

    def __init__(self, why: str) -> None:
        super().__init__()
        self.why = why


def screen_of(one: SavedSession, blocks: bool) -> OfferScreen:
    """The question whether to go on with it."""
    return OfferScreen(title(one), remark(one, time.time()), blocks=blocks)


def saved(found: tuple[SavedSession, ...], now: float) -> tuple[Saved, ...]:
    """The latest of them, as the start screen lists them; now: seconds since the epoch."""
    return tuple(Saved(one.path, title(one), remark(one, now)) for one in found[:_MOST])
