"""Compare what Nsight Compute's rules say about a launch with the conclusion here on the same subject.

The subjects of each rule are in knowledge/topics/ncu_rules.yaml; the reason for a difference comes from the same proof
as `why not`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from advisor.knowledge.base import Catalog, finding_title
from advisor.knowledge.expressions import TRUE
from advisor.knowledge.texts import BOUNDS, within_sentence
from advisor.readers.console import pasted_rule
from advisor.reasoning.engine.explain import BlockedRule, Clause, may_give_way, why_not
from advisor.reasoning.engine.trace import Trace
from advisor.records.diagnosis import Comparison, Finding, Here, RuleVerdict
from advisor.records.errors import KnowledgeError
from advisor.records.quantities import speedup_text
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
    """One kind of result of a rule: the words that identify it, its name, and our ids on the same subject.

    part: a word in the ids of those of our rules that are on this subject, such as `store`; empty: all are.
    """

    short: str
    has: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    symptom: str = ""
    nothing: str = ""
    tells: str = ""
    part: str = ""


class Kinds(Struct, frozen=True):
    """The kinds of results, by identifier, and patterns of messages that are not about the kernel."""

    of: Mapping[str, tuple[Kind, ...]]
    silent: tuple[re.Pattern[str], ...]

    def find(self, result: RuleResult) -> Kind | None:
        """Return the kind of a result: of its rule, or of any rule if the text names none; None if it is unknown."""
        lists = [self.of.get(result.id, ())] if result.id else self.of.values()
        for kinds in lists:
            for kind in kinds:
                if all(words in result.message for words in kind.has) and (kind.has or result.id):
                    return kind
        return None

    def judges(self, result: RuleResult) -> bool:
        """Whether a result is about the kernel; false for a rule that failed or only points to a section."""
        return not any(pattern.search(result.message) for pattern in self.silent)


@lru_cache(maxsize=4)
def kinds(catalog: Catalog) -> Kinds:
    """Return the kinds of the knowledge base; raises KnowledgeError for an entry of another shape."""
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


_FEWEST = 8  # words of a message; a question about the same thing is shorter


def recognised(catalog: Catalog, text: str) -> RuleResult | None:
    """Return the result of a rule that a pasted text holds; None for any other text."""
    if len(text.split()) < _FEWEST:
        return None
    result = pasted_rule(text)
    return result if kinds(catalog).find(result) is not None else None


@lru_cache(maxsize=256)
def _subjects(catalog: Catalog, kind: Kind) -> tuple[str, ...]:
    """Return our ids on the subject of a kind, the simplest first, then the other causes of its symptom."""
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
    """Return the rules' verdicts on launch `row`, the largest estimate first, then in the order of the report.

    findings: ours, ranked. Results of one kind are combined; results that do not judge the kernel are left out.
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
    out.sort(key=lambda verdict: (-round(verdict.saving, 2), verdict.here.status == "none"))
    leader = next((at for at, verdict in enumerate(out) if verdict.saving and verdict.here.status != "none"), None)
    if leader is not None:
        out[leader] = replace(out[leader], leading=True)
    return tuple(out)


def sentence(message: str, tells: str) -> str:
    """Return the first sentence of a message that contains these words, else the first one; truncate long ones."""
    parts = [part.strip() for part in _SENTENCE.split(message)]
    chosen = next((part for part in parts if tells in part), parts[0])
    return chosen if len(chosen) <= _LONGEST else chosen[: _LONGEST - 1] + "…"


class _Case(Struct, frozen=True):
    """One launch and the conclusions about it."""

    catalog: Catalog
    observed: Observed
    row: int
    trace: Trace
    findings: Sequence[Finding]

    def verdict(self, results: Sequence[RuleResult], kind: Kind | None) -> RuleVerdict:
        """Compare our conclusion with the results of one kind (None: a kind that the knowledge does not name)."""
        loudest = max(results, key=lambda r: (r.speedup or 0, r.local_pct or 0))
        about = _subjects(self.catalog, kind) if kind else ()
        if kind is not None and CLASS in kind.about:
            here = self._of_class()
        elif about:
            here = self._of_subjects(about, kind.part if kind else "")
        else:
            here = Here("none")
        if not here.because:
            here = replace(here, because=_because(here, kind.nothing if kind else ""))
        return RuleVerdict(
            rule=loudest.id,
            short=kind.short if kind else loudest.title,
            message=sentence(loudest.message, kind.tells if kind else ""),
            speedup=loudest.speedup,
            local_pct=None if loudest.speedup else loudest.local_pct,
            times=len(results),
            about=about,
            here=here,
        )

    def _of_class(self) -> Here:
        subject = f"class.{self.trace.class_id}"
        other = next((f for f in self.findings if f.id == _DISAGREES), None)
        if other is None:
            return Here("class_same", subject, because=f"the same or compatible: {self.trace.class_id}")
        return Here("class_differs", subject, because=f"{self.trace.class_id}: {other.because}")

    def _of_subjects(self, about: Sequence[str], part: str) -> Here:
        diagnoses = [f for f in self.findings if f.kind == "diagnosis"]
        for place, finding in enumerate(diagnoses, 1):
            if finding.id in about:
                by = "" if place == 1 else diagnoses[0].id
                return Here("first" if place == 1 else "ranked", finding.id, by, place, _gain(finding))
        for finding in self.findings:
            if finding.id in about:
                return Here("trust" if finding.kind == "trust" else "small", finding.id, gain=_gain(finding))
        return self._of_what_was_not_found(about, part)

    def _of_what_was_not_found(self, about: Sequence[str], part: str) -> Here:
        """Return the verdict on the first subject, unless a finding explains another one."""
        known = [subject for subject in about if subject in self.catalog.findings]
        for subject in known:
            if may_give_way(self.catalog, self.observed, self.row, self.trace, subject):
                here = self._refutation(subject, part)
                if here.status == "gave_way":
                    return here
        return self._refutation(known[0], part) if known else Here("none")

    def _refutation(self, subject: str, part: str) -> Here:
        """Return why a finding was not concluded, from the rule that came closest."""
        rules = why_not(self.catalog, self.observed, self.row, self.trace, subject)
        if not rules:
            return Here("none", subject)
        rules = tuple(rule for rule in rules if part in rule.rule_id) or rules
        nearest = min(rules, key=lambda rule: (sum(map(_lacks, (*rule.failing, *rule.blocking))), len(rule.unknown)))
        if not nearest.failing and not nearest.blocking:
            return Here("unknown", subject, lacking=self._unknown(nearest))
        found = next((c.name.removeprefix("found.") for c in nearest.blocking if c.name.startswith("found.")), "")
        if found and not nearest.failing:
            return Here("gave_way", subject, found)
        clauses = (*nearest.failing, *nearest.blocking)
        # Sort the clearest first: a fixed threshold before another metric, then the largest distance from it.
        decided = [item for clause in clauses for item in _deciding(clause)]
        grounds = sorted(decided, key=lambda i: (not _FIXED.search(i.test), -abs(i.margin or 0)))
        evidence = tuple({item.observation: item for item in reversed(grounds)}.values())[::-1][:_EVIDENCE]
        lacking = () if evidence else tuple(c.name for c in clauses)
        return Here("refuted", subject, evidence=evidence, lacking=lacking)

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


def _lacks(clause: Clause) -> int:
    """Return how many conditions a clause lacks: a conclusion lacks those of its own rules."""
    return max(1, len({item.observation for item in clause.evidence if item.holds is False}))


def _deciding(clause: Clause) -> tuple[Comparison, ...]:
    """Return the comparisons that decide a condition: those that fail if it is false, else one that holds."""
    if clause.truth == TRUE:
        return tuple(item for item in clause.evidence if item.holds)[:1]
    return tuple(item for item in clause.evidence if item.holds is False)


def _gain(finding: Finding) -> float | None:
    return finding.speedup.estimate if finding.speedup else None


def _because(here: Here, nothing: str) -> str:
    """Return the conclusion here and why, as the second half of a sentence; nothing: why no diagnosis follows."""
    subject = within_sentence(finding_title(here.subject))
    by = within_sentence(finding_title(here.by))
    gain = f", {speedup_text(here.gain)}" if here.gain is not None else ""
    if here.status == "first":
        return f"the same: {subject} comes first{gain}"
    if here.status == "ranked":
        return f"{subject} is number {here.place}{gain}; {by} comes first"
    if here.status == "small":
        return f"{subject} was found but saves little{gain}"
    if here.status == "trust":
        return f"listed under caveats: {subject}"
    if here.status == "gave_way":
        return f"not {subject}: {by} explains it"
    if here.status == "unknown":
        return f"{subject} is undecided, unknown: {', '.join(here.lacking[:3]) or 'a metric'}"
    if here.status == "refuted":
        ground = next(map(_ground, here.evidence), f"{', '.join(here.lacking)} does not hold")
        return f"not {subject}: {ground}"
    return f"no diagnosis follows. {nothing}" if nothing else "no diagnosis follows"


def _ground(item: Comparison) -> str:
    """Describe a comparison that refutes: in words if it holds, else with its number and the failed test."""
    if item.holds or item.value is None:
        return item.says
    unit = f" {item.unit}" if item.unit not in ("", "ratio", "count", "bool") else ""
    name = f"{item.metric} = " if item.metric.isidentifier() else ""
    return f'fails: "{item.says}" ({name}{BOUNDS[item.bound]}{item.value:,.3g}{unit}, not {item.test})'
