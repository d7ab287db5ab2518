"""Leave out what the user says of the algorithm where the launch's counters show that it cannot be so."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from advisor.knowledge.base import Catalog, catalog
from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN, Comparison, Test, parse_test

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

# The metric that the user states -> the metric that keeps the number as stated, and the observation that refutes it.
STATED = {
    "theoretical_bytes": ("stated_bytes", "stated_bytes_impossible"),
    "theoretical_flop": ("stated_flop", "stated_flop_impossible"),
}
_KEPT = {kept: name for name, (kept, _) in STATED.items()}


@lru_cache(maxsize=4)
def _tests(known: Catalog) -> dict[str, Test]:
    found = ((name, known.observations.get(refuting)) for name, (_, refuting) in STATED.items())
    return {name: parse_test(one.test) for name, one in found if one is not None}


def reads(name: str) -> frozenset[str]:
    """Return the metrics on which the value of a stated metric depends; empty for any other metric."""
    if name in _KEPT:
        return frozenset()
    test = _tests(catalog()).get(name)
    return frozenset() if test is None else test.names


def kept(name: str, given: Mapping[str, Array]) -> Array | None:
    """Return the column of a stated number as the user gave it; None for any other metric."""
    if name not in _KEPT:
        return None
    import numpy as np

    now = given[_KEPT[name]]
    return np.where(np.isfinite(now), now, given[name])


def believed(name: str, columns: Mapping[str, Array], value: Array) -> Array:
    """Return a metric without the stated numbers that the counters refute: unknown there."""
    import numpy as np

    test = _tests(catalog()).get(name)
    if test is None or not np.isfinite(value).any():
        return value
    truths = [_truth(one, columns, len(value)) for one in test.comparisons]
    refuted = test.folded([(one, one, one) for one in truths], np.minimum, np.maximum)[0] == TRUE
    return np.where(refuted, np.nan, value)


def _truth(one: Comparison, columns: Mapping[str, Array], rows: int) -> Array:
    import numpy as np

    left, right = one.left.column(columns, rows), one.right.column(columns, rows)
    known = np.isfinite(left) & np.isfinite(right)
    return np.where(known, np.where(one.holds(left, right), TRUE, FALSE), UNKNOWN)


def is_refuted(name: str, value: float, metrics: Mapping[str, float]) -> bool:
    """Whether the counters of a launch show that a number stated by the user cannot be so."""
    test = _tests(catalog()).get(name)
    return test is not None and test.truth({**metrics, STATED[name][0]: value}) == TRUE
