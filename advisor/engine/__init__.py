"""Chains the rules of the knowledge base on names, and explains what came out. The only room that imports experta."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.engine.certainty import confidence, finding_confidence
    from advisor.engine.explain import BlockedRule, Clause, Proof, RuleProof, how, why_not
    from advisor.engine.reason import Engine
    from advisor.engine.trace import Fired, Trace, Undecided
    from advisor.engine.whatif import Flip, Then, Turn, flips, parse_assignments, turns

_ROOMS = {
    "reason": ("Engine",),
    "trace": ("Fired", "Trace", "Undecided"),
    "certainty": ("confidence", "finding_confidence"),
    "explain": ("BlockedRule", "Clause", "Proof", "RuleProof", "how", "why_not"),
    "whatif": ("Flip", "Then", "Turn", "flips", "parse_assignments", "turns"),
}
_HOME = {name: module for module, names in _ROOMS.items() for name in names}

__all__ = [
    "BlockedRule",
    "Clause",
    "Engine",
    "Fired",
    "Flip",
    "Proof",
    "RuleProof",
    "Then",
    "Trace",
    "Turn",
    "Undecided",
    "confidence",
    "finding_confidence",
    "flips",
    "how",
    "parse_assignments",
    "turns",
    "why_not",
]


def __getattr__(name: str) -> Any:
    # Lazy, so that naming a trace does not pay for numpy and experta.
    if name not in _HOME:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"advisor.engine.{_HOME[name]}"), name)
