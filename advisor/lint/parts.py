"""The rules of timelines, checked as those of kernels are: timeline/ and timeline_decisions.yaml.

The rules of typed-in workloads, knowledge/graphics/, checked as those of kernels are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

import msgspec

from advisor.knowledge.base import DECISIONS, TIMELINE_FOLDER, WORKLOAD_FOLDER
from advisor.knowledge.expressions import ExpressionError, parse
from advisor.knowledge.schemas import ClassDef, DiagnosisDef
from advisor.lint.base import Base, Mistake, Placed, load_base
from advisor.lint.entries import check_findings, check_used
from advisor.lint.examples import check_examples
from advisor.lint.names import check_cites, check_observations, check_rules, references
from advisor.lint.rules import check_partitions, check_reachable
from advisor.reasoning.engine.program import kind_of
from advisor.timeline.trace import TimelineWords

TIMELINE_SCOPE = "timeline"
WORDS = "timeline_words.yaml"


def timeline_base(whole: Base) -> Base | None:
    """The patterns and decisions of all folders with what they share with kernels; None where there are none.

    What cannot be read is among its `mistakes`, so it is loaded once.
    """
    base = Base(whole.folders, metrics=whole.metrics, sources=whole.sources, observations=whole.observations)
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
                    base.classes[str(key)] = Placed(
                        str(key), msgspec.structs.replace(entry, id=str(key)), document, (str(key),)
                    )
    base.mistakes += [m for d in base.documents for m in d.mistakes if id(m) not in known]
    return base if base.findings or base.broken else None


def check_timelines(base: Base | None) -> Iterator[Mistake]:
    """Every mistake in the knowledge about timelines, as `timeline_base` has loaded it."""
    if base is None:
        return
    yield from base.mistakes
    tests, _ = check_observations(base)  # their own mistakes are told once, with those of kernels
    terms = {name for name, entry in base.metrics.items() if entry.value.unit == "%"}
    yield from _entries(base)
    yield from check_findings(base, terms, None)
    # From here on the rules are looked at as if they were a launch's, which is what the engine does with them.
    base.findings = {
        name: replace(entry, value=msgspec.structs.replace(entry.value, scope="launch"))
        for name, entry in base.findings.items()
    }
    sound, wrong = check_rules(base, tests, references(base))
    yield from wrong
    yield from check_cites(base)
    yield from check_reachable(base, tests, sound)
    if not any(d.mistakes for d in base.documents):
        yield from check_examples(base, tests, sound)
    yield from _words(base)


def _entries(base: Base) -> Iterator[Mistake]:
    """What a pattern needs beyond a finding: the scope, examples of both kinds, a fix with its typical gain."""
    for entry in base.findings.values():
        value = entry.value
        if value.scope != TIMELINE_SCOPE:
            yield entry.mistake(f"the scope must be {TIMELINE_SCOPE}", "scope")
        for kind in ("fires", "silent"):
            if not getattr(value.examples, kind):
                yield entry.mistake(f"no example under {kind}", "examples", kind)
        if value.fix is None:
            yield entry.mistake("no fix", "fix")
            continue
        if not value.fix.typical:
            yield entry.mistake("the fix says nothing under typical", "fix", "typical")
        for part, factors in (("changes", value.fix.changes), ("degrees", value.fix.degrees)):
            for term, text in factors.items():
                yield from _factor(entry, part, term, text)


def _factor(entry: Placed[DiagnosisDef], part: str, term: str, text: str) -> Iterator[Mistake]:
    try:
        value = parse(text).scalar({})
    except ExpressionError:
        return  # told where fixes are checked
    if not 0 <= value <= 1:
        yield entry.mistake(f"{term}: what a fix leaves is a number from 0 to 1", "fix", part, term)


def _words(base: Base) -> Iterator[Mistake]:
    """The constants, names and parts: their shape, expressions that compile."""
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
                        f"{group}: {text!r} is no regular expression: {e}", "names", group, "any_of", at
                    )


def used_by_timelines(base: Base | None) -> set[str]:
    """The observations that patterns and decisions read."""
    if base is None:
        return set()
    found = {n for entry in base.findings.values() for rule in entry.value.seen for n in (*rule.when, *rule.unless)}
    return found | {n for entry in base.classes.values() for n in (*entry.value.when, *entry.value.unless)}


WORKLOAD_SCOPE = "workload"


def check_workloads(whole: Base, terms: Collection[str], exercises: Collection[str] | None) -> Iterator[Mistake]:
    """Every mistake in the folder `graphics` of our own knowledge; nothing where there is none.

    terms: what the fix of a workload may change. An exercise is not asked for, since no kernel of ours draws.
    """
    folder = whole.folders[0] / WORKLOAD_FOLDER
    if not folder.is_dir():
        return
    base = load_base([folder])
    base.metrics, base.sources = whole.metrics, whole.sources
    yield from base.mistakes
    tests, wrong = check_observations(base)
    yield from wrong
    for entry in base.findings.values():
        if entry.value.scope != WORKLOAD_SCOPE:
            yield entry.mistake(f"the scope must be {WORKLOAD_SCOPE}", "scope")
    yield from check_findings(base, terms, exercises)
    # From here on the rules are looked at as if they were a launch's, which is what the engine does with them.
    base.findings = {
        name: replace(entry, value=msgspec.structs.replace(entry.value, scope="launch"))
        for name, entry in base.findings.items()
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
    if not any(d.mistakes for d in base.documents):
        yield from check_examples(base, tests, sound)
