"""The evidence pane: tabs, and one page at a time about the current launch and finding."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from advisor.session.state import State
from advisor.tui.widgets.evidence_pages import PAGES, EvidenceContext, Layout, evidence_context, note
from advisor.tui.widgets.text import LineWidget, Tabs

NAMES = tuple(PAGES)
_SEARCHED = "numbers"  # the page whose metrics can be searched
_FITTED = "roofline"  # the page that fills the available height
_MOST = 24  # maximum number of drawn pages in the cache


class EvidencePage(LineWidget):
    """The current evidence page, drawn when first shown and cached while it is valid."""

    filled: ClassVar[bool] = True

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self.blocks = blocks
        self.page, self.wanted = NAMES[0], ""
        self._shown: EvidenceContext | None = None
        self._pages: dict[tuple[str, Layout], list[Content]] = {}

    def show(self, context: EvidenceContext | None) -> bool:
        """Show this evidence; return whether the launch or finding changed."""
        before = self._shown
        if context is before or (context is not None and context.same(before)):
            return False
        self._shown = context
        self._pages.clear()
        self.refresh(layout=True)
        if context is None or before is None:
            return True
        return context.launch is not before.launch or context.finding is not before.finding

    def turn(self, page: str, wanted: str) -> None:
        """Show this page; `wanted` limits its metrics to those with these words in their name or meaning."""
        if (page, wanted) != (self.page, self.wanted):
            self.page, self.wanted = page, wanted
            self.refresh(layout=True)

    def lines(self, width: int) -> list[Content]:
        height = self.parent.size.height - 1 if self.page == _FITTED and isinstance(self.parent, Widget) else 0
        how = Layout(width, self.blocks, self.wanted if self.page == _SEARCHED else "", height)
        if (self.page, how) not in self._pages:
            if len(self._pages) > _MOST:
                self._pages.clear()
            none = note("The evidence appears here together with the diagnosis.", how)
            made = none if self._shown is None else PAGES[self.page].lines(self._shown, how)
            self._pages[self.page, how] = made
        return self._pages[self.page, how]


class Evidence(VerticalScroll, can_focus=True):
    """The tabs, the current page below them, and the search line for metrics."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "Previous page", show=False, tooltip="Previous evidence page"),
        Binding("right", "turn(1)", "Page", key_display="←→", tooltip="Next evidence page; a digit shows its page"),
        *(
            Binding(str(at), f"take('{name}')", page.name, show=False, tooltip=page.says)
            for at, (name, page) in enumerate(PAGES.items(), 1)
        ),
        Binding("slash", "find", "Find a number", show=False, tooltip="Search all metrics by name or meaning"),
        Binding("escape", "leave_find", "Leave", show=False, tooltip="Show all metrics again and leave the search"),
    ]

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._page = EvidencePage(blocks=blocks)
        self._tabs = Tabs({name: page.tab for name, page in PAGES.items()}, NAMES[0])
        self._find = Input(placeholder="find a metric by name or meaning", compact=True, max_length=200, id="find")
        self._find.display = False

    def compose(self) -> ComposeResult:
        yield self._tabs
        yield self._page
        yield self._find

    def show(self, state: State) -> None:
        """Show the evidence of the state; scroll to the top if the launch or finding changed."""
        if self._page.show(evidence_context(state)):
            self.scroll_home(animate=False)

    @property
    def page(self) -> str:
        """The name of the current page."""
        return self._page.page

    @property
    def searches(self) -> bool:
        """Whether `/` searches the metrics: the page that lists them has the focus."""
        return self.has_focus and self.page == _SEARCHED

    def turn_to(self, page: str) -> None:
        """Show the page of this name, scrolled to its top."""
        if page not in PAGES:
            return
        if page != _SEARCHED and self._find.has_focus:
            self.focus()
        self._tabs.show(page)
        self._page.turn(page, self._find.value)
        self._find.display = page == _SEARCHED
        self.scroll_home(animate=False)

    def action_turn(self, by: int) -> None:
        self.turn_to(NAMES[(NAMES.index(self.page) + by) % len(NAMES)])

    def action_take(self, page: str) -> None:
        self.turn_to(page)

    def action_find(self) -> None:
        # Focus immediately: the next character belongs to the search.
        self.screen.set_focus(self._find)

    def action_leave_find(self) -> None:
        self._find.clear()
        self.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Handle Escape only in the search, and the slash only on the metrics page; else leave them to the screen."""
        if action == "find":
            return self.page == _SEARCHED
        return self._find.has_focus or bool(self._find.value) if action == "leave_find" else True

    @on(Tabs.Taken)
    def _taken(self, event: Tabs.Taken) -> None:
        event.stop()
        self.turn_to(event.name)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.turn_to(self.page)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.focus()
