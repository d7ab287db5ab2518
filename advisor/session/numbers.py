"""Numbers as people type and read them, in the canonical units."""

from __future__ import annotations

import math

from advisor.records import quantities
from advisor.records.errors import UsageError

_DIGITS = 4
_MOST_MORE = 6


def number(text: str, unit: str) -> float:
    """The number in `unit`; a unit that has no other spellings takes plain numbers. UsageError says what is wrong."""
    try:
        return quantities.parse(text, unit)
    except ValueError:
        return quantities.parse(text.casefold().removesuffix(unit.casefold()) if unit else text, "")


def number_text(value: float | str | None, unit: str, more: int = 0) -> str:
    """A value in its canonical unit for people: `333.8 us`, `83.2 %`, `4.1 TB/s`; unknown where there is none.

    more: digits beyond the usual ones.
    """
    if value is None or isinstance(value, str):
        return "unknown" if value is None else value
    if not math.isfinite(value):
        return "unknown"
    if unit == "%":
        return f"{value:.{1 + more}f} %"
    if unit == "bool":
        return "yes" if value else "no"
    try:
        return quantities.show(float(value), unit, _DIGITS + more)
    except ValueError:
        return f"{quantities.show(float(value), digits=_DIGITS + more)} {unit}".strip()


def chosen_text(value: float, unit: str) -> str:
    """A value that somebody chose, with as many digits as it takes to read the same value back, six more at most."""
    for more in range(_MOST_MORE):
        text = number_text(value, unit, more)
        try:
            if math.isclose(number(text, unit), value, rel_tol=1e-9):
                return text
        except UsageError:
            return text  # a unit that is shown and not read, such as yes and no
    return number_text(value, unit, _MOST_MORE)
