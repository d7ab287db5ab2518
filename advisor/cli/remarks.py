"""Problems of the inputs on stderr: few lines, however many problems there are."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.cli import terminal
from advisor.view.text import shown

MOST_LINES = 2  # for one input; an error may follow, and three lines are the limit
_MORE = "{count} more: --format json lists all problems"


def tell_problems(path: str, problems: Iterable[str], more: str = _MORE, most: int = MOST_LINES) -> None:
    """Print the problems of one input in at most `most` lines. more: the text for the rest, with their count."""
    lines = [shown(problem) for problem in problems]
    if len(lines) > most:
        kept = max(1, most - 1)
        rest = more.format(count=len(lines) - kept)
        lines = [*lines[:kept], rest] if most > 1 else [f"{lines[0]} ({rest})"]
    for line in lines:
        terminal.warn(f"{shown(path)}: {line}")
