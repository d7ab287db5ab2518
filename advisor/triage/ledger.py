"""Which files a list of files and folders means: every one that is named, and in folders those that may be profiles.

The ledger of one run: which files are done, and what they add up to, in a database that one file changes at a time.

Memory stays flat, since groups lie on the disk; and an interrupted run goes on, since a file is either in with all its
launches or not at all.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from advisor.records.errors import UsageError
from advisor.triage.one_file import Part, Row
from advisor.triage.tally import Key, Tally, back_of

_WRAPPINGS = (".xz", ".gz", ".zst")


# What ncu writes itself: such a file in a folder is meant to be read, and one that cannot be read is told.
_REPORTS = (".ncu-rep", ".nsight-cuprof-report")


# What its output is saved as: in a folder such a file may be anything, and is asked whether it is a profile.
_TEXTS = (".csv", ".txt", ".log", ".out", ".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class File:
    """One file. label: the path as the user would write it; meant: named, or by its name a report; mtime in ns."""

    label: str
    path: str
    size: int
    mtime: int
    meant: bool


def files(paths: Sequence[Path], trouble: Callable[[str, str], None]) -> Iterator[File]:
    """Each file once (links to one file are that file), folders in the order of names.

    Folders that cannot be listed are told to `trouble` with the reason. UsageError where a path is not there.
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


OPEN, DONE, FAILED, FOREIGN, AGAIN = range(5)


# Schema of the database: one of another number is begun anew.
VERSION = 1


APPLICATION = 0x6E637574  # marks a database as ours, at byte 68 of its header


_TABLES = """
CREATE TABLE run (purpose TEXT NOT NULL);
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, label TEXT NOT NULL, size INTEGER NOT NULL,
  mtime INTEGER NOT NULL, meant INTEGER NOT NULL, state INTEGER NOT NULL,
  seen INTEGER NOT NULL DEFAULT 0, tool TEXT, form TEXT, sha256 TEXT,
  launches INTEGER NOT NULL DEFAULT 0, complete INTEGER NOT NULL DEFAULT 1, missing INTEGER, problems TEXT,
  refused TEXT, used TEXT);
CREATE INDEX open_files ON files (state, id);
CREATE TABLE groups (key BLOB PRIMARY KEY, tally BLOB NOT NULL, back INTEGER NOT NULL, time INTEGER NOT NULL)
  WITHOUT ROWID;
CREATE INDEX by_back ON groups (back DESC, time DESC, key);
CREATE TABLE rows (file INTEGER PRIMARY KEY, content BLOB NOT NULL);
"""


_PAGE = 256


class Ledger:
    """A database in a file, or in memory where `place` is None or the disk refuses.

    `trouble` says why the file was given up: then everything is still counted, but a later run cannot go on from it.
    ours: what lies there may be deleted if it does not fit, else UsageError unless it is a state of a triage;
    most_pages: a bound on the database in pages of 4 KiB, 0 for none.
    """

    def __init__(self, place: Path | None, purpose: str, *, ours: bool = True, most_pages: int = 0) -> None:
        self.place = place
        self.trouble = ""
        self.resumed = False
        self._purpose = purpose
        self._ours = ours
        self._owned = False  # another run's state is not ours to delete
        self._most = most_pages
        self._base: sqlite3.Connection | None = None
        if place is not None:
            try:
                self._base = self._opened(place)
                self._owned = True
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)
        if self._base is None:
            self._base = self._made(sqlite3.connect(":memory:"))

    @property
    def base(self) -> sqlite3.Connection:
        """The database."""
        assert self._base is not None
        return self._base

    def _opened(self, place: Path) -> sqlite3.Connection:
        place.parent.mkdir(parents=True, exist_ok=True)
        if not self._ours and place.exists() and place.stat().st_size and not _is_state(place):
            raise UsageError(f"{place}: is no state of a triage: name another file, or delete it")
        known = None
        base = sqlite3.connect(place, timeout=1)
        try:
            _prepare(base)
            (version,) = base.execute("PRAGMA user_version").fetchone()
            known = base.execute("SELECT purpose FROM run").fetchone() if version == VERSION else None
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                base.close()
                raise
        except sqlite3.DatabaseError:
            pass
        if known != (self._purpose,):
            base.close()
            _remove(place)
            # Made before the write-ahead log is on: the mark must stand in the file itself.
            base = self._made(sqlite3.connect(place, timeout=1))
            _prepare(base)
        self.resumed = known == (self._purpose,)
        if self._most:
            base.execute(f"PRAGMA max_page_count = {int(self._most)}")
        return base

    def _made(self, base: sqlite3.Connection) -> sqlite3.Connection:
        base.executescript(_TABLES)
        base.execute("INSERT INTO run VALUES (?)", (self._purpose,))
        base.execute(f"PRAGMA application_id = {APPLICATION}")
        base.execute(f"PRAGMA user_version = {VERSION}")
        base.commit()
        return base

    def _give_up(self, error: Exception) -> None:
        busy = "another run of the same command has it open"
        self.trouble = busy if "locked" in str(error) else str(error)

    def _change(self, change: Callable[[sqlite3.Connection], object]) -> None:
        """One transaction; where the disk refuses it, in memory from here on, with all that was done before."""
        try:
            with self.base:
                change(self.base)
        except sqlite3.Error as error:
            if self.place is None or self.trouble:
                raise
            self._give_up(error)
            memory = sqlite3.connect(":memory:")
            self.base.backup(memory)
            self.base.close()
            self._base = memory
            with memory:
                change(memory)

    # Files

    def enter(self, found: Iterable[File]) -> bool:
        """The files to do; False where a file that is done has changed or gone since, so that all must begin anew."""
        (before,) = self.base.execute("SELECT coalesce(max(seen), 0) FROM files").fetchone()
        for page in _pages(found):
            if not self._enter(page, before + 1):
                return False
        sql = "SELECT 1 FROM files WHERE seen <= ? AND state NOT IN (?, ?) LIMIT 1"
        if self.base.execute(sql, (before, OPEN, AGAIN)).fetchone():
            return False

        def tidy(base: sqlite3.Connection) -> None:
            base.execute("DELETE FROM files WHERE seen <= ?", (before,))
            # What the machine was to blame for is tried again.
            base.execute("UPDATE files SET state = ? WHERE state = ?", (OPEN, AGAIN))

        self._change(tidy)
        return True

    def _enter(self, page: Sequence[File], seen: int) -> bool:
        for file in page:
            known = self.base.execute("SELECT size, mtime, state FROM files WHERE path = ?", (file.path,)).fetchone()
            if known and known[2] not in (OPEN, AGAIN) and known[:2] != (file.size, file.mtime):
                return False
        sql = (
            "INSERT INTO files (path, label, size, mtime, meant, state, seen) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, seen = excluded.seen, "
            "meant = max(meant, excluded.meant)"
        )
        values = [(f.path, f.label, f.size, f.mtime, int(f.meant), OPEN, seen) for f in page]
        self._change(lambda base: base.executemany(sql, values))
        return True

    def begin_anew(self) -> None:
        """Forget everything that was done."""

        def clear(base: sqlite3.Connection) -> None:
            for table in ("files", "groups", "rows"):
                base.execute(f"DELETE FROM {table}")

        self.resumed = False
        self._change(clear)

    def open_files(self) -> Iterator[tuple[int, str, str, int]]:
        """(id, path, label, size) of each file that is to do, in the order in which they were found."""
        last = -1
        while True:
            page = self.base.execute(
                "SELECT id, path, label, size FROM files WHERE state = ? AND id > ? ORDER BY id LIMIT ?",
                (OPEN, last, _PAGE),
            ).fetchall()
            if not page:
                return
            yield from page
            last = page[-1][0]

    # What they add up to

    def fold(self, file: int, part: Part) -> None:
        """Mark a file as done and add what it gives, both or neither."""
        self._change(lambda base: self._fold(base, file, part))

    def _fold(self, base: sqlite3.Connection, file: int, part: Part) -> None:
        (meant,) = base.execute("SELECT meant FROM files WHERE id = ?", (file,)).fetchone()
        state = DONE
        if part.refused:
            state = AGAIN if part.again else FOREIGN if part.foreign and not meant else FAILED
        base.execute(
            "UPDATE files SET state = ?, tool = ?, form = ?, sha256 = ?, launches = ?, complete = ?, missing = ?, "
            "problems = ?, refused = ?, used = ? WHERE id = ?",
            (state, part.tool, part.form, part.sha256, part.launches, int(part.complete), part.missing,
             _text(part.problems), part.refused, _text(part.used), file),
        )  # fmt: skip
        for key, tally in part.groups:
            packed = msgspec.msgpack.encode(key)
            known = base.execute("SELECT tally FROM groups WHERE key = ?", (packed,)).fetchone()
            if known:
                before = msgspec.msgpack.decode(known[0], type=Tally)
                before.merge(tally)
                tally = before
            values = (packed, msgspec.msgpack.encode(tally), back_of(tally), tally.duration_ps)
            base.execute("INSERT OR REPLACE INTO groups VALUES (?, ?, ?, ?)", values)
        if part.rows:
            base.execute("INSERT OR REPLACE INTO rows VALUES (?, ?)", (file, msgspec.msgpack.encode(part.rows)))

    def groups(self, most: int | None = None) -> Iterator[tuple[Key, Tally]]:
        """Groups by what their fix gives back, then by their time; the `most` first of them, or all."""
        sql = "SELECT key, tally FROM groups ORDER BY back DESC, time DESC, key LIMIT ?"
        for key, tally in self.base.execute(sql, (-1 if most is None else most,)):
            yield msgspec.msgpack.decode(key, type=Key), msgspec.msgpack.decode(tally, type=Tally)

    def rows(self) -> Iterator[tuple[str, list[Row]]]:
        """The launches of each file, file by file in the order in which they were found; label and rows."""
        sql = "SELECT label, content FROM rows JOIN files ON files.id = rows.file ORDER BY file"
        for label, content in self.base.execute(sql):
            yield label, msgspec.msgpack.decode(content, type=list[Row])

    def select(self, sql: str, values: Iterable[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Rows of a query over `files` and `groups`."""
        yield from self.base.execute(sql, tuple(values))

    def close(self, keep: bool) -> None:
        """Close it; without `keep` the file goes."""
        self.base.close()
        if self.place is not None and self._owned and not keep:
            with contextlib.suppress(OSError):
                _remove(self.place)


def _prepare(base: sqlite3.Connection) -> None:
    # One run at a time. A power cut may cost the last files done, never the database.
    base.execute("PRAGMA locking_mode = EXCLUSIVE")
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = NORMAL")
    base.execute("PRAGMA temp_store = MEMORY")


def _is_state(place: Path) -> bool:
    with place.open("rb") as file:
        head = file.read(72)
    return head.startswith(b"SQLite format 3\0") and head[68:72] == APPLICATION.to_bytes(4, "big")


def _remove(place: Path) -> None:
    for name in (place.name, f"{place.name}-wal", f"{place.name}-shm"):
        place.with_name(name).unlink(missing_ok=True)


def _text(values: Iterable[str]) -> str:
    return msgspec.json.encode(list(values)).decode()


def _pages(found: Iterable[File]) -> Iterator[list[File]]:
    files = iter(found)
    while page := list(islice(files, _PAGE)):
        yield page
