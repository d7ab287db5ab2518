"""The table of launches: sorted, filtered, one row each, its columns as wide as there is room for."""

from __future__ import annotations

from itertools import accumulate
from typing import ClassVar, Final

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.binding import BindingType
from textual.events import Click, Resize
from textual.message import Message
from textual.widgets import DataTable

from advisor.tui.launch_rows import ORDERS, Row, arranged, exactly, rows_of, share_text
from advisor.view.charts.bars import bar

__all__ = ["ORDERS", "LaunchTable", "rows_of"]

_WIDE: Final = 100  # columns from which classes are written out and shares have a bar
_WIDEST: Final = 130  # columns from which several reports have a column
_NARROWEST: Final = 60
_BAR: Final = 9
# Column -> head, what it is sorted by, and its width; 0 where that depends on what is in it.
_COLUMNS: Final = {
    "report": ("#", "report", 5),
    "file": ("Report", "report", 20),
    "kernel": ("Kernel", "kernel", 0),
    "duration": ("Time", "duration", 9),
    "share": ("Share", "duration", 6),
    "class": ("Class", "class", 14),
    "finding": ("First finding", "finding", 0),
    "gain": ("Gain", "gain", 6),
}
_RIGHT: Final = ("duration", "gain")
_CLASS_WIDE, _SHARE_WIDE = 21, 6 + _BAR + 1


class LaunchTable(DataTable[Text], can_focus=False):
    """Driven from the filter line, like the choices from the prompt; the mouse works here.

    A row is one cell of text with our own columns in it: a cell costs far more to draw than the text in it.
    """

    BINDINGS: ClassVar[list[BindingType]] = []

    class Opened(Message):
        """A launch was chosen."""

        def __init__(self, position: int) -> None:
            super().__init__()
            self.position = position

    class SortAsked(Message):
        """A head was clicked."""

        def __init__(self, order: str) -> None:
            super().__init__()
            self.order = order

    def __init__(self, ident: str | None = None, *, blocks: bool = True) -> None:
        super().__init__(id=ident, cursor_type="row", cell_padding=0, zebra_stripes=True)
        self._blocks = blocks
        self._rows: tuple[Row, ...] = ()
        self._kept: list[Row] = []
        self._order, self._upwards = "report", False
        self._wanted = ""
        self._width = 0
        self._widths: dict[str, int] = {}

    def show(self, rows: tuple[Row, ...], wanted: str, order: str, upwards: bool = False) -> None:
        """Show these rows, filtered and sorted. The cursor goes to the launch whose very number or name was typed, else
        stays on its launch where it is still there.
        """
        asked = (wanted, order, upwards, self.size.width)
        same = rows is self._rows or rows == self._rows
        if same and asked == (self._wanted, self._order, self._upwards, self._width):
            return
        named = exactly(rows, wanted) if not same or wanted != self._wanted else None
        at = self.position if named is None else named
        self._rows, self._wanted, self._order, self._upwards, self._width = rows, *asked
        self._kept = arranged(rows, wanted, order, upwards)
        self._widths = self._measured()
        self.clear(columns=True)
        self.show_header = bool(rows)
        heads = (_fitted(self._head(name), size) for name, size in self._widths.items())
        self.add_column(Text("".join(heads), no_wrap=True), width=sum(self._widths.values()), key="row")
        most = max((row.share or 0.0 for row in rows), default=0.0)
        for row in self._kept:
            self.add_row(self._line(row, most))
        if not self.point(at):
            self.move_cursor(row=0, animate=False)

    def _measured(self) -> dict[str, int]:
        """The columns that there is room for, from left to right, and their widths."""
        width = max(self._width - 1, _NARROWEST)  # one column for the scroll bar
        heads = {name: cell_len(self._head(name)) + 1 for name in _COLUMNS}
        widths = {name: max(size, heads[name]) if size else 0 for name, (_, _, size) in _COLUMNS.items()}
        if width >= _WIDE:
            widths |= {"class": _CLASS_WIDE, "share": _SHARE_WIDE}
        if width < _WIDEST or not any(row.report for row in self._rows):
            del widths["file"]
        if width < 72:
            del widths["share"]
        numbers = max((len(row.number) for row in self._rows), default=0) + 1
        widths["report"] = max(widths["report"], min(numbers, 12))
        left = width - sum(widths.values())
        longest = max((len(row.kernel) for row in self._rows), default=0) + 2
        widths["kernel"] = max(min(longest, left // 2), heads["kernel"])
        finding = min(max((len(row.finding) for row in self._rows), default=0) + 3, left - widths["kernel"])
        widths["finding"] = max(finding, heads["finding"])
        return widths

    def _head(self, name: str) -> str:
        head, order, _ = _COLUMNS[name]
        down, up = ("▾", "▴") if self._blocks else ("v", "^")
        # The column that the table is sorted by bears a mark; the order of the report is the usual one and needs none.
        marked = order == self._order and name not in ("share", "file") and (order != "report" or self._upwards)
        return f"{head} {up if self._upwards else down}" if marked else head

    def _line(self, row: Row, most: float) -> Text:
        """A row as one text, each part as wide as its column."""
        texts = {
            "report": row.number,
            "file": row.report,
            "kernel": row.kernel,
            "duration": row.time,
            "share": self._share(row, most),
            "class": row.verdict,
            "finding": row.finding,
            "gain": row.gain,
        }
        line = Text(no_wrap=True, end="")
        for name, size in self._widths.items():
            part = _fitted(texts[name], size, right=name in _RIGHT)
            line.append(part, "italic" if name == "finding" and row.done else "")
        return line

    def _share(self, row: Row, most: float) -> str:
        """The share of all time; where there is room a bar, as long as the largest share is."""
        if row.share is None:
            return "    ?"
        text = f"{share_text(row.share):>5}"
        if self._widths.get("share", 0) <= _BAR or most <= 0:
            return text
        return f"{text} {bar(100 * row.share / most, _BAR, blocks=self._blocks, marks=()).rstrip('.·')}"

    @property
    def position(self) -> int | None:
        """The launch under the cursor, None when the table is empty."""
        return self._kept[self.cursor_row].position if 0 <= self.cursor_row < len(self._kept) else None

    @property
    def kept(self) -> list[Row]:
        """The rows that the filter leaves, as they stand."""
        return self._kept

    def point(self, position: int | None) -> bool:
        """Put the cursor on this launch; whether it is among the rows."""
        at = next((at for at, row in enumerate(self._kept) if row.position == position), None)
        if at is not None:
            self.move_cursor(row=at, animate=False)
        return at is not None

    def step(self, by: int) -> None:
        """Move the cursor, and stop at the ends."""
        self.move_cursor(row=min(max(self.cursor_row + by, 0), max(len(self._kept) - 1, 0)), animate=False)

    def on_resize(self, event: Resize) -> None:
        """Columns follow the width."""
        self.show(self._rows, self._wanted, self._order, self._upwards)

    def on_click(self, event: Click) -> None:
        """A click on a row opens it, one on a head sorts by it."""
        row = event.style.meta.get("row", -2)
        if 0 <= row < len(self._kept):
            self.post_message(self.Opened(self._kept[row].position))
        elif row == -1:
            at = event.x + self.scroll_offset.x
            ends = accumulate(self._widths.values())
            name = next((name for name, end in zip(self._widths, ends, strict=True) if at < end), "")
            if name:
                self.post_message(self.SortAsked(_COLUMNS[name][1]))


def _fitted(text: str, size: int, *, right: bool = False) -> str:
    """The text in a column of `size` cells, the last of them blank; what is too long ends in an ellipsis."""
    room = max(size - 1, 1)
    if cell_len(text) > room:
        text = set_cell_size(text, room - 1) + "…"
    blank = " " * (room - cell_len(text))
    return (blank + text if right else text + blank) + " " * (size - room)
