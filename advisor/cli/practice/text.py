"""What the commands of `practice` share: where to write, what a terminal can do, and asking in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import click

from advisor.records.errors import UsageError
from advisor.view.text import cut, shown, wrap


@dataclass(frozen=True)
class Face:
    """asks: whether a person is there to answer; blocks: whether the output can show block characters."""

    write: Callable[[str], None]
    note: Callable[[str], None]
    narrate: Callable[[str, int, int], None]
    clear: Callable[[], None]
    width: int
    colour: bool
    asks: bool
    blocks: bool = True

    def fail(self, text: str) -> None:
        """Why something could not be done, in one line on stderr."""
        self.clear()
        click.echo(f"ncu-advisor: {text}", err=True)

    def choose(self, what: str, given: str | None, choices: Mapping[str, str], listed: bool = False) -> str:
        """One of `choices` (id to title): the one given, by id or beginning, or the one that a person types.

        listed: the choices stand on the screen already.
        """
        if given is None and not listed:
            for line in listing(choices, self.width):
                click.echo(line, err=True)
        while True:
            word = given if given is not None else str(click.prompt(what, err=True)).strip()
            if word == "?" and given is None:
                click.echo("\n".join(cut(f"  {key}: {title}", self.width) for key, title in choices.items()), err=True)
                continue
            found = _match(word, choices)
            if len(found) == 1:
                return found[0]
            meant = ", ".join(found[:6]) if found else ", ".join(list(choices)[:8]) + (" …" if len(choices) > 8 else "")
            text = f"{what}: {word[:60]!r} is {'not one thing' if found else 'none of the choices'}: {meant}"
            if given is not None:
                raise UsageError(text)
            click.echo("\n".join(wrap(shown(text), self.width)), err=True)

    def number(self, what: str, given: float | None) -> float:
        """A ratio above 0 and below a million: the one given or typed."""
        while True:
            typed = str(given) if given is not None else str(click.prompt(what, err=True))
            try:
                value = float(typed.strip().lower().removesuffix("x").replace(",", "."))
            except ValueError:
                value = 0.0
            if 0 < value < 1e6:
                return value
            text = f"{what}: {typed.strip()[:40]!r} is no number between 0 and a million, such as 2.5"
            if given is not None:
                raise UsageError(text)
            click.echo(text, err=True)


_FEW = 8  # choices that are listed with their titles; more of them in columns, without


def listing(choices: Mapping[str, str], width: int) -> list[str]:
    """The choices in lines: a few with their titles, many as columns of ids that are read downwards."""
    column = max(map(len, choices)) + 2
    if len(choices) <= _FEW:
        return [cut(f"  {key:<{column}}{title}", width) for key, title in choices.items()]
    ids, columns = list(choices), max(1, (width - 2) // column)
    rows = -(-len(ids) // columns)
    return ["  " + "".join(f"{key:<{column}}" for key in ids[row::rows]).rstrip() for row in range(rows)]


def _match(word: str, choices: Mapping[str, str]) -> list[str]:
    """The choices that a word means: the id itself, else all that begin with it, else the nearest by spelling."""
    wanted = word.strip().lower().replace("-", "_").replace(" ", "_")
    if wanted in choices:
        return [wanted]
    begin = [c for c in choices if wanted and c.startswith(wanted)]
    if begin:
        return begin
    from rapidfuzz import process

    near = process.extract(wanted, list(choices), limit=3, score_cutoff=85)
    return [name for name, _, _ in near][:1] if len(wanted) > 3 else []
