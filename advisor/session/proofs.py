"""Proofs as lines of a card: from a conclusion to its rules, their conditions, the numbers and the sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from advisor.session import strings
from advisor.session.cards import held, measured
from advisor.session.numbers import number_text
from advisor.session.records import Line, Lore, Proved

if TYPE_CHECKING:
    from advisor.reasoning.engine.explain import BlockedRule, Clause, Proof, RuleProof
    from advisor.reasoning.engine.what_if import Flip

_STYLES: Final = {0: "fails", 1: "unknown", 2: "holds"}
_DEEPEST: Final = 6  # levels shown; a proof is a tree of findings over findings and in practice far flatter


def proof_lines(result: Any, concluded: str, lore: Lore) -> tuple[Line, ...]:
    """The proof (records.Proved) of `concluded` as an indented tree, then where it would turn; else no lines."""
    if not isinstance(result, Proved) or not hasattr(result.proof, "rules"):
        return ()
    return (*_proof(result.proof, lore, 0), *_flips(result.flips, concluded, lore))


def _flips(flips: tuple[Flip, ...], concluded: str, lore: Lore) -> list[Line]:
    """The nearest values at which the conclusion turns, and what would be concluded just beyond each.

    A number may turn one of several reasons without turning what they lead to: that is not worth a line.
    """
    turning = [flip for flip in flips if concluded not in (flip.then.class_id, *flip.then.findings)]
    lines = [Line("It would turn" if turning else "No single number of these turns it.", "strong")] if flips else []
    for flip in turning:
        at, now = number_text(flip.turns_at, flip.unit), number_text(flip.value, flip.unit)
        after = "; ".join(lore.title(name) for name in (flip.then.class_id, *flip.then.findings) if name)
        lines.append(Line(f"at {flip.metric} = {at} (now {now})", depth=1))
        lines.append(Line(f"then: {after}", "quiet", depth=2))
    return lines


def blocked_lines(rules: Any, lore: Lore) -> tuple[Line, ...]:
    """What kept a finding from being concluded (a tuple of engine.BlockedRule), rule by rule."""
    if not isinstance(rules, tuple) or not rules:
        return (Line("No rule concludes this about a single launch.", "quiet"),)
    return tuple(line for rule in rules if hasattr(rule, "failing") for line in _blocked(rule, lore))


def _proof(proof: Proof, lore: Lore, depth: int) -> list[Line]:
    if not proof.rules:
        return [Line("This was not concluded.", "quiet", depth=depth)]
    return [line for rule in proof.rules for line in _rule(rule, lore, depth)]


def _rule(rule: RuleProof, lore: Lore, depth: int) -> list[Line]:
    lines = [Line(strings.sentence_start(rule.because), "strong", "Because", depth)] if rule.because else []
    for clause in rule.clauses:
        lines += _clause(clause, lore, depth + 1)
    if rule.cites:
        lines.append(Line("; ".join(lore.source(key) for key in rule.cites), "quiet", strings.SOURCE, depth))
    lines.append(Line(rule.rule_id, "quiet", strings.RULE, depth))
    return lines


def _clause(clause: Clause, lore: Lore, depth: int) -> list[Line]:
    """One condition. An `unless` lets the rule through when it is false: the mark and the label say so."""
    lets = clause.truth if clause.role == "when" else 2 - clause.truth
    negated = strings.UNLESS[clause.truth] if clause.role == "unless" else ""
    if not clause.evidence:
        name = clause.name.partition(".")[2] if clause.name.startswith(("class.", "found.")) else clause.name
        lines = [Line(lore.title(name), _STYLES[lets], negated, depth)]
    else:
        says = clause.evidence[0].says or clause.name
        lines = [Line(strings.sentence_start(says), _STYLES[lets], negated, depth)]
        # Of several comparisons each says for itself whether it holds.
        several = len(clause.evidence) > 1
        for item in clause.evidence:
            lines.append(Line(measured(item), held(item.holds) if several else "quiet", depth=depth + 1))
    if clause.proof is not None and depth < _DEEPEST:
        lines += _proof(clause.proof, lore, depth + 1)
    return lines


def _blocked(rule: BlockedRule, lore: Lore) -> list[Line]:
    lines = [Line(rule.rule_id, "strong", strings.RULE)]
    if rule.fired:
        lines.append(Line("It did conclude this here.", "holds", depth=1))
    for label, clauses in (
        ("Fails", rule.failing),
        ("Unknown", rule.unknown),
        ("Blocked by", rule.blocking),
    ):
        for clause in clauses:
            first, *rest = _clause(clause, lore, 1)
            lines += [Line(first.text, first.style, label, 1), *rest]
    if rule.cites:
        lines.append(Line("; ".join(lore.source(key) for key in rule.cites), "quiet", strings.SOURCE))
    return lines
