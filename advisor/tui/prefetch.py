"""What is done while nobody types, so that no key has to wait for it."""

from __future__ import annotations

import gc
import time
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Final

from advisor.tui.screens.registry import SCREENS

if TYPE_CHECKING:
    from advisor.tui.app import AdvisorApp

_AFTER_S: Final = 1.0  # without a key
_EVERY_S: Final = 0.25
_YOUNG: Final = 50_000  # new objects before Python looks for garbage among them: some 10 ms
_MANY: Final = 10  # searches of the younger generations, after which Python would search through all that there is
# What is imported when it is first needed: the screens of views, and what they ask for.
_MODULES: Final = (
    *(f"advisor.tui.screens.{module}" for module, _ in SCREENS.values()),
    "advisor.reasoning.what_if",
    "advisor.practice.api",
)


class Idle:
    """Imports what is not needed yet, a module at a time, then searches for cycles of garbage.

    A search through everything takes 0.05 s and more, and would come in the middle of some key: `spare_keys` has Python
    leave it to us, but where keys follow each other without a pause for very long.
    """

    def __init__(self, app: AdvisorApp) -> None:
        self._app = app
        self._typed = time.monotonic()
        self._modules = list(_MODULES)
        self._thread: Thread | None = None

    def begin(self) -> None:
        """Look from time to time whether there is nothing else to do."""
        self._app.set_interval(_EVERY_S, self._turn)

    def typed(self) -> None:
        """A key or the mouse: not idle."""
        self._typed = time.monotonic()

    def _turn(self) -> None:
        if time.monotonic() - self._typed < _AFTER_S or not self._app.labour.idle:
            return
        if self._thread is not None and self._thread.is_alive():
            return
        if self._modules:
            # In a thread: a key that comes now is not held up until it is done.
            self._thread = Thread(target=import_module, args=(self._modules.pop(0),), name="ahead", daemon=True)
            self._thread.start()
        elif self._thread is not None:
            self._thread = None
            gc.collect()
            gc.freeze()  # the modules stay until the end: see work.py
        elif gc.get_count()[2] >= _MANY:
            gc.collect()


def spare_keys() -> None:
    """Leave the search through everything to `Idle`, and have the others be short."""
    gc.set_threshold(_YOUNG, gc.get_threshold()[1], 10 * _MANY)
