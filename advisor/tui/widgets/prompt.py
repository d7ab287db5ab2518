"""The line where the user types."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.suggester import SuggestFromList
from textual.widgets import Input

from advisor.tui import words


class Prompt(Input):
    """An input that leaves the arrows up and down to whoever shows the choices, and completes slash commands."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Choose", id="prompt.enter", tooltip=words.TIP_ENTER),
        Binding("up", "step(-1)", "Up", show=False, id="prompt.up"),
        Binding("down", "step(1)", "Down", show=False, id="prompt.down"),
        Binding("tab", "complete", "Complete", show=False, id="prompt.complete"),
    ]

    class Stepped(Message):
        """Up (-1) or down (1) was pressed."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def __init__(self, words: tuple[str, ...] = (), *, placeholder: str = "", ident: str | None = None) -> None:
        # 4,000 characters are a long kernel name; a pasted file is a mistake.
        suggester = SuggestFromList(words, case_sensitive=False) if words else None
        super().__init__(placeholder=placeholder, suggester=suggester, max_length=4000, compact=True, id=ident)

    def action_step(self, by: int) -> None:
        """Tell who shows the choices."""
        self.post_message(self.Stepped(by))

    def action_complete(self) -> None:
        """Take the suggestion that stands behind the cursor; without one, Tab goes to the next part of the screen."""
        if self._suggestion and self.cursor_at_end:
            self.action_cursor_right()
        else:
            self.screen.focus_next()
