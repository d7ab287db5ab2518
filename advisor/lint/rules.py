"""Checks for rules that can never fire, and for partitions whose observations overlap or leave gaps.

Tests become and/or of linear inequalities: min, max and abs split into cases, and a nonlinear part (a product, a ratio,
log2, floor, ceil) becomes a separate variable. This only adds possibilities, so "never" is certain and "possible"
is valid for the linear part. Fourier-Motzkin elimination in exact fractions decides conjunctions. If it cannot
decide, random sampling with repair searches for values.
"""

from __future__ import annotations

import ast
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from msgspec import Struct

from advisor.knowledge.expressions import FUNCTIONS, TRUE, Expression, Test
from advisor.knowledge.schemas import RuleDef
from advisor.lint.base import WARNING, Base, Mistake
from advisor.reasoning.engine.program import kind_of
from advisor.reasoning.what_if import turning_point

_TRIES = 24
_REPAIRS = 40


def find_values(true: Sequence[Test], false: Sequence[Test], seed: int = 0) -> dict[str, float] | None:
    """Find non-negative values for which all of `true` hold and none of `false`; return None if none were found.

    Each try starts from random magnitudes and repairs one wrong test at a time: it moves one of the test's metrics
    just beyond a value at which a comparison flips, and chooses the move that leaves the fewest wrong tests.
    """
    draw = random.Random(seed)
    wanted = [(t, True) for t in true] + [(t, False) for t in false]
    names = sorted({n for t, _ in wanted for n in t.names})

    def wrong(values: dict[str, float]) -> list[Test]:
        return [t for t, holds in wanted if (t.truth(values) == TRUE) != holds]

    for _ in range(_TRIES):
        values = {n: round(10 ** draw.uniform(-2, 8), 3) for n in names}
        for _ in range(_REPAIRS):
            bad = wrong(values)
            if not bad:
                return values
            moves = _moves(draw.choice(bad), values)
            if not moves:
                break
            values = draw.choice(moves) if draw.random() < 0.2 else min(moves, key=lambda m: len(wrong(m)))
    return None


def _moves(test: Test, values: dict[str, float]) -> list[dict[str, float]]:
    out = []
    for comparison in test.comparisons:
        for metric in sorted(comparison.left.names | comparison.right.names):
            turn = turning_point(comparison, metric, values, math.inf)
            if turn is not None and turn[1] >= 0:
                out.append({**values, metric: turn[1]})
    return out


_MOST_CASES = 4000
_MOST_INEQUALITIES = 1500
_FLIP: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}


class TooManyCases(Exception):  # noqa: N818 - an outcome, not an error
    """Raised if a question splits into too many cases to decide."""


class Linear(Struct, frozen=True):
    """A linear expression: the sum of `terms` (name and coefficient, sorted) and a constant."""

    terms: tuple[tuple[str, Fraction], ...]
    constant: Fraction = Fraction(0)

    def plus(self, other: Linear) -> Linear:
        """Return the sum of two linear expressions."""
        out = dict(self.terms)
        for name, factor in other.terms:
            out[name] = out.get(name, Fraction(0)) + factor
        return Linear(tuple(sorted((n, f) for n, f in out.items() if f)), self.constant + other.constant)

    def times(self, factor: Fraction) -> Linear:
        """Return this expression multiplied by a factor."""
        if not factor:
            return Linear(())
        return Linear(tuple((n, f * factor) for n, f in self.terms), self.constant * factor)


class Cases(Struct, frozen=True):
    """The largest (or smallest) of several terms."""

    largest: bool
    parts: tuple[Term, ...]


Term = Linear | Cases


class Inequality(Struct, frozen=True):
    """The inequality linear > 0 or linear >= 0."""

    linear: Linear
    strict: bool


class Junction(Struct, frozen=True):
    """A conjunction (all parts hold) or a disjunction (at least one part holds)."""

    every: bool
    parts: tuple[Formula, ...]


Formula = Inequality | Junction


def _add(a: Term, b: Term) -> Term:
    if isinstance(a, Cases):
        return Cases(a.largest, tuple(_add(p, b) for p in a.parts))
    if isinstance(b, Cases):
        return Cases(b.largest, tuple(_add(a, p) for p in b.parts))
    return a.plus(b)


def _scale(a: Term, factor: Fraction) -> Term:
    if isinstance(a, Cases):
        return Cases(a.largest == (factor >= 0), tuple(_scale(p, factor) for p in a.parts))
    return a.times(factor)


def _constant(node: ast.expr) -> Fraction | None:
    if any(isinstance(n, ast.Name) and n.id not in FUNCTIONS for n in ast.walk(node)):
        return None
    if isinstance(node, ast.Constant):
        return Fraction(str(node.value))
    value = Expression("", frozenset(), node).scalar({})
    return Fraction(str(value)) if value == value else None


def _term(node: ast.expr) -> Term:
    """Convert an expression of the grammar to cases of linear terms; a nonlinear part becomes a separate variable."""
    constant = _constant(node)
    if constant is not None:
        return Linear((), constant)
    if isinstance(node, ast.Name):
        return Linear(((node.id, Fraction(1)),))
    if isinstance(node, ast.UnaryOp):
        return _scale(_term(node.operand), Fraction(-1))
    if isinstance(node, ast.BinOp):
        left, right = _constant(node.left), _constant(node.right)
        if isinstance(node.op, ast.Add):
            return _add(_term(node.left), _term(node.right))
        if isinstance(node.op, ast.Sub):
            return _add(_term(node.left), _scale(_term(node.right), Fraction(-1)))
        if isinstance(node.op, ast.Mult) and left is not None:
            return _scale(_term(node.right), left)
        if isinstance(node.op, ast.Mult) and right is not None:
            return _scale(_term(node.left), right)
        if isinstance(node.op, ast.Div) and right:
            return _scale(_term(node.left), 1 / right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("min", "max"):
            return Cases(node.func.id == "max", tuple(_term(a) for a in node.args))
        if node.func.id == "abs":
            inner = _term(node.args[0])
            return Cases(True, (inner, _scale(inner, Fraction(-1))))
    return Linear(((ast.unparse(node), Fraction(1)),))


def _positive(term: Term, strict: bool) -> Formula:
    if isinstance(term, Cases):
        return Junction(not term.largest, tuple(_positive(p, strict) for p in term.parts))
    return Inequality(term, strict)


def _compare(left: ast.expr, op: type[ast.cmpop], right: ast.expr) -> Formula:
    over = _add(_term(left), _scale(_term(right), Fraction(-1)))
    under = _scale(over, Fraction(-1))
    if op in (ast.Gt, ast.GtE):
        return _positive(over, op is ast.Gt)
    if op in (ast.Lt, ast.LtE):
        return _positive(under, op is ast.Lt)
    return Junction(op is ast.Eq, (_positive(over, op is ast.NotEq), _positive(under, op is ast.NotEq)))


_ANYTHING = Junction(True, ())


def formula(test: Test, holds: bool = True, known: frozenset[str] | None = None) -> Formula:
    """Convert the test, or its negation (holds=False), to linear inequalities.

    known: metrics that are certainly known. If given, a comparison of another metric can also fail as unknown.
    """

    may_lack = frozenset() if holds or known is None else test.names - known

    def lacks(node: ast.expr) -> bool:
        return any(isinstance(n, ast.Name) and n.id in may_lack for n in ast.walk(node))

    def walk(node: ast.expr, holds: bool) -> Formula:
        if isinstance(node, ast.BoolOp):
            return Junction(isinstance(node.op, ast.And) == holds, tuple(walk(v, holds) for v in node.values))
        if isinstance(node, ast.UnaryOp):
            return walk(node.operand, not holds)
        assert isinstance(node, ast.Compare)
        parts, left = [], node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            open_ = lacks(left) or lacks(right)
            parts.append(_ANYTHING if open_ else _compare(left, type(op) if holds else _FLIP[type(op)], right))
            left = right
        return Junction(holds, tuple(parts))

    return walk(test.node, holds)


def surely_known(test: Test) -> frozenset[str]:
    """Return the metrics that must be known for the test to hold: all its metrics, or none if it has `or` or `not`."""
    if any(isinstance(n, ast.BoolOp | ast.UnaryOp) and isinstance(n.op, ast.Or | ast.Not) for n in ast.walk(test.node)):
        return frozenset()
    return test.names


def is_linear(test: Test) -> bool:
    """Return whether every part of the test can be decided exactly."""

    def names(part: Formula) -> Iterator[str]:
        if isinstance(part, Junction):
            for p in part.parts:
                yield from names(p)
        else:
            yield from (n for n, _ in part.linear.terms)

    return set(names(formula(test))) <= test.names


def possible(formulas: Sequence[Formula]) -> dict[str, Fraction] | None:
    """Return values for which all formulas hold, or None. Raises TooManyCases if that needs too much work."""
    budget = _MOST_CASES

    def search(open_: tuple[Formula, ...], known: tuple[Inequality, ...]) -> dict[str, Fraction] | None:
        nonlocal budget
        budget -= 1
        if budget < 0:
            raise TooManyCases
        later: list[Junction] = []
        stack = list(open_)
        while stack:
            part = stack.pop()
            if isinstance(part, Inequality):
                known = (*known, part)
            elif part.every:
                stack += part.parts
            else:
                later.append(part)
        values = _solve(known)
        if values is None or not later:
            return values
        for choice in later[0].parts:
            found = search((choice, *later[1:]), known)
            if found is not None:
                return found
        return None

    return search(tuple(formulas), ())


def _solve(known: Sequence[Inequality]) -> dict[str, Fraction] | None:
    """Return values that satisfy all inequalities, or None: eliminate names one by one, then substitute backwards."""
    system = _tidy(known)
    if system is None:
        return None
    steps: list[tuple[str, list[Inequality]]] = []
    while names := {n for i in system for n, _ in i.linear.terms}:
        name = min(sorted(names), key=lambda n: _cost(system or [], n))
        mine = [i for i in system if _factor(i, name)]
        steps.append((name, mine))
        rest = [i for i in system if not _factor(i, name)]
        lows = [i for i in mine if _factor(i, name) > 0]
        highs = [i for i in mine if _factor(i, name) < 0]
        for low in lows:
            for high in highs:
                combined = low.linear.times(-_factor(high, name)).plus(high.linear.times(_factor(low, name)))
                rest.append(Inequality(combined, low.strict or high.strict))
        if len(rest) > _MOST_INEQUALITIES:
            raise TooManyCases
        system = _tidy(rest)
        if system is None:
            return None
    values: dict[str, Fraction] = {}
    for name, mine in reversed(steps):
        values[name] = _between(mine, name, values)
    return values


def _factor(inequality: Inequality, name: str) -> Fraction:
    return next((f for n, f in inequality.linear.terms if n == name), Fraction(0))


def _cost(system: Sequence[Inequality], name: str) -> int:
    signs = [_factor(i, name) for i in system]
    return sum(f > 0 for f in signs) * sum(f < 0 for f in signs)


def _tidy(system: Sequence[Inequality]) -> list[Inequality] | None:
    """Keep each direction once, with its tightest bound; return None if an inequality without names is false."""
    tightest: dict[tuple[tuple[str, Fraction], ...], tuple[Fraction, bool]] = {}
    for inequality in system:
        linear = inequality.linear
        if not linear.terms:
            if linear.constant < 0 or (inequality.strict and linear.constant == 0):
                return None
            continue
        linear = linear.times(1 / abs(linear.terms[0][1]))
        bound = (linear.constant, not inequality.strict)
        if linear.terms not in tightest or bound < tightest[linear.terms]:
            tightest[linear.terms] = bound
    return [Inequality(Linear(terms, constant), not loose) for terms, (constant, loose) in tightest.items()]


def _between(mine: Sequence[Inequality], name: str, values: dict[str, Fraction]) -> Fraction:
    lows: list[tuple[Fraction, bool]] = []
    highs: list[tuple[Fraction, bool]] = []
    for inequality in mine:
        factor = _factor(inequality, name)
        # A name that cancelled out during elimination is free, so 0 is a valid value.
        others = ((values.setdefault(n, Fraction(0)), f) for n, f in inequality.linear.terms if n != name)
        rest = sum((f * value for value, f in others), inequality.linear.constant)
        (lows if factor > 0 else highs).append((-rest / factor, inequality.strict))
    low = max(lows, default=None)
    high = min(highs, key=lambda h: (h[0], not h[1]), default=None)
    if low is None and high is None:
        return Fraction(0)
    if high is None or low is None:
        at, strict = low or high or (Fraction(0), False)
        return at if not strict else at + (1 if high is None else -1)
    return (low[0] + high[0]) / 2


def check_reachable(base: Base, tests: Mapping[str, Test], sound: Mapping[str, Sequence[RuleDef]]) -> Iterator[Mistake]:
    """Report rules and classes whose conditions exclude each other for all values."""
    for finding, rules in sound.items():
        entry = base.ruled[finding]
        if not base.is_wanted(entry.document.path):
            continue
        positions = {rule.id: at for at, rule in enumerate(entry.value.seen)}
        for rule in rules:
            said = never(base, tests, sound, rule.when, rule.unless)
            if said is not None:
                yield entry.mistake(
                    f"{rule.id} can never fire: {said[0]}", "seen", positions[rule.id], severity=said[1]
                )
    for placed in base.classes.values():
        if not base.is_wanted(placed.document.path):
            continue
        said = never(base, tests, sound, placed.value.when, placed.value.unless)
        if said is not None:
            yield placed.mistake(f"can never hold: {said[0]}", "when", severity=said[1])


def never(
    base: Base,
    tests: Mapping[str, Test],
    sound: Mapping[str, Sequence[RuleDef]],
    when: Sequence[str],
    unless: Sequence[str],
) -> tuple[str, str] | None:
    """Return why conditions of a rule cannot hold, and the severity; None if they can hold or this is unknown."""
    parts = [(name, f) for name in when if (f := _needed(base, tests, sound, name)) is not None]
    # An `unless` blocks a rule only if it is true, which needs known metrics; so only known metrics constrain.
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
    return "no values were found that meet its conditions; add an example under fires to prove that some exist", WARNING


def _needed(base: Base, tests: Mapping[str, Test], sound: Mapping[str, Sequence[RuleDef]], name: str) -> Formula | None:
    """Return the constraint on metrics that a true `when` implies, or None if it implies none."""
    if name in tests:
        return formula(tests[name])
    rest = name.partition(".")[2]
    if kind_of(name) == "class" and rest in base.classes:
        return _every(base, tests, sound, base.classes[rest].value.when)
    if kind_of(name) in ("found", "napkin", "gain"):
        concluded = rest if kind_of(name) == "found" else name
        ways = [_every(base, tests, sound, rule.when) for rule in sound.get(concluded, ())]
        known = [w for w in ways if w is not None]
        return Junction(False, tuple(known)) if known and len(known) == len(ways) else None
    return None


def _every(
    base: Base, tests: Mapping[str, Test], sound: Mapping[str, Sequence[RuleDef]], names: Sequence[str]
) -> Formula | None:
    parts = [p for n in names if (p := _needed(base, tests, sound, n)) is not None]
    return Junction(True, tuple(parts)) if parts else None


def check_partitions(base: Base, tests: Mapping[str, Test]) -> Iterator[Mistake]:
    """Report groups of observations of which not exactly one holds for some values, and show those values."""
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
            continue  # its invalid test is already reported
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
            yield last.mistake(f"partition {group!r}: too many cases to prove; simplify its tests", "partition")


def _at(values: Mapping[str, object]) -> str:
    shown = ", ".join(f"{name} = {float(value):g}" for name, value in sorted(values.items()))  # type: ignore[arg-type]
    return f" at {shown}" if shown else ""
