"""The part of pandas that prepares a launch, in plain Python: a frame is a table of named columns."""

from __future__ import annotations

from typing import Any

import numpy as np


class Series(list[Any]):
    """A column."""

    def __init__(self, values: Any = (), dtype: Any = None) -> None:
        super().__init__(values.flat if isinstance(values, np.ndarray) else values)

    def to_numpy(self, dtype: Any = None) -> Any:
        """Return the values as an array."""
        made = np.ndarray(list(self), (len(self),))
        return made if dtype is None else made.astype(dtype)

    @property
    def dtype(self) -> Any:
        """The kind of the values."""
        return np.ndarray(list(self), (len(self),)).dtype

    def __gt__(self, other: Any) -> Any:
        return [v > other for v in self]

    @property
    def iat(self) -> Series:
        """The values by the number of their row."""
        return self

    def where(self, condition: Any) -> Series:
        """Return the values, NaN where the condition is false."""
        return Series([v if holds else float("nan") for v, holds in zip(self, condition)])


class _Names(list[str]):
    """Names of columns."""

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, list):
            return [name for name, chosen in zip(self, key) if chosen]
        return super().__getitem__(key)


class _Located:
    """The columns of a frame that truth values select."""

    def __init__(self, frame: DataFrame) -> None:
        self._frame = frame

    def __getitem__(self, key: tuple[slice, list[bool]]) -> DataFrame:
        return self._frame[self._frame.columns[key[1]]]


class DataFrame:
    """A table."""

    def __init__(self, data: Any = None, index: Any = None, columns: Any = None) -> None:
        if columns is not None:
            made = np.asarray(data)
            data = {name: [made[row, at] for row in range(len(made))] for at, name in enumerate(columns)}
        if isinstance(data, list):
            data = {name: [row[name] for row in data] for name in data[0]}
        self._columns: dict[str, Series] = {name: Series(values) for name, values in (data or {}).items()}

    def __len__(self) -> int:
        return max((len(c) for c in self._columns.values()), default=0)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Any:
        return iter(self._columns)

    @property
    def index(self) -> range:
        """The numbers of the rows."""
        return range(len(self))

    @property
    def columns(self) -> Any:
        """The names of the columns; a list of truth values selects some."""
        return _Names(self._columns)

    @property
    def dtypes(self) -> list[Any]:
        """The kind of each column."""
        return [values.dtype for values in self._columns.values()]

    @property
    def loc(self) -> _Located:
        """Columns by truth values: `loc[:, chosen]`."""
        return _Located(self)

    def to_numpy(self, dtype: Any = None) -> Any:
        """Return the values, shape (rows, columns)."""
        names = list(self._columns)
        flat = [self._columns[name][row] for row in range(len(self)) for name in names]
        made = np.ndarray(flat, (len(self), len(names)))
        return made if dtype is None else made.astype(dtype)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, list):
            return DataFrame({name: self._columns[name] for name in key})
        return self._columns[key]

    def __setitem__(self, name: str, values: Any) -> None:
        self._columns[name] = Series(values)

    def copy(self) -> DataFrame:
        """Return a copy."""
        return DataFrame(self._columns)

    def assign(self, **columns: Any) -> DataFrame:
        """Return a copy with other columns."""
        return DataFrame({**self._columns, **columns})

    def drop(self, columns: Any) -> DataFrame:
        """Return a copy without some columns."""
        return DataFrame({name: values for name, values in self._columns.items() if name not in set(columns)})


def concat(frames: Any, axis: int = 1) -> DataFrame:
    """Return the columns of all frames."""
    return DataFrame({name: frame[name] for frame in frames for name in frame})
