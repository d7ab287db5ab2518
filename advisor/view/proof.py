"""Proofs as text: from a conclusion to its rules, observations, numbers and sources."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.reasoning.engine.explain import BlockedRule, Clause, Flip, Proof
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.view.numbers import comparison_text, time_text
from advisor.view.text import paint, title_text, wrap

_TRUTH = {0: "no", 1: "unknown", 2: "yes"}


def heading(launch: LaunchDiagnosis, kind: str, finding_id: str) -> str:
    """The line over an explanation."""
    words = {"how": "How", "why_not": "Why not"}
    return f"{words[kind]} {finding_id} · {title_text(launch, 0, time_text(launch.duration_ns))}"


def proof_text(proof: Proof, _target: str = "", *, width: int = 80, colour: bool = False) -> str:
    """The proof as an indented tree."""
    return "\n".join(_proof_lines(proof, width, colour, 0))


def _proof_lines(proof: Proof, width: int, colour: bool, depth: int) -> list[str]:
    pad = 2 * depth
    lines = [paint(f"{' ' * pad}{proof.title} [{proof.concludes}]", "bold", colour)]
    for rule in proof.rules:
        lines += wrap(f"because {rule.because}", width, pad + 2, pad + 4)
        lines += wrap(f"by rule {rule.rule_id} [{', '.join(rule.cites)}]", width, pad + 2, pad + 4)
        for clause in rule.clauses:
            lines += _clause_lines(clause, width, colour, depth + 2)
    return lines


def _clause_lines(clause: Clause, width: int, colour: bool, depth: int) -> list[str]:
    pad = 2 * depth
    head = f"{'not ' if clause.role == 'unless' else ''}{clause.name}: {_TRUTH[clause.truth]}"
    lines = wrap(head, width, pad, pad + 2)
    for item in clause.evidence:
        lines += wrap(comparison_text(item), width, pad + 2, pad + 4)
    if clause.evidence and clause.evidence[0].cites:
        lines += wrap(f"source {', '.join(clause.evidence[0].cites)}", width, pad + 2, pad + 4)
    if clause.proof is not None:
        lines += _proof_lines(clause.proof, width, colour, depth + 1)
    return lines


def blocked_text(rules: Sequence[BlockedRule], target: str, *, width: int = 80, colour: bool = False) -> str:
    """What kept a finding from being concluded, rule by rule."""
    if not rules:
        return f"no rule concludes {target} on a single launch"
    lines: list[str] = []
    for rule in rules:
        state = "fired" if rule.fired else "did not fire"
        lines.append(paint(f"{rule.rule_id} {state}", "bold", colour))
        for label, clauses in (("fails", rule.failing), ("unknown", rule.unknown), ("blocked by", rule.blocking)):
            for clause in clauses:
                lines.append(f"  {label}:")
                lines += _clause_lines(clause, width, colour, 2)
    return "\n".join(lines)


def flip_lines(flips: Sequence[Flip], *, width: int = 80) -> list[str]:
    """Where the conclusion would turn."""
    lines = ["", "It would turn at"] if flips else []
    for flip in flips:
        after = ", ".join((flip.then.class_id, *flip.then.findings)) or "nothing"
        lines += wrap(
            f"· {flip.metric} = {flip.turns_at:,.4g} {flip.unit} (now {flip.value:,.4g}): then {after}", width, 2, 4
        )
    return lines
