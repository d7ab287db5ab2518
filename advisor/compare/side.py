"""One side of a comparison: a report, or one launch of it, written as `REPORT#3`."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from advisor.records import resources
from advisor.records.errors import UsageError

_ONE = re.compile(r"(?P<path>.+)#(?P<launch>[^#]*)", re.DOTALL)
# The largest launch index accepted: a longer number is not an index and would not fit a frame.
_MOST_DIGITS = 9


class Side(Struct, frozen=True):
    """A report and the index of one launch; None selects all launches."""

    path: Path
    launch: int | None = None

    def __str__(self) -> str:
        return str(self.path) if self.launch is None else f"{self.path}#{self.launch}"


def parse_side(text: str) -> Side:
    """Parse `REPORT` or `REPORT#3`; an existing file of that name wins, then a bundled workload. Raises UsageError."""
    whole = resources.example_or(Path(text))
    found = _ONE.fullmatch(text)
    if found is None or whole.exists():
        return Side(whole)
    path, number = Path(found["path"]), found["launch"]
    if not path.exists():
        # Neither exists: the error names the more likely one.
        return Side(path if number.isdecimal() else whole)
    if not (number.isdecimal() and number.isascii() and len(number) <= _MOST_DIGITS):
        raise UsageError(f"{text!r}: write the launch number after #, from 0, such as {path.name}#0")
    return Side(path, int(number))
