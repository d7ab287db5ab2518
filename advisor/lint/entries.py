"""Checks for missing parts of entries: rules, fixes, examples, exercises, users, and ids of the catalogue."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from advisor.knowledge.base import WORKLOAD_FOLDER
from advisor.knowledge.schemas import DiagnosisDef
from advisor.lint.base import ERROR, INFO, WARNING, Base, Mistake, Placed
from advisor.lint.fixes import check_fixes, placed_fixes
from advisor.reasoning.engine.program import kind_of
from advisor.source.measures import MEASURES

_FIELD = re.compile(r"\{([a-z][a-z0-9_]*)(?::[^{}]*)?\}")


class CatalogueDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """catalogue.yaml: the fixed ids, and the ids that must exist now."""

    classes: tuple[str, ...] = ()
    diagnoses: tuple[str, ...] = ()
    workload: tuple[str, ...] = ()
    trust: tuple[str, ...] = ()
    timeline: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    required_now: tuple[str, ...] = ()


def check_findings(base: Base, terms: Collection[str] | None, exercises: Collection[str] | None) -> Iterator[Mistake]:
    """Check findings. terms: of the time model; exercises: existing ones, or None if there are none (then warn)."""
    for entry in base.findings.values():
        value = entry.value
        yield from _page(base, entry)
        if not value.seen:
            yield entry.mistake("no rule concludes this finding", "seen")
        if value.scope == "launch":
            yield from _examples(entry)
        yield from check_fixes(base, entry, terms)
        if value.kind == "diagnosis" and value.scope == "launch":
            yield from _exercise(base, entry, exercises)
        for at, name in enumerate(value.explains):
            if name not in base.observations:
                yield entry.mistake(f"{name!r} is not an observation", "explains", at)
        for field, names in (("after", value.after), ("precedes", value.precedes)):
            for at, name in enumerate(names):
                if name not in base.findings:
                    yield entry.mistake(f"{name!r} is not a finding", field, at)
        if value.locate and value.locate not in MEASURES:
            yield entry.mistake(f"{value.locate!r} is not a measure of the code: {', '.join(MEASURES)}", "locate")
        yield from _unfilled(base, entry)


def check_words(base: Base) -> Iterator[Mistake]:
    """Check the conclusions of napkin math and quantification: their rules, examples, and what they suggest.

    Advice rests on findings, which no example of a few metrics concludes.
    """
    for entry in base.words.values():
        value = entry.value
        if not value.seen:
            yield entry.mistake("no rule concludes it", "seen")
        for kind in ("fires", "silent") if value.area != "advice" else ():
            if not getattr(value.examples, kind):
                yield entry.mistake(f"no example under {kind}", "examples", kind)
        if value.suggests and value.suggests not in base.findings and value.suggests not in base.broken:
            yield entry.mistake(f"suggests {value.suggests!r}, which is not a diagnosis", "suggests")


def _page(base: Base, entry: Placed[DiagnosisDef]) -> Iterator[Mistake]:
    """Check the fields that `explain` needs. A team only gets warnings, except for a missing title or meaning."""
    value = entry.value
    for part in ("title", "what"):
        if not getattr(value, part):
            yield entry.mistake(f"{part} is empty", part)
    severity = ERROR if entry.document.path.is_relative_to(base.folders[0]) else WARNING
    for part in ("why", "misleads"):
        if not getattr(value, part):
            yield entry.mistake(f"{part} is empty", part, severity=severity)


def _observes(entry: Placed[DiagnosisDef]) -> bool:
    """Return whether any rule reads a number; otherwise no launch can serve as an example."""
    return any(kind_of(n) == "observation" for rule in entry.value.seen for n in (*rule.when, *rule.unless))


def _examples(entry: Placed[DiagnosisDef]) -> Iterator[Mistake]:
    if not _observes(entry):
        return
    for kind in ("fires", "silent"):
        if not getattr(entry.value.examples, kind):
            yield entry.mistake(f"no example under {kind}", "examples", kind)


def _exercise(base: Base, entry: Placed[DiagnosisDef], exercises: Collection[str] | None) -> Iterator[Mistake]:
    """Report a missing exercise; only warn if no exercises exist, or for a team, which has no exercises."""
    name, ours = entry.value.exercise, entry.document.path.is_relative_to(base.folders[0])
    severity = ERROR if exercises is not None and ours else WARNING
    if not name and _observes(entry):
        yield entry.mistake("the exercise is missing", "exercise", severity=severity)
    named = [(name, ("exercise",)), *((fix.exercise, (*keys, "exercise")) for fix, keys in placed_fixes(entry.value))]
    for one, keys in named:
        if one and (exercises is None or one not in exercises):
            yield entry.mistake(f"there is no exercise {one!r}", *keys, severity=severity)


def _unfilled(base: Base, entry: Placed[DiagnosisDef]) -> Iterator[Mistake]:
    """Report fields in texts that are never filled: only `says` and `because` are about one launch."""
    value = entry.value
    texts: list[tuple[str, tuple[str | int, ...]]] = [
        (value.title, ("title",)),
        (value.what, ("what",)),
        (value.why, ("why",)),
        (value.misleads, ("misleads",)),
    ]
    for text, keys in texts:
        for name in sorted(set(_FIELD.findall(text)) & base.metrics.keys()):
            yield entry.mistake(f"{{{name}}} is not replaced in this text", *keys)


def check_used(base: Base, elsewhere: Collection[str] = ()) -> Iterator[Mistake]:
    """Report observations that no rule, class, symptom or quantity names, unless others of their partition are used.

    elsewhere: observations that rules of another scope name.
    """
    if any(d.mistakes for d in base.documents):
        return  # an unreadable entry may use the observation
    used = set(elsewhere) | {n for p in base.classes.values() for n in (*p.value.when, *p.value.unless)}
    for finding in base.findings.values():
        used |= set(finding.value.explains)
        used |= {n for rule in finding.value.seen for n in (*rule.when, *rule.unless)}
        used |= {n for fix in finding.value.fixes for n in (*fix.when, *fix.unless, *fix.done)}
    used |= {n for word in base.words.values() for rule in word.value.seen for n in (*rule.when, *rule.unless)}
    for quantity in base.quantities.values():
        used |= {*quantity.value.holds, *(n for way in quantity.value.ways for n in (*way.when, *way.unless))}
    groups = {base.observations[n].value.partition for n in used if n in base.observations} - {""}
    for entry in base.observations.values():
        if entry.id not in used and entry.value.partition not in groups:
            yield entry.mistake("no rule uses this observation")


def check_questions(base: Base) -> Iterator[Mistake]:
    """Report questions that set no metric, offer no choice, or have an invalid range."""
    for entry in base.questions.values():
        value = entry.value
        if not value.ask:
            yield entry.mistake("ask is empty", "ask")
        if value.kind == "number" and value.sets not in base.metrics:
            yield entry.mistake(f"sets {value.sets!r}, which is not a metric", "sets")
        if value.kind == "choice" and len(value.choices) < 2:
            yield entry.mistake("a choice needs at least two choices", "choices")
        if value.low is not None and value.high is not None and value.low >= value.high:
            yield entry.mistake("low must be below high", "low")


def check_catalogue(base: Base) -> Iterator[Mistake]:
    """Report missing ids of the catalogue: an error if the id is required now, else information."""
    document = base.document("catalogue.yaml")
    if document is None:
        return
    listed = document.convert(document.raw, CatalogueDef)
    if listed is None:
        yield document.mistakes[-1]
        return
    by_scope = {
        "classes": set(base.classes),
        "diagnoses": {k for k, p in base.findings.items() if p.value.scope == "launch" and p.value.kind != "trust"},
        "workload": {
            d.path.stem for d in base.documents if d.path.parent == base.folders[0] / WORKLOAD_FOLDER / "diagnoses"
        },
        "trust": {k for k, p in base.findings.items() if p.value.kind == "trust"},
        "timeline": {d.path.stem for d in base.documents if d.path.parent == base.folders[0] / "timeline"},
    }
    there = set().union(*by_scope.values())
    promised = {id_ for group in by_scope for id_ in getattr(listed, group)}
    for at, name in enumerate(listed.required_now):
        if name not in promised:
            yield document.mistake(f"{name!r} is required but not listed", "required_now", at)
        elif name not in there | base.broken:
            yield document.mistake(f"{name!r} is required but missing", "required_now", at)
    for group, found in by_scope.items():
        absent = [n for n in getattr(listed, group) if n not in found | base.broken and n not in listed.required_now]
        if absent:
            yield document.mistake(f"not written yet: {', '.join(absent)}", group, severity=INFO)


def exercises_in(kernels: Path) -> frozenset[str] | None:
    """Return the exercises of a kernels/ folder, or None if it has none."""
    names = frozenset(path.parent.name for path in kernels.glob("*/exercise.yaml"))
    return names or None
