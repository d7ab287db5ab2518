"""The program in a real terminal: what reaches the screen, byte for byte."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

pty = pytest.importorskip("pty", reason="a pseudo-terminal exists on POSIX only")


class Terminal:
    """`ncu-advisor` on a pseudo-terminal of 80 by 24."""

    def __init__(self, home: Path, *args: str, start: Sequence[str] = ("-m", "advisor")) -> None:
        import fcntl
        import struct
        import termios

        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, *start, *args],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", "HOME": str(home), "COLUMNS": "80", "LINES": "24"},
        )
        os.close(theirs)

    def until(self, text: str, seconds: float = 120) -> str:
        """What the program wrote until `text` came; AssertionError when it does not come."""
        seen = b""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.ours], [], [], 0.1)[0]:
                seen += os.read(self.ours, 65536)
                if text.encode() in seen:
                    return seen.decode(errors="replace")
        raise AssertionError(f"{text!r} did not come; the last bytes were {seen[-300:]!r}")

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self.ours, keys)

    def leave(self) -> int:
        """Ctrl+Q, and the exit code."""
        self.press(b"\x11")
        return self.process.wait(60)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        # Also when a test fails: a program whose terminal is gone must not be left behind.
        self.process.kill()
        self.process.wait(60)
        os.close(self.ours)


def test_from_a_card_back_to_the_list_the_list_is_drawn_again(tmp_path: Path) -> None:
    with Terminal(tmp_path, "demo") as terminal:
        terminal.until("time saved by the fix")
        terminal.press(b"\r")
        terminal.until("Show the fix, step by step")
        terminal.press(b"\x1bOQ")
        terminal.until("time saved by the fix")
        assert terminal.leave() == 0


# Writes what each thread does into the file NAMED at every SIGUSR1.
TELLING: Final = """
import faulthandler, runpy, signal
faulthandler.register(signal.SIGUSR1, file=open({named!r}, "a"), all_threads=True)
runpy.run_module("advisor", run_name="__main__", alter_sys=True)
"""


def test_signals_to_go_on_leave_one_reader_of_keys(tmp_path: Path) -> None:
    """Textual starts another at each. With a hang-up one comes after the driver's end, and would keep a core busy."""
    told = tmp_path / "threads.txt"

    def readers(terminal: Terminal) -> int:
        told.write_text("", encoding="utf-8")  # the program appends to what it finds there
        terminal.process.send_signal(signal.SIGUSR1)
        end = time.monotonic() + 30
        # The main thread, the last one of a list, is in this module's `runpy`.
        while "in run_module\n" not in (text := told.read_text(encoding="utf-8")) and time.monotonic() < end:
            time.sleep(0.05)
        return text.count("in run_input_thread")

    with Terminal(tmp_path, "demo", start=("-c", TELLING.format(named=str(told)))) as terminal:
        terminal.until("time saved by the fix")
        assert readers(terminal) == 1
        for _ in range(3):
            terminal.process.send_signal(signal.SIGCONT)
            terminal.until("time saved by the fix")  # the screen is drawn again
        assert readers(terminal) == 1
        assert terminal.leave() == 0
