"""The evidence pane: its tabs, and one page at a time about the current launch and finding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from advisor.session.state import State
from advisor.tui.drawing import styled
from advisor.tui.widgets.evidence_pages import PAGES, EvidenceContext, Layout, evidence_context, note
from advisor.tui.widgets.text import LineWidget


class EvidenceTabs(Widget):
    """The names of the evidence pages in one line; the current one is in brackets, a click selects another."""

    class Taken(Message):
        """A page was clicked."""

        def __init__(self, page: str) -> None:
            super().__init__()
            self.page = page

    def __init__(self, labels: Mapping[str, str], page: str) -> None:
        super().__init__()
        self._labels, self._page = dict(labels), page

    def show(self, page: str) -> None:
        """Highlight the tab of this page."""
        if page != self._page:
            self._page = page
            self.refresh()

    @property
    def _gap(self) -> int:
        """Blanks between two names: two where there is room, else one, which a bracket may replace."""
        wide = sum(len(label) + 2 for label in self._labels.values())
        return 2 if wide <= self.content_size.width else 1

    def _spans(self) -> list[tuple[str, int, int]]:
        """The first and last cell of each name."""
        spans, at = [], 1
        for page, label in self._labels.items():
            spans.append((page, at, at + len(label)))
            at += len(label) + self._gap
        return spans

    def render(self) -> Content:
        spans = self._spans()
        cells = [" "] * (spans[-1][2] + 1)
        for page, start, to in spans:
            cells[start:to] = self._labels[page]
        start, to = next(((start, to) for page, start, to in spans if page == self._page), (1, 1))
        cells[start - 1], cells[to] = "[", "]"
        line = styled("".join(cells), "$text-secondary").stylize("bold $text-accent", start - 1, to + 1)
        return line[self._skipped() :]

    def _skipped(self) -> int:
        """Cells shifted out to the left so that the current page is visible."""
        end = next((to for page, _, to in self._spans() if page == self._page), 0) + 1
        return max(end - self.content_size.width, 0) if self.content_size.width else 0

    def on_click(self, event: Click) -> None:
        event.stop()
        at = event.x - self.gutter.left + self._skipped()
        taken = next((page for page, start, to in self._spans() if start - 1 <= at <= to), None)
        if taken is not None:
            self.post_message(self.Taken(taken))


NAMES = tuple(PAGES)
_SEARCHED = "numbers"  # the page whose metrics can be searched
_FITTED = ("roofline",)  # pages drawn as high as there is room
_KEPT = 24  # pages kept as drawn


class EvidencePage(LineWidget):
    """The current evidence page, made when first shown and kept while it is valid."""

    filled: ClassVar[bool] = True

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self._blocks = blocks
        self._exhibit: EvidenceContext | None = None
        self._page, self._wanted = NAMES[0], ""
        self._made: dict[tuple[str, Layout], list[Content]] = {}

    @property
    def page(self) -> str:
        """The name of the current page."""
        return self._page

    def show(self, evidence_context: EvidenceContext | None) -> bool:
        """Show this evidence; returns whether the launch or finding changed."""
        before = self._exhibit
        if evidence_context is before or (evidence_context is not None and evidence_context.same(before)):
            return False
        self._exhibit = evidence_context
        self._renew(forget=True)
        if evidence_context is None or before is None:
            return True
        return evidence_context.launch is not before.launch or evidence_context.finding is not before.finding

    def turn(self, page: str) -> None:
        """Show this page."""
        if page != self._page:
            self._page = page
            self._renew()

    def find(self, wanted: str) -> None:
        """Show only metrics that have these words in their name or meaning."""
        if wanted != self._wanted:
            self._wanted = wanted
            self._renew()

    def _renew(self, *, forget: bool = False) -> None:
        if forget or len(self._made) > _KEPT:
            self._made.clear()
        self.refresh(layout=True)

    def _at(self, width: int) -> list[Content]:
        wanted = self._wanted if self._page == _SEARCHED else ""
        height = self.parent.size.height - 1 if self._page in _FITTED and isinstance(self.parent, Widget) else 0
        how = Layout(width, self._blocks, wanted, height)
        if (self._page, how) not in self._made:
            make = PAGES[self._page].lines
            lines = (
                note("The evidence appears here together with the diagnosis.", how)
                if self._exhibit is None
                else make(self._exhibit, how)
            )
            self._made[self._page, how] = lines
        return self._made[self._page, how]


class Evidence(VerticalScroll, can_focus=True):
    """The tabs and the current page below them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "Previous page", show=False, tooltip="Previous evidence page"),
        Binding("right", "turn(1)", "Next page", show=False, tooltip="Next evidence page"),
        *(
            Binding(str(at), f"take('{page}')", name, show=False, tooltip=what)
            for at, (page, (_, _, name, what, _)) in enumerate(PAGES.items(), 1)
        ),
        Binding("slash", "find", "Find a number", show=False, tooltip="Search all metrics by name or meaning"),
        Binding("escape", "leave_find", "Leave", show=False, tooltip="Show all metrics again and leave the search"),
    ]

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._page = EvidencePage(blocks=blocks)
        self._tabs = EvidenceTabs({name: page.tab for name, page in PAGES.items()}, NAMES[0])
        self._find = Input(placeholder="find a metric by name or meaning", compact=True, max_length=200, id="find")
        self._find.display = False

    def compose(self) -> ComposeResult:
        yield self._tabs
        yield self._page
        yield self._find

    def show(self, state: State) -> None:
        """Show the evidence of the state, from the top if the launch or finding changed."""
        if self._page.show(evidence_context(state)):
            self.scroll_home(animate=False)

    @property
    def page(self) -> str:
        """The name of the current page."""
        return self._page.page

    def turn_to(self, page: str) -> None:
        """Show the page of this name from its top."""
        if page not in PAGES:
            return
        if page != _SEARCHED and self._find.has_focus:
            self.focus()
        self._tabs.show(page)
        self._page.turn(page)
        self._find.display = page == _SEARCHED
        self.scroll_home(animate=False)

    def action_turn(self, by: int) -> None:
        self.turn_to(NAMES[(NAMES.index(self.page) + by) % len(NAMES)])

    def action_take(self, page: str) -> None:
        self.turn_to(page)

    def action_find(self) -> None:
        # At once: the next character belongs to the search.
        self.screen.set_focus(self._find)

    def action_leave_find(self) -> None:
        self._find.clear()
        self.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "find":
            return self.page == _SEARCHED
        return self._find.has_focus or bool(self._find.value) if action == "leave_find" else True

    @on(EvidenceTabs.Taken)
    def _taken(self, event: EvidenceTabs.Taken) -> None:
        event.stop()
        self.turn_to(event.page)

    @on(Input.Changed)
    def _sought(self, event: Input.Changed) -> None:
        event.stop()
        self._page.find(event.value)
        self.scroll_home(animate=False)

    @on(Input.Submitted)
    def _found(self, event: Input.Submitted) -> None:
        event.stop()
        self.focus()
