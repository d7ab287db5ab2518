"""What the commands of `practice` share: where to write, what a terminal can do, and asking in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import click

from advisor.errors import UsageError


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

    def choose(self, what: str, given: str | None, choices: Mapping[str, str], listed: bool = False) -> str:
        """One of `choices` (id to title): the one given, by id or beginning, or the one that a person types."""
        while True:
            word = given if given is not None else self._typed(what, choices, listed)
            found = _match(word, choices)
            if len(found) == 1:
                return found[0]
            meant = ", ".join(found[:6]) if found else ", ".join(list(choices)[:8]) + (" …" if len(choices) > 8 else "")
            text = f"{what}: {word[:60]!r} is {'not one thing' if found else 'none of the choices'}: {meant}"
            if given is not None:
                raise UsageError(text)
            click.echo(text, err=True)

    def _typed(self, what: str, choices: Mapping[str, str], listed: bool) -> str:
        if not listed:
            for at, (key, title) in enumerate(choices.items(), 1):
                click.echo(f"  {at:>2} {key:<28} {title}", err=True)
        typed = str(click.prompt(f"{what}", err=True)).strip()
        if not listed and typed.isdigit() and 1 <= int(typed) <= len(choices):
            return list(choices)[int(typed) - 1]
        return typed

    def number(self, what: str, given: float | None) -> float:
        """A ratio above 0 and below a million: the one given or typed."""
        while True:
            value = given if given is not None else click.prompt(what, type=float, err=True)
            if 0 < value < 1e6:
                return float(value)
            text = f"{what}: {value:g} is not between 0 and a million"
            if given is not None:
                raise UsageError(text)
            click.echo(text, err=True)


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
