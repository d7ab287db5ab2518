"""Choose what would decide a launch without a diagnosis: few sections of ncu, or numbers that only the user knows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from advisor.knowledge.base import Catalog
from advisor.reasoning.collect import ALWAYS, command, kernel_pattern, sources_of
from advisor.reasoning.engine.trace import Trace
from advisor.reasoning.observations import Observed
from advisor.records.deciding import Deciding, Wanted
from advisor.records.diagnosis import Question

CLASS = "class"
_OF_CLASS = ("compute_pct", "memory_pct", "dram_pct")
# A profile replays the kernel for each section: more than three cost nearly as much as the full set.
_MOST_SECTIONS = 3
_MOST_METRICS = 4
_MOST_QUESTIONS = 2
# finding -> for each of its undecided rules, the metrics that it lacks.
Lacks = Mapping[str, Sequence[frozenset[str]]]


def lacks(catalog: Catalog, observed: Observed, row: int, trace: Trace, known: Collection[str]) -> Lacks:
    """Return what ncu could still measure for each cause that is not ruled out, `class` included if it is unknown.

    A rule that lacks something that no section of ncu gives is left out, and so is one of weaker evidence.
    """
    out: dict[str, list[frozenset[str]]] = {}
    have = frozenset(known)
    if trace.class_id == "undetermined":
        out[CLASS] = [frozenset().union(*(sources_of(catalog, name) for name in _OF_CLASS)) - have]
    for open_ in trace.undecided:
        entry = catalog.findings.get(open_.concludes)
        if entry is None or entry.kind != "diagnosis":
            continue
        rule = next(rule for rule in entry.seen if rule.id == open_.rule_id)
        names = [name for name in open_.unknown if name in catalog.observations]
        wanted = {metric for name in names for metric in observed.unknown_metrics(row, name)}
        found = [sources_of(catalog, metric) for metric in wanted]
        metrics = frozenset().union(*found) - have
        if rule.asks and metrics and all(found) and all(catalog.metrics[metric].section for metric in metrics):
            out.setdefault(open_.concludes, []).append(metrics)
    return out


def deciding(catalog: Catalog, found: Lacks, questions: Iterable[Question], kernel: str) -> Deciding | None:
    """Return the sections that decide most causes together, or the questions if none is lacking; None without both."""
    section = {metric: catalog.metrics[metric].section for rules in found.values() for one in rules for metric in one}
    needs = {cause: [{section[metric] for metric in one} for one in rules] for cause, rules in found.items()}
    chosen: list[str] = []
    wanted = []
    while len(chosen) < _MOST_SECTIONS:
        open_ = {cause: rules for cause, rules in needs.items() if not any(one <= {*chosen} for one in rules)}
        options = sorted({s for rules in open_.values() for one in rules for s in one} - {*chosen})
        if not options:
            break
        best = max(options, key=lambda option: _worth(open_, {*chosen, option}, option))
        chosen.append(best)
        done = [cause for cause, rules in open_.items() if any(one <= {*chosen} for one in rules)]
        causes = done or [cause for cause, rules in open_.items() if any(best in one for one in rules)]
        wanted.append(Wanted(best, _metrics(found, section, causes, best), tuple(causes)))
    if wanted:
        return Deciding(tuple(wanted), (), _command(wanted, kernel, 0))
    asked = tuple(question.id for question in questions if {*question.would_change} & {*catalog.findings})
    return Deciding((), asked[:_MOST_QUESTIONS], "") if asked else None


def after_launches(found: Deciding, kernel: str, skip: int) -> Deciding:
    """Return the same with a command that skips the launches of the kernel before this one."""
    return replace(found, command=_command(found.sections, kernel, skip)) if found.command and skip else found


def _command(wanted: Iterable[Wanted], kernel: str, skip: int) -> str:
    sections = sorted({*(one.section for one in wanted), *ALWAYS})
    return command(sections, kernel_pattern(kernel), skip, 1, "base")


def _worth(needs: Mapping[str, Sequence[set[str]]], chosen: set[str], option: str) -> tuple[bool, int, float]:
    """Rank a section: the class first, then the causes that it completes, then those that it comes closer to."""
    done = [cause for cause, rules in needs.items() if any(one <= chosen for one in rules)]
    closer = sum(max((1 / len(one) for one in rules if option in one), default=0.0) for rules in needs.values())
    return CLASS in done, len(done), closer


def _metrics(found: Lacks, section: Mapping[str, str], causes: Sequence[str], of: str) -> tuple[str, ...]:
    """Return the metrics of a section that most of the causes lack, the first ones of equals by name."""
    count: dict[str, int] = {}
    for cause in causes:
        for metric in {m for one in found[cause] for m in one if section[m] == of}:
            count[metric] = count.get(metric, 0) + 1
    return tuple(sorted(count, key=lambda metric: (-count[metric], metric))[:_MOST_METRICS])
