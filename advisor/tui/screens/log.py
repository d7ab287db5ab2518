"""The experiment log: a row a version of the code, its time, what was seen and what came next."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.content import Content
from textual.events import Resize

from advisor.session.numbers import duration_text
from advisor.session.records import Experiment
from advisor.session.state import State
from advisor.tui.drawing import safe, styled
from advisor.tui.screens.base import RowsScreen
from advisor.tui.widgets.lists import Rows
from advisor.tui.widgets.text import Note

_LOG_HEADS: Final = ("Version", "Change", "Time", "Gain", "Class", "First finding", "Next")
_LOG_PARTS: Final = {"change": "Change", "observation": "Observed", "next_step": "Next", "finding": "First finding"}

_GAP = 2
_LEAST = 10  # cells of a text column
_LONGEST = 300  # characters of a text


class LogScreen(RowsScreen):
    """The table of versions, and details of the row under the cursor."""

    rows: ClassVar[str] = "log"

    def show(self, state: State) -> None:
        """Show the log; the cursor starts at the latest version."""
        self.banner("Experiment log", state.launch.kernel if state.launch is not None else "")
        rows, widths = self.query_one(Rows), []
        cells = [_cells(row, state) for row in state.experiments]
        width = max(rows.size.width - 3, 40)
        widths = _widths([_LOG_HEADS, *cells], width)

        def draw(at: int, _: int) -> Content:
            return styled(_line(cells[at], widths), "")

        new = len(cells) != rows.count
        rows.show(len(cells), draw, head=styled(_line(_LOG_HEADS, widths), ""), at=len(cells) - 1 if new else None)
        self._detail(state)
        self.app.offer(self)

    def on_resize(self, event: Resize) -> None:
        self.call_after_refresh(self.redraw)

    def _detail(self, state: State) -> None:
        at = self.query_one(Rows).at
        lines = [
            styled("No versions yet: after a change to the code, /compare FILE adds its new report here.", "$quiet")
        ]
        if at < len(state.experiments):
            lines = _about(state.experiments[at], state)
        self.query_one("#detail", Note).say(lines)

    @on(Rows.Moved)
    def _moved(self, event: Rows.Moved) -> None:
        self._detail(self.app.state)


def _cells(row: Experiment, state: State) -> tuple[str, ...]:
    """The cells of a row: version, change, time, gain over the previous version, class, first finding, next step."""
    gain = "" if row.ratio is None else f"{row.ratio:.2f}×"
    title = state.knowledge.title
    texts = (
        row.version,
        row.change,
        duration_text(row.duration_ns),
        gain,
        title(row.class_id) if row.class_id else "",
        title(row.finding) if row.finding else "",
        row.next_step,
    )
    return tuple(safe(text).replace("\n", " ") for text in texts)


def _widths(rows: list[tuple[str, ...]], room: int) -> list[int]:
    """Column widths that fit the texts; where there is too little room, the widest columns shrink."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    while sum(widths) + _GAP * (len(widths) - 1) > room and max(widths) > _LEAST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    cut = [c if len(c) <= w else c[: w - 1] + "…" for c, w in zip(cells, widths, strict=True)]
    return (" " * _GAP).join(f"{c:<{w}}" for c, w in zip(cut, widths, strict=True))


def _about(row: Experiment, state: State) -> list[Content]:
    lines = [styled(f"{row.version}  {duration_text(row.duration_ns)}", "bold")]
    for part, name in _LOG_PARTS.items():
        text = getattr(row, part)
        if text:
            told = state.knowledge.title(text) if part == "finding" else text
            cut = told if len(told) <= _LONGEST else told[:_LONGEST] + "…"
            lines.append(styled(f"{name}  ", "bold $text-primary") + styled(cut, ""))
    return lines
