"""Read the CSV of ncu: `--page raw` (one row per launch), details page or `--metrics` (one per metric and rule).

Tables may be mixed with other output. Numbers may have thousands separators, a decimal point or a decimal comma.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from advisor.readers.frame import Contents, Launch, breakdown_name, one_line, short_name
from advisor.records.errors import InputError
from advisor.records.magnitudes import shape_of, whole
from advisor.records.readings import RuleResult

# Spaces and apostrophes that locales use as thousands separators.
_GROUP_MARKS = str.maketrans("", "", " \u00a0\u2009\u202f'’")
_PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_NAN = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
# A number with only one possible reading determines the style of the whole file.
_POINT = re.compile(r"[+-]?(0\.\d+|\d+\.(\d{1,2}|\d{4,})|\d{1,3}(,\d{3})+\.\d+|\d{1,3}(,\d{3}){2,})")
_COMMA = re.compile(r"[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,})|\d{1,3}(\.\d{3})+,\d+|\d{1,3}(\.\d{3}){2,})")


def decimal_mark(samples: Iterable[str]) -> str | None:
    """Return the decimal mark of a file, '.' or ',', from its numbers: '.' if ambiguous, None if both occur."""
    point = comma = False
    for sample in samples:
        token = sample.strip().translate(_GROUP_MARKS)
        point = point or _POINT.fullmatch(token) is not None
        comma = comma or _COMMA.fullmatch(token) is not None
        if point and comma:
            return None
    return "," if comma else "."


def count_nan(texts: Iterable[str]) -> float:
    """Count the values that are `nan` or infinite, as after a failed measurement (`n/a` is only absent)."""
    return float(sum(_NAN.fullmatch(text.replace("(!)", "").strip()) is not None for text in texts))


def number(text: str, mark: str = ".") -> float:
    """Parse a finite number with the decimal mark `mark`; NaN for words, `n/a`, `nan` and infinities."""
    token = text.replace("(!)", "").translate(_GROUP_MARKS).strip()
    if mark == ",":
        token = token.translate(str.maketrans(".,", ",."))
    if _GROUPED.fullmatch(token):
        token = token.replace(",", "")
    elif not _PLAIN.fullmatch(token):
        return math.nan
    value = float(token)
    return value if math.isfinite(value) else math.nan


# A row begins with a number (ID or Process ID; empty in the line of units), quoted if the header's fields are.
_ROWS = {True: re.compile(r'"\d*","'), False: re.compile(r"\d*,")}
_HEADER = re.compile(r'\ufeff?"?(ID"?,"?)?Process ID"?,')
_TUPLE = re.compile(r"\((\d+), *(\d+), *(\d+)\)")
_MOST_LINES = 200


class CutShortError(ValueError):
    """The file ends inside a row."""


def shape(text: str) -> tuple[int, int, int] | None:
    """Parse `(256, 1, 1)`; return None for anything else and for the (0, 0, 0) of a failed launch."""
    match = _TUPLE.fullmatch(text.strip())
    return shape_of(match.groups()) if match else None


def is_header(line: str) -> bool:
    """Return whether the line is the header of an ncu table (concatenated files have several)."""
    return _HEADER.match(line) is not None and "Kernel Name" in line


def rows(lines: Iterable[str]) -> Iterator[list[str]]:
    """Yield the rows of all tables in the file, including headers; skip other output.

    A field may contain newlines. Raises CutShortError after the last whole row if the file ends inside one.
    """
    held: list[str] = []
    begins = _ROWS[True]
    for line in lines:
        header = is_header(line)
        if header:
            begins = _ROWS[line.lstrip("\ufeff").startswith('"')]
        if header or begins.match(line):
            held = []  # the previous lines were not a row but had a stray quote
        elif not held:
            continue
        held.append(line)
        if sum(part.count('"') for part in held) % 2 == 0:
            yield from _parse(held)
            held = []
        elif len(held) > _MOST_LINES:
            held = []
    if held:
        raise CutShortError


def _parse(held: list[str]) -> list[list[str]]:
    try:
        return list(csv.reader(["\n".join(held)] if len(held) == 1 else [part + "\n" for part in held]))
    except csv.Error as error:
        raise InputError(f"a row of the CSV cannot be read ({error}); give the file as ncu printed it") from None


MIXED = "numbers with decimal points and with decimal commas in one file: points are read, the others are unknown"


class _Raw(Struct):
    """A row of a raw page: its identity, and the texts of the wanted columns with their titles and units."""

    identity: dict[str, str]
    titles: list[str]
    units: list[str]
    texts: list[str]


def read_raw_csv(lines: Iterable[str], wanted: Sequence[str], most: int) -> Contents:
    """Read at most `most` launches of a raw page with the metrics `wanted`. Raises InputError for another table."""
    found = Contents()
    header: list[str] = []
    units: list[str] | None = None
    kept: list[_Raw] = []
    columns: list[int] = []
    titles: list[str] = []
    own_units: list[str] = []
    keep = frozenset(wanted)
    try:
        for row in rows(lines):
            if is_header(",".join(row[:6])) or row[:2] == ["ID", "Process ID"]:
                header, units = row, None
                last = {title: i for i, title in enumerate(header) if title in keep}  # of equal titles
                titles, columns = list(last), list(last.values())
            elif not header:
                continue
            elif len(row) < len(header):
                found.problems.append(f"a row of {len(row)} instead of {len(header)} fields is skipped")
                found.missing = None
            elif units is None:
                if row[0]:
                    raise InputError(
                        "a table without ncu's line of units; give the CSV that `ncu --csv --page raw` printed"
                    )
                units = row
                own_units = [row[i] for i in columns]
            elif len(kept) >= most:
                raise InputError(f"more than {most:,} launches; split the file")
            else:
                identity = {title: row[i] for i, title in enumerate(header[:14]) if title not in keep}
                identity["GPU"] = _field(header, row, "device__attribute_display_name")
                identity.setdefault("CC", "")
                if not identity["CC"]:
                    parts = [
                        _field(header, row, f"device__attribute_compute_capability_{part}")
                        for part in ("major", "minor")
                    ]
                    identity["CC"] = ".".join(part.split(".")[0] for part in parts) if all(parts) else ""
                kept.append(_Raw(identity, titles, own_units, [row[i] for i in columns]))
    except CutShortError:
        found.problems.append("the file ends inside a row: it is truncated")
        found.missing = None
    mark = decimal_mark(text for row in kept for text in row.texts)
    if mark is None:
        found.problems.append(MIXED)
    kept.reverse()
    for index in range(len(kept)):
        raw = kept.pop()  # thousands of rows need not be in memory as text and as numbers
        identity, texts = raw.identity, raw.texts
        full = identity.get("Kernel Name", "")
        found.launches.append(
            Launch(
                index=index,
                kernel=short_name(full),
                kernel_full=full,
                grid=shape(identity.get("Grid Size", "")),
                block=shape(identity.get("Block Size", "")),
                gpu_name=identity["GPU"],
                cc=identity["CC"],
                known={"nan_metrics": count_nan(texts)},
                values={
                    title: (number(text, mark or "."), unit)
                    for title, unit, text in zip(raw.titles, raw.units, texts, strict=True)
                },
            )
        )
    return found


def _field(header: list[str], row: list[str], title: str) -> str:
    return row[header.index(title)] if title in header else ""


_NEEDED = ("Kernel Name", "Metric Name", "Metric Unit")


class _Table:
    """The columns of one header; they differ between versions."""

    def __init__(self, header: list[str], segment: int) -> None:
        self.at = {title: i for i, title in enumerate(header)}
        self.segment = segment
        self.summary = "Average" in self.at and "Metric Value" not in self.at

    def get(self, row: list[str], title: str) -> str:
        """Return the row's field under a title, or '' if the table or the row lacks it (metric rows are shorter)."""
        i = self.at.get(title)
        return row[i] if i is not None and i < len(row) else ""

    def key(self, row: list[str]) -> tuple[object, ...]:
        """Return the key that identifies a launch in a file."""
        if self.summary:
            parts = ("Process ID", "Kernel Name", "Block Size", "Grid Size", "Device")
            return (self.segment, *(self.get(row, title) for title in parts))
        return (self.segment, self.get(row, "Process ID"), self.get(row, "ID"))


class _Entry:
    """A launch whose rows are being read; values are text, since the decimal mark is known only at the end."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.values: dict[str, tuple[str, str]] = {}
        self.labels: dict[tuple[str, str], tuple[str, str]] = {}
        self.rules: list[RuleResult] = []
        self.sections: dict[str, None] = {}


def read_details_csv(lines: Iterable[str], wanted: Collection[str], most: int) -> Contents:
    """Read at most `most` launches of a details page; `wanted` are found by name, others by section and label."""
    found = Contents()
    entries: dict[tuple[object, ...], _Entry] = {}
    table: _Table | None = None
    segment, averaged = 0, 0
    keep = frozenset(wanted)
    try:
        for row in rows(lines):
            if all(title in row for title in _NEEDED):
                segment += 1
                table = _Table(row, segment)
            elif table is not None and len(row) > table.at["Metric Name"]:
                key = table.key(row)
                if key not in entries:
                    if len(entries) >= most:
                        raise InputError(f"more than {most:,} launches; split the file")
                    entries[key] = _entry(table, row, len(entries))
                    averaged += (whole(table.get(row, "Invocations")) or 0) if table.summary else 0
                _take(table, row, entries[key], keep)
            elif table is not None:
                found.problems.append(f"a row of only {len(row)} fields is skipped")
                found.missing = None
    except CutShortError:
        found.problems.append("the file ends inside a row: it is truncated")
        found.missing = None
    if averaged:
        found.problems.append(f"a summary: each kernel is the average of its launches ({averaged} in all)")
    cut = last_is_cut([tuple(entry.sections) for entry in entries.values()])
    if cut:
        found.problems.append(cut)
        found.missing = None
    mark = decimal_mark(text for e in entries.values() for part in (e.values, e.labels) for text, _ in part.values())
    if mark is None:
        found.problems.append(MIXED)
    for entry in entries.values():
        launch = entry.launch
        launch.values = {k: (number(text, mark or "."), unit) for k, (text, unit) in entry.values.items()}
        launch.labels = {k: (number(text, mark or "."), unit) for k, (text, unit) in entry.labels.items()}
        launch.known["nan_metrics"] = count_nan(text for text, _ in (*entry.values.values(), *entry.labels.values()))
        launch.rules = tuple(entry.rules)
        found.launches.append(launch)
    return found


def last_is_cut(sections: list[tuple[str, ...]]) -> str:
    """Return a message if the last launch lacks later sections of the previous one, as in a truncated file; else ''."""
    if len(sections) < 2:
        return ""
    before, last = sections[-2:]
    # The last name itself may be truncated.
    if 0 < len(last) < len(before) and before[: len(last) - 1] == last[:-1]:
        return f"the last launch has only {len(last)} of {len(before)} sections: the file seems to be truncated"
    return ""


def _entry(table: _Table, row: list[str], index: int) -> _Entry:
    full = table.get(row, "Kernel Name")
    grid, block = shape(table.get(row, "Grid Size")), shape(table.get(row, "Block Size"))
    return _Entry(Launch(index, short_name(full), full, grid, block, cc=table.get(row, "CC")))


def _take(table: _Table, row: list[str], entry: _Entry, keep: frozenset[str]) -> None:
    section, label = table.get(row, "Section Name"), table.get(row, "Metric Name")
    rule = table.get(row, "Rule Name")
    if rule:
        entry.rules.append(_rule(table, row, rule))
    elif label:
        entry.sections[section] = None
        value = (table.get(row, "Average" if table.summary else "Metric Value"), table.get(row, "Metric Unit"))
        name = label if label in keep else breakdown_name(label)
        if name in keep:
            entry.values.setdefault(name, value)
        else:
            entry.labels.setdefault((table.get(row, "Body Item Label") or section, label), value)


def _rule(table: _Table, row: list[str], rule: str) -> RuleResult:
    kind, estimate = table.get(row, "Estimated Speedup Type"), number(table.get(row, "Estimated Speedup"))
    speedup = speedup_of(estimate) if kind == "global" else None
    local = percent_of(estimate) if kind == "local" else None
    return RuleResult(rule, one_line(rule), one_line(table.get(row, "Rule Description")), speedup, local)


def speedup_of(saving: float) -> float | None:
    """Convert an estimate of ncu (% of the kernel's time saved) to old time over new, or None if there is none.

    ncu's local estimates are about one part of the kernel, so they are not speedups: `percent_of` converts them.
    """
    return 1 / (1 - saving / 100) if 0 <= saving < 100 else None


def percent_of(saving: float) -> float | None:
    """Return a local estimate of ncu (% saved in one part of the kernel), or None if there is none."""
    return saving if 0 <= saving <= 100 else None
