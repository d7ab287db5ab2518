"""Proofs as parts of a JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from advisor.reasoning.engine.explain import BlockedRule, Clause, Proof
from advisor.view.diagnosis_json import comparison_dict


def _clause_dict(clause: Clause) -> dict[str, Any]:
    out: dict[str, Any] = {
        "name": clause.name,
        "role": clause.role,
        "holds": {0: False, 1: None, 2: True}[clause.truth],
    }
    if clause.evidence:
        out["evidence"] = [comparison_dict(item) for item in clause.evidence]
    if clause.proof is not None:
        out.update(proof_dict(clause.proof))
    return out


def proof_dict(proof: Proof) -> dict[str, Any]:
    """A proof as a part of the document; `holds` is null where unknown."""
    return {
        "proof": {
            "concludes": proof.concludes,
            "title": proof.title,
            "kind": proof.kind,
            "rules": [
                {
                    "id": rule.rule_id,
                    "because": rule.because,
                    "cites": list(rule.cites),
                    "clauses": [_clause_dict(clause) for clause in rule.clauses],
                }
                for rule in proof.rules
            ],
        }
    }


def blocked_dict(rules: Sequence[BlockedRule]) -> dict[str, Any]:
    """The blocked rules as a part of the document."""
    return {
        "rules": [
            {
                "id": rule.rule_id,
                "fired": rule.fired,
                "failing": [_clause_dict(c) for c in rule.failing],
                "unknown": [_clause_dict(c) for c in rule.unknown],
                "blocking": [_clause_dict(c) for c in rule.blocking],
                "cites": list(rule.cites),
            }
            for rule in rules
        ]
    }
