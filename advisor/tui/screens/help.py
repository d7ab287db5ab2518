"""Help: keys, commands, how to answer."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer

from advisor.dialogue import cards
from advisor.dialogue.records import Card, Line
from advisor.tui.widgets.card import CardView

_KEYS = (
    ("F1", "this help"),
    ("F2", "the list of launches"),
    ("F3", "the evidence: beside the conversation from 110 columns, else in its place"),
    ("F4", "undo the last thing you did"),
    ("F5", "in the list: sort by another column"),
    ("Up, Down", "move the mark among the choices, or the cursor in the list"),
    ("Enter", "take the marked choice, or what was typed"),
    ("Tab", "complete a command, else go to the next part of the screen"),
    ("PgUp, PgDn", "scroll what is in view; Ctrl+Up and Ctrl+Down by a line"),
    ("Esc", "call off what is being done, empty the line, leave the evidence"),
    ("Ctrl+T", "dark or light"),
    ("Ctrl+P", "all actions, by name"),
    ("Ctrl+Q", "leave"),
)


class HelpScreen(ModalScreen[None]):
    """A page over the others."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q,enter", "dismiss", "Close", id="help.close", tooltip="Back to where you were"),
    ]

    def compose(self) -> ComposeResult:
        """Keys, then commands."""
        keys = Card("help", "Keys", tuple(Line(what, "fact", key) for key, what in _KEYS), label="Help")
        with VerticalScroll(id="page"):
            yield CardView(keys)
            yield CardView(cards.help_card(None))
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """The page has the focus, so that arrows scroll it."""
        self.query_one("#page").focus()
