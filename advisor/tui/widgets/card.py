"""One card of the conversation."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from advisor.dialogue.records import Card
from advisor.tui.extras import extra_lines
from advisor.tui.layout import card_lines


class CardView(Widget):
    """Shows a card at whatever width it has; its lines are made anew when the width changes."""

    def __init__(self, card: Card, *, blocks: bool = True) -> None:
        super().__init__(classes=f"card -{card.kind}")
        self.card = card
        self._blocks = blocks
        self._lines: tuple[int, list[Content]] = (0, [])

    def _at(self, width: int) -> list[Content]:
        if self._lines[0] != width:
            extra = extra_lines(self.card, width)
            self._lines = (width, card_lines(self.card, width, extra, self._blocks))
        return self._lines[1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the card has at this width."""
        return len(self._at(width)) if width > 0 else 0

    def render(self) -> Content:
        """The card's lines."""
        return Content("\n").join(self._at(self.content_size.width)) if self.content_size.width else Content("")
