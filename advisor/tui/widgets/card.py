"""One card of the conversation."""

from __future__ import annotations

from textual.content import Content

from advisor.session.records import Card
from advisor.tui.clipboard import extra_lines
from advisor.tui.layout import card_lines
from advisor.tui.widgets.line_wise import LineWise


class CardView(LineWise):
    """Shows a card at whatever width it has; its lines are made anew when the width changes."""

    def __init__(self, card: Card, *, blocks: bool = True) -> None:
        super().__init__(classes=f"card -{card.kind}")
        self.card = card
        self._blocks = blocks

    def _make(self, width: int) -> list[Content]:
        return card_lines(self.card, width, extra_lines(self.card, width), self._blocks)
