"""The line with the keys that work now."""

from __future__ import annotations

from textual.screen import Screen
from textual.widgets import Footer

Shown = tuple[tuple[str, str, str, bool, str], ...]


class Keys(Footer):
    """Textual's footer, made anew only when its keys have changed: it is told so on every move of the focus."""

    def __init__(self) -> None:
        super().__init__(compact=True, show_command_palette=False)
        self._shown: Shown | None = None

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
