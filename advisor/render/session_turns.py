"""The turns of a conversation as blocks, and what was expected beside what came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from advisor.dialogue.cards import sentence
from advisor.dialogue.records import Card, Line
from advisor.render.document import Block, Fact, Facts, Item, Paragraph, Tone, Turn
from advisor.render.session_story import Subject

_LABELS: Final = {"question": "Question", "answer": "Answer", "error": "That did not work", "napkin": "Napkin"}
# What becomes of a test is said by a sign and not by colour alone.
_SIGNS: Final[dict[str, tuple[str, Tone]]] = {
    "holds": ("✓ ", "good"),
    "fails": ("✗ ", "bad"),
    "unknown": ("? ", "warn"),
    "warning": ("! ", "warn"),
    "quiet": ("", "dim"),
}
# These stand on the page at full length already.
_BRIEF: Final = {"log": "told above", "compared": "told above"}
_PAST: Final = "Former version"
_WIDE: Final = 100_000  # the page breaks lines itself
_FEW: Final = 2  # sections of an explanation


def turns(cards: Sequence[Card], *, brief: bool = False) -> list[Block]:
    """Each card as a turn, in order; where a former version's end, that is said. brief: the page shows versions."""
    blocks: list[Block] = []
    for at, card in enumerate(cards):
        blocks.append(_turn(card, brief))
        if card.past and (at + 1 == len(cards) or not cards[at + 1].past):
            blocks.append(Paragraph("Up to here it was about a former version of the code.", "dim"))
    return blocks


def _turn(card: Card, brief: bool) -> Turn:
    label = card.label or _LABELS.get(card.kind, card.kind.capitalize())
    said = card.kind == "answer"
    if brief and card.kind in _BRIEF:
        return Turn(label, card.title, aside=_BRIEF[card.kind])
    return Turn(label, card.title, tuple(_items(card)), said, card.aside)


def _items(card: Card) -> list[Item]:
    lines = [_item(line) for line in card.lines]
    if card.kind == "explanation" and card.detail is not None:
        lines += [Item(text) for text in _explained(card.detail)]
    return lines


def _item(line: Line) -> Item:
    sign, tone = _SIGNS.get(line.style, ("", "plain"))
    return Item(f"{sign}{line.text}", max(0, line.depth), line.label, tone)


def _explained(detail: object) -> list[str]:
    if isinstance(detail, str):
        return [line for line in detail.splitlines() if line.strip()]
    sections = getattr(detail, "sections", ())
    title = str(getattr(detail, "title", ""))
    lines = [text.strip() for _, texts in sections[:_FEW] for text in texts]
    return [title, *lines] if title else lines


def expected_blocks(subject: Subject) -> list[Block]:
    """The bound that the user expected and the napkin's figures, beside what was measured; empty without either."""
    rows = []
    for card in subject.cards:
        if card.kind == "napkin":
            label = f"Napkin ({_PAST.lower()})" if card.past else "Napkin"
            rows.append(Fact(label, card.title, "lead"))
            rows += [Fact(line.label or "Note", line.text, _tone(line)) for line in card.lines]
    for card in subject.cards:
        if card.kind == "note" and card.finding == "expect":
            label = f"{card.label} ({_PAST.lower()})" if card.past else card.label
            rows.append(Fact(label, " ".join(map(sentence, (card.title, *(line.text for line in card.lines))))))
    return [Facts(tuple(rows))] if rows else []


def _tone(line: Line) -> Tone:
    return "warn" if line.style == "warning" else "plain"
