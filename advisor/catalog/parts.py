"""What the parts of a knowledge base that do not speak of kernels (timelines, workloads) share with the whole."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from advisor.catalog.knowledge import Catalog
from advisor.catalog.schemas import MetricDef, QuestionDef, SourceDef


class PartCatalog(Catalog):
    """Files of its own, with the metrics and sources of `base`."""

    def __init__(self, base: Catalog, folders: Iterable[Path]) -> None:
        super().__init__(folders)
        self.base = base

    @cached_property
    def metrics(self) -> dict[str, MetricDef]:
        """Canonical metrics by id, those of kernels among them."""
        return self.base.metrics

    @cached_property
    def sources(self) -> dict[str, SourceDef]:
        """Sources by key."""
        return self.base.sources

    @cached_property
    def questions(self) -> dict[str, QuestionDef]:
        """None: what only a person could add stands in the file, or is not asked."""
        return {}
