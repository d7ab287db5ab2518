"""Formulas over intervals: what must hold of a value though parts of it are unknown.

A counter that a report lacks is unknown, but not below zero: a sum of counters is at least its known part, and the
larger of two is at least the known one. Bounds are sound and not always tight: a name that occurs twice is counted
twice. Where a divisor may be zero the value may be missing (see `expressions`), and nothing is concluded from it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN, Comparison, Expression

Array = np.ndarray[Any, Any]
# The least and the greatest that a value can be, shape (rows,) each; equal where it is known.
Bounds = tuple[Array, Array]


def bounds(expression: Expression, of: Callable[[str], Bounds], rows: int) -> Bounds:
    """The bounds of a formula from those of its names."""
    if isinstance(expression.node, ast.Name):
        return of(expression.node.id)
    with np.errstate(all="ignore"):
        low, high = _bounds(expression.node, of, rows)
    nothing = np.isnan(low) | np.isnan(high)
    return np.where(nothing, -np.inf, low), np.where(nothing, np.inf, high)


def decided(comparison: Comparison, left: Bounds, right: Bounds) -> Array:
    """TRUE or FALSE where the comparison comes out alike for all values within the bounds, else UNKNOWN."""
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
            # Not even a number where it may be zero or less.
            return np.where(low > 0, np.log2(low), np.nan), np.where(low > 0, np.log2(high), np.nan)
        case "floor":
            return np.floor(low), np.floor(high)
        case _:
            return np.ceil(low), np.ceil(high)


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
    # Nothing times anything, however large, is nothing; without bound over without bound is anything from nothing on.
    missing = np.isnan(a[0]) | np.isnan(b[0])
    whole = [np.where(np.isnan(c) & ~missing, 0.0, c) for c in corners]
    return np.minimum.reduce(whole), np.maximum.reduce(whole)
