"""Read a pasted part of ncu's output: rows of any table, CSV, or lines with a label, a value and a unit.

Whole tables go through the readers of console text and CSV; what they need and a fragment lacks (the line of the
launch, the lines of dashes, the header) is made up, or the line is read by its cells alone.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final

from msgspec import Struct

from advisor.readers.console import read_console
from advisor.readers.csv_tables import is_header, read_details_csv, read_raw_csv
from advisor.readers.frame import Contents, one_line
from advisor.readers.frame import parse as unit_parts
from advisor.readers.numbers import decimal_mark, number
from advisor.records.errors import InputError

_MOST_CHARS: Final = 200_000
MOST_LINES: Final = 4_000
LONGEST: Final = 2_000  # characters of a line
_MOST_CELLS: Final = 100
_LABEL: Final = 90  # characters of a label; a longer text is prose
# Escape codes of terminals (colours, titles, links), and tags of markup.
_ESCAPES: Final = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_TAGS: Final = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_MARKS: Final = re.compile(r"\*\*|`")
_BARS: Final = re.compile(r"[|│┃║]")
_RULES: Final = re.compile(r"[-=+|:│┃║─━═┌┐└┘├┤┬┴┼╭╮╰╯\s]*")
_PROSE: Final = re.compile(r"\s*(?:OPT|INF|WRN|ERR|==\w+==)\s")
_DASHES: Final = re.compile(r"-{3,}(\s+-{3,})+")
_GROUPS: Final = "[\u00a0\u2009\u202f'’]"
_NUMBER: Final = rf"[+-]?(?:\d{{1,3}}(?:{_GROUPS}\d{{3}})+(?:[.,]\d+)?|\d(?:[\d.,]*\d)?\.?|[.,]\d+)(?:[eE][+-]?\d+)?"
_UNIT: Final = r"(?:%|[A-Za-zµμ#][A-Za-z0-9µμ#%._-]*(?:/[A-Za-z#]+)?)"
_VALUE: Final = re.compile(rf"(?P<number>{_NUMBER})(?:\s*(?P<unit>{_UNIT}))?")
_UNIT_FIRST: Final = re.compile(rf"(?P<unit>{_UNIT})\s(?P<number>{_NUMBER})")  # a long number in a column of ncu
_TRAILING: Final = re.compile(rf"(?P<label>.*?\S)(?:\s*[:=]\s*|\s+)(?P<value>{_NUMBER}(?:\s*{_UNIT})?)\s*")
_BRACKETS: Final = re.compile(r"(?<!\s)\s*\[([^\[\]]*)\]\s*$")
_ABSENT: Final = frozenset(("n/a", "nan", "-", "(!) n/a", "(!) nan", "inf"))
_HEAD: Final = "pasted (1, 1, 1)x(1, 1, 1), Context 1, Stream 7, Device 0, CC 0.0"


class Row(Struct, frozen=True):
    """A number of a fragment. section: of ncu, empty if unknown; label: its name as pasted, or ncu's own name."""

    label: str
    value: float
    unit: str = ""
    section: str = ""


class Fragment(Struct, frozen=True):
    """The rows of a fragment in their order, and the lines that look like a row but have no known name."""

    rows: tuple[Row, ...] = ()
    unread: tuple[str, ...] = ()


def read_fragment(text: str, names: Collection[str], knows: Callable[[str], bool]) -> Fragment:
    """Read any text; nothing raises. names: ncu's own names of metrics; knows: whether a label has a metric."""
    lines = _lines(text)
    rows = {(row.section, row.label): row for row in _tables(lines, names)}
    loose, unread = _by_cells(_without_markup(lines), knows)
    known = {row.label for row in rows.values()}
    rows |= {(row.section, row.label): row for row in loose if row.label not in known}
    return Fragment(tuple(rows.values()), tuple(unread))


def rows_by_line(text: str, knows: Callable[[str], bool]) -> list[Row]:
    """Return the known rows of any text, each line by itself, in their order; nothing raises."""
    return _by_cells(_without_markup(_lines(text)), knows)[0]


def _lines(text: str) -> list[str]:
    """Return the lines without escape codes and control characters."""
    plain = _ESCAPES.sub("", text[:_MOST_CHARS].replace("\r\n", "\n").replace("\r", "\n"))
    return [_CONTROL.sub(" ", line)[:LONGEST] for line in plain.split("\n")[:MOST_LINES]]


def _without_markup(lines: Iterable[str]) -> list[str]:
    return [_MARKS.sub("", _TAGS.sub("  ", line)) for line in lines]


def paragraphs(text: str) -> tuple[str, ...]:
    """Return the paragraphs of ncu's rules in a text (`OPT   Est. Speedup: …`), each in one line."""
    out: list[list[str]] = []
    prose = False
    for line in text[:_MOST_CHARS].splitlines()[:MOST_LINES]:
        stripped = line.strip()
        if _PROSE.match(line):
            prose = True
            out.append([stripped])
        elif not stripped or stripped.startswith("Section: ") or _RULES.fullmatch(stripped):
            prose = False
        elif prose:
            out[-1].append(stripped)
    return tuple(" ".join(" ".join(part).split()) for part in out)


def _tables(lines: list[str], names: Collection[str]) -> Iterator[Row]:
    """Yield the rows of the first launch, if the lines hold a table with its header or its lines of dashes."""
    found: Contents | None = None
    try:
        if header := next((line for line in lines if is_header(line)), ""):
            read = read_details_csv if "Metric Name" in header else read_raw_csv
            found = read(lines, list(names), 1_000)
        elif any(_DASHES.fullmatch(line.strip()) for line in lines):
            found = read_console([_HEAD, *lines], names, 1_000)
    except InputError:
        return
    for launch in [] if found is None else found.launches:
        values = {("", name): value for name, value in launch.values.items()}
        some = [(key, value) for key, value in {**values, **launch.labels}.items() if math.isfinite(value[0])]
        for (section, label), (value, unit) in some:
            yield Row(label, value, unit, section)
        if some:
            return


def _by_cells(lines: list[str], knows: Callable[[str], bool]) -> tuple[list[Row], list[str]]:
    """Return the rows of lines that are read one by one: a label, a number, and perhaps a unit."""
    found: list[tuple[str, str, str, str]] = []
    unread: list[str] = []
    section, prose = "", False
    for line in lines:
        stripped = line.strip()
        if stripped.startswith("Section: "):
            section, prose = stripped[9:].strip(), False
        elif _RULES.fullmatch(stripped):
            prose = False
        elif _PROSE.match(line) or prose:
            prose = True
        elif ", Context " not in line and any(c.isdigit() for c in line):
            for part in _pairs(stripped, knows):
                row = _row(part, knows)
                if row is not None and knows(row[0]):
                    found.append((section, *row))
                elif row is not None:
                    unread.append(one_line(part, 80))
    mark = decimal_mark(text for _, _, text, _ in found)
    rows = (Row(label, number(text, mark or _own(text)), unit, section) for section, label, text, unit in found)
    return [row for row in rows if math.isfinite(row.value)], unread


def _own(text: str) -> str:
    """Return the decimal mark of one number, if a text mixes both."""
    return decimal_mark([text]) or "."


def _pairs(line: str, knows: Callable[[str], bool]) -> list[str]:
    """Return the parts of a line with a known label each, since ncu-ui shows two columns of labels and numbers."""
    cells, starts = _cells(line), [0]
    for at, cell in enumerate(cells[1:], 1):
        before = any(_VALUE.fullmatch(one) for one in cells[starts[-1] : at])
        label = not _VALUE.fullmatch(cell) and knows(_named(cell)[0])
        if before and label and at + 1 < len(cells):
            starts.append(at)
    if len(starts) == 1:
        return [line]
    return ["\t".join(cells[a:b]) for a, b in zip(starts, [*starts[1:], len(cells)], strict=True)]


def _row(line: str, knows: Callable[[str], bool]) -> tuple[str, str, str] | None:
    """Return label, number and unit of a line; None if it has no number after a label."""
    cells = _cells(line)
    if len(cells) < 2:
        match = _TRAILING.fullmatch(line)
        cells = [match["label"], match["value"]] if match else []
        label, _, unit = cells[0].rpartition(" ") if cells else ("", "", "")
        if label and not knows(_named(cells[0])[0]) and unit_parts(unit) and knows(_named(label)[0]):
            cells = [label, unit, cells[1]]
    at = next((i for i, cell in enumerate(cells) if not _VALUE.fullmatch(cell) and knows(_named(cell)[0])), 0)
    cells = cells[at:]
    if len(cells) < 2 or _VALUE.fullmatch(cells[0]) or len(cells[0]) > _LABEL:
        return None
    label, unit = _named(cells[0])
    numbers: list[str] = []
    for cell in cells[1:]:
        match = _VALUE.fullmatch(cell) or _UNIT_FIRST.fullmatch(cell)
        if match:
            numbers.append(match["number"])
            unit = match["unit"] or unit
        elif re.fullmatch(_UNIT, cell) and cell.casefold() not in _ABSENT:
            unit = unit or cell
        elif numbers:
            break
        elif cell.casefold() in _ABSENT:
            return None
    # A table with minimum, maximum and average has the average last.
    return (label, numbers[-1], unit) if numbers else None


def _named(cell: str) -> tuple[str, str]:
    """Return a label without its sign at the end, and the unit in brackets that ncu-ui puts after it."""
    match = _BRACKETS.search(cell)
    label = cell[: match.start()] if match else cell
    return label.strip().rstrip(":=").strip(), match[1].strip() if match else ""


def _cells(line: str) -> list[str]:
    """Return the cells of a line: of CSV, separated by tabs, bars or two blanks, or one cell."""
    if line.count('"') >= 4:
        try:
            cells = next(csv.reader([line]), [])
        except csv.Error:
            cells = []
    elif _BARS.search(line):
        cells = _BARS.split(line)
    else:
        cells = re.split(r"\t|\s{2,}", line)
    return [cell.strip() for cell in cells[:_MOST_CELLS] if cell.strip()]
