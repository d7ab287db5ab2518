"""The part of numpy that the reasoning uses, in plain Python, for an interpreter without packages.

Arrays have one or two dimensions; a launch is one row. NaN and infinity follow IEEE 754 as in numpy: true division by
zero gives them and raises nothing (`%` and `//` by zero do raise). Only what the exported modules call exists here; a
test runs all of them.
"""

from __future__ import annotations

import builtins
import contextlib
import math
import operator
from typing import Any

nan, inf = math.nan, math.inf
float64, int8, intp = float, int, int


class dtype:
    """The kind of an array's values: `f` for floats, `i`, `b`, `O` for the rest."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


def _size(shape: tuple[int, ...]) -> int:
    return math.prod(shape)


class ndarray:
    """Values in row-major order, and their shape."""

    def __init__(self, flat: list[Any], shape: tuple[int, ...]) -> None:
        self.flat, self.shape = flat, shape

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.flat)

    @property
    def dtype(self) -> dtype:
        """The kind of the values."""
        kinds = {
            "b" if isinstance(v, bool) else "i" if isinstance(v, int) else "f" if isinstance(v, float) else "O"
            for v in self.flat
        }
        return dtype("O" if "O" in kinds else "f" if "f" in kinds or not kinds else "i" if "i" in kinds else "b")

    @property
    def T(self) -> ndarray:
        """The transposed array."""
        if self.ndim < 2:
            return self
        m, n = self.shape
        return ndarray([self.flat[i * n + j] for j in range(n) for i in range(m)], (n, m))

    def _rows(self) -> list[Any]:
        if self.ndim == 1:
            return self.flat
        n = self.shape[1]
        return [ndarray(self.flat[i * n : i * n + n], (n,)) for i in range(self.shape[0])]

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Any:
        return iter(self._rows())

    def _one(self) -> Any:
        if len(self.flat) != 1:
            raise ValueError("the truth value of an array with several values is ambiguous")
        return self.flat[0]

    def __bool__(self) -> bool:
        return bool(self._one())

    def __float__(self) -> float:
        return float(self._one())

    def __int__(self) -> int:
        return int(self._one())

    def __index__(self) -> int:
        return operator.index(self._one())

    def item(self) -> Any:
        """Return the only value."""
        return self._one()

    def copy(self) -> ndarray:
        """Return a copy."""
        return ndarray(list(self.flat), self.shape)

    def astype(self, kind: Any, copy: bool = True) -> ndarray:
        """Return the values as float, int, bool or object."""
        return ndarray([v if kind is object else kind(v) for v in self.flat], self.shape)

    def reshape(self, *shape: Any) -> ndarray:
        """Return the values in another shape; -1 is what the other dimension leaves."""
        wanted = shape[0] if isinstance(shape[0], tuple) else shape
        known = _size(tuple(n for n in wanted if n != -1))
        return ndarray(self.flat, tuple(len(self.flat) // builtins.max(known, 1) if n == -1 else n for n in wanted))

    def tolist(self) -> Any:
        """Return (nested) lists."""
        if not self.shape:
            return self.flat[0]
        return list(self.flat) if self.ndim == 1 else [row.tolist() for row in self._rows()]

    def tobytes(self) -> bytes:
        """Return small integers as bytes."""
        return bytes(int(v) for v in self.flat)

    # -- indexing -------------------------------------------------------------------------------------------------
    def _places(self, key: Any, length: int) -> tuple[list[int], bool]:
        """Return the indices along one dimension, and whether that dimension disappears."""
        if isinstance(key, slice):
            return list(range(*key.indices(length))), False
        if isinstance(key, (list, tuple)):
            key = array(key)
        if isinstance(key, ndarray) and key.shape:
            if key.flat and builtins.all(isinstance(v, bool) for v in key.flat):
                return [at for at, chosen in enumerate(key.flat) if chosen], False
            return [v % length if v < 0 else v for v in map(int, key.flat)], False
        if isinstance(key, range):
            return list(key), False
        at = operator.index(key)
        if not -length <= at < length:
            raise IndexError(f"{at} is out of bounds for {length} values")
        return [at % length], True

    def _select(self, key: Any) -> tuple[list[int], tuple[int, ...]]:
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) == 2 and keys[1] is None:
            chosen, shape = self._select(keys[0])
            return chosen, (*shape, 1)
        first, drop = self._places(keys[0], self.shape[0])
        if self.ndim == 1:
            return first, () if drop else (len(first),)
        second, drop2 = self._places(keys[1] if len(keys) > 1 else slice(None), self.shape[1])
        n = self.shape[1]
        shape = (*(() if drop else (len(first),)), *(() if drop2 else (len(second),)))
        return [i * n + j for i in first for j in second], shape

    def __getitem__(self, key: Any) -> Any:
        if not self.shape:
            return self.flat[0] if key == () else ndarray(self.flat, (1,))[key]
        places, shape = self._select(key)
        return self.flat[places[0]] if shape == () else ndarray([self.flat[at] for at in places], shape)

    def __setitem__(self, key: Any, value: Any) -> None:
        places, _ = self._select(key)
        values = (
            value.flat if isinstance(value, ndarray) else list(value) if isinstance(value, (list, tuple)) else [value]
        )
        for at, place in enumerate(places):
            self.flat[place] = values[at if len(values) > 1 else 0]

    # -- reductions -----------------------------------------------------------------------------------------------
    def _reduce(self, fold: Any, axis: int | None) -> Any:
        if axis is None or self.ndim == 1:
            return fold(self.flat)
        rows = self.T if axis == 0 else self
        return ndarray([fold(row.flat) for row in rows._rows()], (len(rows),))

    def all(self, axis: int | None = None) -> Any:
        """Return whether all values are true."""
        return self._reduce(lambda vs: builtins.all(map(bool, vs)), axis)

    def any(self, axis: int | None = None) -> Any:
        """Return whether any value is true."""
        return self._reduce(lambda vs: builtins.any(map(bool, vs)), axis)

    def max(self, axis: int | None = None) -> Any:
        """Return the maximum; NaN if any value is NaN."""
        return self._reduce(lambda vs: nan if builtins.any(v != v for v in vs) else builtins.max(vs), axis)

    def min(self, axis: int | None = None) -> Any:
        """Return the minimum; NaN if any value is NaN."""
        return self._reduce(lambda vs: nan if builtins.any(v != v for v in vs) else builtins.min(vs), axis)

    def sum(self, axis: int | None = None) -> Any:
        """Return the sum."""
        return self._reduce(sum, axis)

    def argmax(self, axis: int | None = None) -> Any:
        """Return the index of the first maximum; a NaN counts as one."""
        return self._reduce(
            lambda vs: builtins.max(range(len(vs)), key=lambda at: (vs[at] != vs[at], vs[at], -at)), axis
        )

    # -- arithmetic -----------------------------------------------------------------------------------------------
    def __neg__(self) -> ndarray:
        return _each(operator.neg, self)

    def __abs__(self) -> ndarray:
        return _each(operator.abs, self)

    def __invert__(self) -> ndarray:
        return _each(lambda v: not v if isinstance(v, bool) else ~v, self)

    __hash__ = None  # type: ignore[assignment]


def _flat(value: Any) -> tuple[list[Any], tuple[int, ...]]:
    if isinstance(value, ndarray):
        return value.flat, value.shape
    if isinstance(value, (list, tuple)):
        made = array(value)
        return made.flat, made.shape
    return [value], ()


def _together(*values: Any) -> tuple[list[list[Any]], tuple[int, ...]]:
    """Return the values of all operands in one shape: that of the largest, which the others are repeated to fill."""
    parts = [_flat(v) for v in values]
    shape = builtins.max((s for _, s in parts), key=lambda s: (not _size(s), _size(s), len(s)))
    total, out = _size(shape), []
    for flat, own in parts:
        if len(flat) == total:
            out.append(flat)
        elif len(flat) == 1:
            out.append(flat * total)
        elif len(shape) == 2 and own in ((shape[1],), (1, shape[1])):
            out.append(flat * shape[0])
        elif len(shape) == 2 and own == (shape[0], 1):
            out.append([v for v in flat for _ in range(shape[1])])
        else:
            raise ValueError(f"operands of shapes {own} and {shape}")
    return out, shape


def _each(function: Any, *values: Any) -> Any:
    parts, shape = _together(*values)
    return ndarray([function(*vs) for vs in zip(*parts)], shape)


def _divided(a: Any, b: Any) -> float:
    if b != 0 or a != a or b != b:
        return a / b if b != 0 else nan
    if a == 0:
        return nan
    return math.copysign(inf, a) * math.copysign(1.0, b)


def _powered(a: Any, b: Any) -> float:
    try:
        found = float(a) ** float(b)
    except ZeroDivisionError:
        return inf
    except OverflowError:
        return inf
    return nan if isinstance(found, complex) else found


def _times(a: Any, b: Any) -> Any:
    return a * b


_BINARY = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": _times,
    "truediv": _divided,
    "pow": _powered,
    "and": operator.and_,
    "or": operator.or_,
    "mod": operator.mod,
    "floordiv": operator.floordiv,
}
_COMPARE = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}


def _define() -> None:
    def forward(function: Any) -> Any:
        return lambda self, other: _each(function, self, other)

    def backward(function: Any) -> Any:
        return lambda self, other: _each(lambda a, b: function(b, a), self, other)

    for name, function in _BINARY.items():
        setattr(ndarray, f"__{name}__", forward(function))
        setattr(ndarray, f"__r{name}__", backward(function))
    for name, function in _COMPARE.items():
        setattr(ndarray, f"__{name}__", forward(function))


_define()


def array(values: Any, dtype: Any = None) -> ndarray:
    """Return the values of a (nested) sequence as an array."""
    if isinstance(values, ndarray):
        made = values.copy()
    elif isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        made = ndarray([values], ())
    else:
        rows = list(values)
        if rows and builtins.all(
            isinstance(r, (list, tuple, ndarray)) and not (isinstance(r, ndarray) and not r.shape) for r in rows
        ):
            parts = [r.flat if isinstance(r, ndarray) else list(r) for r in rows]
            made = ndarray([v for part in parts for v in part], (len(parts), len(parts[0])))
        else:
            made = ndarray([r.flat[0] if isinstance(r, ndarray) else r for r in rows], (len(rows),))
    return made if dtype in (None, object) else made.astype(dtype)


def asarray(values: Any, dtype: Any = None) -> ndarray:
    """Return an array, the same object if it is one."""
    return values if isinstance(values, ndarray) and dtype is None else array(values, dtype)


def full(shape: Any, value: Any, dtype: Any = None) -> ndarray:
    """Return an array of one value."""
    wanted = shape if isinstance(shape, tuple) else (shape,)
    made = value if dtype in (None, object) else dtype(value)
    return ndarray([made] * _size(wanted), wanted)


def empty(shape: Any, dtype: Any = float) -> ndarray:
    """Return an array of zeros."""
    return full(shape, 0, dtype)


def zeros(shape: Any, dtype: Any = float) -> ndarray:
    """Return an array of zeros."""
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = float) -> ndarray:
    """Return an array of ones."""
    return full(shape, 1, dtype)


def full_like(like: Any, value: Any, dtype: Any = None) -> ndarray:
    """Return an array of one value in the shape of another."""
    return full(asarray(like).shape, value, dtype)


def zeros_like(like: Any, dtype: Any = None) -> ndarray:
    """Return zeros, False for an array of truth values."""
    made = asarray(like)
    return full(made.shape, 0, dtype or (bool if made.dtype.kind == "b" else float))


def ones_like(like: Any, dtype: Any = None) -> ndarray:
    """Return ones, True for an array of truth values."""
    made = asarray(like)
    return full(made.shape, 1, dtype or (bool if made.dtype.kind == "b" else float))


def where(condition: Any, chosen: Any, other: Any) -> ndarray:
    """Return one or the other value, by a condition."""
    made: ndarray = _each(lambda c, a, b: a if c else b, condition, chosen, other)
    return made


def isfinite(values: Any) -> Any:
    """Return where values are finite."""
    found = _each(lambda v: math.isfinite(v), values)
    return found if isinstance(values, (ndarray, list, tuple)) else found.flat[0]


def isnan(values: Any) -> Any:
    """Return where values are NaN."""
    return _each(lambda v: v != v, values)


def _or_nan(pick: Any) -> Any:
    return lambda a, b: nan if a != a or b != b else pick(a, b)


def _other_if_nan(pick: Any) -> Any:
    return lambda a, b: b if a != a else a if b != b else pick(a, b)


class _Folding:
    """A function of two values that can also fold a sequence of arrays."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, a: Any, b: Any) -> Any:
        found = _each(self._function, a, b)
        return found if found.shape or isinstance(a, ndarray) or isinstance(b, ndarray) else found.flat[0]

    def reduce(self, values: Any, axis: int = 0) -> Any:
        """Fold the arrays of a sequence."""
        rows = list(values)
        out = rows[0]
        for row in rows[1:]:
            out = self(out, row)
        return asarray(out)


maximum, minimum = _Folding(_or_nan(builtins.max)), _Folding(_or_nan(builtins.min))
fmax, fmin = _Folding(_other_if_nan(builtins.max)), _Folding(_other_if_nan(builtins.min))
multiply = _Folding(_times)


def _stacked(values: Any) -> ndarray:
    if isinstance(values, ndarray):
        return values
    parts, shape = _together(*values)
    return ndarray([v for part in parts for v in part], (len(parts), *(shape or (1,))))


def max(values: Any, axis: int | None = None) -> Any:
    """Return the maximum along an axis."""
    return _stacked(values).max(axis)


def min(values: Any, axis: int | None = None) -> Any:
    """Return the minimum along an axis."""
    return _stacked(values).min(axis)


def any(values: Any, axis: int | None = None) -> Any:
    """Return whether any value along an axis is true."""
    return _stacked(values).any(axis)


def nansum(values: Any, axis: int | None = None) -> Any:
    """Return the sum, NaN as 0."""
    return nan_to_num(_stacked(values)).sum(axis)


def argmax(values: Any, axis: int | None = None) -> Any:
    """Return the index of the first maximum along an axis."""
    return _stacked(values).argmax(axis)


def expand_dims(values: ndarray, axis: int) -> ndarray:
    """Return the array as one row."""
    return ndarray(values.flat, (1, *values.shape))


def take_along_axis(values: ndarray, places: ndarray, axis: int) -> ndarray:
    """Return the values at a row for each column."""
    return ndarray([values[int(row), column] for column, row in enumerate(places.flat)], places.shape)


def nan_to_num(values: Any, nan: float = 0.0) -> Any:
    """Return the values with another number for NaN, and the largest floats for infinity."""
    return _each(lambda v: nan if v != v else math.copysign(1.7976931348623157e308, v) if math.isinf(v) else v, values)


def clip(values: Any, low: Any, high: Any) -> Any:
    """Return the values within bounds; None is no bound."""
    out = values if low is None else maximum(values, low)
    return out if high is None else minimum(out, high)


def flatnonzero(values: Any) -> ndarray:
    """Return the indices of values that are not zero."""
    return array([at for at, v in enumerate(asarray(values).flat) if v])


def concatenate(parts: Any, axis: int = 0) -> ndarray:
    """Return one-dimensional arrays behind each other."""
    return array([v for part in parts for v in asarray(part).flat])


def broadcast_to(values: Any, shape: tuple[int, ...]) -> ndarray:
    """Return one value repeated to a shape."""
    return full(shape, asarray(values).flat[0])


def abs(values: Any) -> Any:
    """Return absolute values."""
    return _each(math.fabs, values)


def _whole(function: Any) -> Any:
    return lambda values: _each(lambda v: float(function(v)) if math.isfinite(v) else v, values)


floor, ceil = _whole(math.floor), _whole(math.ceil)


def log2(values: Any) -> Any:
    """Return logarithms; NaN below zero."""
    return _each(lambda v: math.log2(v) if v > 0 else -inf if v == 0 else nan, values)


def sqrt(values: Any) -> Any:
    """Return square roots; NaN below zero."""
    return _each(lambda v: math.sqrt(v) if v >= 0 else nan, values)


def power(a: Any, b: Any) -> Any:
    """Return a to the power of b."""
    return _each(_powered, a, b)


class errstate(contextlib.ContextDecorator):
    """Nothing: there are no warnings."""

    def __init__(self, **kinds: str) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


def all(values: Any, axis: int | None = None) -> Any:
    """Return whether all values along an axis are true."""
    return _stacked(values).all(axis)
