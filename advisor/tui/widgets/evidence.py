"""The evidence beside the conversation: charts of the launch, and the numbers behind class and finding."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from advisor.dialogue.cards import evidence_lines
from advisor.dialogue.records import Card
from advisor.model import Finding, LaunchDiagnosis
from advisor.tui.layout import card_lines, chart_lines, heading, styled

_FEWEST = 46  # columns that a chart row needs


class EvidencePage(Widget):
    """All of it as lines of the width at hand."""

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self._blocks = blocks
        self._launch: LaunchDiagnosis | None = None
        self._finding: Finding | None = None
        self._lines: tuple[int, list[Content]] = (0, [])

    def show(self, launch: LaunchDiagnosis | None, finding: Finding | None) -> bool:
        """Show this launch and finding; whether that is something new."""
        if launch is self._launch and finding is self._finding:
            return False
        self._launch, self._finding, self._lines = launch, finding, (0, [])
        self.refresh(layout=True)
        return True

    def _at(self, width: int) -> list[Content]:
        if self._lines[0] != width:
            self._lines = (width, self._make(width))
        return self._lines[1]

    def _make(self, width: int) -> list[Content]:
        launch = self._launch
        if launch is None:
            return [styled("The evidence appears here as soon as there is some.", "$quiet")]
        lines = chart_lines(launch, max(width, _FEWEST), self._blocks)
        sections = [(f"Behind the class: {launch.verdict.title}", launch.verdict.evidence)]
        if self._finding is not None:
            sections.append((f"Behind the finding: {self._finding.title}", self._finding.evidence))
        for title, items in sections:
            if items:
                card = Card("evidence", "", evidence_lines(items))
                lines += [Content(""), heading(title), *card_lines(card, width, blocks=self._blocks)[1:]]
        return lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are at this width."""
        return len(self._at(width)) if width > 0 else 0

    def render(self) -> Content:
        """The lines."""
        return Content("\n").join(self._at(self.content_size.width)) if self.content_size.width else Content("")


class Evidence(VerticalScroll, can_focus=True):
    """The page, scrolled."""

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._page = EvidencePage(blocks=blocks)

    def compose(self) -> ComposeResult:
        """The page alone."""
        yield self._page

    def show(self, launch: LaunchDiagnosis | None, finding: Finding | None) -> None:
        """Show this launch and finding, from the top when it is another."""
        if self._page.show(launch, finding):
            self.scroll_home(animate=False)
