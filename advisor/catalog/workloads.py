"""The knowledge about graphics and compute workloads that a person types in: rules, classes and texts of their own.

Metrics, sources and topics are those of kernels. A diagnosis may have the id of one of a kernel: it is the same cause,
seen by other numbers and mended by other means.
"""

from __future__ import annotations

from functools import lru_cache

from advisor.catalog.knowledge import Catalog
from advisor.catalog.parts import PartCatalog
from advisor.catalog.schemas import Topic

FOLDER = "graphics"


class WorkloadCatalog(PartCatalog):
    """The part of a knowledge base that speaks of workloads: the folder `graphics` of our own knowledge."""

    scope = "workload"

    def __init__(self, base: Catalog) -> None:
        super().__init__(base, [base.folders[0] / FOLDER])

    def topic_file(self, name: str) -> dict[str, Topic]:
        """All entries of one file of topics/."""
        return self.base.topic_file(name)


@lru_cache(maxsize=8)
def workloads(base: Catalog) -> WorkloadCatalog:
    """The knowledge about workloads that belongs to a knowledge base."""
    return base if isinstance(base, WorkloadCatalog) else WorkloadCatalog(base)
