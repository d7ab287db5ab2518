"""`--where` and `--search`: which instructions are looked at, by value and by pattern."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from advisor.errors import UsageError

FIELDS = ("share", "value", "executed", "samples", "lanes", "line")
_FORM = re.compile(r"\s*([a-z]+)\s*(<=|>=|<|>|=)\s*(\d{1,15}(?:\.\d{1,15})?)\s*(%?)\s*")
_TESTS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
}


@dataclass(frozen=True, slots=True)
class Where:
    """One comparison. A share is between 0 and 1 here, whichever way it was written."""

    field: str
    sign: str
    number: float

    def holds(self, values: Mapping[str, float]) -> bool:
        """Whether it holds for an instruction's fields; not for one that lacks the field."""
        value = values.get(self.field)
        return value is not None and _TESTS[self.sign](value, self.number)


def parse_where(text: str) -> Where:
    """`share>5%`, `executed>=1000`; UsageError for anything else."""
    match = _FORM.fullmatch(text)
    if match is None or match[1] not in FIELDS:
        form = f"write FIELD>NUMBER, with <, >, <=, >= or =; fields: {', '.join(FIELDS)}"
        raise UsageError(f"--where {text[:80]!r}: {form}")
    field, sign, number, percent = match.groups()
    if percent and field != "share":
        raise UsageError(f"--where {text[:80]!r}: only a share is in per cent")
    return Where(field, sign, float(number) / 100 if percent else float(number))


def parse_search(text: str) -> re.Pattern[str]:
    """A regular expression that is sought in SASS and in source lines; UsageError where it is none."""
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as e:
        raise UsageError(f"--search {text[:80]!r} is not a regular expression: {e}") from None
