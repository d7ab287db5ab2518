"""A card as plain text, for the clipboard."""

from __future__ import annotations

from typing import Final

from advisor.dialogue.records import Card
from advisor.tui.extras import extra_lines
from advisor.tui.layout import card_lines

_WIDTH: Final = 100


def card_text(card: Card, blocks: bool = True) -> str:
    """The card's lines as they stand on a screen of 100 columns, without colours."""
    lines = card_lines(card, _WIDTH, extra_lines(card, _WIDTH), blocks)
    return "\n".join(line.plain.rstrip() for line in lines).strip() + "\n"
