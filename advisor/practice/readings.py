"""Exercises that are read, not run: a recorded trace or report, of which the learner says what it shows.

A folder `kernels/<name>/` with `reading.yaml` and one recording. The name of the folder is that of the program, never
of the problem, so it may be shown before the prediction.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, structs

from advisor.knowledge.loader import load
from advisor.records import resources
from advisor.records.errors import KnowledgeError

READING = "reading.yaml"
# The answer that nothing is wrong; the learner's one step, to which a prediction belongs.
NOTHING, STEP = "none", "recording"
LARGEST = 100 * 1024  # bytes of a recording, compressed


class ReadingEstimate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The number to estimate: an expression of the timeline's metrics in µs, and how to derive it (a text to fill)."""

    how: str
    value: str = msgspec.field(name="is")


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One exercise.

    number: its place in the recommended order of all exercises; kind: `timeline` (a trace of Nsight Systems) or
    `profile` (a report of Nsight Compute); step: of the method; recording: the file in its folder; expect: the pattern
    or caveat that comes first, or NOTHING; changed: what the script that built it changed in a real report, shown after
    the prediction; launch: index of the launch to judge; estimate: of a timeline; explanation: why it is so in this
    recording, a text filled with its metrics.
    """

    number: int
    kind: Literal["timeline", "profile"]
    title: str
    story: str
    step: str
    level: Literal[1, 2, 3]
    recording: str
    expect: str
    hints: tuple[str, ...]
    explanation: str
    licence: str
    cites: tuple[str, ...]
    changed: str = ""
    launch: int = 0
    estimate: ReadingEstimate | None = None
    name: str = ""

    @property
    def path(self) -> Path:
        """The recording."""
        return resources.folder("kernels") / self.name / self.recording

    @property
    def stages(self) -> tuple[ReadingStep, ...]:
        """The one step, under which predictions are stored."""
        return (ReadingStep(STEP),)

    @property
    def ladder(self) -> bool:
        """False: it has one step."""
        return False


class ReadingStep(Struct, frozen=True):
    """The step of a reading exercise."""

    id: str


@lru_cache(maxsize=1)
def reading_names() -> tuple[str, ...]:
    """Return the names of these exercises, in alphabetical order."""
    return tuple(sorted(p.parent.name for p in resources.folder("kernels").glob(f"*/{READING}")))


@lru_cache(maxsize=128)
def load_reading(name: str) -> Reading:
    """Load one of `reading_names`. Raises KnowledgeError with file and line if its manifest is invalid."""
    path = resources.folder("kernels") / name / READING
    found = structs.replace(load(path, Reading), name=name)
    if (found.estimate is not None) != (found.kind == "timeline"):
        raise KnowledgeError(f"{path}:1: a timeline has an `estimate`, a profile has none")
    return found


@lru_cache(maxsize=1)
def readings() -> tuple[Reading, ...]:
    """Return all of them, in the recommended order."""
    return tuple(sorted(map(load_reading, reading_names()), key=lambda one: one.number))


def find_reading(name: str) -> Reading | None:
    """Return the exercise with this name or number, or None if there is none of this kind."""
    if name.isdecimal():
        return next((one for one in readings() if one.number == int(name[:6])), None)
    return load_reading(name) if name in reading_names() else None
