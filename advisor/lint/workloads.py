"""The rules of typed-in workloads, knowledge/graphics/, checked as those of kernels are."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import msgspec

from advisor.catalog.workloads import FOLDER
from advisor.engine.program import kind_of
from advisor.lint.base import Base, load_base
from advisor.lint.entries import check_findings, check_used
from advisor.lint.examples import check_examples
from advisor.lint.mistake import Mistake
from advisor.lint.names import check_cites, check_observations, check_rules, references
from advisor.lint.rules import check_partitions, check_reachable

SCOPE = "workload"


def check_workloads(whole: Base, terms: Collection[str], exercises: Collection[str] | None) -> Iterator[Mistake]:
    """Every mistake in the folder `graphics` of our own knowledge; nothing where there is none.

    terms: what the fix of a workload may change. An exercise is not asked for, since no kernel of ours draws.
    """
    folder = whole.folders[0] / FOLDER
    if not folder.is_dir():
        return
    base = load_base([folder])
    base.metrics, base.sources = whole.metrics, whole.sources
    yield from base.mistakes
    tests, wrong = check_observations(base)
    yield from wrong
    for entry in base.findings.values():
        if entry.value.scope != SCOPE:
            yield entry.mistake(f"the scope must be {SCOPE}", "scope")
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
