"""The techniques that people ask about by name, knowledge/language/techniques.yaml."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from advisor.knowledge.loader import load_mapping
from advisor.records import resources


class TechniqueDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One technique; the fields are described in the file."""

    named: tuple[str, ...]
    title: str
    fixes: tuple[str, ...]
    says: str
    numbers: tuple[str, ...]
    done: str = ""
    removes: bool = False


@lru_cache(maxsize=1)
def techniques() -> dict[str, TechniqueDef]:
    """Return the techniques by id. Raises KnowledgeError with file and line."""
    return load_mapping(resources.folder("knowledge") / "language" / "techniques.yaml", TechniqueDef)
