"""Derived columns: from a reader's frame to one with every canonical metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.metrics.derive import LABELS, check, derive

__all__ = ["LABELS", "check", "derive"]


def __getattr__(name: str) -> Any:
    # Lazy: a chart of what was typed needs no columns.
    if name not in __all__:
        raise AttributeError(name)
    from importlib import import_module

    module = import_module("advisor.metrics.derive")
    # All of them at once: importing the module has just put it in the place of the function of the same name.
    globals().update({each: getattr(module, each) for each in __all__})
    return globals()[name]
