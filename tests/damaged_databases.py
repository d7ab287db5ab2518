"""Hostile schemas and contents of a trace's database: `DAMAGE` maps a name to what makes one from a whole database."""

from __future__ import annotations

import random
import sqlite3
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path

KERNEL, COPY, CALLS = "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_RUNTIME"
_TABLES = (KERNEL, COPY, CALLS, "StringIds", "NVTX_EVENTS", "TARGET_INFO_GPU", "OSRT_API")
_VALUES = (
    *("'soon'", "x'00ff'", "1e308", "-1e308", "9.5", "NULL", "''", "'9' || char(0)", "'\U0001f9ea'", "zeroblob(2000)"),
    *("9223372036854775807", "-9223372036854775808", "9223372036854775806", "-1", "0", "4294967296", "1 << 62"),
)
_PAGE = 4096


def _changed(data: bytes, change: Callable[[sqlite3.Connection], None], plain: bool = True) -> bytes:
    """The database after a change; statements that do not fit its schema are left out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.sqlite"
        path.write_bytes(data)
        connection = sqlite3.connect(path, isolation_level=None)
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        try:
            change(connection)
        except sqlite3.Error:
            if not plain:
                raise
        finally:
            connection.close()
        return path.read_bytes()


def _there(connection: sqlite3.Connection) -> list[str]:
    found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return [name for name in _TABLES if name in found]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", [table])]


def views(data: bytes, rng: random.Random) -> bytes:
    """Views that never end, or that name each other, in the place of tables; triggers on them."""

    def change(db: sqlite3.Connection) -> None:
        for table in rng.sample(_there(db), min(2, len(_there(db)))):
            names = _columns(db, table)
            db.execute(f"DROP TABLE {table}")
            first = ", ".join(f'n AS "{name}"' for name in names)
            endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
            db.execute(f"CREATE VIEW {table} AS {endless} SELECT {first} FROM c")
            db.execute(f"CREATE TRIGGER t_{table} INSTEAD OF INSERT ON {table} BEGIN SELECT load_extension('x'); END")

    return _changed(data, change)


def types(data: bytes, rng: random.Random) -> bytes:
    """Values of another type, or at the limits of 64 bits, in some columns of some rows."""

    def change(db: sqlite3.Connection) -> None:
        one = rng.choice((*_VALUES, None, None, None))
        for table in _there(db):
            for name in _columns(db, table):
                if rng.random() < 0.3:
                    value, part = one or rng.choice(_VALUES), rng.choice((1, 1, 2, 7))
                    db.execute(f'UPDATE OR IGNORE {table} SET "{name}" = {value} WHERE rowid % {part} = 0')

    return _changed(data, change)


def missing(data: bytes, rng: random.Random) -> bytes:
    """Tables and columns that are not there, or have another name."""

    def change(db: sqlite3.Connection) -> None:
        for table in _there(db):
            if rng.random() < 0.3:
                db.execute(f"DROP TABLE {table}")
                continue
            for name in _columns(db, table):
                if rng.random() < 0.2:
                    how = f'RENAME COLUMN "{name}" TO "x{name}"' if rng.random() < 0.3 else f'DROP COLUMN "{name}"'
                    db.execute(f"ALTER TABLE {table} {how}")

    return _changed(data, change)


def huge_values(data: bytes, rng: random.Random) -> bytes:
    """Blobs and texts of megabytes where names are, or very many long names."""

    def change(db: sqlite3.Connection) -> None:
        what = rng.randrange(4)
        # Of some rows only: those of a long trace would take gigabytes.
        size = rng.choice((900_000, 2_000_000, 60_000_000))
        if what == 0:
            db.execute(f"UPDATE StringIds SET value = zeroblob({size}) WHERE id = (SELECT min(id) FROM StringIds)")
        elif what == 1:
            some = "SELECT id FROM StringIds WHERE id % 5 = 0 LIMIT 5"
            text = f"replace(hex(zeroblob({size // 2})), '00', 'ab')"
            db.execute(f"UPDATE StringIds SET value = {text} WHERE id IN ({some})")
        elif what == 2:
            some = f"SELECT rowid FROM {KERNEL} LIMIT 100"
            text = "hex(randomblob(400000))"
            db.execute(f"UPDATE {KERNEL} SET shortName = NULL, demangledName = {text} WHERE rowid IN ({some})")
        else:
            db.execute("UPDATE TARGET_INFO_GPU SET name = hex(zeroblob(5000000))")

    return _changed(data, change)


def generated(data: bytes, _: random.Random) -> bytes:
    """Columns that take long to compute, whatever they are named."""

    def change(db: sqlite3.Connection) -> None:
        db.execute(f"ALTER TABLE {KERNEL} RENAME TO old")
        slow = "length(replace(hex(zeroblob(400000)), '0', 'xx'))"
        made = ", ".join(
            f'"{name}" INTEGER GENERATED ALWAYS AS ({slow}) VIRTUAL' for name in ("deviceId", "streamId", "gridX")
        )
        db.execute(f'CREATE TABLE {KERNEL} ("start" INTEGER, "end" INTEGER, shortName INTEGER, {made})')
        db.execute(f'INSERT INTO {KERNEL} ("start", "end", shortName) SELECT "start", "end", shortName FROM old')
        db.execute(
            f"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 20000) INSERT INTO {KERNEL} "
            '("start", "end", shortName) SELECT n, n + 1, 1 FROM c'
        )

    return _changed(data, change)


def many(data: bytes, rng: random.Random) -> bytes:
    """Very many tables or columns, or strings that no key finds."""

    def change(db: sqlite3.Connection) -> None:
        what = rng.randrange(3)
        db.execute("BEGIN")
        if what == 0:
            for number in range(4000):
                db.execute(f"CREATE TABLE t{number} (a)")
        elif what == 1:
            for number in range(600):
                db.execute(f"ALTER TABLE {KERNEL} ADD COLUMN c{number} INTEGER DEFAULT {number}")
        else:
            db.execute("ALTER TABLE StringIds RENAME TO old")
            db.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
            count = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 120000)"
            db.execute(f"{count} INSERT INTO StringIds SELECT n, 'name ' || n FROM c")
            db.execute(f'{count} INSERT INTO {KERNEL} ("start", "end", shortName) SELECT n * 10, n * 10 + 5, n FROM c')
        db.execute("COMMIT")

    return _changed(data, change)


def tree(data: bytes, rng: random.Random) -> bytes:
    """A table whose pages name the same page below them again and again: thousands of millions of rows, or a circle."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.sqlite"
        path.write_bytes(data)
        db = sqlite3.connect(path, isolation_level=None)
        tables = [name for name in (KERNEL, COPY, CALLS, "StringIds") if name in _there(db)]
        size = int(db.execute("PRAGMA page_size").fetchone()[0])
        db.close()
        if not tables or size != _PAGE:
            return data[: len(data) // 2]
        pages = len(data) // _PAGE
        table, levels = rng.choice(tables), rng.choice((1, 2, 3, 5))
        made, below = [_leaf()], pages + 1
        for _ in range(levels):
            made.append(_inner(below))
            below += 1
        if rng.random() < 0.2:
            made[-1] = _inner(below)  # itself
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = ?", [pages + len(made), table])
        db.close()
        out = bytearray(path.read_bytes()[: pages * _PAGE]) + b"".join(made)
        out[28:32] = struct.pack(">I", pages + len(made))
        return bytes(out)


def _leaf() -> bytes:
    """A page of rows (1, 2, 3, 1, …): as many as fit."""
    record = bytes((13, *(1 for _ in range(12)), *range(1, 13)))
    cell = bytes((len(record), 1)) + record
    count = (_PAGE - 8) // (len(cell) + 2)
    start = _PAGE - count * len(cell)
    head = struct.pack(">BHHHB", 13, 0, count, start, 0)
    places = b"".join(struct.pack(">H", start + i * len(cell)) for i in range(count))
    return (head + places).ljust(start, b"\0") + cell * count


def _inner(below: int) -> bytes:
    """A page that names one page below it some hundred times."""
    cell = struct.pack(">IB", below, 1)
    count = (_PAGE - 12) // (len(cell) + 2)
    start = _PAGE - count * len(cell)
    head = struct.pack(">BHHHBI", 5, 0, count, start, 0, below)
    places = b"".join(struct.pack(">H", start + i * len(cell)) for i in range(count))
    return (head + places).ljust(start, b"\0") + cell * count


def modes(data: bytes, rng: random.Random) -> bytes:
    """A database in UTF-16, a virtual table, a journal mode that waits for a second file, a schema that is no SQL."""
    what = rng.randrange(3)
    if what == 0:
        out = bytearray(data)
        out[18:20] = b"\2\2"
        return bytes(out)
    if what == 1:

        def change(db: sqlite3.Connection) -> None:
            db.execute(f"DROP TABLE {KERNEL}")
            db.execute(f'CREATE VIRTUAL TABLE {KERNEL} USING fts5("start", "end", shortName)')
            db.execute(f"INSERT INTO {KERNEL} VALUES (1, 2, 3)")

        return _changed(data, change)

    def schema(db: sqlite3.Connection) -> None:
        db.execute("PRAGMA writable_schema = ON")
        wrong = rng.choice(("CREATE TABLE x(\x1b[31m", "CREATE TABLE " + "(" * 5000, "DROP TABLE x", "x" * 900_000))
        db.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", [wrong, rng.choice(_there(db) or ["x"])])

    return _changed(data, schema)


Damage = Callable[[bytes, random.Random], bytes]
DAMAGE: dict[str, Damage] = {
    "endless views": views,
    "wrong types": types,
    "missing tables": missing,
    "huge values": huge_values,
    "computed columns": generated,
    "very many": many,
    "pages in a circle": tree,
    "odd modes": modes,
}
