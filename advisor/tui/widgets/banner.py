"""The top line: what is open."""

from __future__ import annotations

from textual.content import Content

from advisor.tui.layout import safe
from advisor.tui.widgets.placed import Placed


class Banner(Placed):
    """The program's name, then what is open, cut to one line."""

    def __init__(self, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._what = ""

    def show(self, what: str) -> None:
        """Show what is open."""
        if what != self._what:
            self._what = what
            self.refresh()

    def render(self) -> Content:
        """One line."""
        name = Content.styled("ncu-advisor", "bold")
        line = Content("  ").join([name, Content(safe(self._what).replace("\n", " "))]) if self._what else name
        return line.truncate(max(self.content_size.width, 1), ellipsis=True)
