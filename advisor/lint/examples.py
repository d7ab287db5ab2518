"""Run examples of findings: the engine must conclude `fires`, and must not conclude `silent`; each rule needs both."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

import msgspec

from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN, Expression, ExpressionError, Test, parse
from advisor.knowledge.schemas import DiagnosisDef, FixDef, RuleDef, WordDef
from advisor.lint.base import ERROR, WARNING, Base, Mistake, Placed, placed
from advisor.lint.fixes import Keys, fix_cases, wrong_choice
from advisor.reasoning.engine.program import SECOND_PASS, kind_of
from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.engine.trace import Trace
from advisor.reasoning.observations import observe
from advisor.records.errors import KnowledgeError

Ruled = Placed[DiagnosisDef] | Placed[WordDef]


def check_examples(base: Base, tests: Mapping[str, Test], sound: Mapping[str, Sequence[RuleDef]]) -> Iterator[Mistake]:
    """Check each example as a launch with these metrics, metrics that formulas derive from them, and no others.

    An answer that a rule needs is assumed to be given. Rules that run after quantification are tested without what
    they read of it as `gain.…`. Each rule must fire in an example under `fires` and be refuted by one under `silent`.
    """
    import pandas as pd

    findings = {
        name: msgspec.structs.replace(
            entry.value, seen=tuple(sound[name]), fixes_given=_sound_fixes(entry.value, tests)
        )
        for name, entry in base.findings.items()
    }
    words = {name: msgspec.structs.replace(entry.value, seen=tuple(sound[name])) for name, entry in base.words.items()}
    observations = {name: base.observations[name].value for name in tests}
    catalog = base.catalog(findings, observations, words)
    cases: list[tuple[Ruled, str, int, dict[str, float]]] = []
    choices: list[tuple[Placed[DiagnosisDef], FixDef, Keys, dict[str, float]]] = []
    broken = _broken(base, sound)
    wrong: set[tuple[str, str]] = set()  # finding and kind: a wrong example is no evidence about its rules
    for finding in base.findings.values():
        if finding.value.scope == "launch" and finding.id not in broken and base.is_wanted(finding.document.path):
            choices += [(finding, *case) for case in fix_cases(base, finding)]
    for entry in base.ruled.values():
        if entry.value.scope != "launch" or entry.id in broken:
            continue
        for kind, examples in (("fires", entry.value.examples.fires), ("silent", entry.value.examples.silent)):
            for at, values in enumerate(examples):
                unknown = sorted(values.keys() - base.metrics.keys())
                for name in unknown:
                    yield entry.mistake(f"{name!r} is not a metric", "examples", kind, at, name)
                    wrong.add((entry.id, kind))
                if not unknown:
                    cases.append((entry, kind, at, values))
    read = {n for p in base.classes.values() for n in (*p.value.when, *p.value.unless)}
    if not cases or any(n not in tests for n in read if kind_of(n) == "observation"):
        return  # the engine needs its classes
    try:
        engine = Engine(catalog)
    except KnowledgeError as e:
        yield placed(e)
        return
    cases = [case for case in cases if base.is_wanted(case[0].document.path)]
    if not cases:
        return
    formulas = _formulas(base)
    values_of = [values for *_, values in cases] + [values for *_, values in choices]
    frame = pd.DataFrame([_derived(values, formulas) for values in values_of], dtype=float)
    observed = observe(frame, catalog)
    shown: dict[str, dict[str, set[str]]] = {}
    for row, (entry, kind, at, _) in enumerate(cases):
        rules, state = sound[entry.id], observed.state(row)
        fired = _fired(engine, entry.value, rules, state, kind)
        if bool(fired) != (kind == "fires"):
            text = "does not conclude it" if kind == "fires" else "concludes it"
            yield entry.mistake(f"the example {kind}[{at}] {text}", "examples", kind, at)
            wrong.add((entry.id, kind))
        decided = shown.setdefault(entry.id, {"fires": set(), "silent": set()})
        decided[kind] |= fired if kind == "fires" else _refuted(engine.conclude(state), rules, state)
    for row, (finding, fix, keys, _) in enumerate(choices, len(cases)):
        state = observed.state(row)
        # No gain is known: then the findings of the second pass are concluded too.
        traces = [engine.conclude(state, answers, {}) for answers in _answers(sound[finding.id], "fires")]
        if (wrong_fix := wrong_choice(findings[finding.id], fix, traces)) is not None:
            yield finding.mistake(wrong_fix, *keys)
    for name, decided in shown.items():
        sides = {kind: ids for kind, ids in decided.items() if (name, kind) not in wrong}
        yield from _unshown(base, name, sound[name], sides)


def _sound_fixes(entry: DiagnosisDef, tests: Collection[str]) -> tuple[FixDef, ...]:
    """Return the fixes whose observations have a valid test."""
    names = {fix.id: (*fix.when, *fix.unless) for fix in entry.fixes}
    return tuple(f for f in entry.fixes if all(kind_of(n) != "observation" or n in tests for n in names[f.id]))


def _unshown(
    base: Base, name: str, rules: Sequence[RuleDef], decided: Mapping[str, Collection[str]]
) -> Iterator[Mistake]:
    """Report rules that fire in no example, or that no example refutes; a team only gets warnings."""
    entry = base.ruled[name]
    examples = entry.value.examples
    severity = ERROR if entry.document.path.is_relative_to(base.folders[0]) else WARNING
    places = {rule.id: at for at, rule in enumerate(entry.value.seen)}
    for rule in rules:
        if not any(kind_of(n) == "observation" for n in (*rule.when, *rule.unless)):
            continue
        if examples.fires and rule.id not in decided.get("fires", (rule.id,)):
            text = f"{rule.id} fires in no example under fires"
            yield entry.mistake(text, "seen", places[rule.id], severity=severity)
        if examples.silent and rule.id not in decided.get("silent", (rule.id,)):
            text = f"{rule.id} is refuted by no example under silent, at most unknown"
            yield entry.mistake(text, "seen", places[rule.id], severity=severity)


def _formulas(base: Base) -> dict[str, Expression]:
    out = {}
    for name, entry in base.metrics.items():
        if entry.value.formula:
            with suppress(ExpressionError):
                out[name] = parse(entry.value.formula)
    return out


def _derived(values: Mapping[str, float], formulas: Mapping[str, Expression]) -> dict[str, float]:
    """Return the values and every metric that formulas derive from them; a given metric keeps its value."""
    out = dict(values)
    waiting = {name: f for name, f in formulas.items() if name not in out}
    while ready := [n for n, f in waiting.items() if f.names <= out.keys()]:
        for name in ready:
            out[name] = waiting.pop(name).scalar(out)
    return out


def _broken(base: Base, sound: Mapping[str, Sequence[RuleDef]]) -> set[str]:
    """Return findings with an invalid rule and findings that depend on them: their examples would appear wrong."""
    out = {name for name, entry in base.ruled.items() if len(sound[name]) < len(entry.value.seen)}
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


def _fired(
    engine: Engine, entry: DiagnosisDef | WordDef, rules: Sequence[RuleDef], state: Mapping[str, int], kind: str
) -> set[str]:
    """Return the rules of the entry that fire on an example."""
    if entry.step >= SECOND_PASS:
        trace = engine.conclude(state)
        return {rule.id for rule in rules if _holds(trace, rule, state)}
    ids = {rule.id for rule in rules}
    traces = [engine.conclude(state, answers) for answers in _answers(rules, kind)]
    return {fired.rule_id for trace in traces for fired in trace.fired} & ids


def _truth(trace: Trace, name: str, state: Mapping[str, int]) -> int:
    return state.get(name, UNKNOWN) if kind_of(name) == "observation" else trace.truth(name)


def _holds(trace: Trace, rule: RuleDef, state: Mapping[str, int]) -> bool:
    """Return whether a rule holds apart from answers and estimates; False for a rule without observations."""
    when = [n for n in rule.when if kind_of(n) not in ("answer", "gain")]
    unless = [n for n in rule.unless if kind_of(n) not in ("answer", "gain")]
    return (
        any(kind_of(n) == "observation" for n in when)
        and all(_truth(trace, n, state) == TRUE for n in when)
        and all(_truth(trace, n, state) != TRUE for n in unless)
    )


def _refuted(trace: Trace, rules: Sequence[RuleDef], state: Mapping[str, int]) -> set[str]:
    """Return the rules that a known condition prevents from firing; an unknown condition does not refute a rule."""
    return {
        rule.id
        for rule in rules
        if any(kind_of(n) != "gain" and _truth(trace, n, state) == FALSE for n in rule.when)
        or any(kind_of(n) != "gain" and _truth(trace, n, state) == TRUE for n in rule.unless)
    }
