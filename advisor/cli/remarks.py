"""What is wrong with the inputs, on stderr: few lines, however much is wrong."""

from __future__ import annotations

from collections.abc import Iterable

import click

from advisor.view.text import shown

MOST_LINES = 2  # for one input: an error may follow, and nobody reads more than three
_MORE = "{count} more: --format json lists all problems"


def tell_problems(path: str, problems: Iterable[str], more: str = _MORE, most: int = MOST_LINES) -> None:
    """The problems of one input, at most `most` lines. more: what stands for the rest, with their count."""
    lines = [shown(problem) for problem in problems]
    if len(lines) > most:
        kept = max(1, most - 1)
        rest = more.format(count=len(lines) - kept)
        lines = [*lines[:kept], rest] if most > 1 else [f"{lines[0]} ({rest})"]
    for line in lines:
        click.echo(f"ncu-advisor: {shown(path)}: {line}", err=True)
