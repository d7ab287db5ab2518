"""The knowledge about timelines: patterns and what to do next, on what the whole base shares."""

from __future__ import annotations

from functools import cached_property, lru_cache

from advisor.catalog.knowledge import Catalog
from advisor.catalog.parts import PartCatalog
from advisor.catalog.schemas import ClassDef, DiagnosisDef, ObservationDef

DECISIONS = "timeline_decisions.yaml"
FOLDER = "timeline"


class TimelineCatalog(PartCatalog):
    """The part of a knowledge base that speaks of timelines. Its classes are the decisions: drill down, or not yet."""

    scope = "timeline"

    def __init__(self, base: Catalog) -> None:
        super().__init__(base, base.folders)

    @cached_property
    def observations(self) -> dict[str, ObservationDef]:
        """Named tests by id."""
        return self.base.observations

    @cached_property
    def diagnoses(self) -> dict[str, DiagnosisDef]:
        """The patterns by id."""
        return self._each(f"{FOLDER}/*.yaml")

    @cached_property
    def trust(self) -> dict[str, DiagnosisDef]:
        """None of its own."""
        return {}

    @cached_property
    def classes(self) -> dict[str, ClassDef]:
        """The decisions in the order of their list."""
        return self._mapping(DECISIONS, ClassDef)


@lru_cache(maxsize=8)
def timelines(base: Catalog) -> TimelineCatalog:
    """The knowledge about timelines that belongs to a knowledge base."""
    return base if isinstance(base, TimelineCatalog) else TimelineCatalog(base)
