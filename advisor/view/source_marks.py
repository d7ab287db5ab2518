"""Small pieces that the text of `source` is made of: places, shares, counts."""

from __future__ import annotations

from pathlib import PurePosixPath

from advisor.view.text import shown


def file_name(file: str) -> str:
    """`kernel.cu`, without its folders."""
    return shown(PurePosixPath(file.replace(chr(92), "/")).name)


def place_text(file: str, line: int) -> str:
    """`kernel.cu:13`, the file without its folders; `no line` without line information."""
    return f"{file_name(file)}:{line}" if line else "no line"


def line_ref(near: str, file: str, line: int) -> str:
    """`line 13` beside a place of the same file, else `kernel.cu:13`."""
    return f"line {line}" if file == near and line else place_text(file, line)


def source_line(text: str) -> str:
    """A line of source fit to be shown: tabs as blanks, nothing that a terminal obeys."""
    return shown(text.expandtabs(4).strip())


def count(value: float) -> str:
    """A count with its thousands apart."""
    return f"{value:,.0f}"


def short(value: float) -> str:
    """A number in at most six characters: 31.9, 4,096, 12.6M."""
    for size, mark in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if mark == 'k' else size):.3g}{mark}"
    return f"{value:,.0f}" if value == int(value) else f"{value:.3g}"


def share(part: float) -> str:
    """A share from 0 to 1 in six places."""
    return f"{part:6.1%}"


def more(left: int, what: str) -> list[str]:
    """That more is there; nothing where all is shown."""
    return [f"  ... {left} more {what}"] if left > 0 else []


def loop_name(number: int | None) -> str:
    """`loop 1` of the loop that counts as 0."""
    return "outside loops" if number is None else f"loop {number + 1}"
