"""Temporary folders: removed when they are no longer needed, and those of killed runs at the next start.

A folder is named `ncu-advisor-scratch-PID-…` and holds a file `lock`, which its process keeps locked while it lives.
Where the system has no such locks, folders of killed runs are removed after a day.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PREFIX = "ncu-advisor-scratch-"
_LOCK = "lock"
_NAME = re.compile(re.escape(PREFIX) + r"(\d{1,10})-\w+")
# A folder is made before its lock is taken: one younger than this is left alone.
_FRESH_S = 60.0
_WITHOUT_LOCKS_S = 86_400.0
_MOST_LOOKED_AT = 100_000
_TRIES = 5

_live: weakref.WeakSet[ScratchFolder] = weakref.WeakSet()


class ScratchFolder(tempfile.TemporaryDirectory[str]):
    """A temporary folder, as tempfile.TemporaryDirectory. OSError where none can be made."""

    def __init__(self) -> None:
        super().__init__(prefix=f"{PREFIX}{os.getpid()}-", ignore_cleanup_errors=True)
        self._owner = os.getpid()
        self._lock: Any = None
        _live.add(self)
        with contextlib.suppress(OSError, ImportError):
            self._lock = _locked(Path(self.name))

    def cleanup(self) -> None:
        """Remove the folder; does nothing in a fork of the process that made it."""
        _live.discard(self)
        if os.getpid() != self._owner:
            return
        try:
            # A process that is being ended may still write into it.
            for _ in range(_TRIES):
                super().cleanup()
                if not os.path.lexists(self.name):
                    break
                time.sleep(0.02)
                shutil.rmtree(self.name, ignore_errors=True)
        finally:
            if self._lock is not None:
                self._lock.close()


def remove_all() -> None:
    """Remove the folders of this process at once, as before it is ended by force."""
    for folder in tuple(_live):
        with contextlib.suppress(Exception):
            folder.cleanup()


def remove_of(process: int) -> None:
    """Remove the folders of a process of ours that has ended."""
    for path, pid in _folders():
        if pid == process:
            _remove(path)


def sweep() -> int:
    """Remove the folders that killed runs of this user left behind; how many they were. Never raises."""
    removed = 0
    with contextlib.suppress(OSError):
        for path, pid in _folders():
            if pid != os.getpid() and _abandoned(path):
                removed += _remove(path)
    return removed


def _folders() -> Iterator[tuple[Path, int]]:
    """This user's folders of ours, and the process that made each. Links are none."""
    own = getattr(os, "getuid", int)()
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as found:
        for number, entry in enumerate(found):
            if number >= _MOST_LOOKED_AT:
                return
            match = _NAME.fullmatch(entry.name)
            if match is None:
                continue
            with contextlib.suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(about.st_mode) and (about.st_uid == own or os.name != "posix"):
                    yield Path(entry.path), int(match[1])


def _abandoned(path: Path) -> bool:
    """Whether the process that made a folder has ended."""
    age = time.time() - path.lstat().st_mtime
    if os.name != "posix":
        return age > _WITHOUT_LOCKS_S
    try:
        lock = _locked(path, make=False)
    except FileNotFoundError:
        return age > _FRESH_S
    except OSError:  # locked: it lives; or not ours to open
        return False
    lock.close()
    return True


def _locked(folder: Path, make: bool = True) -> Any:
    """The folder's lock file, open and locked; OSError where another process holds it."""
    import fcntl

    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT | os.O_EXCL if make else 0)
    handle = os.open(folder / _LOCK, flags, 0o600)
    file = os.fdopen(handle, "rb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise
    return file


def _remove(path: Path) -> bool:
    """Remove a folder without following links; whether it is gone."""
    shutil.rmtree(path, ignore_errors=True)
    return not os.path.lexists(path)
