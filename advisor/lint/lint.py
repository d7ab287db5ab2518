"""All checks of knowledge/ against itself and against the engine.

The command `knowledge lint`: mistakes as lines that editors and CI can follow.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TextIO

from advisor.lint.base import ERROR, Mistake, load_base
from advisor.lint.entries import check_catalogue, check_findings, check_questions, check_used, exercises_in
from advisor.lint.examples import check_examples
from advisor.lint.names import check_cites, check_metrics, check_observations, check_rules, references
from advisor.lint.parts import check_timelines, check_workloads, timeline_base, used_by_timelines
from advisor.lint.rules import check_partitions, check_reachable
from advisor.records import resources
from advisor.records.errors import EXIT_CHECK_FAILED, EXIT_DONE, AdvisorError, UsageError
from advisor.records.escapes import printable


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
        from advisor.reasoning.time_model.terms import TERMS

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
    from advisor.reasoning.time_model.workloads import workload_terms

    found += check_timelines(timelines)
    found += check_workloads(base, workload_terms(), exercises_in(kernels))
    return tuple(sorted(set(found)))


def run(folders: Sequence[Path], out: TextIO, own: Path | None = None) -> int:
    """Print each mistake as `file:line: severity: text`; exit code 1 when one of them is an error, else 0.

    folders: team directories, checked beside our own knowledge (`own`, by default the installation's), of which nothing
    is printed then; none: our own, and the bundled exercises. A folder with a classification of its own is no team's
    but a whole knowledge base, and is checked by itself.
    """
    whole = [f for f in folders if (f / "classification.yaml").is_file() and not (f / "team.yaml").exists()]
    teams = [f for f in folders if f not in whole]
    # A whole knowledge base has its exercises beside it, as ours has.
    found = [m for base in whole for m in lint([base], kernels=base.resolve().parent / "kernels")]
    if teams or not folders:
        base = own or resources.folder("knowledge")
        shown = teams or [base]
        found += [m for m in lint([base, *teams]) if any(m.file.is_relative_to(f) for f in shown)]
    if not folders and own is None:
        found += _exercises(found)
    for mistake in found:
        out.write(f"{shown_line(mistake)}\n")
    return EXIT_CHECK_FAILED if any(m.severity == ERROR for m in found) else EXIT_DONE


def shown_line(mistake: Mistake) -> str:
    """The mistake on one line, with characters that are not printed escaped: a key may hold any character."""
    return printable(str(mistake).replace("\n", " "))


def _exercises(found: Sequence[Mistake]) -> list[Mistake]:
    """What is wrong with the bundled exercises; nothing while the knowledge that they name cannot be relied on."""
    if any(m.severity == ERROR for m in found):
        return []
    from advisor.knowledge.base import catalog
    from advisor.practice.folders import faults

    return [Mistake(f.file, f.line, f.text, ERROR) for f in faults(catalog())]
