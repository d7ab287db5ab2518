"""What a learner does without a GPU, as the state file keeps it: hints, answers, predictions, points, solutions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from advisor.errors import UsageError
from advisor.practice.manifest import Exercise, StepDef, bundled_text, home
from advisor.practice.predict import Score, score
from advisor.practice.state import Prediction, Record, Store, latest

if TYPE_CHECKING:
    from advisor.model import LaunchDiagnosis, Progress
    from advisor.pipelines.diagnose import Analysis
    from advisor.practice.recorded import RecordFile
    from advisor.practice.selfcheck import Measured


@dataclass(frozen=True, slots=True)
class Recorded:
    """The recorded data of an exercise, where it was made, and the analysis of its report."""

    measured: Measured
    record: RecordFile
    analysis: Analysis

    def launch(self, step: StepDef) -> LaunchDiagnosis:
        """The launch of a step that is judged, with what the exercise answers about it."""
        own = self.measured.steps[step.id].launches
        return next(x for x in self.analysis.diagnosis.launches if x.index == own[step.look_at])


@dataclass(frozen=True, slots=True)
class Revealed:
    """A prediction beside what the profile says: its points, the class and the first cause, the measured speedup."""

    said: Prediction
    class_id: str
    cause: str
    speedup: float | None
    score: Score


@dataclass(frozen=True, slots=True)
class Solution:
    """A step as bundled: its file and text, and the text of the step before it (`old`)."""

    step: StepDef
    before: StepDef
    path: Path
    text: str
    old: str


def of_recording(one: Exercise, progress: Progress | None = None) -> Recorded:
    """The recorded profile of an exercise, reasoned about; UsageError where this installation has none."""
    from advisor.catalog import catalog
    from advisor.practice import recorded, selfcheck

    measured, found = selfcheck.of_recording(one), recorded.recording(one)
    if measured is None or found is None:
        raise UsageError(f"{one.name} has no recorded profile in this installation: install ncu-advisor again")
    return Recorded(measured, found.record, selfcheck.analyse(catalog(), [measured], progress=progress))


def actual_speedup(one: Exercise, step: str, measured: Measured) -> float | None:
    """How many times as fast the cured version was measured to be; None where times are missing.

    That is the fastest later stage that mends this step's finding, else the next stage; 1.0 after the last.
    """
    ids = [s.id for s in one.stages]
    if step not in ids:
        return None
    later = one.stages[ids.index(step) + 1 :]
    if not later:
        return 1.0
    curing = [s for s in later if any(m.step == step for m in s.mends)] or [later[0]]
    here = measured.steps.get(step)
    times = [median(found.times_ns) for s in curing if (found := measured.steps.get(s.id)) and found.times_ns]
    if here is None or not here.times_ns or not times:
        return None
    return median(here.times_ns) / min(times)


def hint(store: Store, one: Exercise, all_: bool = False) -> int:
    """Take the next hint, or all; how many are taken now."""

    def take(record: Record) -> int:
        record.hints = len(one.hints) if all_ else min(len(one.hints), record.hints + 1)
        return record.hints

    return store.change(one.name, take)


def answer(store: Store, one: Exercise, at: int, chosen: int) -> None:
    """Answer a question of the quiz, both from 0: the first answer stays. UsageError where there is no such thing."""
    if not (0 <= at < len(one.quiz) and 0 <= chosen < len(one.quiz[at].answers)):
        raise UsageError(f"{one.name} has no such question or answer")
    store.change(one.name, lambda record: record.quiz.setdefault(str(at), chosen))


def foretell(store: Store, one: Exercise, made: Prediction) -> None:
    """Keep a prediction, in place of one for the same step that was not yet scored."""

    def note(record: Record) -> None:
        kept = [p for p in record.predictions if p.step != made.step or p.points is not None]
        record.predictions = [*kept, made]

    store.change(one.name, note)


def reveal(
    store: Store, one: Exercise, step: str, launch: LaunchDiagnosis, actual: float | None, digest: str = ""
) -> Revealed | None:
    """Score the prediction for a step and keep the points, once; None where nothing was predicted.

    actual: the measured speedup; digest: of the learner's source that was profiled, empty for a bundled step.
    """
    known = latest(store.record(one.name), step)
    if known is None:
        return None
    causes = [f.id for f in launch.findings if f.kind == "diagnosis"]
    first = causes[0] if causes else ""
    result = score(
        known.class_id,
        known.cause,
        known.speedup,
        actual_class=launch.verdict.id,
        actual_cause=first,
        others=causes,
        actual_speedup=actual,
    )

    def note(record: Record) -> None:
        p = latest(record, step)
        if p is not None and p.points is None:
            p.points, p.digest = result.total, digest
            p.actual_class, p.actual_cause, p.actual_speedup = launch.verdict.id, first, actual

    store.change(one.name, note)
    return Revealed(known, launch.verdict.id, first, actual, result)


def solution(store: Store, one: Exercise, step_id: str, anyway: bool) -> Solution:
    """A later step, the last by default: after an attempt or on request (`anyway`), else UsageError."""
    if not store.record(one.name).attempts and not anyway:
        raise UsageError(
            f"you have not tried {one.name} yet: `ncu-advisor practice check {one.name}` counts as an attempt; "
            f"--anyway shows the solution at once"
        )
    step = one.step_of(step_id) if step_id else one.stages[-1]

    def note(record: Record) -> None:
        if step.id not in record.solutions:
            record.solutions.append(step.id)

    store.change(one.name, note)
    before = one.stages[max(0, [s.id for s in one.stages].index(step.id) - 1)] if step in one.stages else one.stages[0]
    old = bundled_text(one.name, before.source)
    return Solution(step, before, home(one.name) / step.source, bundled_text(one.name, step.source), old)


def forget(store: Store, one: Exercise) -> None:
    """Forget attempts, hints, quiz, predictions and log of an exercise; where the learner's folder is stays known."""

    def empty(record: Record) -> None:
        folder = record.folder
        for field, value in ((f, getattr(Record(), f)) for f in Record.__struct_fields__):
            setattr(record, field, value)
        record.folder = folder

    store.change(one.name, empty)
