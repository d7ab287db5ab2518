"""Numbers as people type and read them, in the canonical units."""

from __future__ import annotations

import math

from advisor.napkin import quantities


def number(text: str, unit: str) -> float:
    """The number in `unit`; a unit that has no other spellings takes plain numbers. UsageError says what is wrong."""
    try:
        return quantities.parse(text, unit)
    except ValueError:
        return quantities.parse(text.casefold().removesuffix(unit.casefold()) if unit else text, "")


def number_text(value: float | str | None, unit: str) -> str:
    """A value in its canonical unit for people: `333.8 us`, `83.2 %`, `4.1 TB/s`; unknown where there is none."""
    if value is None or isinstance(value, str):
        return "unknown" if value is None else value
    if not math.isfinite(value):
        return "unknown"
    if unit == "%":
        return f"{value:.1f} %"
    if unit == "bool":
        return "yes" if value else "no"
    try:
        return quantities.show(float(value), unit)
    except ValueError:
        return f"{quantities.show(float(value))} {unit}".strip()
