"""Numbers of a text file, and the values of one launch in 8 bytes each.

A file has decimal points or decimal commas, and only a number with one possible reading shows which. Until then a
launch keeps both readings of its numbers; a file of thousands of launches cannot be kept as text.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
Value = tuple[float, str]

# Spaces and apostrophes that locales use as thousands separators.
_GROUP_MARKS = str.maketrans("", "", " \u00a0\u2009\u202f'’")
_PLAIN = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_NAN = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
# A number with only one possible reading determines the style of the whole file.
_POINT = re.compile(r"[+-]?(0\.\d+|\d+\.(\d{1,2}|\d{4,})|\d{1,3}(,\d{3})+\.\d+|\d{1,3}(,\d{3}){2,})")
_COMMA = re.compile(r"[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,})|\d{1,3}(\.\d{3})+,\d+|\d{1,3}(\.\d{3}){2,})")


class Style:
    """The decimal marks that the numbers of a file have shown so far."""

    def __init__(self) -> None:
        self.point = self.comma = False

    @property
    def mark(self) -> str | None:
        """Return '.' or ',': '.' if ambiguous, None if both occur."""
        if self.point and self.comma:
            return None
        return "," if self.comma else "."

    def see(self, text: str) -> tuple[float, float, bool]:
        """Return the number with a decimal point, with a decimal comma, and whether it is nan or infinite."""
        with_point, with_comma, nan, point, comma = _read(text)
        self.point = self.point or point
        self.comma = self.comma or comma
        return with_point, with_comma, nan


# Most numbers of a report recur: the limits of the GPU, the shapes, 0 and 100.
@lru_cache(maxsize=1 << 13)
def _read(text: str) -> tuple[float, float, bool, bool, bool]:
    token = text.strip().translate(_GROUP_MARKS)
    point, comma = _POINT.fullmatch(token) is not None, _COMMA.fullmatch(token) is not None
    return number(text), number(text, ","), count_nan((text,)) > 0, point, comma


def decimal_mark(samples: Iterable[str]) -> str | None:
    """Return the decimal mark of a file, '.' or ',', from its numbers: '.' if ambiguous, None if both occur."""
    style = Style()
    for sample in samples:
        style.see(sample)
    return style.mark


def count_nan(texts: Iterable[str]) -> float:
    """Count the values that are `nan` or infinite, as after a failed measurement (`n/a` is only absent)."""
    return float(sum(_NAN.fullmatch(text.replace("(!)", "").strip()) is not None for text in texts))


def number(text: str, mark: str = ".") -> float:
    """Parse a finite number with the decimal mark `mark`; NaN for words, `n/a`, `nan` and infinities."""
    token = text.replace("(!)", "").translate(_GROUP_MARKS).strip()
    if mark == ",":
        token = token.translate(str.maketrans(".,", ",."))
    if _GROUPED.fullmatch(token):
        token = token.replace(",", "")
    elif not _PLAIN.fullmatch(token):
        return math.nan
    value = float(token)
    return value if math.isfinite(value) else math.nan


class Values(Mapping[K, Value]):
    """The values of one launch: key -> (value, unit in the file). Launches of one shape share their keys and units."""

    __slots__ = ("_at", "_comma", "_numbers", "_units")

    def __init__(self, at: dict[K, int], units: tuple[str, ...], numbers: array[float], comma: array[float] | None):
        self._at, self._units, self._numbers, self._comma = at, units, numbers, comma

    def __getitem__(self, key: K) -> Value:
        at = self._at[key]
        return self._numbers[at], self._units[at]

    def __contains__(self, key: object) -> bool:
        return key in self._at

    def __iter__(self) -> Iterator[K]:
        return iter(self._at)

    def __len__(self) -> int:
        return len(self._at)

    def __repr__(self) -> str:
        return repr(dict(self))

    def settle(self, mark: str | None) -> None:
        """Choose the reading of the numbers, once the file's decimal mark is known."""
        if mark == "," and self._comma is not None:
            self._numbers = self._comma
        self._comma = None


class Packer:
    """Packs the values of launches. The keys and units of launches that have the same ones are stored once."""

    def __init__(self) -> None:
        self.style = Style()
        self._known: dict[
            tuple[tuple[Hashable, ...], tuple[str, ...]], tuple[dict[Hashable, int], tuple[str, ...]]
        ] = {}

    def texts(self, keys: Iterable[K], texts: Iterable[str], units: Iterable[str]) -> tuple[Values[K], int]:
        """Return the values of one launch, and how many of its texts are nan or infinite; `settle` ends the reading."""
        point, comma, lost = array("d"), array("d"), 0
        for text in texts:
            with_point, with_comma, nan = self.style.see(text)
            point.append(with_point)
            comma.append(with_comma)
            lost += nan
        # Where one number has a point, none is read with a comma.
        return self._of(keys, units, point, None if self.style.point else comma), lost

    def numbers(self, values: Mapping[K, Value]) -> Values[K]:
        """Return values that are numbers already."""
        return self._of(
            values, (unit for _, unit in values.values()), array("d", (v for v, _ in values.values())), None
        )

    def _of(
        self, keys: Iterable[K], units: Iterable[str], numbers: array[float], comma: array[float] | None
    ) -> Values[K]:
        whole = tuple(keys), tuple(units)
        found = self._known.get(whole)
        if found is None:
            found = self._known[whole] = {key: at for at, key in enumerate(whole[0])}, whole[1]
        return Values(found[0], found[1], numbers, comma)  # type: ignore[arg-type]
