"""All checks of the knowledge base against itself and the engine, and the command `knowledge lint`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from msgspec.structs import replace

from advisor.knowledge.base import DECISIONS, TIMELINE_FOLDER, WORKLOAD_FOLDER, catalog, shared_words
from advisor.knowledge.expressions import ExpressionError, parse
from advisor.knowledge.schemas import ClassDef, DiagnosisDef
from advisor.knowledge.time_model import fix_terms
from advisor.lint.base import ERROR, Base, Mistake, Placed, load_base
from advisor.lint.entries import check_catalogue, check_findings, check_questions, check_used, check_words, exercises_in
from advisor.lint.examples import check_examples
from advisor.lint.fixes import (
    Keys,
    check_calls,
    check_conditions,
    check_libraries,
    library_observations,
    placed_fixes,
)
from advisor.lint.names import (
    check_cites,
    check_metrics,
    check_observations,
    check_quantities,
    check_rules,
    check_units,
    references,
)
from advisor.lint.patches import check_patches
from advisor.lint.rules import check_partitions, check_reachable
from advisor.practice.folders import faults
from advisor.reasoning.engine.program import kind_of
from advisor.reasoning.workloads import workload_terms
from advisor.records import resources
from advisor.records.errors import EXIT_CHECK_FAILED, EXIT_DONE, AdvisorError, UsageError
from advisor.records.escapes import printable
from advisor.timeline.trace import TimelineWords

TIMELINE_SCOPE = "timeline"
WORDS = "timeline_words.yaml"


def timeline_base(whole: Base) -> Base | None:
    """Return the patterns and decisions of all folders, with entries shared with kernels, or None if there are none.

    Its `mistakes` contain read errors, so load it only once.
    """
    base = Base(
        whole.folders, whole.about, metrics=whole.metrics, sources=whole.sources, observations=whole.observations
    )
    base.documents = [
        d for d in whole.documents if d.path.parent.name == TIMELINE_FOLDER or d.path.name in (DECISIONS, WORDS)
    ]
    known = {id(m) for d in base.documents for m in d.mistakes}
    for document in base.documents:
        if document.path.parent.name == TIMELINE_FOLDER:
            value = None if document.mistakes else document.convert(document.raw, DiagnosisDef)
            if value is None:
                base.broken.add(document.path.stem)
                continue
            if value.id != document.path.stem:
                base.mistakes.append(document.mistake(f"the id {value.id!r} must equal the file's name", "id"))
            base.findings[value.id] = Placed(value.id, value, document, ())
        elif document.path.name == DECISIONS:
            for key, raw in document.raw.items():
                entry = document.convert(raw, ClassDef, str(key))
                if entry is None:
                    base.broken.add(str(key))
                else:
                    base.classes[str(key)] = Placed(str(key), replace(entry, id=str(key)), document, (str(key),))
    base.mistakes += [m for d in base.documents for m in d.mistakes if id(m) not in known]
    return base if base.findings or base.broken else None


def check_timelines(base: Base | None) -> Iterator[Mistake]:
    """Yield every mistake in the knowledge about timelines; `base` comes from `timeline_base`."""
    if base is None:
        return
    yield from base.mistakes
    tests, _ = check_observations(base)  # already reported for kernels
    terms = {name for name, entry in base.metrics.items() if entry.value.unit == "%"}
    yield from _entries(base)
    yield from check_findings(base, terms, None)
    # From here on the rules are checked like those of a launch, which is how the engine runs them.
    base.findings = {
        name: replace(entry, value=replace(entry.value, scope="launch")) for name, entry in base.findings.items()
    }
    sound, wrong = check_rules(base, tests, references(base))
    yield from wrong
    yield from check_cites(base)
    yield from check_reachable(base, tests, sound)
    yield from check_conditions(base, tests, sound, references(base))
    if not any(d.mistakes for d in base.documents):
        yield from check_examples(base, tests, sound)
    yield from _words(base)


def _entries(base: Base) -> Iterator[Mistake]:
    """Check the extra needs of a pattern: the scope, examples of both kinds, and a fix with its typical gain."""
    for entry in base.findings.values():
        value = entry.value
        if value.scope != TIMELINE_SCOPE:
            yield entry.mistake(f"the scope must be {TIMELINE_SCOPE}", "scope")
        for kind in ("fires", "silent"):
            if not getattr(value.examples, kind):
                yield entry.mistake(f"no example under {kind}", "examples", kind)
        if not value.fixes:
            yield entry.mistake("no fix", "fix")
        for fix, keys in placed_fixes(value):
            if not fix.typical:
                yield entry.mistake("typical of the fix is empty", *keys, "typical")
            for part, factors in (("changes", fix.changes), ("degrees", fix.degrees)):
                for term, text in factors.items():
                    yield from _factor(entry, (*keys, part, term), term, text)


def _factor(entry: Placed[DiagnosisDef], keys: Keys, term: str, text: str) -> Iterator[Mistake]:
    try:
        value = parse(text).scalar({})
    except ExpressionError:
        return  # the check of fixes reports this
    if not 0 <= value <= 1:
        yield entry.mistake(f"{term}: the remaining share is a number from 0 to 1", *keys)


def _words(base: Base) -> Iterator[Mistake]:
    """Check the form of constants, names and parts, and that their expressions compile."""
    for document in base.documents:
        if document.path.name != WORDS or document.mistakes:
            continue
        found = document.convert(document.raw, TimelineWords)
        if found is None:
            yield document.mistakes[-1]
            continue
        for group, names in found.names.items():
            for at, text in enumerate(names.any_of):
                try:
                    re.compile(text)
                except re.error as e:
                    yield document.mistake(
                        f"{group}: {text!r} is not a regular expression: {e}", "names", group, "any_of", at
                    )


def used_by_timelines(base: Base | None) -> set[str]:
    """Return the observations that patterns and decisions read."""
    if base is None:
        return set()
    found = {n for entry in base.findings.values() for rule in entry.value.seen for n in (*rule.when, *rule.unless)}
    found |= {n for entry in base.findings.values() for fix in entry.value.fixes for n in (*fix.when, *fix.unless)}
    return found | {n for entry in base.classes.values() for n in (*entry.value.when, *entry.value.unless)}


WORKLOAD_SCOPE = "workload"


def check_workloads(whole: Base, terms: Collection[str], exercises: Collection[str] | None) -> Iterator[Mistake]:
    """Yield every mistake in the folder `graphics` of our own knowledge, if it exists.

    terms: those that the fix of a workload may change. No exercise is required, since no bundled kernel draws.
    """
    folder = whole.folders[0] / WORKLOAD_FOLDER
    if not folder.is_dir() or not whole.is_wanted(folder):
        return
    base = load_base([folder])
    base.metrics, base.sources = whole.metrics, whole.sources
    _share_words(whole, base)
    yield from base.mistakes
    tests, wrong = check_observations(base)
    yield from wrong
    for entry in base.findings.values():
        if entry.value.scope != WORKLOAD_SCOPE:
            yield entry.mistake(f"the scope must be {WORKLOAD_SCOPE}", "scope")
    yield from check_findings(base, terms, exercises)
    # From here on the rules are checked like those of a launch, which is how the engine runs them.
    base.findings = {
        name: replace(entry, value=replace(entry.value, scope="launch")) for name, entry in base.findings.items()
    }
    for entry in base.findings.values():
        looks = any(kind_of(n) == "observation" for rule in entry.value.seen for n in (*rule.when, *rule.unless))
        for kind in ("fires", "silent") if looks else ():
            if not getattr(entry.value.examples, kind):
                yield entry.mistake(f"no example under {kind}", "examples", kind)
    sound, wrong = check_rules(base, tests, references(base))
    yield from wrong
    yield from check_cites(base)
    yield from check_used(base)
    yield from check_partitions(base, tests)
    yield from check_reachable(base, tests, sound)
    yield from check_conditions(base, tests, sound, references(base))
    if not any(d.mistakes for d in base.documents):
        yield from check_examples(base, tests, sound)


def _share_words(whole: Base, base: Base) -> None:
    """Add the words of the quantification, and the observations that they read, to the knowledge of another scope."""
    known = whole.catalog({}, {k: p.value for k, p in whole.observations.items()})
    for name, word in shared_words(known, {f"found.{name}" for name in base.findings}).items():
        base.words[name] = replace(whole.words[name], value=word)
        for read in (n for rule in word.seen for n in (*rule.when, *rule.unless)):
            if read in whole.observations:
                base.observations.setdefault(read, whole.observations[read])


def lint(
    folders: Sequence[Path],
    *,
    terms: Collection[str] | None = None,
    kernels: Path | None = None,
    about: Sequence[Path] | None = None,
) -> tuple[Mistake, ...]:
    """Return every mistake in our own folder (the first) and team directories (the others), by file and line.

    terms: the terms that a fix may change, by default those of the time model; kernels: folder of the exercises;
    about: the folders whose mistakes are wanted, by default all: of the others some are left out, which saves most of
    the time. Raises UsageError if a folder does not exist.
    """
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such directory")
    if terms is None:
        terms = fix_terms()
    if kernels is None:
        try:
            kernels = resources.folder("kernels")
        except AdvisorError:
            kernels = folders[0].parent / "kernels"
    base = load_base(folders, about)
    found: list[Mistake] = list(base.mistakes)
    found += check_metrics(base)
    tests, wrong = check_observations(base)
    found += wrong
    sound, wrong = check_rules(base, tests, references(base))
    found += wrong
    found += check_cites(base)
    found += check_findings(base, terms, exercises_in(kernels))
    found += check_words(base)
    timelines = timeline_base(base)
    found += check_libraries(base, terms, references(base))
    found += check_calls(base, terms, references(base))
    found += check_used(base, used_by_timelines(timelines) | library_observations(base))
    found += check_questions(base)
    found += check_quantities(base)
    found += check_units(base, terms)
    found += check_patches(base)
    found += check_partitions(base, tests)
    found += check_reachable(base, tests, sound)
    found += check_conditions(base, tests, sound, references(base))
    found += check_catalogue(base)
    if not any(m.severity == "error" and m.file.name == "classification.yaml" for m in found):
        found += check_examples(base, tests, sound)
    found += check_timelines(timelines)
    found += check_workloads(base, workload_terms(), exercises_in(kernels))
    return tuple(sorted(set(found)))


def run(folders: Sequence[Path], out: TextIO, own: Path | None = None) -> int:
    """Print each mistake as `file:line: severity: text`; return exit code 1 if one of them is an error, else 0.

    folders: team directories, checked together with our own knowledge (`own`, by default the installed one), whose
    mistakes are then not printed. If empty, check our own knowledge and the bundled exercises. A folder with a
    classification is not a team directory but a complete knowledge base, and is checked alone.
    """
    whole = [f for f in folders if (f / "classification.yaml").is_file() and not (f / "team.yaml").exists()]
    teams = [f for f in folders if f not in whole]
    # A complete knowledge base has a kernels folder next to it, like the bundled one.
    found = [m for base in whole for m in lint([base], kernels=base.resolve().parent / "kernels")]
    if teams or not folders:
        base = own or resources.folder("knowledge")
        shown = teams or [base]
        found += [m for m in lint([base, *teams], about=shown) if any(m.file.is_relative_to(f) for f in shown)]
    if not folders and own is None:
        found += _exercises(found)
    for mistake in found:
        out.write(f"{shown_line(mistake)}\n")
    return EXIT_CHECK_FAILED if any(m.severity == ERROR for m in found) else EXIT_DONE


def shown_line(mistake: Mistake) -> str:
    """Return the mistake on one line; escape unprintable characters, since a key may contain any character."""
    return printable(str(mistake).replace("\n", " "))


def _exercises(found: Sequence[Mistake]) -> list[Mistake]:
    """Return the mistakes in the bundled exercises; skip the check if the knowledge has errors."""
    if any(m.severity == ERROR for m in found):
        return []
    return [Mistake(f.file, f.line, f.text, ERROR) for f in faults(catalog())]
