"""The program: holds the state, hands events to the reducer, shows the screen that the state asks for."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, SearchIcon
from textual.events import Event, InputEvent
from textual.screen import Screen
from textual.theme import Theme

from advisor.records import resources
from advisor.session import events as e
from advisor.session.executor import Desk
from advisor.session.language import understand as commands
from advisor.session.language.complete import completions
from advisor.session.reducer import can_go_back, reduce
from advisor.session.state import State
from advisor.session.transcripts.autosave import Kept, forget
from advisor.session.transcripts.serialize import NOT_KEPT
from advisor.session.transcripts.session import Saving
from advisor.tui import autosaves as offered
from advisor.tui import replays, words, words_help
from advisor.tui.autosaves import NotKept
from advisor.tui.clipboard import card_text
from advisor.tui.history import History
from advisor.tui.keys import actions_of
from advisor.tui.layout import safe
from advisor.tui.leaving import Leaving
from advisor.tui.palette import Everything
from advisor.tui.playing import Playing, load
from advisor.tui.prefetch import Idle
from advisor.tui.request_runner import Finished, Labour, Progressed
from advisor.tui.screens.help import HelpScreen
from advisor.tui.screens.launches import LaunchesScreen
from advisor.tui.screens.registry import ViewScreen, make
from advisor.tui.screens.replay import ReplayScreen
from advisor.tui.screens.session import SessionScreen
from advisor.tui.screens.start import StartScreen
from advisor.tui.settings import Remembered
from advisor.tui.start_options import Beginnings, begun
from advisor.tui.styles import DARK, LIGHT
from advisor.tui.type_ahead import hand_over
from advisor.tui.widgets.prompt import Prompt

_HERE = Path(__file__).parent
# A step is saved before it is drawn, so that a program that is killed has lost nothing that was seen. Where the disk
# takes longer than this, the step is drawn first.
_SAVED_WITHIN_S = 0.1


class AdvisorApp(App[int]):
    """All state is `state`; everything else shows it."""

    TITLE = "ncu-advisor"
    CSS_PATH: ClassVar = [*sorted(_HERE.glob("widgets/*.tcss")), *sorted(_HERE.glob("screens/*.tcss"))]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+t", "theme", "Light/dark", show=False, id="app.theme", tooltip=words.TIP_THEME, priority=True),
        Binding("ctrl+y", "copy", "Copy", show=False, id="app.copy", tooltip=words.TIP_COPY, priority=True),
        Binding("ctrl+p", "command_palette", "Palette", show=False, tooltip=words_help.TIP_PALETTE, priority=True),
        Binding("f11", "timeline", "Timeline", show=False, id="app.timeline", tooltip=words_help.TIP_TIMELINE),
        Binding("f12", "knowledge", "Knowledge", show=False, id="app.knowledge", tooltip=words_help.TIP_KNOWLEDGE),
        Binding("ctrl+q", "quit", "Quit", id="app.quit", tooltip=words.TIP_QUIT, priority=True),
    ]
    COMMANDS = {Everything}  # noqa: RUF012  (the type is that of Textual)

    def __init__(
        self,
        desk: Desk,
        paths: tuple[str, ...] = (),
        *,
        gpu: str = "",
        blocks: bool = True,
        traces: tuple[str, ...] = (),
        beginnings: Beginnings | None = None,
        player: Playing | None = None,
        theme: str = "dark",
        memory: Remembered | None = None,
        saving: Saving | None = None,
        broken_off: Kept | None = None,
    ) -> None:
        """beginnings: with what to begin is asked first; player: a saved session is replayed; both else None.

        saving: keeps the session by itself; broken_off: the session on the same reports that may be gone on with.
        """
        super().__init__()
        self.state = State()
        self.gpu = gpu
        self.desk = self._own_desk = desk
        self.history = History()
        self.labour = Labour(self, desk)
        self._idle = Idle(self)
        self._beginning = e.Began(paths, gpu, traces)
        self._start = None if beginnings is None else StartScreen(beginnings, blocks=blocks)
        self._replay = None if player is None else replays.screen_of(player, blocks)
        self._begin_in(LIGHT if theme == "light" else DARK)
        self._memory = memory
        self._saving, self._broken_off = saving, broken_off
        if saving is not None:
            saving.problem = self._not_kept
        self._launches = LaunchesScreen(blocks=blocks)
        self._session = SessionScreen(blocks=blocks)
        self._blocks = blocks
        self._views: dict[str, ViewScreen] = {}
        self._offered: tuple[object, ...] = ()
        self.load = load
        self.leaving = Leaving()

    def _begin_in(self, theme: Theme) -> None:
        """Set the theme before the style sheets are read: one that is set later has all of them read again."""
        for one in (DARK, LIGHT):
            self.register_theme(one)
        self.set_reactive(AdvisorApp.theme, theme.name)
        self.stylesheet.set_variables(self.get_css_variables())
        for name in (f"-theme-{theme.name}", "-dark-mode" if theme.dark else "-light-mode"):
            self.set_class(True, name, update=False)
        if not theme.dark:
            self.set_class(False, "-dark-mode", update=False)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own variables, for themes of Textual's that do not set them."""
        return {"quiet": "#808a96"}

    def on_mount(self) -> None:
        """The screen first, the work after it has been drawn."""
        self._idle.begin()
        self.leaving.watch(self)
        # Installed screens survive `switch_screen`; others are removed by it and would come back dead.
        self.install_screen(self._session, "session")
        self.install_screen(self._launches, "launches")
        if self._start is not None:
            self.install_screen(self._start, "start")
        if self._start is not None or self._replay is not None:
            self.push_screen(self._wanted())
            return
        self.push_screen(self._session if not self._beginning.paths else self._launches)
        if self._broken_off is not None:
            self.push_screen(offered.screen_of(self._broken_off, self._blocks), self._taken_up)
            return
        self.call_after_refresh(self.dispatch, self._beginning)

    # Events

    async def on_event(self, event: Event) -> None:
        """What is typed beside the line of a screen goes there before anything else is done about it."""
        if isinstance(event, InputEvent):
            self._idle.typed()
        if not (self.screen_stack and hand_over(self.screen, event)):
            await super().on_event(event)

    def dispatch(self, event: e.Event) -> None:
        """One event through the reducer; then screen and work follow the state."""
        self.state = reduce(self.state, event)
        if self._saving is not None:
            self._saving.keep(self.state)
            self._saving.flush(_SAVED_WITHIN_S)
        if self.state.place == "closed":
            self.exit(0)
            return
        if self._start is not None and not begun(self.state.log) and not (self.state.view or self.state.waiting):
            self.state = State()  # looked at something before the session: it begins with what is chosen then
        if self._memory is not None and isinstance(event, e.Opened | e.Told):
            self._remember(event)
        self.follow()

    def follow(self) -> None:
        """The screen that the state asks for, and its work."""
        wanted = self._wanted()
        below = self.screen_stack[1] if len(self.screen_stack) > 1 else None
        if below is not wanted:
            while len(self.screen_stack) > 2:  # help and palette go with the screen that they were opened over
                self.pop_screen()
            self.switch_screen(wanted)
        elif wanted.is_mounted:
            wanted.show(self.state)
        self.labour.follow(self.state)

    def _remember(self, event: e.Opened | e.Told) -> None:
        """What could be opened is offered the next time; what comes with the program is offered anyway."""
        paths = event.request.paths if isinstance(event.request, e.Read | e.Trace) else ()
        read = not isinstance(event, e.Opened) or (event.diagnosis is not None and event.diagnosis.launches)
        kernels = str(resources.folder("kernels"))
        if self._memory is not None and read and paths and not any(path.startswith(kernels) for path in paths):
            self._memory.opened(paths)

    def _wanted(self) -> LaunchesScreen | SessionScreen | ViewScreen | StartScreen | ReplayScreen:
        """The screen that the state asks for; those of views are made when first opened."""
        if self._replay is not None:
            return self._replay
        view = self.state.view
        if view and view not in self._views:
            made = make(view, self._blocks)
            if made is not None:
                self.install_screen(made, view)
                self._views[view] = made
        if view in self._views:
            return self._views[view]
        if self._start is not None and not begun(self.state.log):
            return self._start
        return self._session if self.state.place == "launch" or self.state.numbers else self._launches

    @property
    def chosen(self) -> bool:
        """Whether what the session begins with was chosen on the start screen."""
        return self._start is not None

    def begin_otherwise(self) -> None:
        """Back to the start screen from a beginning that came to nothing."""
        self.labour.drop()
        self.state = State()
        self.follow()

    def say(self, text: str) -> None:
        """What was typed, understood and done. Where there is no conversation, a note says what is not understood."""
        event = commands.understand(text, self.state)
        if event is None:
            return
        if isinstance(event, e.HelpAsked) and (self.state.place != "launch" or self.state.view or self._replay):
            self.action_help()
            return
        before = self.state
        self.dispatch(event)
        if self.state is before and self.state.place != "closed":
            said = words.unclear(event) if isinstance(event, e.NotUnderstood) else words.NOT_HERE
            self.notify(safe(said), severity="warning", markup=False)

    def do(self, event: e.Event) -> None:
        """One event, and a note where it does nothing here."""
        before = self.state
        self.dispatch(event)
        if self.state is before and self.state.place != "closed":
            self.notify(words.NOT_HERE, severity="warning", markup=False)

    def prefill(self, line: str) -> None:
        """Put the beginning of a line into the prompt, to be completed there."""
        if self.state.view:
            self.dispatch(e.ViewLeft())
        for prompt in self.screen_stack[1].query(Prompt):
            prompt.value, prompt.cursor_position = line, len(line)
            prompt.focus()

    def complete(self, text: str) -> tuple[str, ...]:
        """The lines that could become of what is typed, the likeliest first."""
        return completions(text, self.state)

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

    # Saved sessions

    def replay_file(self, path: Path) -> None:
        """Replay a saved session, once it has been read."""
        replays.read(self, path, False, self.load)

    def resume_file(self, path: Path) -> None:
        """Go on where a saved session ended."""
        replays.read(self, path, True, self.load)

    def on_loaded(self, message: replays.Loaded) -> None:
        """A saved session was read."""
        if message.player is None:
            self.notify(message.problem, severity="error", markup=False)
            if self._broken_off is not None:
                self._taken_up("anew")
        elif message.end is not None:
            self.go_on(message.end.state, message.player.desk)
            for text in getattr(message.player, "changed", ()):
                self.notify(text, severity="warning", markup=False)
        else:
            self._replay = replays.screen_of(message.player, self._blocks)
            self.follow()

    def go_on(self, state: State, desk: Desk) -> None:
        """A replayed session becomes the user's own."""
        self.labour.drop()
        self.state, self.desk, self._replay = state, replays.own(desk, self._own_desk), None
        self.labour = Labour(self, self.desk)
        if self._saving is not None:
            self._saving.go_on(state, self.desk)
        self.follow()

    def _taken_up(self, answer: str | None) -> None:
        """What is to become of the session that was broken off."""
        kept, self._broken_off = self._broken_off, None
        if answer == "go_on" and kept is not None:
            self._broken_off = kept  # until it is there
            self.resume_file(kept.path)
            return
        if answer == "forget" and kept is not None:
            forget(kept)
        self.dispatch(self._beginning)

    def _not_kept(self, why: str) -> None:
        self.post_message(NotKept(why))  # from the thread that saves

    def on_not_kept(self, message: NotKept) -> None:
        """The session cannot be saved by itself."""
        self.notify(NOT_KEPT.format(why=safe(message.why)), severity="warning", markup=False)

    def end_replay(self) -> None:
        """Back to where the replay was opened; out of the program where it was all that was asked for."""
        self._replay = None
        if self._start is None and not self.state.log:
            self.exit(0)
        else:
            self.follow()

    # Actions

    def action_help(self) -> None:
        """Keys and commands."""
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(blocks=self._blocks))

    def offer(self, screen: Screen[None]) -> None:
        """Draw the footer anew where other keys work now; doing so after each key would cost more than the key."""
        actions = actions_of(screen)
        works = (screen, self.check_action("undo", ()), *(screen.check_action(action, ()) for action in actions))
        if works != self._offered:
            self._offered = works
            screen.refresh_bindings()

    def action_copy(self) -> None:
        """The newest card goes to the clipboard of the terminal (OSC 52), and a note says so."""
        cards = self.state.conversation
        if cards:
            self.copy_to_clipboard(card_text(cards[-1], self._blocks))
        title = cards[-1].title or cards[-1].label if cards else ""
        said = words.COPIED.format(title=safe(title)) if cards else words.NOTHING_TO_COPY
        self.notify(said, severity="information" if cards else "warning", markup=False)

    async def action_command_palette(self) -> None:  # type: ignore[override]
        """Everything by its name."""
        if not CommandPalette.is_open(self):  # type: ignore[arg-type]
            palette = CommandPalette(placeholder=words_help.SEARCH, id="--command-palette")
            await self.push_screen(palette)
            for icon in palette.query(SearchIcon):
                icon.icon = "›" if self._blocks else ">"

    def action_knowledge(self) -> None:
        """The knowledge base, from anywhere."""
        self.dispatch(e.ViewShown("knowledge"))

    def action_timeline(self) -> None:
        """The timeline, where a trace is open."""
        self.dispatch(e.ViewShown("timeline"))

    def action_undo(self) -> None:
        """Undo the last thing the user did."""
        self.say("/back")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What would do nothing now is not offered."""
        if action == "undo":
            return can_go_back(self.state)
        if action == "timeline":
            return self._replay is None and self.state.timeline is not None and self.state.view != "timeline"
        if action == "knowledge":
            return self._replay is None and self.state.view != "knowledge"
        return True

    def action_theme(self) -> None:
        """Dark or light."""
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name
        if self._memory is not None:
            self._memory.choose("light" if self.theme == LIGHT.name else "dark")

    async def action_quit(self) -> None:
        """Leave, through the reducer like everything else."""
        self.dispatch(e.Quit())
