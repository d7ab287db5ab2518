"""The line that says what is being done, how far it is, and that it can be called off."""

from __future__ import annotations

from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from advisor.tui.layout import safe

_FRAMES = ("◐", "◓", "◑", "◒")
_PLAIN_FRAMES = ("|", "/", "-", "\\")
_CELLS = 16
_AFTER_S = 0.1  # what is done sooner is not told: the line would move all others down and up again


class Busy(Widget):
    """Takes no room while nothing is done. Progress comes from workers: done out of total, 0 where unknown."""

    def __init__(self, *, blocks: bool = True, ident: str | None = None) -> None:
        super().__init__(id=ident)
        self._frames = _FRAMES if blocks else _PLAIN_FRAMES
        self._full, self._empty = ("█", "░") if blocks else ("#", ".")
        self._text = ""
        self._done, self._total = 0, 0
        self._frame = 0
        self._soon: Timer | None = None

    def on_mount(self) -> None:
        """The sign turns four times a second while there is work."""
        self.set_interval(0.25, self._turn)

    def _turn(self) -> None:
        if self._text:
            self._frame += 1
            self.refresh()

    def show(self, text: str, done: int = 0, total: int = 0) -> None:
        """Show this work; an empty text means that there is none."""
        if (text, done, total) == (self._text, self._done, self._total):
            return
        began = text and not self._text
        self._text, self._done, self._total = text, done, total
        if began:
            self._soon = self.set_timer(_AFTER_S, self._appear)
        elif not text:
            if self._soon is not None:
                self._soon.stop()
            self.remove_class("-working")
        self.refresh()

    def _appear(self) -> None:
        self.add_class("-working")

    def render(self) -> Content:
        """One line."""
        if not self._text:
            return Content("")
        sign = self._frames[self._frame % len(self._frames)]
        parts = [Content.styled(f"{sign} {safe(self._text)}", "$text-accent")]
        if self._total:
            full = round(_CELLS * min(self._done, self._total) / self._total)
            parts.append(Content.styled(self._full * full, "$accent") + Content(self._empty * (_CELLS - full)))
            parts.append(Content(f"{self._done} of {self._total}"))
        parts.append(Content.styled("Esc calls it off", "$quiet"))
        return Content("  ").join(parts).truncate(max(self.content_size.width, 1), ellipsis=True)
