"""The learner's progress and experiment logs, in one JSON file in the user's data folder.

A change holds a lock, reads the file, and renames a whole new file over it. A file that cannot be read is never
overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec
from filelock import FileLock, Timeout

from advisor.records import resources
from advisor.records.errors import InputError, UsageError
from advisor.records.files import write_whole

_LONGEST = 500


def add(
    record: Record,
    digest: str,
    what: str,
    *,
    right: bool | None = None,
    time_ns: float | None = None,
    noise: float | None = None,
    observation: str = "",
) -> LogRow:
    """A row for a version of the source; the row of the same source is updated instead of repeated."""
    if record.log and record.log[-1].digest == digest:
        row = record.log[-1]
        row.what = what
    else:
        row = LogRow(version=len(record.log) + 1, digest=digest, what=what)
        record.log.append(row)
    row.right = right if right is not None else row.right
    row.time_ns, row.noise = (time_ns, noise) if time_ns is not None else (row.time_ns, row.noise)
    row.observation = observation or row.observation
    return row


def annotate(record: Record, observation: str, hypothesis: str, next_: str) -> None:
    """Add the learner's words to the latest version; UsageError where there is none yet or a text is too long."""
    if not record.log:
        raise UsageError("the log is empty: `practice check` or `practice profile` writes its first version")
    for text in (observation, hypothesis, next_):
        if len(text) > _LONGEST:
            raise UsageError(f"a text of over {_LONGEST} characters: the log is for short notes")
    row = record.log[-1]
    row.observation = observation or row.observation
    row.hypothesis = hypothesis or row.hypothesis
    row.next = next_ or row.next


T = TypeVar("T")
Ratio = Annotated[float, msgspec.Meta(gt=0)]
SCHEMA = "ncu-advisor/practice/1"
_WAIT_S = 10.0
_LARGEST = 64 << 20


class Prediction(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A prediction made before a profile was shown, and its points once it was.

    digest: of the learner's source that was profiled, empty for a bundled step.
    """

    step: str
    class_id: str
    cause: str
    speedup: Ratio
    points: int | None = None
    actual_class: str = ""
    actual_cause: str = ""
    actual_speedup: Ratio | None = None
    digest: str = ""


class LogRow(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One version of the experiment log; times in ns, `digest` of the source that was run."""

    version: int
    digest: str
    what: str
    right: bool | None = None
    time_ns: float | None = None
    noise: float | None = None
    observation: str = ""
    hypothesis: str = ""
    next: str = ""


class Record(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One exercise. `folder` is the learner's; `quiz` maps a question's place, from 0, to the answer's first choice."""

    folder: str = ""
    hints: int = 0
    attempts: int = 0
    solved: bool = False
    solutions: list[str] = []
    quiz: dict[str, int] = {}
    predictions: list[Prediction] = []
    log: list[LogRow] = []


def latest(record: Record, step: str) -> Prediction | None:
    """The last prediction for a step."""
    return next((p for p in reversed(record.predictions) if p.step == step), None)


def state_of(record: Record | None) -> Literal["new", "started", "tried", "solved"]:
    """solved, tried, started or new."""
    if record is None:
        return "new"
    if record.solved:
        return "solved"
    begun = record.folder or record.predictions or record.quiz or record.hints
    return "tried" if record.attempts else "started" if begun else "new"


class Progress(msgspec.Struct, forbid_unknown_fields=True):
    """The whole file."""

    schema: str = SCHEMA
    exercises: dict[str, Record] = {}


def data_folder() -> Path:
    """The user's data folder of this program; not yet made."""
    return resources.user_data()


class Store:
    """The state file in a folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or data_folder()
        self.path = self.folder / "practice.json"

    def read(self) -> Progress:
        """The stored progress, empty when there is no file yet. InputError when it cannot be read."""
        try:
            if self.path.stat().st_size > _LARGEST:
                raise InputError(f"{self.path}: over {_LARGEST >> 20} MiB: not what practice wrote: move it away")
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return Progress()
        except OSError as e:
            raise InputError(f"{self.path}: cannot be read: {e.strerror}") from None
        try:
            found = msgspec.json.decode(raw, type=Progress)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as e:
            raise InputError(
                f"{self.path}: damaged or from a newer version ({e}); nothing was changed: move it away to start afresh"
            ) from None
        if found.schema != SCHEMA:
            raise InputError(f"{self.path}: written by another version ({found.schema[:60]}): move it away or update")
        return found

    def record(self, exercise: str) -> Record:
        """The record of one exercise."""
        return self.read().exercises.get(exercise, Record())

    def change(self, exercise: str, change: Callable[[Record], T]) -> T:
        """Change the record of one exercise under the lock and write the file whole; returns what `change` returns."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.folder / "practice.lock", timeout=_WAIT_S)
            with lock:
                progress = self.read()
                record = progress.exercises.setdefault(exercise, Record())
                out = change(record)
                text = msgspec.json.format(msgspec.json.encode(progress, order="sorted"), indent=1).decode()
                write_whole(self.path, text + "\n")
                return out
        except UnicodeEncodeError:
            raise UsageError("a text or path that is not UTF-8 cannot be kept: write it in plain characters") from None
        except Timeout:
            raise InputError(f"{self.path}: another terminal has held it for {_WAIT_S:.0f} s: try again") from None
        except OSError as e:
            raise InputError(f"{self.folder}: cannot be written: {e.strerror or os.strerror(e.errno or 0)}") from None
