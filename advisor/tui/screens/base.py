"""The registry of view screens, and what these screens have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.events import Key, Resize
from textual.screen import Screen
from textual.widgets import Footer

from advisor.session import events as e
from advisor.session.state import State
from advisor.tui.widgets.lists import Rows
from advisor.tui.widgets.text import Banner, Note
from advisor.view.numbers import plural

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp


@dataclass(frozen=True, slots=True)
class View:
    """A view screen: its module in this package and its class; its key, which works on every screen if `anywhere`;
    its name, and a phrase that says what it shows.
    """

    module: str
    screen: str
    key: str
    name: str
    says: str
    anywhere: bool = False


# View (session.state.VIEWS) -> its screen, imported when the view is first opened.
SCREENS: Final[Mapping[str, View]] = {
    "source": View("source", "SourceScreen", "f7", "Source", "Hot lines and instructions of this launch"),
    "proof": View("proof", "ProofScreen", "f8", "Proof", "The tree from the finding to its numbers and sources"),
    "whatif": View("whatif", "WhatIfScreen", "f9", "What if", "Try other values and see which conclusions change"),
    "steps": View("steps", "StepsScreen", "f5", "Steps", "The steps of the method, and where this session is"),
    "log": View("log", "LogScreen", "f10", "Log", "The experiment log: versions, times, observations"),
    "timeline": View("timeline", "TimelineScreen", "f11", "Timeline", "The timeline of the open trace", anywhere=True),
    "knowledge": View("knowledge", "KnowledgeScreen", "f12", "Knowledge", "Browse the knowledge base", anywhere=True),
    "practice": View("practice", "PracticeScreen", "", "Practice", "The exercises"),
}


def view_bindings(place: str, *, anywhere: bool = False, show: bool = False) -> list[BindingType]:
    """Key bindings of the views, for the screens of this place or, with `anywhere`, for the app."""
    return [
        Binding(view.key, f"view('{name}')", view.name, show=show, id=f"{place}.{name}", tooltip=view.says)
        for name, view in SCREENS.items()
        if view.key and view.anywhere == anywhere
    ]


class ViewScreen(Screen[None]):
    """A screen over the conversation: it shows the state and posts events, and leaves by Escape."""

    app: AdvisorApp
    opens: ClassVar[Mapping[str, str]] = {"/": ""}  # key that opens the prompt -> text that it starts with

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self.blocks = blocks

    def to_line(self, key: Key) -> str | None:
        """The text that a key puts into the prompt, None if the key has another use."""
        return self.opens.get(key.character or "")

    def show(self, state: State) -> None:
        """Show this state."""
        raise NotImplementedError


def make(view: str, blocks: bool) -> ViewScreen | None:
    """Create the screen of a view; None if it has none."""
    if view not in SCREENS:
        return None
    module = import_module(f"advisor.tui.screens.{SCREENS[view].module}")
    made = getattr(module, SCREENS[view].screen)(blocks=blocks)
    assert isinstance(made, ViewScreen)
    return made


WIDE = 110  # columns from which panes are side by side
TALL = 36  # rows from which more is shown


def footer() -> Footer:
    """The keys that work now."""
    return Footer(compact=True, show_command_palette=False)


class PanelScreen(ViewScreen):
    """A view with a banner, its content and a footer; Escape leaves it."""

    app: AdvisorApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.help", "Help", tooltip="Keys and commands"),
        Binding("f4", "app.undo", "Undo", tooltip="Undo the last action"),
        *view_bindings("view"),
        Binding("escape", "leave", "Leave", tooltip="Back to where this was opened, or cancel the running work"),
    ]

    def on_screen_resume(self) -> None:
        self.show(self.app.state)
        self.app.runner.show(self.app.state)

    def on_resize(self, event: Resize) -> None:
        wide, tall = event.size.width >= WIDE, event.size.height >= TALL
        changed = (wide, tall) != (self.has_class("-wide"), self.has_class("-tall"))
        self.set_class(wide, "-wide")
        self.set_class(tall, "-tall")
        if changed and self.is_mounted:
            self.call_after_refresh(self.redraw)

    def redraw(self) -> None:
        """Show the state again after the size changed."""
        if self.app.state.view:
            self.show(self.app.state)

    def banner(self, title: str, about: str = "") -> None:
        """Show the name of the view and its subject."""
        self.query_one(Banner).show(f"{title} · {about}" if about else title)

    def action_view(self, view: str) -> None:
        if self.app.state.view != view:
            self.app.dispatch(e.ViewShown(view))

    def action_leave(self) -> None:
        if not self.app.cancel_work():
            self.app.dispatch(e.ViewLeft())


class RowsScreen(PanelScreen):
    """A list, and details of the row under the cursor. `rows`: the id of the list, `kind`: its class."""

    rows: ClassVar[str]
    kind: ClassVar[type[Rows]] = Rows

    def compose(self) -> ComposeResult:
        yield Banner()
        with Container(id="panes"):
            yield self.kind(blocks=self.blocks, ident=self.rows)
            with VerticalScroll(id="side", can_focus=False):
                yield Note("detail")
        yield footer()

    def on_mount(self) -> None:
        self.query_one(Rows).focus()
        self.show(self.app.state)


def report_line(state: State) -> str:
    """The banner text: number of launches, GPUs and file names."""
    if state.numbers:
        return "no report: typed numbers"
    names = ", ".join(Path(p).name for p in state.paths)
    if state.diagnosis is None or not state.diagnosis.launches:
        return names
    launches = state.diagnosis.launches
    cards = list(dict.fromkeys(launch.known_as or launch.gpu_name for launch in launches))
    count = f"{len(launches)} {plural(len(launches), 'launch', 'launches')}"
    broken = [r for r in state.diagnosis.reports if not r.complete]
    # The names come last: they may be cut.
    parts = [count, ", ".join(card for card in cards if card), "INCOMPLETE" if broken else "", names]
    return " · ".join(part for part in parts if part)
