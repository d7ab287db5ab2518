"""Work in threads: the first request that the state waits for is performed; its outcome comes back as a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message
from textual.worker import Worker, get_current_worker

from advisor.dialogue import events as e
from advisor.dialogue.desk import CalledOff, Desk
from advisor.dialogue.state import State
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
    """At most one worker at a time. Work that nobody waits for any more is called off and its outcome dropped."""

    def __init__(self, app: AdvisorApp, desk: Desk) -> None:
        self._app, self._desk = app, desk
        self._running: e.Request | None = None
        self._worker: Worker[None] | None = None
        self._progress = (0, 0)

    def follow(self, state: State) -> None:
        """Start what the state waits for, stop what it does not."""
        if self._running is not None and self._running not in state.waiting and self._worker is not None:
            self._worker.cancel()
        if self._running is None and state.waiting:
            request = state.waiting[0]
            self._running, self._progress = request, (0, 0)
            self._worker = self._app.run_worker(
                lambda: self._perform(request, state), name=type(request).__name__, thread=True, exit_on_error=False
            )
        self._show(state)

    def _perform(self, request: e.Request, state: State) -> None:
        worker = get_current_worker()

        def progress(what: str, done: int, total: int) -> None:
            if worker.is_cancelled:
                raise CalledOff
            self._app.post_message(Progressed(request, what, done, total))

        self._app.post_message(Finished(self._desk.perform(request, state, progress)))

    def done(self, message: Finished) -> None:
        """The worker is free again."""
        self._running = self._worker = None

    def progressed(self, message: Progressed) -> None:
        """Show how far it is."""
        if message.request == self._running:
            self._progress = (message.done, message.total)
            self._show(self._app.state)

    def _show(self, state: State) -> None:
        text = words.work(state.waiting[0]) if state.waiting else ""
        done, total = self._progress if state.waiting and state.waiting[0] == self._running else (0, 0)
        for busy in self._app.screen.query(Busy):
            busy.show(text, done, total)
