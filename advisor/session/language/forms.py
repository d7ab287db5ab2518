"""Questions that have one form whatever they are about: is a number good, why is it so low, how many run at once.

The form decides before the intents are scored: their weights know what a question is about, not which way it points.
"""

from __future__ import annotations

import re
from typing import Final

from advisor.records.questions import BLOCK_SIZE, JUDGE, RESIDENT, SPILLED, WHY_VALUE, WOULD_HELP, Meaning, Subject
from advisor.session.language.judged import judged
from advisor.session.language.lexicon import Known, Sentence, read
from advisor.session.language.techniques import asked as technique_asked

# The intents whose answer that of a form holds: whether a number is good says its value, and whether it is the cause.
HOLDS: Final = {
    JUDGE: ("is_cause", "is_bound", "value"),
    WHY_VALUE: ("why_slow",),
    WOULD_HELP: ("how_to_fix", "is_cause"),
    RESIDENT: ("value",),
    SPILLED: ("value",),
    BLOCK_SIZE: ("value", "what_if", "how_to_fix"),
}
# `is poor reuse the reason` and `…, is this why` are questions for yes or no.
_WHY: Final = re.compile(
    r"^(?:(?:so|and|but|ok|well|then|hi|hey|please|tell me|explain|the|what is|me)\s+)*"
    r"(?:why|how come|what makes|what keeps|what is keeping|reason)\b"
)
_LOW: Final = frozenset(("low", "small", "poor", "bad", "little", "few", "only", "below", "under", "tiny", "lower"))
_HIGH: Final = frozenset(("high", "big", "large", "many", "much", "above", "over", "higher", "huge"))
_RESIDENT: Final = re.compile(
    r"\b(?:threads?|blocks?|warps?|ctas?)\b.*\b(?:at once|(?:at|in) (?:the )?same time|concurrently|concurrent"
    r"|simultaneously|simultaneous|in parallel|resident|in flight|active|run together|fit)\b"
    r"|\b(?:active|resident|concurrent|simultaneous)\b (?:threads?|blocks?|ctas?)\b"
)
_COUNTED: Final = re.compile(r"\bhow (?:many|much)\b|\bnumber of\b|\bcount of\b|^what is\b")
_SIZE: Final = (
    r"(?:(?:thread ?)?block ?(?:size|dims?|dimensions?)|(?:thread ?)?blocks? shape"
    r"|threads? (?:per|in a|in each) (?:thread ?)?(?:block|cta)|work ?group size)"
)
_BEST: Final = r"(?:best|optimal|right|ideal|good|better|recommended)"
_SO: Final = r"^(?:and |so |then |ok )*"
_WHICH_SIZE: Final = re.compile(
    rf"{_SO}(?:what|which|how many)(?: {_BEST})?(?: number of)? {_SIZE}\b"
    r".*\b(?:should|shall|best|better|optimal|choose|pick|recommend|suggest)\b"
    rf"|{_SO}(?:what|which) (?:is|are|would be) (?:the |a |my )?{_BEST} (?:number of |amount of )?{_SIZE}\b"
    rf"|^(?:the )?{_BEST} {_SIZE}\b"
    rf"|\b(?:choose|pick|select|recommend|suggest|tune|optimi[sz]e) (?:me )?(?:the |a |my )?(?:{_BEST} )?{_SIZE}\b"
)
# What to avoid, or what somebody else chose.
_OTHER_CHOICE: Final = re.compile(r"\b(?:avoid|not|never|don't|did|does|ncu|nsight|nvidia|author|authors)\b")
_SPILLS: Final = re.compile(r"\bspill(?:s|ed|ing|age)?\b")
_AMOUNT: Final = re.compile(
    r"\bhow (?:many|much)\b|\b(?:number|count|amount|size) of\b|\b(?:bytes|kb|mb|gb)\b"
    r"|\bspill (?:requests|bytes|traffic)\b"
)
# What spills cost or what their end gains is asked with the same words.
_WORTH: Final = frozenset(
    (
        "faster",
        "time",
        "slower",
        "cost",
        "costs",
        "gain",
        "gained",
        "save",
        "saves",
        "speedup",
        "without",
        "help",
        "fix",
    )
)
_YES_NO: Final = re.compile(r"^(?:is|are|do|does|did|was|were|can|could|will|has|have)\b")
_SUPPOSED: Final = frozenset(("if", "would", "suppose", "could", "should"))


def by_form(text: str, known: Known) -> Meaning | None:
    """Return the meaning of a question by its form alone; None for any other text."""
    found = judged(text, known) or technique_asked(text)
    if found is not None:
        return found
    sentence = read(text, known)
    line = " ".join(sentence.words)
    return (
        _which_size(sentence, line)
        or _resident(sentence, line)
        or _spilled(sentence, line)
        or _why_value(sentence, line)
    )


def _why_value(sentence: Sentence, line: str) -> Meaning | None:
    """Return the meaning of `why is the occupancy so low`, if it is about one number of the launch."""
    words = set(sentence.words)
    direction = "low" if words & _LOW else "high" if words & _HIGH else ""
    if not direction or not _WHY.match(line) or words & _SUPPOSED or "not" in words:
        return None
    measured = [thing for thing in sentence.things if thing.metrics and not _is_stall(thing)]
    subject = next(iter(measured), None)
    if subject is None or len({thing.id for thing in measured}) > 1 or subject.id in ("duration", "gpu"):
        return None
    it = subject.text or "this"
    return _meaning(sentence, WHY_VALUE, f"why {it} is {direction}", subject)


def _which_size(sentence: Sentence, line: str) -> Meaning | None:
    """Return the meaning of `what block size should I use`; a question that names a size asks what that one does."""
    if sentence.numbers or sentence.gpu or _OTHER_CHOICE.search(line) or not _WHICH_SIZE.search(line):
        return None
    subject = Subject("block_size", "block size", metrics=("block_size",))
    return _meaning(sentence, BLOCK_SIZE, "which block size to use", subject)


def _resident(sentence: Sentence, line: str) -> Meaning | None:
    """Return the meaning of `how many threads run at once`."""
    if not _RESIDENT.search(line) or not _COUNTED.search(line) or sentence.gpu or set(sentence.words) & _SUPPOSED:
        return None
    if _YES_NO.match(line) or "scheduler" in line:
        return None
    subject = Subject("occupancy", "threads", metrics=("occupancy_achieved_pct", "occupancy_theoretical_pct"))
    return _meaning(sentence, RESIDENT, "how many threads run at once", subject)


def _spilled(sentence: Sentence, line: str) -> Meaning | None:
    """Return the meaning of `how many bytes are spilled`, which asks about local memory, not about bytes of DRAM."""
    if not _SPILLS.search(line) or not _AMOUNT.search(line) or set(sentence.words) & (_SUPPOSED | _WORTH):
        return None
    if _YES_NO.match(line) or _WHY.match(line) or sentence.gpu:
        return None
    subject = Subject("spilling", "the spills", metrics=("spill_inst", "local_inst"), findings=("register_spilling",))
    return _meaning(sentence, SPILLED, "how much is spilled", subject)


def _meaning(sentence: Sentence, intent: str, says: str, subject: Subject) -> Meaning:
    return Meaning(
        text=sentence.text,
        intent=intent,
        says=says,
        subject=subject,
        confidence=1.0,
        numbers=sentence.numbers,
        words=sentence.words,
    )


def _is_stall(thing: Subject) -> bool:
    return thing.metrics[0].startswith("stall_")
