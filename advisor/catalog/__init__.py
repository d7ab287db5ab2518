"""Loads knowledge/: schemas, errors with file and line, the expression grammar, one entry without the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.catalog.knowledge import Catalog, catalog, metrics

__all__ = ["Catalog", "catalog", "metrics"]


def __getattr__(name: str) -> Any:
    # Lazy, so that the grammar can be used where only NumPy and CuPy are installed (practice.worker).
    if name in __all__:
        from advisor.catalog import knowledge

        return getattr(knowledge, name)
    raise AttributeError(name)
