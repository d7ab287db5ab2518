"""Whether every exercise shows what it claims: its expected finding first, none that is forbidden, right, and as fast.

Judges recorded profiles, or those of a run on this machine's GPU, by the same rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from advisor.errors import InputError
from advisor.model import LaunchDiagnosis, Progress
from advisor.practice import overlap, recorded
from advisor.practice.cases import answers, work_of
from advisor.practice.manifest import Exercise, StepDef
from advisor.practice.overlap import Overlap
from advisor.quantify.noise import spread

if TYPE_CHECKING:
    from advisor.catalog import Catalog
    from advisor.pipelines.diagnose import Analysis


@dataclass(frozen=True, slots=True)
class StepData:
    """What is known of a step on one card: times in ns, launches in the report, whether it was right (None: unchecked).

    `wrong` says what was found where it was not right.
    """

    times_ns: tuple[float, ...]
    launches: tuple[int, ...]
    right: bool | None = None
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """One exercise on one card. copy: bytes/s of a large device copy there; report: one report with all launches."""

    exercise: Exercise
    gpu: str
    copy: float
    sizes: Mapping[str, int]
    steps: Mapping[str, StepData]
    report: Path


@dataclass(frozen=True, slots=True)
class StepJudged:
    """One step: median time in ns, its ratio to the step before, first finding and class; `problems` are claims broken.

    pending: the expected finding has no rule yet. reached: achieved share of what `reach` asks for, by its name.
    """

    step: StepDef
    time_ns: float
    ratio: float | None
    first: str
    class_id: str
    gain: float | None
    problems: tuple[str, ...]
    pending: bool = False
    reached: Mapping[str, float] | None = None
    launch: LaunchDiagnosis | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """One exercise with its steps. overlap: the verdict of its memory-only / math-only experiment, where it is one.

    problems: claims broken that belong to no single step.
    """

    exercise: Exercise
    gpu: str
    steps: tuple[StepJudged, ...]
    overlap: Overlap | None = None
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every claim holds."""
        return not self.problems and not any(s.problems for s in self.steps)


def of_recording(exercise: Exercise) -> Measured | None:
    """The recorded data of an exercise, or None where there is none."""
    found = recorded.recording(exercise)
    if found is None:
        return None
    r = found.record
    steps = {k: StepData(v.times_ns, v.launches) for k, v in r.steps.items()}
    return Measured(exercise, r.gpu, r.copy_bytes_per_s, r.sizes, steps, found.report)


def analyse(
    catalog: Catalog, measured: Sequence[Measured], jobs: int = 2, progress: Progress | None = None
) -> Analysis:
    """One analysis of the reports of several exercises, each launch with what its case answers; reports in order."""
    from advisor.pipelines.diagnose import Analysis, Inputs, checked_answers
    from advisor.reports import read_many

    paths = list(dict.fromkeys(m.report for m in measured))
    frame, infos = read_many(paths, jobs=jobs, progress=progress)
    if not len(frame):
        wrong = [p if p.startswith(i.path) else f"{i.path}: {p}" for i in infos for p in i.problems[:1]]
        raise InputError("; ".join(wrong) or "no report to check")
    frame = frame.reset_index(drop=True)
    place = {
        (int(report), int(index)): at
        for at, (report, index) in enumerate(zip(frame["report"], frame["index"], strict=True))
    }
    given: dict[int | None, dict[str, float | str]] = {}
    for m in measured:
        for step in m.exercise.steps:
            said = checked_answers(catalog, answers(m.exercise.name, step.id, dict(m.sizes)))
            for launch in m.steps[step.id].launches if step.id in m.steps else ():
                at = place.get((paths.index(m.report), launch))
                if at is not None and said:
                    given[at] = said
    return Analysis(catalog, Inputs(frame, infos, None, given))


def judge(catalog: Catalog, measured: Sequence[Measured], analysis: Analysis | None) -> tuple[Judged, ...]:
    """Every exercise against its claims; `analysis` is of the reports of the same list, None where there are none."""
    launches = {}
    if analysis is not None:
        named = {i: info.path for i, info in enumerate(analysis.diagnosis.reports)}
        launches = {(named[x.report], x.index): x for x in analysis.diagnosis.launches}
    out = []
    for m in measured:
        times = {k: median(v.times_ns) for k, v in m.steps.items() if v.times_ns}
        judged: list[StepJudged] = []
        for step in m.exercise.steps:
            data = m.steps.get(step.id)
            own = data.launches if data is not None else ()
            launch = launches.get((str(m.report), own[step.look_at])) if len(own) > step.look_at else None
            judged.append(_step(catalog, m, step, times, launch, judged))
        overlap, problems = _overlap(m, judged)
        out.append(Judged(m.exercise, m.gpu, tuple(judged), overlap, problems))
    return tuple(out)


def _overlap(m: Measured, judged: Sequence[StepJudged]) -> tuple[Overlap | None, tuple[str, ...]]:
    """Step 0b: the verdict from the three times, and whether loads, stores and occupancy were held equal."""
    claim = m.exercise.overlap
    if claim is None:
        return None, ()
    names = (claim.full, claim.memory, claim.math)
    times = [m.steps[n].times_ns if n in m.steps else () for n in names]
    metrics = [next((s.launch.metrics for s in judged if s.step.id == n and s.launch is not None), {}) for n in names]
    if not all(times):
        return None, ("the three variants were not all timed",)
    found = overlap.judge(*(spread(t) for t in times))
    problems = [
        f"{held.variant}: {held.metric} is {held.value:g}, in the full kernel {held.full:g}: they must be equal"
        for held in overlap.held_equal(metrics[0], {"memory": metrics[1], "math": metrics[2]})
        if not held.equal
    ]
    if not found.visible or not found.sure:
        problems.append("the times of the halves are too close to the noise or too unequal for a verdict")
    if found.word != claim.verdict:
        problems.append(f"the overlap of the halves is {found.word!r}, claimed {claim.verdict!r}")
    return found, tuple(problems)


def _step(
    catalog: Catalog,
    m: Measured,
    step: StepDef,
    times: Mapping[str, float],
    launch: LaunchDiagnosis | None,
    before: Sequence[StepJudged],
) -> StepJudged:
    data = m.steps.get(step.id)
    time = times.get(step.id, 0.0)
    problems: list[str] = []
    if data is None or not data.times_ns:
        problems.append("was not timed")
    elif data.right is False:
        problems.append(f"wrong result: {data.wrong}")
    earlier = [s for s in before if not s.step.beside and s.time_ns]
    ratio = earlier[-1].time_ns / time if earlier and time and not step.beside else None
    found = [f for f in launch.findings if f.kind == "diagnosis"] if launch is not None else []
    first = found[0].id if found else ""
    pending = step.expect not in catalog.findings
    if launch is None:
        problems.append("was not profiled")
    elif not pending:
        if first != step.expect:
            problems.append(f"{first or 'nothing'} comes first, expected {step.expect}")
        if step.class_ and launch.verdict.id != step.class_:
            problems.append(f"class {launch.verdict.id}, expected {step.class_}")
        problems += [f"{f.id} is found and forbidden" for f in found if f.id in step.forbid]
        problems += [f"{name} is not found" for name in step.also if name not in {f.id for f in launch.findings}]
    problems += _gain(step, times)
    reached = {}
    for name, least in step.reach.items():
        share = _share(m, step.id, name, time, times)
        reached[name] = share
        if share < least:
            problems.append(f"reaches {share:.1%} of {name}, claims {least:.0%}")
    gain = found[0].speedup.estimate if found and found[0].speedup is not None else None
    verdict = launch.verdict.id if launch is not None else ""
    return StepJudged(step, time, ratio, first, verdict, gain, tuple(problems), pending, reached, launch)


def _gain(step: StepDef, times: Mapping[str, float]) -> list[str]:
    claim = step.gain
    if claim is None or step.id not in times or claim.over not in times:
        return []
    ratio = times[claim.over] / times[step.id]
    if ratio < claim.at_least:
        return [f"{ratio:.2f}x over {claim.over}, claims at least {claim.at_least:g}x"]
    if ratio > claim.at_most:
        return [f"{ratio:.2f}x over {claim.over}, claims at most {claim.at_most:g}x"]
    return []


def _share(m: Measured, step: str, name: str, time: float, times: Mapping[str, float]) -> float:
    """Of a device copy's bandwidth, or of another step's speed; 0 where it cannot be told."""
    if not time:
        return 0.0
    if name != "copy":
        return times.get(name, 0.0) / time
    work = work_of(m.exercise.name, step, dict(m.sizes))
    return work.bytes / (time * 1e-9) / m.copy if m.copy else 0.0
