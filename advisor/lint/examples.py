"""Examples of findings, put to the engine: `fires` must conclude the finding, `silent` must not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

import msgspec

from advisor.catalog.expressions import TRUE, Expression, ExpressionError, Test, parse
from advisor.catalog.schemas import DiagnosisDef, RuleDef
from advisor.engine.program import SECOND_PASS, kind_of
from advisor.engine.reason import Engine
from advisor.errors import KnowledgeError
from advisor.lint.base import Base, Placed
from advisor.lint.document import placed
from advisor.lint.mistake import Mistake
from advisor.observe import Observed, observe


def check_examples(base: Base, tests: Mapping[str, Test], sound: Mapping[str, Sequence[RuleDef]]) -> Iterator[Mistake]:
    """Each example as a launch that has these metrics, what formulas make of them, and no others.

    A choice that a rule needs is taken as made. Of rules after the quantification only the observations are tested:
    the words that they also need come from the time model.
    """
    import pandas as pd

    findings = {
        name: msgspec.structs.replace(entry.value, seen=tuple(sound[name])) for name, entry in base.findings.items()
    }
    observations = {name: base.observations[name].value for name in tests}
    catalog = base.catalog(findings, observations)
    cases: list[tuple[Placed[DiagnosisDef], str, int, dict[str, float]]] = []
    broken = _broken(base, sound)
    for entry in base.findings.values():
        if entry.value.scope != "launch" or entry.id in broken:
            continue
        for kind, examples in (("fires", entry.value.examples.fires), ("silent", entry.value.examples.silent)):
            for at, values in enumerate(examples):
                unknown = sorted(values.keys() - base.metrics.keys())
                for name in unknown:
                    yield entry.mistake(f"{name!r} is not a metric", "examples", kind, at, name)
                if not unknown:
                    cases.append((entry, kind, at, values))
    read = {n for p in base.classes.values() for n in (*p.value.when, *p.value.unless)}
    if not cases or any(n not in tests for n in read if kind_of(n) == "observation"):
        return  # without its classes the engine cannot be asked
    formulas = _formulas(base)
    frame = pd.DataFrame([_derived(values, formulas) for *_, values in cases], dtype=float)
    observed = observe(frame, catalog)
    try:
        engine = Engine(catalog)
    except KnowledgeError as e:
        yield placed(e)
        return
    for row, (entry, kind, at, _) in enumerate(cases):
        rules = sound[entry.id]
        if entry.value.step >= SECOND_PASS:
            concluded = any(_observed(rule, tests, observed, row) for rule in rules)
        else:
            concluded = any(_concluded(engine, observed, row, entry.id, a) for a in _answers(rules, kind))
        if concluded != (kind == "fires"):
            text = "does not conclude it" if kind == "fires" else "concludes it"
            yield entry.mistake(f"the example {kind}[{at}] {text}", "examples", kind, at)


def _formulas(base: Base) -> dict[str, Expression]:
    out = {}
    for name, entry in base.metrics.items():
        if entry.value.formula:
            with suppress(ExpressionError):
                out[name] = parse(entry.value.formula)
    return out


def _derived(values: Mapping[str, float], formulas: Mapping[str, Expression]) -> dict[str, float]:
    """The values and every metric that a formula gives from them; a metric given directly stays as it is."""
    out = dict(values)
    waiting = {name: f for name, f in formulas.items() if name not in out}
    while ready := [n for n, f in waiting.items() if f.names <= out.keys()]:
        for name in ready:
            out[name] = waiting.pop(name).scalar(out)
    return out


def _broken(base: Base, sound: Mapping[str, Sequence[RuleDef]]) -> set[str]:
    """Findings with a rule that is itself a mistake, and those that look at them: their examples would look wrong."""
    out = {name for name, entry in base.findings.items() if len(sound[name]) < len(entry.value.seen)}
    while True:
        more = {
            name
            for name, rules in sound.items()
            if any(n.removeprefix("found.") in out for rule in rules for n in (*rule.when, *rule.unless))
        }
        if more <= out:
            return out
        out |= more


def _answers(rules: Sequence[RuleDef], kind: str) -> list[frozenset[str]]:
    needed = [frozenset(n for n in rule.when if n.startswith("answer.")) for rule in rules]
    return list(dict.fromkeys(chain([frozenset()], needed if kind == "fires" else [])))


def _concluded(engine: Engine, observed: Observed, row: int, finding: str, answers: frozenset[str]) -> bool:
    return finding in engine.conclude(observed.state(row), answers).findings


def _observed(rule: RuleDef, tests: Mapping[str, Test], observed: Observed, row: int) -> bool:
    """Whether the rule's observations allow it; a rule without any says nothing about an example."""
    state = observed.state(row)
    when = [n for n in rule.when if n in tests]
    unless = [n for n in rule.unless if n in tests]
    return bool(when) and all(state[n] == TRUE for n in when) and all(state[n] != TRUE for n in unless)
