"""Read a trace from the output of `nsys stats`: tables of single events, else summary tables.

The tables are CSV, or text in columns over a line of dashes, as `nsys profile --stats=true` prints them. They are
recognised by their columns, between progress lines and other tables. Old and new names of reports and columns are
supported (`Time(%)`, `Average`; `Time (%)`, `Avg (ns)`). The lines before a table may name its report.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from advisor.readers.container import Limits
from advisor.readers.formats import lines
from advisor.records.errors import InputError
from advisor.timeline import trace as kinds
from advisor.timeline.trace import (
    NO_FAULTS,
    Calls,
    Gpu,
    KernelSum,
    Ranges,
    Sums,
    Trace,
    Work,
    base_name,
    manages_memory,
    pack_block,
    pack_grid,
    work_kind,
)

_UNITS = {
    "ns": 1.0,
    "us": 1e3,
    "ms": 1e6,
    "s": 1e9,
    "b": 1.0,
    "kb": 1e3,
    "mb": 1e6,
    "gb": 1e9,
    "kib": 1024.0,
    "mib": 1024.0**2,
}
_REPORT = re.compile(r"\b((?:cuda|nvtx|osrt|gpu|nvvideo|openmp|vulkan)[a-z_]*(?:sum|trace))\b")
# The columns that identify each report; the first match counts.
_SIGNATURES: tuple[tuple[str, frozenset[str]], ...] = (
    ("gpu_trace", frozenset({"start", "duration", "device", "strm", "name"})),
    ("api_trace", frozenset({"start", "duration", "name", "pid", "tid", "corrid"})),
    ("nvtx_trace", frozenset({"start", "end", "name", "pid", "tid", "rangeid"})),
    ("nvtx_sum", frozenset({"total time", "instances", "range"})),
    ("kernel_sum", frozenset({"total time", "instances", "name"})),
    ("copy_sum", frozenset({"total time", "operation"})),
    ("size_sum", frozenset({"total", "operation"})),
    ("call_sum", frozenset({"total time", "num calls", "name"})),
)
_SYSTEM = ("osrt",)
_DASHES = re.compile(r" *-{2,}(?:  +-{2,})+ *\n?")
_MOST = 2.0**62  # ns or bytes; the sum of two fits into 64 bits
_DEVICE = re.compile(r"(.*)\(([0-9]{1,10})\)\s*\Z")


@dataclass
class Table:
    """One report: its kind as in _SIGNATURES, the columns without units, the scale of each unit, the rows."""

    kind: str
    columns: tuple[str, ...]
    scales: tuple[float, ...]
    rows: list[list[str]] = field(default_factory=list)

    def number(self, row: list[str], *names: str) -> float | None:
        """Return the first existing column in ns or bytes, or None if it is not a number."""
        for name in names:
            if name in self.columns:
                at = self.columns.index(name)
                try:
                    value = float(row[at].replace(",", "")) * self.scales[at]
                except ValueError:
                    return None
                return value if abs(value) < _MOST else None  # neither NaN nor infinite
        return None

    def text(self, row: list[str], *names: str) -> str:
        """Return the text of the first existing column, '' if there is none."""
        return next((row[self.columns.index(name)] for name in names if name in self.columns), "")


def _header(fields: list[str], report: str) -> Table | None:
    """Return the empty table that starts with this header line, or None."""
    names, scales = [], []
    for text in fields:
        name, bracket, unit = text.strip().strip("\ufeff").removesuffix(")").partition("(")
        names.append(name.strip().casefold())
        scales.append(_UNITS.get(unit.strip().casefold(), 1.0) if bracket else 1.0)
    there = frozenset(names)
    for kind, needed in _SIGNATURES:
        if needed <= there:
            system = kind == "call_sum" and report.startswith(_SYSTEM)
            return Table("system_sum" if system else kind, tuple(names), tuple(scales))
    return None


def tables(lines: Iterable[str], report: str = "") -> Iterator[Table]:
    """Yield every table in the lines. report: the report of the first table according to the file's name."""
    now: Table | None = None
    for fields in _rows(lines):
        if len(fields) < 2:
            if now is not None:
                yield now
                now = None
            if fields and (named := _REPORT.findall(fields[0])):
                report = named[-1]
            continue
        begun = _header(fields, report)
        if begun is not None:
            if now is not None:
                yield now
            now = begun
        elif now is not None and len(fields) == len(now.columns):
            now.rows.append(fields)
        elif named := _REPORT.findall(",".join(fields)):
            report = named[-1]
    if now is not None:
        yield now


def _rows(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the fields of each line. Raises InputError for a field that is too long for csv."""
    columns: list[list[str]] = []
    try:
        for fields in csv.reader(_outside_columns(_clean(lines), columns)):
            yield from columns  # they come before this line
            columns.clear()
            yield fields
        yield from columns
    except csv.Error as error:
        raise InputError(f"not CSV of `nsys stats`: {error}") from None


def _outside_columns(lines: Iterable[str], columns: list[list[str]]) -> Iterator[str]:
    """Yield the lines outside tables of text; append the fields of those inside to `columns`.

    A line of dashes below the names gives the columns; a table ends with an empty line.
    """
    before, spans = "", tuple[slice, ...]()
    for line in lines:
        if _DASHES.fullmatch(line):
            begins = [dashes.start() for dashes in re.finditer(r"-+", line)]
            ends = [dashes.end() for dashes in re.finditer(r"-+", line)]
            spans = tuple(slice(a, b) for a, b in zip(begins, [*ends[:-1], None], strict=True))
            columns.append([before[span].strip() for span in spans])
        elif spans and line.strip():
            columns.append([line[span].strip() for span in spans])
        else:
            spans = ()
            yield line
        before = line


def _clean(lines: Iterable[str]) -> Iterator[str]:
    """Yield the visible text: only the last part of an overwritten line, and no NULs, which csv rejects."""
    for line in lines:
        yield line.rsplit("\r", 1)[-1].replace("\0", "") + "\n"


def read_tables(paths: Sequence[Path], sha256: str) -> Trace:
    """Read the CSV files of one run. Raises InputError with one line if there is no `nsys stats` output."""
    found: list[Table] = []
    for path in paths:
        try:
            found += tables(lines(path, Limits(), path.name), path.stem)
        except InputError as error:
            raise InputError(f"{path.name}: {str(error).removeprefix(f'{path.name}: ')}") from None
    if not found:
        raise InputError(f"{paths[0].name}: {_instead(paths[0])}")
    by_kind: dict[str, list[Table]] = {}
    for table in found:
        by_kind.setdefault(table.kind, []).append(table)
    names = _Names()
    calls, call_names = _calls(by_kind.get("api_trace", ()), names)
    work, gpus, kinds_known = _work(by_kind.get("gpu_trace", ()), names)
    sums = _sums(by_kind)
    asked = call_names | (set(sums.calls or ()) if "call_sum" in by_kind else set())
    asked = {name.casefold() for name in asked}
    known = calls is not None or "call_sum" in by_kind
    managed = manages_memory(asked)
    columns = [c for c in (work, calls) if c is not None and len(c)]
    return Trace(
        path=str(paths[0]),
        sha256=sha256,
        form="csv",
        run=max(int(c.end.max()) for c in columns) - min(int(c.start.min()) for c in columns) if columns else None,
        names=tuple(names.texts),
        short={i: base_name(names.texts[i]) for i in set(work.name.tolist())} if work is not None else {},
        gpus=gpus,
        work=work,
        calls=calls,
        ranges=_ranges(by_kind.get("nvtx_trace", ()), names),
        copies_seen=work is not None,
        migrations_seen=work is not None,
        graphs_seen=known and not any("graphlaunch" in name for name in asked),
        memory_kinds=kinds_known,
        faults=NO_FAULTS if known and not managed else None,
        sums=sums if work is None else None,
    )


class _Names:
    def __init__(self) -> None:
        self.texts = [""]
        self._known = {"": 0}

    def index(self, text: str) -> int:
        if text not in self._known:
            self._known[text] = len(self.texts)
            self.texts.append(text)
        return self._known[text]


def _instead(path: Path) -> str:
    head = path.read_bytes()[:65536].decode("utf-8", "replace")
    if head.startswith("version https://git-lfs"):
        return "a Git LFS pointer, not the file itself: run `git lfs pull` and try again"
    if re.search(r"Time \(?%\)?\s+Total Time|Executing '\w+' stats report|Statistics:", head):
        return "console text of nsys without its tables: give its database, or the output of `nsys stats`"
    if not head.strip():
        return "the file is empty: export the trace again"
    if "Trace Type,Event Type" in head[:2000]:
        return "a table from another program, not the output of `nsys stats --format csv`"
    return (
        "not a trace: give the database of `nsys export --type sqlite`, or the output of `nsys stats --format csv` "
        "(cuda_gpu_trace, cuda_gpu_kern_sum, cuda_api_sum and others)"
    )


def _work(found: Sequence[Table], names: _Names) -> tuple[Work | None, tuple[Gpu, ...], bool]:
    if not found:
        return None, (), False
    start: list[int] = []
    end: list[int] = []
    wanted = ("kind", "gpu", "stream", "name", "call", "size", "pageable", "grid", "block")
    columns: dict[str, list[int]] = {n: [] for n in wanted}
    gpus: dict[int, str] = {}
    known = all("srcmemkd" in table.columns for table in found)
    for table in found:
        for row in table.rows:
            span = _span(table, row)
            if span is None:
                continue
            name = table.text(row, "name")
            kind = work_kind(name)
            match = _DEVICE.match(table.text(row, "device"))
            gpu = int(match[2]) % 2**31 if match else 0
            gpus.setdefault(gpu, match[1].strip() if match else "")
            side = table.text(row, "srcmemkd" if kind == kinds.TO_DEVICE else "dstmemkd").strip().casefold()
            copy = kind in (kinds.TO_DEVICE, kinds.TO_HOST)
            start.append(span[0])
            end.append(span[1])
            columns["kind"].append(kind)
            columns["gpu"].append(gpu)
            columns["stream"].append(_whole(table.number(row, "strm")))
            columns["name"].append(names.index(name))
            columns["call"].append(_whole(table.number(row, "corrid")))
            columns["size"].append(_whole(table.number(row, "bytes")) if copy else -1)
            columns["pageable"].append((1 if side == "pageable" else 0 if side else -1) if copy else -1)
            columns["grid"].append(_packed(table, row, pack_grid, "grdx", "grdy", "grdz"))
            columns["block"].append(_packed(table, row, pack_block, "blkx", "blky", "blkz"))
    order = np.argsort(np.array(start, dtype=np.int64), kind="stable")
    made = {n: np.array(v, dtype=np.int64)[order] for n, v in {"start": start, "end": end, **columns}.items()}
    nothing = np.zeros(len(order), np.int64)
    work = Work(**made, process=nothing - 1, graph=nothing)
    return work, tuple(Gpu(i, gpus[i]) for i in sorted(gpus)), known


def _packed(table: Table, row: list[str], pack: Callable[[int, int, int], int], *names: str) -> int:
    """Pack a launch shape into one number, -1 if a dimension is missing."""
    x, y, z = (_whole(table.number(row, name)) for name in names)
    return pack(x, y, z) if min(x, y, z) > 0 else -1


def _span(table: Table, row: list[str]) -> tuple[int, int] | None:
    """Return start and end of a row in ns, or None if they are missing or out of range."""
    begin, length = table.number(row, "start"), table.number(row, "duration")
    if begin is None or length is None or length < 0 or abs(begin) + length > 2**62:
        return None
    return round(begin), round(begin + length)


def _whole(value: float | None) -> int:
    return -1 if value is None or not abs(value) < 2**62 else round(value)


def _calls(found: Sequence[Table], names: _Names) -> tuple[Calls | None, set[str]]:
    if not found:
        return None, set()
    rows: list[tuple[int, int, int, int, int]] = []
    used: set[str] = set()
    for table in found:
        for row in table.rows:
            span = _span(table, row)
            if span is None:
                continue
            name = table.text(row, "name")
            used.add(name)
            thread = _whole(table.number(row, "tid"))
            call = _whole(table.number(row, "corrid"))
            rows.append((*span, thread, call, names.index(name)))
    array = np.array(sorted(rows), dtype=np.int64).reshape(-1, 5)
    return Calls(*(np.ascontiguousarray(array[:, i]) for i in range(5))), used


def _ranges(found: Sequence[Table], names: _Names) -> Ranges | None:
    if not found:
        return None
    rows: list[tuple[int, int, int, int]] = []
    for table in found:
        for row in table.rows:
            begin, end = table.number(row, "start"), table.number(row, "end")
            if begin is None or end is None or end <= begin or max(abs(begin), abs(end)) > 2**62:
                continue
            # A name in a domain is written Domain:Range; in the default domain it has no prefix or only a colon.
            rows.append(
                (
                    round(begin),
                    round(end),
                    _whole(table.number(row, "tid")),
                    names.index(table.text(row, "name").lstrip(":")),
                )
            )
    array = np.array(sorted(rows), dtype=np.int64).reshape(-1, 4)
    size = len(array)
    starts, ends, threads, texts = (np.ascontiguousarray(array[:, i]) for i in range(4))
    return Ranges(starts, ends, threads, texts, np.zeros(size, np.int64), np.ones(size, bool))


def _sums(by_kind: dict[str, list[Table]]) -> Sums:
    kernels: dict[str, KernelSum] = {}
    for table in by_kind.get("kernel_sum", ()):
        for row in table.rows:
            name, total, count = (
                table.text(row, "name"),
                table.number(row, "total time"),
                table.number(row, "instances"),
            )
            if not name or total is None or not count or not 0 <= total < 2**62 or not 1 <= count < 2**62:
                continue
            low, high = table.number(row, "min", "minimum"), table.number(row, "max", "maximum")
            before = kernels.get(name)
            launches, total = round(count) + (before.launches if before else 0), total + (before.total if before else 0)
            kernels[name] = KernelSum(name, launches, total, total / launches, low, high)
    return Sums(
        tuple(sorted(kernels.values(), key=lambda k: (-k.total, k.name))) if "kernel_sum" in by_kind else None,
        _summed(by_kind["copy_sum"], "operation", "count", "operations") if "copy_sum" in by_kind else None,
        _summed(by_kind["call_sum"], "name", "num calls") if "call_sum" in by_kind else None,
    )


def _summed(found: Sequence[Table], name: str, *counts: str) -> dict[str, tuple[int, float]]:
    """Return count and ns by name, added up over tables; ns is NaN, and a count is lost, where a row is unreadable."""
    out: dict[str, tuple[int, float]] = {}
    for table in found:
        for row in table.rows:
            label, count, total = table.text(row, name), table.number(row, *counts), table.number(row, "total time")
            if count is None or total is None or min(count, total) < 0:
                count, total = 0.0, math.nan
            met, ns = out.get(label, (0, 0.0))
            out[label] = met + round(count), ns + total
    return out
