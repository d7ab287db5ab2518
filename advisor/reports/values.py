"""Numbers as ncu prints them: thousands separators or none, decimal point or comma, `n/a`, `(!) nan`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

# Spaces and apostrophes that locales put between thousands.
_GROUP_MARKS = str.maketrans("", "", " \u00a0\u2009\u202f'’")
_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_NAN = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
# A token that can only be read one way tells the style of the whole file.
_POINT = re.compile(r"[+-]?(0\.\d+|\d+\.(\d{1,2}|\d{4,})|\d{1,3}(,\d{3})+\.\d+|\d{1,3}(,\d{3}){2,})")
_COMMA = re.compile(r"[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,})|\d{1,3}(\.\d{3})+,\d+|\d{1,3}(\.\d{3}){2,})")


def decimal_mark(samples: Iterable[str]) -> str | None:
    """The decimal mark of a file, '.' or ',', from its numbers; '.' where nothing tells; None where both occur."""
    point = comma = False
    for sample in samples:
        token = sample.strip().translate(_GROUP_MARKS)
        point = point or _POINT.fullmatch(token) is not None
        comma = comma or _COMMA.fullmatch(token) is not None
        if point and comma:
            return None
    return "," if comma else "."


def count_nan(texts: Iterable[str]) -> float:
    """How many of the printed values are `nan` or infinite, as after a failed measurement (`n/a` is only absent)."""
    return float(sum(_NAN.fullmatch(text.replace("(!)", "").strip()) is not None for text in texts))


def number(text: str, mark: str = ".") -> float:
    """The finite number that `text` shows with the decimal mark `mark`; NaN for words, `n/a`, `nan` and infinities."""
    token = text.replace("(!)", "").translate(_GROUP_MARKS).strip()
    if mark == ",":
        token = token.translate(str.maketrans(".,", ",."))
    if _GROUPED.fullmatch(token):
        token = token.replace(",", "")
    elif not _PLAIN.fullmatch(token):
        return math.nan
    value = float(token)
    return value if math.isfinite(value) else math.nan
