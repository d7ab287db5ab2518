"""Reading begins before the screen is there: importing a terminal takes as long as half of a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock, Thread

from advisor.dialogue.desk import Judged, Progress

Analyse = Callable[[Sequence[Path], "str | None", Progress], Judged]


class HeadStart:
    """An `analyse` whose first call finds the work begun. What goes wrong is raised there, as if it were done then."""

    def __init__(self, analyse: Analyse, paths: Sequence[Path], gpu: str | None) -> None:
        self._analyse = analyse
        self._begun: tuple[tuple[Path, ...], str | None] | None = (tuple(paths), gpu)
        self._result: Judged | None = None
        self._problem: BaseException | None = None
        self._listener: Progress | None = None
        self._last: tuple[str, int, int] | None = None
        self._lock = Lock()
        self._thread = Thread(target=self._work, args=(tuple(paths), gpu), name="head start", daemon=True)
        self._thread.start()

    def _work(self, paths: tuple[Path, ...], gpu: str | None) -> None:
        try:
            self._result = self._analyse(paths, gpu, self._progress)
        except BaseException as problem:
            self._problem = problem

    def _progress(self, what: str, done: int, total: int) -> None:
        with self._lock:
            self._last = (what, done, total)
            listener = self._listener
        if listener is not None:
            listener(what, done, total)

    def __call__(self, paths: Sequence[Path], gpu: str | None, progress: Progress) -> Judged:
        """The analysis; other reports, and the same ones a second time, are read as usual."""
        begun, self._begun = self._begun, None
        if begun != (tuple(paths), gpu):
            return self._analyse(paths, gpu, progress)
        with self._lock:
            self._listener, last = progress, self._last
        if last is not None:
            progress(*last)
        self._thread.join()
        if self._problem is not None:
            raise self._problem
        assert self._result is not None
        return self._result
