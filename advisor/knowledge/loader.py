"""Read knowledge YAML files into their schemas; every mistake is a KnowledgeError that begins with file:line.

`plain_yaml` parses the text and finds the lines of mistakes; it is imported when one of both is needed.

Parsing takes longer than anything else at start-up, so parsed files are cached in the user's cache folder, in one file,
`knowledge.msgpack`. It has each YAML file's name, a digest of its text, and the parsed content. Only the bundled
knowledge and exercises are cached, so its size is bounded; a cache that is damaged, or that another user could have
written, is ignored.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from advisor.records import resources
from advisor.records.errors import AdvisorError, KnowledgeError
from advisor.records.own_files import read_own, write_own
from advisor.records.regular_files import why_special

T = TypeVar("T")
_LIMIT = 4 << 20  # bytes; far above any bundled file, so that a malicious one cannot fill the memory


def read_text(path: Path) -> str:
    """Return the file's text. Raises KnowledgeError if it cannot be read, is not UTF-8 or is too large."""
    try:
        if why := why_special(path):
            raise KnowledgeError(f"{path}:1: {why}")
        if path.stat().st_size > _LIMIT:
            raise KnowledgeError(f"{path}:1: over {_LIMIT >> 20} MiB: not a knowledge file")
        return path.read_text(encoding="utf-8")
    except OSError as e:
        raise KnowledgeError(f"{path}:1: cannot be read: {e.strerror}") from None
    except UnicodeDecodeError:
        raise KnowledgeError(f"{path}:1: not UTF-8 text") from None


def load(path: Path, kind: type[T]) -> T:
    """Return the content of a YAML file as `kind`, a msgspec type. Rejects aliases and tags beyond plain YAML."""
    text = read_text(path)
    before = parse_cache().get(path, text, kind)
    if before is not None:
        return before

    from advisor.knowledge.plain_yaml import line_of, parse  # PyYAML loads slowly, and most files are cached

    raw = parse(path, text)
    try:
        found = msgspec.convert(raw if raw is not None else {}, kind)
    except msgspec.ValidationError as e:
        message, _, where = str(e).partition(" - at ")
        raise KnowledgeError(f"{path}:{line_of(text, where.strip('`'))}: {message}") from None
    parse_cache().put(path, text, raw)
    return found


def key_line(path: Path, *keys: str) -> int:
    """Return the line, from 1, of the nested `keys` in the file; 1 if they are missing."""
    from advisor.knowledge.plain_yaml import line_of  # as in `load`

    return line_of(read_text(path), "".join(f".{k}" if not k.isdigit() else f"[{k}]" for k in keys))


def load_mapping(path: Path, kind: type[T]) -> dict[str, T]:
    """Load a file that maps ids to entries of one kind. Each entry is checked separately, so errors name its line."""
    raw = load(path, dict[str, Any])
    out: dict[str, T] = {}
    for key, value in raw.items():
        try:
            out[key] = msgspec.convert(value, kind)
        except msgspec.ValidationError as e:
            message, _, where = str(e).partition(" - at ")
            raise KnowledgeError(f"{path}:{entry_line(path, key, message, where)}: {key}: {message}") from None
    return out


def entry_line(path: Path, key: str, message: str = "", where: str = "") -> int:
    """Return the line, from 1, of the entry's field that a msgspec error names, or of the entry's key."""
    rows = read_text(path).splitlines()
    start = next((i for i, row in enumerate(rows) if re.match(rf"['\"]?{re.escape(key)}['\"]?\s*:", row)), 0)
    end = next((i for i in range(start + 1, len(rows)) if re.match(r"\S", rows[i])), len(rows))
    for name in (*re.findall(r"\.([^.\[\]`]+)", where), *re.findall(r"`([^`]+)`", message)):
        for i in range(start, end):
            if re.search(rf"(^|[\s{{,]){re.escape(name)}\s*:", rows[i]):
                return i + 1
    return start + 1


FILE = "knowledge.msgpack"
_CACHE_LIMIT = 16 << 20  # bytes; the bundled knowledge takes half a megabyte
# Exceptions of a changed cache file or an impossible path: deep nesting, not UTF-8, no file, a symlink loop.
_DAMAGED = (OSError, ValueError, RuntimeError, msgspec.MsgspecError)
_Entries = dict[str, tuple[bytes, msgspec.Raw]]


class ParseCache:
    """A cache, in one file, of the parsed contents of the YAML files under some folders."""

    def __init__(self, file: Path | None, folders: tuple[Path, ...]) -> None:
        """Create the cache. file: None to store nothing on disk."""
        self._file = file
        self._folders = {f"{folder}{os.sep}": folder.name for folder in folders}
        self._entries: _Entries | None = None
        self._new = False

    def get(self, path: Path, text: str, kind: type[T]) -> T | None:
        """Return the cached content of this text as `kind`, or None if it is missing or of another type."""
        place, digest = self._place(path), _digest(text)
        found = self._known().get(place) if place else None
        if found is None or found[0] != digest:
            return None
        try:
            return msgspec.msgpack.decode(found[1], type=kind)
        except _DAMAGED:  # or a mistake in the YAML, which the caller reports with its line
            return None

    def put(self, path: Path, text: str, content: Any) -> None:
        """Cache the parsed content of a text, if its type survives the round trip unchanged."""
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
        """Write the file if there is anything new; ignore errors. A link could lead to a file of another kind."""
        if self._new and self._file is not None:
            with contextlib.suppress(*_DAMAGED, AdvisorError):
                if self._file.is_symlink():
                    return
                write_own(self._file, msgspec.msgpack.encode(dict(self._known())))
                self._new = False

    def _place(self, path: Path) -> str:
        text = str(path)
        found = (name + text[len(folder) - 1 :] for folder, name in self._folders.items() if text.startswith(folder))
        return next(found, "")

    def _known(self) -> _Entries:
        if self._entries is None:
            self._entries = {}
            with contextlib.suppress(*_DAMAGED):
                if self._file is not None:
                    self._entries = msgspec.msgpack.decode(read_own(self._file, _CACHE_LIMIT), type=_Entries)
        return self._entries


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@lru_cache(maxsize=1)
def parse_cache() -> ParseCache:
    """Return the cache of this program; it is written at exit."""
    folders = []
    for name in ("knowledge", "kernels"):
        with contextlib.suppress(AdvisorError):
            folders.append(resources.folder(name))
    file = None
    with contextlib.suppress(AdvisorError):
        file = resources.user_cache() / FILE
    found = ParseCache(file, tuple(folders))
    atexit.register(found.write)
    return found
