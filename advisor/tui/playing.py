"""What the replay screen plays: a saved session whose steps are worked out one after another.

What the replay tells of a saved session before its first step, and of a step that is concluded otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from textual.content import Content

from advisor.session.records import Card, Line
from advisor.tui import words_places as words
from advisor.tui.layout import safe, styled
from advisor.view.text import cut


class Playing(Protocol):
    """What is played (advisor.session.transcripts.player.Player)."""

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
    from advisor.session.transcripts.player import Player

    return Player.load(path)


_DIFFERENCES: Final = 3


_VALUE: Final = 40


def about(player: Playing) -> Card:
    """What the session is: its title, what it shows, on which source it rests."""
    header = getattr(getattr(player, "transcript", None), "header", None)
    lines = [Line(text) for text in (getattr(header, "description", "").strip(),) if text]
    lines += [Line(", ".join(cites), "fact", words.SOURCE) for cites in (getattr(header, "cites", ()),) if cites]
    lines.append(Line(words.HOW_TO_PLAY if player.steps else words.NO_STEPS, "quiet"))
    return Card("overview", player.title, tuple(lines), label=words.SAVED)


def difference_lines(found: Sequence[Any]) -> list[Content]:
    """The first places where a step differs, with what was and what is; how many more there are."""
    lines = []
    for one in found[:_DIFFERENCES]:
        text = words.DIFFERENCE.format(place=one.place, expected=_value(one.expected), came=_value(one.came))
        lines.append(styled(f"  {text}", ""))
    if len(found) > _DIFFERENCES:
        lines.append(styled(f"  {words.AND_OTHERS.format(count=len(found) - _DIFFERENCES)}", "$quiet"))
    return lines


def _value(value: Any) -> str:
    """A value of a record in a few characters."""
    return words.NOTHING_THERE if value is None else cut(safe(str(value)), _VALUE)
