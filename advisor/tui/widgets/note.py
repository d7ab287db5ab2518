"""Lines of text that change while a screen is open."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from advisor.tui.layout import styled
from advisor.tui.widgets.placed import Placed


class Note(Static, Placed):
    """Lines of text, broken at the width at hand; the screen is laid out anew only where they take another height."""

    def __init__(self, ident: str) -> None:
        super().__init__(id=ident, markup=False)
        self._lines: tuple[Content, ...] = ()

    def say(self, lines: Sequence[Content | tuple[str, str]]) -> None:
        """Show these lines: contents, or texts with a style."""
        made = tuple(line if isinstance(line, Content) else styled(*line) for line in lines)
        if made != self._lines:
            self._lines = made
            text = Content("\n").join(made)
            width, height = self.content_size
            self.update(text, layout=not width or text.get_height({}, width) != height)
