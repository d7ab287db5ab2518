"""What the commands share of the terminal: where text goes, colour, progress on stderr, the width."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from advisor.records.errors import UsageError

theme = click.option(
    "--theme",
    type=click.Choice(["dark", "light"]),
    help="Colours; else those chosen last with Ctrl+T, or NCU_ADVISOR_THEME.",
)


def colour(stream: Any) -> bool:
    """Whether a stream is a terminal that wants colour (NO_COLOR is honoured)."""
    import os

    return (
        stream is not None
        and bool(stream.isatty())
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )


def write(text: str, out: Path | None) -> None:
    """To stdout, or whole to a file: written beside it and renamed."""
    if out is None:
        if sys.stdout is None:
            raise UsageError("stdout is closed: give --out FILE")
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    from advisor.records.files import write_whole

    write_whole(out, text)


def write_parts(parts: Iterator[str], out: Path | None) -> None:
    """The same piece by piece, for what need not be in memory as a whole."""
    if out is None:
        for part in parts:
            if sys.stdout is None:
                raise UsageError("stdout is closed: give --out FILE")
            sys.stdout.write(part)
        return
    from advisor.records.files import being_written

    with being_written(out) as place, place.open("w", encoding="utf-8", errors="replace", newline="") as file:
        for part in parts:
            file.write(part)


def note(text: str) -> None:
    """What happens now, on one line of a terminal's stderr; nothing when stderr is a file."""
    if sys.stderr is not None and sys.stderr.isatty():
        import shutil

        room = shutil.get_terminal_size((80, 24)).columns - 3
        click.echo(f"\r\x1b[K{text if len(text) <= room else text[:room]} …", nl=False, err=True)


def narrate(stage: str, done: int, total: int) -> None:
    """Progress on stderr, on one line of a terminal; nothing when stderr is a file."""
    file = f"reading file {min(done + 1, total)} of {total}" if total > 1 else "reading"
    words = {"read": file, "launches": f"reading launches {done}/{total}", "reason": "reasoning"}
    words["locate"] = f"reading instructions {done}/{total}"
    note(words.get(stage, stage))


def clear() -> None:
    """End the line of progress."""
    if sys.stderr is not None and sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)


def width() -> int:
    """Columns for running text: the terminal's between 60 and 100, else 80."""
    import shutil

    return (
        max(60, min(shutil.get_terminal_size((80, 24)).columns, 100))
        if sys.stdout is not None and sys.stdout.isatty()
        else 80
    )


def full_width() -> int:
    """Columns for pictures: the terminal's from 60 to 240, else 80."""
    import shutil

    if sys.stdout is None or not sys.stdout.isatty():
        return 80
    return max(60, min(shutil.get_terminal_size((80, 24)).columns, 240))
