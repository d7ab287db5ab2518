"""End a session on a signal or when its terminal closes: restore the terminal and exit."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterator
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
        self._was_terminal = False
        with contextlib.suppress(Exception):
            import termios

            self._settings = termios.tcgetattr(sys.__stdin__.fileno())  # type: ignore[union-attr]
            self._was_terminal = True

    def watch(self, app: App[int]) -> None:
        """End the running app on a signal, or when its terminal closes."""
        if app.is_headless:
            return
        self._app, self._loop = app, asyncio.get_running_loop()
        if self._number:
            self._exit()
        if self._was_terminal:
            app.set_interval(_LOOKED_EVERY_S, self._look)

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
        """End the app if the terminal has closed: its driver would read the end of the input in an endless loop."""
        if self._gone():
            ending.end(_HANGUP)

    def _gone(self) -> bool:
        return self._was_terminal and not os.isatty(sys.__stdin__.fileno())  # type: ignore[union-attr]

    @contextlib.contextmanager
    def during(self) -> Iterator[None]:
        """Handle signals and a closed terminal while the session runs."""
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
