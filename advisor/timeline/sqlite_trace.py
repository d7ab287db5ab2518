"""Read a trace from the SQLite database of `nsys export`, any schema; tables and columns may be absent.

The database is opened so that its content can do no harm.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from advisor.records.errors import InputError
from advisor.records.quantities import counted
from advisor.timeline import columns
from advisor.timeline import trace as kinds
from advisor.timeline.columns import Column, is_same, is_sorted
from advisor.timeline.trace import COPY_KINDS, Calls, Faults, Gpu, Ranges, Trace, Work, manages_memory

Array = np.ndarray[Any, np.dtype[Any]]
MAGIC = b"SQLite format 3\0"
MOST_ROWS = 8_000_000  # of one table: under 2 GB of columns during the sort; export a longer trace in parts
_PIECE = columns.PIECE
_MOST_TEXT = 1 << 20  # bytes of one value; the name of a template kernel takes some kilobytes
_BATCH = 500  # number of values in one IN (…)
_BATCHES = 20  # above so many, one pass over the table is faster, even if it has no key
_LEAST_ROW = 4  # bytes; pages that name each other can pretend to hold any number of rows
# Seconds to read a file of no size, and bytes/s of a slow disk or a busy machine: a malicious file could still contain
# a query that never ends.
_PATIENCE_S, _SLOW = 25.0, 1e6
KERNEL = "CUPTI_ACTIVITY_KIND_KERNEL"
MEMCPY = "CUPTI_ACTIVITY_KIND_MEMCPY"
MEMSET = "CUPTI_ACTIVITY_KIND_MEMSET"
GRAPH = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
RUNTIME = "CUPTI_ACTIVITY_KIND_RUNTIME"
NVTX = "NVTX_EVENTS"
SYSTEM = "OSRT_API"
MPI = ("MPI_COLLECTIVES_EVENTS", "MPI_P2P_EVENTS", "MPI_START_WAIT_EVENTS", "MPI_OTHER_EVENTS")
HOST_FAULTS, GPU_FAULTS = "CUDA_UM_CPU_PAGE_FAULT_EVENTS", "CUDA_UM_GPU_PAGE_FAULT_EVENTS"
_READ = frozenset((KERNEL, MEMCPY, MEMSET, GRAPH, RUNTIME, NVTX, SYSTEM, *MPI, HOST_FAULTS, GPU_FAULTS))
_PUSHED, _STARTED, _DOMAIN = (59, 70), (60, 71), 75
_PAGEABLE, _UNKNOWN_KIND = 0, 7
# same packing as trace.pack_grid and pack_block
_SHAPE = {
    "grid": (("gridX", 0x7FFFFFFF, 0, 0), ("gridY", 0xFFFF, 31, 1), ("gridZ", 0xFFFF, 47, 1)),
    "block": (("blockX", 0x7FF, 0, 0), ("blockY", 0x7FF, 11, 0), ("blockZ", 0x7F, 22, 0)),
}
_LONG = 20_000  # ns; shorter operating-system calls explain no relevant gap
_INCOMPLETE = "is incomplete"  # marks the problems that make a trace incomplete
# The columns of Work by their names in the tables, with the default for a missing value.
_COLUMNS = {
    "start": 0,
    "end": 0,
    "kind": 0,
    "deviceId": -1,
    "streamId": -1,
    "name": 0,
    "correlationId": -1,
    "globalPid": -1,
    "bytes": -1,
    "pageable": -1,
    "graph": 0,
    "grid": -1,
    "block": -1,
}


def check_size(path: Path, head: bytes) -> None:
    """Raise InputError if a file is shorter than its header says, which reading would detect late or never."""
    size = int.from_bytes(head[16:18], "big")
    pages, changed, valid = (int.from_bytes(head[at : at + 4], "big") for at in (28, 24, 92))
    size = 65536 if size == 1 else size
    whole = size * pages
    if changed == valid and whole > path.stat().st_size:
        raise InputError(
            f"{path.name}: truncated, {path.stat().st_size:,} of {whole:,} bytes: copy it again, or export it again"
        )


class Database:
    """A database of which only real tables are read; views, virtual tables and triggers are ignored for safety.

    size: of the file in bytes; ignored: the views and virtual tables with the name of a table that would be read.
    """

    def __init__(self, connection: sqlite3.Connection, name: str, size: int) -> None:
        self._connection = connection
        self.name = name
        self._most = size // _LEAST_ROW
        self._strings = 0  # rows of StringIds, once counted
        self._spelled: dict[str, int] = {}
        connection.create_function("spelled", 1, self._number)
        found = self._rows("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'")
        self.tables = frozenset(str(table) for table, _ in found)
        others = self._rows("SELECT name FROM sqlite_master WHERE type IN ('view', 'table') LIMIT 5000")
        self.ignored = tuple(sorted(_READ.intersection(str(one) for (one,) in others) - self.tables))
        self._columns: dict[str, frozenset[str]] = {}

    def _rows(self, sql: str, values: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        with self._guarded():
            return self._connection.execute(sql, tuple(values)).fetchall()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OverflowError, ValueError) as e:
            why = f"a damaged database ({_reason(e)}): export it again with `nsys export`"
            raise InputError(f"{self.name}: {why}") from None

    def columns(self, table: str) -> frozenset[str]:
        """Return the names of a table's columns, empty if there is no such table."""
        if table not in self._columns:
            known = self._rows("SELECT name FROM pragma_table_info(?)", [table]) if table in self.tables else []
            self._columns[table] = frozenset(str(name) for (name,) in known)
        return self._columns[table]

    def pairs(self, table: str) -> dict[str, str]:
        """Return a table of names and values."""
        if not {"name", "value"} <= self.columns(table):
            return {}
        return {
            str(name): str(value) for name, value in self._rows(f"SELECT name, value FROM {_name(table)} LIMIT 5000")
        }

    def rows(self, table: str, wanted: Iterable[str], where: str = "", most: int = 5000) -> list[dict[str, Any]]:
        """Return the rows of a small table; a missing column gives None."""
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
        packed: Mapping[str, tuple[tuple[str, int, int, int], ...]] | None = None,
    ) -> dict[str, Array]:
        """Return start, end and the wanted columns of a table's events, as arrays of equal length.

        Times are int64, other columns the smallest integers that hold them (see `columns`).

        wanted: integer column -> default for a missing value; named: result -> the columns that may hold the name, as a
        string id or as text; the result is an id for `text`, -1 without a name. Events are omitted if their times are
        missing or not integers, or if they end before they begin; `lost`, an array of one, counts these. least: minimum
        duration in ns. open_ended: keep events without an end. packed: result -> (column, mask, shift, number to
        subtract before) of small numbers to pack into one number; -1 if one of them is missing.
        """
        there = self.columns(table)
        needed = {"start"} if open_ended else {"start", "end"}
        if not needed <= there:
            raise InputError(
                f"{self.name}: {table} has no column {sorted(needed - there)[0]!r}: every known Nsight "
                "Systems export has it; export again with `nsys export --type sqlite`"
            )
        end = '"end"' if "end" in there else '"start"'
        end = f'ifnull({end}, "start")' if open_ended else end
        chosen = {"start": '"start"', "end": end}
        chosen |= {n: f"ifnull(CAST({_name(n)} AS INTEGER), {int(d)})" for n, d in wanted.items() if n in there}
        for result, parts in (packed or {}).items():
            shares = [
                f"(((CAST({_name(c)} AS INTEGER) - {less}) & {mask}) << {shift})"
                for c, mask, shift, less in parts
                if c in there
            ]
            if len(shares) == len(parts):
                chosen[result] = f"ifnull({' | '.join(shares)}, -1)"
        for result, sources in (named or {}).items():
            sides = [
                f"CASE typeof({_name(c)}) WHEN 'text' THEN spelled({_name(c)}) WHEN 'integer' THEN {_name(c)} END"
                for c in sources
                if c in there
            ]
            chosen[result] = f"coalesce({', '.join([*sides, '-1', '-1'])})"
        sound = f"typeof(\"start\") = 'integer' AND typeof({end}) = 'integer' AND {end} >= \"start\""
        # CUPTI uses zero times for "could not be collected".
        sound += f' AND NOT ("start" = 0 AND {end} = 0)'
        sound += f' AND {end} - "start" >= {int(least)}' if least else ""
        count = self._count(table)
        sql = f"SELECT {', '.join(chosen.values())} FROM {_name(table)} WHERE {sound} LIMIT {MOST_ROWS + 1}"
        read = {n: Column(wide=n in ("start", "end")) for n in chosen}
        with self._guarded():
            cursor = self._connection.execute(sql)
            while len(rows := np.fromiter(islice(cursor, _PIECE), dtype=[(n, np.int64) for n in chosen])):
                for n, column in read.items():
                    column.add(rows[n])
        out = {n: column.whole() for n, column in read.items()}
        found = len(out["start"])
        if found > MOST_ROWS:
            raise InputError(
                f"{self.name}: over {MOST_ROWS:,} rows in {table}: export a part of the trace, "
                "`nsys export --type sqlite --times START/END`, or capture a shorter one"
            )
        for n, default in {**wanted, **dict.fromkeys(packed or {}, -1)}.items():
            if n not in out:
                out[n] = columns.same(default, found)
        out["lost"] = np.array([0 if least else count - found])
        return out

    def _count(self, table: str) -> int:
        """Return the number of rows. Raises InputError if the file is too small for them."""
        count = int(self._rows(f"SELECT count(*) FROM (SELECT 1 FROM {_name(table)} LIMIT {self._most + 1})")[0][0])
        if count > self._most:
            raise InputError(f"{self.name}: a damaged database: {table} has more rows than the file can hold")
        return count

    def _number(self, text: str) -> int:
        """Return a number for a text in the column itself: -2 or less, where there are no string ids."""
        return self._spelled.setdefault(text, -2 - len(self._spelled))

    def text(self, ids: Array) -> dict[int, str]:
        """Return the texts of the ids that `events` gives; ids without a text are omitted."""
        out = {number: text for text, number in self._spelled.items()}
        if not {"id", "value"} <= self.columns("StringIds"):
            return out
        wanted = [i for i in columns.distinct(ids).tolist() if i >= 0]
        if not self._strings:
            self._strings = self._count("StringIds")
        if len(wanted) > _BATCH * _BATCHES:
            chosen = set(wanted)
            sql = f"SELECT id, value FROM StringIds WHERE typeof(id) = 'integer' LIMIT {self._most}"
            with self._guarded():
                return out | {i: str(value) for i, value in self._connection.execute(sql) if i in chosen}
        for at in range(0, len(wanted), _BATCH):
            part = wanted[at : at + _BATCH]
            marks = ", ".join("?" * len(part))
            found = self._rows(f"SELECT id, value FROM StringIds WHERE id IN ({marks}) LIMIT {_PIECE}", part)
            out |= {int(key): str(value) for key, value in found}
        return out


def _reason(error: Exception) -> str:
    """Return SQLite's message, which may quote the file: one short line without control characters."""
    if str(error) == "interrupted":
        return "to read it takes too long"
    return "".join(c if c.isprintable() else " " for c in " ".join(str(error).split()))[:100]


def _name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open the database read-only: replay no journal and trust no function in it."""
    uri = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    size = path.stat().st_size
    try:
        connection = sqlite3.connect(uri, uri=True)
    except sqlite3.Error as e:
        raise InputError(f"{path.name}: cannot be opened ({_reason(e)})") from None
    patience = threading.Timer(_PATIENCE_S + size / _SLOW, connection.interrupt)
    patience.daemon = True
    patience.start()
    try:
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_TEXT)
        for pragma in ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {pragma}")
        yield Database(connection, path.name, size)
    except sqlite3.Error as e:
        raise InputError(
            f"{path.name}: a damaged database ({_reason(e)}): export it again with `nsys export`"
        ) from None
    finally:
        patience.cancel()
        patience.join()
        connection.close()


@dataclass
class _Names:
    """Convert string ids of the database to indices into one list of texts."""

    database: Database
    texts: list[str] = field(default_factory=lambda: [""])
    _known: dict[int, int] = field(default_factory=dict)

    def indices(self, ids: Array) -> Array:
        distinct = columns.distinct(ids)
        new = [i for i in distinct.tolist() if i not in self._known]
        found = self.database.text(np.array(new, dtype=np.int64)) if new else {}
        for i in new:
            self._known[i] = len(self.texts) if i in found else 0
            if i in found:
                self.texts.append(found[i])
        table = np.array([self._known[i] for i in distinct.tolist()], dtype=np.int64)
        return columns.looked_up(table, columns.codes(ids, distinct)) if len(table) else np.empty(0, np.int64)

    def add(self, text: str) -> int:
        self.texts.append(text)
        return len(self.texts) - 1


def read_database(path: Path, sha256: str) -> Trace:
    """Read the trace in an export. Raises InputError with one line if it is damaged or not from Nsight Systems."""
    with opened(path) as database:
        if "StringIds" not in database.tables:
            raise InputError(
                f"{path.name}: an SQLite database, but not from Nsight Systems (it has no table StringIds): give the "
                "file that `nsys export --type sqlite` writes"
            )
        return _read(database, path, sha256)


def _read(database: Database, path: Path, sha256: str) -> Trace:
    meta = database.pairs("META_DATA_EXPORT") or database.pairs("EXPORT_META_DATA")
    names, problems = _Names(database), _problems(database)
    calls = _calls(database, RUNTIME, names, problems)
    work, short, graphs = _work(database, names, problems)
    ranges, mpi = _ranges(database, names, problems)
    system = _calls(database, SYSTEM, names, problems, least=_LONG)
    asked = _asked(calls, names.texts)
    # nsys creates a table only for existing events: if host calls were traced and none requested a copy, an absent
    # table proves that there was none; otherwise it proves nothing.
    copies_seen = MEMCPY in database.tables or (calls is not None and not asked["copy"] and not asked["managed"])
    untraced = asked["managed"] and any("Unified Memory cannot be traced" in problem for problem in problems)
    kernels = work is not None and bool((work.kind == kinds.KERNEL).any())
    if asked["launch"] and not kernels and not graphs:
        problems.append("calls that launch kernels, but no kernels: the GPU's activity was not traced")
    gpus = () if work is None else _gpus(database, work)
    return Trace(
        path=str(path),
        sha256=sha256,
        form="sqlite",
        tool=f"nsys {meta['EXPORT_PRODUCT_VERSION']}" if "EXPORT_PRODUCT_VERSION" in meta else "",
        schema=meta.get("EXPORT_SCHEMA_VERSION", ""),
        complete=not any(_INCOMPLETE in p for p in problems),
        problems=tuple(problems),
        run=_run(database, work, calls),
        names=tuple(names.texts),
        short=short,
        gpus=gpus,
        work=work,
        calls=calls,
        ranges=ranges,
        system=system,
        mpi=mpi,
        copies_seen=copies_seen,
        migrations_seen=copies_seen and not untraced,
        graphs_seen=graphs or (calls is not None and not asked["graph"]),
        memory_kinds={"srcKind", "dstKind"} <= database.columns(MEMCPY) or MEMCPY not in database.tables,
        faults=_faults(database, calls is not None and not asked["managed"]),
    )


def _problems(database: Database) -> list[str]:
    """Return the problems that nsys recorded itself: errors, and lost data."""
    out = [f"{name} {_INCOMPLETE}: a view or a virtual table, which is not read" for name in database.ignored]
    for row in database.rows("DIAGNOSTIC_EVENT", ("severity", "text")):
        text = " ".join(str(row["text"] or "").split())
        # Severity 3 is an error, 4 is fatal (ENUM_DIAGNOSTIC_SEVERITY_LEVEL).
        if row["severity"] in (3, 4) or "dropped" in text.casefold() or "not be collected" in text.casefold():
            out.append(f"nsys says: {text[:200]}")
    return list(dict.fromkeys(out))[:5]


def _report_lost(problems: list[str], table: str, lost: Array) -> None:
    if lost[0]:
        problems.append(f"{table} {_INCOMPLETE}: {counted(int(lost[0]), 'row')} without usable times")


def _calls(database: Database, table: str, names: _Names, problems: list[str], least: int = 0) -> Calls | None:
    if table not in database.tables:
        return None
    rows = database.events(table, {"globalTid": -1, "correlationId": -1}, {"name": ("nameId",)}, least=least)
    _report_lost(problems, table, rows["lost"])
    rows["name"] = names.indices(rows["name"])
    return Calls(*_by_start(rows, ("start", "end", "globalTid", "correlationId", "name")))


def _by_start(of: dict[str, Array], chosen: Iterable[str]) -> list[Array]:
    """Return the chosen columns sorted by start; empties `of`, so that no column is in memory twice for long."""
    start = of["start"]
    if is_sorted(start):
        return [of.pop(name) for name in chosen]
    order = np.argsort(start, kind="stable").astype(np.int32)  # at most MOST_ROWS
    out = []
    for name in chosen:
        column = of.pop(name)
        out.append(column if is_same(column) else column[order])
    return out


def _asked(calls: Calls | None, texts: list[str]) -> dict[str, bool]:
    """Return the kinds of work that the calls requested: launches, copies, graphs, managed memory."""
    used = set() if calls is None else {texts[i].casefold() for i in columns.distinct(calls.name).tolist()}
    return {
        "launch": any("launchkernel" in name or name.startswith("culaunch") for name in used),
        "copy": any("memcpy" in name for name in used),
        "graph": any("graphlaunch" in name for name in used),
        "managed": manages_memory(used),
    }


def _work(database: Database, names: _Names, problems: list[str]) -> tuple[Work | None, dict[int, str], bool]:
    """Return all GPU work, the base names of kernels, and whether graphs were recorded."""
    wanted = dict.fromkeys(("deviceId", "streamId", "correlationId", "globalPid"), -1)
    parts: list[dict[str, Array]] = []
    short: dict[int, str] = {}
    graphs = False
    for table, kind in ((KERNEL, kinds.KERNEL), (MEMCPY, kinds.OTHER), (MEMSET, kinds.SET), (GRAPH, kinds.GRAPH)):
        if table not in database.tables:
            continue
        more = (
            {"bytes": -1, "copyKind": 0, "srcKind": _UNKNOWN_KIND, "dstKind": _UNKNOWN_KIND} if table == MEMCPY else {}
        )
        more |= {"graphNodeId": 0} if table != GRAPH else {}
        named = {"name": ("demangledName", "shortName"), "base": ("shortName",)} if table == KERNEL else {}
        rows = database.events(table, {**wanted, **more}, named, packed=_SHAPE if table == KERNEL else None)
        _report_lost(problems, table, rows.pop("lost"))
        size = len(rows["start"])
        rows["kind"] = columns.same(kind, size)
        rows["pageable"] = columns.same(kinds.UNKNOWN, size)
        if table == KERNEL:
            base = rows.pop("base")
            rows["name"] = names.indices(rows["name"])
            nameless = rows["name"] == 0
            if nameless.any():
                rows["name"] = rows["name"].astype(np.int64)
                rows["name"][nameless] = names.indices(base[nameless])
                rows["name"] = columns.narrow(rows["name"])
            used = columns.distinct(rows["name"])
            first = dict(zip(used.tolist(), columns.first_rows(rows["name"], used).tolist(), strict=True))
            bases = names.indices(base[np.array(list(first.values()), dtype=np.int64)]).tolist()
            del base
            short = {name: names.texts[base] for name, base in zip(first, bases, strict=True)}
        if table == MEMCPY:
            rows |= _copies(rows)
        node = rows.pop("graphNodeId", None)
        graphs = graphs or node is None
        rows["graph"] = columns.same(0, size)
        if node is not None and (node > 0).any():
            graphs = True
            rows["graph"] = np.where(node > 0, rows["correlationId"], 0)
        parts.append({name: rows[name] for name in _COLUMNS if name in rows})
    if not parts:
        return None, short, graphs
    joined = _joined(parts)
    joined["deviceId"] = _physical(database, joined["deviceId"], joined["globalPid"])
    return Work(*_by_start(joined, _COLUMNS)), short, graphs


def _joined(parts: list[dict[str, Array]]) -> dict[str, Array]:
    """Return the columns of Work of all parts; empties the parts, so that few columns are in memory twice."""
    sizes = [len(part["start"]) for part in parts]
    out = {}
    for name, missing in _COLUMNS.items():
        found = [
            part.pop(name) if name in part else columns.same(missing, size)
            for part, size in zip(parts, sizes, strict=True)
        ]
        if len(found) == 1:
            out[name] = found[0]
        else:
            joined = Column(wide=name in ("start", "end"))
            for part in found:
                joined.add(part)
            out[name] = joined.whole()
    return out


def _physical(database: Database, device: Array, process: Array) -> Array:
    """Convert the device numbers of processes to those of TARGET_INFO_GPU, if the schema has them."""
    listed = database.rows("TARGET_INFO_CUDA_DEVICE", ("gpuId", "cudaId", "pid"))
    gpus = {(r["pid"], r["cudaId"]): r["gpuId"] for r in listed if isinstance(r["gpuId"], int)}
    processes = columns.distinct(process)
    numbers = (processes.astype(np.int64) >> 24) & 0xFFFFFF
    out = device
    for (pid, cuda), gpu in gpus.items():
        if isinstance(pid, int) and isinstance(cuda, int) and cuda != gpu and pid in numbers:
            chosen = device == cuda
            if len(numbers) > 1:
                chosen &= np.isin(process, processes[numbers == pid])
            out = np.where(chosen, np.int64(gpu), out)
    return columns.narrow(out)


def _copies(rows: dict[str, Array]) -> dict[str, Array]:
    """Return the kind of each copy, and whether its host memory is pageable."""
    kind = np.full(len(rows["start"]), kinds.OTHER, np.int8)
    for code, found in COPY_KINDS.items():
        kind[rows["copyKind"] == code] = found
    host = np.where(
        kind == kinds.TO_DEVICE, rows["srcKind"], np.where(kind == kinds.TO_HOST, rows["dstKind"], _UNKNOWN_KIND)
    )
    pageable = np.where(host == _PAGEABLE, 1, np.where((host < 0) | (host >= _UNKNOWN_KIND), kinds.UNKNOWN, 0))
    return {"kind": kind, "pageable": pageable.astype(np.int8)}


def _ranges(database: Database, names: _Names, problems: list[str]) -> tuple[Ranges | None, tuple[Array, Array] | None]:
    """Return the NVTX ranges and the intervals in MPI, from its tables or, in older nsys, from its NVTX domain."""
    starts, ends = [], []
    for table in MPI:
        if table in database.tables and "start" in database.columns(table):
            rows = database.events(table, {}, open_ended=True)
            starts.append(rows["start"])
            ends.append(rows["end"])
    ranges = None
    if NVTX in database.tables:
        wanted = {"eventType": 0, "globalTid": -1, "domainId": 0}
        rows = database.events(NVTX, wanted, {"name": ("text", "textId")}, open_ended=True)
        _report_lost(problems, NVTX, rows["lost"])
        name = names.indices(rows["name"])
        made = rows["eventType"] == _DOMAIN
        domains = dict(zip(rows["domainId"][made].tolist(), name[made].tolist(), strict=True))
        keep = np.isin(rows["eventType"], (*_PUSHED, *_STARTED)) & (rows["end"] > rows["start"]) & (name > 0)
        order = np.flatnonzero(keep)[np.argsort(rows["start"][keep], kind="stable")]
        distinct, where = np.unique(rows["domainId"][order], return_inverse=True)
        known = np.array([domains.get(i, 0) for i in distinct.tolist()], dtype=np.int64)
        domain = known[where.reshape(-1)] if len(known) else np.empty(0, np.int64)
        pushed = np.isin(rows["eventType"][order], _PUSHED)
        ranges = Ranges(rows["start"][order], rows["end"][order], rows["globalTid"][order], name[order], domain, pushed)
        of_mpi = [i for i, text in enumerate(names.texts) if text == "MPI"]
        if not starts and of_mpi and np.isin(domain, of_mpi).any():
            inside = np.isin(domain, of_mpi)
            starts.append(ranges.start[inside])
            ends.append(ranges.end[inside])
    return ranges, (np.concatenate(starts), np.concatenate(ends)) if starts else None


def _faults(database: Database, none_possible: bool) -> Faults | None:
    """Return the page faults of managed memory, or None if they were not traced, which needs an option.

    An empty table proves nothing, because some exports create all tables. If no managed memory was requested, there
    were no faults.
    """
    nothing = np.empty(0, np.int64)
    pages, gpu = 0, dict.fromkeys(("start", "end", "deviceId"), nothing)
    for table in (HOST_FAULTS, GPU_FAULTS):
        if table not in database.tables:
            continue
        found = database.events(table, {"deviceId": -1, "globalPid": -1, "numberOfPageFaults": 1}, open_ended=True)
        pages += int(found["numberOfPageFaults"].astype(np.int64).clip(0, 1 << 40).sum())
        if table == GPU_FAULTS:
            gpu = {**found, "deviceId": _physical(database, found["deviceId"], found["globalPid"])}
    if not len(gpu["start"]) and not none_possible:
        return None
    return Faults(gpu["start"], gpu["end"], gpu["deviceId"], pages)


def _run(database: Database, work: Work | None, calls: Calls | None) -> int | None:
    """Return the length of the trace in ns: as nsys reports it, but no less than its content."""
    stated = [
        int(r["duration"]) for r in database.rows("ANALYSIS_DETAILS", ("duration",)) if isinstance(r["duration"], int)
    ]
    timed = [c for c in (work, calls) if c is not None and len(c)]
    seen = max(int(c.end.max()) for c in timed) - min(int(c.start.min()) for c in timed) if timed else 0
    return max([seen, *stated]) or None


def _gpus(database: Database, work: Work) -> tuple[Gpu, ...]:
    """Return the GPUs that worked, with their names.

    A device's number is the one that its process uses; tables of newer schemas map it to the GPU.
    """
    listed = database.rows("TARGET_INFO_GPU", ("id", "name", "cuDevice", "smCount"))
    by_id = {row["id"]: row for row in listed}
    if not database.rows("TARGET_INFO_CUDA_DEVICE", ("gpuId",)):
        by_id = {row["cuDevice"]: row for row in reversed(listed) if row["cuDevice"] is not None}
    only = next(iter(by_id.values())) if len(by_id) == 1 else None
    found = [(i, by_id.get(i) or only or {}) for i in columns.distinct(work.gpu).tolist()]
    sms = [count if isinstance(count := row.get("smCount"), int) and count > 0 else None for _, row in found]
    return tuple(Gpu(i, str(row.get("name") or ""), n) for (i, row), n in zip(found, sms, strict=True))
