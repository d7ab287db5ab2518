"""The conversation: cards under one another, the newest turn in view from its beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from textual.containers import VerticalScroll

from advisor.session.records import Card
from advisor.tui.widgets.card import CardView
from advisor.tui.widgets.placed import Placed

# What stands before the first turn of a launch, and what follows in a turn that another card begins.
_NO_TURN: Final = ("overview", "class", "finding", "trust", "note", "next")


class Conversation(VerticalScroll, Placed, can_focus=False):
    """Holds a CardView for each card of the state; takes up only what differs from what it shows.

    It is scrolled from the prompt, which therefore keeps the keys.
    """

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._blocks = blocks
        self._shown: tuple[Card, ...] = ()
        self._seen: tuple[Card, ...] = ()  # what was in view last, also while nothing is
        self._views: list[CardView] = []
        self._anchor: CardView | None = None

    def show(self, cards: Sequence[Card]) -> None:
        """Show these cards: those that went are removed, new ones appended, and the first new one scrolled to."""
        wanted = tuple(cards)
        if wanted == self._shown:
            return
        # Only what was in view before can be met again; while work is under way there may be nothing in view.
        self._seen = self._shown or self._seen
        begins = newest(self._seen, wanted)
        same = 0
        while same < min(len(wanted), len(self._shown)) and wanted[same] == self._shown[same]:
            same += 1
        gone, self._views = self._views[same:], self._views[:same]
        if gone:
            self.remove_children(gone)
        new = [CardView(card, blocks=self._blocks) for card in wanted[same:]]
        self._views += new
        self._shown = wanted
        if new:
            self.mount(*new)
        self._anchor = self._views[begins] if new and begins is not None else self._views[-1] if self._views else None
        self.call_after_refresh(self.reveal)

    def reveal(self) -> None:
        """Bring the newest turn into view, unless the user has scrolled away from it."""
        if self._anchor is not None and self._anchor.is_attached:
            self.scroll_to_widget(self._anchor, animate=False, top=True, force=True)

    def let_go(self) -> None:
        """The user scrolls: the newest turn need not stay in view."""
        self._anchor = None

    def watch_virtual_size(self) -> None:
        """New cards have been laid out, which may be long after they were mounted: under another screen, say."""
        self.call_after_refresh(self.reveal)

    def on_resize(self) -> None:
        """Another size breaks the lines elsewhere: the newest turn stays in view."""
        self.call_after_refresh(self.reveal)

    def on_mouse_scroll_down(self) -> None:
        """The wheel."""
        self.let_go()

    def on_mouse_scroll_up(self) -> None:
        """The wheel."""
        self.let_go()


def newest(seen: Sequence[Card], wanted: Sequence[Card]) -> int | None:
    """Where the newest turn begins: at the first card that was not in view; in a conversation gone back to, such as one
    that was saved, at the last turn of all. None where there is no new card.
    """
    pairs = zip(map(_same_everywhere, seen), map(_same_everywhere, wanted), strict=False)
    same = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(seen), len(wanted)))
    if same:
        said = [at for at, card in enumerate(wanted) if at >= same and card.kind == "answer"]
        # A replay may go on by many turns at once.
        return said[-1] if len(said) > 1 else same if same < len(wanted) else None
    turns = [at for at, card in enumerate(wanted) if card.kind not in _NO_TURN]
    return turns[-1] if turns else 0 if wanted else None


def _same_everywhere(card: Card) -> Card:
    """The card without what a new report changes in it: the launch's place, and that it is about a former version."""
    return replace(card, position=None, past=False)
