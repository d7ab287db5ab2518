"""Names of the cells of ncu's memory tables: table, row and column in any order, `shared load requests`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Struct

from advisor.knowledge.loader import load
from advisor.records import resources

_LARGEST_RATIO: Final = 32  # lanes of a warp: no access takes more wavefronts for each that it needs
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
