"""The evidence beside the conversation: one page at a time about the launch and the finding at hand."""

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
from advisor.tui import words_evidence as words
from advisor.tui.evidence_context import Exhibit, exhibit
from advisor.tui.evidence_pages import PAGES, How, note
from advisor.tui.widgets.evidence_tabs import EvidenceTabs
from advisor.tui.widgets.line_wise import LineWise
from advisor.tui.widgets.placed import Placed

NAMES = tuple(PAGES)
_SEARCHED = "numbers"  # the page whose numbers can be searched
_FITTED = ("roofline",)  # pages that are drawn as high as there is room
_KEPT = 24  # pages that are kept as they were made


class EvidencePage(LineWise):
    """The page in view as lines of the width at hand; each is made when first looked at and kept while it holds."""

    filled: ClassVar[bool] = True

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self._blocks = blocks
        self._exhibit: Exhibit | None = None
        self._page, self._wanted = NAMES[0], ""
        self._made: dict[tuple[str, How], list[Content]] = {}

    @property
    def page(self) -> str:
        """The name of the page in view."""
        return self._page

    def show(self, exhibit: Exhibit | None) -> bool:
        """Show what there is; whether it is about another launch or finding."""
        before = self._exhibit
        if exhibit is before or (exhibit is not None and exhibit.same(before)):
            return False
        self._exhibit = exhibit
        self._renew(forget=True)
        if exhibit is None or before is None:
            return True
        return exhibit.launch is not before.launch or exhibit.finding is not before.finding

    def turn(self, page: str) -> None:
        """Show this page."""
        if page != self._page:
            self._page = page
            self._renew()

    def find(self, wanted: str) -> None:
        """Show only the numbers that have these words in their name or meaning."""
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
        how = How(width, self._blocks, wanted, height)
        if (self._page, how) not in self._made:
            make = PAGES[self._page][1]
            lines = note(words.NOTHING, how) if self._exhibit is None else make(self._exhibit, how)
            self._made[self._page, how] = lines
        return self._made[self._page, how]


class Evidence(VerticalScroll, Placed, can_focus=True):
    """The tabs, and under them the page, scrolled."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", "Page before", show=False, id="evidence.left", tooltip=words.TIP_BEFORE),
        Binding("right", "turn(1)", "Next page", show=False, id="evidence.right", tooltip=words.TIP_NEXT),
        *(
            Binding(str(at), f"take('{page}')", name, show=False, id=f"evidence.{page}", tooltip=what)
            for at, (page, _, name, what) in enumerate(words.PAGES, 1)
        ),
        Binding("slash", "find", "Find a number", show=False, id="evidence.find", tooltip=words.TIP_FIND),
        Binding("escape", "leave_find", "Leave", show=False, id="evidence.leave", tooltip=words.TIP_LEAVE_FIND),
    ]

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._page = EvidencePage(blocks=blocks)
        self._tabs = EvidenceTabs({name: label for name, (label, _) in PAGES.items()}, NAMES[0])
        self._find = Input(placeholder=words.FIND, compact=True, max_length=200, id="find")
        self._find.display = False

    def compose(self) -> ComposeResult:
        """The tabs and, on the page with all numbers, the search stand still; the page scrolls under them."""
        yield self._tabs
        yield self._page
        yield self._find

    def show(self, state: State) -> None:
        """Show what belongs to the state, from the top when it is another launch or finding."""
        if self._page.show(exhibit(state)):
            self.scroll_home(animate=False)

    @property
    def page(self) -> str:
        """The name of the page in view."""
        return self._page.page

    def turn_to(self, page: str) -> None:
        """Show the page of this name, from its top."""
        if page not in PAGES:
            return
        if page != _SEARCHED and self._find.has_focus:
            self.focus()
        self._tabs.show(page)
        self._page.turn(page)
        self._find.display = page == _SEARCHED
        self.scroll_home(animate=False)

    def action_turn(self, by: int) -> None:
        """The next page or the one before, around the ends."""
        self.turn_to(NAMES[(NAMES.index(self.page) + by) % len(NAMES)])

    def action_take(self, page: str) -> None:
        """This page."""
        self.turn_to(page)

    def action_find(self) -> None:
        """Search the numbers."""
        # At once: what is typed next belongs to the search.
        self.screen.set_focus(self._find)

    def action_leave_find(self) -> None:
        """All numbers again, and out of the search."""
        self._find.clear()
        self.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape is the screen's, but for the search; a slash begins a command where there is nothing to search."""
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
