"""Temporary folders, removed after use; those of killed runs are removed at the next start.

A folder is named `ncu-advisor-scratch-PID-…` and contains a file `lock`, which its process keeps locked while it runs.
An empty one, whose process was killed before it had the lock, or after it let go of it, is removed once it is a minute
old. On systems without such locks, folders of killed runs are removed after a day.
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
_UNLOCKED = "unlocked"
_NAME = re.compile(re.escape(PREFIX) + r"(\d{1,10})-\w+")
# A folder is created before it is locked, so a younger one is not removed.
_FRESH_S = 60.0
_WITHOUT_LOCKS_S = 86_400.0
_MOST_LOOKED_AT = 100_000
_TRIES = 5

_live: weakref.WeakSet[ScratchFolder] = weakref.WeakSet()


class ScratchFolder(tempfile.TemporaryDirectory[str]):
    """A temporary folder like tempfile.TemporaryDirectory. Raises OSError if it cannot be created."""

    def __init__(self) -> None:
        super().__init__(prefix=f"{PREFIX}{os.getpid()}-", ignore_cleanup_errors=True)
        self._owner = os.getpid()
        self._lock: Any = None
        _live.add(self)
        with contextlib.suppress(OSError, ImportError):
            self._lock = _locked(Path(self.name))

    def cleanup(self) -> None:
        """Remove the folder; do nothing in a fork of the process that created it."""
        _live.discard(self)
        if os.getpid() != self._owner:
            return
        try:
            # The lock goes last: what lies beside it is found at the next start, even if this process is killed here.
            _clear(Path(self.name))
            # A process that is about to end may still write to it.
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
    """Remove the folders of this process immediately, for example before it is killed."""
    for folder in tuple(_live):
        with contextlib.suppress(Exception):
            folder.cleanup()


def remove_of(process: int) -> None:
    """Remove the folders of a child process that has ended."""
    for path, pid in _folders():
        if pid == process:
            _remove(path)


def sweep() -> int:
    """Remove the folders of this user's killed runs and return their number. Never raises."""
    removed = 0
    with contextlib.suppress(OSError):
        for path, pid in _folders():
            if pid != os.getpid() and _abandoned(path):
                removed += _remove(path)
    return removed


def _folders() -> Iterator[tuple[Path, int]]:
    """Yield this user's scratch folders and the process that created each, without symbolic links."""
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
    """Return whether the process that created a folder has ended."""
    age = time.time() - path.lstat().st_mtime
    if os.name != "posix":
        return age > _WITHOUT_LOCKS_S
    try:
        lock = _locked(path, make=False)
    except FileNotFoundError:
        return age > _FRESH_S
    except OSError:  # locked by a running process, or no permission
        return False
    lock.close()
    return True


def _locked(folder: Path, make: bool = True) -> Any:
    """Open and lock the folder's lock file. Raises OSError if another process has locked it.

    A new file gets its name once it is locked: another process that starts meanwhile must not find it unlocked.
    """
    import fcntl

    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT | os.O_EXCL if make else 0)
    path = folder / (_UNLOCKED if make else _LOCK)
    handle = os.open(path, flags, 0o600)
    file = os.fdopen(handle, "rb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise
    if make:
        path.rename(folder / _LOCK)
    return file


def _clear(folder: Path) -> None:
    """Remove all in a folder but its lock, without following links, as far as possible."""
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            if entry.name == _LOCK:
                continue
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    Path(entry.path).unlink()


def _remove(path: Path) -> bool:
    """Remove a folder without following links; return whether it was removed."""
    shutil.rmtree(path, ignore_errors=True)
    return not os.path.lexists(path)
