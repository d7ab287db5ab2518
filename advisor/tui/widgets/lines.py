"""Text that is broken anew at whatever width it gets."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content

from advisor.tui.widgets.line_wise import LineWise

Make = Callable[[int], list[Content]]
_NARROWEST = 20


class Lines(LineWise):
    """Lines made by a function of the width; it is asked again when the width changes or another is shown."""

    DEFAULT_CSS = "Lines { height: auto; width: 1fr; text-wrap: nowrap; }"

    def __init__(self, *, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._make: Make = lambda width: []
        self._made: tuple[int, list[Content]] = (0, [])

    def show(self, make: Make) -> None:
        """Show what this makes."""
        self._make, self._made = make, (0, [])
        self.refresh(layout=True)

    def _at(self, width: int) -> list[Content]:
        if self._made[0] != width:
            self._made = (width, self._make(max(width, _NARROWEST)))
        return self._made[1]
