"""Begin the analysis of a session's reports while its screens are loaded: child processes read meanwhile."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from advisor.reasoning.diagnose import analyse

if TYPE_CHECKING:
    from advisor.reasoning.analysis import Analysis
    from advisor.records.readings import Progress

_UNWIND_S = 2.0  # longest wait for child processes to end and for their folder to be removed


class _AbandonedError(Exception):
    """Ends an analysis that nobody wants any more."""


class EarlyAnalysis:
    """An analysis in a thread. It pauses after it started the child processes, until `result` is called: what it
    imports next would slow down the first screen.
    """

    def __init__(self, paths: tuple[str, ...], *, gpu: str | None = None, knowledge: tuple[Path, ...] = ()) -> None:
        self.paths, self.gpu = paths, gpu
        self._wanted, self._abandoned = Event(), False
        self._progress: Progress = lambda what, done, total: None
        self._done: Future[Analysis] = Future()
        self._thread = Thread(target=self._work, args=(knowledge,), name="early analysis", daemon=True)
        self._thread.start()

    def _work(self, knowledge: tuple[Path, ...]) -> None:
        try:
            self._done.set_result(
                analyse(
                    [Path(path) for path in self.paths],
                    gpu=self.gpu,
                    knowledge=knowledge,
                    progress=lambda *told: self._progress(*told),
                    begun=self._pause,
                )
            )
        except BaseException as problem:
            self._done.set_exception(problem)

    def _pause(self) -> None:
        self._wanted.wait()
        if self._abandoned:
            raise _AbandonedError

    def result(self, progress: Progress) -> Analysis:
        """Continue and return the analysis, or raise its error. An exception in `progress` cancels it."""
        self._progress = progress
        self._wanted.set()
        return self._done.result()

    def abandon(self) -> None:
        """End the child processes if the analysis was never asked for."""
        if not self._wanted.is_set():
            self._abandoned = True
            self._wanted.set()
            self._thread.join(_UNWIND_S)
