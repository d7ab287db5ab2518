"""The ncu command that collects what a report lacks: which sections bring which metrics, and what they are for."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import parse
from advisor.records.diagnosis import LaunchDiagnosis, Missing, Question

# ncu adds these to any selection at no cost of passes; a report without them cannot be placed.
ALWAYS = ("SpeedOfLight", "LaunchStats", "Occupancy")


@dataclass(frozen=True, slots=True)
class Gathered:
    """What to run. sections: each with the findings that it would decide and the metrics that it brings, in order;
    command: empty where nothing is missing.
    """

    command: str
    sections: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = ()


def sections_for(catalog: Catalog, metrics: Iterable[str]) -> dict[str, list[str]]:
    """Section id -> the canonical metrics that it brings, both in a stable order."""
    out: dict[str, list[str]] = {}
    for metric in sorted(metrics):
        section = catalog.metrics[metric].section
        if section:
            out.setdefault(section, []).append(metric)
    return dict(sorted(out.items()))


def command(
    sections: Iterable[str], kernel: str | None, skip: int, count: int, clock_control: str, folder: Path | None = None
) -> str:
    """The ncu command line that collects the sections; `folder`: where else ncu looks for their files."""
    where = ["--section-folder", shlex.quote(str(folder))] if folder is not None else []
    parts = ["ncu", *where, *(word for s in sections for word in ("--section", s)), "--import-source", "yes"]
    if kernel:
        parts += ["--kernel-name", shlex.quote(f"regex:{kernel}")]
    parts += ["--launch-skip", str(skip), "--launch-count", str(count)]
    if clock_control == "none":
        parts += ["--clock-control", "none"]
    return " ".join([*parts, "-o", "profile", "YOUR_PROGRAM"])


def wanted_by(launches: Iterable[LaunchDiagnosis]) -> dict[str, set[str]]:
    """Each metric that rules asked for and did not get -> the findings that wait for it."""
    reasons: dict[str, set[str]] = {}
    for launch in launches:
        for item in launch.missing:
            reasons.setdefault(item.metric, set()).update(item.needed_for)
    return reasons


def purposes(
    sections: Mapping[str, list[str]], reasons: Mapping[str, set[str]]
) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """Each section to collect, those that always go with them too: the findings that wait for it, its metrics."""
    out = []
    for section in sorted({*sections, *ALWAYS}):
        metrics = tuple(sections.get(section, ()))
        out.append((section, tuple(sorted({f for m in metrics for f in reasons.get(m, ())})), metrics))
    return tuple(out)


def gather(catalog: Catalog, launch: LaunchDiagnosis) -> Gathered:
    """What one launch lacks: the sections with what they are for, and the command for its kernel, one launch of it."""
    reasons = wanted_by((launch,))
    sections = sections_for(catalog, reasons)
    if not sections:
        return Gathered("")
    found = purposes(sections, reasons)
    return Gathered(command((section for section, _, _ in found), _pattern(launch.kernel), 0, 1, "base"), found)


def _pattern(kernel: str) -> str | None:
    """An expression for ncu, which matches the name without namespaces, template arguments and parameters."""
    name = re.split(r"[<(]", kernel, maxsplit=1)[0].rpartition("::")[2].split()
    return f"^{re.escape(name[-1])}$" if name else None


def sources_of(catalog: Catalog, metric: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """The collectable metrics from which a canonical metric is derived; empty where no profile can give it."""
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
