"""End a session on a signal or when its terminal closes: restore the terminal and exit."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any

from textual.app import App

from advisor.records import ending

_LOOKED_EVERY_S = 1.0
_HANGUP = int(getattr(signal, "SIGHUP", signal.SIGTERM))
# Turns off alternate screen, mouse and focus reporting, bracketed paste, keyboard protocol and hidden cursor.
_RESET = (
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[?1049l\x1b[?25h\x1b[0m"
)


class Leaving:
    """Holds the running app and the terminal settings from before it started."""

    def __init__(self) -> None:
        self._app: App[int] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._number = 0
        self._settings: Any = None
        self._left = threading.Event()
        # Not isatty: the terminal may have closed since the program started.
        self._was_terminal = _is_device()
        with contextlib.suppress(Exception):
            import termios

            self._settings = termios.tcgetattr(sys.__stdin__.fileno())  # type: ignore[union-attr]

    def watch(self, app: App[int]) -> None:
        """End the running app on a signal, or when its terminal closes."""
        if app.is_headless:
            return
        self._app, self._loop = app, asyncio.get_running_loop()
        if self._number:
            self._exit()

    def stop(self, number: int) -> None:
        """End the session because of a signal; if the app does not run yet, wait until it does."""
        self._number = number
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._exit)

    def restore(self) -> None:
        """Restore the terminal without the app."""
        with contextlib.suppress(Exception):
            os.write(sys.__stderr__.fileno(), _RESET.encode())  # type: ignore[union-attr]
        if self._settings is not None:
            with contextlib.suppress(Exception):
                import termios

                termios.tcsetattr(sys.__stdin__.fileno(), termios.TCSANOW, self._settings)  # type: ignore[union-attr]

    def _exit(self) -> None:
        if self._app is not None:
            self._app.exit(128 + self._number)

    def _look(self) -> None:
        """End the app when the terminal closes, which not every terminal tells by a signal.

        This needs a thread: the app may be waiting for the terminal to take what it draws.
        """
        while not self._left.wait(_LOOKED_EVERY_S):
            if self._gone():
                self._silence()
                ending.end(_HANGUP)
                return

    def _silence(self) -> None:
        """Disconnect the app from a terminal that has closed.

        Its input thread would read the end of the input without a pause, and its writer has ended, so that the queue
        before it fills up and then blocks the app.
        """
        driver: Any = getattr(self._app, "_driver", None)
        writer, event = getattr(driver, "_writer_thread", None), getattr(driver, "exit_event", None)
        if event is not None:
            event.set()
        if writer is not None:
            driver.write = lambda data: None
            driver._writer_thread = None
            with contextlib.suppress(Empty):
                while True:
                    writer._queue.get_nowait()

    def _gone(self) -> bool:
        return self._was_terminal and not os.isatty(sys.__stdin__.fileno())  # type: ignore[union-attr]

    @contextlib.contextmanager
    def during(self) -> Iterator[None]:
        """Handle signals and a closed terminal while the session runs."""
        if self._was_terminal:
            threading.Thread(target=self._look, name="terminal", daemon=True).start()
        with ending.session(self.stop, self.restore):
            try:
                yield
            except Exception as error:
                self.restore()
                if self._gone():
                    raise ending.Stopped(_HANGUP) from error
                raise
            except BaseException:
                self.restore()
                raise
            finally:
                self._left.set()


def _is_device() -> bool:
    """Return whether the input is a device other than /dev/null: a terminal, even one that has closed."""
    with contextlib.suppress(Exception):
        about = os.fstat(sys.__stdin__.fileno())  # type: ignore[union-attr]
        return stat.S_ISCHR(about.st_mode) and about.st_rdev != Path(os.devnull).stat().st_rdev
    return False
