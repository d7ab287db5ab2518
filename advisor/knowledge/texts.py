"""Fill texts of the knowledge base; the only fields are `{metric}` and `{metric:.1f}`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from advisor.records.quantities import plural

_FIELD = re.compile(r"\{([a-z][a-z0-9_]*)(?::([,]?(?:\.\d+)?[efgd%]?))?\}")
_ANY = re.compile(r"[{}]")
# The nouns that texts count: plural -> singular.
_NOUNS = {
    plural(2, noun): noun
    for noun in re.split(
        r"\s+",
        "atomic barrier bit block byte call cause conversion cycle fault gap graph instruction kernel lane launch load "
        "multiply-add operation point register request sample sector SM step store thread time warp wavefront wave",
    )
}
# A field with the noun that it counts, with at most one word between: `{barrier_inst:,.0f} shared-memory loads`.
_COUNTED = re.compile(
    rf"{_FIELD.pattern}(?:(?P<between> (?:(?!(?:of|to|and|or|for|in|per|with|the|as)\b)[a-z0-9-]+ )?)"
    rf"(?P<plural>{'|'.join(_NOUNS)})\b)?"
)

# Wording for a number that is only a lower or upper bound of a value, or an estimate (model.Comparison.bound).
BOUNDS = {"": "", "at_least": "at least ", "at_most": "at most ", "about": "about "}
# Text of an observation whose metrics are missing, by the meaning of these metrics.
_NOT_KNOWN = "not known: {means}"


def fields(text: str) -> frozenset[str]:
    """Return the names of a text's fields. Raises ValueError for a brace that is not part of a field."""
    if _ANY.search(_FIELD.sub("", text)):
        raise ValueError(f"a brace that is not a {{metric}} or {{metric:.1f}} field in {text[:60]!r}")
    return named(text)


def named(text: str) -> frozenset[str]:
    """Return the names of a text's fields without checking the rest of it."""
    return frozenset(m[1] for m in _FIELD.finditer(text))


def not_known(means: Iterable[str]) -> str:
    """Return the text for an observation whose deciding metrics are missing. means: meanings of these metrics."""
    return _NOT_KNOWN.format(means="; ".join(means))


class Estimate(float):
    """A value that was not measured; texts say `about` before it, and give two digits of it."""


def fill(text: str, values: Mapping[str, float | str], least: Mapping[str, float] | None = None) -> str:
    """Fill the fields of the text; an unknown value becomes `unknown`, a share `88 %`, 1 thread is not `1 threads`.

    least: lower bounds of unknown values; such a value becomes `at least 76`; an `Estimate` becomes `about 76`.
    """

    def one(match: re.Match[str]) -> str:
        value = values.get(match[1])
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            bound = None if least is None else least.get(match[1])
            return (
                "unknown" if bound is None or not math.isfinite(bound) else BOUNDS["at_least"] + written(match, bound)
            )
        if isinstance(value, str):
            return value
        if isinstance(value, Estimate):
            return BOUNDS["about"] + written(match, float(f"{value:.2g}"))
        return written(match, value)

    def written(match: re.Match[str], value: float) -> str:
        spec = match[2] or ",.4g"
        if spec.endswith("%"):
            return f"{format(100 * value, spec[:-1] + 'f')} %"
        return format(round(value) if spec.endswith("d") else value, spec)

    def counted(match: re.Match[str]) -> str:
        number, noun = one(match), match["plural"]
        if noun is None:
            return number
        return number + match["between"] + (_NOUNS[noun] if number == "1" else noun)

    return _COUNTED.sub(counted, text)


def within_sentence(title: str) -> str:
    """Return a title for use inside a sentence: lower-case first letter, except for an acronym such as DRAM."""
    return title if title[1:2].isupper() or title[1:2].isdigit() else title[:1].lower() + title[1:]
