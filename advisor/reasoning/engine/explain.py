"""Explain HOW and WHY NOT from the declared rules and the evidence. All texts come from the knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN
from advisor.knowledge.schemas import FixDef
from advisor.knowledge.texts import fill
from advisor.reasoning.engine.program import UNDETERMINED, fix_rule, is_word, kind_of
from advisor.reasoning.engine.trace import Fired, Trace
from advisor.records.diagnosis import Comparison
from advisor.records.errors import UsageError
from advisor.records.estimate import Estimate
from advisor.records.record import Internal, Record

if TYPE_CHECKING:
    from advisor.reasoning.observations import Observed


class Clause(Record):
    """One condition of a rule on one launch.

    role: when or unless; holds: null if unknown; evidence: the comparisons of an observation, with their distance to
    the threshold, or, of a conclusion of napkin math or quantification that does not hold, those that its rules lack;
    proof: how the conclusion that the condition names was concluded.
    """

    name: str
    role: Literal["when", "unless"]
    holds: bool | None
    evidence: tuple[Comparison, ...] = ()
    proof: Proof | None = None

    @property
    def truth(self) -> int:
        """Return FALSE, UNKNOWN or TRUE."""
        return UNKNOWN if self.holds is None else TRUE if self.holds else FALSE


class RuleProof(Record):
    """A rule that fired: its reason in words, its sources, its conditions."""

    rule_id: str = msgspec.field(name="id")
    because: str
    cites: tuple[str, ...]
    clauses: tuple[Clause, ...]


class FixProof(Record):
    """Whether a fix of the finding suits the launch, by its own rule: the conditions beside the finding itself.

    status: suits, general (it has no conditions), unknown (a condition is unknown) or unsuitable (one does not hold).
    because: the reason why it suits; empty otherwise.
    """

    rule_id: str = msgspec.field(name="id")
    fix: str
    summary: str
    status: Literal["suits", "general", "unknown", "unsuitable"]
    because: str
    cites: tuple[str, ...]
    clauses: tuple[Clause, ...]


class Proof(Record):
    """How something was concluded; `rules` is empty if nothing concluded it.

    fixes: of a finding with several fixes all of them, the chosen one first. estimate: of a finding with an estimated
    speedup, how that was computed.
    """

    concludes: str
    title: str
    kind: Literal["class", "diagnosis", "trust", "note", "napkin", "gain", "advice"]
    rules: tuple[RuleProof, ...]
    fixes: tuple[FixProof, ...] = ()
    estimate: Estimate | None = None


class BlockedRule(Record):
    """One rule of a finding and what blocked it: conditions that are false, unknown, or that block it (`unless`)."""

    rule_id: str = msgspec.field(name="id")
    concludes: Internal[str]
    fired: bool
    failing: tuple[Clause, ...]
    unknown: tuple[Clause, ...]
    blocking: tuple[Clause, ...]
    cites: tuple[str, ...]


class Then(Struct, frozen=True):
    """Hypothetical conclusions: the class without its prefix, and the findings in their order."""

    class_id: str
    findings: tuple[str, ...]


class Flip(Struct, frozen=True):
    """A comparison of a proof, the value of `metric` at which it flips, and the conclusions just beyond that value."""

    observation: str
    metric: str
    value: float
    turns_at: float
    unit: str
    test: str
    then: Then


class _Case(Struct, frozen=True, dict=True):
    """The launch to explain."""

    catalog: Catalog
    observed: Observed
    row: int
    trace: Trace
    labels: Mapping[str, str]

    @cached_property
    def texts(self) -> Mapping[str, float | str]:
        return {**self.observed.values(self.row), **self.labels}

    def truth(self, name: str) -> int:
        if kind_of(name) == "observation":
            at = self.observed.place.get(name)
            return UNKNOWN if at is None else int(self.observed.truth[self.row, at])
        return self.trace.truth(name)

    def clause(self, name: str, role: Literal["when", "unless"]) -> Clause:
        truth = self.truth(name)
        holds = None if truth == UNKNOWN else truth == TRUE
        if kind_of(name) == "observation":
            seen = name in self.observed.place
            return Clause(name, role, holds, self.observed.evidence(self.row, name) if seen else ())
        if is_word(name) and truth != TRUE:
            return Clause(name, role, holds, self.against(name))
        proved = truth == TRUE and kind_of(name) != "answer"
        return Clause(name, role, holds, proof=self.proof(name.removeprefix("found.")) if proved else None)

    def against(self, word: str) -> tuple[Comparison, ...]:
        """Return the comparisons of the conditions that the rules of a word lack."""
        rules = self.catalog.words[word].seen
        names = dict.fromkeys(n for rule in rules for n in rule.when if n in self.observed.place)
        return tuple(c for n in names if self.truth(n) != TRUE for c in self.observed.evidence(self.row, n))

    def proof(self, concludes: str) -> Proof:
        rules = tuple(self.rule(f) for f in self.trace.fired_for(concludes))
        if concludes.startswith("class."):
            return Proof(concludes, self.catalog.classes[concludes.removeprefix("class.")].title, "class", rules)
        if is_word(concludes):
            word = self.catalog.words[concludes]
            return Proof(concludes, word.title, word.area, rules)
        finding = self.catalog.findings[concludes]
        return Proof(concludes, finding.title, finding.kind, rules)

    def fixes(self, finding: str) -> tuple[FixProof, ...]:
        """Return all fixes of a finding, in the order in which they suit; empty if there is no choice."""
        given = self.catalog.findings[finding].fixes
        if len(given) < 2:
            return ()
        order = ("suits", "general", "unknown", "unsuitable")
        return tuple(sorted((self.fix(finding, fix) for fix in given), key=lambda p: order.index(p.status)))

    def fix(self, finding: str, fix: FixDef) -> FixProof:
        rule_id = fix_rule(finding, fix.id)
        clauses = [self.clause(n, "when") for n in fix.when] + [self.clause(n, "unless") for n in fix.unless]
        status: Literal["suits", "general", "unknown", "unsuitable"]
        if not fix.conditional:
            status = "general"
        elif self.trace.fired_for(rule_id):
            status = "suits"
        else:
            status = "unknown" if any(u.rule_id == rule_id for u in self.trace.undecided) else "unsuitable"
        because = fill(fix.because, self.texts) if status == "suits" else ""
        return FixProof(rule_id, fix.id, fix.summary, status, because, fix.cites, tuple(clauses))

    def rule(self, fired: Fired) -> RuleProof:
        because, cites = _texts(self.catalog, fired.rule_id, fired.concludes)
        if fired.concludes == UNDETERMINED:
            # No class holds: the conditions are those that the undecided classes lack.
            open_ = [n for u in self.trace.undecided if u.concludes.startswith("class.") for n in u.unknown]
            clauses = [self.clause(n, "when") for n in dict.fromkeys(open_)]
        else:
            clauses = [self.clause(n, "when") for n in fired.when] + [self.clause(n, "unless") for n in fired.unless]
            clauses += [self.clause(n, "unless") for n in fired.unknown_unless if n not in fired.unless]
        return RuleProof(fired.rule_id, fill(because, self.texts), cites, tuple(clauses))


def _texts(catalog: Catalog, rule_id: str, concludes: str) -> tuple[str, tuple[str, ...]]:
    if concludes.startswith("class."):
        entry = catalog.classes[concludes.removeprefix("class.")]
        return entry.because, entry.cites
    rule = next(r for r in catalog.concluded[concludes].seen if r.id == rule_id)
    return rule.because, rule.cites


def _known(catalog: Catalog, target: str) -> str:
    """Return the id of a finding or word, or `class.<id>`, for what the user typed; raises UsageError if unknown."""
    name = target.removeprefix("found.")
    if name in catalog.concluded:
        return name
    if name.removeprefix("class.") in catalog.classes:
        return f"class.{name.removeprefix('class.')}"
    raise UsageError(f"{target!r} is neither a finding nor a class: `ncu-advisor explain diagnoses` lists the ids")


def _case(catalog: Catalog, observed: Observed, row: int, trace: Trace, labels: Mapping[str, str] | None) -> _Case:
    return _Case(catalog, observed, row, trace, labels or {})


def how(
    catalog: Catalog,
    observed: Observed,
    row: int,
    trace: Trace,
    target: str,
    labels: Mapping[str, str] | None = None,
) -> Proof:
    """Explain how `target` (a finding, a word or `class.<id>`) was concluded on launch `row`: rules, values, sources.

    labels: the launch's named values (leading unit, limiter) for the texts. Returns a proof without rules if the target
    was not concluded. Raises UsageError for an unknown id.
    """
    case, name = _case(catalog, observed, row, trace, labels), _known(catalog, target)
    proof = case.proof(name)
    if not proof.rules or name not in catalog.findings:
        return proof
    return msgspec.structs.replace(proof, fixes=case.fixes(name))


def why_not(
    catalog: Catalog,
    observed: Observed,
    row: int,
    trace: Trace,
    target: str,
    labels: Mapping[str, str] | None = None,
) -> tuple[BlockedRule, ...]:
    """Return, for each rule of `target`, what kept it from firing on launch `row`, with the distance to thresholds.

    A rule that did fire is listed with `fired` set. For a class, an earlier class of the list that holds is listed as
    blocking, and one that may hold as unknown. Raises UsageError for an unknown id.
    """
    case = _case(catalog, observed, row, trace, labels)
    name = _known(catalog, target)
    fired = {f.rule_id for f in trace.fired_for(name)}
    rules: list[tuple[str, tuple[str, ...], tuple[str, ...]]]
    if name.startswith("class."):
        earlier = _earlier(catalog, name)
        entry = catalog.classes[name.removeprefix("class.")]
        rules = [(name, entry.when, (*entry.unless, *earlier))]
    else:
        rules = [(r.id, r.when, r.unless) for r in catalog.concluded[name].seen]
    out = []
    for rule_id, when, unless in rules:
        # List only the conditions that are not met.
        wanted = [case.clause(n, "when") for n in when if case.truth(n) != TRUE]
        bars = [case.clause(n, "unless") for n in unless if case.truth(n) != FALSE]
        out.append(
            BlockedRule(
                rule_id=rule_id,
                concludes=name,
                fired=rule_id in fired,
                failing=tuple(c for c in wanted if c.truth == FALSE),
                unknown=tuple(c for c in (*wanted, *bars) if c.truth == UNKNOWN),
                blocking=tuple(c for c in bars if c.truth == TRUE),
                cites=_texts(catalog, rule_id, name)[1],
            )
        )
    return tuple(out)


def may_give_way(catalog: Catalog, observed: Observed, row: int, trace: Trace, finding: str) -> bool:
    """Whether another finding blocks a rule of this one on launch `row` whose conditions are not false.

    Far quicker than `why_not`, which also collects the evidence.
    """
    case = _case(catalog, observed, row, trace, None)
    return any(
        any(n.startswith("found.") and case.truth(n) == TRUE for n in rule.unless)
        and all(case.truth(n) != FALSE for n in rule.when)
        for rule in catalog.concluded[finding].seen
    )


def _earlier(catalog: Catalog, name: str) -> tuple[str, ...]:
    """Return the classes that precede this one; for `undetermined` all others."""
    listed = [f"class.{c}" for c in catalog.classes if f"class.{c}" != UNDETERMINED]
    return tuple(listed[: listed.index(name)] if name in listed else listed)
