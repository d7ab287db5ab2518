"""The table of launches: sorted, filtered, one row each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.events import Click, Resize
from textual.message import Message
from textual.widgets import DataTable

from advisor.dialogue import face
from advisor.dialogue.state import is_end, main_finding
from advisor.model import Diagnosis, LaunchDiagnosis
from advisor.tui.layout import safe

ORDERS = ("report", "duration", "gain", "kernel")
ORDER_NAMES = {
    "report": "order of the report",
    "duration": "duration",
    "gain": "time that a fix gives back",
    "kernel": "kernel",
}
_WIDE = 100  # columns from which classes are written out
_FIXED = {"#": 5, "time": 9, "gain": 6}


@dataclass(frozen=True, slots=True)
class Row:
    """What a row shows and is found by. back: the time in ns that the first finding's fix would give back."""

    position: int
    number: str
    kernel: str
    time: str
    verdict: str
    finding: str
    gain: str
    done: bool
    duration: float
    back: float

    @property
    def words(self) -> str:
        """All of it, for the filter."""
        return " ".join((f"#{self.number}", self.kernel, self.verdict, self.finding)).casefold()


def row_of(launch: LaunchDiagnosis, position: int, several: bool) -> Row:
    """A launch as a row."""
    first = main_finding(launch)
    duration = launch.duration_ns or 0.0
    speedup = first.speedup if first is not None else None
    return Row(
        position=position,
        number=face.launch_number(launch, several),
        kernel=safe(launch.kernel).replace("\n", " "),
        time=face.duration_text(launch.duration_ns),
        verdict=launch.verdict.title or launch.verdict.id,
        finding="" if first is None else first.title,
        gain=face.gain_text(speedup),
        done=first is not None and is_end(first),
        duration=duration,
        back=duration * (1 - 1 / speedup.estimate) if speedup is not None and speedup.estimate > 0 else 0.0,
    )


def rows_of(diagnosis: Diagnosis) -> tuple[Row, ...]:
    """All launches as rows, in the order of the reports."""
    several = len(diagnosis.reports) > 1
    return tuple(row_of(launch, at, several) for at, launch in enumerate(diagnosis.launches))


def arranged(rows: tuple[Row, ...], wanted: str, order: str) -> list[Row]:
    """The rows in which all words of the filter occur, in the order asked for; ties as in the report."""
    words = wanted.casefold().split()
    kept = [row for row in rows if all(word in row.words for word in words)]
    if order == "duration":
        kept.sort(key=lambda row: -row.duration)
    elif order == "gain":
        kept.sort(key=lambda row: -row.back)
    elif order == "kernel":
        kept.sort(key=lambda row: row.kernel.casefold())
    return kept


class LaunchTable(DataTable[Text], can_focus=False):
    """Driven from the filter line, like the choices from the prompt; the mouse works here."""

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

    def __init__(self, ident: str | None = None) -> None:
        super().__init__(id=ident, cursor_type="row", cell_padding=0, zebra_stripes=True)
        self._rows: tuple[Row, ...] = ()
        self._kept: list[Row] = []
        self._order = "report"
        self._wanted = ""
        self._width = 0

    def show(self, rows: tuple[Row, ...], wanted: str, order: str) -> None:
        """Show these rows, filtered and sorted; the cursor stays on its launch where it is still there."""
        if (rows, wanted, order, self.size.width) == (self._rows, self._wanted, self._order, self._width):
            return
        at = self.position
        self._rows, self._wanted, self._order, self._width = rows, wanted, order, self.size.width
        self._kept = arranged(rows, wanted, order)
        self.clear(columns=True)
        self.show_header = bool(rows)
        self._columns()
        for row in self._kept:
            self.add_row(*self._cells(row))
        places = [row.position for row in self._kept]
        self.move_cursor(row=places.index(at) if at in places else 0, animate=False)

    def _columns(self) -> None:
        width = max(self._width - 1, 60)  # one column for the scroll bar
        wide = width >= _WIDE
        verdict = 21 if wide else 14
        left = width - sum(_FIXED.values()) - verdict
        kernel = max(min(max((len(row.kernel) for row in self._rows), default=0) + 2, left // 2), 8)
        finding = min(max((len(row.finding) for row in self._rows), default=0) + 3, left - kernel)
        heads = (
            ("report", "#", _FIXED["#"]),
            ("kernel", "Kernel", kernel),
            ("duration", "Time", _FIXED["time"]),
            ("", "Class", verdict),
            ("", "First finding", max(finding, len("First finding") + 1)),
            ("gain", "Gain", _FIXED["gain"]),
        )
        self._widths = tuple(size for _, _, size in heads)
        for order, head, size in heads:
            label = Text(head + (" ▾" if order == self._order and order != "report" else ""), no_wrap=True)
            self.add_column(label, width=size, key=order or head)

    def _cells(self, row: Row) -> list[Text]:
        verdict = row.verdict if self._widths[3] > 14 else row.verdict.replace(",", " ").split()[0]
        texts = (row.number, row.kernel, row.time, verdict, row.finding, row.gain)
        cells = []
        for at, (text, size) in enumerate(zip(texts, self._widths, strict=True)):
            cell = Text(text, no_wrap=True)
            cell.truncate(max(size - 1, 1), overflow="ellipsis")
            if at in (2, 5):
                cell = Text(cell.plain.rjust(size - 1), no_wrap=True)
            cells.append(cell)
        if row.done:
            cells[4].stylize("italic")
        return cells

    @property
    def position(self) -> int | None:
        """The launch under the cursor, None when the table is empty."""
        return self._kept[self.cursor_row].position if 0 <= self.cursor_row < len(self._kept) else None

    @property
    def kept(self) -> int:
        """How many rows the filter leaves."""
        return len(self._kept)

    def step(self, by: int) -> None:
        """Move the cursor, and stop at the ends."""
        self.move_cursor(row=min(max(self.cursor_row + by, 0), max(len(self._kept) - 1, 0)), animate=False)

    def on_resize(self, event: Resize) -> None:
        """Columns follow the width."""
        self.show(self._rows, self._wanted, self._order)

    def on_click(self, event: Click) -> None:
        """A click on a row opens it."""
        row = event.style.meta.get("row", -1)
        if 0 <= row < len(self._kept):
            self.post_message(self.Opened(self._kept[row].position))

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        """A click on a head sorts by it."""
        event.stop()
        if event.column_key.value in ORDERS:
            self.post_message(self.SortAsked(str(event.column_key.value)))
