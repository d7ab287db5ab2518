"""Text and CSV files line by line: any encoding that terminals leave behind, any newlines, no line too long."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

from advisor.errors import InputError
from advisor.reports.limits import Limits

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def encoding(head: bytes) -> str:
    """The encoding that a byte order mark announces (PowerShell writes UTF-16); UTF-8 without one."""
    return next((name for mark, name in _MARKS if head.startswith(mark)), "utf-8")


def is_text(head: bytes) -> bool:
    """Whether the bytes can be text: next to no control characters other than tabs, newlines and escapes."""
    if encoding(head) == "utf-16":
        return True
    strange = sum(head.count(bytes([c])) for c in (*range(9), *range(14, 27), *range(28, 32), 127))
    return strange * 50 <= len(head)


def lines(path: Path, limits: Limits, name: str = "") -> Iterator[str]:
    """The lines without their newline. Raises InputError, naming the file `name`, for what is beyond the limits."""
    name = name or path.name
    if path.stat().st_size > limits.text_bytes:
        raise InputError(f"{name}: larger than {limits.text_bytes >> 20} MiB; cut it into parts or give the .ncu-rep")
    with path.open("rb") as file:
        mark = encoding(file.read(4))
    with path.open(encoding=mark, errors="replace") as file:
        number = 0
        while line := file.readline(limits.line_chars + 1):
            number += 1
            if number > limits.text_lines:
                raise InputError(f"{name}: more than {limits.text_lines:,} lines; cut it into parts")
            if len(line) > limits.line_chars:
                raise InputError(
                    f"{name}: a line of more than {limits.line_chars:,} characters: this is no output of ncu; "
                    "give the CSV, the console text or the .ncu-rep"
                )
            yield line.rstrip("\n")
