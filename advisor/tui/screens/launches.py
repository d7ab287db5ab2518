"""The first screen: it shows progress while reading, then the table of launches, or an error and the next choices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from msgspec.structs import replace as replace_struct
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.timer import Timer
from textual.widgets import Input

from advisor.records import resources
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis
from advisor.session import events as e
from advisor.session.actions import COMMANDS
from advisor.session.actions.compare import comparison_of
from advisor.session.choices import choices, misread
from advisor.session.records import Card, Choice
from advisor.session.state import VIEWS, State, launch_number
from advisor.session.views import hot_line_request, preview
from advisor.tui.drawing import card_lines, chart_lines, code_lines, hanging, safe, styled
from advisor.tui.screens.base import (
    PAGE_KEYS,
    ChoiceScreen,
    hidden,
    letter_bindings,
    report_line,
)
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.launches import ORDERS, LaunchTable, Row, matches, rows_of, summary
from advisor.tui.widgets.lists import Choices
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.text import Banner, Conversation, Lines, Note
from advisor.view.blocks import Code, Fact, Facts
from advisor.view.text import cut

# Letters of actions about a launch -> their names.
_ACTIONS = {
    **{command.key: command.short for command in COMMANDS.values() if command.key in ("h", "f", "n", "i")},
    **{VIEWS[name].key.partition(",")[0]: VIEWS[name].name for name in ("source", "proof", "whatif")},
}
_START = "start"  # the choice that returns to the start screen
_LABEL = 13  # at least the cells of a label in the preview
_EXAMPLE = 4  # lines of an example with its heading from which it is worth showing
_UNLIMITED = 10_000
_TOUR = "tour"  # the folder of the demo's report
_DEMO = "Each of these kernels is slow on purpose, for a reason of its own; two need no fix."
_RESTS_S = 0.2  # seconds on a row after which its hot lines are read
_CUT = ("Why", "Hot line", " ")  # labels of facts that are cut to a line where all of them do not fit
_NAME = 28  # characters of a kernel's name
_FILTER = "press / and type: a kernel, class or finding to filter, or a question"


class LaunchesScreen(ChoiceScreen):
    """The table of launches with a preview of the highlighted one; Enter opens it, letters act on it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,colon", "ask", "Ask", key_display="/", tooltip="Type a filter, a question or a command"),
        # Here F5 changes the order; on the other screens it opens the steps. `c` compares two launches of the list.
        *(one for one in letter_bindings() if one.key not in ("f5", "c")),
        Binding("o,f5", "sort", "Order", tooltip="Order by time saved, time, kernel, class, finding, speedup, number"),
        Binding("c", "compare", "Compare", tooltip="Compare two launches: press it on one, then on the other"),
        Binding("x", "collapse", "Expand", tooltip="Show equal launches in one row or each in its own"),
        Binding("y", "app.copy_collect", "Copy", show=False, tooltip="Copy the command that collects what is missing"),
        Binding("v", "evidence", "Evidence", tooltip="Open the highlighted launch at its evidence"),
        hidden("f3", "evidence", "Evidence", "Open the highlighted launch at its evidence"),
        hidden("u,f4", "app.undo", "Undo", "Undo the last action"),
        hidden("O,shift+f5", "reverse", "Reverse", "Reverse the order"),
        Binding("escape", "clear", "Cancel", tooltip="Cancel the running work, or clear the filter"),
        *PAGE_KEYS,
        hidden("ctrl+home", "ends(-1)", "First"),
        hidden("ctrl+end", "ends(1)", "Last"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._order, self._upwards, self._collapse = ORDERS[0], False, True
        self._marked: int | None = None  # the launch that another one is to be compared with
        self._about: int | None = None  # the launch highlighted before the prompt was used
        self._rows: tuple[Diagnosis | None, bool, tuple[Row, ...]] = (None, True, ())
        self._opened_one = False
        self._ahead: Timer | None = None
        self._held = ""  # a letter of an action that was pressed while the report was being read
        self._early = False  # whether a line was submitted while the report was being read

    def compose(self) -> ComposeResult:
        yield Banner(blocks=self.blocks)
        with Container(id="panes"):
            yield LaunchTable(blocks=self.blocks)
            with VerticalScroll(id="side", can_focus=False):
                yield Lines(ident="preview")
        yield Conversation(blocks=self.blocks, ident="trouble")
        yield Note("problems")
        yield Note("summary")
        yield Choices()
        yield self.prompt_line(Prompt(self.app.complete, placeholder=_FILTER, ident="filter"))
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(LaunchTable).focus()
        self.show(self.app.state)

    def on_screen_suspend(self) -> None:
        state, prompt = self.app.state, self.query_one(Prompt)
        self._opened_one = state.place == "launch"
        if self._held and self._opened_one:
            self.app.call_later(self._do_held)
        if self._opened_one and prompt.value and isinstance(state.log[-1], e.Opened):
            # The only launch opened by itself: what was typed meanwhile belongs to it.
            self.app.call_later(self.app.say if self._early else self.app.prefill, prompt.value)
            self._early = False
            prompt.clear()

    def on_screen_resume(self) -> None:
        """When the user returns from a launch, clear the filter and put the cursor on that launch."""
        if self._opened_one:
            self._opened_one = False
            self.query_one(Prompt).clear()
            self.query_one(LaunchTable).focus()
            self.show(self.app.state)
            self.query_one(LaunchTable).point(self.app.state.position)

    def show(self, state: State) -> None:
        if state.diagnosis is not self._rows[0] or self._collapse is not self._rows[1]:
            # Rebuild the rows only for a new diagnosis, not for each key typed into the filter.
            made = rows_of(state.diagnosis, self._collapse) if state.diagnosis is not None else ()
            self._rows = (state.diagnosis, self._collapse, made)
        rows, trouble = self._rows[2], state.place == "start" and state.stalled is not None
        if trouble is not self.has_class("-trouble"):
            self.set_class(trouble, "-trouble")
            self.call_after_refresh(self.focus_home)
        self.query_one(Banner).show(report_line(state))
        self.query_one("#trouble", Conversation).show([c for c in state.cards if c.position is None] if trouble else ())
        self.query_one(Choices).show(self._ways(state) if trouble else (), marked=not misread(state))
        prompt, table = self.query_one(Prompt), self.query_one(LaunchTable)
        prompt.placeholder = "Enter takes the highlighted choice; /quit exits" if trouble else _FILTER
        wanted = prompt.value if self._filters(prompt.value) else ""
        table.show(rows, wanted, self._order, self._upwards, self._marked)
        problems = _problems(state)
        self.set_class(bool(problems), "-problems")
        said = [styled("! ", "bold $text-warning") + Content(safe(line)) for line in problems]
        self._preview()
        self.query_one("#problems", Note).say(said)
        said_of = self._said(state) or summary(rows, table.kept, self._order, self._upwards, wanted.strip())
        of_demo = f". {_DEMO}" if said_of and _is_demo(state) and self.has_class("-wide") else ""
        self.query_one("#summary", Note).say([Content(said_of + of_demo)])
        self.refresh_bindings()
        if self._held and not _reading(state):
            self.app.call_later(self._do_held)
        if self._early and not _reading(state):
            self._early = False
            self._enter(prompt.value.strip())

    def _filters(self, text: str) -> bool:
        """Return whether a typed text filters the list: it is no command, reads as no question and matches a launch."""
        if not text.strip() or text.startswith("/"):
            return False
        from advisor.session.language.understand import is_question  # not needed before the first screen

        return not is_question(text) and matches(self._rows[2], text)

    def _said(self, state: State) -> str:
        """Return what Enter or the next key does, if a question is typed or a launch is marked; else empty."""
        text, diagnosis = self.query_one(Prompt).value.strip(), state.diagnosis
        if self._held:
            return f"{self._held}: {_ACTIONS[self._held]} opens as soon as the report is read."
        if diagnosis is None or not self._rows[2]:
            return ""
        if text and not text.startswith("/") and not self._filters(text):
            return "No filter: Enter asks this about the highlighted launch; Esc clears it."
        if self._marked is None or self._marked >= len(diagnosis.launches):
            return ""
        marked = diagnosis.launches[self._marked]
        name = f"{launch_number(marked, state.several_reports)} {safe(marked.kernel)}"
        return f"Compare {cut(name, _NAME)} with: highlight another, press c; Esc cancels."

    def focus_home(self) -> None:
        """Focus the table, or after a read error the prompt, which chooses what to do next."""
        self.query_one(Prompt if self.has_class("-trouble") else LaunchTable).focus()

    @property
    def launch(self) -> LaunchDiagnosis | None:
        """The highlighted launch."""
        diagnosis, position = self.app.state.diagnosis, self.query_one(LaunchTable).position
        return None if diagnosis is None or position is None else diagnosis.launches[position]

    def _preview(self) -> None:
        """Show the answer about the highlighted launch beside or below the table."""
        position, state = self.query_one(LaunchTable).position, self.app.state
        cards, launch = () if position is None else preview(state, position), self.launch
        charts = launch is not None and bool(cards) and self.has_class("-wide")

        def reading(width: int) -> list[Content]:
            return [line for text in _expected(state) for line in (*hanging("", styled(text, ""), width), Content(""))]

        def lines(width: int) -> list[Content]:
            # Exactly as long as the pane: to arrange the screen again for each launch would hold up the cursor.
            room = self.query_one("#side").content_size.height or _UNLIMITED
            facts, example = _drawn(cards, width, self.blocks)
            if len(facts) > room:
                facts, example = _drawn(tuple(_brief(card, width) for card in cards), width, self.blocks)
            if len(facts) + min(len(example), _EXAMPLE) > room:
                example = []
            out = facts + example
            if launch is not None and charts:
                out += [Content(""), *chart_lines(launch, width, self.blocks)]
            if len(out) > room:
                out = [*out[: room - 1], (out[room - 1].truncate(width - 2) + styled(" …", "$quiet"))]
            return out + [Content("")] * (0 if room == _UNLIMITED else room - len(out))

        self.query_one("#preview", Lines).show(reading if _reading(state) else lines)

    @on(LaunchTable.RowHighlighted)
    def _highlighted(self) -> None:
        if not self.query_one(Prompt).value:
            self._about = self.query_one(LaunchTable).position
        self._preview()
        if self._ahead is not None:
            self._ahead.stop()
        self._ahead = self.set_timer(_RESTS_S, self._read_ahead)

    def _read_ahead(self) -> None:
        """Read the hot lines of the highlighted launch; nothing if the list was closed meanwhile."""
        table = next(iter(self.query(LaunchTable)), None)
        state, position = self.app.state, None if table is None else table.position
        if state.place == "launches" and position is not None and not state.expects:
            self.app.runner.read_ahead(hot_line_request(state, position))

    def _ways(self, state: State) -> tuple[Choice, ...]:
        """Return the choices after a read error, including the start screen if the session began there."""
        first, *rest = choices(state)
        start = Choice(_START, "Start with something else", (), "another file, the demo, typed numbers")
        return (first, start, *rest) if self.app.chosen else (first, *rest)

    # User actions

    @on(Input.Changed)
    def _filtered(self) -> None:
        self.show(self.app.state)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self._enter(event.value.strip())

    def _enter(self, text: str) -> None:
        """Handle the submitted line; while the report is being read, keep it until there is a list to apply it to."""
        if _reading(self.app.state):
            self._early = bool(text)
            self.query_one(LaunchTable).focus()
            return
        prompt = self.query_one(Prompt)
        numbered = self.query_one(Choices).numbered(text)
        if numbered is not None:
            prompt.clear()
            self.take(numbered)
        # A line that matches no launch may be a question.
        elif text and not self._filters(text):
            prompt.clear()
            self.query_one(LaunchTable).focus()
            self.app.say(text, self._about)
        elif self.has_class("-trouble"):
            self.take(self.query_one(Choices).marked)
        elif text:
            self.query_one(LaunchTable).focus()
        else:
            self._open(self.query_one(LaunchTable).position)

    def on_key(self, event: Key) -> None:
        """Keep the last letter of an action that is pressed while the report is being read, and do it afterwards."""
        state, name = self.app.state, _ACTIONS.get(event.character or "")
        if name is None or not _reading(state) or self._early or self.query_one(Prompt).value:
            return
        self._held = event.character or ""
        self.show(state)

    def _do_held(self) -> None:
        """Do the action whose letter was pressed while the report was being read."""
        letter, self._held = self._held, ""
        state = self.app.state
        if not letter or state.diagnosis is None or not state.diagnosis.launches:
            return
        if state.place == "launches":
            self._open(self.query_one(LaunchTable).position)
        view = next((name for name, view in VIEWS.items() if letter in view.key.split(",")), "")
        if view:
            self.app.dispatch(e.ViewShown(view))
        else:
            self.app.say(next(f"/{name}" for name, command in COMMANDS.items() if command.key == letter))

    def to_line(self, key: Key) -> str | None:
        """Return the text that a key puts into the prompt: nothing for `/` and `:`, which open it."""
        return "" if key.character in ("/", ":") else None

    def action_ask(self) -> None:
        self.query_one(Prompt).focus()

    def action_command(self, name: str) -> None:
        """Run a command; one about a launch opens the highlighted launch first."""
        position = self.query_one(LaunchTable).position
        if COMMANDS[name].group in ("why", "launch") and name != "kernels":
            self._open(position)
        super().action_command(name)

    def action_view(self, view: str) -> None:
        if view in ("source", "proof", "whatif"):
            self._open(self.query_one(LaunchTable).position)
        super().action_view(view)

    def action_evidence(self) -> None:
        """Open the highlighted launch and show its evidence."""
        self._open(self.query_one(LaunchTable).position)
        self.app.show_evidence()

    def action_compare(self) -> None:
        """Mark the highlighted launch, or compare it with the marked one."""
        position, marked, state = self.query_one(LaunchTable).position, self._marked, self.app.state
        if position is None:
            return
        self._marked = None if position == marked else position if marked is None else None
        if marked is not None and position != marked:
            self.app.dispatch(comparison_of(state, marked, position))
        else:
            self.show(state)

    def action_collapse(self) -> None:
        self._collapse = not self._collapse
        self.show(self.app.state)

    def step(self, by: int) -> None:
        if self.has_class("-trouble"):
            super().step(by)
        else:
            self.query_one(LaunchTable).step(by)

    @on(LaunchTable.Opened)
    def _opened(self, event: LaunchTable.Opened) -> None:
        self._open(event.position)

    def _open(self, position: int | None) -> None:
        if position is not None:
            self.app.dispatch(e.LaunchSelected(position))

    @on(LaunchTable.SortAsked)
    def _sort_asked(self, event: LaunchTable.SortAsked) -> None:
        # A click on the sort column reverses the order.
        self._sort(event.order, event.order == self._order and not self._upwards)

    def _sort(self, order: str, upwards: bool) -> None:
        self._order, self._upwards = order, upwards
        self.show(self.app.state)

    def take(self, choice: str | None) -> None:
        if choice == _START:
            self.app.start_again()
            return
        from advisor.session.language.understand import event_of  # not needed before the first screen

        event = event_of(choice, self.app.state) if choice else None
        if event is not None:
            self.app.dispatch(event)

    def action_sort(self) -> None:
        self._sort(ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)], False)

    def action_reverse(self) -> None:
        self._sort(self._order, not self._upwards)

    def action_clear(self) -> None:
        if not self.app.cancel_work():
            self._marked = None
            self.query_one(Prompt).clear()
            self.focus_home()
            self.show(self.app.state)

    def action_page(self, by: int) -> None:
        table = self.query_one(LaunchTable)
        table.step(by * max(table.size.height - 2, 1))

    def action_ends(self, by: int) -> None:
        table = self.query_one(LaunchTable)
        table.step(by * len(table.kept))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("sort", "reverse", "collapse", "compare"):
            return bool(self.app.state.diagnosis)
        if action == "clear":
            prompt = self.query_one(Prompt) if self.is_mounted else None
            return bool(self.app.state.waiting) or (
                prompt is not None and (bool(prompt.value) or prompt.has_focus or self._marked is not None)
            )
        if action == "evidence":
            return bool(self.app.state.diagnosis)
        if action in ("command", "view"):
            return bool(self.app.state.diagnosis) and parameters != ("kernels",)
        return True


def _drawn(cards: Sequence[Card], width: int, blocks: bool) -> tuple[list[Content], list[Content]]:
    """Return the lines of the cards without their example, and those of the example."""
    facts: list[Content] = []
    example: list[Content] = []
    for card in cards:
        told = tuple(block for block in card.blocks if not isinstance(block, Code))
        facts += card_lines(replace_struct(card, blocks=told), width, blocks)
        example += [line for block in card.blocks if isinstance(block, Code) for line in code_lines(block, width)]
    return facts, example


def _brief(card: Card, width: int) -> Card:
    """Return the card with each reason and place cut to one line, so that the fix is not pushed off the preview."""

    def one_line(fact: Fact) -> Fact:
        return replace_struct(fact, text=cut(fact.text, width - _LABEL)) if fact.label in _CUT else fact

    blocks = (Facts(tuple(map(one_line, b.rows))) if isinstance(b, Facts) else b for b in card.blocks)
    return replace_struct(card, blocks=tuple(blocks))


def _reading(state: State) -> bool:
    """Return whether the first report is still being read or to be read: nothing can be filtered or asked yet."""
    return state.diagnosis is None and bool(state.waiting or not state.log)


def _expected(state: State) -> list[str]:
    """Return what the first screen says while the reports are read."""
    names = ", ".join(safe(Path(path).name) for path in state.paths)
    rows = "Its launches appear here, the one whose fix saves most time first; lines typed meanwhile are kept."
    return [f"Reading {names}. {rows}", *([f"The demo is a real report. {_DEMO}"] if _is_demo(state) else [])]


def _is_demo(state: State) -> bool:
    return any(Path(path).is_relative_to(resources.folder("kernels") / _TOUR) for path in state.paths)


def _problems(state: State) -> list[str]:
    reports = () if state.diagnosis is None else state.diagnosis.reports
    return [f"{Path(report.path).name}: {problem}" for report in reports for problem in report.problems]
