"""What the report lacks for a decision: the metrics, what they are needed for, and the command that collects them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from advisor.catalog.expressions import parse
from advisor.model import Missing, Question

if TYPE_CHECKING:
    from advisor.catalog import Catalog


def sources_of(catalog: Catalog, metric: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """The metrics with names of ncu's own that a canonical metric rests on; empty for what no profile can tell."""
    definition = catalog.metrics.get(metric)
    if definition is None or metric in seen:
        return frozenset()
    if definition.names or definition.source in ("opcodes", "accesses"):
        return frozenset({metric})
    if not definition.formula:
        return frozenset()
    return frozenset().union(*(sources_of(catalog, name, seen | {metric}) for name in parse(definition.formula).names))


def collect_command(catalog: Catalog, metrics: Iterable[str]) -> str:
    """The ncu options that collect the metrics: their sections, each once."""
    sections = sorted({catalog.metrics[m].section for m in metrics if catalog.metrics[m].section})
    return "ncu " + " ".join(f"--section {s}" for s in sections) if sections else ""


def missing(catalog: Catalog, unknown: Mapping[str, set[str]], known: Iterable[str]) -> tuple[Missing, ...]:
    """`unknown` maps a canonical metric to the findings that wait for it; one entry for each that ncu could collect."""
    have = frozenset(known)
    needed: dict[str, set[str]] = {}
    for metric, findings in unknown.items():
        for base in sources_of(catalog, metric) - have:
            needed.setdefault(base, set()).update(findings)
    return tuple(
        Missing(metric, tuple(sorted(needed[metric])), collect_command(catalog, [metric])) for metric in sorted(needed)
    )


def questions(
    catalog: Catalog, unknown: Mapping[str, set[str]], answers: Mapping[str, set[str]], given: Iterable[str]
) -> tuple[Question, ...]:
    """The questions whose answer a rule waits for; `answers` maps a choice question to the findings that read it."""
    done, out = frozenset(given), []
    for question in catalog.questions.values():
        waiting = set(answers.get(question.id, set()))
        if question.sets:
            for metric, findings in unknown.items():
                if metric == question.sets or question.sets in _inputs(catalog, metric):
                    waiting |= findings
        if waiting and question.id not in done:
            out.append(
                Question(
                    question.id,
                    question.ask,
                    question.why,
                    tuple(sorted(waiting)),
                    question.kind,
                    question.unit,
                    tuple(question.choices.items()),
                )
            )
    return tuple(out)


def _inputs(catalog: Catalog, metric: str) -> frozenset[str]:
    definition = catalog.metrics.get(metric)
    return parse(definition.formula).names if definition is not None and definition.formula else frozenset()
