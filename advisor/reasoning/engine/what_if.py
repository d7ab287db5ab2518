"""WHAT IF a value were different, and at which value each piece of evidence would turn."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.knowledge.schemas import checked, most_of
from advisor.reasoning.engine.explain import Proof, how
from advisor.records.errors import UsageError

if TYPE_CHECKING:
    from advisor.knowledge.base import Catalog
    from advisor.knowledge.expressions import Comparison as Test
    from advisor.reasoning.engine.trace import Trace
    from advisor.reasoning.observations import Observed

    Conclude = Callable[[Sequence[Mapping[str, float]]], Sequence["Then"]]

_STEPS = [10.0 ** (k / 8) for k in range(-48, 41)]  # from a millionth of the value to 100,000 times it
_BISECTIONS = 80


@dataclass(frozen=True, slots=True)
class Turn:
    """A comparison of a proof and the nearest value of `metric` at which it turns, everything else as it is.

    turns_at is the boundary itself, beyond the nearest value on its other side, both in the metric's unit.
    """

    observation: str
    metric: str
    value: float
    turns_at: float
    beyond: float
    unit: str
    test: str


@dataclass(frozen=True, slots=True)
class Then:
    """What would be concluded: the class without its prefix, and the findings, what to fix first in front."""

    class_id: str
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flip:
    """A comparison of a proof, where it turns (see Turn), and what would be concluded just beyond that."""

    observation: str
    metric: str
    value: float
    turns_at: float
    unit: str
    test: str
    then: Then


def parse_assignments(texts: Iterable[str], catalog: Catalog) -> dict[str, float]:
    """`dram_pct=70` to {"dram_pct": 70.0}; UsageError for an unknown metric, what is no number, and a number that the
    metric cannot have."""
    out: dict[str, float] = {}
    for text in texts:
        name, sign, number = (part.strip() for part in text.partition("="))
        if not sign:
            raise UsageError(f"{text!r} is not METRIC=NUMBER, such as dram_pct=70")
        if name not in catalog.metrics:
            raise UsageError(f"{name!r} is not a metric: `ncu-advisor explain metrics` lists them")
        try:
            value = float(number.replace("_", ""))
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or not re.fullmatch(r"[\d+\-.eE_]+", number):
            raise UsageError(f"{number!r} is not a number: give {name} a value such as {name}=70")
        out[name] = checked(name, catalog.metrics[name].unit, value)
    return out


def turns(catalog: Catalog, observed: Observed, row: int, trace: Trace, targets: Iterable[str]) -> tuple[Turn, ...]:
    """For each comparison in the proofs of `targets` (findings, or `class.<id>`), where it turns.

    Comparisons of several metrics give one entry a metric. In the order of the proofs, none twice.
    """
    values = observed.values(row)
    units = {metric: entry.unit for metric, entry in catalog.metrics.items()}
    out: dict[tuple[str, float], Turn] = {}
    names = (n for target in targets for n in _observations(how(catalog, observed, row, trace, target)))
    for name in dict.fromkeys(names):
        for test in observed.tests[name].comparisons:
            for metric in sorted(test.left.names or test.right.names):
                most = most_of(metric, units.get(metric, ""))
                turn = turning_point(test, metric, values, math.inf if most is None else most)
                if turn is not None:
                    made = Turn(name, metric, values[metric], *turn, units.get(metric, ""), test.test)
                    out.setdefault((metric, turn[0]), made)
    return tuple(out.values())


def flips(
    catalog: Catalog, observed: Observed, row: int, trace: Trace, target: str, conclude: Conclude
) -> tuple[Flip, ...]:
    """Where each comparison in the proof of `target` turns, and what would then be concluded.

    conclude: values of metrics, a mapping a case, to what follows of each case.
    """
    found = turns(catalog, observed, row, trace, (target,))
    then = conclude([{turn.metric: turn.beyond} for turn in found]) if found else ()
    return tuple(
        Flip(turn.observation, turn.metric, turn.value, turn.turns_at, turn.unit, turn.test, after)
        for turn, after in zip(found, then, strict=True)
    )


def _observations(proof: Proof) -> Iterator[str]:
    """The observations of a proof and of what it rests on, in order, each once."""
    seen: dict[str, None] = {}

    def walk(part: Proof) -> None:
        for rule in part.rules:
            for clause in rule.clauses:
                if clause.evidence:
                    seen.setdefault(clause.name)
                if clause.proof is not None:
                    walk(clause.proof)

    walk(proof)
    return iter(seen)


def turning_point(test: Test, metric: str, values: Mapping[str, float], most: float) -> tuple[float, float] | None:
    """The nearest boundary of a comparison along one metric, and a value just beyond it; None where it never turns.

    Metrics are not negative, so the search goes from the value down to 0 and up to `most`.
    """

    def holds(value: float) -> bool | None:
        given = {**values, metric: value}
        left, right = test.left.scalar(given), test.right.scalar(given)
        return bool(test.holds(left, right)) if math.isfinite(left) and math.isfinite(right) else None

    start = values.get(metric)
    if start is None or (now := holds(start)) is None:
        return None
    if test.left.text == metric and metric not in test.right.names:
        at = test.right.scalar(values)  # exactly
        away = math.inf if at >= start else -math.inf
        for beyond in (at, math.nextafter(at, away), math.nextafter(at, -away)):
            if holds(beyond) == (not now):
                return at, beyond
        return None
    scale = abs(start) or 1.0
    best: tuple[float, float] | None = None
    for sign in (1.0, -1.0):
        inside = start
        for step in _STEPS:
            at = min(max(start + sign * step * scale, 0.0), max(most, start))
            if holds(at) == (not now):
                found = _bisect(holds, now, inside, at)
                if best is None or abs(found[0] - start) < abs(best[0] - start):
                    best = found
                break
            inside = at
    return best


def _bisect(holds: Callable[[float], bool | None], now: bool, inside: float, outside: float) -> tuple[float, float]:
    for _ in range(_BISECTIONS):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        if holds(middle) == now:
            inside = middle
        else:
            outside = middle
    return outside, outside
