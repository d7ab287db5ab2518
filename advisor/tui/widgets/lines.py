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
        self._asked: Make = lambda width: []

    def show(self, make: Make) -> None:
        """Show what this makes."""
        self._asked, self._made_at = make, (0, [])
        self.refresh(layout=True)

    def _make(self, width: int) -> list[Content]:
        return self._asked(max(width, _NARROWEST))
