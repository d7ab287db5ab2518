"""A widget that is nothing but lines made for the width at hand, of which only those in view are drawn."""

from __future__ import annotations

from typing import ClassVar

from textual.content import Content
from textual.geometry import Size
from textual.strip import Strip
from textual.visual import Visual

from advisor.tui.widgets.placed import Placed


class LineWise(Placed):
    """The subclass makes the lines in `_make`; where they hang on more than the width, it keeps them itself in `_at`.

    filled: a line ends at the width, in blanks, instead of where its text ends.
    """

    filled: ClassVar[bool] = False
    _made_at: tuple[int, list[Content]] = (0, [])  # the width that they were made for, and the lines

    def _make(self, width: int) -> list[Content]:
        """The lines, at most `width` cells wide."""
        raise NotImplementedError

    def _at(self, width: int) -> list[Content]:
        """The lines, made anew where the width is another."""
        if self._made_at[0] != width:
            self._made_at = (width, self._make(width))
        return self._made_at[1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are at this width."""
        return len(self._at(width)) if width > 0 else 0

    def render(self) -> Content:
        """All lines, for a selection that is copied."""
        return Content("\n").join(self._at(self.content_size.width)) if self.content_size.width else Content("")

    def render_line(self, y: int) -> Strip:
        """One line: of a long text only those in view are drawn."""
        width = self.content_size.width
        lines = self._at(width) if width else []
        if self.text_selection is not None or y >= len(lines):
            return super().render_line(y)
        strip = Visual.to_strips(self, lines[y], width, 1, self.visual_style, pad=self.filled)[0]
        return strip.apply_offsets(0, y)  # a selection by mouse begins and ends in this line, not in the first
