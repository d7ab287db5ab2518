"""WHAT IF a value were different, and at which value each piece of evidence would turn."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.engine.explain import Proof, how
from advisor.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from advisor.catalog import Catalog
    from advisor.catalog.expressions import Comparison as Test
    from advisor.engine.reason import Engine
    from advisor.engine.trace import Trace
    from advisor.observe import Observed

    # Recomputes the derived columns of a frame, except those named: they were assigned and stay.
    Derive = Callable[[pd.DataFrame, frozenset[str]], pd.DataFrame]
    Observe = Callable[[pd.DataFrame], Observed]

_NOTHING: frozenset[str] = frozenset()
_STEPS = [10.0 ** (k / 8) for k in range(-48, 41)]  # from a millionth of the value to 100,000 times it
_BISECTIONS = 80


@dataclass(frozen=True, slots=True)
class Flip:
    """A comparison of a proof and the nearest value of `metric` at which it turns, everything else as it is.

    turns_at is the boundary itself, in the metric's unit; `then` is what the first pass would conclude just beyond it.
    """

    observation: str
    metric: str
    value: float
    turns_at: float
    unit: str
    test: str
    then: Trace


def parse_assignments(texts: Iterable[str], catalog: Catalog) -> dict[str, float]:
    """`dram_pct=70` to {"dram_pct": 70.0}; UsageError for an unknown metric or what is no number."""
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
        out[name] = value
    return out


def flips(
    catalog: Catalog,
    observed: Observed,
    row: int,
    engine: Engine,
    target: str,
    *,
    trace: Trace | None = None,
    answers: frozenset[str] = _NOTHING,
    frame_row: pd.DataFrame | None = None,
    derive: Derive | None = None,
) -> tuple[Flip, ...]:
    """For each comparison in the proof of `target` (a finding, or `class.<id>`), where it turns and what then follows.

    Comparisons of several metrics give one entry a metric. With `frame_row` (one row, base columns) and `derive`, the
    derived metrics follow the changed one; without them they stay as they are. In the order of the proof, none twice.
    """
    import pandas as pd

    from advisor.observe import observe

    if trace is None:
        trace = engine.conclude_many(observed, answers)[row]
    values = observed.values(row)
    base = frame_row if frame_row is not None and derive is not None else pd.DataFrame([values])
    found: list[tuple[str, str, float, float, str]] = []
    rows: list[pd.DataFrame] = []
    seen: set[tuple[str, float]] = set()
    for name in _observations(how(catalog, observed, row, trace, target)):
        for test in observed.tests[name].comparisons:
            for metric in sorted(test.left.names or test.right.names):
                turn = turning_point(test, metric, values, 100.0 if _is_percent(catalog, metric) else math.inf)
                if turn is None or (metric, turn[0]) in seen:
                    continue
                seen.add((metric, turn[0]))
                found.append((name, metric, values[metric], turn[0], test.test))
                keeping = derive if frame_row is not None else None
                rows.append(_assigned(base, {metric: turn[1]}, keeping))
    if not rows:
        return ()
    then = engine.conclude_many(observe(pd.concat(rows, ignore_index=True), catalog), answers)
    units = {metric: entry.unit for metric, entry in catalog.metrics.items()}
    return tuple(
        Flip(name, metric, value, at, units.get(metric, ""), test, trace)
        for (name, metric, value, at, test), trace in zip(found, then, strict=True)
    )


def _assigned(frame: pd.DataFrame, assignments: Mapping[str, float], derive: Derive | None) -> pd.DataFrame:
    out = frame.assign(**dict(assignments))
    if derive is not None:
        out = derive(out, frozenset(assignments)).assign(**dict(assignments))
    return out


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


def _is_percent(catalog: Catalog, metric: str) -> bool:
    entry = catalog.metrics.get(metric)
    return entry is not None and entry.unit in ("%", "percent")


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
