"""Help in place: the keys of the screen that it was called from, those that work everywhere, and what can be typed."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from advisor.dialogue import cards
from advisor.dialogue.records import Card, Line
from advisor.tui import words_help as words
from advisor.tui.keys import Key, keys_of, works
from advisor.tui.widgets.card import CardView
from advisor.tui.widgets.keys import Keys


def key_card(title: str, keys: list[Key]) -> Card:
    """Keys and what they do; one that does nothing at the moment says so."""
    lines = [
        Line(key.says if works(key) else f"{key.says} {words.NOT_NOW}", "fact" if works(key) else "quiet", key.shown)
        for key in keys
    ]
    return Card("help", title, tuple(lines), label=words.HELP)


class HelpScreen(ModalScreen[None]):
    """A page over the others."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q,enter", "dismiss", "Close", id="help.close", tooltip=words.TIP_CLOSE),
        Binding("home", "ends(-1)", "First", show=False, id="help.first", tooltip=words.TIP_FIRST),
        Binding("end", "ends(1)", "Last", show=False, id="help.last", tooltip=words.TIP_LAST),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self._blocks = blocks

    def compose(self) -> ComposeResult:
        """Keys here, keys everywhere, then commands."""
        stack = self.app.screen_stack
        under = stack[-2] if len(stack) > 1 and stack[-1] is self else stack[-1]
        here, everywhere = keys_of(self.app, under)
        with VerticalScroll(id="page"):
            if here:
                yield CardView(key_card(words.HERE, here), blocks=self._blocks)
            yield CardView(key_card(words.EVERYWHERE, everywhere), blocks=self._blocks)
            yield CardView(cards.help_card(None), blocks=self._blocks)
        yield Keys()

    def on_mount(self) -> None:
        """The page has the focus, so that arrows scroll it."""
        self.query_one("#page").focus()

    def action_ends(self, by: int) -> None:
        """To the beginning or the end."""
        page = self.query_one("#page", VerticalScroll)
        page.scroll_home(animate=False) if by < 0 else page.scroll_end(animate=False)
