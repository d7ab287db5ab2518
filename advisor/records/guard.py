"""Confine this process to reading one folder: no other files, no writing, no other programs, no network.

An audit hook of Python sees each file, folder, process and connection before it is opened, whichever part of the
program asks for it, and cannot be removed again. It does not see the native code of installed packages, nor questions
whether a file exists: what takes a path from the user also checks it first (`is_within`).
"""

from __future__ import annotations

import errno
import os
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from advisor.records import resources
from advisor.records.escapes import printable

_SHOWN: Final = 200  # characters of a path in a message
# Facts about this machine that Python and packages read: time zone, processors, memory.
_SYSTEM: Final = (
    *("/dev/null", "/dev/urandom", "/etc/localtime", "/usr/share/zoneinfo", "/proc/self/status", "/proc/self/statm"),
    *("/proc/self/cgroup", "/proc/cpuinfo", "/proc/meminfo", "/sys/fs/cgroup", "/sys/devices/system/cpu"),
)
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Event -> the number of its first arguments that are paths which it changes.
_CHANGES: Final = {
    **dict.fromkeys(("os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.chown", "os.utime"), 1),
    **dict.fromkeys(("os.setxattr", "os.removexattr", "os.chflags"), 1),
    **dict.fromkeys(("os.rename", "os.link", "os.symlink"), 2),
}
_PROGRAMS: Final = frozenset(
    ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "pty.spawn", "webbrowser.open")
)
_NETWORK: Final = frozenset(("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"))


def is_within(path: str | Path, root: Path) -> bool:
    """Return whether a path, links followed, is below the root or comes with this program.

    False for what is no path: a NUL byte, a loop of links, a name that is too long.
    """
    try:
        real = Path(path).resolve()
        if real.is_symlink():  # a loop, which raises no error since Python 3.13
            return False
    except (OSError, ValueError, RuntimeError):
        return False
    return any(real.is_relative_to(folder) for folder in (root.resolve(), resources.folder("kernels").resolve()))


def refused(path: str | Path) -> str:
    """Return the text about a path outside the root; it does not say whether the file exists."""
    return f"{printable(str(path)[:_SHOWN])}: is outside the folder that this session may read"


def confine(folders: Sequence[Path], may_start: Callable[[Sequence[str]], bool]) -> None:
    """Confine this process, for the rest of its life, to reading these folders, itself and its packages.

    It may write to its folder for temporary files only. may_start: whether a command may be started as a child process,
    which is not confined. Denied calls raise PermissionError.
    """
    sys.dont_write_bytecode = True
    writable = _Places([Path(tempfile.gettempdir()), Path(os.devnull)])
    readable = _Places([*folders, *_own(), *map(Path, _SYSTEM), Path(tempfile.gettempdir())])
    allowed = threading.local()  # the permitted command that this thread starts next

    def hook(event: str, given: tuple[Any, ...]) -> None:
        if event == "open":
            if isinstance(given[2], int) and given[2] & _WRITES:
                writable.need(given[0], "this session writes no files")
            else:
                readable.need(given[0], "this session may not read it")
        elif event in ("os.listdir", "os.scandir"):
            readable.need(given[0], "this session may not read it")
        elif event in _CHANGES:
            for path in given[: _CHANGES[event]]:
                writable.need(path, "this session changes no files")
        elif event == "sqlite3.connect":
            readable.need(_database(given[0]), "this session may not read it")
        elif event == "subprocess.Popen":
            if isinstance(given[1], str) or not may_start([str(part) for part in given[1]]):
                raise PermissionError(errno.EPERM, "this session starts no programs")
            allowed.command = given[1]
        elif event == "os.posix_spawn" and list(given[1]) == list(getattr(allowed, "command", ())):
            allowed.command = ()  # `subprocess` starts a child in this way since Python 3.13
        elif event in _PROGRAMS:
            raise PermissionError(errno.EPERM, "this session starts no programs")
        elif event in _NETWORK:
            raise PermissionError(errno.EPERM, "this session makes no connections")

    sys.addaudithook(hook)


class _Places:
    """Folders with all that is below them, and files; symbolic links are followed first."""

    def __init__(self, places: Iterable[Path]) -> None:
        self._real = frozenset(os.path.realpath(place) for place in places)
        self._below = tuple(place.rstrip(os.sep) + os.sep for place in self._real)

    def need(self, path: Any, why: str) -> None:
        """Raise PermissionError unless the path is in one of the places; a number is a file that is open already."""
        if isinstance(path, int):
            return
        text = os.fsdecode("." if path is None else path)
        if not text:
            return  # the system itself refuses an empty name
        real = os.path.realpath(text)
        if real not in self._real and not real.startswith(self._below):
            raise PermissionError(errno.EACCES, why, text)


def _own() -> list[Path]:
    """Return the folders of this program, its packages and its Python, and those that it imports from."""
    package = Path(__file__).resolve().parents[1]
    data = (package.parent / name for name in ("knowledge", "kernels", "transcripts"))  # of a checkout
    paths = sysconfig.get_paths()
    python = (paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    # An entry of the path is a folder of packages; the working folder is not.
    imported = (entry for entry in sys.path if entry and Path(entry).resolve() != Path.cwd())
    return [package, *data, *map(Path, (*python, *imported))]


def _database(name: Any) -> Any:
    """Return the path of a database; a URI names it before its parameters."""
    if isinstance(name, str) and name.startswith("file:"):
        from urllib.parse import unquote, urlsplit

        return unquote(urlsplit(name).path)
    return name
