"""Text widgets: the banner, notes, tabs, cards, the conversation, and the line that shows running work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final

from msgspec.structs import replace
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from advisor.session.records import Card
from advisor.tui.drawing import card_lines, safe, styled
from advisor.tui.widgets.strips import strip_of

Make = Callable[[int], list[Content]]


class LineWidget(Widget):
    """A widget of lines that are made once for each width; only the visible lines are drawn.

    filled: whether lines are padded with blanks to the full width.
    """

    filled: ClassVar[bool] = False
    _made: tuple[int, list[Content]] = (0, [])  # the width and the lines made for it

    def make(self, width: int) -> list[Content]:
        """Make the lines, at most `width` cells wide."""
        raise NotImplementedError

    def lines(self, width: int) -> list[Content]:
        """Return the lines; make them again if the width changed."""
        if self._made[0] != width:
            self._made = (width, self.make(width))
        return self._made[1]

    def renew(self) -> None:
        """Make the lines again. The screen is arranged again only if their number changed."""
        width, before = self._made[0], len(self._made[1])
        self._made = (0, [])
        self.refresh(layout=not width or len(self.lines(width)) != before)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.lines(width)) if width > 0 else 0

    def render(self) -> Content:
        """Return all lines, for copying a selection."""
        return Content("\n").join(self.lines(self.content_size.width)) if self.content_size.width else Content("")

    def render_line(self, y: int) -> Strip:
        width = self.content_size.width
        lines = self.lines(width) if width else []
        if self.text_selection is not None or y >= len(lines):
            return super().render_line(y)
        strip = strip_of(self, lines[y], width, self.visual_style, filled=self.filled)
        return strip.apply_offsets(0, y)  # gives a mouse selection the position of this line


class Lines(LineWidget):
    """A widget of lines that a function of the width makes."""

    def __init__(self, make: Make = lambda width: [], *, ident: str | None = None, classes: str = "") -> None:
        super().__init__(id=ident, classes=classes)
        self._maker = make

    def show(self, make: Make) -> None:
        """Show the lines that this function returns."""
        self._maker = make
        self.renew()

    def make(self, width: int) -> list[Content]:
        """Make the lines."""
        return self._maker(width)


class Note(Static):
    """A widget of text lines, wrapped to the width."""

    def __init__(self, ident: str) -> None:
        super().__init__(id=ident, markup=False)
        self.shown: tuple[Content, ...] = ()

    def say(self, lines: Sequence[Content | tuple[str, str]]) -> None:
        """Show these lines, given as contents or as (text, style) pairs."""
        made = tuple(line if isinstance(line, Content) else styled(*line) for line in lines)
        if made != self.shown:
            self.shown = made
            self.update(Content("\n").join(made))


class Tabs(Widget):
    """Names in one line, with the current name in brackets; a click selects another name.

    A line that is too long is shifted so that the current name is visible.
    """

    class Taken(Message):
        """The user clicked a name."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, labels: Mapping[str, str], current: str) -> None:
        super().__init__()
        self._labels, self._current = dict(labels), current

    def show(self, current: str, labels: Mapping[str, str] | None = None) -> None:
        """Highlight this name. labels: other names to show."""
        kept = self._labels if labels is None else dict(labels)
        if current != self._current or kept != self._labels:
            self._current, self._labels = current, kept
            self.refresh()

    def _spans(self) -> dict[str, tuple[int, int]]:
        """Return the first and last cell of each label; labels are two blanks apart if there is room, else one."""
        wide = sum(len(label) + 2 for label in self._labels.values())
        gap = 2 if wide <= self.content_size.width else 1  # brackets may replace blanks
        spans, at = {}, 1
        for name, label in self._labels.items():
            spans[name] = (at, at + len(label))
            at += len(label) + gap
        return spans

    def _shifted(self) -> int:
        return max(self._spans()[self._current][1] + 1 - self.content_size.width, 0) if self.content_size.width else 0

    def render(self) -> Content:
        spans = self._spans()
        cells = [" "] * (max(to for _, to in spans.values()) + 1)
        for name, (start, to) in spans.items():
            cells[start:to] = self._labels[name]
        start, to = spans[self._current]
        cells[start - 1], cells[to] = "[", "]"
        line = styled("".join(cells), "$text-secondary").stylize("bold $text-accent", start - 1, to + 1)
        return line[self._shifted() :]

    def on_click(self, event: Click) -> None:
        event.stop()
        at = event.x - self.gutter.left + self._shifted()
        taken = next((name for name, (start, to) in self._spans().items() if start - 1 <= at <= to), None)
        if taken is not None:
            self.post_message(self.Taken(taken))


class CardView(LineWidget):
    """A card, laid out for the current width."""

    def __init__(self, card: Card, *, blocks: bool = True) -> None:
        super().__init__(classes=f"card -{card.kind}")
        self.card, self.blocks = card, blocks

    def make(self, width: int) -> list[Content]:
        """Make the lines of the card."""
        return card_lines(self.card, width, self.blocks)


class CardColumn(VerticalScroll, can_focus=False):
    """A column of cards that replaces only the cards that changed."""

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self.blocks = blocks
        self.shown: tuple[Card, ...] = ()
        self.views: list[CardView] = []

    def replace(self, cards: Sequence[Card], *, before: Widget | None = None) -> list[CardView]:
        """Show these cards instead, new ones before a widget or at the end; return the views of the new cards."""
        same = 0
        while same < min(len(cards), len(self.shown)) and cards[same] == self.shown[same]:
            same += 1
        gone, self.views, self.shown = self.views[same:], self.views[:same], tuple(cards)
        if gone:
            self.remove_children(gone)
        new = [CardView(card, blocks=self.blocks) for card in cards[same:]]
        self.views += new
        if new:
            self.mount(*new, before=before)
        return new


# Kinds of cards that do not begin a turn.
_NO_TURN: Final = ("overview", "class", "finding", "trust", "note", "next")


class Conversation(CardColumn):
    """The cards of a conversation. The prompt keeps the focus and scrolls the conversation."""

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(blocks=blocks, ident=ident)
        self._seen: tuple[Card, ...] = ()  # the last cards shown, kept while there are none
        self._anchor: int | None = None  # index of the card to keep at the top; None while the user scrolls

    def show(self, cards: Sequence[Card]) -> None:
        """Show these cards, scrolled to the first new one."""
        wanted = tuple(cards)
        if wanted == self.shown:
            return
        # While work runs there may be no cards, so compare with the last cards shown.
        self._seen = self.shown or self._seen
        begins = newest(self._seen, wanted)
        new = self.replace(wanted)
        if begins is not None:
            self._anchor = begins
        elif not new:  # cards were taken back
            self._anchor = newest((), wanted)
        self.call_after_refresh(self.reveal)

    def reveal(self) -> None:
        """Scroll to the newest turn, unless the user has scrolled away."""
        if self._anchor is not None and 0 <= self._anchor < len(self.views) and self.views[self._anchor].is_attached:
            self.scroll_to_widget(self.views[self._anchor], animate=False, top=True, force=True, immediate=True)

    def to_start(self) -> bool:
        """Go back to the first cards from a later turn; return whether a later turn was shown."""
        if not self._anchor or self.scroll_offset.y <= 0:
            return False
        self._anchor = 0
        self.reveal()
        return True

    def let_go(self) -> None:
        """Stop following the newest turn because the user scrolls."""
        self._anchor = None

    def watch_virtual_size(self) -> None:
        self.call_after_refresh(self.reveal)

    def on_resize(self) -> None:
        self.call_after_refresh(self.reveal)

    on_mouse_scroll_down = on_mouse_scroll_up = let_go


def newest(seen: Sequence[Card], wanted: Sequence[Card]) -> int | None:
    """Return the index of the first card of the newest turn: the first card not shown before or, in a conversation
    that was opened complete, the start of the last turn. Return None if there is no new card.
    """
    pairs = enumerate(zip(seen, wanted, strict=False))
    same = next((at for at, (one, other) in pairs if not _alike(one, other)), min(len(seen), len(wanted)))
    if same:
        said = [at for at, card in enumerate(wanted) if at >= same and card.kind == "answer"]
        # A replay may advance by many turns at once.
        return said[-1] if len(said) > 1 else same if same < len(wanted) else None
    turns = [at for at, card in enumerate(wanted) if card.kind not in _NO_TURN]
    return turns[-1] if turns else 0 if wanted else None


def _alike(one: Card, other: Card) -> bool:
    """Return whether these are one card: with more content (its hot lines), or moved and marked by a new report."""
    if (one.kind, one.position, one.finding, one.label) == (other.kind, other.position, other.finding, other.label):
        return one.title == other.title
    return replace(one, position=None, past=False) == replace(other, position=None, past=False)


_FRAMES = ("◐", "◓", "◑", "◒")
_PLAIN_FRAMES = ("|", "/", "-", "\\")
_CELLS = 16
_AFTER_S = 0.1  # seconds; shorter work is not shown


class Banner(Widget):
    """The program's name and the open reports or view in one line; at its right end the running work.

    Work is shown here so that it neither moves nor covers anything else.
    """

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self._frames = _FRAMES if blocks else _PLAIN_FRAMES
        self._full, self._empty = ("█", "░") if blocks else ("#", ".")
        self._what = ""
        self._work = ("", 0, 0)
        self._frame = 0
        self._visible = False  # whether the work runs long enough to be shown
        self._soon: Timer | None = None

    def on_mount(self) -> None:
        self.set_interval(0.25, self._turn)

    def _turn(self) -> None:
        if self._visible:
            self._frame += 1
            self.refresh()

    def show(self, what: str) -> None:
        """Show this text after the program's name."""
        if what != self._what:
            self._what = what
            self.refresh()

    def work(self, text: str, done: int = 0, total: int = 0) -> None:
        """Show this work; an empty text ends it, and a `total` of 0 means unknown."""
        if (text, done, total) == self._work:
            return
        began = text and not self._work[0]
        self._work = (text, done, total)
        if began:
            self._soon = self.set_timer(_AFTER_S, self._reveal)
        elif not text and self._soon is not None:
            self._soon.stop()
        shown, self._visible = self._visible, self._visible and bool(text)
        if shown:
            self.refresh()

    def _reveal(self) -> None:
        self._visible = True
        self.refresh()

    def _working(self) -> Content:
        text, done, total = self._work
        if not text or not self._visible:
            return Content("")
        parts = [Content.styled(f"{self._frames[self._frame % len(self._frames)]} {safe(text)}", "$text-accent")]
        if total:
            full = round(_CELLS * min(done, total) / total)
            parts.append(Content.styled(self._full * full, "$accent") + Content(self._empty * (_CELLS - full)))
            parts.append(Content(f"{done} of {total}"))
        parts.append(Content.styled("Esc cancels", "$quiet"))
        return Content("  ").join(parts)

    def render(self) -> Content:
        name = Content.styled("ncu-advisor", "bold")
        what = Content("  ").join([name, styled(self._what.replace("\n", " "), "")]) if self._what else name
        width, work = max(self.content_size.width, 1), self._working()
        if not work.plain:
            return what.truncate(width, ellipsis=True)
        work = work.truncate(max(width - len("ncu-advisor") - 2, 1), ellipsis=True)
        room = max(width - work.cell_length - 2, 0)
        return what.truncate(room, ellipsis=True, pad=True) + Content("  ") + work
