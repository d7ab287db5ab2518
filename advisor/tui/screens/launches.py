"""The first screen: reading, then the table of launches; or what went wrong and what can be done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input

from advisor.records.diagnosis import Diagnosis
from advisor.session import events as e
from advisor.session.choices import choices
from advisor.session.language.understand import event_of
from advisor.session.records import Choice
from advisor.session.state import State
from advisor.tui.drawing import safe, styled
from advisor.tui.screens.base import footer, report_line
from advisor.tui.widgets.launches import ORDERS, LaunchTable, Row, rows_of, summary
from advisor.tui.widgets.lists import Choices
from advisor.tui.widgets.prompt import Prompt, PromptLine
from advisor.tui.widgets.text import Banner, Busy, Conversation, Note

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp


_START = "start"  # the choice that returns to the start screen


class LaunchesScreen(Screen[None]):
    """Typing filters, arrows move, Enter opens."""

    app: AdvisorApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.help", "Help", tooltip="Keys and commands"),
        Binding("f4", "app.undo", "Back", tooltip="Undo the last action"),
        Binding("f5", "sort", "Sort", tooltip="Sort by time, then by time saved, kernel, class, finding, report order"),
        Binding("shift+f5", "reverse", "Reverse", show=False, tooltip="Reverse the order"),
        Binding("escape", "clear", "Cancel", tooltip="Cancel the running work, or clear the filter"),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("ctrl+home", "ends(-1)", "First", show=False),
        Binding("ctrl+end", "ends(1)", "Last", show=False),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self._blocks = blocks
        self._order, self._upwards = "report", False
        self._rows: tuple[Diagnosis | None, tuple[Row, ...]] = (None, ())
        self._opened_one = False

    def compose(self) -> ComposeResult:
        yield Banner()
        yield LaunchTable(blocks=self._blocks)
        yield Conversation(blocks=self._blocks, ident="trouble")
        yield Note("problems")
        yield Note("summary")
        yield Busy(blocks=self._blocks)
        yield Choices()
        yield PromptLine(
            Prompt(
                self.app.complete,
                placeholder="type to filter by kernel, class or finding; /help for commands",
                ident="filter",
            ),
            blocks=self._blocks,
        )
        yield footer()

    def on_mount(self) -> None:
        self.query_one(Prompt).focus()
        self.show(self.app.state)

    def on_screen_suspend(self) -> None:
        self._opened_one = self.app.state.place == "launch"

    def on_screen_resume(self) -> None:
        if not self._opened_one:
            self.show(self.app.state)
            return
        self._opened_one = False
        self.query_one(Prompt).clear()
        self.show(self.app.state)
        self.query_one(LaunchTable).point(self.app.state.position)

    def show(self, state: State) -> None:
        """Show the state."""
        trouble = state.place == "start" and state.stalled is not None
        if state.diagnosis is not self._rows[0]:
            # Only for a new diagnosis: a key in the filter must not rebuild all rows.
            self._rows = (state.diagnosis, rows_of(state.diagnosis) if state.diagnosis is not None else ())
        rows = self._rows[1]
        self.set_class(trouble, "-trouble")
        self.query_one(Banner).show(report_line(state))
        self.query_one("#trouble", Conversation).show([c for c in state.cards if c.position is None] if trouble else ())
        self.query_one(Choices).show(self._ways(state) if trouble else (), numbered=True, marked=True)
        self.query_one(Prompt).placeholder = (
            "Enter takes the highlighted choice; /quit exits"
            if trouble
            else "type to filter by kernel, class or finding; /help for commands"
        )
        table = self.query_one(LaunchTable)
        table.show(rows, self._filter, self._order, self._upwards)
        problems = _problems(state)
        self.set_class(bool(problems), "-problems")
        said = [styled("! ", "bold $text-warning") + Content(safe(line)) for line in problems]
        self.query_one("#problems", Note).say(said)
        self.query_one("#summary", Note).say([Content(summary(rows, table.kept, self._order, self._upwards))])
        self.app.offer(self)

    def _ways(self, state: State) -> tuple[Choice, ...]:
        """The choices after a file could not be read, including the start screen if the session began there."""
        ways = choices(state)
        if not self.app.chosen:
            return ways
        return (
            *ways[:1],
            Choice(_START, "Start with something else", (), "another file, the demo, typed numbers"),
            *ways[1:],
        )

    @property
    def _filter(self) -> str:
        value = self.query_one(Prompt).value
        return "" if value.startswith("/") else value

    # User actions

    @on(Input.Changed)
    def _filtered(self, event: Input.Changed) -> None:
        self.show(self.app.state)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        ways = self._ways(self.app.state) if self.has_class("-trouble") else ()
        if text.isdecimal() and 0 < int(text[:6]) <= len(ways):
            event.input.clear()
            self._take(ways[int(text) - 1].id)
        # A line that matches no launch may be a question.
        elif text.startswith("/") or (text and not self.query_one(LaunchTable).kept):
            event.input.clear()
            self.app.say(text)
        else:
            self.action_open()

    @on(Prompt.Stepped)
    def _stepped(self, event: Prompt.Stepped) -> None:
        if self.has_class("-trouble"):
            self.query_one(Choices).step(event.by)
        else:
            self.query_one(LaunchTable).step(event.by)

    @on(LaunchTable.Opened)
    def _opened(self, event: LaunchTable.Opened) -> None:
        self.app.dispatch(e.LaunchSelected(event.position))

    @on(LaunchTable.SortAsked)
    def _sort_asked(self, event: LaunchTable.SortAsked) -> None:
        # Clicking the column that it is sorted by reverses the order.
        self._upwards = event.order == self._order and not self._upwards
        self._order = event.order
        self.show(self.app.state)

    @on(Choices.Taken)
    def _taken(self, event: Choices.Taken) -> None:
        self._take(event.choice)

    def _take(self, choice: str | None) -> None:
        if choice == _START:
            self.app.start_again()
            return
        event = event_of(choice, self.app.state) if choice else None
        if event is not None:
            self.app.dispatch(event)

    def action_open(self) -> None:
        if self.has_class("-trouble"):
            self._take(self.query_one(Choices).marked)
            return
        position = self.query_one(LaunchTable).position
        if position is not None:
            self.app.dispatch(e.LaunchSelected(position))

    def action_sort(self) -> None:
        self._order, self._upwards = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)], False
        self.show(self.app.state)

    def action_reverse(self) -> None:
        self._upwards = not self._upwards
        self.show(self.app.state)

    def action_clear(self) -> None:
        if not self.app.cancel_work():
            self.query_one(Prompt).clear()

    def action_page(self, by: int) -> None:
        table = self.query_one(LaunchTable)
        table.step(by * max(table.size.height - 2, 1))

    def action_ends(self, by: int) -> None:
        table = self.query_one(LaunchTable)
        table.step(by * len(table.kept))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("sort", "reverse"):
            return bool(self.app.state.diagnosis)
        if action == "clear":
            return bool(self.app.state.waiting) or bool(self.is_mounted and self.query_one(Prompt).value)
        return True


def _problems(state: State) -> list[str]:
    """The problems of the files, one a line."""
    reports = () if state.diagnosis is None else state.diagnosis.reports
    return [f"{Path(report.path).name}: {problem}" for report in reports for problem in report.problems]
