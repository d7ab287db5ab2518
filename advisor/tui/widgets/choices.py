"""The choices of this turn, numbered; the marked one is what Enter takes."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from advisor.session.records import Choice
from advisor.tui.layout import safe, styled


class Choices(OptionList, can_focus=False):
    """A list driven from the prompt: arrows move the mark there, the mouse works here."""

    class Taken(Message):
        """A choice was clicked."""

        def __init__(self, choice: str) -> None:
            super().__init__()
            self.choice = choice

    def __init__(self, *, ident: str | None = None) -> None:
        super().__init__(id=ident, markup=False, compact=True)
        self._shown: tuple[Choice, ...] = ()
        self._numbered = True

    def show(self, choices: Sequence[Choice], *, numbered: bool, marked: bool) -> None:
        """Show these; `marked` puts the mark on the first. Numbers are left out where a number is what is asked for."""
        if tuple(choices) == self._shown and numbered == self._numbered:
            return
        self._shown, self._numbered = tuple(choices), numbered
        self.clear_options()
        self.add_options([Option(self._row(at, c)) for at, c in enumerate(self._shown, 1)])
        self.highlighted = 0 if marked and self._shown else None

    def _row(self, at: int, choice: Choice) -> Content:
        short = next((word for word in choice.words if len(word) == 1), "")
        key = str(at) if self._numbered else short
        row = styled(f"{key:>2} ", "bold $text-accent") + Content(safe(choice.label).replace("\n", " "))
        return row + styled(f"  {choice.note}", "$quiet") if choice.note else row

    @property
    def marked(self) -> str | None:
        """The id of the marked choice."""
        at = self.highlighted
        return self._shown[at].id if at is not None and at < len(self._shown) else None

    def step(self, by: int) -> None:
        """Move the mark up or down, around the ends."""
        if not self._shown:
            return
        at = self.highlighted
        self.highlighted = (at + by) % len(self._shown) if at is not None else (0 if by > 0 else len(self._shown) - 1)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click takes the choice."""
        event.stop()
        if event.option_index < len(self._shown):
            self.post_message(self.Taken(self._shown[event.option_index].id))
