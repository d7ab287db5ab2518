"""The files of a triage: those that the arguments name, and the state file for resuming an interrupted run.

The state is one append-only file: a line that identifies its run, then a record for every finished file. A truncated
record, after a crash or with a full disk, ends the file; its input file is read again.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

from advisor.records.errors import UsageError
from advisor.records.own_files import make_own, why_foreign
from advisor.triage.tally import Part

_WRAPPINGS = (".xz", ".gz", ".zst")
# suffixes of files that ncu writes: an unreadable one in a folder is an error
_REPORTS = (".ncu-rep", ".ncu-repz", ".nsight-cuprof-report")
# suffixes of saved output: such a file in a folder may not be a profile
_TEXTS = (".csv", ".txt", ".log", ".out", ".yaml", ".yml")


class File(Struct, frozen=True):
    """One file. label: the path as the user writes it; meant: named, or a report by its name; mtime in ns."""

    label: str
    path: str
    size: int
    mtime: int
    meant: bool


def files(paths: Sequence[Path], trouble: Callable[[str, str], None]) -> Iterator[File]:
    """Yield the files that the arguments name, folders sorted by name; a file may occur several times.

    trouble: called with the path and the reason for each folder that cannot be listed. Raises UsageError if a path does
    not exist.
    """
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: there is no such file or folder")
    for path in paths:
        if path.is_dir():
            yield from _inside(path, trouble)
        else:
            yield _file(path, True)


def _inside(folder: Path, trouble: Callable[[str, str], None]) -> Iterator[File]:
    def failed(error: OSError) -> None:
        trouble(str(error.filename or folder), (error.strerror or "cannot be listed").lower())

    for here, below, names in os.walk(folder, onerror=failed):
        below.sort()
        for name in sorted(names):
            kind = _kind(name)
            if not kind:
                continue
            path = Path(here, name)
            try:
                yield _file(path, kind == "report")
            except OSError as error:
                # a broken link, or a file that was deleted in the meantime
                trouble(str(path), (error.strerror or "cannot be read").lower())


def _kind(name: str) -> str:
    bare = name.lower()
    for wrapping in _WRAPPINGS:
        bare = bare.removesuffix(wrapping)
    return "report" if bare.endswith(_REPORTS) else "text" if bare.endswith(_TEXTS) else ""


def _file(path: Path, meant: bool) -> File:
    found = path.stat()
    return File(str(path), os.path.realpath(path), found.st_size, found.st_mtime_ns, meant)


_MAGIC = b"ncu-advisor triage state 2 "
_LENGTH = struct.Struct("<Q")


class Done(msgspec.Struct, frozen=True):
    """A record of the state: the properties of an input file when it was read, and the result."""

    path: str
    size: int
    mtime: int
    part: Part


class State:
    """The state file of a run; there is none if `place` is None or the disk cannot store it.

    ours: the file is in our cache folder and may be overwritten; otherwise raises UsageError if it is something else.
    trouble: why writing stopped: everything is still counted, but a later run cannot resume.
    """

    def __init__(self, place: Path | None, purpose: str, *, ours: bool = True) -> None:
        self.trouble = ""
        self._place = place
        self._head = _MAGIC + purpose.encode() + b"\n"
        self._file: IO[bytes] | None = None
        self._reader: IO[bytes] | None = None
        self._lock: FileLock | None = None
        self._at: dict[str, int] = {}  # input file -> offset of its record
        if place is None:
            return
        try:
            make_own(place.parent) if ours else place.parent.mkdir(parents=True, exist_ok=True)
            if not ours and place.exists() and place.stat().st_size and not _is_state(place):
                raise UsageError(f"{place}: is not a triage state file: name another file, or delete it")
            self._lock = FileLock(f"{place}.lock", timeout=0)
            self._lock.acquire()
            self._file = os.fdopen(_opened(place, follow=not ours), "ab", buffering=0)
            self._reader = place.open("rb")
            if ours and (why := why_foreign(place)):
                raise PermissionError(errno.EPERM, why)
        except Timeout:
            self._lock = None
            self.trouble = "another run of the same command has it open"
        except OSError as error:
            self._give_up(error)

    def done(self) -> Iterator[Done]:
        """Yield the records in the order of completion; remove data that does not belong to this run."""
        if self._reader is None:
            return
        if self._reader.read(len(self._head)) != self._head:
            self.clear()
            return
        while True:
            at = self._reader.tell()
            try:
                record = self._read(at)
            except (msgspec.DecodeError, EOFError):
                self._cut(at)
                return
            after = self._reader.tell()
            self._at[record.path] = at
            yield record
            self._reader.seek(after)

    def clear(self) -> None:
        """Delete all records."""
        self._at.clear()
        self._cut(0)

    def add(self, record: Done) -> bool:
        """Append a record; return whether it was stored. After a disk error nothing more is appended."""
        if self._file is None or self.trouble:
            return False
        content = msgspec.msgpack.encode(record)
        try:
            at = self._file.seek(0, os.SEEK_END)
            self._append(_LENGTH.pack(len(content)) + content)
        except OSError as error:
            self._give_up(error)
            return False
        self._at[record.path] = at
        return True

    def part(self, path: str) -> Part | None:
        """Return the result of an input file, or None if the state does not have it."""
        return self._read(self._at[path]).part if path in self._at else None

    def close(self, keep: bool) -> None:
        """Close the file; delete it unless `keep` is set."""
        for file in (self._file, self._reader):
            if file is not None:
                file.close()
        if self._lock is not None and self._place is not None:
            with contextlib.suppress(OSError):
                if not keep:
                    self._place.unlink(missing_ok=True)
                self._lock.release()
                Path(self._lock.lock_file).unlink(missing_ok=True)

    def _read(self, at: int) -> Done:
        """Read the record at this offset. Raises EOFError or DecodeError if it is incomplete."""
        assert self._reader is not None
        self._reader.seek(at)
        head = self._reader.read(_LENGTH.size)
        length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else 0
        if not 0 < length <= os.fstat(self._reader.fileno()).st_size - at:
            raise EOFError
        return msgspec.msgpack.decode(self._reader.read(length), type=Done)

    def _cut(self, at: int) -> None:
        """Truncate the file here; at offset 0, write the header."""
        assert self._file is not None
        try:
            self._file.truncate(at)
            if at == 0:
                self._append(self._head)
        except OSError as error:
            self._give_up(error)

    def _append(self, content: bytes) -> None:
        assert self._file is not None
        rest = memoryview(content)
        while rest:  # an unbuffered file may write only part of the data
            rest = rest[self._file.write(rest) :]

    def _give_up(self, error: OSError) -> None:
        self.trouble = (error.strerror or str(error)).lower()


def _opened(path: Path, follow: bool) -> int:
    """Open a file to append to; follow: also through a link, which could lead to a file of another kind."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
    flags |= 0 if follow else getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags, 0o600)


def _is_state(place: Path) -> bool:
    with place.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
