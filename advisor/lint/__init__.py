"""Checks knowledge/ against itself, the grammar, the time model and the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.lint.check import lint
    from advisor.lint.mistake import Mistake

__all__ = ["Mistake", "lint"]


def __getattr__(name: str) -> Any:
    # Lazy, so that other commands do not pay for pandas and the engine.
    if name == "Mistake":
        from advisor.lint.mistake import Mistake

        return Mistake
    if name == "lint":
        from advisor.lint.check import lint

        return lint
    raise AttributeError(name)
