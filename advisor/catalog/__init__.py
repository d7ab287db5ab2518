"""Loads knowledge/: schemas, errors with file and line, the expression grammar, one entry without the rest."""

from advisor.catalog.knowledge import Catalog, catalog, metrics

__all__ = ["Catalog", "catalog", "metrics"]
