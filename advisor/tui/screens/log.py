"""The experiment log: a row for each version of the code, with its time, its first finding and the next step."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from advisor.session.records import Experiment
from advisor.session.state import State
from advisor.tui.drawing import styled
from advisor.tui.screens.base import RowsScreen
from advisor.tui.widgets.lists import Rows
from advisor.tui.widgets.text import Note
from advisor.view.blocks import Cell, Column, Table
from advisor.view.numbers import time_text
from advisor.view.text import cut
from advisor.view.writers.terminal import block_lines

_COLUMNS: Final = tuple(map(Column, ("Version", "Change", "Time", "Gain", "Class", "First finding", "Next")))
_PARTS: Final = {"change": "Change", "observation": "Observed", "next_step": "Next", "finding": "First finding"}
_LONGEST = 300  # maximum number of characters of a text


class LogScreen(RowsScreen):
    """The table of versions, and details of the row under the cursor."""

    def show(self, state: State) -> None:
        """Show the log; the cursor starts at the latest version."""
        self.banner("Experiment log", state.launch.kernel if state.launch is not None else "")
        rows = self.query_one(Rows)
        table = Table(_COLUMNS, tuple(tuple(map(Cell, _cells(row, state))) for row in state.experiments))
        head, *lines = block_lines([table], width=max(rows.size.width - 3, 40))
        at = len(lines) - 1 if len(lines) != rows.count else None
        rows.show(len(lines), lambda row, _: styled(lines[row], ""), head=styled(head, ""), at=at)
        self.detail()
        self.refresh_bindings()

    def detail(self) -> None:
        state, at = self.app.state, self.query_one(Rows).at
        hint = "No versions yet: after a change to the code, /compare FILE adds its new report here."
        found = state.experiments[at : at + 1]
        self.query_one("#detail", Note).say(_about(found[0], state) if found else [(hint, "$quiet")])


def _cells(row: Experiment, state: State) -> tuple[str, ...]:
    """Return the cells: version, change, time, gain over the previous version, class, first finding, next step."""
    gain = "" if row.ratio is None else f"{row.ratio:.2f}×"
    verdict, finding = (state.knowledge.title(name) if name else "" for name in (row.class_id, row.finding))
    texts = (row.version, row.change, time_text(row.duration_ns), gain, verdict, finding, row.next_step)
    return tuple(text.replace("\n", " ") for text in texts)


def _about(row: Experiment, state: State) -> list[Content]:
    lines = [styled(f"{row.version}  {time_text(row.duration_ns)}", "bold")]
    for part, name in _PARTS.items():
        text = getattr(row, part)
        if text:
            said = cut(state.knowledge.title(text) if part == "finding" else text, _LONGEST)
            lines.append(styled(f"{name}  ", "bold $text-primary") + styled(said, ""))
    return lines
