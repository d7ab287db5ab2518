"""Output of the commands: data to stdout or a file, progress and warnings to stderr, and terminal capabilities."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from advisor.cli import clear as clear
from advisor.cli import is_terminal
from advisor.cli import warn as warn
from advisor.records.errors import UsageError
from advisor.records.files import being_written, write_whole
from advisor.view.blocks import Page, Section
from advisor.view.charts.bars import can_draw
from advisor.view.text import shown
from advisor.view.writers import PAGE_FORMATS, page_writer
from advisor.view.writers.terminal import terminal_parts, terminal_text

MOST_LINES = 2  # maximum number of lines about the problems of one input; with an error they are three lines
_MORE = "{count} more: --format json lists all problems"


class Screen(Struct, frozen=True):
    """Capabilities of the output. width: in columns; blocks: whether its encoding has block characters."""

    width: int
    colour: bool
    blocks: bool


def screen(out: Path | None = None, most: int = 100) -> Screen:
    """Return the screen of stdout, 60 to `most` columns wide (80 if it is no terminal); a file `out` has no colour."""
    columns = shutil.get_terminal_size((80, 24)).columns if is_terminal(sys.stdout) else 80
    blocks = out is not None or can_draw(getattr(sys.stdout, "encoding", None))
    return Screen(max(60, min(columns, most)), out is None and colour(sys.stdout), blocks)


def colour(stream: Any) -> bool:
    """Return whether a stream is a terminal that supports colour; the variable NO_COLOR turns colour off."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def asks() -> bool:
    """Return whether the program can ask the user: stdin and stderr are terminals."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def write(text: str, out: Path | None = None) -> None:
    """Write to stdout, or atomically to a file."""
    if out is not None:
        write_whole(out, text)
    else:
        _stdout(text if text.endswith("\n") else text + "\n")


def page_text(
    page: Page, form: str = "text", out: Path | None = None, most: int = 100, width: int | None = None
) -> str:
    """Return the page in a format of PAGE_FORMATS, or as text for stdout (up to `most` columns) or the file `out`."""
    if form in PAGE_FORMATS:
        return page_writer(form)(page)
    at = screen(out, most)
    return terminal_text(page, width=width or at.width, colour=at.colour, blocks=at.blocks)


def page_parts(page: Page, more: Iterator[Section], out: Path | None = None, most: int = 100) -> Iterator[str]:
    """Yield the text of a page, and of more sections one by one, for stdout or the file `out`."""
    at = screen(out, most)
    return terminal_parts(page, more, width=at.width, colour=at.colour, blocks=at.blocks)


def write_page(
    page: Page, form: str = "text", out: Path | None = None, most: int = 100, width: int | None = None
) -> None:
    """Write a page to stdout, or atomically to a file."""
    write(page_text(page, form, out, most, width), out)


def write_long(page: Page, form: str = "text") -> None:
    """Write a page to stdout; on a terminal, text that is longer than the screen is shown screen by screen.

    The pager is that of the environment variable PAGER, by default `less`, which ends by itself where the page fits;
    PAGER=cat writes the page at once.
    """
    text = page_text(page, form)
    fits = text.count("\n") < shutil.get_terminal_size((80, 24)).lines
    if form in PAGE_FORMATS or fits or not (is_terminal(sys.stdout) and is_terminal(sys.stdin)):
        write(text)
        return
    os.environ.setdefault("LESS", "-FRX")  # as git does: colours, no clearing of the screen
    click.echo_via_pager(text, color=screen().colour)


def write_parts(parts: Iterator[str], out: Path | None = None) -> None:
    """Write text piece by piece, so that it need not fit in memory."""
    if out is None:
        for part in parts:
            _stdout(part)
        return
    with being_written(out) as place, place.open("w", encoding="utf-8", errors="replace", newline="") as file:
        for part in parts:
            file.write(part)


def _stdout(text: str) -> None:
    if sys.stdout is None:
        raise UsageError("stdout is closed: give --out FILE")
    sys.stdout.write(text)


def tell_problems(path: str, problems: Iterable[str], more: str = _MORE, most: int = MOST_LINES) -> None:
    """Print the problems of one input in at most `most` lines. more: the text for the rest, with its count."""
    lines = [shown(problem) for problem in problems]
    if len(lines) > most:
        kept = max(1, most - 1)
        rest = more.format(count=len(lines) - kept)
        lines = [*lines[:kept], rest] if most > 1 else [f"{lines[0]} ({rest})"]
    for line in lines:
        warn(f"{shown(path)}: {line}")


def note(text: str) -> None:
    """Show the current step on one line of stderr; do nothing if stderr is not a terminal."""
    if is_terminal(sys.stderr):
        room = shutil.get_terminal_size((80, 24)).columns - 3
        click.echo(f"\r\x1b[K{text[:room]} …", nl=False, err=True)


def narrate(stage: str, done: int, total: int) -> None:
    """Show the progress of reading and reasoning, as `note` does."""
    file = f"reading file {min(done + 1, total)} of {total}" if total > 1 else "reading"
    words = {"read": file, "launches": f"reading launches {done}/{total}", "reason": "reasoning"}
    words["locate"] = f"reading instructions {done}/{total}"
    note(words.get(stage, stage))
