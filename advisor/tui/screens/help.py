"""The help screen: the keys of the current screen, the keys that work everywhere, and the input that can be typed."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from advisor.session.actions import COMMANDS
from advisor.session.actions.help import help_card
from advisor.session.records import Card
from advisor.tui.palette import Key, keys_of, works
from advisor.tui.screens.base import hidden
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.text import CardView
from advisor.view.blocks import Line


def key_card(title: str, keys: list[Key]) -> Card:
    """Return a card that lists each action once with its keys, and marks actions that do nothing now."""
    rows: dict[str, list[Key]] = {}
    for key in keys:
        rows.setdefault(key.says, []).append(key)
    lines = []
    possible = {says: any(map(works, alike)) for says, alike in rows.items()}
    for says, alike in sorted(rows.items(), key=lambda row: not possible[row[0]]):
        now = possible[says]
        lines.append(Line(says if now else f"{says} (not now)", "fact" if now else "quiet", shown(alike)))
    return Card("help", title, tuple(lines), label="Help")


def shown(alike: list[Key]) -> str:
    """Return the keys of one action as text, with consecutive digits as a range."""
    names = list(dict.fromkeys(key.shown for key in alike))
    digits = "".join(name for name in names if name.isdecimal() and len(name) == 1)
    if len(digits) < 3 or digits not in "0123456789":
        return ", ".join(names)
    return ", ".join([f"{digits[0]}-{digits[-1]}", *(name for name in names if name not in digits)])


class HelpScreen(ModalScreen[None]):
    """The help, shown on top of the current screen; arrow keys scroll it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q,enter", "dismiss", "Close", tooltip="Close the help"),
        hidden("home", "ends(-1)", "First", "Go to the top"),
        hidden("end", "ends(1)", "Last", "Go to the bottom"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self._blocks = blocks

    def compose(self) -> ComposeResult:
        stack = self.app.screen_stack
        here, everywhere = keys_of(self.app, stack[-2] if len(stack) > 1 and stack[-1] is self else stack[-1])
        cards = [key_card("Keys on this screen", here)] if here else []
        with VerticalScroll(id="page"):
            for card in (*cards, key_card("Keys everywhere", everywhere), help_card(COMMANDS, None)):
                yield CardView(card, blocks=self._blocks)
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#page").focus()

    def action_ends(self, by: int) -> None:
        page = self.query_one("#page", VerticalScroll)
        page.scroll_home(animate=False) if by < 0 else page.scroll_end(animate=False)
