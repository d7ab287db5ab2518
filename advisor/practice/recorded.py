"""The recording of an exercise: one full-set report of all its steps, their timings, and where they were made."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import msgspec

from advisor.practice.api import Card
from advisor.practice.manifest import Exercise, StepDef, home
from advisor.records.errors import KnowledgeError

REPORT, RECORD = "profile.ncu-rep.xz", "record.json"
CARDS = ("h200",)


class StepTimes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Times of the runs of a step in ns, its launches in the report, from 0, and the `digest` of its code."""

    times_ns: tuple[float, ...]
    launches: tuple[int, ...]
    code: str


class RecordFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """record.json. Clocks in Hz during the timed runs; copy: bytes/s of a large device copy in the same session."""

    gpu: str
    cc: str
    sms: int
    memory: int
    l2: int
    shared_per_block: int
    shared_per_sm: int
    driver: str
    cuda: str
    cupy: str
    ncu: str
    sm_clock_hz: float
    memory_clock_hz: float
    date: str
    copy_bytes_per_s: float
    sizes: dict[str, int]
    steps: dict[str, StepTimes]

    @property
    def card(self) -> Card:
        """The card that it was recorded on."""
        return Card(self.gpu, self.cc, self.sms, self.memory, self.l2, self.shared_per_block, self.shared_per_sm)


_COMMENT = re.compile(r"//(?!\s*(?:launch|constant)\s*:)[^\n]*|/\*.*?\*/", re.DOTALL)


def digest(exercise: Exercise, step: StepDef) -> str:
    """12 hexadecimal digits of the SHA-256 of a step's code: without comments (but launch lines), spaces as one."""
    state = hashlib.sha256()
    for name in (step.source, *step.extra):
        text = (home(exercise.name) / name).read_text(encoding="utf-8")
        code = _COMMENT.sub(" ", text) if name.endswith(".cu") else text
        state.update(" ".join(code.split()).encode() + b"\0")
    return state.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Recording:
    """What was recorded of an exercise on one card."""

    record: RecordFile
    report: Path


def recording(exercise: Exercise, card: str = CARDS[0]) -> Recording | None:
    """The recording on a card; None where there is none, KnowledgeError where it is damaged."""
    folder = home(exercise.name) / "recorded" / card
    path = folder / RECORD
    if not path.is_file():
        return None
    try:
        found = msgspec.json.decode(path.read_bytes(), type=RecordFile)
    except (msgspec.DecodeError, msgspec.ValidationError, OSError) as e:
        raise KnowledgeError(f"{path}:1: {e}") from None
    if not (folder / REPORT).is_file():
        raise KnowledgeError(f"{folder / REPORT}:1: missing beside {RECORD}")
    return Recording(found, folder / REPORT)
