"""The outcome of a launch's conclusions: its class, its first finding and that finding's gain."""

from __future__ import annotations

import math

from advisor.knowledge.base import Catalog
from advisor.reasoning.conclude import Conclusions, in_order
from advisor.reasoning.ranking import TIE, Ranked

# The class, the id of the first finding (empty: none), and its gain (1 if unknown).
Outcome = tuple[str, str, float]


def first_of(catalog: Catalog, concluded: Conclusions, row: int) -> Ranked | None:
    """Return the first diagnosis of a row in ranked order; None if there is none."""
    return next((f for f in in_order(catalog, concluded, row) if f.kind == "diagnosis"), None)


def outcome(catalog: Catalog, concluded: Conclusions, row: int) -> Outcome:
    """Return the class, the first finding and its gain of a row."""
    first = first_of(catalog, concluded, row)
    gain = 1.0 if first is None or first.speedup is None else first.speedup.estimate
    return concluded.traces[row].class_id, "" if first is None else first.id, gain


def differs(one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes differ; gains within a tie count as equal."""
    return one[:2] != other[:2] or abs(math.log(one[2] / other[2])) > math.log(TIE)


def leads_elsewhere(now: Outcome, other: Outcome) -> bool:
    """Whether another outcome has another first finding, or a class where now there is none."""
    return now[1] != other[1] or (now[0] == "undetermined" and other[0] != now[0])
