"""An output against its reference, element by element, in pieces so that little memory is needed beside the two.

What came of a run, as the parent sees it: frozen records read from the child's RESULT.json.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work
from advisor.practice.failures import Failure
from advisor.practice.tasks import AS_WRITTEN, Job, Kernel, Task, Variation
from advisor.records.errors import KnowledgeError

PIECE = 1 << 24  # elements compared at a time: 128 MB of float64
_POISON = {"f": 0xFF, "c": 0xFF}  # all ones is a NaN that no arithmetic of a GPU gives
_OTHER_POISON = 0xA5


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first wrong element of an output, and how many there are; `unwritten`: it still holds the poison."""

    output: str
    index: tuple[int, ...]
    expected: float
    got: float
    wrong: int
    total: int
    unwritten: bool


def poison_byte(dtype: Any) -> int:
    """The byte that fills an array of this type before a run."""
    return _POISON.get(np.dtype(dtype).kind, _OTHER_POISON)


def poison(array: Any) -> None:
    """Fill a contiguous array with what no kernel writes: a NaN, or bytes of 0xA5."""
    array.view(np.uint8).fill(poison_byte(array.dtype))


def _bad(have: Any, want: Any, tolerance: Tolerance) -> Any:
    if have.dtype.kind in "fc" or want.dtype.kind in "fc":
        wide = np.complex128 if "c" in (have.dtype.kind, want.dtype.kind) else np.float64
        have, want = have.astype(wide), want.astype(wide)
    elif tolerance.absolute == tolerance.relative == 0:
        return have != want
    else:
        have, want = have.astype(np.int64), want.astype(np.int64)
    return ~(abs(have - want) <= tolerance.absolute + tolerance.relative * abs(want))


def compare(cp: Any, name: str, have: Any, want: Any, tolerance: Tolerance, poisoned: bool) -> Mismatch | None:
    """None where every element is within the tolerance; KnowledgeError when the two have different shapes.

    poisoned: whether the output started as poison, so that one never written can be told.
    """
    want = cp.asarray(want)
    if tuple(have.shape) != tuple(want.shape):
        raise KnowledgeError(f"the reference of {name!r} has the shape {want.shape}, the output {have.shape}")
    flat_have, flat_want = have.ravel(), want.ravel()
    size, wrong, first = int(flat_have.size), 0, -1
    for at in range(0, size, PIECE):
        bad = _bad(flat_have[at : at + PIECE], flat_want[at : at + PIECE], tolerance)
        count = int(bad.sum())
        if count and first < 0:
            first = at + int(bad.argmax())
        wrong += count
    if not wrong:
        return None
    element = flat_have[first : first + 1]
    left = poisoned and bool((element.view(np.uint8) == poison_byte(have.dtype)).all())
    index = tuple(int(i) for i in np.unravel_index(first, have.shape))
    expected, got = (_number(a[first].item()) for a in (flat_want, flat_have))
    return Mismatch(name, index, expected, got, wrong, size, left)


def _number(value: Any) -> float:
    return abs(value) if isinstance(value, complex) else float(value)


@dataclass(frozen=True, slots=True)
class JobResult:
    """One job. times_ns: its timed runs; changed: inputs that the kernel wrote into; correct: None where not checked.

    profiled: its launches in the report, None where they could not be counted; failure: what ended the job early.
    """

    exercise: str
    step: str
    vary: Variation = AS_WRITTEN
    failure: Failure | None = None
    kernels: tuple[Kernel, ...] = ()
    correct: bool | None = None
    mismatch: Mismatch | None = None
    changed: tuple[str, ...] = ()
    times_ns: tuple[float, ...] = ()
    profiled: int | None = 0
    answers: tuple[tuple[str, Any], ...] = ()

    @property
    def time_ns(self) -> float:
        """The median of the timed runs; NaN where there are none."""
        return median(self.times_ns) if self.times_ns else math.nan

    @property
    def wrong(self) -> str:
        """What is wrong with the result in one line; empty where it is right or was not checked."""
        if self.changed:
            return f"the kernel writes into its input {', '.join(self.changed)}"
        m = self.mismatch
        if m is None:
            return ""
        place = f"{m.output}[{', '.join(str(i) for i in m.index)}]"
        share = f"{m.wrong:,} of {m.total:,} elements are wrong"
        if m.unwritten:
            return f"{place} was never written: {m.expected:.9g} is expected; {share}"
        return f"{place} is {m.got:.9g}, expected {m.expected:.9g}; {share}"


@dataclass(frozen=True, slots=True)
class Problem:
    """What an exercise was on this card: sizes, and the bytes and FLOP that its algorithm needs at them."""

    sizes: dict[str, int]
    work: Work


@dataclass(frozen=True, slots=True)
class Outcome:
    """A whole run. failure: why nothing, or not everything, could be run; printed: the last lines kernels printed."""

    card: Card | None = None
    versions: tuple[tuple[str, str], ...] = ()
    failure: Failure | None = None
    problems: tuple[tuple[str, Problem], ...] = ()
    jobs: tuple[JobResult, ...] = ()
    printed: tuple[str, ...] = ()

    def problem(self, exercise: str) -> Problem | None:
        """The sizes and work of an exercise, None where its data could not be made."""
        return dict(self.problems).get(exercise)

    def job(self, step: str, exercise: str | None = None) -> JobResult | None:
        """The first result of a step; None where it was not reached."""
        for result in self.jobs:
            if result.step == step and exercise in (None, result.exercise):
                return result
        return None

    def joined(self, later: Outcome) -> Outcome:
        """This run and the one that went on after it."""
        return Outcome(
            later.card or self.card,
            later.versions or self.versions,
            later.failure,
            tuple({**dict(self.problems), **dict(later.problems)}.items()),
            self.jobs + later.jobs,
            (self.printed + later.printed)[-PRINTED:],
        )


PRINTED = 100  # lines kept of what kernels print


@dataclass(frozen=True, slots=True)
class Now:
    """What the child was doing: exercise, step and stage."""

    exercise: str
    step: str
    stage: str


def read_result(path: Path) -> tuple[Outcome, Now | None, bool]:
    """What a child has written so far, what it was doing, and whether it was done.

    A file that is not there or is not whole gives an empty outcome.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Outcome(), None, False
    now = Now(**raw["now"]) if raw["now"] else None
    failure = Failure.from_json(raw["failure"]) if raw["failure"] else None
    problems = tuple((name, Problem(p["sizes"], Work(**p["work"]))) for name, p in raw["exercises"].items())
    outcome = Outcome(
        Card(**raw["card"]) if raw["card"] else None,
        tuple((k, str(v)) for k, v in raw["versions"].items()),
        failure,
        problems,
        tuple(_job(j) for j in raw["jobs"]),
    )
    return outcome, now, bool(raw["done"])


def _job(raw: dict[str, Any]) -> JobResult:
    mismatch = None
    if raw["mismatch"]:
        m = dict(raw["mismatch"])
        m.update(index=tuple(m["index"]), expected=float(m["expected"]), got=float(m["got"]))
        mismatch = Mismatch(**m)
    return JobResult(
        raw["exercise"],
        raw["step"],
        Variation(**raw["vary"]),
        Failure.from_json(raw["failure"]) if raw["failure"] else None,
        tuple(Kernel(**k) for k in raw["kernels"]),
        raw["correct"],
        mismatch,
        tuple(raw["changed"]),
        tuple(float(t) for t in raw["times_ns"]),
        raw["profiled"],
        tuple(raw["answers"].items()),
    )


def left_over(tasks: tuple[Task, ...], done: tuple[JobResult, ...]) -> tuple[Task, ...]:
    """The tasks without the jobs that have a result, in order; a job is known by exercise, step and variation."""
    seen = {(r.exercise, r.step, r.vary) for r in done}
    left = []
    for task in tasks:
        jobs: tuple[Job, ...] = tuple(j for j in task.jobs if (task.exercise, j.step, j.vary) not in seen)
        if jobs:
            left.append(replace(task, jobs=jobs))
    return tuple(left)
