"""Where in the code: hot lines, and beside them instructions, source text, PTX or the kernel's shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Resize
from textual.widgets import Input, Static

from advisor.session import events as e
from advisor.session.language import understand as commands
from advisor.session.state import State
from advisor.source.columns import SETS
from advisor.source.hotspots import Line
from advisor.source.viewer import Seen
from advisor.tui import words_views as words
from advisor.tui.layout import styled
from advisor.tui.screens.panel import PanelScreen
from advisor.tui.source_rows import Code, Listed, about_view, filters_text
from advisor.tui.source_search import seek
from advisor.tui.widgets.banner import Banner
from advisor.tui.widgets.busy import Busy
from advisor.tui.widgets.note import Note
from advisor.tui.widgets.placed import Panes
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.rows import Rows
from advisor.view.source_marks import place_text

_FEW = 3  # lines that need no more room than themselves
_INSTRUCTIONS, _TEXT, _PTX, _SHAPE = range(4)


class SourceScreen(PanelScreen):
    """The lists are where the keys go; the line below them takes searches, comparisons, measures and column sets."""

    opens: ClassVar[Mapping[str, str]] = {"/": "/", "f": ""}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "prompt('/')", "Search", id="source.search", tooltip=words.TIP_SEARCH),
        Binding("f", "prompt('')", "Filter", show=False, id="source.filter", tooltip=words.TIP_SEARCH),
        Binding("m", "measure(1)", "Measure", id="source.measure", tooltip=words.TIP_MEASURE),
        Binding(
            "M",
            "measure(-1)",
            "Measure before",
            show=False,
            id="source.measure_before",
            tooltip=words.TIP_MEASURE_BEFORE,
        ),
        Binding("c", "columns", "Columns", id="source.columns", tooltip=words.TIP_COLUMNS),
        Binding("n", "hot(1)", "Next hot", id="source.hot", tooltip=words.TIP_HOT),
        Binding("N", "hot(-1)", "Hot before", show=False, id="source.hot_before", tooltip=words.TIP_HOT_BEFORE),
        Binding("1", "tab(0)", "Instructions", show=False, id="source.tab1", tooltip=words.TIP_TAB),
        Binding("2", "tab(1)", "Source text", show=False, id="source.tab2", tooltip=words.TIP_TAB),
        Binding("3", "tab(2)", "PTX", show=False, id="source.tab3", tooltip=words.TIP_TAB),
        Binding("4", "tab(3)", "Shape", show=False, id="source.tab4", tooltip=words.TIP_TAB),
        Binding("a", "all", "All/line", show=False, id="source.all", tooltip=words.TIP_ALL),
        Binding("o", "order", "Order", show=False, id="source.order", tooltip=words.TIP_ORDER),
        Binding("x", "clear", "Clear", id="source.clear", tooltip=words.TIP_CLEAR),
        Binding("l", "awaited", "Awaited", show=False, id="source.awaited", tooltip=words.TIP_AWAITED),
        Binding("p", "peak", "Peak", show=False, id="source.peak", tooltip=words.TIP_PEAK),
        Binding("r", "again", "Again", id="source.again", tooltip=words.TIP_AGAIN),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._code: Code | None = None
        self._listed: Listed | None = None
        self._text: Listed | None = None
        self._launch: tuple[int | None, str] = (None, "")
        self._tab = _INSTRUCTIONS
        self._in_order = False
        self._of_line = False

    def compose(self) -> ComposeResult:
        """Lines and a pane under or beside them; what is told of the cursor's instruction; the prompt."""
        yield Banner()
        yield Note("about")
        with Panes():
            with Vertical(id="left"):
                yield Rows(blocks=self.blocks, ident="lines")
                yield Rows(blocks=self.blocks, ident="text")
            with Vertical(id="right"):
                yield Note("tabs")
                yield Rows(blocks=self.blocks, ident="code")
                yield Note("detail")
        yield Busy(blocks=self.blocks)
        with Horizontal(id="ask"):
            yield Static("› " if self.blocks else "> ", id="sign", markup=False)
            yield Prompt((), placeholder=words.PROMPT, ident="prompt")
        yield self.footer()

    def on_mount(self) -> None:
        """Keys go to the lists."""
        self.query_one("#lines", Rows).focus()
        self.show(self.app.state)

    def on_resize(self, event: Resize) -> None:
        """Text that is broken to a width is broken anew."""
        if self._tab == _SHAPE and self._code is not None:
            self.call_after_refresh(self._pane)

    # Showing

    def show(self, state: State) -> None:
        """Show what was found; what failed is said over what was found before."""
        launch = state.launch
        self.banner(words.SOURCE, launch.kernel if launch is not None else "")
        result = None if state.source_query is None else state.result(state.source_query)
        about = (state.position, state.view_subject)
        if about != self._launch:
            self._launch, self._code = about, None
            self._tab, self._of_line = _INSTRUCTIONS, False
        if isinstance(result, Seen) and (self._code is None or result is not self._code.seen):
            self._arrive(result)
        self._about(state, result)
        self._pane()
        self.app.offer(self)

    def _arrive(self, seen: Seen) -> None:
        """A new view: the lists begin at their hottest."""
        self._code = Code(seen, self.blocks)
        lines = self._code.lines()
        self.query_one("#lines", Rows).show(len(lines.places), lines.draw, at=0)
        self.set_class(not lines.places, "-nolines")
        self.set_class(len(lines.places) <= _FEW, "-few")
        if not lines.places and self.focused is self.query_one("#lines"):
            self.query_one("#code", Rows).focus()
        self.query_one("#code", Rows).at = 0

    def _about(self, state: State, result: object) -> None:
        lines: list[tuple[str, str]] = []
        if isinstance(result, e.Failed):
            lines.append((f"! {result.message} {words.AGAIN}", "$text-error"))
        elif result is None:
            lines.append((words.ONE_MOMENT, "$quiet"))
        if self._code is not None:
            lines += about_view(self._code.seen, state.source_query, state.knowledge)
        self.query_one("#about", Note).say(lines)

    @property
    def _line(self) -> Line | None:
        """The line under the cursor."""
        lines = self._code.view.lines if self._code is not None else ()
        at = self.query_one("#lines", Rows).at
        return lines[at] if at < len(lines) else None

    def _pane(self) -> None:
        """The pane's list, and the text beside the lines where there is room for it."""
        code, rows = self._code, self.query_one("#code", Rows)
        if code is None:
            rows.show(0, lambda at, width: Content(""))
            self.query_one("#tabs", Note).say([])
            self.query_one("#detail", Note).say([])
            return
        line = self._line
        before = None if self._listed is None else self._listed.places
        self._listed = self._list(code, line)
        at = 0 if before != self._listed.places and rows.at >= len(self._listed.places) else None
        if self._tab == _TEXT and line is not None:
            at = self._listed.row_of(line.line) if before != self._listed.places else None
        rows.show(len(self._listed.places), self._listed.draw, head=self._listed.head, at=at)
        self._beside(code, line)
        self._tabs()
        self._detail()

    def _list(self, code: Code, line: Line | None) -> Listed:
        if self._tab == _TEXT:
            return code.text(line.file if line is not None else "")
        if self._tab == _PTX:
            return code.ptx(self._in_order)
        if self._tab == _SHAPE:
            return code.shape(max(self.query_one("#code", Rows).size.width - 4, 40))
        return code.instructions(line if self._of_line else None, self._in_order, self._filtered)

    @property
    def _filtered(self) -> bool:
        return bool(filters_text(self.app.state.source_query))

    def _beside(self, code: Code, line: Line | None) -> None:
        """The text around the line, under the lines of a large screen."""
        rows = self.query_one("#text", Rows)
        self._text = code.text(line.file) if line is not None else None
        listed = self._text
        if listed is None or line is None:
            rows.show(0, lambda at, width: Content(""))
        else:
            rows.show(len(listed.places), listed.draw, at=listed.row_of(line.line))
        self.set_class(listed is not None and bool(listed.places), "-text")

    def _tabs(self) -> None:
        names = [words.TAB_LINE.format(number=n + 1, name=name) for n, name in enumerate(words.TABS)]
        parts = [styled(f"[{t}]" if n == self._tab else f" {t} ", "bold" if n == self._tab else "$quiet")
                 for n, t in enumerate(names)]  # fmt: skip
        line = self._line
        if self._tab == _INSTRUCTIONS:
            of_line = self._of_line and line is not None
            told = words.OF_LINE.format(place=place_text(line.file, line.line)) if of_line and line else words.OF_ALL
            order = words.BY_CODE if self._in_order else words.BY_HEAT
            parts.append(styled(f"{told}, {order}", "$quiet"))
        self.query_one("#tabs", Note).say([Content(" ").join(parts)])

    def _detail(self) -> None:
        code, listed, at = self._code, self._listed, self.query_one("#code", Rows).at
        told: list[Content] = []
        if code is not None and listed is not None:
            if self._tab == _INSTRUCTIONS and at < len(listed.places):
                told = code.about(listed.places[at])
            elif self._tab == _PTX and not code.view.has_ptx:
                told = [styled(words.NO_PTX, "$text-warning")]
            elif self._tab == _TEXT and not listed.places:
                told = [styled(words.NO_TEXT if code.view.has_lines else words.NO_LINES, "$text-warning")]
            elif self._tab == _SHAPE and not listed.places:
                told = [styled(words.NO_SHAPE, "$text-warning")]
        self.query_one("#detail", Note).say(told)

    # What the user does

    @on(Rows.Moved, "#lines")
    def _line_moved(self, event: Rows.Moved) -> None:
        self._pane()

    @on(Rows.Taken, "#lines")
    def _line_taken(self, event: Rows.Taken) -> None:
        """Enter on a line: its instructions."""
        self._of_line, self._tab = True, _INSTRUCTIONS
        self.query_one("#code", Rows).at = 0
        self._pane()
        self.query_one("#code", Rows).focus()

    @on(Rows.Moved, "#code")
    def _code_moved(self, event: Rows.Moved) -> None:
        self._detail()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        event.input.clear()
        if text in commands.commands():
            self.app.say(text)
            return
        if text:
            self._seek(text)
        self._leave_prompt()

    def _seek(self, text: str) -> None:
        sought = seek(text, self.app.state.source_query)
        if sought is None:
            self.notify(words.NOT_SOUGHT.format(text=text[:80]), severity="warning", markup=False)
        elif isinstance(sought, str):
            self.notify(sought, severity="warning", markup=False)
        else:
            self.app.dispatch(sought)

    def _leave_prompt(self) -> None:
        self.query_one("#code" if self.has_class("-nolines") else "#lines", Rows).focus()

    def action_leave(self) -> None:
        """Out of the prompt first, then of the screen."""
        prompt = self.query_one(Prompt)
        if prompt.has_focus and not self.app.state.waiting:
            prompt.clear()
            self._leave_prompt()
        else:
            super().action_leave()

    def action_prompt(self, begin: str) -> None:
        """Type a search or a filter."""
        prompt = self.query_one(Prompt)
        prompt.value = begin
        prompt.cursor_position = len(begin)
        prompt.focus()

    def _change(self, **changes: object) -> None:
        self.app.dispatch(_sought(self.app.state.source_query, **changes))

    def action_measure(self, by: int) -> None:
        """The next or former measure of those that this launch has any of."""
        if self._code is None or not self._code.seen.measures:
            return
        names = [name for name, *_ in self._code.seen.measures]
        now = self._code.view.measure.id
        at = names.index(now) + by if now in names else 0
        self._change(by=names[at % len(names)])

    def action_columns(self) -> None:
        """The next set of columns, none after the last."""
        sought = self.app.state.source_query
        names = ["", *SETS]
        now = sought.columns if sought is not None else ""
        self._change(columns=names[(names.index(now) + 1) % len(names)] if now in names else "")

    def action_clear(self) -> None:
        """All instructions again."""
        if self._filtered:
            self._change(search="", where=())

    def action_again(self) -> None:
        """Try again what failed."""
        self._change()

    def action_tab(self, tab: int) -> None:
        """Another pane."""
        self._tab = tab
        self.query_one("#code", Rows).at = 0
        self._listed = None
        self._pane()
        self.query_one("#code", Rows).focus()

    def action_all(self) -> None:
        """All instructions, or those of the line under the cursor."""
        self._of_line, self._tab = not self._of_line and self._line is not None, _INSTRUCTIONS
        self.query_one("#code", Rows).at = 0
        self._pane()

    def action_order(self) -> None:
        """By heat or by address; the cursor stays on its instruction."""
        listed, rows = self._listed, self.query_one("#code", Rows)
        here = listed.places[rows.at] if listed is not None and rows.at < len(listed.places) else None
        self._in_order = not self._in_order
        self._pane()
        if here is not None and self._listed is not None:
            rows.move(self._listed.row_of(here) or 0)

    def action_hot(self, by: int) -> None:
        """The next place worth a visit in the list at hand."""
        code, listed, rows = self._code, self._listed, self.query_one("#code", Rows)
        if code is None or listed is None:
            return
        line = self._line
        file = line.file if line is not None else ""
        at = rows.at + by
        while 0 <= at < len(listed.places):
            place = listed.places[at]
            if code.hot_line(file, place) if self._tab == _TEXT else self._tab != _INSTRUCTIONS or code.hot(place):
                rows.move(at)
                return
            at += by
        self.notify(words.NO_HOTTER, markup=False)

    def _go(self, at: int | None, otherwise: str) -> None:
        """To an instruction, among all of them in the order of the code."""
        if at is None:
            if otherwise:
                self.notify(otherwise, markup=False)
            return
        self._tab, self._of_line, self._in_order = _INSTRUCTIONS, False, True
        self._pane()
        rows = self.query_one("#code", Rows)
        row = None if self._listed is None else self._listed.row_of(at)
        if row is None:
            self.notify(otherwise or words.NOTHING_HOT, markup=False)
            return
        rows.move(row)
        rows.focus()

    def action_awaited(self) -> None:
        """To the instruction that the one under the cursor waits for."""
        code, listed, at = self._code, self._listed, self.query_one("#code", Rows).at
        if code is not None and listed is not None and self._tab == _INSTRUCTIONS and at < len(listed.places):
            self._go(code.awaited(listed.places[at]), words.NO_SOURCE_OF_WAIT)

    def action_peak(self) -> None:
        """To the instruction with the most live registers."""
        if self._code is not None:
            self._go(self._code.peak(), words.NO_SHAPE)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What would do nothing now is not offered."""
        if action == "clear":
            return self._filtered
        if action == "again":
            sought = self.app.state.source_query
            return sought is not None and isinstance(self.app.state.result(sought), e.Failed)
        return True


def _sought(now: e.Locate | None, **changes: object) -> e.SourceSought:
    kept = {} if now is None else {"by": now.by, "search": now.search, "where": now.where, "columns": now.columns}
    return e.SourceSought(**{**kept, **changes})  # type: ignore[arg-type]
