"""The footer: the keys that work now, as far as there is room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from textual.content import Content
from textual.events import Leave, MouseDown, MouseMove
from textual.screen import Screen

from advisor.tui.widgets.placed import Placed

_VIEW: Final = "view("
_STAY: Final = ("app.help", "leave", "app.quit", "quit")  # actions that are shown at any width
_MORE: Final = "…"


@dataclass(frozen=True, slots=True)
class Shown:
    """A key of the footer: how it is pressed, how it is shown, what it is called and does, and its action."""

    key: str
    display: str
    name: str
    tooltip: str
    action: str

    @property
    def cells(self) -> int:
        """Key, blank, name, and the blank behind."""
        return len(self.display) + len(self.name) + 2


class FittedFooter(Placed, can_focus=False):
    """One line, drawn anew only where the keys have changed; a click on a key presses it.

    All keys are one widget: as Textual's footer has it, one each, another key costs more than all else on a screen.
    Where there is too little room the keys of views are left out first. Where that is not enough the last of the
    others follow, and an ellipsis says so. What is left out works, and stands in the help.
    """

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self.keys: tuple[Shown, ...] = ()  # that work now, whether there is room or not
        self._under: int | None = None  # the cell under the pointer
        self._due = False

    def on_mount(self) -> None:
        """Follow the keys of the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: Screen[object]) -> None:
        # A screen says so several times while it comes to the front.
        if screen.app.app_focus and self.is_attached and screen is self.screen and not self._due:
            self._due = True
            self.call_later(self._renew)

    def _renew(self) -> None:
        self._due = False
        if not self.is_attached:
            return
        keys = {}
        for _, binding, _, tooltip in self.screen.active_bindings.values():
            if binding.show and binding.action not in keys:
                display = self.app.get_key_display(binding)
                keys[binding.action] = Shown(binding.key, display, binding.description, tooltip, binding.action)
        if self.keys != (found := tuple(keys.values())):
            self.keys = found
            self.refresh()

    def _fitting(self) -> tuple[list[Shown], bool]:
        """The keys that there is room for, and whether there are more than can be left out without a word."""
        width = self.size.width
        kept = _cut(self.keys, width, lambda action: action.startswith(_VIEW))
        if _cells(kept) <= width:
            return kept, False
        return _cut(kept, width - len(_MORE) - 1, lambda action: action not in _STAY), True

    def _pointed(self) -> Shown | None:
        """The key under the pointer."""
        end = 0
        for key in self._fitting()[0]:
            start, end = end, end + key.cells
            if self._under is not None and start <= self._under < end - 1:
                return key
        return None

    def render(self) -> Content:
        """One line."""
        kept, more = self._fitting()
        pointed, parts = self._pointed(), []
        for key in kept:
            part = Content.styled(key.display, "bold $footer-key-foreground")
            part += Content.styled(f" {key.name}", "$footer-description-foreground")
            parts.append(part.stylize("on $block-hover-background") if key is pointed else part)
        return Content(" ").join([*parts, Content(_MORE)] if more else parts)

    def _point(self, at: int | None) -> None:
        before, self._under = self._pointed(), at
        pointed = self._pointed()
        if pointed is not before:
            self.tooltip = None if pointed is None else pointed.tooltip or None
            self.refresh()

    def on_mouse_move(self, event: MouseMove) -> None:
        """The key under the pointer is brighter, and told of."""
        self._point(event.x)

    def on_leave(self, event: Leave) -> None:
        """No key is under the pointer."""
        self._point(None)

    def on_mouse_down(self, event: MouseDown) -> None:
        """The key under the pointer is pressed."""
        self._under = event.x
        pointed = self._pointed()
        if pointed is not None:
            self.app.simulate_key(pointed.key)


def _cut(keys: Sequence[Shown], width: int, may_go: Callable[[str], bool]) -> list[Shown]:
    """The keys without the last ones whose action may go, until the rest fits into the width (cells)."""
    kept = list(keys)
    for key in reversed(keys):
        if _cells(kept) > width and may_go(key.action):
            kept.remove(key)
    return kept


def _cells(keys: Sequence[Shown]) -> int:
    """The cells that the keys take."""
    return sum(key.cells for key in keys)
