"""What the screens of views have in common: how they are left, undone, laid out and asked for help."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Resize

from advisor.session import events as e
from advisor.tui import words
from advisor.tui import words_views as texts
from advisor.tui.screens.registry import ViewScreen
from advisor.tui.widgets.banner import Banner
from advisor.tui.widgets.footer import FittedFooter
from advisor.tui.widgets.note import Note
from advisor.tui.widgets.placed import Panes, Side
from advisor.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp

WIDE = 110  # columns from which panes stand side by side
TALL = 36  # rows from which there is room for more


class PanelScreen(ViewScreen):
    """A view with a banner, what the subclass shows, and the footer; Escape leaves it."""

    app: AdvisorApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "app.help", "Help", id="view.help", tooltip=words.TIP_HELP),
        Binding("f4", "app.undo", "Undo", id="view.undo", tooltip=words.TIP_UNDO),
        *(
            Binding(key, f"view('{view}')", name, show=False, id=f"view.{view}", tooltip=texts.TIP_VIEWS[view])
            for key, view, name in texts.VIEW_KEYS
        ),
        Binding("escape", "leave", "Leave", id="view.leave", tooltip=texts.TIP_LEAVE),
    ]

    def on_screen_resume(self) -> None:
        """On top again: show what holds now, and what is being done."""
        self.show(self.app.state)
        self.app.labour.show(self.app.state)

    def on_resize(self, event: Resize) -> None:
        """Panes side by side where there is room."""
        wide, tall = event.size.width >= WIDE, event.size.height >= TALL
        changed = (wide, tall) != (self.has_class("-wide"), self.has_class("-tall"))
        self.set_class(wide, "-wide")
        self.set_class(tall, "-tall")
        if changed and self.is_mounted:
            self.call_after_refresh(self.redraw)

    def redraw(self) -> None:
        """Show the state again after the room has changed; lines that were broken to a width need it."""
        if self.app.state.view:
            self.show(self.app.state)

    def banner(self, title: str, about: str = "") -> None:
        """Say which view this is, and of what."""
        self.query_one(Banner).show(f"{title} · {about}" if about else title)

    def action_view(self, view: str) -> None:
        """Open another view over this one."""
        if self.app.state.view != view:
            self.app.dispatch(e.ViewShown(view))

    def action_leave(self) -> None:
        """Call off what is being done for this view; else back to where it was opened."""
        if not self.app.call_off():
            self.app.dispatch(e.ViewLeft())

    @staticmethod
    def footer() -> FittedFooter:
        """The keys that work now."""
        return FittedFooter()


class RowsScreen(PanelScreen):
    """Rows, and under or beside them all of the one under the cursor. `rows`: the id of the list, `kind`: its class."""

    rows: ClassVar[str]
    kind: ClassVar[type[Rows]] = Rows

    def compose(self) -> ComposeResult:
        """The rows, under or beside them the pane."""
        yield Banner()
        with Panes():
            yield self.kind(blocks=self.blocks, ident=self.rows)
            with Side():
                yield Note("detail")
        yield self.footer()

    def on_mount(self) -> None:
        """Keys go to the rows."""
        self.query_one(Rows).focus()
        self.show(self.app.state)
