"""How far a triage is, on stderr: one line that changes on a terminal, a line every ten seconds elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from advisor.triage.run import Progress
from advisor.view.numbers import time_text

_TERMINAL_S, _PLAIN_S = 0.2, 10.0
_TELLING = 0.02  # the share of the bytes that must be done before a rate says anything of the rest


@dataclass
class Teller:
    """Called with each progress. note: shows a passing line; say: prints a lasting one; clock: seconds."""

    note: Callable[[str], None]
    say: Callable[[str], None]
    clock: Callable[[], float]
    terminal: bool
    last: Progress | None = None
    _start: float = 0.0
    _told: float = 0.0

    def __call__(self, progress: Progress) -> None:
        """Tell it, if it is time to."""
        now = self.clock()
        if self.last is None:
            self._start = self._told = now
            if progress.resumed:
                done = f"{progress.files_done:,} of {progress.files:,} files are done already"
                self.say(f"going on from an interrupted run: {done}")
        self.last = progress
        if now - self._told >= (_TERMINAL_S if self.terminal else _PLAIN_S):
            self._told = now
            (self.note if self.terminal else self.say)(progress_text(progress, now - self._start))


def progress_text(progress: Progress, seconds: float) -> str:
    """Files and launches done, files a second, and the time left, which goes by the bytes of the files."""
    text = f"{progress.files_done:,} of {progress.files:,} files, {progress.launches:,} launches"
    done = progress.bytes_done - progress.bytes_before
    if seconds <= 0 or done <= 0:
        return text
    rate = done / seconds
    text = f"{text}, {_bytes(rate)}/s"
    if done < _TELLING * (progress.bytes - progress.bytes_before):
        return text
    return f"{text}, about {_duration((progress.bytes - progress.bytes_done) / rate)} left"


def _bytes(count: float) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count:.0f} B"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return time_text(round(max(1.0, seconds)) * 1e9)
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
