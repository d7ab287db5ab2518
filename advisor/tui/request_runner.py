"""Work in threads: perform the first request that the state waits for, and apply its outcome to the state."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

from advisor.practice.stages import STAGE_WORDS as CHILD_STAGES
from advisor.session import events as e
from advisor.session.executor import CancelledWorkError, Executor
from advisor.session.state import State
from advisor.tui.widgets.text import Banner

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp


STAGES: Final = {"read": "reading", "launches": "reading launches", "reason": "reasoning", **CHILD_STAGES}
_WORK: Final[dict[type, str]] = {
    e.Conclude: "diagnosing again",
    e.Suppose: "diagnosing again",
    e.Prove: "building the proof",
    e.Explain: "looking it up",
    e.Estimate: "calculating",
    e.Trace: "reading the trace",
    e.CompareVersion: "reading",
    e.Locate: "reading the instructions",
    e.BuildCollectCommand: "looking it up",
    e.Write: "writing",
    e.Practise: "working on the exercise",
    e.AnswerQuestion: "answering",
}


class RequestRunner:
    """Runs requests in at most one thread at a time, and drops the outcome of cancelled work.

    The threads are daemons, not Textual workers: Textual waits for its workers when the program ends, and a user who
    quits while a large report is being read should not have to wait.
    """

    def __init__(self, app: AdvisorApp, executor: Executor) -> None:
        self._app, self.executor = app, executor
        self._running: e.Request | None = None
        self._unwanted = Event()
        self._progress: tuple[str, int, int] = ("", 0, 0)
        self._ahead: e.Locate | None = None
        self._prepared: tuple[e.Request, ...] = ()  # what the next key may ask for
        self._prepared_in: object = None  # the view, launch and diagnosis that it belongs to

    @property
    def idle(self) -> bool:
        """Whether no thread is running whose outcome the session would show."""
        return self._running is None or self._spare(self._running, self._app.state)

    def follow(self, state: State) -> None:
        """Start the work that the state waits for, and cancel work that it no longer waits for."""
        if state.place != "launches" or self._ahead in state.waiting:
            self._ahead = None
        if self._prepared_in != _place(state):
            self._prepared = ()
        if self._running is not None and self._running not in (*state.waiting, self._ahead, *self._prepared):
            self._unwanted.set()
        following = (*state.waiting, *([self._ahead] if self._ahead is not None else []), *self._prepared)
        if self._running is None and following:
            self._running, self._progress, self._unwanted = following[0], ("", 0, 0), Event()
            arguments = (following[0], state, self._unwanted)
            Thread(target=self._perform, args=arguments, name="request", daemon=True).start()
        self.show(state)

    def read_ahead(self, request: e.Locate | None) -> None:
        """Read these hot lines when nothing else is to be done, instead of those asked for before."""
        self._ahead = request
        self.follow(self._app.state)

    def prepare(self, requests: Iterable[e.Request]) -> None:
        """Work on what the next key may ask for when nothing else is to be done; the executor keeps the results.

        This replaces what was to be prepared before, and ends when the user leaves the view or the launch.
        """
        state = self._app.state
        known = (*state.waiting, self._running)
        wanted = tuple(r for r in dict.fromkeys(requests) if state.result(r) is None and r not in known)
        if self._running in self._prepared:
            wanted = (self._running, *wanted)
        self._prepared, self._prepared_in = wanted, _place(state)
        self.follow(state)

    def _spare(self, request: e.Request, state: State) -> bool:
        """Return whether this is only prepared, and nobody waits for it."""
        return request in self._prepared and request not in state.waiting

    def drop(self) -> None:
        """Cancel everything that is running."""
        self._unwanted.set()

    def _perform(self, request: e.Request, state: State, unwanted: Event) -> None:
        def progress(what: str, done: int, total: int) -> None:
            if unwanted.is_set():
                raise CancelledWorkError
            self._app.call_later(self._progressed, request, (what, done, total))

        self._app.call_later(self._finished, self.executor.perform(request, state, progress))

    def _finished(self, outcome: e.Outcome) -> None:
        """Apply the outcome unless the work was cancelled; cancelled work may start again."""
        request, self._running = self._running, None
        spare = request is not None and self._spare(request, self._app.state)
        self._prepared = tuple(one for one in self._prepared if one != request)
        if self._unwanted.is_set() or spare:
            self.follow(self._app.state)
        elif isinstance(request, e.Locate) and request == self._ahead:
            self._ahead = None
            result = outcome.result if isinstance(outcome, e.Completed) else outcome
            self._app.dispatch(e.ReadAhead(request, result))
        else:
            self._app.dispatch(outcome)

    def _progressed(self, request: e.Request, progress: tuple[str, int, int]) -> None:
        if request == self._running:
            self._progress = progress
            self.show(self._app.state)

    def show(self, state: State) -> None:
        """Show the running work on the current screen; nothing if the program is being closed, without a screen."""
        if not self._app.screen_stack:
            return
        text, done, total = "", 0, 0
        if state.waiting:
            what, done, total = self._progress if state.waiting[0] == self._running else ("", 0, 0)
            text = STAGES.get(what) or work_text(state.waiting[0])
        for banner in self._app.screen.query(Banner):
            # A single file needs no progress bar.
            banner.work(text, done, total if total > 1 else 0)


def _place(state: State) -> object:
    return (state.view, state.position, id(state.diagnosis), len(state.earlier))


def work_text(request: e.Request) -> str:
    """Return the text that describes the work for a request."""
    if isinstance(request, e.Read):
        return "reading" if request.paths else "loading the knowledge base"
    return _WORK[type(request)]
