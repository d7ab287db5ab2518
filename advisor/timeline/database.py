"""An SQLite export, opened so that nothing in it can do harm, and its columns read into arrays whatever its version."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from advisor.errors import InputError

Array = np.ndarray[Any, np.dtype[Any]]

MAGIC = b"SQLite format 3\0"
MOST_ROWS = 8_000_000  # of one table: under 2 GB of columns while they are sorted; a longer trace is looked at in parts
_PIECE = 1 << 18
_MOST_TEXT = 1 << 20  # bytes of one value; a kernel's name in templates takes some kilobytes
_BATCH = 500  # values in one IN (…)


def check_size(path: Path, head: bytes) -> None:
    """InputError for a file that is shorter than its own header says, which reading would notice late or never."""
    size = int.from_bytes(head[16:18], "big")
    pages, changed, valid = (int.from_bytes(head[at : at + 4], "big") for at in (28, 24, 92))
    size = 65536 if size == 1 else size
    whole = size * pages
    if changed == valid and whole > path.stat().st_size:
        raise InputError(
            f"{path.name}: cut short, {path.stat().st_size:,} of {whole:,} bytes: copy it again, or export it again"
        )


class Database:
    """Real tables only: views, virtual tables and triggers of a foreign file are not looked at."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self._connection = connection
        self.name = name
        self._spelled: dict[str, int] = {}
        connection.create_function("spelled", 1, self._number)
        found = self._rows("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'")
        self.tables = frozenset(str(table) for table, _ in found)
        self._columns: dict[str, frozenset[str]] = {}

    def _rows(self, sql: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        with self._told():
            return self._connection.execute(sql, tuple(values)).fetchall()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OverflowError, ValueError) as e:
            why = f"a damaged database ({_said(e)}): export it again with `nsys export`"
            raise InputError(f"{self.name}: {why}") from None

    def columns(self, table: str) -> frozenset[str]:
        """The names of a table's columns; none of a table that is not there."""
        if table not in self._columns:
            known = self._rows(f"SELECT name FROM pragma_table_info({_text(table)})") if table in self.tables else []
            self._columns[table] = frozenset(str(name) for (name,) in known)
        return self._columns[table]

    def pairs(self, table: str) -> dict[str, str]:
        """A table of names and values."""
        if not {"name", "value"} <= self.columns(table):
            return {}
        return {
            str(name): str(value) for name, value in self._rows(f"SELECT name, value FROM {_name(table)} LIMIT 5000")
        }

    def rows(self, table: str, wanted: Iterable[str], where: str = "", most: int = 5000) -> list[dict[str, Any]]:
        """Rows of a small table; a column that is not there reads None."""
        names = list(wanted)
        there = self.columns(table)
        if not there:
            return []
        picked = ", ".join(_name(n) if n in there else f"NULL AS {_name(n)}" for n in names)
        sql = f"SELECT {picked} FROM {_name(table)} {where} LIMIT {int(most)}"
        return [dict(zip(names, row, strict=True)) for row in self._rows(sql)]

    def events(
        self,
        table: str,
        wanted: Mapping[str, int],
        named: Mapping[str, tuple[str, ...]] | None = None,
        *,
        least: int = 0,
        open_ended: bool = False,
        packed: Mapping[str, tuple[tuple[str, int, int], ...]] | None = None,
    ) -> dict[str, Array]:
        """Start, end and the wanted columns of a table's events, as int64 arrays of one length.

        wanted: column of whole numbers -> what stands for a missing one; named: result -> the columns that may hold the
        name, as a string id or as the text itself; the result is an id for `text`, -1 without a name. Events without
        times, of times that are no whole numbers, or that end before they begin are left out, and `lost`, an array of
        one, says how many. least: only events of this many ns or more. open_ended: an event without an end may stay.
        packed: result -> (column, mask, shift) of small numbers that are put into one; -1 where one of them is missing.
        """
        there = self.columns(table)
        needed = {"start"} if open_ended else {"start", "end"}
        if not needed <= there:
            raise InputError(
                f"{self.name}: {table} has no column {sorted(needed - there)[0]!r}: no known export of Nsight "
                "Systems has that; export again with `nsys export --type sqlite`"
            )
        end = '"end"' if "end" in there else '"start"'
        end = f'ifnull({end}, "start")' if open_ended else end
        chosen = {"start": '"start"', "end": end}
        chosen |= {n: f"ifnull(CAST({_name(n)} AS INTEGER), {int(d)})" for n, d in wanted.items() if n in there}
        for result, parts in (packed or {}).items():
            shares = [f"((CAST({_name(c)} AS INTEGER) & {mask}) << {shift})" for c, mask, shift in parts if c in there]
            if len(shares) == len(parts):
                chosen[result] = f"ifnull({' | '.join(shares)}, -1)"
        for result, columns in (named or {}).items():
            sides = [
                f"CASE typeof({_name(c)}) WHEN 'text' THEN spelled({_name(c)}) WHEN 'integer' THEN {_name(c)} END"
                for c in columns
                if c in there
            ]
            chosen[result] = f"coalesce({', '.join([*sides, '-1', '-1'])})"
        sound = f"typeof(\"start\") = 'integer' AND typeof({end}) = 'integer' AND {end} >= \"start\""
        # Times of zero are CUPTI's word for "could not be collected".
        sound += f' AND NOT ("start" = 0 AND {end} = 0)'
        sound += f' AND {end} - "start" >= {int(least)}' if least else ""
        count = self._rows(f"SELECT count(*) FROM {_name(table)}")[0][0]
        sql = f"SELECT {', '.join(chosen.values())} FROM {_name(table)} WHERE {sound} LIMIT {MOST_ROWS + 1}"
        pieces: list[dict[str, Array]] = []
        with self._told():
            cursor = self._connection.execute(sql)
            while len(rows := np.fromiter(islice(cursor, _PIECE), dtype=[(n, np.int64) for n in chosen])):
                pieces.append({n: np.ascontiguousarray(rows[n]) for n in chosen})
        out = {n: np.concatenate([np.empty(0, np.int64), *(p.pop(n) for p in pieces)]) for n in chosen}
        found = len(out["start"])
        if found > MOST_ROWS:
            raise InputError(
                f"{self.name}: over {MOST_ROWS:,} rows in {table}: export a part of the trace, "
                "`nsys export --type sqlite --times START/END`, or capture a shorter one"
            )
        for n, default in {**wanted, **dict.fromkeys(packed or {}, -1)}.items():
            if n not in out:
                out[n] = np.full(found, default, np.int64)
        out["lost"] = np.array([0 if least else count - found])
        return out

    def _number(self, text: str) -> int:
        """A number for a text that stands in a column itself: from -2 downwards, where no string id is."""
        return self._spelled.setdefault(text, -2 - len(self._spelled))

    def text(self, ids: Array) -> dict[int, str]:
        """The texts behind the ids that `events` gives; an id that leads nowhere is left out."""
        out = {number: text for text, number in self._spelled.items()}
        if not {"id", "value"} <= self.columns("StringIds"):
            return out
        wanted = [i for i in np.unique(ids).tolist() if i >= 0]
        for at in range(0, len(wanted), _BATCH):
            part = wanted[at : at + _BATCH]
            marks = ", ".join("?" * len(part))
            found = self._rows(f"SELECT id, value FROM StringIds WHERE id IN ({marks})", part)
            out |= {int(key): str(value) for key, value in found}
        return out


def _said(error: Exception) -> str:
    """What SQLite says, which may quote the file: on one line, short, without control characters."""
    return "".join(c if c.isprintable() else " " for c in " ".join(str(error).split()))[:100]


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """The database, read-only and as it stands: no journal is played back, no function in it is trusted."""
    uri = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(uri, uri=True)
    except sqlite3.Error as e:
        raise InputError(f"{path.name}: cannot be opened ({_said(e)})") from None
    try:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_TEXT)
        for pragma in ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {pragma}")
        yield Database(connection, path.name)
    except sqlite3.Error as e:
        raise InputError(f"{path.name}: a damaged database ({_said(e)}): export it again with `nsys export`") from None
    finally:
        connection.close()
