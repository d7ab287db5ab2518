"""Near words: what could have been meant."""

from __future__ import annotations

from collections.abc import Iterable

_GOOD = 62.0  # of 100: below it a suggestion is more often silly than helpful
_LONGEST = 80


def squash(text: str) -> str:
    """Case, blanks, dashes and underscores do not tell names apart."""
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())


def near(text: str, names: Iterable[str], most: int = 3) -> tuple[str, ...]:
    """At most `most` of the names that resemble the text, the nearest first; ties in the order of the names."""
    wanted = squash(text)[:_LONGEST]
    pool = list(dict.fromkeys(names))
    if not wanted or not pool:
        return ()
    from rapidfuzz import fuzz, process

    found = process.extract(
        wanted, pool, scorer=fuzz.WRatio, processor=lambda s: squash(s)[:_LONGEST], limit=most, score_cutoff=_GOOD
    )
    return tuple(name for name, _, _ in sorted(found, key=lambda hit: (-hit[1], hit[2])))


def pick(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """The names that the text stands for: the one it equals, else all that it begins."""
    wanted = squash(text)
    pool = list(dict.fromkeys(names))
    equal = [name for name in pool if squash(name) == wanted]
    if equal or not wanted:
        return tuple(equal[:1])
    return tuple(name for name in pool if squash(name).startswith(wanted))
