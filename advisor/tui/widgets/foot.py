"""The footer: the keys that work now. Keys of views stand there only as far as there is room for them."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

_OF_VIEWS = "view("


class Foot(Footer):
    """What is left out still works, and stands in the help and among the actions by name."""

    def __init__(self) -> None:
        super().__init__(compact=True, show_command_palette=False)
        self._width = 0
        self._shown: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """The keys that fit, those of views given up from the last."""
        keys = list(super().compose())
        self._shown = self._offered()
        self._width = self.app.size.width
        need = sum(_cells(key) for key in keys if isinstance(key, FooterKey))
        left_out = set()
        for key in reversed(keys):
            if need > self._width and isinstance(key, FooterKey) and key.action.startswith(_OF_VIEWS):
                left_out.add(key)
                need -= _cells(key)
        kept = [key for key in keys if key not in left_out]
        self.styles.grid_size_columns = max(len(kept), 1)
        yield from kept

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


def _cells(key: FooterKey) -> int:
    return len(key.key_display) + len(key.description) + 2
