"""Names that a mistyped word could have meant, for the errors of every command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

# Minimum similarity (0 to 100). Two wrong letters of ten leave 80; different short names of metrics reach 70.
_SLIP: Final = 75.0
_WORD_SLIP: Final = 80.0  # of one word of a name
_SHORTEST: Final = 3  # letters of a word that may be part of a name
_SHOWN: Final = 60  # characters of a name in an error
_LONGEST: Final = 200  # characters of a typed word that are compared
_LISTED: Final = 3
_EXPRESSION: Final = re.compile(r"\\[a-zA-Z]|[^\w:<>, ]")


def near_names(word: str, names: Iterable[str], most: int = _LISTED) -> tuple[str, ...]:
    """Return the names that differ from a word by a typing error, or of which it is a part; the nearest first.

    Empty if no name is near: a list of names that only share some letters would mislead.
    """
    from rapidfuzz import fuzz  # loads slowly: only for a mistake

    wanted = _squashed(word)[:_LONGEST]
    parts = [part for part in wanted.split() if len(part) >= _SHORTEST]
    found = []
    for name in dict.fromkeys(names):
        plain = _squashed(name)
        score = fuzz.ratio(wanted, plain)
        own = plain.split()
        is_part = parts and all(any(fuzz.ratio(part, one) >= _WORD_SLIP for one in own) for part in parts)
        if score >= _SLIP or is_part:
            found.append((-score, len(name), name))
    return tuple(name for _, _, name in sorted(found)[:most])


def meant_text(word: str, names: Iterable[str]) -> str:
    """Return `: did you mean 'a', 'b', 'c'?` to append to an error; empty if no name is near."""
    near = near_names(word, names)
    return f": did you mean {', '.join(repr(name[:_SHOWN]) for name in near)}?" if near else ""


def unmatched_text(pattern: str, names: Sequence[str]) -> str:
    """Return the kernels that a regular expression did not match: the nearest, and how many others there are.

    names: of the launches, those of one kernel once or several times; the most frequent come first if none is near.
    """
    from rapidfuzz import fuzz  # as above

    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    wanted = _squashed(_EXPRESSION.sub(" ", pattern))[:_LONGEST]

    def rank(name: str) -> tuple[float, int, str]:
        return -fuzz.WRatio(wanted, _squashed(name)[:_LONGEST]) if wanted else 0.0, -counts[name], name

    listed = sorted(counts, key=rank)[:_LISTED]
    if not listed:
        return "no kernel is known"
    left = len(counts) - len(listed)
    shown = ", ".join(repr(name[:_SHOWN]) for name in listed)
    if left:
        return f"the nearest of {len(counts)} kernels are {shown}; {left} more do not match either"
    return f"the only kernel is {shown}" if len(listed) == 1 else f"the kernels are {shown}"


def _squashed(text: str) -> str:
    """Return a name without differences of case, blanks, dashes, dots and underscores."""
    return " ".join(re.split(r"[\s_.\-]+", text.casefold())).strip()
