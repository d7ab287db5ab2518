"""Read the CSV of ncu: `--page raw` (one row per launch), details page or `--metrics` (one per metric and rule).

Tables may be mixed with other output. Numbers may have thousands separators, a decimal point or a decimal comma.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from advisor.readers.frame import Contents, Launch, breakdown_name, one_line, short_name
from advisor.readers.numbers import Packer, Values, number
from advisor.records.errors import InputError
from advisor.records.magnitudes import shape_of, whole
from advisor.records.readings import RuleResult

K = TypeVar("K", bound=Hashable)

# A row begins with a number (ID or Process ID; empty in the line of units), quoted if the header's fields are.
_ROWS = {True: re.compile(r'"\d*","'), False: re.compile(r"\d*,")}
_FIRST_FIELD = re.compile(r'"(\d*"?,?)?\Z')  # of a quoted row that ends there: the file was cut
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
    quoted, line = False, ""
    for line in lines:
        header = is_header(line)
        if header:
            quoted = line.lstrip("\ufeff").startswith('"')
            begins = _ROWS[quoted]
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
    if held or (quoted and _FIRST_FIELD.match(line)):
        raise CutShortError


def _parse(held: list[str]) -> list[list[str]]:
    try:
        return list(csv.reader(["\n".join(held)] if len(held) == 1 else [part + "\n" for part in held]))
    except csv.Error as error:
        raise InputError(f"a row of the CSV cannot be read ({error}); give the file as ncu printed it") from None


MIXED = "numbers with decimal points and with decimal commas in one file: points are read, the others are unknown"


def read_raw_csv(lines: Iterable[str], wanted: Sequence[str], most: int) -> Contents:
    """Read at most `most` launches of a raw page with the metrics `wanted`. Raises InputError for another table."""
    found = Contents()
    header: list[str] = []
    units: list[str] | None = None
    packer, read = Packer(), list[Values[str]]()
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
            elif len(found.launches) >= most:
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
                values, lost = packer.texts(titles, (row[i] for i in columns), own_units)
                read.append(values)
                found.launches.append(_launch(len(found.launches), identity, values, lost))
    except CutShortError:
        found.problems.append("the file ends inside a row: it is truncated")
        found.missing = None
    if packer.style.mark is None:
        found.problems.append(MIXED)
    for values in read:
        values.settle(packer.style.mark)
    return found


def _launch(index: int, identity: dict[str, str], values: Values[str], lost: int) -> Launch:
    full = identity.get("Kernel Name", "")
    return Launch(
        index=index,
        kernel=short_name(full),
        kernel_full=full,
        grid=shape(identity.get("Grid Size", "")),
        block=shape(identity.get("Block Size", "")),
        gpu_name=identity["GPU"],
        cc=identity["CC"],
        known={"nan_metrics": float(lost)},
        values=values,
    )


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
    """A launch whose rows are being read: as text, and packed once a row of another launch follows."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.values: dict[str, tuple[str, str]] = {}
        self.labels: dict[tuple[str, str], tuple[str, str]] = {}
        self.rules: list[RuleResult] = []
        self.sections: dict[str, None] = {}
        self.packed: list[tuple[Values[str], Values[tuple[str, str]]]] = []
        self.lost = 0

    def pack(self, packer: Packer) -> None:
        """Store the rows read so far as numbers. Rows of the launch may follow, but seldom do."""
        if self.values or self.labels:
            # Of several rows with one name the first counts.
            names = {name: None for name in self.values if not any(name in values for values, _ in self.packed)}
            labels = {label: None for label in self.labels if not any(label in part for _, part in self.packed)}
            values, lost = packed(packer, {name: self.values[name] for name in names})
            more, lost_there = packed(packer, {label: self.labels[label] for label in labels})
            self.packed.append((values, more))
            self.lost += lost + lost_there
            self.values, self.labels = {}, {}

    def settle(self, mark: str | None) -> None:
        """Give the launch its values, once the file's decimal mark is known."""
        for values, labels in self.packed:
            values.settle(mark)
            labels.settle(mark)
        if len(self.packed) == 1:
            self.launch.values, self.launch.labels = self.packed[0]
        else:
            self.launch.values = {key: value for values, _ in self.packed for key, value in values.items()}
            self.launch.labels = {key: value for _, labels in self.packed for key, value in labels.items()}
        self.launch.known["nan_metrics"] = float(self.lost)
        self.launch.rules = tuple(self.rules)


def packed(packer: Packer, texts: Mapping[K, tuple[str, str]]) -> tuple[Values[K], int]:
    """Pack texts with their units; also return how many are nan or infinite."""
    return packer.texts(texts, (text for text, _ in texts.values()), (unit for _, unit in texts.values()))


def read_details_csv(lines: Iterable[str], wanted: Collection[str], most: int) -> Contents:
    """Read at most `most` launches of a details page; `wanted` are found by name, others by section and label."""
    found = Contents()
    entries: dict[tuple[object, ...], _Entry] = {}
    table: _Table | None = None
    segment, averaged = 0, 0
    keep, packer = frozenset(wanted), Packer()
    current: _Entry | None = None
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
                entry = entries[key]
                if current is not None and entry is not current:
                    current.pack(packer)
                current = entry
                _take(table, row, entry, keep)
            elif table is not None:
                found.problems.append(f"a row of only {len(row)} fields is skipped")
                found.missing = None
    except CutShortError:
        found.problems.append("the file ends inside a row: it is truncated")
        found.missing = None
    if averaged:
        found.problems.append(f"a summary: each kernel is the average of its launches ({averaged} in all)")
    cut = last_is_cut([tuple(entry.sections) for entry in list(entries.values())[-2:]])
    if cut:
        found.problems.append(cut)
        found.missing = None
    if current is not None:
        current.pack(packer)
    if packer.style.mark is None:
        found.problems.append(MIXED)
    for entry in entries.values():
        entry.settle(packer.style.mark)
        found.launches.append(entry.launch)
    return found


def last_is_cut(sections: list[tuple[str, ...]]) -> str:
    """Return a message if the last launch lacks later sections of the previous one, as in a truncated file; else ''."""
    if len(sections) < 2:
        return ""
    before, last = sections[-2:]
    # The last name itself may be truncated.
    if len(last) < len(before) and before[: len(last[:-1])] == last[:-1]:
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
