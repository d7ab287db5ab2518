"""The small closed grammar of formulas and tests. `ast` parses the text; none of it is executed as code.

Formulas: numbers, metric names, + - * /, parentheses, min, max, abs, log2, sqrt, floor, ceil, and first, which is the
first of its arguments that is known. Tests add comparisons joined by and, or, not. A missing name is NaN; division by
zero, log2 of a value that is not positive and sqrt of a negative one are NaN; a comparison with NaN is unknown, and
tests use Kleene's logic: FALSE < UNKNOWN < TRUE, and = min, or = max, not = 2 - x.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

FALSE, UNKNOWN, TRUE = 0, 1, 2
_LONGEST = 600
_LARGEST = 1e300
_NAN = float("nan")


class ExpressionError(ValueError):
    """The text does not follow the grammar; the message names the mistake."""


_BINARY: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
FUNCTIONS = {"min": 2, "max": 2, "abs": 1, "log2": 1, "sqrt": 1, "floor": 1, "ceil": 1, "first": 2}


def _parse(text: str) -> ast.expr:
    if not text.strip():
        raise ExpressionError("an empty expression")
    if len(text) > _LONGEST:
        raise ExpressionError(f"an expression longer than {_LONGEST} characters")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"not an expression: {text.strip()[:80]!r}") from None


def _check(node: ast.expr, logic: bool) -> None:
    """Reject everything outside the grammar. logic: whether comparisons are allowed here."""
    if logic and isinstance(node, ast.BoolOp):
        for value in node.values:
            _check(value, True)
    elif logic and isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        _check(node.operand, True)
    elif logic and isinstance(node, ast.Compare):
        if any(type(op) not in _COMPARE for op in node.ops):
            raise ExpressionError("only < <= > >= == != are allowed")
        for value in (node.left, *node.comparators):
            _check(value, False)
    elif logic:
        raise ExpressionError("a test needs a comparison")
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            raise ExpressionError(f"{node.value!r} is not a number")
        if isinstance(node.value, int) and abs(node.value) > _LARGEST:
            raise ExpressionError("the number is too large")
    elif isinstance(node, ast.Name):
        pass
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        _check(node.operand, False)
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        _check(node.left, False)
        _check(node.right, False)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        fewest = FUNCTIONS.get(node.func.id)
        if fewest is None:
            raise ExpressionError(f"{node.func.id!r} is not one of {', '.join(FUNCTIONS)}")
        if len(node.args) < fewest or (fewest == 1 and len(node.args) != 1):
            raise ExpressionError(f"{node.func.id} takes {'two or more values' if fewest == 2 else 'one value'}")
        for arg in node.args:
            _check(arg, False)
    else:
        raise ExpressionError(f"{type(node).__name__} is not part of the grammar")


def _names(node: ast.expr) -> frozenset[str]:
    found, left = set(), [node]
    while left:
        part = left.pop()
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Call):
            left += part.args
        elif not isinstance(part, ast.Constant):
            left += (child for child in ast.iter_child_nodes(part) if isinstance(child, ast.expr))
    return frozenset(found)


def _scalar(node: ast.expr, values: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        return float(values.get(node.id, _NAN))
    if isinstance(node, ast.UnaryOp):
        return -_scalar(node.operand, values)
    if isinstance(node, ast.BinOp):
        a, b = _scalar(node.left, values), _scalar(node.right, values)
        if isinstance(node.op, ast.Add):
            return a + b
        if isinstance(node.op, ast.Sub):
            return a - b
        if isinstance(node.op, ast.Mult):
            return a * b
        return a / b if b else _NAN
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    args = [_scalar(a, values) for a in node.args]
    if node.func.id == "first":
        return next((a for a in args if math.isfinite(a)), _NAN)
    if any(math.isnan(a) for a in args):
        return _NAN
    if node.func.id == "log2":
        return math.log2(args[0]) if args[0] > 0 else _NAN
    if node.func.id == "sqrt":
        return math.sqrt(args[0]) if args[0] >= 0 else _NAN
    if not all(map(math.isfinite, args)):
        return _NAN
    plain: dict[str, Callable[..., float]] = {
        "min": min,
        "max": max,
        "abs": abs,
        "floor": math.floor,
        "ceil": math.ceil,
    }
    return float(plain[node.func.id](*args))


def _column(node: ast.expr, columns: Mapping[str, Any], rows: int) -> np.ndarray[Any, Any]:
    import numpy as np

    if isinstance(node, ast.Constant):
        return np.full(rows, float(node.value))  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        found = columns.get(node.id)
        return np.full(rows, np.nan) if found is None else np.asarray(found, dtype=float)
    if isinstance(node, ast.UnaryOp):
        return -_column(node.operand, columns, rows)
    with np.errstate(all="ignore"):
        if isinstance(node, ast.BinOp):
            a, b = _column(node.left, columns, rows), _column(node.right, columns, rows)
            if isinstance(node.op, ast.Add):
                return np.asarray(a + b)
            if isinstance(node.op, ast.Sub):
                return np.asarray(a - b)
            if isinstance(node.op, ast.Mult):
                return np.asarray(a * b)
            return np.where(b == 0, np.nan, a / b)
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        args = [_column(a, columns, rows) for a in node.args]
        name = node.func.id
        if name == "first":
            known = args[0]
            for other in args[1:]:
                known = np.where(np.isfinite(known), known, other)
            return known
        if name in ("min", "max"):
            reduce = np.minimum.reduce if name == "min" else np.maximum.reduce
            return np.asarray(reduce(args))
        if name == "log2":
            return np.where(args[0] > 0, np.log2(args[0]), np.nan)
        if name == "sqrt":
            return np.where(args[0] >= 0, np.sqrt(args[0]), np.nan)
        return np.asarray({"abs": np.abs, "floor": np.floor, "ceil": np.ceil}[name](args[0]))


@dataclass(frozen=True)
class Expression:
    """A formula. names: the metrics that it uses."""

    text: str
    names: frozenset[str]
    node: ast.expr = field(repr=False, compare=False)

    def scalar(self, values: Mapping[str, float]) -> float:
        """Return the value for one set of metrics; NaN if one is missing or for a division by zero."""
        value = _scalar(self.node, values)
        return value if math.isfinite(value) else _NAN

    def column(self, columns: Mapping[str, Any], rows: int) -> np.ndarray[Any, Any]:
        """Return the values for a frame's columns, shape (rows,); non-finite values become NaN."""
        import numpy as np

        out = _column(self.node, columns, rows)
        if out.shape != (rows,):
            out = np.broadcast_to(out, (rows,))
        return np.where(np.isfinite(out), out, np.nan)


@dataclass(frozen=True)
class Comparison:
    """A comparison `left op right`. text: the right side with the operator, as shown in evidence."""

    left: Expression
    op: str
    right: Expression

    @property
    def test(self) -> str:
        """The operator and the threshold, such as `> 60`."""
        return f"{self.op} {self.right.text}"

    def difference(self, left: Any, right: Any) -> Any:
        """Return the distance from the threshold, positive if the comparison holds; -|d| for == and |d| for !=."""
        if self.op in (">", ">="):
            return left - right
        if self.op in ("<", "<="):
            return right - left
        return abs(left - right) if self.op == "!=" else -abs(left - right)

    def holds(self, left: Any, right: Any) -> Any:
        """Return the result of the comparison, elementwise; meaningless if a side is NaN."""
        return {
            "<": lambda: left < right,
            "<=": lambda: left <= right,
            ">": lambda: left > right,
            ">=": lambda: left >= right,
            "==": lambda: left == right,
            "!=": lambda: left != right,
        }[self.op]()


@dataclass(frozen=True)
class Test:
    """A three-valued test over metrics."""

    text: str
    names: frozenset[str]
    comparisons: tuple[Comparison, ...]
    node: ast.expr = field(repr=False, compare=False)
    _index: Mapping[int, tuple[int, ...]] = field(repr=False, compare=False)

    def truth(self, values: Mapping[str, float]) -> int:
        """Return FALSE, UNKNOWN or TRUE for one set of metrics."""
        codes: list[int] = []
        for comparison in self.comparisons:
            left, right = comparison.left.scalar(values), comparison.right.scalar(values)
            known = math.isfinite(left) and math.isfinite(right)
            codes.append((TRUE if comparison.holds(left, right) else FALSE) if known else UNKNOWN)
        return int(self.folded([(code, code, code) for code in codes], min, max)[0])

    def folded(self, compared: list[tuple[Any, Any, Any]], minimum: Any, maximum: Any) -> tuple[Any, Any, Any]:
        """Fold truth codes and margins through and/or/not; return the truth, and the minimum and maximum margin.

        compared: of each comparison its truth code and its margin twice, the same if it is known, else -inf and inf.
        The margin of a true test is the minimum, that of a false test the maximum: unknown comparisons that do not
        decide are ignored.
        """
        if isinstance(self.node, ast.Compare) and len(compared) == 1:
            return compared[0]

        def walk(node: ast.expr) -> tuple[Any, Any, Any]:
            if isinstance(node, ast.BoolOp):
                parts = [walk(v) for v in node.values]
                return _folded(parts, minimum if isinstance(node.op, ast.And) else maximum)
            if isinstance(node, ast.UnaryOp):
                truth, low, high = walk(node.operand)
                return 2 - truth, -high, -low
            return _folded([compared[i] for i in self._index[id(node)]], minimum)

        return walk(self.node)


def _folded(parts: list[tuple[Any, Any, Any]], fold: Any) -> tuple[Any, Any, Any]:
    truth, low, high = parts[0]
    for t, lower, higher in parts[1:]:
        truth, low, high = fold(truth, t), fold(low, lower), fold(high, higher)
    return truth, low, high


def _source(node: ast.expr) -> str:
    return ast.unparse(node)


@lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """Parse a formula. Raises ExpressionError that names the mistake."""
    node = _parse(text)
    _check(node, False)
    return Expression(text.strip(), _names(node), node)


@lru_cache(maxsize=4096)
def parse_test(text: str) -> Test:
    """Parse a test. Raises ExpressionError that names the mistake."""
    node = _parse(text)
    _check(node, True)
    comparisons: list[Comparison] = []
    index: dict[int, tuple[int, ...]] = {}
    for compare in _compares(node):
        at = []
        left = compare.left
        for op, right in zip(compare.ops, compare.comparators, strict=True):
            at.append(len(comparisons))
            sides = [Expression(_source(side), _names(side), side) for side in (left, right)]
            comparisons.append(Comparison(sides[0], _COMPARE[type(op)], sides[1]))
            left = right
        index[id(compare)] = tuple(at)
    return Test(text.strip(), _names(node), tuple(comparisons), node, index)


def _compares(node: ast.expr) -> Iterator[ast.Compare]:
    if isinstance(node, ast.Compare):
        yield node
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _compares(value)
    elif isinstance(node, ast.UnaryOp):
        yield from _compares(node.operand)
