"""What the rules of Nsight Compute say about a launch, each compared with the conclusion here on the same subject.

The subjects of each rule are in knowledge/topics/ncu_rules.yaml; the reason for a difference comes from the same proof
as `why not`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import TRUE
from advisor.reasoning.engine.explain import BlockedRule, Clause, why_not
from advisor.reasoning.engine.trace import Trace
from advisor.records.diagnosis import Comparison, Finding, RuleVerdict
from advisor.records.errors import KnowledgeError
from advisor.records.readings import RuleResult

if TYPE_CHECKING:
    from advisor.reasoning.observations import Observed

CLASS = "class"
_DISAGREES = "rules_disagree"
_SENTENCE = re.compile(r"(?<=[.!])\s+(?=[A-Z])")
_FIXED = re.compile(r"^\S+ -?[\d.]+$")
_LONGEST = 240  # characters of a message that are kept
_EVIDENCE = 2  # comparisons that are enough to refute


class Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that a rule may say: the words by which it is known, its name, and our ids on the same subject.

    part: a word in the ids of those of our rules that are about the same, such as `store`; empty: all are.
    """

    short: str
    has: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    symptom: str = ""
    nothing: str = ""
    tells: str = ""
    part: str = ""


@dataclass(frozen=True)
class Kinds:
    """What rules say, by identifier, and patterns of messages that are not about the kernel."""

    of: Mapping[str, tuple[Kind, ...]]
    silent: tuple[re.Pattern[str], ...]

    def find(self, result: RuleResult) -> Kind | None:
        """The kind of a result: of its rule, or of any rule where the text names none; None for one that is unknown."""
        lists = [self.of.get(result.id, ())] if result.id else self.of.values()
        for kinds in lists:
            for kind in kinds:
                if all(words in result.message for words in kind.has) and (kind.has or result.id):
                    return kind
        return None

    def judges(self, result: RuleResult) -> bool:
        """Whether a result is about the kernel: not a rule that failed or that only points to a section."""
        return not any(pattern.search(result.message) for pattern in self.silent)


@lru_cache(maxsize=4)
def kinds(catalog: Catalog) -> Kinds:
    """The kinds of the knowledge base; KnowledgeError for one of another shape."""
    out: dict[str, tuple[Kind, ...]] = {}
    silent: tuple[str, ...] = ()
    for rule, entry in catalog.topic_file("ncu_rules").items():
        silent += tuple(entry.get("no_verdicts", ()))
        try:
            found = msgspec.convert(entry.get("verdicts", []), tuple[Kind, ...])
        except msgspec.ValidationError as e:
            raise KnowledgeError(f"knowledge/topics/ncu_rules.yaml:1: {rule}: {e}") from None
        for name in (rule, *entry.get("called", ())):
            out[name] = found
    return Kinds(out, tuple(re.compile(text) for text in silent))


@lru_cache(maxsize=256)
def _subjects(catalog: Catalog, kind: Kind) -> tuple[str, ...]:
    """Our ids on the subject of a kind, the simplest first, then the other causes of its symptom."""
    causes = [name for name, entry in catalog.diagnoses.items() if kind.symptom and kind.symptom in entry.explains]
    return tuple(dict.fromkeys((*kind.about, *causes)))


def verdicts(
    catalog: Catalog,
    observed: Observed,
    row: int,
    trace: Trace,
    findings: Sequence[Finding],
    results: Iterable[RuleResult] | None,
) -> tuple[RuleVerdict, ...]:
    """The rules' verdicts on launch `row`, the largest estimate first, then in the order of the report.

    findings: ours, ranked. Results of one kind are taken together; those that judge nothing are left out.
    """
    if not isinstance(results, tuple):
        return ()
    known = kinds(catalog)
    together: dict[tuple[str, str], list[tuple[RuleResult, Kind | None]]] = {}
    for result in results:
        if known.judges(result):
            kind = known.find(result)
            together.setdefault((result.id, kind.short if kind else result.title), []).append((result, kind))
    case = _Case(catalog, observed, row, trace, findings)
    out = [case.verdict([r for r, _ in members], members[0][1]) for members in together.values()]
    out.sort(key=lambda verdict: (-round(verdict.saving, 2), verdict.status == "none"))
    leader = next((at for at, verdict in enumerate(out) if verdict.saving and verdict.status != "none"), None)
    if leader is not None:
        out[leader] = replace(out[leader], leading=True)
    return tuple(out)


def sentence(message: str, tells: str) -> str:
    """The first sentence of a message with these words in it, else the first one; cut where it is very long."""
    parts = [part.strip() for part in _SENTENCE.split(message)]
    chosen = next((part for part in parts if tells in part), parts[0])
    return chosen if len(chosen) <= _LONGEST else chosen[: _LONGEST - 1] + "…"


@dataclass(frozen=True)
class _Case:
    """One launch and what was concluded about it."""

    catalog: Catalog
    observed: Observed
    row: int
    trace: Trace
    findings: Sequence[Finding]

    def verdict(self, results: Sequence[RuleResult], kind: Kind | None) -> RuleVerdict:
        """Ours beside the results of one kind (None: a kind that the knowledge does not name)."""
        loudest = max(results, key=lambda r: (r.speedup or 0, r.local_pct or 0))
        told = RuleVerdict(
            rule=loudest.id,
            short=kind.short if kind else loudest.title,
            message=sentence(loudest.message, kind.tells if kind else ""),
            speedup=loudest.speedup,
            local_pct=None if loudest.speedup else loudest.local_pct,
            times=len(results),
            about=_subjects(self.catalog, kind) if kind else (),
            status="none",
            because=kind.nothing if kind else "",
        )
        if kind is not None and CLASS in kind.about:
            return self._of_class(told)
        return self._of_subjects(told, kind.part if kind else "") if told.about else told

    def _of_class(self, told: RuleVerdict) -> RuleVerdict:
        subject = f"class.{self.trace.class_id}"
        other = next((f for f in self.findings if f.id == _DISAGREES), None)
        if other is None:
            return replace(told, status="class_same", subject=subject)
        return replace(told, status="class_differs", subject=subject, because=other.because)

    def _of_subjects(self, told: RuleVerdict, part: str) -> RuleVerdict:
        diagnoses = [f for f in self.findings if f.kind == "diagnosis"]
        for place, finding in enumerate(diagnoses, 1):
            if finding.id in told.about:
                gain = finding.speedup.estimate if finding.speedup else None
                status = "first" if place == 1 else "ranked"
                by = "" if place == 1 else diagnoses[0].id
                return replace(told, status=status, subject=finding.id, place=place, gain=gain, by=by)
        for finding in self.findings:
            if finding.id in told.about:
                gain = finding.speedup.estimate if finding.speedup else None
                return replace(
                    told, status="trust" if finding.kind == "trust" else "small", subject=finding.id, gain=gain
                )
        return self._of_what_was_not_found(told, part)

    def _of_what_was_not_found(self, told: RuleVerdict, part: str) -> RuleVerdict:
        """The first of the subjects, unless another one is explained by what was found."""
        judged = [self._refutation(told, subject, part) for subject in told.about if subject in self.catalog.findings]
        return next((v for v in judged if v.status == "gave_way"), judged[0]) if judged else told

    def _refutation(self, told: RuleVerdict, subject: str, part: str) -> RuleVerdict:
        """Why a finding was not concluded, by that of its rules which came closest."""
        rules = why_not(self.catalog, self.observed, self.row, self.trace, subject)
        if not rules:
            return replace(told, subject=subject)
        rules = tuple(rule for rule in rules if part in rule.rule_id) or rules
        nearest = min(rules, key=lambda rule: (len(rule.failing) + len(rule.blocking), len(rule.unknown)))
        if not nearest.failing and not nearest.blocking:
            return replace(told, status="unknown", subject=subject, wanting=self._unknown(nearest))
        found = next((c.name.removeprefix("found.") for c in nearest.blocking if c.name.startswith("found.")), "")
        if found and not nearest.failing:
            return replace(told, status="gave_way", subject=subject, by=found)
        clauses = (*nearest.failing, *nearest.blocking)
        # The clearest first: a fixed threshold before another metric, then what is furthest from it.
        decided = [item for clause in clauses for item in _deciding(clause)]
        grounds = sorted(decided, key=lambda i: (not _FIXED.search(i.test), -abs(i.margin or 0)))
        evidence = tuple({item.observation: item for item in reversed(grounds)}.values())[::-1][:_EVIDENCE]
        wanting = () if evidence else tuple(c.name for c in clauses)
        return replace(told, status="refuted", subject=subject, evidence=evidence, wanting=wanting)

    def _unknown(self, rule: BlockedRule) -> tuple[str, ...]:
        metrics = [
            metric
            for clause in rule.unknown
            for metric in (
                self.observed.unknown_metrics(self.row, clause.name)
                if clause.name in self.observed.names
                else (clause.name,)
            )
        ]
        return tuple(dict.fromkeys(metrics))


def _deciding(clause: Clause) -> tuple[Comparison, ...]:
    """The comparisons that make a condition what it is: of a false one those that fail, else one that holds."""
    if clause.truth == TRUE:
        return tuple(item for item in clause.evidence if item.holds)[:1]
    return tuple(item for item in clause.evidence if item.holds is False)
