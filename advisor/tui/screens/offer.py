"""Asked before a session begins: whether to go on with one that was broken off."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from advisor.session.records import Choice
from advisor.tui import words_kept as words
from advisor.tui.widgets.choices import Choices
from advisor.tui.widgets.footer import FittedFooter
from advisor.tui.widgets.prompt import Prompt


class OfferScreen(ModalScreen[str]):
    """Gives back `go_on`, `anew` or `forget`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "anew", "Begin anew", id="offer.anew", tooltip=words.TIP_ANEW),
    ]

    def __init__(self, title: str, remark: str, *, blocks: bool = True) -> None:
        super().__init__()
        self._blocks = blocks
        self._choices = (
            Choice("go_on", words.GO_ON.format(title=title), ("y", "yes"), remark),
            Choice("anew", words.ANEW, ("n", "no"), words.ANEW_NOTE),
            Choice("forget", words.FORGET, ("f",)),
        )

    def compose(self) -> ComposeResult:
        """The question, its answers, the line to type one."""
        with Vertical(id="offer"):
            yield Static(words.OFFER, id="title", markup=False)
            yield Choices()
            with Horizontal(id="ask"):
                yield Static("› " if self._blocks else "> ", id="sign", markup=False)
                yield Prompt((), ident="offered")
        yield FittedFooter()

    def on_mount(self) -> None:
        """The first answer is marked; the line has the focus."""
        self.query_one(Choices).show(self._choices, numbered=True, marked=True)
        self.query_one(Prompt).focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip().casefold()
        event.input.clear()
        if not text:
            self.dismiss(self.query_one(Choices).marked or "go_on")
        elif text.isdecimal() and 0 < int(text[:3]) <= len(self._choices):
            self.dismiss(self._choices[int(text) - 1].id)
        else:
            found = [c.id for c in self._choices if any(word.startswith(text) or text == word for word in c.words)]
            if found:
                self.dismiss(found[0])

    @on(Prompt.Stepped)
    def _stepped(self, event: Prompt.Stepped) -> None:
        self.query_one(Choices).step(event.by)

    @on(Choices.Taken)
    def _taken(self, event: Choices.Taken) -> None:
        self.dismiss(event.choice)

    def action_anew(self) -> None:
        """Begin anew; the other session stays."""
        self.dismiss("anew")
