"""Proofs as a page: the rules, observations, numbers and sources of a conclusion, or the reasons against it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from advisor.knowledge.base import finding_title
from advisor.reasoning.engine.explain import BlockedRule, Clause, FixProof, Flip, Proof
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.view.blocks import Bullets, Line, Outline, Page, Paragraph, Section, section
from advisor.view.numbers import comparison_text, outcome_text, time_text, unit_text
from advisor.view.pages.estimate import HEADING, estimate_lines
from advisor.view.text import fix_status, title_text

_TRUTH = {0: "no", 1: "unknown", 2: "yes"}


class Explained(Struct, frozen=True):
    """Why a finding was concluded on a launch (proof, changes that flip it), or why not (the rules that failed)."""

    launch: LaunchDiagnosis
    finding: str
    found: Proof | tuple[BlockedRule, ...]
    flips: Sequence[Flip] = ()


def proofs_page(proofs: Sequence[Explained]) -> Page:
    """Build a section for each; a proof is followed by the changes that would flip it."""
    return Page("", (), tuple(part for one in proofs for part in _sections(one)))


def _sections(one: Explained) -> list[Section]:
    where = title_text(one.launch, 0, time_text(one.launch.duration_ns))
    name = finding_title(one.finding)
    if isinstance(one.found, Proof):
        parts = [section(f"How: {name} · {where}", [Outline(tuple(_proof(one.found, 0)))])]
        fixes = Outline(tuple(line for at, fix in enumerate(one.found.fixes) for line in _fix(fix, at == 0)))
        estimate = one.found.estimate
        parts += [section(HEADING, [Outline(estimate_lines(estimate))], level=3)] if estimate is not None else []
        parts += [section("Which fix suits", [fixes], level=3)] if one.found.fixes else []
        flips = Bullets(tuple(map(_flip, one.flips)))
        return [*parts, section("The verdict flips if", [flips], level=3)] if one.flips else parts
    title = f"Why not: {name} · {where}"
    if not one.found:
        return [section(title, [Paragraph(f"No rule concludes this on a single launch: {name}.")])]
    return [section(title, [Outline(tuple(item for rule in one.found for item in _blocked(rule)))])]


def _flip(flip: Flip) -> str:
    after = ", ".join(finding_title(name) for name in (flip.then.class_id, *flip.then.findings) if name) or "nothing"
    value = f"{flip.turns_at:,.4g}{unit_text(flip.unit, flip.turns_at)}"
    return f"{flip.metric} = {value} (now {flip.value:,.4g}): then {after}"


def _proof(proof: Proof, depth: int) -> Iterator[Line]:
    yield Line(f"{proof.title} [{proof.concludes}]", "strong", depth=depth)
    for rule in proof.rules:
        yield Line(rule.because, label="because", depth=depth + 1)
        yield Line(f"{rule.rule_id} [{', '.join(rule.cites)}]", label="by rule", depth=depth + 1)
        for clause in rule.clauses:
            yield from _clause(clause, depth + 2)


def _fix(fix: FixProof, chosen: bool) -> Iterator[Line]:
    yield Line(f"{fix.summary} [{fix.fix}]: {fix_status(fix.status, chosen)}", "strong")
    if fix.because:
        yield Line(fix.because, label="because", depth=1)
    if fix.clauses:
        cites = f" [{', '.join(fix.cites)}]" if fix.cites else ""
        yield Line(f"{fix.rule_id}{cites}", label="by rule", depth=1)
    for clause in fix.clauses:
        yield from _clause(clause, 2)


def _clause(clause: Clause, depth: int) -> Iterator[Line]:
    yield Line(f"{'not ' if clause.role == 'unless' else ''}{clause.name}: {_TRUTH[clause.truth]}", depth=depth)
    for item in sorted(clause.evidence, key=lambda each: clause.holds is False and each.holds is not False):
        yield Line(comparison_text(item) if clause.holds else outcome_text(item), depth=depth + 1)
    if clause.evidence and clause.evidence[0].cites:
        yield Line(", ".join(clause.evidence[0].cites), label="source", depth=depth + 1)
    if clause.proof is not None:
        yield from _proof(clause.proof, depth + 1)


def _blocked(rule: BlockedRule) -> Iterator[Line]:
    yield Line(f"{rule.rule_id} {'fired' if rule.fired else 'did not fire'}", "strong")
    for label, clauses in (("fails", rule.failing), ("unknown", rule.unknown), ("blocked by", rule.blocking)):
        for clause in clauses:
            first, *rest = _clause(clause, 1)
            yield Line(first.text, label=label, depth=1)
            yield from rest
