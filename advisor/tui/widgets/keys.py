"""The last lines of a screen: the keys that work now, or for a moment a note.

Textual's own footer is a widget for each key, which all are made and styled again whenever the focus moves: half of the
time that opening a launch takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Final

from msgspec import Struct, structs
from textual.content import Content
from textual.events import Click, MouseMove
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from advisor.tui.drawing import styled

_HELP: Final = "app.help"
_QUIT: Final = ("quit", "app.quit")
_LAST: Final = (*_QUIT, _HELP)  # actions whose keys come last
_LOW: Final = 20  # rows of the screen below which the keys have one row


class Key(Struct, frozen=True):
    """A key of the line: as it is pressed and as it is shown, its name, its action and its tooltip."""

    key: str
    shown: str
    name: str
    action: str
    enabled: bool = True
    tooltip: str = ""

    @property
    def width(self) -> int:
        """Cells of the key and its name."""
        return len(self.shown) + 1 + len(self.name)


_MOST_ROWS: Final = 2
_MOST_SAID: Final = 4  # rows of a note


class Note(Struct, frozen=True):
    """A short message to the user, shown instead of the keys. style: of its text."""

    text: str
    style: str = ""


def _rows(keys: list[Key], width: int, most: int) -> list[list[Key]]:
    """Fill at most `most` rows with the first keys, with a blank between them."""
    rows: list[list[Key]] = [[]]
    room = width
    for key in keys:
        if key.width > room:
            if len(rows) == most:
                break
            rows.append([])
            room = width
        rows[-1].append(key)
        room -= key.width + 1
    return rows


def _needed(keys: Sequence[Key], width: int) -> list[Key]:
    """Return the keys without that for quitting, which the help names too, if they need a row less so."""
    every, rest = list(keys), [key for key in keys if key.action not in _QUIT]
    return rest if len(_rows(rest, width, len(rest))) < len(_rows(every, width, len(every))) else every


class KeyLine(Widget):
    """The keys that work now, in two rows where one is too short; if not all fit, the last names the help for the rest.

    A click presses a key. A note of the program is shown here for a few seconds: it covers neither prompt nor answer.
    """

    def __init__(self) -> None:
        super().__init__()
        self.keys: tuple[Key, ...] = ()
        self.note: Note | None = None
        self._stale = False
        self._high: tuple[Size, int] = (Size(0, 0), 1)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)
        self._renew()

    def _changed(self, screen: Screen[Any]) -> None:
        if not self._stale:  # else several changes at once are looked up once
            self._stale = True
            self.call_after_refresh(self._renew)

    def _renew(self) -> None:
        self._stale = False
        if not self.is_attached or not self.app.app_focus:
            return
        keys: dict[str, Key] = {}
        for active in self.screen.active_bindings.values():
            one = active.binding
            if one.show and one.action not in keys:
                display = self.app.get_key_display(one)
                keys[one.action] = Key(
                    one.key, display, one.description, one.action, active.enabled, active.tooltip or one.tooltip
                )
        found = tuple(sorted(keys.values(), key=lambda key: key.action in _LAST and _LAST.index(key.action) + 1))
        if found != self.keys:
            self.keys = found
            self._redraw()

    def say(self, note: Note | None) -> None:
        """Show this note instead of the keys, or the keys again."""
        if note != self.note:
            self.note = note
            self._redraw()

    def _redraw(self) -> None:
        width = self.content_size.width
        self.refresh(layout=bool(width) and self._height(width) != self.content_size.height)

    def _said(self, width: int) -> list[Content]:
        if self.note is None:
            return []
        lines = styled(self.note.text.replace("\n", " "), self.note.style).wrap(width)
        return [*lines[: _MOST_SAID - 1], lines[_MOST_SAID - 1] + "…"] if len(lines) > _MOST_SAID else list(lines)

    def _height(self, width: int) -> int:
        """Return the rows that keys and note need; keys never need fewer again, so that nothing above them moves."""
        low = self.screen.size.height < _LOW
        need = 1 if low else len(_rows(_needed(self.keys, width), width, _MOST_ROWS))
        at, before = self._high
        self._high = (self.screen.size, need if at != self.screen.size else max(need, before))
        return max(self._high[1], len(self._said(width)))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._height(width) if width > 0 else 1

    def fitting(self) -> list[list[tuple[int, Key]]]:
        """Return the keys that fit whole, row by row, each with its first cell."""
        width, keys = self.content_size.width, _needed(self.keys, self.content_size.width)
        most = max(self._high[1], 1)
        rows = _rows(keys, width, most)
        if sum(map(len, rows)) < len(keys):
            last = [structs.replace(key, name="more") for key in keys if key.action == _HELP]
            keys = [key for key in keys if key.action != _HELP]
            rows = _rows(keys, width, most)
            while last and rows[-1] and sum(key.width + 1 for key in rows[-1]) + last[0].width > width:
                rows[-1].pop()
            rows[-1] += last
        return [list(_placed(row)) for row in rows]

    def render(self) -> Content:
        width = self.content_size.width
        if self.note is not None and width:
            return Content("\n").join(self._said(width))
        lines = []
        for row in self.fitting():
            shown = (
                styled(key.shown, "bold $text-accent" if key.enabled else "dim")
                + styled(f" {key.name}", "" if key.enabled else "dim")
                for _, key in row
            )
            lines.append(Content(" ").join(shown))
        return Content("\n").join(lines)

    def _under(self, x: int, y: int) -> Key | None:
        cell, rows = x - self.gutter.left, self.fitting()
        row = rows[y] if self.note is None and 0 <= y < len(rows) else []
        return next((key for at, key in row if at <= cell < at + key.width), None)

    def on_mouse_move(self, event: MouseMove) -> None:
        key = self._under(event.x, event.y)
        self.tooltip = key.tooltip if key is not None and key.tooltip else None

    def on_click(self, event: Click) -> None:
        event.stop()
        key = self._under(event.x, event.y)
        if key is not None and key.enabled:
            self.app.simulate_key(key.key)


def _placed(row: list[Key]) -> Iterator[tuple[int, Key]]:
    ends = accumulate(key.width + 1 for key in row)
    return ((end - key.width - 1, key) for end, key in zip(ends, row, strict=True))
