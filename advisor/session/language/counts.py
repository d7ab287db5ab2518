"""How likely each intent is by the words of a question, from counts over example sentences.

`knowledge/language/counts.yaml` holds, for each word, pair of neighbouring words and meaning, in how many example
sentences of each intent it occurs. Each that a question has adds its log-likelihood ratio (naive Bayes with additive
smoothing: Manning, Raghavan, Schütze, Introduction to Information Retrieval, 2008, chapter 13).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

import msgspec
from msgspec import Struct

from advisor.knowledge.loader import load
from advisor.records import resources
from advisor.session.language.lexicon import Sentence, stem

LEAST: Final = 2  # sentences in which a word must occur to be counted
_SMOOTH: Final = 6.0  # sentences added to each intent, spread as over all intents
_FLOOR: Final = -15.0  # least log-likelihood relative to the best intent
_MASKED: Final = ("thing", "gpu", "name")


class _Counts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file counts.yaml. sentences: intent to number; words: word to `intent number intent number …`."""

    sentences: dict[str, int]
    words: dict[str, str]


class Counts(Struct, frozen=True):
    """Numbers of example sentences: of each intent, and with each word of each intent."""

    sentences: Mapping[str, int]
    words: Mapping[str, Mapping[str, int]]

    def likelihoods(self, sentence: Sentence) -> dict[str, float]:
        """Return the log-likelihood of each intent relative to the best one, which has 0."""
        total = sum(self.sentences.values())
        made = {intent: 0.5 * math.log(number / total) for intent, number in self.sentences.items()}
        for word in marks(sentence):
            found = self.words.get(word)
            if found is None:
                continue
            share = sum(found.values()) / total
            for intent, number in self.sentences.items():
                expected = (found.get(intent, 0) + _SMOOTH * share) / (number + _SMOOTH)
                made[intent] += math.log(expected / share)
        best = max(made.values(), default=0.0)
        return {intent: max(value - best, _FLOOR) for intent, value in made.items()}


def marks(sentence: Sentence) -> frozenset[str]:
    """Return what is counted in a sentence: stems, neighbouring stems with its subject masked, and its meanings."""
    masked = {at for name, span in sentence.spans if name in _MASKED for at in span}
    stems = ["<number>" if word[:1].isdigit() else stem(word) for word in sentence.words]
    row = ["^"]
    for at, each in enumerate(stems):
        if at not in masked:
            row.append(each)
        elif row[-1] != "<subject>":
            row.append("<subject>")
    row.append("$")
    forms = {f"<{thing.form}>" for thing in sentence.things}
    other = {
        "<unit>": any(thing.unit for thing in sentence.things),
        "<gpu>": bool(sentence.gpu),
        "<bare>": sentence.bare,
        "<number>": bool(sentence.numbers),
        "<short>": len(stems) <= 2,
    }
    return frozenset(
        {
            *stems,
            *(f"{first} {second}" for first, second in pairwise(row)),
            *(f"@{name}" for name in sentence.concepts),
            *forms,
            *(name for name, holds in other.items() if holds),
        }
    )


def count(examples: Iterable[tuple[str, Sentence]]) -> Counts:
    """Return the counts over sentences with their intents."""
    sentences: Counter[str] = Counter()
    words: dict[str, Counter[str]] = {}
    for intent, sentence in examples:
        sentences[intent] += 1
        for word in marks(sentence):
            words.setdefault(word, Counter())[intent] += 1
    kept = {word: found for word, found in sorted(words.items()) if found.total() >= LEAST}
    return Counts(dict(sorted(sentences.items())), kept)


@lru_cache(maxsize=1)
def counts() -> Counts:
    """Return the counts of the knowledge base. Raises KnowledgeError with file and line."""
    made: _Counts = load(resources.folder("knowledge") / "language" / "counts.yaml", _Counts)
    words = {}
    for word, text in made.words.items():
        row = text.split()
        words[word] = dict(zip(row[::2], map(int, row[1::2]), strict=True))
    return Counts(made.sentences, words)
