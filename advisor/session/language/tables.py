"""Names of the cells of ncu's memory tables: table, row and column in any order, `shared load requests`."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Struct

from advisor.knowledge.loader import load
from advisor.records import resources

_LARGEST_RATIO: Final = 32  # lanes of a warp: no access takes more wavefronts for each that it needs
_FEWEST_COLUMNS: Final = 2
_MOST_WORDS: Final = 4  # of the name of a column
_EMPTY: Final = ("-", "–", "—", "n/a")
_GAP: Final = re.compile(r"\t|[|│┃║]|\s{2,}")
# A row whose cells are separated by single blanks, of two numbers or more.
_ROW: Final = re.compile(r"(?P<label>[A-Za-z][A-Za-z/ ]*[A-Za-z])(?P<numbers>(?:\s+(?:[\d,]*\.?\d+%?|[-–—])){2,})")
_BARE: Final = ("bank conflicts", "bank conflict", "conflicts", "smem conflicts", "shared conflicts")


class Cell(Struct, frozen=True):
    """A cell: its table and row, and its metric, or why its number is not used."""

    table: str
    row: str
    metric: str = ""
    unused: str = ""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    named: tuple[str, ...]
    rows: dict[str, tuple[str, ...]]
    columns: tuple[dict[str, Any], ...]


class _Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    shown: dict[str, str]
    other: tuple[str, ...]
    titles: tuple[str, ...]
    columns: tuple[str, ...]
    shared_columns: tuple[str, ...]
    tables: dict[str, _Table]


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    made: _Tables = load(resources.folder("knowledge") / "language" / "tables.yaml", _Tables)
    return made


def shown() -> Mapping[str, str]:
    """Return the metrics of ncu's summary rows by the names that an interview gives them."""
    return _tables().shown


def cell(name: str, row: str = "") -> Cell | None:
    """Return the cell with a name in the form of `names.plain`; None for any other text.

    row: the row to use where the name has none. Raises KnowledgeError with file and line.
    """
    words = name.split()
    return next((found for table in _tables().tables if (found := _cell(table, words, row)) is not None), None)


def unused(name: str, value: float) -> str:
    """Return why a number with this name is not used, empty if it may be; a ratio of conflicts has the same name."""
    found = cell(f"shared {name}" if name in _BARE and value > _LARGEST_RATIO else name)
    return "" if found is None else found.unused


def memory_tables(text: str) -> tuple[str, tuple[tuple[str, float], ...]]:
    """Return a text without the rows of ncu's memory tables, and their numbers with names: `Shared Load: Requests`.

    A table has a line with its columns; a row of Shared Memory with all its numbers needs none.
    """
    rest, found, title, columns = list[str](), list[tuple[str, float]](), "", tuple[str, ...]()
    for line in text.split("\n"):
        cells = [part.strip() for part in _GAP.split(line) if part.strip()]
        if len(cells) == 1 and (row := _ROW.fullmatch(cells[0])):
            cells = [row["label"].strip(), *row["numbers"].split()]
        elif len(cells) == 1:
            cells = _columns(cells[0]) or cells
        numbers = [value for part in cells[1:] if (value := _number(part)) is not None]
        if plain_title(line) in _tables().titles:
            title, columns = line.strip(), ()
            continue
        if len(cells) > 1 and sum(cell_.casefold() in _tables().columns for cell_ in cells) >= _FEWEST_COLUMNS:
            columns = tuple(cells)
            continue
        if len(cells) > _FEWEST_COLUMNS and len(numbers) == len(cells) - 1 and _number(cells[0]) is None:
            shared = cells[0].casefold().startswith("shared ") and len(numbers) == len(_tables().shared_columns)
            named = columns if len(columns) == len(numbers) else _tables().shared_columns if shared else ()
            if named:
                whole = "" if cell(f"{cells[0].casefold()} requests") is not None or not title else f"{title}, "
                pairs = zip(named, numbers, strict=True)
                found += [(f"{whole}{cells[0]}: {name}", value) for name, value in pairs if math.isfinite(value)]
                continue
        rest.append(line)
    return "\n".join(rest), tuple(found)


def plain_title(line: str) -> str:
    """Return a line as the title of a table: its words in lower case, without a colon at the end."""
    return " ".join(line.casefold().rstrip(" :").split())


def _columns(line: str) -> list[str]:
    """Return the columns of a table in a line that names nothing else, with single blanks between them; else none."""
    words, out = line.split(), list[str]()
    while words:
        sizes = range(min(len(words), _MOST_WORDS), 0, -1)
        size = next((n for n in sizes if " ".join(words[:n]).casefold() in _tables().columns), 0)
        if not size:
            return []
        out.append(" ".join(words[:size]))
        words = words[size:]
    return out


def _number(text: str) -> float | None:
    """Return a number, NaN for the dash of an empty cell, None for other texts."""
    if text in _EMPTY:
        return math.nan
    try:
        return float(text.replace(",", "").rstrip("%"))
    except ValueError:
        return None


def _cell(name: str, words: list[str], row: str) -> Cell | None:
    table, left = _tables().tables[name], list(words)
    if not _take(left, table.named):
        return None
    columns = [(text, column) for column in table.columns for text in column["named"] if _holds(left, text.split())]
    if not columns:
        return None
    text, column = max(columns, key=lambda one: len(one[0].split()))
    for word in text.split():
        left.remove(word)
    at = next((each for each, named in table.rows.items() if _take(left, named)), None)
    if any(word not in _tables().other for word in left):
        return None
    why = str(column.get("unused", ""))
    at = at if at is not None else row if row in column else ""
    return Cell(name, at, str(column.get(at, "")), why) if why or at in column else None


def _take(words: list[str], named: Collection[str]) -> bool:
    """Remove the first of these names from the words; return whether there was one."""
    found = next((word for word in words if word in named), "")
    if found:
        words.remove(found)
    return bool(found)


def _holds(words: list[str], wanted: list[str]) -> bool:
    return all(words.count(word) >= wanted.count(word) for word in wanted)
