"""How much time each unit needs, what a fix would change, and what limits next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.quantify.model import Model, build, speedups
    from advisor.quantify.terms import TERMS

__all__ = ["TERMS", "Model", "build", "speedups"]
_HOME = {"Model": "model", "build": "model", "speedups": "model", "TERMS": "terms"}


def __getattr__(name: str) -> Any:
    # Lazy: the verdict on run times, which the session reads at its start, needs none of the columns' machinery.
    if name not in _HOME:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"advisor.quantify.{_HOME[name]}"), name)
