"""The records of what would decide a launch without a diagnosis."""

from __future__ import annotations

from advisor.records.record import Record


class Wanted(Record):
    """A section of ncu that would decide.

    metrics: its canonical metrics that most causes wait for; findings: the causes that it decides together with the
    sections before it, or `class`.
    """

    section: str
    metrics: tuple[str, ...]
    findings: tuple[str, ...]


class Deciding(Record):
    """What would decide.

    sections: those that decide most causes, most first; questions: ids of questions to the user, if no section is
    lacking; command: the ncu command that collects the sections for the kernel, empty without any.
    """

    sections: tuple[Wanted, ...]
    questions: tuple[str, ...]
    command: str
