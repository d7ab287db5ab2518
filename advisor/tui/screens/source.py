"""The source screen: hot lines beside instructions, source text, PTX or the structure of the kernel."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content

from advisor.records.errors import UsageError
from advisor.session import events as e
from advisor.session.language import understand as commands
from advisor.session.state import State
from advisor.source.columns import COLUMNS, SETS, parse_columns
from advisor.source.hotspots import Line, parse_search, parse_where
from advisor.source.measures import MEASURES, measure
from advisor.source.view import View
from advisor.source.viewer import Seen
from advisor.tui.drawing import styled
from advisor.tui.screens.base import PanelScreen, hidden
from advisor.tui.screens.source_rows import NO_LINES, NO_SHAPE, NO_TEXT, NOTHING, Code, Listed, about_view, filters_text
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.lists import Rows
from advisor.tui.widgets.prompt import Prompt
from advisor.tui.widgets.text import Banner, Note
from advisor.view.text import place_text, source_line

_TABS: Final = ("SASS", "Source text", "PTX", "Shape")
_TAB_NAMES: Final = ("Instructions", *_TABS[1:])  # names of the tabs' actions
_TABS_SAY: Final = "Instructions, source text, PTX, or loops and registers"
_SEARCH: Final = "Search by a regular expression, filter by a value, or name a measure or column set"
_PROMPT: Final = "text to search, share>5%, a measure such as samples, columns such as stalls; Tab leaves"
_SIGNS = "<>="


def seek(text: str, now: e.Locate | None) -> e.SourceSought | str:
    """Return the event for a typed text, or an error text if it is invalid.

    `LDG` searches (`/samples` for the name of a measure), `/` alone ends the search; `share>5%` filters (one comparison
    a field and sign), `samples` and metric names of ncu select a measure, `stalls` and comma-separated names select
    columns, `none` hides them.
    """
    where = now.where if now is not None else ()
    try:
        if text.startswith("/"):
            pattern = text[1:]
            if pattern:
                parse_search(pattern)
            return changed(now, search=pattern)
        if any(sign in text for sign in _SIGNS):
            return changed(now, where=_with(where, text))
        if text == "none":
            return changed(now, columns="")
        names = [part.strip() for part in text.split(",")]
        # Some measures and columns share a name: a single name means the measure.
        if text not in MEASURES and all(name in SETS or name in COLUMNS for name in names):
            parse_columns(text)
            return changed(now, columns=text)
        if text in MEASURES or "__" in text:
            return changed(now, by=measure(text).id)
        parse_search(text)
        return changed(now, search=text)
    except UsageError as problem:
        return str(problem).replace("--where ", "").replace("--search ", "")


def _with(where: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Return the comparisons with one added; it replaces a comparison of the same field in the same direction."""
    new = parse_where(text)
    squeezed = "".join(text.split())
    kept = tuple(old for old in where if (parse_where(old).field, parse_where(old).sign[0]) != (new.field, new.sign[0]))
    return (*kept, squeezed)


_FEW = 3  # a list with at most this many lines is only as high as its lines
_INSTRUCTIONS, _TEXT, _PTX, _SHAPE = range(4)


class SourceScreen(PanelScreen):
    """The source screen. The lists have the focus; the prompt takes searches, comparisons, measures and column sets."""

    home = "#lines"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "prompt('')", "Search", tooltip=_SEARCH),
        hidden("colon", "prompt('')", "Filter", _SEARCH),
        Binding("b", "measure(1)", "Measure", tooltip="Next measure with data for this launch"),
        hidden("B", "measure(-1)", "Previous measure", "Previous measure"),
        Binding("d", "columns", "Columns", tooltip="Next column set: memory, stalls, predication, instructions, none"),
        Binding("right_square_bracket", "hot(1)", "Next hot", key_display="]", tooltip="Next hot place in code order"),
        hidden("left_square_bracket", "hot(-1)", "Previous hot", "Previous hot place in code order"),
        Binding("right", "shift(1)", "Scroll", key_display="←→", tooltip="Scroll long lines to the right"),
        hidden("left", "shift(-1)", "Scroll back", "Scroll long lines back to the left"),
        *(hidden(str(n + 1), f"tab({n})", name, _TABS_SAY) for n, name in enumerate(_TAB_NAMES)),
        hidden("a", "all", "All/line", "Instructions of the line, or of the whole kernel"),
        hidden("o", "order", "Order", "Hottest first, or code order"),
        Binding("x", "clear", "Clear", tooltip="Remove all filters"),
        hidden("j", "awaited", "Awaited", "Go to the load or other instruction that this one waits for"),
        hidden("z", "peak", "Peak", "Go to the instruction with the most live registers"),
        Binding("ctrl+r", "again", "Retry", tooltip="Retry what failed or was cancelled"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._code: Code | None = None
        self._listed: Listed | None = None
        self._launch: tuple[int | None, str] = (None, "")
        self._tab = _INSTRUCTIONS
        self._in_order = False
        self._of_line = False

    def compose(self) -> ComposeResult:
        yield Banner(blocks=self.blocks)
        yield Note("about")
        with Container(id="panes"):
            with Vertical(id="left"):
                yield Rows(blocks=self.blocks, ident="lines")
                yield Note("whole")
                yield Rows(blocks=self.blocks, ident="text")
            with Vertical(id="right"):
                yield Note("tabs")
                yield Rows(blocks=self.blocks, ident="code")
                yield Note("detail")
        yield self.prompt_line(Prompt((), placeholder=_PROMPT, ident="prompt"))
        yield KeyLine()

    # Showing

    def show(self, state: State) -> None:
        """Show the result; a failure is shown above the previous result."""
        launch = state.launch
        self.banner("Source", launch.kernel if launch is not None else "")
        result = None if state.source_query is None else state.result(state.source_query)
        about = (state.position, state.view_subject)
        if about != self._launch:
            self._launch, self._code = about, None
            self._tab, self._of_line = _INSTRUCTIONS, False
        arrived = False
        if isinstance(result, Seen) and (self._code is None or result is not self._code.seen):
            self._arrive(result)
            arrived = True
        self._about(state, result)
        self._pane()
        if arrived:
            self._agree()
        self.refresh_bindings()

    def _arrive(self, seen: Seen) -> None:
        self._code = Code(seen, self.blocks)
        lines = self._code.lines()
        self.query_one("#lines", Rows).show(len(lines.places), lines.draw, at=0)
        self.set_class(not lines.places, "-nolines")
        self.set_class(len(lines.places) <= _FEW, "-few")
        if not lines.places and self.focused is self.query_one("#lines"):
            self.focus_home()
        self._rows.at = 0

    def _about(self, state: State, result: object) -> None:
        lines: list[tuple[str, str]] = []
        if isinstance(result, e.Failed):
            lines.append((f"! {result.message} Ctrl+R retries.", "$text-error"))
        elif result is None:
            lines.append(("please wait", "$quiet"))
        if self._code is not None:
            lines += about_view(self._code.seen, state.source_query, state.knowledge)
        self.query_one("#about", Note).say(lines)

    @property
    def view(self) -> View | None:
        """The current source view."""
        return self._code.view if self._code is not None else None

    @property
    def _rows(self) -> Rows:
        return self.query_one("#code", Rows)

    @property
    def _line(self) -> Line | None:
        lines = self.view.lines if self.view is not None else ()
        at = self.query_one("#lines", Rows).at
        return lines[at] if at < len(lines) else None

    @property
    def _instruction(self) -> int | None:
        places = self._listed.places if self._listed is not None and self._tab == _INSTRUCTIONS else ()
        return places[self._rows.at] if self._rows.at < len(places) else None

    def _pane(self) -> None:
        """Update the pane and, if there is room, the source text."""
        code, rows = self._code, self._rows
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
        self._whole(code, line)
        self._tabs()
        self._detail()

    def _list(self, code: Code, line: Line | None) -> Listed:
        if self._tab == _TEXT:
            return code.text(line.file if line is not None else "")
        if self._tab == _PTX:
            return code.ptx(self._in_order)
        if self._tab == _SHAPE:
            return code.shape(max(self._rows.size.width - 4, 40))
        return code.instructions(line if self._of_line else None, self._in_order, self._filtered)

    @property
    def _filtered(self) -> bool:
        return bool(filters_text(self.app.state.source_query))

    def _beside(self, code: Code, line: Line | None) -> None:
        """Show the source text around the current line, on large screens."""
        listed = code.text(line.file if line is not None else "")
        at = listed.row_of(line.line) if line is not None else None
        self.query_one("#text", Rows).show(len(listed.places), listed.draw, at=at)
        self.set_class(bool(listed.places), "-text")

    def _whole(self, code: Code, line: Line | None) -> None:
        """Show the text of the current line below the list, wrapped, if its row cuts it."""
        lines = self.query_one("#lines", Rows)
        row = None if line is None else code.lines().draw(lines.at, lines.size.width)
        text = "" if line is None else source_line(code.view.texts.get((line.file, line.line), ""))
        cut = row is not None and lines.size.width > 0 and row.cell_length + 2 > lines.size.width
        self.query_one("#whole", Note).say([styled(text, "")] if text and cut else [])
        self.set_class(bool(text) and cut, "-cut")

    def _tabs(self) -> None:
        names = [f"{n + 1} {name}" for n, name in enumerate(_TABS)]
        parts = [
            styled(f"[{t}]", "bold") if n == self._tab else styled(f" {t} ", "$quiet") for n, t in enumerate(names)
        ]
        line = self._line
        if self._tab == _INSTRUCTIONS:
            of_line = self._of_line and line is not None
            which = f"{place_text(line.file, line.line)} (a: all)" if of_line and line else "all (a: line)"
            order = "in order (o)" if self._in_order else "hot first (o)"
            parts.append(styled(f"{which}, {order}", "$quiet"))
        self.query_one("#tabs", Note).say([Content(" ").join(parts)])

    def _detail(self) -> None:
        code, listed, instruction = self._code, self._listed, self._instruction
        lines: list[Content] = []
        if code is not None and instruction is not None:
            lines = code.about(instruction)
        elif code is not None and listed is not None:
            empty = {
                _TEXT: NO_TEXT if code.view.has_lines else NO_LINES,
                _PTX: "" if code.view.has_ptx else "The report holds no PTX: compile with -lineinfo to embed it.",
                _SHAPE: NO_SHAPE,
            }
            text = "" if listed.places else empty.get(self._tab, "")
            lines = [styled(text, "$text-warning")] if text else []
        self.query_one("#detail", Note).say(lines)

    # User actions

    @on(Rows.Moved, "#lines")
    def _line_moved(self) -> None:
        self._pane()
        self._agree()

    def _agree(self) -> None:
        """Put the cursor of the instructions on the first one of the selected line, in the order shown."""
        code, line, listed = self._code, self._line, self._listed
        if code is None or line is None or listed is None or self._of_line or self._tab != _INSTRUCTIONS:
            return
        places = code.instructions(line, self._in_order, self._filtered).places
        row = listed.row_of(places[0]) if places else None
        if row is not None:
            self._rows.move(row)

    def action_leave(self) -> None:
        """Leave the prompt; if it has no focus, remove the search and filters; if there are none, leave the screen."""
        if self._filtered and not self.query_one(Prompt).has_focus and not self.app.state.waiting:
            self.action_clear()
        else:
            super().action_leave()

    @on(Rows.Taken, "#lines")
    def _line_taken(self) -> None:
        self._of_line = True
        self.action_tab(_INSTRUCTIONS)

    @on(Rows.Moved, "#code")
    def _code_moved(self) -> None:
        self._detail()

    def is_command(self, text: str) -> bool:
        return text in commands.commands()

    def typed(self, text: str) -> None:
        query = seek(text, self.app.state.source_query)
        if isinstance(query, e.SourceSought):
            self.app.dispatch(query)
        else:
            self.app.warn(query)

    def focus_home(self) -> None:
        self.query_one("#code" if self.has_class("-nolines") else "#lines").focus()

    def action_prompt(self, begin: str) -> None:
        prompt = self.query_one(Prompt)
        prompt.write(begin)
        prompt.focus()

    def _change(self, **changes: object) -> None:
        self.app.dispatch(changed(self.app.state.source_query, **changes))

    def action_measure(self, by: int) -> None:
        if self._code is not None and self._code.seen.measures:
            names = [name for name, *_ in self._code.seen.measures]
            now = self._code.view.measure.id
            self._change(by=names[(names.index(now) + by) % len(names) if now in names else 0])

    def action_columns(self) -> None:
        query, names = self.app.state.source_query, ["", *SETS]
        now = query.columns if query is not None else ""
        self._change(columns=names[(names.index(now) + 1) % len(names)] if now in names else "")

    def action_shift(self, by: int) -> None:
        """Scroll the lines of the list that has the focus sideways."""
        rows = self.focused if isinstance(self.focused, Rows) else self._rows
        rows.shift(by)

    def action_clear(self) -> None:
        if self._filtered:
            self._change(search="", where=())

    def action_again(self) -> None:
        self._change()

    def action_tab(self, tab: int) -> None:
        self._tab = tab
        self._rows.at = 0
        self._listed = None
        self._pane()
        self._rows.focus()

    def action_all(self) -> None:
        self._of_line, self._tab = not self._of_line and self._line is not None, _INSTRUCTIONS
        self._rows.at = 0
        self._pane()

    def action_order(self) -> None:
        """Sort by heat or by address; the cursor stays on its instruction."""
        here = self._instruction
        self._in_order = not self._in_order
        self._pane()
        if here is not None and self._listed is not None:
            self._rows.move(self._listed.row_of(here) or 0)

    def action_hot(self, by: int) -> None:
        code, listed, rows = self._code, self._listed, self._rows
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
        self.notify("No further hot place in that direction.", markup=False)

    def _go(self, at: int | None, otherwise: str) -> None:
        if at is None:
            if otherwise:
                self.notify(otherwise, markup=False)
            return
        self._tab, self._of_line, self._in_order = _INSTRUCTIONS, False, True
        self._pane()
        row = None if self._listed is None else self._listed.row_of(at)
        if row is None:
            self.notify(otherwise or NOTHING, markup=False)
            return
        self._rows.move(row)
        self._rows.focus()

    def action_awaited(self) -> None:
        at = self._instruction
        if self._code is not None and at is not None:
            self._go(self._code.awaited(at), "The code does not show what this instruction waits for.")

    def action_peak(self) -> None:
        if self._code is not None:
            self._go(self._code.peak(), NO_SHAPE)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "clear":
            return self._filtered
        if action == "again":
            query = self.app.state.source_query
            return query is not None and isinstance(self.app.state.result(query), e.Failed)
        return True


def changed(now: e.Locate | None, **changes: object) -> e.SourceSought:
    """Return the event that requests the current view with these changes."""
    kept = {} if now is None else {"by": now.by, "search": now.search, "where": now.where, "columns": now.columns}
    return e.SourceSought(**{**kept, **changes})  # type: ignore[arg-type]
