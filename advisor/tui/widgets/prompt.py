"""The line where the user types."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.suggester import Suggester
from textual.widgets import Input

from advisor.tui import words as texts
from advisor.tui.history import History
from advisor.tui.layout import unstacked

Completer = Callable[[str], tuple[str, ...]]


def _of(words: tuple[str, ...]) -> Completer:
    return lambda text: tuple(word for word in words if word.casefold().startswith(text.casefold())) if text else ()


class _Ghost(Suggester):
    """What stands behind the cursor: the first line that goes on from the one that is typed."""

    def __init__(self, complete: Completer) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._complete = complete

    async def get_suggestion(self, value: str) -> str | None:
        """The whole line, None where nothing is likely."""
        return next((line for line in self._complete(value) if line.startswith(value)), None) if value else None


class Prompt(Input):
    """An input that leaves the arrows up and down to whoever shows the choices, completes, and remembers."""

    # Its place does not hang on what is in it: a letter more must not have the whole screen laid out anew.
    virtual_size = Reactive(Size(0, 0))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Choose", id="prompt.enter", tooltip=texts.TIP_ENTER),
        Binding("up", "step(-1)", "Up", show=False, id="prompt.up"),
        Binding("down", "step(1)", "Down", show=False, id="prompt.down"),
        Binding("alt+up", "recall(-1)", "Line before", show=False, id="prompt.before"),
        Binding("alt+down", "recall(1)", "Line after", show=False, id="prompt.after"),
        Binding("tab", "complete", "Complete", show=False, id="prompt.complete"),
    ]

    class Stepped(Message):
        """Up (-1) or down (1) was pressed."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def __init__(
        self,
        words: tuple[str, ...] | Completer = (),
        *,
        placeholder: str = "",
        ident: str | None = None,
        history: History | None = None,
    ) -> None:
        """`words`: what a line may be completed to, or a function from what is typed to whole lines, the likeliest
        first.
        """
        self._complete = _of(words) if isinstance(words, tuple) else words
        self._history = history
        self._offered: tuple[str, ...] = ()
        # 4,000 characters are a long kernel name; a pasted file is a mistake.
        super().__init__(
            placeholder=placeholder,
            suggester=_Ghost(self._complete),
            max_length=4000,
            compact=True,
            id=ident,
            select_on_focus=False,  # what stands there is gone on with, not typed over
        )

    def validate_value(self, value: str) -> str:
        """What was typed or pasted, without what no line can show: a terminal would obey it."""
        kept = value if value.isprintable() else "".join(c for c in value if c.isprintable())
        return kept if kept.isascii() else unstacked(kept)

    def action_step(self, by: int) -> None:
        """Tell who shows the choices."""
        self.post_message(self.Stepped(by))

    async def action_submit(self) -> None:
        """Send the line, and remember it."""
        if self._history is not None:
            self._history.add(self.value)
        await super().action_submit()

    def action_recall(self, by: int) -> None:
        """A line that was sent before, or forth again to the one that was being typed."""
        line = None if self._history is None else self._history.step(by, self.value)
        if line is not None:
            self._write(line)

    def action_complete(self) -> None:
        """Complete the line; again: the next of the ways to. Where there is none, go to the next part of the screen."""
        if self.value in self._offered and len(self._offered) > 1:
            at = self._offered.index(self.value) + 1
            self._write(self._offered[at % len(self._offered)])
            return
        self._offered = self._complete(self.value) if self.value and self.cursor_at_end else ()
        if self._offered:
            self._write(self._offered[0])
        elif not self.value.startswith("/"):
            self.screen.focus_next()

    def _write(self, line: str) -> None:
        self.value = line
        self.cursor_position = len(line)
