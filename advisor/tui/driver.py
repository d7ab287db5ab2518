"""Textual's driver without its wait after Escape, and with one input thread whatever signals come."""

from __future__ import annotations

import contextlib
import os
import select
from codecs import getincrementaldecoder
from typing import Final

from textual import constants
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

_LOOKS_S: Final = 0.1  # seconds between two looks at whether the program ends
_READ: Final = 4096  # bytes at a time


class QuickDriver(LinuxDriver):
    """Textual's driver, but a lone ESC byte becomes the Escape key after `constants.ESCAPE_DELAY`.

    Textual looks every 100 ms only whether that time has passed, so that the key that is pressed most to leave a screen
    took longest of all. Terminals with the kitty protocol send no lone ESC.
    """

    def _sigcont_application(self, *_: object) -> None:
        """Start again after a stop.

        Textual starts another input thread at every SIGCONT. One comes with the hang-up of a terminal too, when the
        driver may have ended: that thread would then read the end of the input without a pause.
        """
        if self._must_signal_resume:
            super()._sigcont_application()
        else:  # SIGSTOP, or no stop at all: the signal may have come within a write, which would wait for itself
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._start_anew)

    def _start_anew(self) -> None:
        """Set up the terminal again and draw, unless the driver has ended or is suspended."""
        reads = self._key_thread is not None and self._key_thread.is_alive()
        if self._auto_restart and reads and os.isatty(self.fileno):
            self.suspend_application_mode()
            self.resume_application_mode()

    def run_input_thread(self) -> None:
        """Pass on what the terminal sends until the driver ends."""
        parser, decode = XTermParser(), getincrementaldecoder("utf-8")("replace").decode
        wait = _LOOKS_S
        while not self.exit_event.is_set():
            ready = bool(select.select([self.fileno], [], [], wait)[0])
            # Only after input there can be an ESC that waits for its rest.
            wait = constants.ESCAPE_DELAY + 0.001 if ready else _LOOKS_S
            if ready:
                text = decode(os.read(self.fileno, _READ))
                for message in parser.feed(text) if text else ():
                    self.process_message(message)
            for message in parser.tick():
                self.process_message(message)
