"""Widgets of text: the banner, notes, cards, the conversation, and the line that shows running work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar, Final

from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip
from textual.timer import Timer
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import Static

from advisor.session.records import Card
from advisor.tui.drawing import card_lines, extra_lines, safe, styled


class LineWidget(Widget):
    """A widget of lines made for the current width, of which only the visible ones are drawn.

    Subclasses implement `_make`, or `_at` if the lines depend on more than the width. filled: lines are padded with
    blanks to the full width.
    """

    filled: ClassVar[bool] = False
    _made_at: tuple[int, list[Content]] = (0, [])  # the width and the lines made for it

    def _make(self, width: int) -> list[Content]:
        """The lines, at most `width` cells wide."""
        raise NotImplementedError

    def _at(self, width: int) -> list[Content]:
        """The lines, made again if the width changed."""
        if self._made_at[0] != width:
            self._made_at = (width, self._make(width))
        return self._made_at[1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._at(width)) if width > 0 else 0

    def render(self) -> Content:
        return Content("\n").join(self._at(self.content_size.width)) if self.content_size.width else Content("")

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        lines = self._at(width) if width else []
        if self.text_selection is not None or y >= len(lines):
            return super().render_line(y)
        strip = Visual.to_strips(self, lines[y], width, 1, self.visual_style, pad=self.filled)[0]
        return strip.apply_offsets(0, y)  # a mouse selection begins and ends in this line, not in the first


Make = Callable[[int], list[Content]]
_NARROWEST = 20


class Lines(LineWidget):
    """Lines made by a function of the width."""

    DEFAULT_CSS = "Lines { height: auto; width: 1fr; text-wrap: nowrap; }"

    def __init__(self, *, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._asked: Make = lambda width: []

    def show(self, make: Make) -> None:
        """Show the lines that this function makes."""
        self._asked, self._made_at = make, (0, [])
        self.refresh(layout=True)

    def _make(self, width: int) -> list[Content]:
        return self._asked(max(width, _NARROWEST))


class Note(Static):
    """Lines of text, wrapped to the width."""

    def __init__(self, ident: str) -> None:
        super().__init__(id=ident, markup=False)
        self._lines: tuple[Content, ...] = ()

    def say(self, lines: Sequence[Content | tuple[str, str]]) -> None:
        """Show these lines: contents, or (text, style) pairs."""
        made = tuple(line if isinstance(line, Content) else styled(*line) for line in lines)
        if made != self._lines:
            self._lines = made
            self.update(Content("\n").join(made))


class CardView(LineWidget):
    """A card, laid out for the current width."""

    def __init__(self, card: Card, *, blocks: bool = True) -> None:
        super().__init__(classes=f"card -{card.kind}")
        self.card = card
        self._blocks = blocks

    def _make(self, width: int) -> list[Content]:
        return card_lines(self.card, width, extra_lines(self.card, width), self._blocks)


# Kinds of cards that do not begin a turn.
_NO_TURN: Final = ("overview", "class", "finding", "trust", "note", "next")


class Conversation(VerticalScroll, can_focus=False):
    """The cards of a conversation; only changed cards are replaced. The prompt scrolls it, and so keeps the focus."""

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._blocks = blocks
        self._shown: tuple[Card, ...] = ()
        self._seen: tuple[Card, ...] = ()  # the last cards shown, also while there are none
        self._views: list[CardView] = []
        self._anchor: CardView | None = None

    def show(self, cards: Sequence[Card]) -> None:
        """Show these cards, scrolled to the first new one."""
        wanted = tuple(cards)
        if wanted == self._shown:
            return
        # While work runs there may be no cards: compare with the last ones shown.
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
        """Scroll to the newest turn, unless the user has scrolled away."""
        if self._anchor is not None and self._anchor.is_attached:
            self.scroll_to_widget(self._anchor, animate=False, top=True, force=True)

    def let_go(self) -> None:
        """Stop following the newest turn: the user scrolls."""
        self._anchor = None

    def watch_virtual_size(self) -> None:
        self.call_after_refresh(self.reveal)

    def on_resize(self) -> None:
        self.call_after_refresh(self.reveal)

    def on_mouse_scroll_down(self) -> None:
        self.let_go()

    def on_mouse_scroll_up(self) -> None:
        self.let_go()


def newest(seen: Sequence[Card], wanted: Sequence[Card]) -> int | None:
    """The index of the first card of the newest turn: the first card not shown before or, in a conversation opened as a
    whole, the last turn. None if there is no new card.
    """
    pairs = zip(map(_same_everywhere, seen), map(_same_everywhere, wanted), strict=False)
    same = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(seen), len(wanted)))
    if same:
        said = [at for at, card in enumerate(wanted) if at >= same and card.kind == "answer"]
        # A replay may advance by many turns at once.
        return said[-1] if len(said) > 1 else same if same < len(wanted) else None
    turns = [at for at, card in enumerate(wanted) if card.kind not in _NO_TURN]
    return turns[-1] if turns else 0 if wanted else None


def _same_everywhere(card: Card) -> Card:
    """The card without what a new report changes: the launch's position, and whether the version is an old one."""
    return replace(card, position=None, past=False)


class Banner(Widget):
    """The program's name and what is open, cut to one line."""

    def __init__(self, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._what = ""

    def show(self, what: str) -> None:
        """Show what is open."""
        if what != self._what:
            self._what = what
            self.refresh()

    def render(self) -> Content:
        name = Content.styled("ncu-advisor", "bold")
        line = Content("  ").join([name, Content(safe(self._what).replace("\n", " "))]) if self._what else name
        return line.truncate(max(self.content_size.width, 1), ellipsis=True)


_FRAMES = ("◐", "◓", "◑", "◒")
_PLAIN_FRAMES = ("|", "/", "-", "\\")
_CELLS = 16
_AFTER_S = 0.1  # seconds; shorter work is not shown, as the line would move all others


class Busy(Widget):
    """A line about the running work, hidden while there is none; `total` 0 means unknown."""

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._frames = _FRAMES if blocks else _PLAIN_FRAMES
        self._full, self._empty = ("█", "░") if blocks else ("#", ".")
        self._text = ""
        self._done, self._total = 0, 0
        self._frame = 0
        self._soon: Timer | None = None

    def on_mount(self) -> None:
        self.set_interval(0.25, self._turn)

    def _turn(self) -> None:
        if self._text:
            self._frame += 1
            self.refresh()

    def show(self, text: str, done: int = 0, total: int = 0) -> None:
        """Show this work; an empty text means none."""
        if (text, done, total) == (self._text, self._done, self._total):
            return
        began = text and not self._text
        self._text, self._done, self._total = text, done, total
        if began:
            self._soon = self.set_timer(_AFTER_S, self._appear)
        elif not text:
            if self._soon is not None:
                self._soon.stop()
            self.remove_class("-working")
        self.refresh()

    def _appear(self) -> None:
        self.add_class("-working")

    def render(self) -> Content:
        if not self._text:
            return Content("")
        sign = self._frames[self._frame % len(self._frames)]
        parts = [Content.styled(f"{sign} {safe(self._text)}", "$text-accent")]
        if self._total:
            full = round(_CELLS * min(self._done, self._total) / self._total)
            parts.append(Content.styled(self._full * full, "$accent") + Content(self._empty * (_CELLS - full)))
            parts.append(Content(f"{self._done} of {self._total}"))
        parts.append(Content.styled("Esc cancels", "$quiet"))
        return Content("  ").join(parts).truncate(max(self.content_size.width, 1), ellipsis=True)
