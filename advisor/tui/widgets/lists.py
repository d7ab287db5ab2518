"""Lists with a cursor: numbered choices, and long lists that draw only their visible rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec import Struct
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from advisor.session.records import Choice
from advisor.tui.drawing import styled
from advisor.tui.widgets.strips import strip_of


def labelled_row(label: Content | str, note: str = "") -> Content:
    """Return a row of a list in one line: its label, followed by a note in a quiet colour."""
    row = label if isinstance(label, Content) else styled(label.replace("\n", " "), "")
    return row + styled(f"  {note}".replace("\n", " "), "$quiet") if note else row


def fill(rows: OptionList, lines: Sequence[Content], at: int | None = 0, disabled: Sequence[bool] = ()) -> None:
    """Show these lines in the list, with the cursor on line `at`."""
    rows.clear_options()
    off = disabled or [False] * len(lines)
    rows.add_options([Option(line, disabled=no) for line, no in zip(lines, off, strict=True)])
    rows.highlighted = at if lines else None


class Choices(OptionList, inherit_bindings=False, can_focus=False):
    """Choices with a highlight. The arrow keys of the prompt move it too; mouse clicks work in the list itself."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor_up", "Up", show=False),
        Binding("down", "cursor_down", "Down", show=False),
        Binding("enter", "select", "Choose", tooltip="Take the highlighted choice"),
    ]

    class Taken(Message):
        """The user clicked a choice."""

        def __init__(self, choice: str) -> None:
            super().__init__()
            self.choice = choice

    def __init__(self, *, focus: bool = False) -> None:
        super().__init__(markup=False, compact=True)
        self.can_focus = focus
        self._shown: tuple[Choice, ...] = ()
        self._numbered = True
        self._marked = True
        self._letters = True

    def show(
        self, choices: Sequence[Choice], *, numbered: bool = True, marked: bool = True, letters: bool = True
    ) -> None:
        """Show these choices, with numbers or, as far as they act, letters; `marked` highlights the first."""
        if (tuple(choices), numbered, marked, letters) == (self._shown, self._numbered, self._marked, self._letters):
            return
        self._shown, self._numbered, self._marked, self._letters = tuple(choices), numbered, marked, letters
        fill(self, [self._row(at, c) for at, c in enumerate(self._shown, 1)], 0 if marked else None)

    def _row(self, at: int, choice: Choice) -> Content:
        letter = next((word for word in choice.words if len(word) == 1), "") if self._letters else ""
        key = str(at) if self._numbered else letter
        number = styled(f"{key:>2} ", "bold $text-accent")
        return labelled_row(number + styled(choice.label.replace("\n", " "), ""), choice.note)

    @property
    def marked(self) -> str | None:
        """The id of the highlighted choice, or None."""
        at = self.highlighted
        return self._shown[at].id if at is not None and at < len(self._shown) else None

    def unmark(self) -> None:
        """Highlight nothing, so that Enter takes nothing until the user moves the highlight."""
        self._marked, self.highlighted = False, None

    def numbered(self, text: str) -> str | None:
        """Return the id of the choice whose number was typed, or None."""
        return self._shown[int(text) - 1].id if text.isdecimal() and 0 < int(text[:6]) <= len(self._shown) else None

    def step(self, by: int) -> None:
        """Move the highlight up or down, cyclically."""
        if self._shown:
            at = self.highlighted
            self.highlighted = (at + by if at is not None else 0 if by > 0 else -1) % len(self._shown)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self._shown):
            self.post_message(self.Taken(self._shown[event.option_index].id))


class Split(Struct, frozen=True):
    """A row of which only `text` scrolls sideways; `fixed` stays at its left."""

    fixed: Content
    text: Content

    @property
    def cell_length(self) -> int:
        """The width of the whole row, in cells."""
        return self.fixed.cell_length + self.text.cell_length

    def scrolled(self, left: int) -> Content:
        """Return the row with the first `left` characters of its text out of view."""
        return self.fixed + self.text[left:]


Row = Content | Split
Draw = Callable[[int, int], Row]
Head = Content | Callable[[int], Content]  # the same for all widths, or a function of the width
_MARK = 2  # cells to the left of each line, for the cursor mark


class Rows(ScrollView, can_focus=True, inherit_bindings=False):
    """A list with a cursor: `draw(i, width)` makes line i, which may be longer than the width."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--line", "rows--cursor", "rows--head"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-1)", "Up", show=False, tooltip="A line up"),
        Binding("down", "step(1)", "Down", show=False, tooltip="A line down"),
        Binding("pageup", "page(-1)", "Page up", show=False, tooltip="A page up"),
        Binding("pagedown", "page(1)", "Page down", show=False, tooltip="A page down"),
        Binding("home", "ends(0)", "First", show=False, tooltip="Go to the first line"),
        Binding("end", "ends(1)", "Last", show=False, tooltip="Go to the last line"),
        Binding("enter", "take", "Choose", show=False, tooltip="Choose the line under the cursor"),
    ]

    class Moved(Message):
        """The cursor moved to another line."""

        def __init__(self, rows: Rows, at: int) -> None:
            super().__init__()
            self.rows, self.at = rows, at

        @property
        def control(self) -> Rows:
            """The list that sent the message."""
            return self.rows

    class Taken(Moved):
        """The user pressed Enter on a line or double-clicked it."""

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._mark = "▸ " if blocks else "> "
        self._draw: Draw = lambda at, width: Content("")
        self._head: Head | None = None
        self.count = 0
        self.at = 0
        self.left = 0  # cells to the left of the list that are scrolled out of view

    def show(self, count: int, draw: Draw, *, head: Head | None = None, at: int | None = None) -> None:
        """Show these lines below the fixed head; the cursor stays on its line unless `at` moves it."""
        self.count, self._draw, self._head = count, draw, head
        self.at = min(max(self.at if at is None else at, 0), max(count - 1, 0))
        self.virtual_size = Size(0, count + self._top)
        self.refresh()
        if at is not None:
            self._reveal()

    @property
    def _top(self) -> int:
        return 0 if self._head is None else 1

    def move(self, at: int) -> None:
        """Move the cursor to a line, as an arrow key would."""
        at = min(max(at, 0), max(self.count - 1, 0))
        if at != self.at and self.count:
            for line in (self.at, at):
                self.refresh_line(line + self._top)
            self.at = at
            self._reveal()
            self.post_message(self.Moved(self, at))

    def _reveal(self) -> None:
        room = max(self.size.height - self._top, 1)
        first = round(self.scroll_offset.y)
        if not first <= self.at < first + room:
            self.scroll_to(y=self.at if self.at < first else self.at - room + 1, animate=False, immediate=True)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        room = max(width - _MARK, 1)
        if y < self._top and self._head is not None:
            head = self._head(room) if callable(self._head) else self._head
            return self._strip(" " * _MARK, head, width, "rows--head")
        at = round(self.scroll_offset.y) + y - self._top
        if not 0 <= at < self.count:
            return self._strip("", Content(""), width, "rows--line")
        if at == self.at:
            return self._strip(self._mark, self._draw(at, room), width, "rows--cursor")
        return self._strip(" " * _MARK, self._draw(at, room), width, "rows--line")

    def _strip(self, mark: str, row: Row, width: int, name: str) -> Strip:
        style, room = self.get_visual_style(name), max(width, 1)
        line = Content(mark) + (row.scrolled(self.left) if isinstance(row, Split) else row[self.left :])
        return strip_of(self, line.truncate(room, ellipsis=True), room, style).extend_cell_length(
            width, style.rich_style
        )

    def on_resize(self) -> None:
        self._reveal()

    def shift(self, by: int) -> None:
        """Scroll sideways by a part of the width, no further than the end of the longest line in view."""
        room = max(self.scrollable_content_region.width - _MARK, 1)
        first = round(self.scroll_offset.y)
        rows = range(first, min(first + max(self.size.height - self._top, 1), self.count))
        longest = max((self._draw(at, room).cell_length for at in rows), default=0)
        self.left = min(max(self.left + by * max(room // 2, 1), 0), max(longest - room, 0))
        self.refresh()

    # User actions

    def action_step(self, by: int) -> None:
        self.move(self.at + by)

    def action_page(self, by: int) -> None:
        self.move(self.at + by * max(self.size.height - self._top - 1, 1))

    def action_ends(self, last: int) -> None:
        self.move(self.count - 1 if last else 0)

    def action_take(self) -> None:
        if self.count:
            self.post_message(self.Taken(self, self.at))

    def on_click(self, event: Click) -> None:
        """Move the cursor to the clicked line; a double click chooses it."""
        at = round(self.scroll_offset.y) + event.y - self._top
        if event.y < self._top or not 0 <= at < self.count:
            return
        if event.chain >= 2:
            self.action_take()
        else:
            self.move(at)
