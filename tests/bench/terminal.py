"""The real program on a pseudo-terminal, and how long it takes to answer a key (Linux: a child's processor time)."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

PATIENCE = 60.0
QUIET = 0.15  # seconds without output and without work after which a repaint counts as finished; shorter than what the
# list of launches waits before it reads ahead (0.2), which no key waits for
_RESTING = 0.02  # share of a processor that a program at rest uses: the cursor blinks, a timer looks whether work runs
# Compiling every module anew at each start takes twice as long as the start itself; a user's program is compiled.
_UNLIKE_A_USER = ("PYTHONDONTWRITEBYTECODE",)
_ESCAPES = re.compile(rb"\x1b(\[[0-?]*[ -/]*[@-~]|[()][0-9A-B]|[=>PX^_].*?\x1b\\|\][^\x07]*\x07)")
_NAMED = "enter \r, escape \x1b, backspace \x7f, up \x1b[A, down \x1b[B, right \x1b[C, left \x1b[D, pageup \x1b[5~, "
_NAMED += "pagedown \x1b[6~, f1 \x1bOP, f2 \x1bOQ, f3 \x1bOR, f4 \x1bOS, f5 \x1b[15~, f6 \x1b[17~, f7 \x1b[18~, "
_NAMED += "f8 \x1b[19~, f9 \x1b[20~, f10 \x1b[21~, f12 \x1b[24~"
KEYS = dict(pair.split(" ", 1) for pair in _NAMED.split(", "))


@dataclass(frozen=True)
class Answer:
    """Seconds from a key to the first and to the last byte of what it changes, and of processor time until then."""

    first: float
    last: float
    processor: float


class Terminal:
    """`ncu-advisor` with these arguments; its own empty home, so that nothing of the user's is read or written."""

    def __init__(self, *arguments: str, size: tuple[int, int] = (80, 24)) -> None:
        self._home = tempfile.TemporaryDirectory()
        self._ours, theirs = pty.openpty()
        columns, lines = size
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        own = {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": str(lines), "HOME": self._home.name}
        own["PYTHONPATH"] = str(Path(__file__).parents[2])
        own |= {f"XDG_{kind}_HOME": f"{self._home.name}/{kind}" for kind in ("CONFIG", "DATA", "CACHE", "STATE")}
        self.begun = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "advisor", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={name: value for name, value in (os.environ | own).items() if name not in _UNLIKE_A_USER},
            start_new_session=True,
            cwd=self._home.name,  # an exported page stays out of the repository
        )
        os.close(theirs)
        self._clock = (~self._process.pid << 3) | 2  # clock_getcpuclockid(3) of Linux
        self._idle: set[bytes] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._ours)
        self._home.cleanup()

    def processor(self) -> float:
        """Seconds of processor time of the program so far, all threads."""
        return time.clock_gettime(self._clock)

    def until(self, *texts: str) -> float:
        """The moment (perf_counter) at which one of the texts stood in the output."""
        seen, end = b"", time.perf_counter() + PATIENCE
        while time.perf_counter() < end:
            if select.select([self._ours], [], [], 0.2)[0]:
                seen += os.read(self._ours, 1 << 16)
                plain = _ESCAPES.sub(b"", seen)
                if any(text.encode() in plain for text in texts):
                    return time.perf_counter()
        raise TimeoutError(f"none of {texts} within {PATIENCE} s; the output ends with {seen[-300:]!r}")

    def _busy(self) -> bool:
        """Whether a thread of the program runs or waits for a processor now."""
        for stat in Path(f"/proc/{self._process.pid}/task").glob("*/stat"):
            try:
                state = stat.read_text().rpartition(")")[2].split()[0]
            except (OSError, IndexError):  # the thread has ended
                continue
            if state in "RD":
                return True
        return False

    def settle(self) -> None:
        """Wait until the program does nothing more: neither output nor work in its threads for `QUIET`."""
        end = time.perf_counter() + PATIENCE
        while time.perf_counter() < end:
            before, begun = self.processor(), time.perf_counter()
            written = select.select([self._ours], [], [], QUIET)[0]
            if written:
                os.read(self._ours, 1 << 16)
            elif not self._busy() and self.processor() - before < _RESTING * (time.perf_counter() - begun):
                return
        raise TimeoutError(f"the program is still at work after {PATIENCE} s")

    def rest(self, seconds: float = 1.2) -> None:
        """Wait until the program is at rest; what it then writes without a key (the cursor blinks) is told from
        answers from now on.
        """
        self.settle()
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            if select.select([self._ours], [], [], left)[0]:
                self._idle.add(os.read(self._ours, 1 << 16))

    def press(self, key: str) -> Answer | None:
        """A key by its name in KEYS, or the characters themselves; None where nothing on the screen changes.

        All that follows from the key belongs to the answer, however long the screen stands still while a thread works
        on it: it is complete when nothing has been written for `QUIET` and no thread has worked meanwhile.
        """
        processor, begun = self.processor(), time.perf_counter()
        os.write(self._ours, KEYS.get(key, key).encode())
        first = last = taken = 0.0
        used, since = self.processor(), begun  # when the program was last seen at work
        while time.perf_counter() - begun < PATIENCE:
            if select.select([self._ours], [], [], QUIET / 4)[0]:
                written = os.read(self._ours, 1 << 16)
                if written not in self._idle:
                    last = time.perf_counter() - begun
                    first = first or last
                    used, since = self.processor(), time.perf_counter()
                    taken = used - processor
                continue
            now = time.perf_counter()
            if self._busy() or self.processor() - used > _RESTING * (now - since) + 0.002:
                used, since = self.processor(), now
            elif now - since >= QUIET:
                break
        return Answer(first, last, taken) if last else None
