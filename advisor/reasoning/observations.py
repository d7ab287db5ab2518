"""Evaluate every observation of the knowledge base on all rows of a frame: true, false or unknown, with margins.

A missing counter is unknown but not below zero, so interval arithmetic can still decide some comparisons: a sum of
counters is at least its known part. Bounds are sound but not always tight, because a name that occurs twice is counted
twice.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, field, structs

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import (
    FALSE,
    TRUE,
    UNKNOWN,
    Expression,
    ExpressionError,
    Test,
    parse,
    parse_test,
)
from advisor.knowledge.expressions import Comparison as Compares
from advisor.knowledge.schemas import MetricDef
from advisor.knowledge.texts import Estimate, fill, named, not_known
from advisor.reasoning.code_counts import ESTIMATED
from advisor.reasoning.metrics.derive import columns_of
from advisor.records.diagnosis import Comparison
from advisor.records.errors import KnowledgeError

if TYPE_CHECKING:
    import pandas as pd


Array = np.ndarray[Any, Any]
# The lower and the upper bound of a value, shape (rows,) each; equal if it is known.
Bounds = tuple[Array, Array]


def bounds(expression: Expression, of: Callable[[str], Bounds], rows: int) -> Bounds:
    """Return the bounds of a formula from those of its names."""
    if isinstance(expression.node, ast.Name):
        return of(expression.node.id)
    with np.errstate(all="ignore"):
        low, high = _bounds(expression.node, of, rows)
    nothing = np.isnan(low) | np.isnan(high)
    return np.where(nothing, -np.inf, low), np.where(nothing, np.inf, high)


def decided(comparison: Compares, left: Bounds, right: Bounds) -> Array:
    """Return TRUE or FALSE if the comparison has one outcome for all values within the bounds, else UNKNOWN."""
    less, greater = left[1] < right[0], left[0] > right[1]
    at_most, at_least = left[1] <= right[0], left[0] >= right[1]
    equal = (left[0] == left[1]) & (right[0] == right[1]) & (left[0] == right[0])
    sure, ruled_out = {
        "<": (less, at_least),
        "<=": (at_most, greater),
        ">": (greater, at_most),
        ">=": (at_least, less),
        "==": (equal, less | greater),
        "!=": (less | greater, equal),
    }[comparison.op]
    return np.where(sure, TRUE, np.where(ruled_out, FALSE, UNKNOWN))


def _bounds(node: ast.expr, of: Callable[[str], Bounds], rows: int) -> Bounds:
    if isinstance(node, ast.Constant):
        same = np.full(rows, float(node.value))  # type: ignore[arg-type]
        return same, same
    if isinstance(node, ast.Name):
        return of(node.id)
    if isinstance(node, ast.UnaryOp):
        low, high = _bounds(node.operand, of, rows)
        return -high, -low
    if isinstance(node, ast.BinOp):
        return _operation(node.op, _bounds(node.left, of, rows), _bounds(node.right, of, rows))
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    parts = [_bounds(arg, of, rows) for arg in node.args]
    low, high = parts[0]
    match node.func.id:
        case "min":
            return np.minimum.reduce([p[0] for p in parts]), np.minimum.reduce([p[1] for p in parts])
        case "max":
            return np.maximum.reduce([p[0] for p in parts]), np.maximum.reduce([p[1] for p in parts])
        case "abs":
            least = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
            return least, np.maximum(np.abs(low), np.abs(high))
        case "log2":
            # The value may be undefined if it may be zero or less.
            return np.where(low > 0, np.log2(low), np.nan), np.where(low > 0, np.log2(high), np.nan)
        case "sqrt":
            return np.where(low >= 0, np.sqrt(low), np.nan), np.where(low >= 0, np.sqrt(high), np.nan)
        case "floor":
            return np.floor(low), np.floor(high)
        case "ceil":
            return np.ceil(low), np.ceil(high)
        case _:  # first: that one if it is known, else it may be it or those behind it
            least, most = parts[-1]
            for low, high in reversed(parts[:-1]):
                known = low == high
                least = np.where(known, low, np.minimum(low, least))
                most = np.where(known, high, np.maximum(high, most))
            return least, most


def _operation(op: ast.operator, a: Bounds, b: Bounds) -> Bounds:
    if isinstance(op, ast.Add):
        return a[0] + b[0], a[1] + b[1]
    if isinstance(op, ast.Sub):
        return a[0] - b[1], a[1] - b[0]
    if isinstance(op, ast.Div):
        may_be_zero = (b[0] <= 0) & (b[1] >= 0)
        b = np.where(may_be_zero, np.nan, b[0]), np.where(may_be_zero, np.nan, b[1])
        corners = [x / y for x in a for y in b]
    else:
        corners = [x * y for x in a for y in b]
    # Zero times infinity counts as zero; infinity / infinity ranges from zero to infinity.
    missing = np.isnan(a[0]) | np.isnan(b[0])
    whole = [np.where(np.isnan(c) & ~missing, 0.0, c) for c in corners]
    return np.minimum.reduce(whole), np.maximum.reduce(whole)


class Ranges:
    """The bounds of all metrics of a frame, derived on request. columns: metric to values, shape (rows,)."""

    def __init__(self, metrics: Mapping[str, MetricDef], columns: Mapping[str, Array], rows: int) -> None:
        self._metrics, self._columns, self._rows = metrics, columns, rows
        self._known: dict[str, Bounds] = {}
        self._sides: dict[str, Bounds] = {}

    def metric(self, name: str) -> Bounds:
        """Return the lower and upper bound of a metric; equal if it is known."""
        if name not in self._known:
            everything = np.full(self._rows, np.inf)
            self._known[name] = -everything, everything  # the bounds that a self-referencing formula gets
            low, high = self._unknown(name)
            values = self._columns.get(name)
            if values is not None:
                finite = np.isfinite(values)
                low, high = np.where(finite, values, low), np.where(finite, values, high)
            self._known[name] = low, high
        return self._known[name]

    def _unknown(self, name: str) -> Bounds:
        low, high = self._from_formula(name)
        entry = self._metrics.get(name)
        if entry is not None and entry.at_most:
            try:
                most = bounds(parse(entry.at_most), self.metric, self._rows)[1]
            except ExpressionError:  # the lint reports these
                return low, high
            high = np.minimum(high, np.where(most >= low, most, np.inf))
        return low, high

    def _from_formula(self, name: str) -> Bounds:
        entry, everything = self._metrics.get(name), np.full(self._rows, np.inf)
        if entry is None or (entry.source in ("python", "quantification") and not entry.names):
            return -everything, everything
        if entry.formula:
            try:
                low, high = bounds(parse(entry.formula), self.metric, self._rows)
            except ExpressionError:  # the lint reports these
                low, high = -everything, everything
            # A metric that ncu counts is a counter and so not negative.
            return (np.maximum(low, 0.0), high) if entry.names else (low, high)
        return np.zeros(self._rows), everything  # a count, a size, a time, a share

    def _side(self, expression: Expression) -> Bounds:
        if expression.text not in self._sides:
            self._sides[expression.text] = bounds(expression, self.metric, self._rows)
        return self._sides[expression.text]

    def of(self, expression: Expression, row: int) -> Bounds:
        """Return the bounds of a formula on one launch, arrays of shape (1,)."""
        low, high = self._side(expression)
        return low[row : row + 1], high[row : row + 1]

    def least(self, row: int, name: str) -> float:
        """Return the lower bound of a metric on one launch if it is finite and above zero, else NaN."""
        low = float(self.metric(name)[0][row])
        return low if math.isfinite(low) and low > 0 else math.nan

    def judged(
        self, alike: Sequence[Compares], known: Array, truth: Array, low: Array, high: Array
    ) -> tuple[Array, Array, Array]:
        """Return truth, least and most margin, shape (comparisons, rows), by bounds if a side is unknown."""
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


def for_estimates(op: str, margin: Array, factor: float) -> tuple[Array, Array]:
    """Return the margins if the estimated side is off by this factor against the comparison, and for it."""
    if op in (">", ">="):
        return (1 + margin) / factor - 1, factor * (1 + margin) - 1
    if op in ("<", "<="):
        return 1 - factor * (1 - margin), 1 - (1 - margin) / factor
    return margin, margin


def with_estimates(op: str, holds: Array, margin: Array) -> tuple[Array, Array]:
    """Return which comparisons an estimate leaves undecided, and what is left of the margin of the others."""
    (against, for_it), (least, most) = (for_estimates(op, margin, f) for f in (ESTIMATE_MEDIAN, ESTIMATE_FACTOR))
    return np.where(holds, against < 0, for_it >= 0), np.where(holds, least, most)


def distances(comparison: Compares, left: Bounds, right: Bounds) -> tuple[Array, Array, Array]:
    """Return the least and the most distance from the threshold, positive if it holds, and the scale of shares."""
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


def _about(item: Comparison, c: Compares, threshold: float) -> Comparison:
    """Return a line of evidence with an estimate: undecided near its threshold, else with the rest of its margin."""
    if threshold == 0 or item.margin is None:
        return structs.replace(item, bound="about")
    undecided, left = with_estimates(c.op, np.array([item.holds]), np.array([item.margin]))
    if undecided[0]:
        return structs.replace(item, bound="about", holds=None, margin=None, margin_abs=None)
    return structs.replace(item, bound="about", margin=float(left[0]), margin_abs=float(left[0]) * abs(threshold))


# Evidence kept for later requests: more than one launch has observations.
_TOLD = 1024
# How far metrics estimated from the machine code are off, by the measured accuracy of advisor/hardware/sass_counts.py:
# in half of the launches by less than the first, in four of five by less than the second. What the first would turn is
# unknown, and the second is taken off from the margin of what is left.
ESTIMATE_MEDIAN, ESTIMATE_FACTOR = 1.1, 1.5
# Values evaluated at once: enough to hide the cost of the calls, few enough to need little memory.
_BLOCK = 1 << 18


def tests_of(catalog: Catalog) -> dict[str, Test]:
    """Return every observation's parsed test; raises KnowledgeError for one that is not in the grammar."""
    out = {}
    for name, entry in catalog.observations.items():
        try:
            out[name] = parse_test(entry.test)
        except ExpressionError as e:
            raise KnowledgeError(f"knowledge/observations:1: {name}: {e}") from None
    return out


class Observed(Struct, frozen=True, dict=True):
    """Evaluated observations. truth: FALSE, UNKNOWN or TRUE; margin: NaN if unknown; shape (rows, names) each.

    estimated: for each row the metrics known only with the counts of its machine code; empty if no row has any.
    """

    catalog: Catalog
    names: tuple[str, ...]
    truth: Array
    margin: Array
    columns: Mapping[str, Array]
    tests: Mapping[str, Test]
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    estimated: Sequence[frozenset[str]] = ()

    @cached_property
    def ranges(self) -> Ranges:
        """Return the bounds of unknown metrics."""
        return Ranges(self.catalog.metrics, self.columns, len(self.truth))

    @cached_property
    def measured(self) -> Mapping[str, Array]:
        """Return the columns without estimates: where a count is one, times that follow from it mean nothing."""
        if not any(self.estimated):
            return self.columns
        out = dict(self.columns)
        for row, names in enumerate(self.estimated):
            for name in names:
                if out[name] is self.columns[name]:
                    out[name] = self.columns[name].copy()
                out[name][row] = np.nan
        return out

    def state(self, row: int) -> dict[str, int]:
        """Map each observation id to its truth code for one launch."""
        return dict(zip(self.names, self.truth[row].tolist(), strict=True))

    def value(self, row: int, metric: str) -> float:
        """Return a metric's value on one launch, NaN if unknown."""
        column = self.columns.get(metric)
        return float("nan") if column is None else float(column[row])

    def holds(self, row: int, name: str) -> bool:
        """Whether an observation holds on one launch; False if it is unknown."""
        return bool(self.truth[row, self.place[name]] == TRUE)

    @cached_property
    def place(self) -> dict[str, int]:
        """Map each observation id to its column in `truth` and `margin`."""
        return {name: at for at, name in enumerate(self.names)}

    @cached_property
    def _row(self) -> dict[int, dict[str, float]]:
        """Cache the values of the last requested launch, because each of its findings requests them again."""
        return {}

    @cached_property
    def _told(self) -> dict[tuple[int, str], tuple[Comparison, ...]]:
        """Cache the latest evidence."""
        return {}

    def values(self, row: int) -> dict[str, float]:
        """Return all known metrics of one launch."""
        found = self._row.get(row)
        if found is None:
            found = {name: float(c[row]) for name, c in self.columns.items() if math.isfinite(c[row])}
            self._row.clear()
            self._row[row] = found
        return dict(found)

    def estimates(self, row: int) -> frozenset[str]:
        """Return the metrics of one launch that are known only with the counts of its machine code."""
        return self.estimated[row] if self.estimated else frozenset()

    def evidence(self, row: int, name: str) -> tuple[Comparison, ...]:
        """Return the comparisons of one observation on one launch, with their margins."""
        found = self._told.get((row, name))
        if found is None:
            if len(self._told) >= _TOLD:
                self._told.clear()
            found = self._told[row, name] = self._evidence(row, name)
        return found

    def _evidence(self, row: int, name: str) -> tuple[Comparison, ...]:
        entry = self.catalog.observations[name]
        wanted = self.tests[name].names | named(entry.says)
        values = {name: self.value(row, name) for name in wanted}
        least = {name: self.ranges.least(row, name) for name, value in values.items() if not math.isfinite(value)}
        about = self.estimates(row)
        texts = {label: texts[row] for label, texts in self.labels.items()}
        says = fill(entry.says, {**values, **{name: Estimate(values[name]) for name in wanted & about}, **texts}, least)
        if self.truth[row, self.place[name]] == UNKNOWN:
            lacking = [m for m in self.unknown_metrics(row, name) if not math.isfinite(least[m])]
            known = self.catalog.metrics
            says = not_known((known[m].means if m in known else "") or m for m in lacking) if lacking else says
        out = []
        for c in self.tests[name].comparisons:
            value, threshold = c.left.scalar(values), c.right.scalar(values)
            definition = self.catalog.metrics.get(c.left.text)
            plain = Comparison(
                observation=name,
                metric=c.left.text,
                value=value if math.isfinite(value) else None,
                unit=definition.unit if definition else "",
                test=c.test,
                threshold=threshold if math.isfinite(threshold) else None,
                cites=entry.cites,
                says=says,
            )
            if math.isfinite(value) and math.isfinite(threshold):
                distance = float(c.difference(value, threshold))
                margin = distance / (abs(threshold) or 1.0)
                holds = bool(c.holds(value, threshold))
                found = structs.replace(plain, holds=holds, margin=margin, margin_abs=distance)
                out.append(_about(found, c, threshold) if about & (c.left.names | c.right.names) else found)
            else:
                out.append(self._bounded(row, c, plain))
        return tuple(out)

    def _bounded(self, row: int, c: Compares, plain: Comparison) -> Comparison:
        """Decide a comparison with an unknown side by its bounds; its margin is the least, or the most if it fails."""
        left, right = self.ranges.of(c.left, row), self.ranges.of(c.right, row)
        truth = int(decided(c, left, right)[0])
        low, high, scale = (float(part[0]) for part in distances(c, left, right))
        distance = low if truth == TRUE else high if truth == FALSE else math.nan
        at_least, at_most = float(left[0][0]), float(left[1][0])
        value, bound = plain.value, math.nan
        if truth != UNKNOWN and value is None:
            bound = at_least if at_least > 0 else at_most
        return structs.replace(
            plain,
            value=bound if math.isfinite(bound) else value,
            holds=None if truth == UNKNOWN else truth == TRUE,
            margin=distance / scale if math.isfinite(distance) else None,
            margin_abs=distance if math.isfinite(distance) else None,
            bound="" if not math.isfinite(bound) else "at_least" if bound == at_least else "at_most",
        )

    def unknown_metrics(self, row: int, name: str) -> tuple[str, ...]:
        """Return the metrics that an undecided observation lacks, sorted."""
        return tuple(sorted(m for m in self.tests[name].names if not math.isfinite(self.value(row, m))))


def observe(
    frame: pd.DataFrame,
    catalog: Catalog,
    only: Sequence[str] | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
) -> Observed:
    """Evaluate all observations (or `only` these) on a derived frame; labels: texts for `says`, one per row."""
    tests = tests_of(catalog)
    if only is not None:
        tests = {name: tests[name] for name in only}
    estimated = tuple(frame[ESTIMATED]) if ESTIMATED in frame else ()
    return observe_columns(catalog, columns_of(frame), len(frame), tests, labels, estimated)


def observe_columns(
    catalog: Catalog,
    columns: Mapping[str, Array],
    rows: int,
    tests: Mapping[str, Test],
    labels: Mapping[str, Sequence[str]] | None = None,
    estimated: Sequence[frozenset[str]] = (),
) -> Observed:
    """Evaluate these observations on columns of metrics, shape (rows,) each; estimated: as in `Observed`."""
    names = tuple(tests)
    truth = np.empty((rows, len(names)), dtype=np.int8)
    margin = np.empty((rows, len(names)), dtype=float)
    sides: dict[str, Array] = {}

    def side(expression: Any) -> Array:
        if expression.text not in sides:
            sides[expression.text] = expression.column(columns, rows)
        return sides[expression.text]

    ranges = Ranges(catalog.metrics, columns, rows)
    at, step = 0, max(1, _BLOCK // max(rows, 1))
    with np.errstate(all="ignore"):
        while at < len(names):
            some = [tests[name] for name in names[at : at + step]]
            compared = _compared([c for test in some for c in test.comparisons], side, ranges, estimated)
            folded = [test.folded([compared[c] for c in test.comparisons], np.minimum, np.maximum) for test in some]
            code, low, high = (np.array(part) for part in zip(*folded, strict=True))
            decided = np.where(code == TRUE, low, np.where(code == FALSE, high, np.nan))
            equal = np.array([any(c.op == "==" for c in test.comparisons) for test in some])
            # Nothing but the equality decided it, alone, in place of others or denied.
            lone = equal[:, None] & (code != UNKNOWN) & ~np.isfinite(decided)
            truth[:, at : at + step] = code.T
            margin[:, at : at + step] = np.where(lone, 0.0, decided).T
            at += step
    return Observed(catalog, names, truth, margin, columns, tests, labels or {}, estimated)


def _compared(
    comparisons: Sequence[Compares], side: Callable[[Any], Array], ranges: Ranges, estimated: Sequence[frozenset[str]]
) -> dict[Compares, tuple[Array, Array, Array]]:
    """Return truth, least and most margin of each comparison; those with one operator are evaluated together."""
    out: dict[Compares, tuple[Array, Array, Array]] = {}
    for op in dict.fromkeys(c.op for c in comparisons):
        alike = list(dict.fromkeys(c for c in comparisons if c.op == op))
        left, right = (
            np.array([side(e) for e in sides]) for sides in zip(*((c.left, c.right) for c in alike), strict=True)
        )
        known = np.isfinite(left) & np.isfinite(right)
        code = np.where(known, np.where(alike[0].holds(left, right), TRUE, FALSE), UNKNOWN)
        distance = alike[0].difference(left, right) / np.where(right == 0, 1.0, np.abs(right))
        low, high = np.where(known, distance, -np.inf), np.where(known, distance, np.inf)
        if op == "==":
            # What is equal has no distance to its threshold, so it is no doubt about what other comparisons show.
            low = np.where(code == TRUE, np.inf, low)
        if any(estimated):
            about = np.array([[bool(names & (c.left.names | c.right.names)) for names in estimated] for c in alike])
            # None of something is none: what the code does not hold is not executed.
            about &= known & (right != 0)
            undecided, left = with_estimates(op, code == TRUE, distance)
            code = np.where(about & undecided, UNKNOWN, code)
            low, high = np.where(about & (code == TRUE), left, low), np.where(about & (code == FALSE), left, high)
        lacking = np.flatnonzero(~known.all(axis=1))
        if len(lacking):
            chosen = [alike[at] for at in lacking.tolist()]
            parts = known[lacking], code[lacking], low[lacking], high[lacking]
            code[lacking], low[lacking], high[lacking] = ranges.judged(chosen, *parts)
        out.update(zip(alike, zip(code, low, high, strict=True), strict=True))
    return out
