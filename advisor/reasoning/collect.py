"""Build the ncu command that collects what a report lacks, with the sections, their metrics and their purpose."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import parse
from advisor.records.diagnosis import LaunchDiagnosis, Missing, Question

# These cost no extra passes with any selection; a report without them cannot be classified.
ALWAYS = ("SpeedOfLight", "LaunchStats", "Occupancy")


class Gathered(Struct, frozen=True):
    """The sections to collect, each with the findings that it decides and its metrics; an empty command if none."""

    command: str
    sections: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = ()


def sections_for(catalog: Catalog, metrics: Iterable[str]) -> dict[str, list[str]]:
    """Map each section id to the canonical metrics that it collects, both in a stable order."""
    out: dict[str, list[str]] = {}
    for metric in sorted(metrics):
        section = catalog.metrics[metric].section
        if section:
            out.setdefault(section, []).append(metric)
    return dict(sorted(out.items()))


def command(
    sections: Iterable[str], kernel: str | None, skip: int, count: int, clock_control: str, folder: Path | None = None
) -> str:
    """Return the ncu command line that collects the sections; `folder`: another folder with section files."""
    where = ["--section-folder", shlex.quote(str(folder))] if folder is not None else []
    parts = ["ncu", *where, *(word for s in sections for word in ("--section", s)), "--import-source", "yes"]
    if kernel:
        parts += ["--kernel-name", shlex.quote(f"regex:{kernel}")]
    parts += ["--launch-skip", str(skip), "--launch-count", str(count)]
    if clock_control == "none":
        parts += ["--clock-control", "none"]
    return " ".join([*parts, "-o", "profile", "YOUR_PROGRAM"])


def wanted_by(launches: Iterable[LaunchDiagnosis]) -> dict[str, set[str]]:
    """Map each metric that rules need and lack to the findings that wait for it."""
    reasons: dict[str, set[str]] = {}
    for launch in launches:
        for item in launch.missing:
            reasons.setdefault(item.metric, set()).update(item.needed_for)
    return reasons


def purposes(
    sections: Mapping[str, list[str]], reasons: Mapping[str, set[str]]
) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """Return each section to collect, including the mandatory ones, with the findings that need it and its metrics."""
    out = []
    for section in sorted({*sections, *ALWAYS}):
        metrics = tuple(sections.get(section, ()))
        out.append((section, tuple(sorted({f for m in metrics for f in reasons.get(m, ())})), metrics))
    return tuple(out)


def gather(catalog: Catalog, launch: LaunchDiagnosis) -> Gathered:
    """Return what one launch lacks: sections with their purpose, and the command for one launch of its kernel."""
    reasons = wanted_by((launch,))
    sections = sections_for(catalog, reasons)
    if not sections:
        return Gathered("")
    found = purposes(sections, reasons)
    named = (section for section, _, _ in found)
    return Gathered(command(named, kernel_pattern(launch.kernel), skip_of(launch.metrics), 1, "base"), found)


def skip_of(values: Mapping[str, float]) -> int:
    """Return the launches of its kernel that are before a launch in its report; 0 if that is unknown."""
    before = values.get("launches_before", 0.0)
    return int(before) if math.isfinite(before) and before > 0 else 0


@lru_cache(maxsize=1024)
def kernel_pattern(kernel: str) -> str | None:
    """Return a pattern for ncu, which matches names without namespaces, template arguments and parameters."""
    name = re.split(r"[<(]", kernel, maxsplit=1)[0].rpartition("::")[2].split()
    return f"^{re.escape(name[-1])}$" if name else None


def sources_of(catalog: Catalog, metric: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the collectable metrics from which a canonical metric is derived; empty if no profile can give it."""
    definition = catalog.metrics.get(metric)
    if definition is None or metric in seen:
        return frozenset()
    if definition.names or definition.source in ("opcodes", "accesses"):
        return frozenset({metric})
    if not definition.formula:
        return frozenset()
    return frozenset().union(*(sources_of(catalog, name, seen | {metric}) for name in parse(definition.formula).names))


def collect_command(catalog: Catalog, metrics: Iterable[str]) -> str:
    """Return the ncu options that collect the metrics: their sections, each once."""
    sections = sorted({catalog.metrics[m].section for m in metrics if catalog.metrics[m].section})
    return "ncu " + " ".join(f"--section {s}" for s in sections) if sections else ""


def missing(catalog: Catalog, unknown: Mapping[str, set[str]], known: Iterable[str]) -> tuple[Missing, ...]:
    """Return an entry for each collectable metric. unknown: metric -> the findings that wait for it."""
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
    """Return the questions whose answer a rule needs. answers: choice question -> the findings that read it."""
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
