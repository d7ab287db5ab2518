"""Wait until files change."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

Stamp = tuple[tuple[int, int] | None, ...]
_EVERY_S, _QUIET_S = 0.5, 1.0


def stamp(files: Sequence[Path]) -> Stamp:
    """Return time of change and size of each file, None for one that is missing."""
    return tuple(_of(path) for path in files)


def _of(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def until_changed(files: Sequence[Path], seen: Stamp, sleep: Callable[[float], None] = time.sleep) -> None:
    """Return when the files differ from what was seen, all exist, and none has changed for a second."""
    while True:
        now = stamp(files)
        if now != seen and None not in now:
            sleep(_QUIET_S)
            if stamp(files) == now:
                return
        sleep(_EVERY_S)
