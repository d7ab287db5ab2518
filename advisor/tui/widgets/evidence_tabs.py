"""The names of the evidence's pages in one line: the page in view stands in brackets, a click takes another."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content
from textual.events import Click
from textual.message import Message

from advisor.tui.layout import styled
from advisor.tui.widgets.placed import Placed


class EvidenceTabs(Placed):
    """As many cells as the names need, and two brackets."""

    class Taken(Message):
        """A page was clicked."""

        def __init__(self, page: str) -> None:
            super().__init__()
            self.page = page

    def __init__(self, labels: Mapping[str, str], page: str) -> None:
        super().__init__()
        self._labels, self._page = dict(labels), page

    def show(self, page: str) -> None:
        """This page is in view."""
        if page != self._page:
            self._page = page
            self.refresh()

    @property
    def _gap(self) -> int:
        """Blanks between two names: two where there is room, else one, which a bracket may fill."""
        wide = sum(len(label) + 2 for label in self._labels.values())
        return 2 if wide <= self.content_size.width else 1

    def _spans(self) -> list[tuple[str, int, int]]:
        """Each page with the cells from and to which its name stands."""
        spans, at = [], 1
        for page, label in self._labels.items():
            spans.append((page, at, at + len(label)))
            at += len(label) + self._gap
        return spans

    def render(self) -> Content:
        """One line; where it is too long it is moved so that the page in view is seen."""
        spans = self._spans()
        cells = [" "] * (spans[-1][2] + 1)
        for page, start, to in spans:
            cells[start:to] = self._labels[page]
        start, to = next(((start, to) for page, start, to in spans if page == self._page), (1, 1))
        cells[start - 1], cells[to] = "[", "]"
        line = styled("".join(cells), "$text-secondary").stylize("bold $text-accent", start - 1, to + 1)
        return line[self._skipped() :]

    def _skipped(self) -> int:
        """Cells that are scrolled away to the left so that the page in view is seen."""
        end = next((to for page, _, to in self._spans() if page == self._page), 0) + 1
        return max(end - self.content_size.width, 0) if self.content_size.width else 0

    def on_click(self, event: Click) -> None:
        """The page under the pointer."""
        event.stop()
        at = event.x - self.gutter.left + self._skipped()
        taken = next((page for page, start, to in self._spans() if start - 1 <= at <= to), None)
        if taken is not None:
            self.post_message(self.Taken(taken))
