"""The conversation: cards under one another, the newest turn in view from its beginning."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import VerticalScroll

from advisor.dialogue.records import Card
from advisor.tui.widgets.card import CardView


class Conversation(VerticalScroll, can_focus=True):
    """Holds a CardView for each card of the state; takes up only what differs from what it shows."""

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._blocks = blocks
        self._shown: tuple[Card, ...] = ()
        self._views: list[CardView] = []
        self._anchor: CardView | None = None

    def show(self, cards: Sequence[Card]) -> None:
        """Show these cards: those that went are removed, new ones appended, and the first new one scrolled to."""
        wanted = tuple(cards)
        if wanted == self._shown:
            return
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
        self._anchor = new[0] if new else self._views[-1] if self._views else None
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
