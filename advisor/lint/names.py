"""Checks for undefined names: metrics in tests, formulas and texts, conditions of rules, and sources."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Protocol

from advisor.knowledge.expressions import ExpressionError, Test, parse, parse_test
from advisor.knowledge.schemas import DiagnosisDef, QuantityDef, RuleDef, WayDef, WordDef
from advisor.knowledge.texts import fields
from advisor.knowledge.units import UnitDef
from advisor.lint.base import Base, Mistake, Placed
from advisor.reasoning.engine.program import CLASS_STEP, UNDETERMINED, kind_of, reference_error, well_formed

# Columns of the data frame that contain text.
LABELS = frozenset(
    {
        *("compute_leader", "memory_leader", "sm_leader", "stall_leader", "occupancy_limiter", "shared_passes"),
        *("kernel", "gpu_name", "cc"),
    }
)


class StepError(Protocol):
    """The engine's error text for a name in a rule of a step, which may conclude a word; None if it is valid."""

    def __call__(self, name: str, step: int, concludes: str = "") -> str | None:
        """Return the mistake."""


def check_metrics(base: Base) -> Iterator[Mistake]:
    """Report metrics whose formulas cannot be parsed, name an unknown metric or depend on themselves."""
    inputs: dict[str, frozenset[str]] = {}
    for entry in base.metrics.values():
        if not well_formed(entry.id) or "." in entry.id:
            yield entry.mistake("is not a metric id: use lower-case letters, digits and single underscores")
        if not entry.value.formula:
            continue
        try:
            inputs[entry.id] = parse(entry.value.formula).names
        except ExpressionError as e:
            yield entry.mistake(str(e), "formula")
            continue
        yield from _unknown(base, entry, inputs[entry.id], "formula")
    for name in inputs:
        if _reaches(inputs, name, name, set()):
            yield base.metrics[name].mistake("its formula depends on itself", "formula")


def _reaches(inputs: dict[str, frozenset[str]], start: str, goal: str, seen: set[str]) -> bool:
    for name in inputs.get(start, ()):
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            if _reaches(inputs, name, goal, seen):
                return True
    return False


def _unknown(base: Base, entry: Placed[Any], names: frozenset[str], *keys: str | int) -> Iterator[Mistake]:
    for name in sorted(names - base.metrics.keys()):
        yield entry.mistake(f"{name!r} is not a metric", *keys)


def check_observations(base: Base) -> tuple[dict[str, Test], list[Mistake]]:
    """Return the parsed tests of valid observations, and the mistakes in the others."""
    tests: dict[str, Test] = {}
    out: list[Mistake] = []
    for entry in base.observations.values():
        if not well_formed(entry.id) or kind_of(entry.id) != "observation":
            out.append(entry.mistake("is not a valid id in a rule"))
        try:
            test = parse_test(entry.value.test)
        except ExpressionError as e:
            out.append(entry.mistake(str(e), "test"))
            continue
        wrong = list(_unknown(base, entry, test.names, "test"))
        wrong += [
            # Evidence shows the left side as the value, and the right side as the threshold.
            entry.mistake(f"write the metric on the left of {c.op}, not {c.left.text!r}", "test")
            for c in test.comparisons
            if not c.left.names
        ]
        out += wrong
        if not wrong:
            tests[entry.id] = test
        out += check_text(base, entry, entry.value.says, "says")
        if not entry.value.says:
            out.append(entry.mistake("says is empty", "says"))
    return tests, out


def check_text(base: Base, entry: Placed[Any], text: str, *keys: str | int) -> Iterator[Mistake]:
    """Check a text whose fields the values of a launch fill: each field must be a metric or a named value."""
    try:
        names = fields(text)
    except ValueError as e:
        yield entry.mistake(str(e), *keys)
        return
    for name in sorted(names - base.metrics.keys() - LABELS):
        yield entry.mistake(f"the text names {name!r}, which is not a metric", *keys)


def check_rules(
    base: Base, tests: Mapping[str, Test], step_error: StepError
) -> tuple[dict[str, list[RuleDef]], list[Mistake]]:
    """Return the valid rules of each finding, and the mistakes in the others. `step_error`: see `references`.

    A rule on an observation with an invalid test is invalid too, but the mistake is reported only once.
    """
    out: list[Mistake] = []
    taken: dict[str, str] = {}
    sound: dict[str, list[RuleDef]] = {}
    for entry in base.ruled.values():
        sound[entry.id] = []
        if not well_formed(entry.id):
            out.append(entry.mistake("is not a valid id in a rule", "id"))
        if not 1 <= entry.value.step <= 9:
            out.append(entry.mistake(f"step {entry.value.step} is not between 1 and 9", "step"))
        for at, rule in enumerate(entry.value.seen):
            wrong = list(_rule(base, entry, rule, at, step_error))
            if not rule.id.startswith(f"{entry.id}.") or not well_formed(rule.id):
                wrong.append(entry.mistake(f"the rule's id {rule.id!r} must begin with {entry.id}.", "seen", at, "id"))
            elif rule.id in taken:
                wrong.append(entry.mistake(f"the rule's id {rule.id!r} is taken in {taken[rule.id]}", "seen", at, "id"))
            taken.setdefault(rule.id, entry.id)
            out += wrong
            names = (*rule.when, *rule.unless)
            broken = any(base.is_broken(n) or (kind_of(n) == "observation" and n not in tests) for n in names)
            if not wrong and not broken and entry.value.scope == "launch":
                sound[entry.id].append(rule)
    for placed in base.classes.values():
        for part, listed in (("when", placed.value.when), ("unless", placed.value.unless)):
            for name in listed:
                if (text := step_error(name, CLASS_STEP, f"class.{placed.id}")) is not None:
                    out.append(placed.mistake(text, part))
        for name in sorted(set(placed.value.when) & set(placed.value.unless)):
            out.append(placed.mistake(f"{name!r} is listed under both when and unless", "unless"))
        if not placed.value.when and f"class.{placed.id}" != UNDETERMINED:
            out.append(placed.mistake("a class needs conditions under when", "when"))
        out += check_text(base, placed, placed.value.because, "because")
        if placed.value.plain:
            out += _plain_test(base, placed)
    if base.classes and UNDETERMINED.removeprefix("class.") not in base.classes:
        first = next(iter(base.classes.values()))
        out.append(first.document.mistake("the class 'undetermined' is missing: it applies if no other class does"))
    return sound, out


def _plain_test(base: Base, entry: Placed[Any]) -> Iterator[Mistake]:
    try:
        yield from _unknown(base, entry, parse_test(entry.value.plain).names, "plain")
    except ExpressionError as e:
        yield entry.mistake(str(e), "plain")


def _rule(
    base: Base,
    entry: Placed[DiagnosisDef] | Placed[WordDef],
    rule: RuleDef,
    at: int,
    step_error: StepError,
) -> Iterator[Mistake]:
    for part, names in (("when", rule.when), ("unless", rule.unless)):
        for name in names:
            if (text := step_error(name, entry.value.step, entry.id)) is not None and entry.value.scope == "launch":
                yield entry.mistake(f"{rule.id}: {text}", "seen", at, part)
    for name in sorted(set(rule.when) & set(rule.unless)):
        yield entry.mistake(f"{rule.id}: {name!r} is listed under both when and unless", "seen", at, "unless")
    if not rule.when and not rule.unless:
        yield entry.mistake(f"{rule.id}: no conditions under when or unless: it would always fire", "seen", at)
    if not rule.because:
        yield entry.mistake(f"{rule.id}: because is empty", "seen", at, "because")
    yield from check_text(base, entry, rule.because, "seen", at, "because")


def references(base: Base) -> StepError:
    """Return a function that gives the engine's error text for a name in a rule, or None if it is valid."""
    catalog = base.catalog(
        {k: p.value for k, p in base.findings.items()}, {k: p.value for k, p in base.observations.items()}
    )

    def error(name: str, step: int, concludes: str = "") -> str | None:
        return None if base.is_broken(name) else reference_error(catalog, name, step, concludes)

    return error


def check_quantities(base: Base) -> Iterator[Mistake]:
    """Report formulas of step 3 that cannot be computed, bound no finding that exists, or have no page in `explain`."""
    for entry in base.quantities.values():
        value = entry.value
        if not well_formed(entry.id) or "." in entry.id:
            yield entry.mistake("is no id for a quantity: lower-case letters, digits and single underscores")
        for part in ("title", "what", "formula", "example", "ways"):
            if not getattr(value, part):
                yield entry.mistake(f"nothing under {part}", part)
        for name in value.bounds:
            if name not in base.findings and not base.is_broken(name):
                yield entry.mistake(f"{name!r} is not a finding", "bounds")
        if value.otherwise:
            yield from _unknown(base, entry, parse(value.otherwise).names, "otherwise")
            yield from _unknown(base, entry, fields(value.otherwise_assumes), "otherwise_assumes")
        if value.bounds and not any(way.at_most for way in value.ways):
            yield entry.mistake("bounds findings, but no way says at_most", "bounds")
        yield from _observed(base, entry, value.holds, "holds")
        for name in value.classes:
            if name not in base.classes and not base.is_broken(f"class.{name}"):
                yield entry.mistake(f"{name!r} is not a class", "classes")
        for at, way in enumerate(value.ways):
            yield from _way(base, entry, way, at)


def _observed(base: Base, entry: Placed[QuantityDef], names: Collection[str], *keys: str | int) -> Iterator[Mistake]:
    for name in names:
        if name not in base.observations and not base.is_broken(name):
            yield entry.mistake(f"{name!r} is not an observation", *keys)


def _way(base: Base, entry: Placed[QuantityDef], way: WayDef, at: int) -> Iterator[Mistake]:
    yield from _observed(base, entry, way.when, "ways", at, "when")
    yield from _observed(base, entry, way.unless, "ways", at, "unless")
    for key, text in (*(("let", text) for text in way.let.values()), ("share", way.share), ("at_most", way.at_most)):
        if not text:
            continue
        try:
            names = parse(text).names
        except ExpressionError as e:
            yield entry.mistake(str(e), "ways", at, key)
            continue
        yield from _unknown(base, entry, names - way.let.keys(), "ways", at, key)
    for name in sorted(way.let.keys() & base.metrics.keys()):
        yield entry.mistake(f"{name!r} is already a metric", "ways", at, "let")
    made = {*way.let, *(["share"] if way.share else [])}
    try:
        wanted = fields(way.says)
    except ValueError as e:
        yield entry.mistake(str(e), "ways", at, "says")
        return
    for name in sorted(wanted - made - base.metrics.keys() - LABELS):
        yield entry.mistake(f"{{{name}}} is neither a metric nor a number of this way", "ways", at, "says")


def check_cites(base: Base) -> Iterator[Mistake]:
    """Report citations of unknown sources in every file, and entries without citations."""
    for document in base.documents:
        for key, line in document.scalars("cites"):
            if not base.cited(key):
                yield Mistake(document.path, line, f"{key!r} is not a place in sources.yaml")
    for group in (base.observations, base.classes, base.findings, base.words, base.quantities):
        for entry in group.values():
            if not entry.value.cites:
                yield entry.mistake("cites is missing: every entry needs a source")


def check_units(base: Base, terms: Collection[str]) -> Iterator[Mistake]:
    """Report units in units.yaml that are not metrics, or whose whole or term does not exist."""
    document = base.document("units.yaml")
    if document is None:
        return
    for name, raw in document.raw.items():
        unit = document.convert(raw, UnitDef, name)
        if unit is None:
            yield document.mistakes[-1]
            continue
        if name not in base.metrics:
            yield document.mistake(f"{name!r} is not a metric", name)
        if unit.part_of and unit.part_of not in document.raw:
            yield document.mistake(f"{name}: {unit.part_of!r} is not a unit", name, "part_of")
        if unit.term and unit.term not in terms:
            yield document.mistake(f"{name}: {unit.term!r} is not a term of the time model", name, "term")
