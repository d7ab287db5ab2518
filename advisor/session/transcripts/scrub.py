"""What a file that leaves this machine must not tell: the user's home, the user's name, the machine's name."""

from __future__ import annotations

import contextlib
import getpass
import re
import socket
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

from advisor.records import resources
from advisor.records.errors import AdvisorError

BUNDLED = "kernels:"
_USER, _HOST = "<user>", "<host>"
_SHORTEST = 3  # a name of one or two letters is part of too many words
# Names that many machines share tell nothing, and stand in many texts.
_COMMON = frozenset({"root", "user", "admin", "localhost", "ubuntu", "home"})


class Scrubber:
    """Takes home folders, user and host names out of texts; the same text always gives the same."""

    def __init__(self, home: Path | None = None, users: Iterable[str] = (), hosts: Iterable[str] = ()) -> None:
        self._home = home
        self._patterns: list[tuple[re.Pattern[str], str]] = []
        for names, mask in ((users, _USER), (hosts, _HOST)):
            known = {n for n in names if len(n) >= _SHORTEST and n.casefold() not in _COMMON}
            for name in sorted(known, key=lambda n: (-len(n), n)):
                self._patterns.append((re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])"), mask))
        if home is not None and len(home.parts) > 1:
            for shape in dict.fromkeys((str(home), home.as_posix())):
                self._patterns.insert(0, (re.compile(rf"(?<![\w.-]){re.escape(shape)}(?![\w.-])"), "~"))

    def text(self, text: str) -> str:
        """The text without them."""
        for pattern, to in self._patterns:
            text = pattern.sub(to, text)
        return text

    def data(self, data: Any) -> Any:
        """The same of every string in JSON data, keys included."""
        if isinstance(data, str):
            return self.text(data)
        if isinstance(data, dict):
            return {self.text(k) if isinstance(k, str) else k: self.data(v) for k, v in data.items()}
        return [self.data(item) for item in data] if isinstance(data, list | tuple) else data

    def path(self, path: str) -> str:
        """The name of a file in a transcript: `kernels:…` of one that comes with the program, else without the home."""
        inside = bundled_name(path)
        return inside or self.text(PurePath(path).as_posix() if path else path)


def bundled_name(path: str) -> str:
    """`kernels:…` for a file that comes with the program, empty for any other."""
    if not path:
        return ""
    if path.startswith(BUNDLED):
        return path
    try:
        return BUNDLED + Path(path).resolve().relative_to(resources.folder("kernels").resolve()).as_posix()
    except (ValueError, OSError, AdvisorError, RuntimeError):
        return ""


def bundled_path(name: str) -> Path | None:
    """The file behind `kernels:…`; None for what leads out of that folder, or is not there."""
    if not name.startswith(BUNDLED):
        return None
    base = resources.folder("kernels").resolve()
    try:
        path = (base / name.removeprefix(BUNDLED)).resolve()
        return path if path.is_relative_to(base) and path.is_file() else None
    except (OSError, ValueError):
        return None


def of_this_machine() -> Scrubber:
    """The scrubber for this user and machine."""
    users, hosts = [], []
    with contextlib.suppress(OSError, KeyError, ImportError):
        users.append(getpass.getuser())
    try:
        home: Path | None = Path.home()
        users.append(home.name if home is not None else "")
    except RuntimeError:
        home = None
    try:
        host = socket.gethostname()
        hosts += [host, host.partition(".")[0]]
    except OSError:
        pass
    return Scrubber(home, users, hosts)
