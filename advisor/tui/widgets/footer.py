"""The footer: the keys that work now, as far as there is room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from textual.app import ComposeResult
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Footer
from textual.widgets._footer import FooterKey, FooterLabel

_VIEW: Final = "view("
_STAY: Final = ("app.help", "leave", "app.quit", "quit")  # actions that are shown at any width
_MORE: Final = "…"


class FittedFooter(Footer):
    """Textual's footer cut to the width, and drawn anew only where the keys have changed.

    Where there is too little room the keys of views are left out first. Where that is not enough the last of the
    others follow, and an ellipsis says so. What is left out works, and stands in the help.
    """

    def __init__(self) -> None:
        super().__init__(compact=True, show_command_palette=False)
        self._width = 0
        self._shown: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """The keys that fit, and whether there are more."""
        keys = [key for key in super().compose() if isinstance(key, FooterKey)]
        self._shown = self._offered()
        self._width = self.app.size.width
        kept = _cut(keys, self._width, lambda action: action.startswith(_VIEW))
        if _cells(kept) <= self._width:
            yield from kept
        else:
            yield from _cut(kept, self._width - len(_MORE) - 1, lambda action: action not in _STAY)
            yield FooterLabel(_MORE)

    def bindings_changed(self, screen: Screen[object]) -> None:
        """Draw the keys anew where there are others: a screen says so several times while it comes to the front."""
        self._bindings_ready = True
        if screen.app.app_focus and self.is_attached and screen is self.screen:
            self.call_after_refresh(self._renew)

    async def _renew(self) -> None:
        if self.is_attached and self._shown != self._offered():
            await self.recompose()

    def _offered(self) -> tuple[object, ...]:
        """What the footer is made of."""
        if not self._bindings_ready:
            return ()
        active = self.screen.active_bindings.values()
        return tuple((binding, enabled, tooltip) for _, binding, enabled, tooltip in active if binding.show)

    def on_resize(self, event: Resize) -> None:
        """Another width has room for others."""
        if self._width and self.app.size.width != self._width:
            self.refresh(recompose=True)


def _cut(keys: Sequence[FooterKey], width: int, may_go: Callable[[str], bool]) -> list[FooterKey]:
    """The keys without the last ones whose action may go, until the rest fits into the width (cells)."""
    kept = list(keys)
    for key in reversed(keys):
        if _cells(kept) > width and may_go(key.action):
            kept.remove(key)
    return kept


def _cells(keys: Sequence[FooterKey]) -> int:
    """The cells that the keys take."""
    return sum(len(key.key_display) + len(key.description) + 2 for key in keys)
