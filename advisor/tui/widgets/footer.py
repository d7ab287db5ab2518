"""The line with the keys that work now, as far as there is room."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Footer
from textual.widgets._footer import FooterKey, FooterLabel

_STAY: Final = ("app.help", "leave", "app.quit", "quit")  # actions that are shown at any width
_MORE: Final = "…"
Shown = tuple[tuple[str, str, str, bool, str], ...]


class Keys(Footer):
    """Textual's footer, made anew only when its keys have changed: it is told so on every move of the focus.

    Where there is too little room the last keys are left out and an ellipsis says so; they work, and help has them.
    """

    def __init__(self) -> None:
        super().__init__(compact=True, show_command_palette=False)
        self._shown: Shown | None = None
        self._width = 0

    def compose(self) -> ComposeResult:
        """The keys that fit, and whether there are more."""
        kept = list(super().compose())
        self._width = self.app.size.width
        need = sum(_cells(key) for key in kept if isinstance(key, FooterKey))
        if need > self._width:
            need += len(_MORE) + 1
            for key in reversed(kept):
                if need > self._width and isinstance(key, FooterKey) and key.action not in _STAY:
                    kept.remove(key)
                    need -= _cells(key)
            kept.append(FooterLabel(_MORE))
        self.styles.grid_size_columns = max(len(kept), 1)
        yield from kept

    def on_resize(self, event: Resize) -> None:
        """Another width has room for others."""
        if self._width and self.app.size.width != self._width:
            self.refresh(recompose=True)

    def bindings_changed(self, screen: Screen[object]) -> None:
        """Show the keys of the screen, where they are not shown already."""
        if screen.app.app_focus and self.is_attached and screen is self.screen:
            shown = tuple(
                (binding.key, binding.description, binding.action, enabled, tooltip)
                for _, binding, enabled, tooltip in screen.active_bindings.values()
                if binding.show
            )
            if shown == self._shown:
                return
            self._shown = shown
        super().bindings_changed(screen)


def _cells(key: FooterKey) -> int:
    return len(key.key_display) + len(key.description) + 2
