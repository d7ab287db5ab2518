"""Diagnose with other numbers, and find the values at which a conclusion flips."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import Comparison as Test
from advisor.knowledge.schemas import most_of
from advisor.knowledge.units import SAME_POINTS, compute_units, inner_units, memory_units
from advisor.reasoning.assemble import Reasoned, reason
from advisor.reasoning.code_counts import ESTIMATED
from advisor.reasoning.conclude import conclude, in_order
from advisor.reasoning.domain import domain_of
from advisor.reasoning.engine.explain import Flip, Proof, Then, how
from advisor.reasoning.engine.program import is_quantified
from advisor.reasoning.engine.trace import Trace
from advisor.reasoning.following import followers
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.observations import Observed
from advisor.records.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

_STEPS = [10.0 ** (k / 8) for k in range(-48, 41)]  # from a millionth of the value to 100,000 times it
_BISECTIONS = 80


class Turn(Struct, frozen=True):
    """A comparison of a proof and the nearest value of `metric` at which it flips, everything else unchanged.

    turns_at: the boundary itself; beyond: the nearest value on its other side; both in the metric's unit.
    """

    observation: str
    metric: str
    value: float
    turns_at: float
    beyond: float
    unit: str
    test: str


def turns(catalog: Catalog, observed: Observed, row: int, trace: Trace, targets: Iterable[str]) -> tuple[Turn, ...]:
    """Return where each comparison in the proofs of `targets` (findings or `class.<id>`) flips.

    A comparison of several metrics gives one entry per metric. Entries keep the order of the proofs and are unique. A
    number of the quantification cannot be supposed: it follows from the metrics. Nor can a count of what the GPU's
    architecture does not have.
    """
    values = observed.values(row)
    capability = values.get("device_cc_major", math.nan) + values.get("device_cc_minor", math.nan) / 10
    absent = {metric for metric, entry in catalog.metrics.items() if capability < entry.since}
    units = {metric: entry.unit for metric, entry in catalog.metrics.items()}
    out: dict[tuple[str, float], Turn] = {}
    names = (n for target in targets for n in _observations(how(catalog, observed, row, trace, target)))
    for name in dict.fromkeys(n for n in names if not is_quantified(catalog, n)):
        for test in observed.tests[name].comparisons:
            for metric in sorted((test.left.names or test.right.names) - absent):
                most = most_of(metric, units.get(metric, ""))
                turn = turning_point(test, metric, values, math.inf if most is None else most)
                if turn is not None and (part := _moving(metric, turn, values)) != metric:
                    if part:
                        made = Turn(name, part, values[part], *turn, units.get(part, ""), test.test)
                        out.setdefault((part, turn[0]), made)
                elif turn is not None:
                    made = Turn(name, metric, values[metric], *turn, units.get(metric, ""), test.test)
                    out.setdefault((metric, turn[0]), made)
    return tuple(out.values())


def _moving(metric: str, turn: tuple[float, float], values: Mapping[str, float]) -> str:
    """Return the metric to change so that `metric` reaches its turning point.

    A side's percentage is that of its most utilised unit, so that unit has to change: without it no profile has the
    value. Empty if another unit keeps the side on its level; `metric` itself where no known unit explains it.
    """
    parts = {"memory_pct": (*memory_units(), *inner_units()), "compute_pct": compute_units()}.get(metric, ())
    known = sorted(((values[part], part) for part in parts if part in values), reverse=True)
    if not known or abs(known[0][0] - values[metric]) > SAME_POINTS:
        return metric
    lowered = turn[1] < values[metric]
    return "" if lowered and len(known) > 1 and known[1][0] > turn[1] else known[0][1]


def _observations(proof: Proof) -> Iterator[str]:
    """Return the observations of a proof and of the conclusions that it uses, in order, each once."""
    seen: dict[str, None] = {}

    def walk(part: Proof) -> None:
        for rule in part.rules:
            for clause in rule.clauses:
                seen.update(dict.fromkeys(item.observation for item in clause.evidence))
                if clause.proof is not None:
                    walk(clause.proof)

    walk(proof)
    return iter(seen)


def turning_point(test: Test, metric: str, values: Mapping[str, float], most: float) -> tuple[float, float] | None:
    """Return the nearest boundary of a comparison along one metric, and a value just beyond; None if it never flips.

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
        at = test.right.scalar(values)  # exact
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


def what_if(
    catalog: Catalog, reasoned: Reasoned, inputs: Inputs, position: int, values: Mapping[str, float]
) -> tuple[Inputs, Reasoned]:
    """Diagnose one launch again with some metrics fixed.

    What is derived from them follows, and what the time model moves with them (reasoning/following.py): the time and
    the utilisation of units, unless those are among the fixed metrics. Nothing else changes.

    Returns the inputs and the reasoning of that launch alone. Raises UsageError for a name that is not a metric.
    """
    for name in values:
        if catalog.metrics.get(name) is None:
            raise UsageError(f"{name!r} is not a metric: `ncu-advisor explain metrics` lists them")
        if name in catalog.quantified:
            raise UsageError(f"{name} follows from the other metrics: change one of those")
    one = _alone(inputs, position)
    frame = _followed(catalog, reasoned, position, [values])
    return one, reason(catalog, one, frame, reasoned.known_as[position : position + 1])


def flips(catalog: Catalog, reasoned: Reasoned, inputs: Inputs, position: int, target: str) -> tuple[Flip, ...]:
    """Return the values at which the evidence of a finding or class flips, and the conclusions just beyond."""

    def beyond(cases: Sequence[Mapping[str, float]]) -> list[Then]:
        frame = _followed(catalog, reasoned, position, cases)
        known_as = reasoned.known_as[position : position + 1] * len(cases)
        concluded = conclude(catalog, _alone(inputs, position), frame, known_as)
        return [
            Then(concluded.traces[row].class_id, tuple(f.id for f in in_order(catalog, concluded, row)))
            for row in range(len(cases))
        ]

    return flips_of(turns(catalog, reasoned.observed, position, reasoned.traces[position], (target,)), beyond)


def flips_of(
    found: Sequence[Turn], conclude: Callable[[Sequence[Mapping[str, float]]], Sequence[Then]]
) -> tuple[Flip, ...]:
    """Return the values at which `found` flip, with the conclusions of `conclude` just beyond each."""
    then = conclude([{turn.metric: turn.beyond} for turn in found]) if found else ()
    return tuple(
        Flip(turn.observation, turn.metric, turn.value, turn.turns_at, turn.unit, turn.test, after)
        for turn, after in zip(found, then, strict=True)
    )


def _followed(
    catalog: Catalog, reasoned: Reasoned, position: int, cases: Sequence[Mapping[str, float]]
) -> pd.DataFrame:
    """Return the derived rows of a launch with the values of each case, and with what moves with them."""
    frame = _supposed(catalog, reasoned, position, cases)
    before = reasoned.observed.values(position)
    moved = []
    for values, (_, row) in zip(cases, frame.iterrows(), strict=True):
        after = {str(name): float(value) for name, value in row.items() if name in catalog.metrics}
        moved.append(followers(catalog, reasoned.launches[position], before, after, values))
    if not any(moved):
        return frame
    together = [{**more, **values} for more, values in zip(moved, cases, strict=True)]
    return _supposed(catalog, reasoned, position, together)


def _alone(inputs: Inputs, position: int) -> Inputs:
    """Return the inputs of one launch."""
    frame = inputs.frame.iloc[[position]].reset_index(drop=True)
    return replace(inputs, frame=frame, answers={None: inputs.answers_of(position)})


def _supposed(
    catalog: Catalog, reasoned: Reasoned, position: int, cases: Sequence[Mapping[str, float]]
) -> pd.DataFrame:
    """Return the derived rows of a launch with the values of each case, in the order of the cases."""
    import pandas as pd  # loads slowly, and is needed only to suppose values

    before = reasoned.observed.values(position)
    pinned = [{**values, **_headline(before, values)} for values in cases]
    alike: dict[tuple[str, ...], list[int]] = {}
    for case, values in enumerate(pinned):
        alike.setdefault(tuple(values), []).append(case)
    frames = []
    # Fixed metrics are given for a whole frame, so cases with the same metrics share one.
    for names, rows in alike.items():
        frame = reasoned.frame.iloc[[position] * len(rows)].reset_index(drop=True)
        frame = frame.assign(**{name: [float(pinned[row][name]) for row in rows] for name in names})
        derived = domain_of(catalog).derive(frame, keep=names, metrics=catalog.metrics)
        if ESTIMATED in derived:  # what the user supposes is no estimate
            derived[ESTIMATED] = pd.Series(
                [one - {*names} for one in derived[ESTIMATED]], index=derived.index, dtype=object
            )
        frames.append(derived.set_axis(rows))
    out: pd.DataFrame = pd.concat(frames).sort_index()
    return out


def _headline(before: Mapping[str, float], values: Mapping[str, float]) -> dict[str, float]:
    """Recompute memory throughput, the largest of its units, if a unit changed: ncu reports it as one number."""
    whole = "memory_throughput_pct"
    if whole in values or whole not in before or not set(values) & set(memory_units()):
        return {}
    units = [before[name] for name in memory_units() if name in before]
    largest = max({**before, **values}[name] for name in memory_units() if name in before or name in values)
    # If no unit explains the old number, a part missing from the report leads, and its value stays.
    unexplained = not units or before[whole] > max(units) + 0.5
    return {whole: max(largest, before[whole]) if unexplained else largest}
