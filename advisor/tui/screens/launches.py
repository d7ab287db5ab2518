"""The first screen: reading, then the table of launches; or what went wrong and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from advisor.records.diagnosis import Diagnosis
from advisor.session import events as e
from advisor.session.choices import choices
from advisor.session.language.understand import event_of
from advisor.session.records import Choice
from advisor.session.state import State
from advisor.tui import words, words_places
from advisor.tui.launch_rows import ORDERS, Row, rows_of, summary
from advisor.tui.layout import safe, styled
from advisor.tui.widgets.banner import Banner
from advisor.tui.widgets.busy import Busy
from advisor.tui.widgets.choices import Choices
from advisor.tui.widgets.conversation import Conversation
from advisor.tui.widgets.footer import FittedFooter
from advisor.tui.widgets.launches import LaunchTable
from advisor.tui.widgets.note import Note
from advisor.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp


_START = "start"  # the choice that leads back to the start screen


class LaunchesScreen(Screen[None]):
    """Typing filters, arrows move, Enter opens."""

    app: AdvisorApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.help", "Help", id="launches.help", tooltip=words.TIP_HELP),
        Binding("f4", "app.undo", "Back", id="launches.back", tooltip=words.TIP_UNDO),
        Binding("f5", "sort", "Sort", id="launches.sort", tooltip=words.TIP_SORT),
        Binding("shift+f5", "reverse", "Turn round", show=False, id="launches.reverse", tooltip=words.TIP_REVERSE),
        Binding("escape", "clear", "Cancel", id="launches.clear", tooltip=words.TIP_CLEAR),
        Binding("pageup", "page(-1)", "Page up", show=False, id="launches.pageup"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="launches.pagedown"),
        Binding("ctrl+home", "ends(-1)", "First", show=False, id="launches.top"),
        Binding("ctrl+end", "ends(1)", "Last", show=False, id="launches.end"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self._blocks = blocks
        self._order, self._upwards = "report", False
        self._rows: tuple[Diagnosis | None, tuple[Row, ...]] = (None, ())
        self._opened_one = False

    def compose(self) -> ComposeResult:
        """The table, or cards where there is no table to show; the filter line."""
        yield Banner()
        yield LaunchTable(blocks=self._blocks)
        yield Conversation(blocks=self._blocks, ident="trouble")
        yield Note("problems")
        yield Note("summary")
        yield Busy(blocks=self._blocks)
        yield Choices()
        with Horizontal(id="ask"):
            yield Static("› " if self._blocks else "> ", id="sign", markup=False)
            yield Prompt(self.app.complete, placeholder=words.FILTER, ident="filter")
        yield FittedFooter()

    def on_mount(self) -> None:
        """The filter has the focus all the time."""
        self.query_one(Prompt).focus()
        self.show(self.app.state)

    def on_screen_suspend(self) -> None:
        """Another screen comes on top: that of a launch, or help, or a view over the list."""
        self._opened_one = self.app.state.place == "launch"

    def on_screen_resume(self) -> None:
        """Back from another screen: show what holds now. After a launch the list is whole, and the cursor on it."""
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
            # Once a diagnosis: a key in the filter must not cost the making of all rows.
            self._rows = (state.diagnosis, rows_of(state.diagnosis) if state.diagnosis is not None else ())
        rows = self._rows[1]
        self.set_class(trouble, "-trouble")
        self.query_one(Banner).show(words.banner(state))
        self.query_one("#trouble", Conversation).show([c for c in state.cards if c.position is None] if trouble else ())
        self.query_one(Choices).show(self._ways(state) if trouble else (), numbered=True, marked=True)
        self.query_one(Prompt).placeholder = words.TROUBLE if trouble else words.FILTER
        table = self.query_one(LaunchTable)
        table.show(rows, self._filter, self._order, self._upwards)
        problems = words.problems(state)
        self.set_class(bool(problems), "-problems")
        said = [styled("! ", "bold $text-warning") + Content(safe(line)) for line in problems]
        self.query_one("#problems", Note).say(said)
        self.query_one("#summary", Note).say([Content(summary(rows, table.kept, self._order, self._upwards))])
        self.app.offer(self)

    def _ways(self, state: State) -> tuple[Choice, ...]:
        """On from what could not be read; where that was chosen at the start, another choice there."""
        ways = choices(state)
        if not self.app.chosen:
            return ways
        return (
            *ways[:1],
            Choice(_START, words_places.BEGIN_OTHERWISE, (), words_places.BEGIN_OTHERWISE_NOTE),
            *ways[1:],
        )

    @property
    def _filter(self) -> str:
        value = self.query_one(Prompt).value
        return "" if value.startswith("/") else value

    # What the user does

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
        # What filters all launches away may be a question.
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
        # The head that it is sorted by already turns it round.
        self._upwards = event.order == self._order and not self._upwards
        self._order = event.order
        self.show(self.app.state)

    @on(Choices.Taken)
    def _taken(self, event: Choices.Taken) -> None:
        self._take(event.choice)

    def _take(self, choice: str | None) -> None:
        if choice == _START:
            self.app.begin_otherwise()
            return
        event = event_of(choice, self.app.state) if choice else None
        if event is not None:
            self.app.dispatch(event)

    def action_open(self) -> None:
        """Open the launch under the cursor, or take the marked choice."""
        if self.has_class("-trouble"):
            self._take(self.query_one(Choices).marked)
            return
        position = self.query_one(LaunchTable).position
        if position is not None:
            self.app.dispatch(e.LaunchSelected(position))

    def action_sort(self) -> None:
        """The next order."""
        self._order, self._upwards = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)], False
        self.show(self.app.state)

    def action_reverse(self) -> None:
        """The same order from its other end."""
        self._upwards = not self._upwards
        self.show(self.app.state)

    def action_clear(self) -> None:
        """Call off what is being done; else empty the filter."""
        if not self.app.call_off():
            self.query_one(Prompt).clear()

    def action_page(self, by: int) -> None:
        """A page up or down."""
        table = self.query_one(LaunchTable)
        table.step(by * max(table.size.height - 2, 1))

    def action_ends(self, by: int) -> None:
        """To the first or the last launch."""
        table = self.query_one(LaunchTable)
        table.step(by * len(table.kept))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What would do nothing now is not offered."""
        if action in ("sort", "reverse"):
            return bool(self.app.state.diagnosis)
        if action == "clear":
            return bool(self.app.state.waiting) or bool(self.is_mounted and self.query_one(Prompt).value)
        return True
