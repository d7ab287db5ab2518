"""What the replay screen plays: a saved session whose steps are worked out one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol


class Playing(Protocol):
    """What is played (advisor.dialogue.transcripts.player.Player)."""

    desk: Any

    @property
    def title(self) -> str:
        """What the session is called."""

    @property
    def steps(self) -> Sequence[Any]:
        """What was done in it (number, words)."""

    def at(self, step: int, watch: Callable[[str, int, int], None]) -> Any:
        """What came of a step: its state, and whether it could be done."""

    def differences(self, step: int) -> Sequence[Any]:
        """Where it concludes otherwise."""


def load(path: Path) -> Playing:
    """The player of a file; InputError, one line, for what is none."""
    from advisor.dialogue.transcripts.player import Player

    return Player.load(path)
