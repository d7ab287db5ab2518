"""The tables in the output of `nsys stats --format csv`: found by their columns, among progress lines and each other.

Reports and columns were renamed over the years (`Time(%)`, `Average`; `Time (%)`, `Avg (ns)`): both are known. What a
report was called stands in the lines before it, if anywhere.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

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
_COLUMN = re.compile(r"([^()]*?)\s*(?:\(([^()]*)\))?\s*\Z")
_REPORT = re.compile(r"\b((?:cuda|nvtx|osrt|gpu|nvvideo|openmp|vulkan)[a-z_]*(?:sum|trace))\b")
# What each report has that no other has; the first that fits counts.
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


@dataclass
class Table:
    """One report: its kind as in _SIGNATURES, the columns without units, what each unit stands for, the rows."""

    kind: str
    columns: tuple[str, ...]
    scales: tuple[float, ...]
    rows: list[list[str]] = field(default_factory=list)

    def number(self, row: list[str], *names: str) -> float | None:
        """The first of the columns that is there as a number in ns or bytes, None where it is none."""
        for name in names:
            if name in self.columns:
                at = self.columns.index(name)
                try:
                    return float(row[at].replace(",", "")) * self.scales[at]
                except ValueError:
                    return None
        return None

    def text(self, row: list[str], *names: str) -> str:
        """The first of the columns that is there, '' without any."""
        return next((row[self.columns.index(name)] for name in names if name in self.columns), "")


def _header(fields: list[str], report: str) -> Table | None:
    """The empty table that a line of names begins, or None."""
    names, scales = [], []
    for text in fields:
        match = _COLUMN.match(text.strip().strip("\ufeff"))
        names.append((match[1] if match else text).strip().casefold())
        scales.append(_UNITS.get((match[2] or "").strip().casefold(), 1.0) if match else 1.0)
    there = frozenset(names)
    for kind, needed in _SIGNATURES:
        if needed <= there:
            system = kind == "call_sum" and report.startswith(_SYSTEM)
            return Table("system_sum" if system else kind, tuple(names), tuple(scales))
    return None


def tables(lines: Iterable[str], report: str = "") -> Iterator[Table]:
    """Every table in the lines. report: what the file's name says of its first table."""
    now: Table | None = None
    for fields in csv.reader(_clean(lines)):
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


def _clean(lines: Iterable[str]) -> Iterator[str]:
    """What a terminal would show: of a line that was written over, the end; without the NULs that csv refuses."""
    for line in lines:
        yield line.rsplit("\r", 1)[-1].replace("\0", "") + "\n"
