"""The files of a triage: which ones the arguments name, and the state file that lets an interrupted run resume.

The state is one append-only file: a line that says which run it belongs to, then a record for every file that is done.
A record that was cut short, by a crash or a full disk, ends the file: the input file it was about is read again.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import msgspec
from filelock import FileLock, Timeout

from advisor.records.errors import UsageError
from advisor.triage.tally import Part

_WRAPPINGS = (".xz", ".gz", ".zst")
# What ncu writes itself: in a folder, such a file is an error where it cannot be read.
_REPORTS = (".ncu-rep", ".nsight-cuprof-report")
# What its output is saved as: in a folder, such a file need not be a profile.
_TEXTS = (".csv", ".txt", ".log", ".out", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class File:
    """One file. label: the path as the user writes it; meant: named, or a report by its name; mtime in ns."""

    label: str
    path: str
    size: int
    mtime: int
    meant: bool


def files(paths: Sequence[Path], trouble: Callable[[str, str], None]) -> Iterator[File]:
    """The files that the arguments mean, folders in the order of names; one file may come several times.

    trouble: called with the path and the reason for each folder that cannot be listed. UsageError where a path does not
    exist.
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
                # A link that leads nowhere, or a file that went in the meantime.
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
    """A record of the state: an input file as it was when it was read, and the result."""

    path: str
    size: int
    mtime: int
    part: Part


class State:
    """The state file of a run, or none where `place` is None or the disk refuses.

    ours: the file is in our cache folder and may be overwritten, else UsageError where it is something else. trouble:
    why the file was given up: everything is still counted, but a later run cannot resume.
    """

    def __init__(self, place: Path | None, purpose: str, *, ours: bool = True) -> None:
        self.trouble = ""
        self._place = place
        self._head = _MAGIC + purpose.encode() + b"\n"
        self._file: IO[bytes] | None = None
        self._reader: IO[bytes] | None = None
        self._lock: FileLock | None = None
        self._at: dict[str, int] = {}  # input file -> place of its record
        if place is None:
            return
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            if not ours and place.exists() and place.stat().st_size and not _is_state(place):
                raise UsageError(f"{place}: is no state of a triage: name another file, or delete it")
            self._lock = FileLock(f"{place}.lock", timeout=0)
            self._lock.acquire()
            self._file = place.open("ab", buffering=0)
            self._reader = place.open("rb")
        except Timeout:
            self._lock = None
            self.trouble = "another run of the same command has it open"
        except OSError as error:
            self._give_up(error)

    def done(self) -> Iterator[Done]:
        """The records, in the order in which the files were done; what is not of this run is removed."""
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
        """Forget everything that was done."""
        self._at.clear()
        self._cut(0)

    def add(self, record: Done) -> bool:
        """Append a record; whether it is kept. After an error of the disk nothing is appended any more."""
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
        """The result of an input file, None where the state does not have it."""
        return self._read(self._at[path]).part if path in self._at else None

    def close(self, keep: bool) -> None:
        """Close the file; without `keep` it is removed."""
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
        """The record at this place; EOFError or DecodeError where it is not whole."""
        assert self._reader is not None
        self._reader.seek(at)
        head = self._reader.read(_LENGTH.size)
        length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else 0
        if not 0 < length <= os.fstat(self._reader.fileno()).st_size - at:
            raise EOFError
        return msgspec.msgpack.decode(self._reader.read(length), type=Done)

    def _cut(self, at: int) -> None:
        """Remove everything from here on; at the start, write the head."""
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
        while rest:  # an unbuffered file may take less than all
            rest = rest[self._file.write(rest) :]

    def _give_up(self, error: OSError) -> None:
        self.trouble = (error.strerror or str(error)).lower()


def _is_state(place: Path) -> bool:
    with place.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC
