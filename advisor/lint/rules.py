"""Rules that can never fire, and groups of observations that do not divide all values among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from advisor.knowledge.expressions import Test
from advisor.knowledge.schemas import RuleDef
from advisor.lint.base import WARNING, Base, Mistake
from advisor.lint.logic import Formula, Junction, TooManyCases, find_values, formula, is_linear, possible, surely_known
from advisor.reasoning.engine.program import kind_of


def check_reachable(base: Base, tests: Mapping[str, Test], sound: Mapping[str, Sequence[RuleDef]]) -> Iterator[Mistake]:
    """Rules and classes whose conditions exclude each other on every set of values."""
    for finding, rules in sound.items():
        entry = base.findings[finding]
        positions = {rule.id: at for at, rule in enumerate(entry.value.seen)}
        for rule in rules:
            said = _never(base, tests, sound, rule.when, rule.unless)
            if said is not None:
                yield entry.mistake(
                    f"{rule.id} can never fire: {said[0]}", "seen", positions[rule.id], severity=said[1]
                )
    for placed in base.classes.values():
        said = _never(base, tests, sound, placed.value.when, placed.value.unless)
        if said is not None:
            yield placed.mistake(f"can never hold: {said[0]}", "when", severity=said[1])


def _never(
    base: Base,
    tests: Mapping[str, Test],
    sound: Mapping[str, Sequence[RuleDef]],
    when: Sequence[str],
    unless: Sequence[str],
) -> tuple[str, str] | None:
    """Why the conditions cannot be met, and how bad that is; None when they can, or when nobody can tell."""
    parts = [(name, f) for name in when if (f := _needed(base, tests, sound, name)) is not None]
    # What blocks a rule must be true: an unknown metric keeps it from that, so only known ones constrain.
    known = frozenset[str]().union(*(surely_known(tests[n]) for n in when if n in tests))
    parts += [(f"not {name}", formula(tests[name], False, known)) for name in unless if name in tests]
    try:
        if possible([f for _, f in parts]) is None:
            for size in (1, 2, 3):
                for some in combinations(parts, size):
                    if possible([f for _, f in some]) is None:
                        names = " and ".join(name for name, _ in some)
                        return (f"{names} exclude each other" if size > 1 else f"{names} holds for no value"), "error"
            return "its conditions exclude each other", "error"
    except TooManyCases:
        return None
    true = [tests[n] for n in when if n in tests]
    false = [tests[n] for n in unless if n in tests and tests[n].names <= known]
    if all(is_linear(t) for t in (*true, *false)) or find_values(true, false) is not None:
        return None
    return "no values were found that meet its conditions; an example under fires would prove the contrary", WARNING


def _needed(base: Base, tests: Mapping[str, Test], sound: Mapping[str, Sequence[RuleDef]], name: str) -> Formula | None:
    """What must hold of the metrics for a `when` to be true; None where that says nothing about them."""
    if name in tests:
        return formula(tests[name])
    rest = name.partition(".")[2]
    if kind_of(name) == "class" and rest in base.classes:
        return _every(base, tests, sound, base.classes[rest].value.when)
    if kind_of(name) == "found":
        ways = [_every(base, tests, sound, rule.when) for rule in sound.get(rest, ())]
        known = [w for w in ways if w is not None]
        return Junction(False, tuple(known)) if known and len(known) == len(ways) else None
    return None


def _every(
    base: Base, tests: Mapping[str, Test], sound: Mapping[str, Sequence[RuleDef]], names: Sequence[str]
) -> Formula | None:
    parts = [p for n in names if (p := _needed(base, tests, sound, n)) is not None]
    return Junction(True, tuple(parts)) if parts else None


def check_partitions(base: Base, tests: Mapping[str, Test]) -> Iterator[Mistake]:
    """Groups of observations of which not exactly one holds everywhere, with values that show it."""
    groups: dict[str, list[str]] = {}
    for entry in base.observations.values():
        if entry.value.partition:
            groups.setdefault(entry.value.partition, []).append(entry.id)
    for group, members in groups.items():
        last = base.observations[members[-1]]
        if len(members) < 2:
            yield last.mistake(f"the partition {group!r} has one member: it needs at least two", "partition")
            continue
        if any(m not in tests for m in members):
            continue  # its test is already a mistake
        complete = not any(d.mistakes for d in base.documents if d.path.parent.name == "observations")
        try:
            for one, other in combinations(members, 2):
                both = possible([formula(tests[one]), formula(tests[other])])
                if both is not None:
                    text = f"partition {group!r}: {one} also holds{_at(both)}"
                    yield base.observations[other].mistake(text, "test")
            gap = possible([formula(tests[m], False) for m in members])
            if gap is not None and complete:
                yield last.mistake(f"partition {group!r}: none of its members holds{_at(gap)}", "partition")
        except TooManyCases:
            yield last.mistake(f"partition {group!r}: too many cases to prove; write its tests simpler", "partition")


def _at(values: Mapping[str, object]) -> str:
    shown = ", ".join(f"{name} = {float(value):g}" for name, value in sorted(values.items()))  # type: ignore[arg-type]
    return f" at {shown}" if shown else ""
