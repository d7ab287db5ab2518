"""Saved sessions in the program: read in a thread, replayed on their screen, gone on with as sessions of one's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from textual.message import Message

from advisor.records.errors import AdvisorError
from advisor.session.executor import Executor
from advisor.session.transcripts.sandbox import Sandbox
from advisor.tui.playing import Playing
from advisor.tui.screens.replay import ReplayScreen

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp


class Loaded(Message):
    """A saved session was read and, to be gone on with, worked out to its end; or why not."""

    def __init__(self, player: Playing | None, end: Any, problem: str) -> None:
        super().__init__()
        self.player, self.end, self.problem = player, end, problem


def read(app: AdvisorApp, path: Path, to_the_end: bool, load: Callable[[Path], Playing]) -> None:
    """Read a session in a thread of its own; the app gets a Loaded."""

    def work() -> None:
        try:
            player = load(path)
            end = player.at(len(tuple(player.steps)), lambda what, done, total: None) if to_the_end else None
            app.post_message(Loaded(player, end, ""))
        except AdvisorError as problem:
            app.post_message(Loaded(None, None, str(problem)))
        except Exception as problem:  # a damaged file must never end the program
            app.post_message(Loaded(None, None, f"{path.name}: {type(problem).__name__}: {problem}"))

    Thread(target=work, name="read session", daemon=True).start()


def screen_of(player: Playing, blocks: bool) -> ReplayScreen:
    """The screen that plays it."""
    return ReplayScreen(player, blocks=blocks)


def own(played: Any, real: Executor) -> Executor:
    """The desk of a replay as that of a session of one's own: from now on it writes and runs what is asked for."""
    if not isinstance(played, Sandbox):
        return played if isinstance(played, Executor) else real
    played.take_over(real.sources)
    return played
