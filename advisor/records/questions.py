"""The meaning of a typed question: its intent and what it is about."""

from __future__ import annotations

from typing import Final

import msgspec

from advisor.records.record import Record, Share, written

# Confidence from which an answer does not say how the question was read. On 150 sentences that were kept back, 1 of 150
# readings above it was wrong, 3 at 0.6 (`python -m tests.bench.questions`).
SURE: Final = 0.7


# Confidence below which a question is not answered: the readings are offered instead. At or above it, 26 of 33 readings
# that are not certain were right on the same sentences.
LEAST: Final = 0.2
UNSURE: Final = "I am not sure what you ask. Did you mean:"

NCU_RULE: Final = "ncu_rule"  # the intent of a pasted result of a rule of Nsight Compute, which is no sentence
JUDGE: Final = "judge"  # the intent of a question whether a stated number is good
WHY_VALUE: Final = "why_value"  # the intent of a question why a number of the launch is low or high
RESIDENT: Final = "resident"  # the intent of a question how many threads run at once
SPILLED: Final = "spilled"  # the intent of a question how much is spilled
BLOCK_SIZE: Final = "which_block_size"  # the intent of a question which block size to use
WOULD_HELP: Final = "would_help"  # the intent of a question whether a technique would help


class Subject(Record):
    """What a question is about.

    id: unique; text: its words in the question; form: name, fault (words that claim a fault) or value (words that ask
    for a number); unit: of the GPU; metrics, findings: in order of preference; word: its entry of `explain`.
    """

    id: str
    text: str = ""
    form: str = "name"
    unit: str = ""
    metrics: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    word: str = ""


class Alternative(Record):
    """Another possible meaning. says: in words; example: a question with that meaning, to type instead."""

    intent: str
    says: str
    example: str = ""


class Meaning(Record, kw_only=True):
    """How a question was read.

    intent: an id of language/intents.yaml or one of the constants above; says: the intent in words; example: a
    question with this meaning, in plain words, empty for the constants; subject: absent if it names none; confidence:
    0 to 1; alternatives: meanings that are almost as likely; numbers: those in the text; words: the text after
    spelling correction; gpu: the id of a GPU that the text names beside its subject, empty if it
    names none.
    """

    text: str
    intent: str
    says: str = ""
    subject: Subject | None = None
    confidence: Share
    alternatives: tuple[Alternative, ...] = written(())
    numbers: tuple[str, ...] = ()
    words: tuple[str, ...] = msgspec.field(default=())
    gpu: str = ""
    example: str = ""

    @property
    def readings(self) -> tuple[str, ...]:
        """Return the most likely readings as questions to type, the best first, at most two."""
        examples = (self.example, *(other.example for other in self.alternatives))
        return tuple(dict.fromkeys(text for text in examples if text))[:2]
