"""Candidate values for a number: one in each interval between the thresholds of the tests that read it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import Comparison
from advisor.reasoning.domain import domain_of
from advisor.reasoning.observations import tests_of

# Values across the range of a number that no test compares with a constant.
_PERCENT: Final = (0.0, 2.0, 15.0, 25.0, 35.0, 45.0, 55.0, 70.0, 90.0)
_OTHER: Final = (0.0, 0.3, 1.0, 3.0, 12.0, 40.0, 300.0, 1e4, 1e6, 1e9, 1e12)
# Values for tests that compare a number with others: dense enough to have a value on each side of a flip.
_FINE_PERCENT: Final = np.arange(0.5, 100.0, 0.5)
_FINE_OTHER: Final = np.geomspace(1e-3, 1e13, 129)


@lru_cache(maxsize=4)
def _thresholds(catalog: Catalog) -> Mapping[str, frozenset[float]]:
    """Map each metric to the constants that tests compare it with."""
    out: dict[str, set[float]] = {}
    for test in tests_of(catalog).values():
        for comparison in test.comparisons:
            for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
                if len(side.names) == 1 and side.text in side.names and not other.names:
                    out.setdefault(side.text, set()).add(other.scalar({}))
    return {name: frozenset(v for v in values if math.isfinite(v)) for name, values in out.items()}


@lru_cache(maxsize=4)
def _against_others(catalog: Catalog) -> Mapping[str, tuple[Comparison, ...]]:
    """Map each metric to the comparisons of it with other metrics, and of what is computed from it alone."""
    out: dict[str, set[Comparison]] = {}
    for test in tests_of(catalog).values():
        for comparison in test.comparisons:
            names = comparison.left.names | comparison.right.names
            plain = len(names) == 1 and names & {comparison.left.text, comparison.right.text}
            for name in () if plain else names:
                out.setdefault(name, set()).add(comparison)
    return {name: tuple(sorted(some, key=lambda one: one.test)) for name, some in out.items()}


def _turns(catalog: Catalog, metric: str, known: Mapping[str, float], percent: bool) -> list[float]:
    """Return a value on each side of where a comparison with known numbers flips."""
    tried, out = _FINE_PERCENT if percent else _FINE_OTHER, list[float]()
    for comparison in _against_others(catalog).get(metric, ()):
        names = (comparison.left.names | comparison.right.names) - {metric}
        if not all(name in known for name in names):
            continue
        columns = {metric: tried, **{name: np.full(len(tried), known[name]) for name in names}}
        with np.errstate(all="ignore"):
            holds = comparison.holds(
                *(side.column(columns, len(tried)) for side in (comparison.left, comparison.right))
            )
        at = np.flatnonzero(np.diff(holds))
        out += [*tried[at].tolist(), *tried[at + 1].tolist()]
    return out


def values_of(catalog: Catalog, metric: str, known: Mapping[str, float]) -> tuple[float, ...]:
    """Return a value in each interval between the thresholds of a number's tests, within its possible range."""
    percent = metric in catalog.metrics and catalog.metrics[metric].unit == "%"
    edges = sorted(_thresholds(catalog).get(metric, ()))
    if edges:
        found = [edges[0] / 2, *((a + b) / 2 for a, b in pairwise(edges)), max(edges[-1] * 2, edges[-1] + 1)]
        # The test decides whether the threshold itself belongs to the side above it.
        found += [*edges, *(math.nextafter(edge, math.inf) for edge in edges), min(0.0, edges[0])]
    else:
        found = list(_PERCENT if percent else _OTHER)
    found += _turns(catalog, metric, known, percent)
    most = _room(catalog, metric, known, 100.0 if percent else math.inf)
    return tuple(sorted({min(value, most) for value in found if value >= 0}))


def _room(catalog: Catalog, metric: str, known: Mapping[str, float], most: float) -> float:
    """Return the upper limit of a number, given the known ones: a part of a total, or one of several shares."""
    most = domain_of(catalog).most(metric, known, most)
    if metric.startswith("stall_") and not metric.endswith("_not_issued_pct"):
        share = metric.endswith("_pct")
        others = [
            value
            for name, value in known.items()
            if name.startswith("stall_") and name.endswith("_pct") == share and "_not_issued" not in name
        ]
        all_of_it = 100.0 if share else known.get("issue_interval", math.inf)
        most = min(most, max(0.0, all_of_it - sum(others)))
    return most
