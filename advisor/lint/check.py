"""All checks of knowledge/ against itself and against the engine."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from advisor import resources
from advisor.errors import AdvisorError, UsageError
from advisor.lint.base import load_base
from advisor.lint.entries import check_catalogue, check_findings, check_questions, check_used, exercises_in
from advisor.lint.examples import check_examples
from advisor.lint.mistake import Mistake
from advisor.lint.names import check_cites, check_metrics, check_observations, check_rules, references
from advisor.lint.rules import check_partitions, check_reachable
from advisor.lint.timelines import check_timelines, timeline_base, used_by_timelines
from advisor.lint.workloads import check_workloads


def lint(
    folders: Sequence[Path], *, terms: Collection[str] | None = None, kernels: Path | None = None
) -> tuple[Mistake, ...]:
    """Every mistake in our own knowledge folder (the first) and team directories (the others), by file and line.

    terms: the terms that a fix may change, by default those of the time model; kernels: where the exercises are.
    UsageError for a folder that is not there.
    """
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such directory")
    if terms is None:
        from advisor.quantify import TERMS

        terms = TERMS
    if kernels is None:
        try:
            kernels = resources.folder("kernels")
        except AdvisorError:
            kernels = folders[0].parent / "kernels"
    base = load_base(folders)
    found: list[Mistake] = list(base.mistakes)
    found += check_metrics(base)
    tests, wrong = check_observations(base)
    found += wrong
    sound, wrong = check_rules(base, tests, references(base))
    found += wrong
    found += check_cites(base)
    found += check_findings(base, terms, exercises_in(kernels))
    timelines = timeline_base(base)
    found += check_used(base, used_by_timelines(timelines))
    found += check_questions(base)
    found += check_partitions(base, tests)
    found += check_reachable(base, tests, sound)
    found += check_catalogue(base)
    if not any(m.severity == "error" and m.file.name == "classification.yaml" for m in found):
        found += check_examples(base, tests, sound)
    from advisor.quantify.workloads import workload_terms

    found += check_timelines(timelines)
    found += check_workloads(base, workload_terms(), exercises_in(kernels))
    return tuple(sorted(set(found)))
