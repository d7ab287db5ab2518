"""The CSV of ncu: found behind other output, row by row, through lines that the profiled program wrote in between."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator

from advisor.errors import InputError

# A row begins with a number (ID or Process ID; in the line of units nothing), in quotes if the header's fields are.
_ROWS = {True: re.compile(r'"\d*","'), False: re.compile(r"\d*,")}
_HEADER = re.compile(r'\ufeff?"?(ID"?,"?)?Process ID"?,')
_TUPLE = re.compile(r"\((\d+), *(\d+), *(\d+)\)")
_MOST_LINES = 200


class CutShortError(ValueError):
    """The file ends inside a row."""


def shape(text: str) -> tuple[int, int, int] | None:
    """`(256, 1, 1)` as three numbers; None for anything else and for the (0, 0, 0) of a failed launch."""
    match = _TUPLE.fullmatch(text.strip())
    found = (int(match[1]), int(match[2]), int(match[3])) if match else None
    return found if found and all(found) else None


def is_header(line: str) -> bool:
    """Whether the line is the header of a table of ncu (a new one begins in concatenated files)."""
    return _HEADER.match(line) is not None and "Kernel Name" in line


def rows(lines: Iterable[str]) -> Iterator[list[str]]:
    """The rows of all tables in the file, headers included; other output is left out.

    A field may hold newlines. Raises CutShortError after the last whole row if the file ends inside one.
    """
    held: list[str] = []
    begins = _ROWS[True]
    for line in lines:
        header = is_header(line)
        if header:
            begins = _ROWS[line.lstrip("\ufeff").startswith('"')]
        if header or begins.match(line):
            held = []  # what was held was no row but had a stray quote
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
