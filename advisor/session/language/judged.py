"""Recognise the question whether a stated number is good: `is 40 % occupancy ok?`, `are 64 registers too many?`."""

from __future__ import annotations

import re
from typing import Final

from advisor.knowledge.base import catalog
from advisor.records.errors import AdvisorError
from advisor.records.quantities import parse_metric
from advisor.records.questions import JUDGE, Meaning, Subject
from advisor.session.language.lexicon import Known, read

_ASKS: Final = re.compile(
    r"^(?:(?:so|and|but|ok|well|then|hi|hey|my|our)\W+)*(?:is|are|isn'?t|aren'?t)\b", re.IGNORECASE
)
_WORDS: Final = frozenset(
    (
        *("ok", "okay", "fine", "good", "great", "alright", "acceptable", "reasonable", "normal", "healthy", "enough"),
        *("sufficient", "bad", "poor", "terrible", "wrong", "many", "much", "few", "little", "low", "high", "large"),
        *("big", "small", "lot"),
    )
)


def judged(text: str, known: Known) -> Meaning | None:
    """Return the meaning of a question whether one stated number is good; None for any other text."""
    if not _ASKS.match(text):
        return None
    sentence = read(text, known)
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
