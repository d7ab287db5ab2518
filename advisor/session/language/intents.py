"""Recognise the intent of a question: a score for each intent from the meanings of its words.

Two readings are added. Each cue of `knowledge/language/intents.yaml` whose meanings the question has adds its weight;
the strongest cue counts most. The words themselves add how likely they make each intent (`counts.py`). The confidence
is the lead over the second best intent, less for unknown words, for words of another subject and for several subjects.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Struct

from advisor.knowledge.loader import load
from advisor.records import resources
from advisor.records.questions import Alternative, Meaning, Subject
from advisor.session.language.counts import Counts, counts
from advisor.session.language.lexicon import ELSEWHERE, Known, Sentence, concepts, read, things

OUT_OF_SCOPE: Final = "out_of_scope"
_SECOND, _THIRD = 0.45, 0.2  # weight of the second cue of an intent and of further ones
_LIKELY: Final = 0.8  # weight of the log-likelihood by the words
_OUTSIDE: Final = 2.0  # added for another subject: what people ask about has more words than any vocabulary
_FOREIGN: Final = 0.7  # loss of score for each unknown word, at most three
_UNKNOWN: Final = 0.08  # loss of confidence for each unknown word, as a share
_LEAD: Final = 15.0  # lead over the second best score at which a reading is certain
_CLOSE: Final = 6.0  # lead within which another reading is offered
_ELSEWHERE_TOO: Final = 0.55  # share of the confidence that is left if words of another subject were read
_NO_SUBJECT: Final = 0.55  # share of the confidence that is left if the intent needs a subject and none was read
DOUBT: Final = 0.65  # most confidence of a reading on which cues and words do not agree: below SURE
# Without a cue: the most confidence, and the lead by words below which there is none. Over example sentences that the
# counts do not contain, 31 of 41 with such a lead were read right, and 11 of 51 with less.
_WORDS_ALONE: Final = 0.4
_LEAD_ALONE: Final = 4.0
_FEW: Final = 2  # things in a sentence of which the subject is clear
_RIVALS: Final = 0.55  # share of the confidence that is left if several things could be the subject
_NEED_SUBJECT: Final = frozenset(("is_bound", "is_cause", "explain", "why_not", "value", "what_if"))
_AUX: Final = frozenset(
    (
        "is",
        "are",
        "am",
        "was",
        "were",
        "do",
        "does",
        "did",
        "can",
        "could",
        "has",
        "have",
        "had",
        "will",
        "would",
        "isn",
    )
)
_KERNEL_WORDS: Final = frozenset(("kernel", "launch", "pass", "dispatch", "shader"))
_NO_NAME: Final = frozenset(
    ("the", "a", "an", "to", "at", "for", "of", "on", "some", "which", "what", "my", "our", "?")
)
# Words of a cue that are not concepts; see the head of intents.yaml.
FLAGS: Final = frozenset(
    (
        *(
            "thing",
            "fault",
            "value",
            "unit",
            "units",
            "stall_reason",
            "cause_thing",
            "metric",
            "term",
            "gpu",
            "name",
            "digits",
            "ratio",
        ),
        *("one", "few", "bare", "aux", "asks", "foreign", "file", "definite", "equals_sign", "hash_number", "opcode"),
        "gpu_question",
    )
)


class _Intent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of intents.yaml.

    about: the example for a subject {it}, if that differs; words: one of these must be typed for the intent to be acted
    on, if there are any.
    """

    says: str
    example: str
    cues: dict[str, float]
    words: frozenset[str] = frozenset()
    about: str = ""


class _Cue(Struct, frozen=True):
    """A cue: groups of which one each must hold, names that must not, and its weight."""

    needs: tuple[frozenset[str], ...]
    bars: frozenset[str]
    weight: float


@lru_cache(maxsize=1)
def intents() -> dict[str, _Intent]:
    """Return the intents. Raises KnowledgeError with file and line."""
    made: Any = load(resources.folder("knowledge") / "language" / "intents.yaml", dict[str, _Intent])
    return dict(made)


@lru_cache(maxsize=1)
def _cues() -> dict[str, tuple[_Cue, ...]]:
    known = {*concepts(), *FLAGS}
    out = {}
    for name, intent in intents().items():
        made = []
        for text, weight in intent.cues.items():
            needs = tuple(frozenset(word.split("|")) for word in text.split() if not word.startswith("!"))
            bars = frozenset(word[1:] for word in text.split() if word.startswith("!"))
            unknown = {*(word for group in needs for word in group), *bars} - known
            if unknown:
                raise ValueError(f"intents.yaml: {name}: {text!r} names no concept: {sorted(unknown)}")
            made.append(_Cue(needs, bars, float(weight)))
        out[name] = tuple(made)
    return out


def flags(sentence: Sentence) -> frozenset[str]:
    """Return everything that a cue can ask about a sentence: its concepts and the flags."""
    found: set[str] = set(sentence.concepts)
    subjects = sentence.things
    holds = {
        "thing": bool(subjects),
        "fault": any(thing.form == "fault" for thing in subjects),
        "value": any(thing.form == "value" for thing in subjects),
        "unit": any(thing.unit for thing in subjects),
        "units": len({thing.unit for thing in subjects if thing.unit}) > 1,
        "cause_thing": any(thing.findings and not _is_unit(thing) for thing in subjects),
        "metric": any(thing.metrics for thing in subjects),
        "term": any(thing.word and not thing.findings and not thing.metrics for thing in subjects)
        or any(_is_stall(thing) for thing in subjects),
        "stall_reason": any(_is_stall(thing) for thing in subjects),
        "gpu": bool(sentence.gpu),
        "name": bool(sentence.name),
        "digits": bool(sentence.numbers),
        "ratio": any(number[-1] in "%x" for number in sentence.numbers),
        "one": sentence.content == 1,
        "few": sentence.content <= 3,
        "bare": sentence.bare,
        "aux": bool(sentence.words) and sentence.words[0] in _AUX,
        "asks": sentence.text.rstrip().endswith("?"),
        "foreign": bool(sentence.foreign),
        "file": bool(sentence.file),
        "definite": sentence.article in ("the", "my", "our", "its", "your"),
        "equals_sign": "=" in sentence.words,
        "hash_number": any(word.startswith("#") for word in sentence.words),
        "gpu_question": any(thing.id == "gpu" for thing in subjects),
        "opcode": any(thing.word.isupper() for thing in subjects),
    }
    return frozenset(found | {name for name, is_so in holds.items() if is_so})


# Flags that hold because of a thing in the sentence.
_OF_THINGS: Final = frozenset(
    (
        "thing",
        "fault",
        "value",
        "unit",
        "units",
        "stall_reason",
        "cause_thing",
        "metric",
        "term",
        "bare",
        "gpu_question",
        "opcode",
    )
)


def _is_stall(thing: Subject) -> bool:
    return bool(thing.metrics) and thing.metrics[0].startswith("stall_") and thing.form == "name"


def _is_unit(thing: Subject) -> bool:
    return bool(thing.unit) and thing.form != "fault"


def scores(sentence: Sentence, table: Counts | None = None) -> list[tuple[str, float]]:
    """Return the intents with their scores, the best first; table: other counts than those of the knowledge base."""
    return _ordered(_added(_by_cues(sentence), _by_words(sentence, table)))


def _by_words(sentence: Sentence, table: Counts | None) -> dict[str, float]:
    """Return the log-likelihood of each intent by the words, relative to the best one."""
    return (counts() if table is None else table).likelihoods(sentence)


def _added(by_cues: dict[str, float], by_words: dict[str, float]) -> dict[str, float]:
    return {name: score + _LIKELY * by_words[name] for name, score in by_cues.items()}


def _ordered(made: dict[str, float]) -> list[tuple[str, float]]:
    order = list(_cues())
    return sorted(made.items(), key=lambda item: (-item[1], order.index(item[0])))


def _by_cues(sentence: Sentence) -> dict[str, float]:
    """Return the score of each intent by its cues."""
    has = flags(sentence)
    lost = _FOREIGN * min(3, len(sentence.foreign))
    out = {}
    for name, cues in _cues().items():
        fired = [cue.weight for cue in cues if cue.bars.isdisjoint(has) and all(group & has for group in cue.needs)]
        gains = sorted((weight for weight in fired if weight > 0), reverse=True)
        shares = (1.0, _SECOND, *(_THIRD for _ in gains))
        score = sum(weight * share for weight, share in zip(gains, shares, strict=False)) + sum(
            w for w in fired if w < 0
        )
        out[name] = score - lost if name != OUT_OF_SCOPE else score + lost / 2 + _OUTSIDE
    return out


def recognise(text: str, known: Known, table: Counts | None = None) -> Meaning:
    """Return how the question is read. Pure: the same text, names and counts give the same meaning."""
    sentence = read(text, known)
    by_cues, by_words = _by_cues(sentence), _by_words(sentence, table)
    (best, score), *others = _ordered(_added(by_cues, by_words))
    lead = score - others[0][1]
    near = tuple(name for name, value in others[:2] if score - value < _CLOSE)
    confidence = min(1.0, lead / _LEAD) * (1 - _UNKNOWN * min(5, len(sentence.foreign)))
    if best != OUT_OF_SCOPE and sentence.concepts & ELSEWHERE:
        confidence *= _ELSEWHERE_TOO
    if _has_rivals(sentence, best) or (best == "other_gpu" and sentence.foreign):
        confidence *= _RIVALS
    disputed = _disputed(best, by_cues, by_words)
    if disputed:
        confidence = min(confidence, DOUBT)
        near = tuple(dict.fromkeys((*near, *disputed)))[:2]
    if score <= 0:  # no cue speaks for it, the words only against all the others
        confidence = min(confidence, _WORDS_ALONE) if lead >= _LEAD_ALONE else 0.0
    if best in _NEED_SUBJECT and _subject(sentence, best) is None:
        confidence *= _NO_SUBJECT
    return _meaning(sentence, best, confidence, near)


def _disputed(best: str, by_cues: dict[str, float], by_words: dict[str, float]) -> tuple[str, ...]:
    """Return the intents that the cues alone or the words alone prefer to the best of both; empty if they agree.

    Readings of which one of the two is not convinced are wrong many times as often as others with the same lead.
    """
    firsts = (_ordered(by_cues)[0][0], _ordered(by_words)[0][0])
    return tuple(name for name in dict.fromkeys(firsts) if name != best)


def _has_rivals(sentence: Sentence, intent: str) -> bool:
    """Return whether things of several causes could be the subject of a sentence."""
    subjects = sentence.things
    if intent == "is_bound":
        return "or_word" in sentence.concepts and len({thing.unit for thing in subjects if thing.unit}) > 1
    if intent not in ("how_to_fix", "is_cause"):
        return False
    causes = {thing.findings[0] for thing in subjects if thing.findings}
    return len(causes) > 1 or len({thing.id for thing in subjects}) > _FEW


def _meaning(sentence: Sentence, intent: str, confidence: float, near: tuple[str, ...]) -> Meaning:
    subject = _subject(sentence, intent)
    it = subject.text if subject is not None else "this"
    others = []
    for name in near:
        if name != OUT_OF_SCOPE:
            other = _subject(sentence, name)
            said = other.text if other is not None and other.text else "it"
            others.append(Alternative(name, intents()[name].says.format(it=said), _example(name, other)))
    return Meaning(
        text=sentence.text,
        intent=intent,
        says=intents()[intent].says.format(it=it or "this"),
        subject=subject,
        confidence=round(confidence, 2),
        alternatives=tuple(others),
        numbers=sentence.numbers,
        words=sentence.words,
        gpu="" if intent == "other_gpu" else sentence.gpu,
        example=_example(intent, subject),
    )


def _example(intent: str, subject: Subject | None) -> str:
    """Return a question of the intent in plain words, about the subject if it names one."""
    entry = intents()[intent]
    return (
        entry.about.format(it=subject.text) if entry.about and subject is not None and subject.text else entry.example
    )


def _subject(sentence: Sentence, intent: str) -> Subject | None:
    """Return the thing that matters for the intent; None if the question names none."""
    subjects = sentence.things
    if intent == "other_gpu":
        return Subject(sentence.gpu, sentence.gpu) if sentence.gpu else None
    if intent == "other_launch":
        if sentence.name:
            return Subject(sentence.name, sentence.name)
        called = _called(sentence)
        if called:
            return Subject(called, called)
        number = next((number.lstrip("#") for number in sentence.numbers), "")
        return Subject(number, number) if number.isdecimal() else None
    if intent == "is_bound":
        of_units = [thing for thing in subjects if thing.unit]
        either = "or_word" in sentence.concepts
        return next((thing for thing in of_units if either or thing.unit != "memory"), next(iter(of_units), None))
    if intent in ("is_cause", "how_to_fix", "why_not"):
        if intent == "is_cause" and not any(thing.findings for thing in subjects):
            return None
        return _preferred(
            subjects,
            lambda thing: thing.form == "fault",
            lambda thing: bool(thing.findings) and not thing.unit,
            lambda thing: bool(thing.findings),
        )
    if intent == "how_much":  # `how much faster without the spills`; a metric such as the time is no cause
        return next((thing for thing in subjects if thing.findings and (thing.form == "fault" or not thing.unit)), None)
    if intent == "what_if":
        return _preferred(subjects, lambda thing: bool(thing.metrics))
    if intent == "value":
        return _preferred(subjects, lambda thing: thing.form == "value", lambda thing: bool(thing.metrics))
    if intent == "explain":
        return _preferred(subjects, lambda thing: bool(thing.word))
    if intent == "limit":
        return next((thing for thing in subjects if thing.metrics), None)
    return None


def _called(sentence: Sentence) -> str:
    """Return the words that name a kernel before the word kernel: "the halo exchange kernel"; empty without any."""
    words = sentence.words
    end = next((at for at, word in enumerate(words) if word in _KERNEL_WORDS), 0)
    meant = {at for name, span in sentence.spans if name in ("another", "go", "most", "rank", "this") for at in span}
    start = end
    while start and start - 1 not in meant and words[start - 1] not in _NO_NAME:
        start -= 1
    return " ".join(words[start:end]) if end - start <= 3 else ""


def _preferred(subjects: tuple[Subject, ...], *tests: Any) -> Subject | None:
    """Return the first thing that passes the first test that any passes."""
    for test in tests:
        for thing in subjects:
            if test(thing):
                return thing
    return subjects[0] if subjects else None


def units() -> frozenset[str]:
    """Return the units that `is_bound` asks about."""
    return frozenset(entry.unit for entry in things().values() if entry.unit)
