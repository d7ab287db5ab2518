"""The learner's progress and experiment logs, in one JSON file in the user's data folder.

To make a change, take a lock, read the file, and replace it with a new file by renaming. A file that cannot be read is
never overwritten.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

from advisor.records import resources
from advisor.records.errors import InputError, UsageError
from advisor.records.files import write_whole
from advisor.records.own_files import make_own, read_own

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
    """Add a row for a version of the source, or update the row if this source has one."""
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
    """Add the learner's notes to the latest version. Raises UsageError if there is none or a text is too long."""
    if not record.log:
        raise UsageError("the log is empty: `practice check` or `practice profile` writes its first version")
    for text in (observation, hypothesis, next_):
        if len(text) > _LONGEST:
            raise UsageError(f"a text longer than {_LONGEST} characters: the log is for short notes")
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
    """A prediction made before a profile was shown, and its points once scored.

    digest: of the learner's source that was profiled, empty for a bundled step. estimate: of a recording to read, in
    ns; its prediction has no class, and the speedup 1.
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
    estimate: Ratio | None = None
    actual_estimate: Ratio | None = None


class LogRow(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One version in the experiment log; times in ns, `digest` of the source that ran."""

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
    """The record of one exercise. folder: the learner's; quiz: question number, from 0 -> first answer chosen."""

    folder: str = ""
    hints: int = 0
    attempts: int = 0
    solved: bool = False
    solutions: list[str] = []
    quiz: dict[str, int] = {}
    predictions: list[Prediction] = []
    log: list[LogRow] = []


def latest(record: Record, step: str) -> Prediction | None:
    """Return the last prediction for a step."""
    return next((p for p in reversed(record.predictions) if p.step == step), None)


def state_of(record: Record | None) -> Literal["new", "started", "tried", "solved"]:
    """Return solved, tried, started or new."""
    if record is None:
        return "new"
    if record.solved:
        return "solved"
    begun = record.folder or record.predictions or record.quiz or record.hints
    return "tried" if record.attempts else "started" if begun else "new"


class Progress(msgspec.Struct, forbid_unknown_fields=True):
    """The content of the state file."""

    schema: str = SCHEMA
    exercises: dict[str, Record] = {}


def data_folder() -> Path:
    """Return the user's data folder of this program, which may not exist yet."""
    return resources.user_data()


class Store:
    """The state file of a folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or data_folder()
        self.path = self.folder / "practice.json"

    def read(self) -> Progress:
        """Return the stored progress, empty if there is no file yet. Raises InputError if it cannot be read."""
        try:
            if self.path.stat().st_size > _LARGEST:
                raise InputError(f"{self.path}: over {_LARGEST >> 20} MiB, so not written by practice: move it away")
            raw = read_own(self.path, _LARGEST)
        except FileNotFoundError:
            return Progress()
        except OSError as e:
            raise InputError(f"{self.path}: cannot be read: {e.strerror}") from None
        try:
            found = msgspec.json.decode(raw, type=Progress)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as e:
            raise InputError(
                f"{self.path}: damaged or from a newer version ({e}); nothing was changed: move it away to start again"
            ) from None
        if found.schema != SCHEMA:
            raise InputError(f"{self.path}: written by another version ({found.schema[:60]}): move it away or update")
        return found

    def record(self, exercise: str) -> Record:
        """Return the record of one exercise."""
        return self.read().exercises.get(exercise, Record())

    def change(self, exercise: str, change: Callable[[Record], T]) -> T:
        """Apply `change` to the record of an exercise under the lock, write the file, and return its result."""
        from filelock import FileLock, Timeout  # loads slowly: not needed to show a record

        try:
            make_own(self.folder)  # for the lock
            lock = FileLock(self.folder / "practice.lock", timeout=_WAIT_S)
            with lock:
                progress = self.read()
                record = progress.exercises.setdefault(exercise, Record())
                out = change(record)
                text = msgspec.json.format(msgspec.json.encode(progress, order="sorted"), indent=1).decode()
                write_whole(self.path, text + "\n")
                return out
        except UnicodeEncodeError:
            raise UsageError("a text or path that is not UTF-8 cannot be saved: use UTF-8") from None
        except Timeout:
            raise InputError(f"{self.path}: another terminal has held it for {_WAIT_S:.0f} s: try again") from None
        except OSError as e:
            raise InputError(f"{self.folder}: cannot be written: {e.strerror or os.strerror(e.errno or 0)}") from None
