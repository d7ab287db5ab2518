"""Recognise a comparison of two launches: `compare launch 0 with 1`, `is launch 1 faster than 0`, `1 vs 2`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.questions import Meaning
from advisor.session.language.kernel_names import parts_of
from advisor.session.language.lexicon import has_meaning
from advisor.session.state import launch_number

_TOKEN: Final = re.compile(r"#?\d+(?:#\d+)?(?![\w.,%]*[\w%])|[^\W\d][\w']*|\S")
_COMPARES: Final = re.compile(
    r"compar\w*|compair\w*|versus|vs|differ\w*|faster|quicker|slower|better|worse|against", re.IGNORECASE
)
# The first of two launches is the current one: `is 1 faster than 0`, `why is 1 slower than 0`.
_FIRST_IS_CURRENT: Final = re.compile(r"\b(?:faster|quicker|slower|better|worse)\b.*\bthan\b", re.IGNORECASE)
_ORDINALS: Final = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "last": -1, "latest": -1}
_THIS: Final = frozenset(("this", "it", "here"))
# Other words mean that the numbers may be no launches: `is 64 registers better than 32`.
_GLUE: Final = frozenset(
    (
        *("launch", "launches", "kernel", "kernels", "row", "rows", "number", "no", "with", "to", "and", "or", "than"),
        *("of", "the", "a", "an", "in", "between", "from", "both", "one", "two", "is", "are", "was", "were", "be"),
        *("do", "does", "did", "can", "could", "would", "you", "me", "us", "please", "tell", "show", "let", "now"),
        *("so", "then", "if", "whether", "i", "want", "what", "whats", "s", "which", "why", "how", "much", "many"),
        *("times",),
    )
)
_MARKS: Final = frozenset(",.;:?!#'\"&")


def two_launches(
    text: str, launches: Sequence[LaunchDiagnosis], position: int | None = None, several: bool = False
) -> tuple[int, int] | None:
    """Return the positions of the base and the current launch that a line compares; None for any other line.

    A launch is named by its number, the name of its kernel, words of a name (`compare the layer norm with flash`), its
    place (`the first`), or as `this` (the open one at `position`). several: numbers include that of the report, as in
    `1#3`.
    """
    found: list[int | frozenset[str]] = []
    compares = named = False
    numbers = {launch_number(launch, several): at for at, launch in enumerate(launches)}
    names = _names(launches)
    for match in _TOKEN.finditer(text[:400]):
        word, again, named = match[0].casefold(), named, False
        if _COMPARES.fullmatch(word):
            compares = True
        elif word.lstrip("#") in numbers:
            found.append(numbers[word.lstrip("#")])
        elif word in names:
            found.append(names[word])
        elif word in _ORDINALS and len(launches) > 1:
            found.append(_ORDINALS[word] % len(launches))
        elif word in _THIS and position is not None:
            found.append(position)
        elif word.isalpha() and word not in _GLUE:
            named = True  # words next to each other are of one name
            before = found.pop() if again else frozenset[str]()
            found.append(before | {word} if isinstance(before, frozenset) else frozenset({word}))
        elif word not in _GLUE and word not in _MARKS:
            return None
    if not compares or len(found) != 2:
        return None
    first, second = (_by_words(one, launches) if isinstance(one, frozenset) else one for one in found)
    if first is None or second is None or first == second:
        return None
    return (second, first) if _FIRST_IS_CURRENT.search(text) else (first, second)


def _by_words(words: frozenset[str], launches: Sequence[LaunchDiagnosis]) -> int | None:
    """Return the launch whose kernel has these words as its name, or else most of them in it; None of several.

    A single word that means something else, such as `registers`, is no name.
    """
    if len(words) == 1 and all(map(has_meaning, words)):
        return None
    parts = [parts_of(launch.kernel) for launch in launches]
    most = max((len(words & one) for one in parts), default=0)
    whole = [at for at, one in enumerate(parts) if one == words]
    best = whole or [at for at, one in enumerate(parts) if most and len(words & one) == most]
    return best[0] if len(best) == 1 else None


def _names(launches: Sequence[LaunchDiagnosis]) -> dict[str, int]:
    """Return the kernels that only one launch runs, with its position."""
    names = [launch.kernel.casefold() for launch in launches]
    return {name: at for at, name in enumerate(names) if names.count(name) == 1 and name not in _GLUE}


def pair_meaning(text: str) -> Meaning:
    """Return the meaning of such a line."""
    return Meaning(
        text=text, intent="compare", says="how two launches compare", confidence=1.0, words=tuple(text.split())
    )
