"""Cards whose body another renderer makes: an explanation comes as a record of the knowledge base."""

from __future__ import annotations

from advisor.dialogue.records import Card


def extra_lines(card: Card, width: int) -> list[str]:
    """The lines of a card's detail at this width; none for a card without one."""
    if card.kind != "explanation" or card.detail is None:
        return []
    if isinstance(card.detail, str):
        return card.detail.splitlines()
    from advisor.render.explain import explain_text

    return explain_text(card.detail, width=width).splitlines()
