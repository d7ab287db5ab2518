"""The one module that imports experta, and what that needs: see CONTRIBUTING for why each line is there."""

from __future__ import annotations

import collections
import collections.abc
import logging
from typing import Any


def _import() -> Any:
    """Import experta without leaving anything behind in the standard library or on the root logger.

    frozendict 1.2, which experta 1.9.4 pins, subclasses `collections.Mapping`, gone since Python 3.10: the name exists
    for the duration of the import only. Both experta.engine and experta.watchers call `logging.basicConfig()`, which
    does nothing while the root logger has a handler: else it would write across a terminal screen.
    """
    root, quiet = logging.getLogger(), logging.NullHandler()
    borrowed = not hasattr(collections, "Mapping")
    if borrowed:
        collections.Mapping = collections.abc.Mapping  # type: ignore[attr-defined]
    root.addHandler(quiet)
    try:
        import experta
        import experta.abstract
        import experta.matchers
    finally:
        root.removeHandler(quiet)
        if borrowed:
            del collections.Mapping  # type: ignore[attr-defined]
    # Its __init__ swallows ImportError, so a half-imported package looks like success.
    if not hasattr(experta, "KnowledgeEngine"):
        raise ImportError("experta could not be imported completely: is frozendict 1.2 installed?")
    log = logging.getLogger("experta")
    log.addHandler(logging.NullHandler())
    log.propagate = False
    return experta


_experta = _import()

KnowledgeEngine: Any = _experta.KnowledgeEngine
Fact: Any = _experta.Fact
Rule: Any = _experta.Rule
L: Any = _experta.L
NOT: Any = _experta.NOT
Strategy: Any = _experta.abstract.Strategy
ReteMatcher: Any = _experta.matchers.ReteMatcher
