"""What can be said of metrics that are unknown: counters are not negative, and formulas carry that on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from advisor.catalog.expressions import FALSE, TRUE, Comparison, Expression, ExpressionError, parse
from advisor.catalog.intervals import Bounds, bounds, decided

if TYPE_CHECKING:
    from advisor.catalog.schemas import MetricDef

Array = np.ndarray[Any, Any]


class Ranges:
    """The bounds of all metrics of a frame, worked out when asked for. columns: metric to values, shape (rows,)."""

    def __init__(self, metrics: Mapping[str, MetricDef], columns: Mapping[str, Array], rows: int) -> None:
        self._metrics, self._columns, self._rows = metrics, columns, rows
        self._known: dict[str, Bounds] = {}
        self._sides: dict[str, Bounds] = {}

    def metric(self, name: str) -> Bounds:
        """The least and the greatest that a metric can be; equal where it is known."""
        if name not in self._known:
            everything = np.full(self._rows, np.inf)
            self._known[name] = -everything, everything  # all that a formula that needs itself gets to know
            low, high = self._unknown(name)
            values = self._columns.get(name)
            if values is not None:
                finite = np.isfinite(values)
                low, high = np.where(finite, values, low), np.where(finite, values, high)
            self._known[name] = low, high
        return self._known[name]

    def _unknown(self, name: str) -> Bounds:
        entry, everything = self._metrics.get(name), np.full(self._rows, np.inf)
        if entry is None or (entry.source == "python" and not entry.names):
            return -everything, everything
        if entry.formula:
            try:
                low, high = bounds(parse(entry.formula), self.metric, self._rows)
            except ExpressionError:  # which the lint names
                low, high = -everything, everything
            # What ncu counts as well is a counter, whatever the formula can say of it.
            return (np.maximum(low, 0.0), high) if entry.names else (low, high)
        return np.zeros(self._rows), everything  # a count, a size, a time, a share

    def _side(self, expression: Expression) -> Bounds:
        if expression.text not in self._sides:
            self._sides[expression.text] = bounds(expression, self.metric, self._rows)
        return self._sides[expression.text]

    def of(self, expression: Expression, row: int) -> Bounds:
        """The bounds of a formula on one launch, arrays of shape (1,)."""
        low, high = self._side(expression)
        return low[row : row + 1], high[row : row + 1]

    def least(self, row: int, name: str) -> float:
        """The least that a metric can be on one launch where that tells something, else NaN."""
        low = float(self.metric(name)[0][row])
        return low if math.isfinite(low) and low > 0 else math.nan

    def judged(
        self, alike: Sequence[Comparison], known: Array, truth: Array, low: Array, high: Array
    ) -> tuple[Array, Array, Array]:
        """Truth, least and most margin of comparisons with one operator, shape (comparisons, rows) each, with what
        bounds decide where a side is unknown.
        """
        left, right = self._sides_of([c.left for c in alike]), self._sides_of([c.right for c in alike])
        by_bounds = decided(alike[0], left, right)
        least, most, scale = distances(alike[0], left, right)
        truth = np.where(known, truth, by_bounds)
        low = np.where(~known & (by_bounds == TRUE), least / scale, low)
        high = np.where(~known & (by_bounds == FALSE), most / scale, high)
        return truth, low, high

    def _sides_of(self, expressions: Sequence[Expression]) -> Bounds:
        each = [self._side(expression) for expression in expressions]
        return np.array([low for low, _ in each]), np.array([high for _, high in each])


def distances(comparison: Comparison, left: Bounds, right: Bounds) -> tuple[Array, Array, Array]:
    """The least and the most distance from the threshold, positive where it holds; and what a share of it is of."""
    with np.errstate(all="ignore"):
        over, under = left[0] - right[1], left[1] - right[0]
        gap = np.maximum(np.maximum(over, -under), 0.0)
        if comparison.op in (">", ">="):
            least, most = over, under
        elif comparison.op in ("<", "<="):
            least, most = -under, -over
        else:
            least, most = (
                (gap, np.full_like(gap, np.inf)) if comparison.op == "!=" else (np.full_like(gap, -np.inf), -gap)
            )
        nearest = np.where(np.isfinite(right[1]), right[1], right[0])
        scale = np.where(np.isfinite(nearest) & (nearest != 0), np.abs(nearest), 1.0)
    return least, most, scale
