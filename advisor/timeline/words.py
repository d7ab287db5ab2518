"""The words and constants of knowledge/timeline_words.yaml: cuts, what names tell, what a part is for."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from advisor import resources
from advisor.catalog.loader import load


class Constant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number that decides how time is sorted, with its argument."""

    value: float
    unit: str
    because: str
    cites: tuple[str, ...] = ()


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a trace: what is missing without it, and what gets it."""

    lacks: str
    get: str
    cites: tuple[str, ...] = ()


class Names(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Expressions of which one must be found in a name, in any case."""

    any_of: tuple[str, ...]
    because: str
    cites: tuple[str, ...] = ()

    def expression(self) -> re.Pattern[str]:
        """All of them as one expression."""
        return re.compile("|".join(f"(?:{one})" for one in self.any_of), re.IGNORECASE)


class TimelineWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    constants: dict[str, Constant]
    names: dict[str, Names]
    parts: dict[str, Part]
    texts: dict[str, str]


@lru_cache(maxsize=1)
def words() -> TimelineWords:
    """The file of our own knowledge, read once."""
    return load(resources.folder("knowledge") / "timeline_words.yaml", TimelineWords)


def constant(name: str) -> float:
    """A constant by its name."""
    return words().constants[name].value


@lru_cache(maxsize=8)
def named(group: str) -> re.Pattern[str]:
    """The expression of a group of names."""
    return words().names[group].expression()
