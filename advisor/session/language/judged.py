"""Recognise the question whether a number is good: `is 40 % occupancy ok?`, `is my occupancy good`."""

from __future__ import annotations

import re
from typing import Final

from advisor.knowledge.base import catalog
from advisor.records.errors import AdvisorError
from advisor.records.quantities import parse_metric
from advisor.records.questions import JUDGE, Meaning, Subject
from advisor.session.language.lexicon import Known, Sentence, read

_ASKS: Final = re.compile(
    r"^(?:(?:so|and|but|ok|well|then|hi|hey|my|our)\W+)*(?:is|are|isn'?t|aren'?t|do (?:i|we) have)\b", re.IGNORECASE
)
_SHORT: Final = 3  # words of content of a question without a verb: `occupancy good?`
_GOOD: Final = frozenset(
    (
        *("ok", "okay", "fine", "good", "great", "alright", "acceptable", "reasonable", "normal", "healthy", "enough"),
        "sufficient",
    )
)
_WORDS: Final = frozenset(
    (
        *_GOOD,
        *("bad", "poor", "terrible", "wrong", "many", "much", "few", "little", "low", "high", "large"),
        *("big", "small", "lot"),
    )
)


def judged(text: str, known: Known) -> Meaning | None:
    """Return the meaning of a question whether one number is good; None for any other text.

    Without a stated number it is about the launch's own: `is my occupancy good`, `occupancy ok?`.
    """
    asks = _ASKS.match(text)
    if not asks and not text.rstrip().endswith("?"):
        return None
    sentence = read(text, known)
    if not sentence.numbers:
        return _own(sentence, bool(asks))
    if not asks:
        return None
    subject = _measured(sentence.things, sentence.numbers)
    if len(sentence.numbers) != 1 or subject is None or not _WORDS & set(sentence.words) or sentence.gpu:
        return None
    says = f"whether {sentence.numbers[0]} is a good value of {subject.text or 'this'}"
    return Meaning(
        text=text,
        intent=JUDGE,
        says=says,
        subject=subject,
        confidence=1.0,
        numbers=sentence.numbers,
        words=sentence.words,
    )


def _own(sentence: Sentence, asks: bool) -> Meaning | None:
    """Return the meaning of a question whether the launch's own number is good; asks: it begins as a question."""
    subjects = [thing for thing in sentence.things if thing.form != "fault" and thing.metrics]
    if len(subjects) != 1 or not _GOOD & set(sentence.words) or sentence.gpu or "not" in sentence.words:
        return None
    if subjects[0].metrics[0].startswith("stall_") or (not asks and sentence.content > _SHORT):
        return None
    return Meaning(
        text=sentence.text,
        intent=JUDGE,
        says=f"whether {subjects[0].text or 'this'} is good",
        subject=subjects[0],
        confidence=1.0,
        words=sentence.words,
    )


def _measured(subjects: tuple[Subject, ...], numbers: tuple[str, ...]) -> Subject | None:
    """Return the first subject with a metric in whose unit the number can be; a fault has no number of its own."""
    for subject in subjects:
        if subject.form == "fault" or not subject.metrics or not numbers:
            continue
        entry = catalog().metrics.get(subject.metrics[0])
        try:
            parse_metric(numbers[0].rstrip("x"), entry.unit if entry is not None else "")
        except AdvisorError:
            continue
        return subject
    return None
