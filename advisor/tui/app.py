"""The program: holds the state, hands events to the reducer, shows the screen that the state asks for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from advisor.dialogue import commands
from advisor.dialogue import events as e
from advisor.dialogue.desk import Desk
from advisor.dialogue.reducer import can_go_back, reduce
from advisor.dialogue.state import State
from advisor.tui import words
from advisor.tui.screens.help import HelpScreen
from advisor.tui.screens.launches import LaunchesScreen
from advisor.tui.screens.registry import ViewScreen, make
from advisor.tui.screens.session import SessionScreen
from advisor.tui.styles import DARK, LIGHT
from advisor.tui.work import Finished, Labour, Progressed

_HERE = Path(__file__).parent


class AdvisorApp(App[int]):
    """All state is `state`; everything else shows it."""

    TITLE = "ncu-advisor"
    CSS_PATH: ClassVar = [*sorted(_HERE.glob("widgets/*.tcss")), *sorted(_HERE.glob("screens/*.tcss"))]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+t", "theme", "Light/dark", show=False, id="app.theme", tooltip=words.TIP_THEME, priority=True),
        Binding("ctrl+q", "quit", "Quit", id="app.quit", tooltip=words.TIP_QUIT, priority=True),
    ]

    def __init__(self, desk: Desk, paths: tuple[str, ...] = (), *, gpu: str = "", blocks: bool = True) -> None:
        super().__init__()
        self.state = State()
        self.labour = Labour(self, desk)
        self._beginning = e.Began(paths, gpu)
        self._launches = LaunchesScreen(blocks=blocks)
        self._session = SessionScreen(blocks=blocks)
        self._blocks = blocks
        self._views: dict[str, ViewScreen] = {}
        self._offered: tuple[object, ...] = ()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own variables, for themes of Textual's that do not set them."""
        return {"quiet": "#808a96"}

    def on_mount(self) -> None:
        """The screen first, the work after it has been drawn."""
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name
        # Installed screens survive `switch_screen`; others are removed by it and would come back dead.
        self.install_screen(self._session, "session")
        self.install_screen(self._launches, "launches")
        self.push_screen(self._session if not self._beginning.paths else self._launches)
        self.call_after_refresh(self.dispatch, self._beginning)

    # Events

    def dispatch(self, event: e.Event) -> None:
        """One event through the reducer; then screen and work follow the state."""
        self.state = reduce(self.state, event)
        if self.state.place == "closed":
            self.exit(0)
            return
        wanted = self._wanted()
        below = self.screen_stack[1] if len(self.screen_stack) > 1 else None
        if below is not wanted:
            while isinstance(self.screen, HelpScreen):
                self.pop_screen()
            self.switch_screen(wanted)
        elif wanted.is_mounted:
            wanted.show(self.state)
        self.labour.follow(self.state)

    def _wanted(self) -> LaunchesScreen | SessionScreen | ViewScreen:
        """The screen that the state asks for; those of views are made when first opened."""
        view = self.state.view
        if view and view not in self._views:
            made = make(view, self._blocks)
            if made is not None:
                self.install_screen(made, view)
                self._views[view] = made
        if view in self._views:
            return self._views[view]
        return self._session if self.state.place == "launch" or self.state.numbers else self._launches

    def say(self, text: str) -> None:
        """What was typed, understood and done. Where there is no conversation, a note says what is not understood."""
        event = commands.understand(text, self.state)
        if event is None:
            return
        if isinstance(event, e.HelpAsked) and self.state.place != "launch":
            self.action_help()
            return
        before = self.state
        self.dispatch(event)
        if self.state is before and self.state.place != "closed":
            meant = event.because if isinstance(event, e.NotUnderstood) else ""
            self.notify(meant or words.NOT_HERE, severity="warning", markup=False)

    def call_off(self) -> bool:
        """Call off the work under way; whether there was any."""
        if not self.state.waiting:
            return False
        self.dispatch(e.Cancelled(self.state.waiting[0]))
        return True

    def on_finished(self, message: Finished) -> None:
        """A worker is done."""
        if self.labour.done():
            self.dispatch(message.outcome)
        else:
            self.labour.follow(self.state)

    def on_progressed(self, message: Progressed) -> None:
        """A worker is under way."""
        self.labour.progressed(message)

    # Actions

    def action_help(self) -> None:
        """Keys and commands."""
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen())

    def offer(self, screen: Screen[None]) -> None:
        """Draw the footer anew where other keys work now; doing so after each key would cost more than the key."""
        actions = ("launches", "evidence", "sort", "clear")
        works = (screen, self.check_action("undo", ()), *(screen.check_action(action, ()) for action in actions))
        if works != self._offered:
            self._offered = works
            screen.refresh_bindings()

    def action_undo(self) -> None:
        """Undo the last thing the user did."""
        self.say("/back")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What would do nothing now is not offered."""
        return can_go_back(self.state) if action == "undo" else True

    def action_theme(self) -> None:
        """Dark or light."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    async def action_quit(self) -> None:
        """Leave, through the reducer like everything else."""
        self.dispatch(e.Quit())

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The actions by name, for the palette."""
        yield from super().get_system_commands(screen)
        for name, what in words.PALETTE:
            yield SystemCommand(name, what, lambda command=name: self.say(f"/{command.casefold()}"))
