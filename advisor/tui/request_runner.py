"""Work in threads: the first request that the state waits for is performed; its outcome comes back as a message."""

from __future__ import annotations

import gc
from threading import Event, Thread
from typing import TYPE_CHECKING

from textual.message import Message

from advisor.session import events as e
from advisor.session.executor import CalledOff, Executor
from advisor.session.state import State
from advisor.tui import words
from advisor.tui.widgets.busy import Busy

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp


class Finished(Message):
    """A request was performed."""

    def __init__(self, outcome: e.Outcome) -> None:
        super().__init__()
        self.outcome = outcome


class Progressed(Message):
    """A request is under way: `done` of `total` (0 where unknown) of what `what` names."""

    def __init__(self, request: e.Request, what: str, done: int, total: int) -> None:
        super().__init__()
        self.request, self.what, self.done, self.total = request, what, done, total


class Labour:
    """At most one thread at a time. Work that nobody waits for any more is called off and its outcome dropped.

    The threads are daemons, not Textual's workers: those are waited for when the program ends, and a user who quits
    while a large report is being read should not have to wait for it.
    """

    def __init__(self, app: AdvisorApp, desk: Executor) -> None:
        self._app, self._desk = app, desk
        self._running: e.Request | None = None
        self._unwanted = Event()
        self._progress: tuple[str, int, int] = ("", 0, 0)

    @property
    def idle(self) -> bool:
        """Whether no thread is at work."""
        return self._running is None

    def follow(self, state: State) -> None:
        """Start what the state waits for, stop what it does not."""
        if self._running is not None and self._running not in state.waiting:
            self._unwanted.set()
        if self._running is None and state.waiting:
            self._running, self._progress, self._unwanted = state.waiting[0], ("", 0, 0), Event()
            arguments = (state.waiting[0], state, self._unwanted)
            Thread(target=self._perform, args=arguments, name="desk", daemon=True).start()
        self.show(state)

    def drop(self) -> None:
        """Nothing that is under way is wanted any more."""
        self._unwanted.set()

    def _perform(self, request: e.Request, state: State, unwanted: Event) -> None:
        def progress(what: str, done: int, total: int) -> None:
            if unwanted.is_set():
                raise CalledOff
            self._app.post_message(Progressed(request, what, done, total))

        outcome = self._desk.perform(request, state, progress)
        if isinstance(outcome, e.Opened):
            _keep_for_good()
        self._app.post_message(Finished(outcome))

    def done(self) -> bool:
        """The thread has ended; whether its outcome is wanted. Work called off and wanted again begins anew."""
        self._running = None
        return not self._unwanted.is_set()

    def progressed(self, message: Progressed) -> None:
        """Show how far it is."""
        if message.request == self._running:
            self._progress = (message.what, message.done, message.total)
            self.show(self._app.state)

    def show(self, state: State) -> None:
        """Say on the screen at hand what is being done."""
        text, done, total = "", 0, 0
        if state.waiting:
            what, done, total = self._progress if state.waiting[0] == self._running else ("", 0, 0)
            text = words.STAGES.get(what) or words.work(state.waiting[0])
        for busy in self._app.screen.query(Busy):
            # One file of one is no progress to speak of.
            busy.show(text, done, total if total > 1 else 0)


def _keep_for_good() -> None:
    """Leave modules, knowledge and report out of the search for cycles of garbage.

    They stay until the end, and a full search through them would hold up whatever key comes then by 0.1 to 0.2 s. The
    report before them, if there was one, is looked through a last time.
    """
    if gc.get_freeze_count():
        gc.unfreeze()
        gc.collect()
    gc.freeze()
