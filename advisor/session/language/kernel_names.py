"""Find the launches that a text names: by number, by the whole name of the kernel, or by words of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from advisor.records.diagnosis import LaunchDiagnosis
from advisor.session.language.lexicon import Known, has_meaning, read

_LAUNCH_NUMBER: Final = re.compile(
    r"\b(?:launch|row)\s+#?(\d{1,9})\b(?!\s*(?:x\b|%|blocks?\b|threads?\b|warps?\b|kernels?\b|times\b))|#(\d{1,9})\b",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_WORD: Final = re.compile(r"[A-Za-z]{3,}")
_AFTER_ARTICLE: Final = re.compile(r"\b(?:the|my|our|this) ([a-z]{3,})")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_KERNEL: Final = frozenset(("kernel", "launch"))
# Words that questions say of any kernel's data: alone they name none, in whatever name they are.
_OF_DATA_WORDS: Final = """
    input inputs output outputs result results data array arrays field fields value values sum sums total mean max min
    row rows column columns element elements index indices matrix vector list table image one two three first last per
    all main new old step steps loop code program function part
"""
_OF_DATA: Final = frozenset(_OF_DATA_WORDS.split())


def named_launch(text: str, launches: Sequence[LaunchDiagnosis], position: int) -> int:
    """Return the position of the launch that a question names by its number or whole kernel name, else `position`.

    A name that is also a plain word (`scale`, `copy`) counts only next to the word kernel. Without a whole name, the
    words that name no metric, cause or other subject are looked for in the names. Of several launches of a kernel, the
    open one is meant, else the one whose fix saves most time.
    """
    return _of_several(_named(text, launches), launches, position)


def also_named(text: str, launches: Sequence[LaunchDiagnosis], position: int) -> tuple[str, ...]:
    """Return the other kernels that a question may name, if it may name that of the launch at `position`."""
    found = [launches[at].kernel for at in _named(text, launches)]
    own = launches[position].kernel
    return tuple(dict.fromkeys(kernel for kernel in found if kernel != own)) if own in found else ()


def _named(text: str, launches: Sequence[LaunchDiagnosis]) -> list[int]:
    number = _LAUNCH_NUMBER.search(text)
    if number is not None:
        wanted = int(number[1] or number[2])
        return [at for at, launch in enumerate(launches) if launch.index == wanted][:1]
    words = _NAME.findall(text)
    around = {word for pair in pairwise(words) if _KERNEL & {*pair} for word in pair} - _KERNEL
    for word in words:
        plain = word.isalpha() and (word.islower() or word.istitle())
        if plain and word not in around:
            continue
        if found := [at for at, launch in enumerate(launches) if launch.kernel.casefold() == word.casefold()]:
            return found
    return _by_words(text, launches)


def _of_several(found: Sequence[int], launches: Sequence[LaunchDiagnosis], position: int) -> int:
    if not found or position in found:
        return position
    return max(found, key=lambda at: (launches[at].saved_ns, -at))


def _by_words(text: str, launches: Sequence[LaunchDiagnosis]) -> list[int]:
    """Return the launches whose kernel has most words of the question in its name; none if every name has them.

    Words that any kernel's data may be called by count beside others only.
    """
    sentence = read(text, Known())
    meant = {sentence.words[at] for kind, span in sentence.spans if kind != "foreign" for at in span if at >= 0}
    # A word of the vocabulary, such as `transpose`, names a kernel only as `the transpose`.
    after_article = set(_AFTER_ARTICLE.findall(text.casefold())) - meant
    asked = {word for word in map(str.casefold, _WORD.findall(text)) if word in after_article or not has_meaning(word)}
    common = [asked & parts_of(launch.kernel) for launch in launches]
    shared = [len(words) if words - _OF_DATA else 0 for words in common]
    most = max(shared, default=0)
    return [] if most == min(shared, default=0) else [at for at, count in enumerate(shared) if count == most]


@lru_cache(maxsize=1024)
def parts_of(kernel: str) -> frozenset[str]:
    """Return the words of an identifier: `flashAttnFwd_v2` has flash, attn and fwd."""
    return frozenset(part.casefold() for part in _WORD.findall(_HUMP.sub("_", kernel)))
