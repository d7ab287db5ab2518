"""The last line of a screen: the keys that work now.

Textual's own footer is a widget for each key, which all are made and styled again whenever the focus moves: half of the
time that opening a launch takes.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any, Final

from msgspec import Struct
from textual.content import Content
from textual.events import Click, MouseMove
from textual.screen import Screen
from textual.widget import Widget

from advisor.tui.drawing import styled

_HELP: Final = "app.help"


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


def _fitting(keys: list[Key], room: int) -> list[Key]:
    """Return the first keys that fit into `room` cells, with a blank between them."""
    ends = accumulate(key.width + 1 for key in keys)
    return [key for key, end in zip(keys, ends, strict=True) if end - 1 <= room]


class KeyLine(Widget):
    """The keys that work now; if not all fit, the last is that of the help, which lists them. A click presses a key."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: tuple[Key, ...] = ()
        self._stale = False

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
        found = tuple(keys.values())
        if found != self.keys:
            self.keys = found
            self.refresh()

    def fitting(self) -> list[tuple[int, Key]]:
        """Return the keys that fit whole, each with its first cell."""
        width, keys = self.content_size.width, list(self.keys)
        if sum(key.width + 1 for key in keys) - 1 > width:
            last = [key for key in keys if key.action == _HELP]
            room = width - sum(key.width + 1 for key in last)
            keys = [*_fitting([key for key in keys if key.action != _HELP], room), *last]
        ends = accumulate(key.width + 1 for key in keys)
        return [(end - key.width - 1, key) for end, key in zip(ends, keys, strict=True)]

    def render(self) -> Content:
        shown = (
            styled(key.shown, "bold $text-accent" if key.enabled else "dim")
            + styled(f" {key.name}", "" if key.enabled else "dim")
            for _, key in self.fitting()
        )
        return Content(" ").join(shown)

    def _under(self, x: int) -> Key | None:
        cell = x - self.gutter.left
        return next((key for at, key in self.fitting() if at <= cell < at + key.width), None)

    def on_mouse_move(self, event: MouseMove) -> None:
        key = self._under(event.x)
        self.tooltip = key.tooltip if key is not None and key.tooltip else None

    def on_click(self, event: Click) -> None:
        event.stop()
        key = self._under(event.x)
        if key is not None and key.enabled:
            self.app.simulate_key(key.key)
