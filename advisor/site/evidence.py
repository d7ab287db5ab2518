"""The recorded profiles and times of the exercises, as the evidence of the causes that they show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from statistics import median

from msgspec import Struct

from advisor.knowledge.base import catalog
from advisor.practice.lessons import actual_speedup
from advisor.practice.manifest import Exercise, RecordFile, StepDef, recording
from advisor.practice.selfcheck import Measured, analyse, judge, of_recording
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.readings import Progress


class Step(Struct, frozen=True):
    """A recorded step. time_ns: the median of its runs; launch: what is concluded on its launch."""

    step: StepDef
    time_ns: float | None
    launch: LaunchDiagnosis | None


class Recorded(Struct, frozen=True):
    """The recording of an exercise, with its steps in their order."""

    exercise: Exercise
    record: RecordFile
    measured: Measured
    steps: tuple[Step, ...]

    def gain(self, step: StepDef) -> tuple[float, StepDef] | None:
        """Return the measured speedup of the version that fixes a step, and that version; None if it has none."""
        found = self.exercise.measured_against(step.id)
        gain = actual_speedup(self.exercise, step.id, self.measured)
        return None if found is None or gain is None else (gain, found)

    @property
    def origin(self) -> str:
        """GPU, driver, version of ncu and date."""
        record = self.record
        return f"Recorded on {record.gpu}, driver {record.driver}, ncu {record.ncu}, {record.date}."


def recordings(exercises: Iterable[Exercise], jobs: int = 2, progress: Progress | None = None) -> dict[str, Recorded]:
    """Read and diagnose the recordings of exercises, by name. An exercise without a recording is left out."""
    measured = [found for one in exercises if (found := of_recording(one)) is not None]
    if not measured:
        return {}
    analysis = analyse(catalog(), measured, jobs, progress)
    out = {}
    for one, judged in zip(measured, judge(catalog(), measured, analysis), strict=True):
        kept = recording(one.exercise)
        assert kept is not None
        steps = []
        for each in judged.steps:
            data = one.steps.get(each.step.id)
            times = data.times_ns if data is not None else ()
            steps.append(Step(each.step, median(times) if times else None, each.launch))
        out[one.exercise.name] = Recorded(one.exercise, kept.record, one, tuple(steps))
    return out


def showing(cause: str, found: Mapping[str, Recorded]) -> Iterator[tuple[Recorded, Step]]:
    """Yield the recorded stages whose first finding is a cause, those of its own exercise first, then by number."""
    ordered = sorted(found.values(), key=lambda one: (one.exercise.diagnosis != cause, one.exercise.number))
    for one in ordered:
        yield from ((one, step) for step in one.steps if step.step.expect == cause and not step.step.beside)
