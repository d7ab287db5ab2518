"""The Textual app: it holds the state, passes events to the reducer, and shows the screen for the state.

A screen other than the start screen is imported when it is first shown, and so is what understands typed lines: the
first screen need not wait for them. `load_screens` imports them in a thread as soon as a session has begun. Their
styles (`later.tcss`) are parsed when the first screen is there, or before one of them is shown.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import structs
from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, SearchIcon
from textual.driver import Driver
from textual.events import Event, Key
from textual.notifications import SeverityLevel
from textual.timer import Timer

from advisor.records import resources
from advisor.records.errors import AdvisorError
from advisor.session import events as e
from advisor.session.executor import Executor
from advisor.session.reducer import can_go_back, reduce
from advisor.session.state import State
from advisor.session.transcripts.autosave import SavedSession, Saving, forget
from advisor.tui.drawing import DARK, LIGHT, card_text, safe
from advisor.tui.leaving import Leaving
from advisor.tui.opening import Settings, StartOptions, has_begun
from advisor.tui.palette import Entries
from advisor.tui.request_runner import RequestRunner
from advisor.tui.screens.base import AppScreen, ViewScreen, hidden, load_screens, load_views, make, view_bindings
from advisor.tui.screens.start import OfferScreen, StartScreen
from advisor.tui.widgets.keys import KeyLine, Note
from advisor.tui.widgets.prompt import History, Prompt, forward_to_prompt

if TYPE_CHECKING:
    from advisor.session.transcripts.player import Player

# A step is saved before it is drawn, so that a killed program loses nothing that was visible. If the disk takes
# longer than this (seconds), the step is drawn first.
_SAVED_WITHIN_S = 0.1
_NOTE_S = 8.0  # seconds that a note is shown
_READ_S = 1.5  # seconds after which the next key ends a note
_BURST_S = 0.02  # seconds within which characters of pasted text arrive


_EVERYTHING = "All actions, findings, steps, launches and exercises"
_NOTHING = "That does nothing here. /help lists the commands."


class AdvisorApp(App[int]):
    """The Textual app: it holds the session state and shows the screen for it."""

    TITLE = "ncu-advisor"
    CSS_PATH = "advisor.tcss"
    _LATER = Path(__file__).with_name("later.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [
        hidden("ctrl+t", "theme", "Light/dark", "Switch between dark and light", priority=True),
        hidden("ctrl+y", "copy", "Copy", "Copy the latest entry to the clipboard", priority=True),
        hidden("ctrl+p", "command_palette", "Palette", _EVERYTHING, priority=True),
        *view_bindings(anywhere=True),
        Binding("ctrl+q", "quit", "Quit", tooltip="Leave the program", priority=True),
    ]
    COMMANDS = {Entries}  # noqa: RUF012  (the type is that of Textual)

    def __init__(
        self,
        executor: Executor,
        paths: tuple[str, ...] = (),
        *,
        gpu: str = "",
        blocks: bool = True,
        traces: tuple[str, ...] = (),
        start_options: StartOptions | None = None,
        player: Player | None = None,
        theme: str = "dark",
        memory: Settings | None = None,
        saving: Saving | None = None,
        interrupted: SavedSession | None = None,
        predict: bool = False,
    ) -> None:
        """start_options: choices of the start screen, shown first; player: a saved session to replay instead.

        saving: saves the session automatically; interrupted: a session on the same reports that the user may continue.
        predict: whether to ask for a prediction before each diagnosis.
        """
        super().__init__()
        self.state = State()
        self.gpu = gpu
        self._predict = predict
        self.executor = self._own_executor = executor
        self.history = History()
        self.held = ""  # rows pasted on the start page, until there is an interview that takes them
        self.runner = RequestRunner(self, executor)
        self._beginning = self.beginning(paths, traces)
        self._start = None if start_options is None else StartScreen(start_options, blocks=blocks)
        for one in (DARK, LIGHT):
            self.register_theme(one)
        self.theme = LIGHT.name if theme == "light" else DARK.name
        self._memory = memory
        self.saving, self._interrupted = saving, interrupted
        if saving is not None:
            saving.problem = self._not_saved
        self._blocks = blocks
        self._replay = None if player is None else self._replaying(player)
        self._views: dict[str, ViewScreen] = {}
        self._loaded: set[str] = set()
        self.leaving = Leaving()
        self._note: Note | None = None
        self._note_since = 0.0  # when the note was shown, 0 without one
        self._note_ends: Timer | None = None

    # `switch_screen` keeps installed screens; it removes other screens, which then cannot be shown again.
    @cached_property
    def _launches(self) -> AppScreen:
        from advisor.tui.screens.launches import LaunchesScreen

        made = LaunchesScreen(blocks=self._blocks)
        self.install_screen(made, "launches")
        return made

    @cached_property
    def _session(self) -> AppScreen:
        from advisor.tui.screens.session import SessionScreen

        self.style()
        made = SessionScreen(blocks=self._blocks)
        self.install_screen(made, "session")
        return made

    def _replaying(self, player: Player) -> AppScreen:
        from advisor.tui.screens.replay import ReplayScreen

        return ReplayScreen(player, blocks=self._blocks)

    def beginning(self, paths: tuple[str, ...] = (), traces: tuple[str, ...] = ()) -> e.Began:
        """Return the event that begins a session on these reports and traces."""
        return e.Began(paths, self.gpu, traces, self._predict)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return defaults for our own theme variables, for Textual's built-in themes."""
        return {"quiet": "#808a96"}

    def style(self) -> None:
        """Parse the styles of the screens and widgets that are not on the first screen, once."""
        if not self.stylesheet.has_source(str(self._LATER)):
            self.stylesheet.read(self._LATER)
            self.stylesheet.parse()

    def refresh_css(self, animate: bool = True) -> None:
        """Apply the theme to what is shown; before the first screen, only to what will be shown.

        Textual asks for it before there is a screen, and would parse all styles, then parse them again for the screen.
        """
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())

    def on_mount(self) -> None:
        self.leaving.watch(self)
        if self._start is not None:
            self.install_screen(self._start, "start")
        if self._start is not None or self._replay is not None:
            if self._replay is not None:
                self.style()
            self.push_screen(self._wanted())
            self.call_after_refresh(self.style)
            self.call_after_refresh(self._load, "screens", load_screens)
            return
        self.push_screen(self._session if not self._beginning.paths else self._launches)
        if self._interrupted is not None:
            self.style()
            self.push_screen(OfferScreen(self._interrupted, blocks=self._blocks), self._taken_up)
            return
        self.call_after_refresh(self.dispatch, self._beginning)
        self.call_after_refresh(self.style)

    def get_driver_class(self) -> type[Driver]:
        """Return the driver of this platform, or the one that the user set; where it is Textual's for Unix, ours."""
        found = super().get_driver_class()
        if found.__name__ != "LinuxDriver":
            return found
        from advisor.tui.driver import QuickDriver  # not where there is no termios

        return QuickDriver

    # Events

    async def on_event(self, event: Event) -> None:
        if isinstance(event, Key) and self._note_since and time.monotonic() - self._note_since > _READ_S:
            self._say(None)
        if not (self.screen_stack and forward_to_prompt(self.screen, event, at_once=await self._at_once(event))):
            await super().on_event(event)

    async def _at_once(self, event: Event) -> bool:
        """Return whether a character that an open question could take is one of several that arrive at once.

        A person cannot type that fast: it is pasted text in a terminal that does not mark it, not the letter of an
        action.
        """
        if not isinstance(event, Key) or not event.is_printable or self.state.ask is None:
            return False
        await asyncio.sleep(_BURST_S)
        following = (self._pending_message, *self._message_queue.values)
        return any(isinstance(one, Key) and one.is_printable for one in following)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show a note in the line of keys, where it covers neither the prompt nor the answer, for a few seconds."""
        style = {"warning": "$text-warning", "error": "$text-error"}.get(severity, "$text-success")
        self._say(Note(message, f"bold {style}"))
        self._note_ends = self.set_timer(_NOTE_S if timeout is None else timeout, lambda: self._say(None))

    def _say(self, note: Note | None) -> None:
        if self._note_ends is not None:
            self._note_ends.stop()
        self._note, self._note_since = note, 0.0 if note is None else time.monotonic()
        self._say_here()

    def _say_here(self) -> None:
        """Show the note, if there is one, on the current screen."""
        for line in self.screen.query(KeyLine) if self.screen_stack else ():
            line.say(self._note)

    def dispatch(self, event: e.Event) -> None:
        """Apply one event to the state, then update the screen and the running work."""
        self.state = reduce(self.state, event)
        if self.saving is not None:
            self.saving.keep(self.state)
            self.saving.flush(_SAVED_WITHIN_S)
        if self.state.place == "closed":
            self.exit(0)
            return
        if self._start is not None and not has_begun(self.state.log) and not (self.state.view or self.state.waiting):
            self.state = State()  # only a view was opened so far: the session begins with the next choice
        if self._memory is not None and isinstance(event, e.Opened | e.Completed):
            self._remember(event)
        if isinstance(event, e.Completed) and isinstance(event.request, e.Write) and self._covered:
            self.notify(f"Saved: {safe(str(event.result))}", markup=False)
        self._load("screens", load_screens)
        if isinstance(event, e.Opened):
            self._load("views", load_views)
        self.follow()

    def _load(self, what: str, load: Callable[[], None]) -> None:
        """Import what is not needed yet in a thread, once."""
        if what not in self._loaded:
            self._loaded.add(what)
            Thread(target=load, name=what, daemon=True).start()

    def follow(self) -> None:
        """Show the screen for the state, and start the work that the state waits for."""
        wanted = self._wanted()
        below = self.screen_stack[1] if len(self.screen_stack) > 1 else None
        if below is not wanted:
            while len(self.screen_stack) > 2:  # close help and palette together with the screen below them
                self.pop_screen()
            self.switch_screen(wanted)
            self.call_after_refresh(self._say_here)
        elif wanted.is_mounted:
            wanted.show(self.state)
        self.runner.follow(self.state)

    @property
    def _covered(self) -> bool:
        """Whether the conversation, whose cards say what was done, is not shown."""
        return bool(self.state.view) or self.state.place != "launch"

    def _remember(self, event: e.Opened | e.Completed) -> None:
        """Remember the opened paths for the next start, except the bundled reports."""
        paths = event.request.paths if isinstance(event.request, e.Read | e.Trace) else ()
        read = not isinstance(event, e.Opened) or (event.diagnosis is not None and event.diagnosis.launches)
        kernels = str(resources.folder("kernels"))
        if self._memory is not None and read and paths and not any(path.startswith(kernels) for path in paths):
            self._memory.opened(paths)

    def _wanted(self) -> AppScreen:
        """Return the screen for the state; create a view screen when it is first opened."""
        if self._replay is not None:
            return self._replay
        view = self.state.view
        if view and view not in self._views:
            self.style()
            made = make(view, self._blocks)
            if made is not None:
                self.install_screen(made, view)
                self._views[view] = made
        if view in self._views:
            return self._views[view]
        if self._start is not None and not has_begun(self.state.log):
            return self._start
        return self._session if self.state.place == "launch" or self.state.numbers else self._launches

    @property
    def chosen(self) -> bool:
        """Whether the session began on the start screen."""
        return self._start is not None

    def start_again(self) -> None:
        """Return to the start screen after a failed start."""
        self.runner.drop()
        self.state = State()
        self.follow()

    def say(self, text: str, about: int | None = None) -> None:
        """Interpret a typed line and apply it; outside a conversation, show a note if the line is not understood.

        about: position of the launch that a question in the list of launches is about.
        """
        from advisor.session.language.understand import is_question, understand

        event = understand(text, self.state)
        if event is None:
            return
        if self.state.place == "launches" and not text.startswith("/") and not self.state.view:
            # A sentence that means something on a launch only is a question about the highlighted one.
            unclear = isinstance(event, e.NotUnderstood)
            if is_question(text) if unclear else reduce(self.state, event) is self.state:
                event = e.QuestionAsked(text)
        if isinstance(event, e.QuestionAsked) and self.state.place == "launches":
            event = structs.replace(event, position=about)
        if isinstance(event, e.HelpAsked) and (self.state.place != "launch" or self.state.view or self._replay):
            self.action_help()
            return
        self.do(event)

    def do(self, event: e.Event) -> None:
        """Apply one event, and show a note if it does nothing here."""
        before = self.state
        self.dispatch(event)
        if self.state is before and self.state.place != "closed":
            self.warn(_unclear(event) if isinstance(event, e.NotUnderstood) else _NOTHING)
        elif isinstance(event, e.Volunteered | e.PageRead) and event.unread:
            # Its card may already be above the next question.
            self.warn(f"Not read: {'; '.join(event.unread)}")

    def warn(self, text: str) -> None:
        """Show a note that something cannot be done."""
        self.notify(safe(text), severity="warning", markup=False)

    def show_evidence(self) -> None:
        """Show the evidence of the launch that was just opened."""
        if self.state.launch is not None and self.state.place == "launch":
            self.call_after_refresh(lambda: self._session.run_action("evidence"))

    def prefill(self, line: str) -> None:
        """Put the beginning of a line into the prompt."""
        if self.state.view:
            self.dispatch(e.ViewLeft())
        for prompt in self.screen_stack[1].query(Prompt):
            prompt.write(line)
            prompt.focus()

    def complete(self, text: str) -> tuple[str, ...]:
        """Return the completions of the typed text, most likely first."""
        from advisor.session.language.understand import completions

        return completions(text, self.state)

    def cancel_work(self) -> bool:
        """Cancel the running work, and return whether any was running."""
        if not self.state.waiting:
            return False
        self.dispatch(e.Cancelled())
        return True

    # Saved sessions

    def replay_file(self, path: Path) -> None:
        """Load a saved session and replay it."""
        self.notify("Opening the saved session …", markup=False)
        from advisor.tui.screens.replay import load, read

        read(self, path, False, load)

    def resume_file(self, path: Path) -> None:
        """Load a saved session and continue where it ended."""
        self.notify("Opening the saved session: its steps are done again …", markup=False)
        from advisor.tui.screens.replay import load, read

        read(self, path, True, load)

    def loaded(self, player: Player | None, end: Any, problem: str) -> None:
        """Show a saved session, or continue it if `end` is its last step; `player` is None if loading failed."""
        self._say(None)
        if player is None:
            self.notify(problem, severity="error", markup=False)
            if self._interrupted is not None:
                self._taken_up("anew")
        elif end is not None:
            self.go_on(end.state, player.executor)
            for text in getattr(player, "changed", ()):
                self.warn(text)
        else:
            self.style()
            self._replay = self._replaying(player)
            self.follow()

    def go_on(self, state: State, executor: Executor) -> None:
        """Continue a replayed session as the user's own."""
        from advisor.tui.screens.replay import own

        self.runner.drop()
        self.state, self.executor, self._replay = state, own(executor, self._own_executor), None
        self.runner = RequestRunner(self, self.executor)
        if self.saving is not None:
            self.saving.go_on(state, self.executor)
        self.follow()

    def _taken_up(self, answer: str | None) -> None:
        """Handle the user's answer to the question whether to continue the interrupted session."""
        kept, self._interrupted = self._interrupted, None
        if answer == "go_on" and kept is not None:
            self._interrupted = kept  # kept until the session is loaded
            self.resume_file(kept.path)
            return
        if answer == "forget" and kept is not None:
            forget(kept.path)
        self.dispatch(self._beginning)

    def _not_saved(self, why: str) -> None:
        # The thread that saves calls this.
        self.call_later(self.warn, f"Autosave failed and the session continues without it: {why}")

    def end_replay(self) -> None:
        """Return to the screen that opened the replay; exit if the program was started only for the replay."""
        self._replay = None
        if self._start is None and not self.state.log:
            self.exit(0)
        else:
            self.follow()

    # Actions

    def action_help(self) -> None:
        from advisor.tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.style()
            self.push_screen(HelpScreen(blocks=self._blocks))

    def action_copy(self) -> None:
        cards = self.state.conversation
        if not cards:
            self.warn("There is nothing to copy yet.")
            return
        self.copy_to_clipboard(card_text(cards[-1], self._blocks))
        self.notify(f"Copied, if the terminal allows it: {safe(cards[-1].title or cards[-1].label)}", markup=False)

    async def action_command_palette(self) -> None:  # type: ignore[override]
        if not CommandPalette.is_open(self):  # type: ignore[arg-type]
            palette = CommandPalette(
                placeholder="an action, a command, a finding, a step, a kernel, an exercise", id="--command-palette"
            )
            await self.push_screen(palette)
            for icon in palette.query(SearchIcon):
                icon.icon = "›" if self._blocks else ">"

    def action_copy_collect(self) -> None:
        """Copy the command that collects what the selected launch lacks."""
        launch = self.screen.launch if isinstance(self.screen, AppScreen) else self.state.launch
        if launch is None or self.state.numbers:
            self.warn("There is no report here that could lack metrics.")
            return
        try:
            command = self.executor.sources.gather(launch).command
        except AdvisorError as problem:
            self.warn(str(problem))
            return
        if not command:
            self.warn("Nothing is missing: every metric that a rule needs is known for this launch.")
            return
        self.copy_to_clipboard(command)
        said = "The ncu command that collects what is missing is copied, if the terminal allows it; /collect shows it."
        self.notify(said, markup=False)

    def action_view(self, view: str) -> None:
        self.dispatch(e.ViewShown(view))

    def action_undo(self) -> None:
        self.say("/back")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "undo":
            return can_go_back(self.state)
        if action == "view":
            (view,) = parameters
            there = view != "timeline" or self.state.timeline is not None
            return there and self._replay is None and self.state.view != view
        return True

    def action_theme(self) -> None:
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name
        if self._memory is not None:
            self._memory.choose("light" if self.theme == LIGHT.name else "dark")

    async def action_quit(self) -> None:
        self.dispatch(e.Quit())


def _unclear(event: e.NotUnderstood) -> str:
    """Return why a line was not understood, with suggestions, as a note for use outside a conversation."""
    meant = f"Did you mean: {'   or   '.join(event.meant)}" if event.meant else ""
    return " ".join(part for part in (event.because, meant) if part) or _NOTHING
