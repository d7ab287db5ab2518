"""A proof as a tree of nodes: from what was concluded over rules and conditions to numbers, thresholds and sources."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from advisor.session.cards import measured
from advisor.session.numbers import number_text, sentence_start
from advisor.session.records import KnowledgeIndex, Proved
from advisor.tui import words_views as words
from advisor.view.numbers import plural

if TYPE_CHECKING:
    from advisor.reasoning.engine.explain import BlockedRule, Clause, Proof, RuleProof
    from advisor.reasoning.engine.what_if import Flip
    from advisor.records.diagnosis import Comparison

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_DEEPEST: Final = 6  # levels of findings over findings; in practice a proof is far flatter
_BECAME: Final = {0: "fails", 1: "unknown", 2: "holds"}


@dataclass(frozen=True, slots=True)
class Node:
    """label: in one line; became: holds, fails, unknown or empty; about: all of it, for the pane beside the tree.

    word: what `explain` may be asked of it, empty where there is nothing; open: whether it is unfolded at first.
    """

    label: str
    became: str = ""
    about: tuple[str, ...] = ()
    word: str = ""
    children: tuple[Node, ...] = ()
    open: bool = True


def tree(result: Any, finding: str, index: KnowledgeIndex) -> Node:
    """The tree of what was told on a finding or class: a records.Proved, or a tuple of engine.BlockedRule."""
    title = index.title(finding)
    if isinstance(result, Proved) and hasattr(result.proof, "rules"):
        rules = result.proof.rules
        said = words.CONCLUDED.format(count=len(rules), rules=plural(len(rules), "rule"))
        children = (*_rules(result.proof, index, 0), *_turns(result.flips, finding, index))
        return Node(f"{title}: {said}", "holds", (title, said), finding, children)
    blocked = tuple(rule for rule in result if hasattr(rule, "failing")) if isinstance(result, tuple) else ()
    said = words.NOT_CONCLUDED if blocked else words.NO_RULES
    return Node(f"{title}: {said}", "fails", (title, said), finding, tuple(_blocked(rule, index) for rule in blocked))


def _rules(proof: Proof, index: KnowledgeIndex, depth: int) -> list[Node]:
    return [_rule(rule, proof.concludes, index, depth) for rule in proof.rules]


def _rule(rule: RuleProof, concludes: str, index: KnowledgeIndex, depth: int) -> Node:
    label = words.RULE_FIRED.format(rule=rule.rule_id)
    about = (sentence_start(rule.because), label) if rule.because else (label,)
    children = (*(_clause(clause, index, depth) for clause in rule.clauses), *_sources(rule.cites, index))
    return Node(about[0], "holds", about, concludes.removeprefix("class."), children)


def _blocked(rule: BlockedRule, index: KnowledgeIndex) -> Node:
    became = "holds" if rule.fired else "fails"
    label = (words.RULE_FIRED if rule.fired else words.RULE_BLOCKED).format(rule=rule.rule_id)
    kept = (*rule.failing, *rule.blocking, *rule.unknown)
    children = (*(_clause(clause, index, 0) for clause in kept), *_sources(rule.cites, index))
    return Node(label, became, (label,), rule.concludes, children)


def _clause(clause: Clause, index: KnowledgeIndex, depth: int) -> Node:
    """One condition. An `unless` lets the rule through when it is false: mark and words say so."""
    unless = clause.role == "unless"
    became = _BECAME[2 - clause.truth if unless else clause.truth]
    name = clause.name.partition(".")[2] if clause.name.startswith(("class.", "found.")) else clause.name
    says = clause.evidence[0].says if clause.evidence and clause.evidence[0].says else index.title(name)
    state = words.LETS[clause.truth] if unless else words.CONDITIONS[became]
    said = f"{words.UNLESS} {says}" if unless else sentence_start(says)
    children = [_number(item, index) for item in clause.evidence]
    if clause.proof is not None and depth < _DEEPEST:
        children += _rules(clause.proof, index, depth + 1)
    return Node(f"{said} ({state})", became, (said, state), name, tuple(children))


def _number(item: Comparison, index: KnowledgeIndex) -> Node:
    """A number, its test and how far it is from turning; under it where the threshold comes from."""
    value = words.UNKNOWN_VALUE if item.value is None else number_text(item.value, item.unit)
    means = next((f"{name}: {text}" for name, _, text in index.metrics if name == item.metric), "")
    about = (measured(item), means) if means else (measured(item),)
    became = "unknown" if item.holds is None else "holds" if item.holds else "fails"
    label = words.THRESHOLD.format(metric=item.metric, value=value, test=item.test)
    return Node(label, became, about, _known(item.metric, index), tuple(_sources(item.cites, index)), open=False)


def _known(text: str, index: KnowledgeIndex) -> str:
    """The first metric in a formula; the text itself where it names none that is known."""
    names = {name for name, *_ in index.metrics}
    return next((name for name in _NAME.findall(text) if name in names), text)


def _sources(cites: tuple[str, ...], index: KnowledgeIndex) -> list[Node]:
    told = tuple(index.source(key) for key in cites)
    leaves = tuple(Node(text, "", (text, key)) for key, text in zip(cites, told, strict=True))
    return [Node(words.SOURCES, "", told, "", leaves, open=False)] if leaves else []


def _turns(flips: tuple[Flip, ...], concluded: str, index: KnowledgeIndex) -> list[Node]:
    """The nearest values at which the conclusion turns; one that turns a reason among several is left out."""
    if not flips:
        return []
    leaves = []
    for flip in flips:
        then = [name for name in (flip.then.class_id, *flip.then.findings) if name]
        if concluded in then:
            continue
        at, now = number_text(flip.turns_at, flip.unit), number_text(flip.value, flip.unit)
        after = "; ".join(index.title(name) for name in then)
        text = words.TURNS_AT.format(metric=flip.metric, at=at, now=now, after=after)
        leaves.append(Node(text, "", (text,), flip.metric))
    label = words.TURNS if leaves else words.TURNS_NOT
    return [Node(label, "", (label,), "", tuple(leaves))]
