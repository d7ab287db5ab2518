"""Cards whose body another renderer makes: an explanation comes as a record of the knowledge base.

A card as plain text, for the clipboard.
"""

from __future__ import annotations

from typing import Final

from advisor.session.records import Card
from advisor.tui.layout import card_lines


def extra_lines(card: Card, width: int) -> list[str]:
    """The lines of a card's detail at this width; none for a card without one."""
    if card.kind != "explanation" or card.detail is None:
        return []
    if isinstance(card.detail, str):
        return card.detail.splitlines()
    from advisor.view.explain import explain_text

    return explain_text(card.detail, width=width).splitlines()


_WIDTH: Final = 100


def card_text(card: Card, blocks: bool = True) -> str:
    """The card's lines as they stand on a screen of 100 columns, without colours."""
    lines = card_lines(card, _WIDTH, extra_lines(card, _WIDTH), blocks)
    return "\n".join(line.plain.rstrip() for line in lines).strip() + "\n"
