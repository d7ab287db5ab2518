"""The registry of view screens, and the base classes of all screens."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.events import Idle, Key, Resize
from textual.geometry import Size
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session import events as e
from advisor.session.actions import COMMANDS
from advisor.session.state import VIEWS, State
from advisor.tui.widgets.keys import KeyLine
from advisor.tui.widgets.lists import Choices, Rows
from advisor.tui.widgets.prompt import Prompt, PromptLine
from advisor.tui.widgets.text import Banner, Note
from advisor.view.numbers import plural
from advisor.view.text import sentence_start

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp


def view_bindings(*, anywhere: bool = False, show: bool = False) -> list[Binding]:
    """Return key bindings of the views about a launch or, with `anywhere`, of the views that open on every screen."""
    made = []
    for name, view in VIEWS.items():
        if view.key and view.anywhere == anywhere:
            letter, *others = view.key.split(",")
            made.append(Binding(letter, f"view('{name}')", view.name, show=show, tooltip=view.says))
            made += [hidden(key, f"view('{name}')", view.name, view.says) for key in others]
    return made


# The order of letters in the footer, others last; a narrow terminal has room for the first ones.
_LETTERS: Final = "fhniswcpervmgl"


def letter_bindings(*, show: bool = True) -> list[Binding]:
    """Return the bindings of commands and views with a letter, which is the same on every screen."""
    made: list[Binding] = [
        Binding(command.key, f"command('{name}')", command.short, show=show, tooltip=sentence_start(command.does))
        for name, command in COMMANDS.items()
        if command.key
    ]
    made += view_bindings(show=show)
    made.sort(key=lambda binding: (_LETTERS + binding.key[0]).index(binding.key[0]) if len(binding.key) == 1 else 99)
    return made


def hidden(keys: str, action: str, name: str, tooltip: str = "", *, priority: bool = False) -> Binding:
    """Return a binding that help and palette list but the footer does not."""
    return Binding(keys, action, name, show=False, tooltip=tooltip, priority=priority)


WIDE: Final = 110  # smallest number of columns for panes side by side
TALL: Final = 36  # smallest number of rows for more content
LOW: Final = 20  # lists shrink below this number of rows
_PREPARES_S: Final = 0.05  # seconds after a key in which it is drawn, and in which a key held down comes again
_TURNS: Final = 12  # turns of the event loop: messages from the prompt to the widgets of the screen take up to ten
_ARRANGED: Final = 4  # times that widgets are arranged after each other before they are drawn all the same
PAGE_KEYS: Final = (hidden("pageup", "page(-1)", "Page up"), hidden("pagedown", "page(1)", "Page down"))


class AppScreen(Screen[None]):
    """Base class of the screens: it shows the state and sends events to the app."""

    app: AdvisorApp
    wide: ClassVar[int] = WIDE
    low: ClassVar[int] = LOW
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "app.help", "Help", key_display="?", tooltip="Keys and commands"),
        Binding("f1", "app.help", "Help", tooltip="Keys and commands"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__()
        self.blocks = blocks
        self._styled_for = ""  # the theme
        self._arranging = False
        self._undrawn = 0  # how often the widgets were arranged since they were drawn

    def on_mount(self) -> None:
        self._styled_for = self.app.theme  # what was mounted has its styles

    # Textual draws what it finds changed at once: the cursor of a list, then its preview; a page at its new size, then
    # the page that makes its lines for that size, then its scroll bar. All of it is drawn together here.

    async def on_idle(self, event: Idle) -> None:
        """Wait for the messages that widgets send each other about a key, then draw what is arranged.

        This waits for no time, only for what is ready to run. If a message for the screen comes, Textual sends another
        Idle after it.
        """
        for _ in range(_TURNS):
            await asyncio.sleep(0)
            if self.message_queue_size:
                event.prevent_default()
                return
        if self._undrawn and not ((self._layout_required or self._scroll_required) and self._undrawn < _ARRANGED):
            self._compositor_refresh()

    def _refresh_layout(self, size: Size | None = None, scroll: bool = False) -> None:
        """Arrange the widgets; draw them when those with a new size have made their content for it."""
        self._arranging = True
        try:
            super()._refresh_layout(size, scroll)
        finally:
            self._arranging = False

    def _compositor_refresh(self) -> None:
        if self._arranging:
            self._undrawn += 1
            self.check_idle()
        else:
            self._undrawn = 0
            super()._compositor_refresh()

    def update_node_styles(self, animate: bool = True) -> None:
        """Style all widgets again, but not only because the screen is shown again: that takes longer than to draw it.

        Textual asks for it with `animate` off whenever a screen is shown; only the theme can have changed meanwhile.
        """
        if animate or self._styled_for != self.app.theme:
            self._styled_for = self.app.theme
            super().update_node_styles(animate=animate)

    @property
    def launch(self) -> LaunchDiagnosis | None:
        """The launch that this screen is about."""
        return self.app.state.launch

    def show(self, state: State) -> None:
        """Show this state."""
        raise NotImplementedError

    def on_screen_resume(self) -> None:
        self.show(self.app.state)

    def on_resize(self, event: Resize) -> None:
        """Place panes side by side if there is room."""
        width, height = event.size
        for name, on_ in (("-wide", width >= self.wide), ("-tall", height >= TALL), ("-low", height < self.low)):
            self.set_class(on_, name)
        if self.is_mounted:
            self.call_after_refresh(self.redraw)

    def redraw(self) -> None:
        """Show the state again after the size changed."""
        if self.is_current:
            self.show(self.app.state)

    def prompt_line(self, prompt: Prompt) -> PromptLine:
        """Return the prompt with its sign."""
        return PromptLine(prompt, blocks=self.blocks)

    def scrolled(self) -> Widget:
        """Return the widget that the page keys scroll."""
        raise NotImplementedError

    def action_page(self, by: int) -> None:
        view = self.scrolled()
        view.scroll_relative(y=by * max(view.size.height - 1, 1), animate=False)

    def action_command(self, name: str) -> None:
        """Run a command of the session without arguments."""
        self.app.say(f"/{name}")

    def action_view(self, view: str) -> None:
        if self.app.state.view != view:
            self.app.dispatch(e.ViewShown(view))


class ChoiceScreen(AppScreen):
    """A screen whose choices are selected from the prompt."""

    def take(self, choice: str | None) -> None:
        """Perform this choice; `choice` is None if no choice is highlighted."""
        raise NotImplementedError

    def step(self, by: int) -> None:
        """Move the highlight up or down."""
        self.query_one(Choices).step(by)

    def focus_home(self) -> None:
        """Focus the widget that has the focus after a choice."""
        self.query_one(Prompt).focus()

    @on(Prompt.Stepped)
    def _stepped(self, event: Prompt.Stepped) -> None:
        self.step(event.by)

    @on(Choices.Taken)
    def _taken(self, event: Choices.Taken) -> None:
        self.take(event.choice)
        self.focus_home()


class ViewScreen(AppScreen):
    """A screen on top of the conversation; Escape closes it."""

    opens: ClassVar[Mapping[str, str]] = {"/": "", ":": ""}  # key that opens the prompt -> initial text of the prompt

    def to_line(self, key: Key) -> str | None:
        """Return the text that a key puts into the prompt, or None if the key has another use."""
        return self.opens.get(key.character or "")

    def action_leave(self) -> None:
        """Cancel the running work; if none is running, return to the screen that opened the view."""
        if not self.app.cancel_work():
            self.app.dispatch(e.ViewLeft())


def make(view: str, blocks: bool) -> ViewScreen | None:
    """Create the screen of a view; return None if the view has no screen."""
    if view not in VIEWS:
        return None
    made = getattr(import_module(_module_of(view)), VIEWS[view].screen)(blocks=blocks)
    assert isinstance(made, ViewScreen)
    return made


def load_screens() -> None:
    """Import the screens of a session, and what understands the lines typed there."""
    for name in ("tui.screens.launches", "tui.screens.session", "session.language.understand"):
        import_module(f"advisor.{name}")


def load_views() -> None:
    """Import the screens of all views, which takes longer than to open one."""
    for view in VIEWS:
        import_module(_module_of(view))


def _module_of(view: str) -> str:
    return f"advisor.tui.screens.{VIEWS[view].module}"


class PanelScreen(ViewScreen):
    """A view about a launch with its content in panes. home: the widget that has the focus outside the prompt."""

    home: ClassVar[str] = "Rows"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u,f4", "app.undo", "Undo", tooltip="Undo the last action"),
        *letter_bindings(show=False),
        Binding("escape", "leave", "Leave", tooltip="Back to where this was opened, or cancel the running work"),
    ]

    def __init__(self, *, blocks: bool = True) -> None:
        super().__init__(blocks=blocks)
        self._soon: Timer | None = None

    def on_mount(self) -> None:
        self.focus_home()
        self.show(self.app.state)

    def on_screen_resume(self) -> None:
        self.app.runner.show(self.app.state)

    def prepare_soon(self) -> None:
        """Call `prepare` when this is drawn and no other key came."""
        if self._soon is not None:
            self._soon.stop()
        self._soon = self.set_timer(_PREPARES_S, self._prepare)

    def _prepare(self) -> None:
        state = self.app.state
        if self.is_current and state.view and not state.waiting:
            self.prepare(state)

    def prepare(self, state: State) -> None:
        """Have the work done that the next key may ask for."""

    def redraw(self) -> None:
        """Show the state again after the size changed."""
        if self.app.state.view:
            self.show(self.app.state)

    def focus_home(self) -> None:
        """Move the focus from the prompt to the content."""
        self.query_one(self.home).focus()

    def banner(self, title: str, about: str = "") -> None:
        """Show the name of the view and its subject."""
        self.query_one(Banner).show(f"{title} · {about}" if about else title)

    def typed(self, text: str) -> None:
        """Handle a line that is not a command."""

    def is_command(self, text: str) -> bool:
        """Return whether a typed line is a command of the program, not input for this view."""
        return text.startswith("/")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        event.input.clear()
        if self.is_command(text):
            self.app.say(text)
            return
        self.focus_home()
        from advisor.session.language.understand import is_question  # not needed before the first screen

        if is_question(text):
            # The answer is a card of the conversation.
            self.app.dispatch(e.ViewLeft())
            self.app.say(text.lstrip("/"))
            return
        if text:
            self.typed(text)

    def action_leave(self) -> None:
        """Leave the prompt; if the prompt has no focus, leave the screen."""
        prompt = next(iter(self.query(Prompt)), None)
        if prompt is not None and prompt.has_focus and not self.app.state.waiting:
            prompt.clear()
            self.focus_home()
        else:
            super().action_leave()


class RowsScreen(PanelScreen):
    """A list, and details of the row under the cursor. kind: the class of the list."""

    kind: ClassVar[type[Rows]] = Rows

    def compose(self) -> ComposeResult:
        yield Banner(blocks=self.blocks)
        with Container(id="panes"):
            yield self.kind(blocks=self.blocks)
            with VerticalScroll(id="side", can_focus=False):
                yield Note("detail")
        yield KeyLine()

    def detail(self) -> None:
        """Show the details of the row under the cursor."""
        raise NotImplementedError

    @on(Rows.Moved)
    def _moved(self) -> None:
        self.detail()


def report_line(state: State) -> str:
    """Return the banner text: number of launches, GPUs and file names."""
    if state.numbers:
        return "no report: typed numbers"
    names = ", ".join(Path(p).name for p in state.paths)
    if state.diagnosis is None or not state.diagnosis.launches:
        return names
    launches = state.diagnosis.launches
    cards = list(dict.fromkeys(launch.known_as or launch.gpu_name for launch in launches))
    count = f"{len(launches)} {plural(len(launches), 'launch')}"
    broken = [r for r in state.diagnosis.reports if not r.complete]
    # The names come last because they may be cut.
    parts = [count, ", ".join(card for card in cards if card), "INCOMPLETE" if broken else "", names]
    return " · ".join(part for part in parts if part)
