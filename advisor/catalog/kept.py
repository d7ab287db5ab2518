"""What the bundled YAML says, kept in the user's cache folder: parsing it takes longer than all else that a start does.

One file, `knowledge.msgpack`: the name of a YAML file -> a digest of its text and what was parsed from that text. A
text that has changed has another digest and is parsed; a file of ours that is damaged, or cannot be read or written,
is as none. Only the knowledge and exercises that come with the program are kept, so it does not grow.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from advisor import resources
from advisor.errors import AdvisorError

T = TypeVar("T")
FILE = "knowledge.msgpack"
_LIMIT = 16 << 20  # bytes; ours has half a megabyte
# What a file that is not as we left it, or a place that cannot be, may raise: deep nesting, not UTF-8, no file, a loop.
_DAMAGED = (OSError, ValueError, RuntimeError, msgspec.MsgspecError)
_Entries = dict[str, tuple[bytes, msgspec.Raw]]


class Kept:
    """The parsed contents of the YAML files under some folders, in one file."""

    def __init__(self, file: Path | None, folders: tuple[Path, ...]) -> None:
        """file: None to keep nothing for later."""
        self._file = file
        self._folders = {f"{folder}{os.sep}": folder.name for folder in folders}
        self._entries: _Entries | None = None
        self._new = False

    def get(self, path: Path, text: str, kind: type[T]) -> T | None:
        """What was parsed from this text, as `kind`; None where it was not, or is not of that kind."""
        place, digest = self._place(path), _digest(text)
        found = self._known().get(place) if place else None
        if found is None or found[0] != digest:
            return None
        try:
            return msgspec.msgpack.decode(found[1], type=kind)
        except _DAMAGED:  # or a mistake in the YAML, which is told by its line
            return None

    def put(self, path: Path, text: str, content: Any) -> None:
        """Keep what was parsed from a text, where it is of a kind that comes back as it was."""
        place = self._place(path)
        if not place:
            return
        try:
            packed = msgspec.msgpack.encode(content)
            same = bool(msgspec.msgpack.decode(packed) == content)
        except (*_DAMAGED, TypeError, OverflowError):
            return
        if same:
            self._known()[place] = (_digest(text), msgspec.Raw(packed))
            self._new = True

    def write(self) -> None:
        """Write the file, if there is anything new; without a word where that cannot be done."""
        from advisor.files import write_bytes_whole

        if self._new and self._file is not None:
            with contextlib.suppress(*_DAMAGED, AdvisorError):
                self._file.parent.mkdir(parents=True, exist_ok=True)
                write_bytes_whole(self._file, msgspec.msgpack.encode(dict(self._known())))
                self._new = False

    def _place(self, path: Path) -> str:
        text = str(path)
        found = (name + text[len(folder) - 1 :] for folder, name in self._folders.items() if text.startswith(folder))
        return next(found, "")

    def _known(self) -> _Entries:
        if self._entries is None:
            self._entries = {}
            with contextlib.suppress(*_DAMAGED):
                if self._file is not None and self._file.is_file() and self._file.stat().st_size <= _LIMIT:
                    self._entries = msgspec.msgpack.decode(self._file.read_bytes(), type=_Entries)
        return self._entries


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@lru_cache(maxsize=1)
def kept() -> Kept:
    """What this program keeps; written when it ends."""
    folders = []
    for name in ("knowledge", "kernels"):
        with contextlib.suppress(AdvisorError):
            folders.append(resources.folder(name))
    file = None
    with contextlib.suppress(AdvisorError):
        file = resources.user_cache() / FILE
    found = Kept(file, tuple(folders))
    atexit.register(found.write)
    return found
