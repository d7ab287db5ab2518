"""Everything that can happen in a session. Events are data: a session is its events, and replaying them gives it back.

Two sorts: what the user did, in meaning and not in keys; and what the advisor answered to a request. A request is work
that a state waits for (reading, concluding, proving); whoever drives the session performs it and reports the outcome.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from advisor.dialogue.records import Lore
from advisor.model import Diagnosis

Value = float | str | None


# Requests


@dataclass(frozen=True, slots=True)
class Read:
    """Read the reports (or, with none, only the lore) and conclude."""

    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conclude:
    """Conclude again with all answers: (position or None for numbers without a report, question id, value)."""

    answers: tuple[tuple[int | None, str, float | str], ...]
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Prove:
    """How a finding or the class was concluded and where it would turn (`how`), or why it was not (`why_not`)."""

    what: str
    position: int
    finding: str


@dataclass(frozen=True, slots=True)
class Suppose:
    """What would be concluded if these metrics had these values."""

    position: int
    values: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Look:
    """Look a word up in the knowledge base."""

    word: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Reckon:
    """Do the napkin math for an algorithm with these parameters on the GPU of the launch."""

    position: int
    algorithm: str
    parameters: tuple[tuple[str, float | str], ...]


Request = Read | Conclude | Prove | Suppose | Look | Reckon


# What the user did


@dataclass(frozen=True, slots=True)
class Began:
    """The session begins: with reports, or with none (then the advisor asks for the numbers)."""

    paths: tuple[str, ...] = ()
    gpu: str = ""


@dataclass(frozen=True, slots=True)
class LaunchSelected:
    """A launch, by its place in the diagnosis."""

    position: int


@dataclass(frozen=True, slots=True)
class LaunchesShown:
    """Back to the list of launches."""


@dataclass(frozen=True, slots=True)
class FindingShown:
    """Another finding of the launch is looked at."""

    finding: str


@dataclass(frozen=True, slots=True)
class FixShown:
    """The fix of the finding at hand, step by step."""


@dataclass(frozen=True, slots=True)
class EvidenceShown:
    """The numbers behind the finding at hand."""


@dataclass(frozen=True, slots=True)
class MissingShown:
    """What the report lacks and how to collect it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question is taken up."""

    question: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A question is answered; None is "I don't know"."""

    question: str
    value: Value
    said: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """The question is put off."""

    question: str


@dataclass(frozen=True, slots=True)
class NapkinBegun:
    """The user wants to compare with what the algorithm needs."""


@dataclass(frozen=True, slots=True)
class NumbersContinued:
    """More numbers are to be asked for, after a pause to look at the conclusion."""


@dataclass(frozen=True, slots=True)
class ConclusionShown:
    """In an interview: enough numbers, the conclusion is wanted."""


@dataclass(frozen=True, slots=True)
class WhyAsked:
    """Why is this asked; with no question open, why this class."""


@dataclass(frozen=True, slots=True)
class HowAsked:
    """How the finding was concluded; empty means the one at hand."""

    finding: str = ""


@dataclass(frozen=True, slots=True)
class WhyNotAsked:
    """Why a finding was not concluded."""

    finding: str


@dataclass(frozen=True, slots=True)
class WhatIfAsked:
    """What if these metrics had these values."""

    values: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class ExplainAsked:
    """What a word means."""

    word: str


@dataclass(frozen=True, slots=True)
class HelpAsked:
    """What can be said here."""


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Something was typed that means nothing here; `meant` is what could have been meant."""

    text: str
    meant: tuple[str, ...] = ()
    because: str = ""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Work was called off."""

    request: Request


@dataclass(frozen=True, slots=True)
class Retried:
    """Work that failed or was called off is wanted again."""


@dataclass(frozen=True, slots=True)
class Quit:
    """The session ends."""


@dataclass(frozen=True, slots=True)
class Back:
    """The last thing that the user did is undone."""


# What the advisor answered


@dataclass(frozen=True, slots=True)
class Opened:
    """The reports were read and judged. Without reports the diagnosis is None."""

    request: Read
    diagnosis: Diagnosis | None
    lore: Lore


@dataclass(frozen=True, slots=True)
class Concluded:
    """Everything was concluded anew."""

    request: Conclude
    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class Told:
    """A proof, a supposition, an explanation or a napkin result."""

    request: Prove | Suppose | Look | Reckon
    result: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """Work failed: one line that says what is wrong and what to do."""

    request: Request
    message: str


Outcome = Opened | Concluded | Told | Failed
Deed = (
    Began
    | LaunchSelected
    | LaunchesShown
    | FindingShown
    | FixShown
    | EvidenceShown
    | MissingShown
    | Asked
    | Answered
    | Skipped
    | NapkinBegun
    | NumbersContinued
    | ConclusionShown
    | WhyAsked
    | HowAsked
    | WhyNotAsked
    | WhatIfAsked
    | ExplainAsked
    | HelpAsked
    | NotUnderstood
    | Cancelled
    | Retried
    | Quit
)
Event = Deed | Outcome | Back
OUTCOMES = (Opened, Concluded, Told, Failed)
