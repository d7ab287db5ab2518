"""Texts of knowledge are filled by a closed formatter: `{metric}` or `{metric:.1f}`, nothing else."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

_FIELD = re.compile(r"\{([a-z][a-z0-9_]*)(?::([,]?(?:\.\d+)?[efgd%]?))?\}")
_ANY = re.compile(r"[{}]")

# How a number is said that is only the least or the most that a value can be (model.Comparison.bound).
BOUNDS = {"": "", "at_least": "at least ", "at_most": "at most "}
# What an observation says whose numbers are not there, by what these would mean.
_NOT_KNOWN = "not known: {means}"


def fields(text: str) -> frozenset[str]:
    """The names that a text asks for; ValueError when it holds a brace that is no field."""
    if _ANY.search(_FIELD.sub("", text)):
        raise ValueError(f"a brace that is no {{metric}} or {{metric:.1f}} field in {text[:60]!r}")
    return named(text)


def named(text: str) -> frozenset[str]:
    """The names that a text asks for, without checking the rest of it."""
    return frozenset(m[1] for m in _FIELD.finditer(text))


def not_known(means: Iterable[str]) -> str:
    """The text for an observation that these numbers, by their meanings, would have decided."""
    return _NOT_KNOWN.format(means="; ".join(means))


def fill(text: str, values: Mapping[str, float | str], least: Mapping[str, float] | None = None) -> str:
    """The text with its fields filled; an unknown value reads `unknown`, a share as `88 %`.

    least: the least that unknown values can be; such a value reads `at least 76`.
    """

    def one(match: re.Match[str]) -> str:
        value = values.get(match[1])
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            bound = None if least is None else least.get(match[1])
            return (
                "unknown" if bound is None or not math.isfinite(bound) else BOUNDS["at_least"] + written(match, bound)
            )
        return value if isinstance(value, str) else written(match, value)

    def written(match: re.Match[str], value: float) -> str:
        spec = match[2] or ",.4g"
        if spec.endswith("%"):
            return f"{format(100 * value, spec[:-1] + 'f')} %"
        return format(round(value) if spec.endswith("d") else value, spec)

    return _FIELD.sub(one, text)


def within_sentence(title: str) -> str:
    """A title as it reads inside a sentence: lower-case first letter, unless it begins with an acronym such as DRAM."""
    return title if title[1:2].isupper() or title[1:2].isdigit() else title[:1].lower() + title[1:]
