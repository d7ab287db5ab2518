"""Abbreviations of units and terms that a page spells out: knowledge/abbreviations.yaml."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from advisor.knowledge.loader import load_mapping
from advisor.records import resources

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9]+")


@lru_cache(maxsize=1)
def abbreviations() -> dict[str, str]:
    """Return the words for each abbreviation. Raises KnowledgeError with file and line."""
    return load_mapping(resources.folder("knowledge") / "abbreviations.yaml", str)


def used_in(text: str) -> tuple[tuple[str, str], ...]:
    """Return the abbreviations in a text with their words, in order of first use, without those that it spells out."""
    known, plain = abbreviations(), text.casefold()
    found = dict.fromkeys(word for word in _WORD.findall(text) if word in known)
    return tuple((word, known[word]) for word in found if known[word].partition(",")[0] not in plain)
