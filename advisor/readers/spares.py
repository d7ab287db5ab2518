"""Child processes that have read a report and wait some seconds for the next request about it.

NVIDIA's library takes most of a second of each process to prepare for the text of its first instruction, longer than
most launches take to read. What is looked up in the code after a diagnosis is in the report that was just read.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable
from pathlib import Path
from typing import Final, NamedTuple

from advisor.readers.container import Limits
from advisor.records.child import Child

# Launches of a child: the library takes longer to load than most launches, and frees none of their memory.
MOST_LAUNCHES: Final = 16
_MOST_KEPT: Final = 2
_KEPT_S: Final = 15.0


class _Kept(NamedTuple):
    child: Child
    served: int  # launches that it has read
    timer: threading.Timer


class Spares:
    """Children by the report that they have read, the last ones only, each for `seconds`. For several threads."""

    def __init__(self, seconds: float = _KEPT_S, most: int = _MOST_KEPT) -> None:
        self._seconds, self._most = seconds, most
        self._lock = threading.Lock()
        self._kept: dict[Hashable, _Kept] = {}

    def keep(self, path: Path, limits: Limits, child: Child, served: int) -> None:
        """Keep a child whose jobs are all done, or close it if it has read enough launches. Takes it over."""
        if served >= MOST_LAUNCHES or not child.alive:
            child.close()
            return
        timer = threading.Timer(self._seconds, self._drop, (child,))
        timer.daemon = True
        key = _key(path, limits)
        with self._lock:
            before = self._kept.pop(key, None)
            self._kept[key] = _Kept(child, served, timer)
            surplus = [self._kept.pop(each) for each in list(self._kept)[: -self._most]]
        timer.start()
        for one in (*surplus, *([before] if before else ())):
            _end(one)

    def take(self, path: Path, limits: Limits) -> tuple[Child, int] | None:
        """Hand over the child that has read this report under these limits, and how many launches it has read."""
        with self._lock:
            found = self._kept.pop(_key(path, limits), None)
        if found is None:
            return None
        found.timer.cancel()
        if not found.child.alive:
            found.child.close()
            return None
        return found.child, found.served

    def close(self) -> None:
        """End all."""
        with self._lock:
            ending, self._kept = list(self._kept.values()), {}
        for one in ending:
            _end(one)

    def _drop(self, child: Child) -> None:
        with self._lock:
            found = [key for key, one in self._kept.items() if one.child is child]
            ending = [self._kept.pop(key) for key in found]
        for one in ending:
            _end(one)


SPARES: Final = Spares()


def _key(path: Path, limits: Limits) -> Hashable:
    return path.absolute(), limits.child_memory, limits.message_bytes


def _end(kept: _Kept) -> None:
    kept.timer.cancel()
    kept.child.close()
