"""Names that users type for a metric: knowledge/spoken_names.yaml."""

from __future__ import annotations

from functools import lru_cache

from advisor.knowledge.loader import load
from advisor.records import resources


@lru_cache(maxsize=1)
def spoken_names() -> dict[str, list[str]]:
    """Return a mapping of metric to spoken names. Raises KnowledgeError with file and line."""
    made: dict[str, list[str]] = load(resources.folder("knowledge") / "spoken_names.yaml", dict[str, list[str]])
    return made
