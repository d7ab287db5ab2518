"""Check each exercise: the expected finding is first, no forbidden finding is there, and it is correct and fast.

The same rules apply to recorded profiles and to a run on this machine's GPU. In a run, one child process measures a
large device copy as the reference for bandwidths, then checks and times all steps; one ncu then profiles them into one
report, or several if a step ends its child. The results can be recorded in the exercises' folders.
"""

from __future__ import annotations

import io
import lzma
import math
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from advisor.knowledge.base import Catalog
from advisor.practice import calibrate, overlap
from advisor.practice.api import Card
from advisor.practice.manifest import (
    RECORD,
    REPORT,
    Exercise,
    RecordFile,
    StepDef,
    StepTimes,
    answers,
    digest,
    exercise,
    home,
    recording,
    work_of,
)
from advisor.practice.overlap import Overlap
from advisor.practice.profiling import Profile, profile
from advisor.practice.run import JobResult, OnProgress, Outcome, Runner, nothing, run
from advisor.practice.tasks import Job, Request, Stage, Task
from advisor.profiling.failures import Failure
from advisor.readers.container import extract, walk
from advisor.readers.read import read_many
from advisor.reasoning.analysis import Analysis
from advisor.reasoning.enrich import add_neighbours
from advisor.reasoning.inputs import Inputs, checked_answers
from advisor.reasoning.time_model.noise import spread
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import InputError
from advisor.records.files import write_bytes_whole, write_whole
from advisor.records.readings import Progress
from advisor.records.record import NotNegative, Record, named

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class StepData:
    """The data of a step on one GPU: times in ns, launches in the report, and whether it was correct (None: unchecked).

    `wrong` describes a wrong result.
    """

    times_ns: tuple[float, ...]
    launches: tuple[int, ...]
    right: bool | None = None
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """The data of an exercise on one GPU. copy: bytes/s of a large device copy; report: one file with all launches."""

    exercise: Exercise
    gpu: str
    copy: float
    sizes: Mapping[str, int]
    steps: Mapping[str, StepData]
    report: Path


@dataclass(frozen=True, slots=True)
class StepJudged:
    """The result of a step: its median time in ns, ratio to the step before, first finding and class.

    problems: failed claims. pending: the expected finding has no rule yet. reached: achieved share of each `reach`.
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
    """The result of an exercise and its steps. overlap: the memory-only / math-only verdict, if it is that experiment.

    problems: failed claims that belong to no single step.
    """

    exercise: Exercise
    gpu: str
    steps: tuple[StepJudged, ...]
    overlap: Overlap | None = None
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Return whether every claim holds."""
        return not self.problems and not any(s.problems for s in self.steps)


def of_recording(exercise: Exercise) -> Measured | None:
    """Return the recorded data of an exercise, or None if there is none."""
    found = recording(exercise)
    if found is None:
        return None
    r = found.record
    steps = {k: StepData(v.times_ns, v.launches) for k, v in r.steps.items()}
    return Measured(exercise, r.gpu, r.copy_bytes_per_s, r.sizes, steps, found.report)


def analyse(
    catalog: Catalog, measured: Sequence[Measured], jobs: int = 2, progress: Progress | None = None
) -> Analysis:
    """Analyse the reports of several exercises at once, each launch with the answers of its case; keep their order."""
    paths = list(dict.fromkeys(m.report for m in measured))
    frame, infos = read_many(paths, jobs=jobs, progress=progress)
    if not len(frame):
        wrong = [p if p.startswith(i.path) else f"{i.path}: {p}" for i in infos for p in i.problems[:1]]
        raise InputError("; ".join(wrong) or "no report to check")
    frame = frame.reset_index(drop=True).copy()  # one block again: columns were added one by one
    # The steps of an exercise are versions of one kernel: of the launches beside each, only the clocks compare.
    frame["clock_of_highest"] = add_neighbours(frame)["clock_of_highest"]
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
    """Judge every exercise by its claims. analysis: of the reports of the same list, None if there are none."""
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
    """Return the Step 0b verdict from the three times, and whether loads, stores and occupancy were held equal."""
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
        problems += [f"{f.id} is found but forbidden" for f in found if f.id in step.forbid]
        problems += [f"{name} is not found" for name in step.also if name not in {f.id for f in launch.findings}]
    problems += _gain(step, times)
    reached = {}
    for name, least in step.reach.items():
        share = _share(m, step.id, name, time, times)
        reached[name] = share
        if share < least:
            problems.append(f"reaches {share:.1%} of {name}, claimed {least:.0%}")
    gain = found[0].speedup.estimate if found and found[0].speedup is not None else None
    verdict = launch.verdict.id if launch is not None else ""
    return StepJudged(step, time, ratio, first, verdict, gain, tuple(problems), pending, reached, launch)


def _gain(step: StepDef, times: Mapping[str, float]) -> list[str]:
    claim = step.gain
    if claim is None or step.id not in times or claim.over not in times:
        return []
    ratio = times[claim.over] / times[step.id]
    if ratio < claim.at_least:
        return [f"{ratio:.2f}× over {claim.over}, claimed at least {claim.at_least:g}×"]
    if ratio > claim.at_most:
        return [f"{ratio:.2f}× over {claim.over}, claimed at most {claim.at_most:g}×"]
    return []


def _share(m: Measured, step: str, name: str, time: float, times: Mapping[str, float]) -> float:
    """Return the share of a device copy's bandwidth, or of another step's speed; 0 if not known."""
    if not time:
        return 0.0
    if name != "copy":
        return times.get(name, 0.0) / time
    work = work_of(m.exercise.name, step, dict(m.sizes))
    return work.bytes / (time * 1e-9) / m.copy if m.copy else 0.0


COPY = "copy"  # name of the task that measures a device copy
Key = tuple[str, str]  # exercise, step


@dataclass(frozen=True, slots=True)
class Everything:
    """The result of a run. measured: the exercises with the data of each step, in order; empty if nothing ran.

    failure: why nothing could run, or why there is no profile.
    """

    outcome: Outcome
    measured: tuple[Measured, ...] = ()
    failure: Failure | None = None


def task_of(name: str, do: tuple[Stage, ...], seed: int, root: Path | None = None) -> Task:
    """Return a task with all steps of a bundled exercise; if `root` is given, paths are relative to it."""
    folder = home(name)
    place = folder.relative_to(root) if root is not None else folder
    jobs = tuple(
        Job(
            step.id,
            str(place / step.source),
            do,
            tuple(str(place / extra) for extra in step.extra),
            step.launches,
            step.result,
        )
        for step in exercise(name).steps
    )
    return Task(name, str(place / "case.py"), jobs, seed)


def request(names: Iterable[str], do: tuple[Stage, ...], seed: int, root: Path | None = None) -> Request:
    """Return the request to run these exercises in one child process."""
    return Request(tuple(task_of(name, do, seed, root) for name in names))


def copy_task(seed: int) -> Task:
    """Return the task that measures the device copy, the reference for bandwidths."""
    return calibrate.task(COPY, seed)


def run_all(
    exercises: Iterable[Exercise],
    seed: int,
    folder: Path,
    runner: Runner | None = None,
    show: OnProgress = nothing,
    ncu: Path | None = None,
    clock_control: str | None = None,
) -> Everything:
    """Check, time and profile all steps of these exercises; write reports to `folder`, which must exist."""
    wanted, runner = tuple(exercises), replace(runner or Runner(), go_on=True)
    tasks = request((e.name for e in wanted), ("check", "time"), seed).tasks
    outcome = run(Request((copy_task(seed), *tasks)), runner, show)
    copy, problem = calibrate.fastest(outcome, COPY), outcome.problem(COPY)
    if outcome.failure is not None or copy is None or problem is None or outcome.card is None:
        return Everything(outcome, failure=outcome.failure or Failure("crashed", "the device copy could not be run"))
    if not copy.correct or not copy.times_ns:
        reason = copy.failure.words if copy.failure is not None else copy.wrong
        return Everything(
            outcome, failure=copy.failure or Failure("wrong", f"the device copy has a wrong result: {reason}")
        )
    results = {(j.exercise, j.step): j for j in outcome.jobs}
    ran = tuple(_profiling(task, results) for task in tasks)
    reports, failure = _profiles(tuple(t for t in ran if t.jobs), folder, runner, show, ncu, clock_control)
    rate = problem.work.bytes / copy.time_ns * 1e9
    measured = tuple(_measured(e, outcome, rate, results, reports, folder) for e in wanted)
    return Everything(outcome, measured, failure)


def _profiling(task: Task, results: Mapping[Key, JobResult]) -> Task:
    """Return the same task, changed to profile the steps that ran."""
    good = [j for j in task.jobs if (r := results.get((task.exercise, j.step))) is not None and r.failure is None]
    return replace(task, jobs=tuple(replace(j, do=("profile",)) for j in good))


@dataclass(frozen=True, slots=True)
class _Report:
    """The report of an exercise, and the launches of each step in it, from 0."""

    path: Path
    launches: Mapping[str, tuple[int, ...]]


def _profiles(
    tasks: tuple[Task, ...], folder: Path, runner: Runner, show: OnProgress, ncu: Path | None, clock_control: str | None
) -> tuple[dict[str, _Report], Failure | None]:
    """Profile all tasks into as few reports as possible; all steps of an exercise are in the same report."""
    found: dict[str, _Report] = {}
    failure, part = None, 0
    while tasks:
        path = folder / f"selfcheck-{part}.ncu-rep"
        made = profile(Request(tasks), path, runner, show, ncu, clock_control)
        bad = {(j.exercise, j.step) for j in made.outcome.jobs if j.failure is not None}
        failure = made.failure if not bad else failure
        places = launches_of(made)
        whole = {t.exercise for t in tasks if all((t.exercise, j.step) in places for j in t.jobs)}
        if made.report is not None:
            for task in tasks:
                if task.exercise in whole:
                    mine = {j.step: places[task.exercise, j.step] for j in task.jobs}
                    found[task.exercise] = _Report(made.report, mine)
        if not bad and not whole:
            return found, failure or Failure("report", "the launches cannot be matched to their steps")
        left = [replace(t, jobs=tuple(j for j in t.jobs if (t.exercise, j.step) not in bad)) for t in tasks]
        tasks = tuple(t for t in left if t.exercise not in whole and t.jobs)
        part += 1
    return found, failure


def launches_of(made: Profile) -> dict[Key, tuple[int, ...]]:
    """Map (exercise, step) to its launches in the report, for the steps where that is certain.

    ncu announces each launch while the child prints its current step. If the child could count its launches, both must
    agree; if they do not (ncu may write late), the counts decide, provided that all of them are known.
    """
    said: dict[Key, list[int]] = {}
    for index, launch in enumerate(made.launches):
        said.setdefault((launch.exercise, launch.step), []).append(index)
    jobs = [j for j in made.outcome.jobs if j.failure is None]
    if all(j.profiled in (None, len(said.get((j.exercise, j.step), ()))) for j in jobs):
        return {(j.exercise, j.step): tuple(said.get((j.exercise, j.step), ())) for j in jobs}
    places: dict[Key, tuple[int, ...]] = {}
    at = 0
    for job in made.outcome.jobs:
        if job.profiled is None or job.failure is not None:
            break
        places[job.exercise, job.step] = tuple(range(at, at + job.profiled))
        at += job.profiled
    return places if len(places) < len(jobs) or at == len(made.launches) else {}


def _measured(
    one: Exercise,
    outcome: Outcome,
    copy: float,
    results: Mapping[Key, JobResult],
    reports: Mapping[str, _Report],
    folder: Path,
) -> Measured:
    problem, report = outcome.problem(one.name), reports.get(one.name)
    steps = {}
    for step in one.steps:
        job = results.get((one.name, step.id))
        if job is None:
            steps[step.id] = StepData((), (), False, "was not reached: an earlier step stopped the run")
            continue
        wrong = job.failure.words if job.failure is not None else job.wrong
        right = False if job.failure is not None else job.correct
        places = report.launches.get(step.id, ()) if report is not None else ()
        steps[step.id] = StepData(job.times_ns, places, right, wrong)
    gpu = outcome.card.name if outcome.card is not None else ""
    path = report.path if report is not None else folder / "selfcheck-0.ncu-rep"
    return Measured(one, gpu, copy, problem.sizes if problem is not None else {}, steps, path)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The environment of a run: versions as reported, clocks in Hz (0: unknown), date as ISO 8601, the seed."""

    card: Card
    driver: str
    cuda: str
    cupy: str
    ncu: str
    sm_clock_hz: float
    memory_clock_hz: float
    date: str
    seed: int


def driver_version() -> str:
    """Return the driver version of the first GPU from nvidia-smi; '' if not known."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
        return done.stdout.splitlines()[0].strip()
    except (OSError, subprocess.SubprocessError, IndexError):
        return ""


def clocks(frame: pd.DataFrame) -> tuple[float, float]:
    """Return the median SM and memory clocks of the profiled launches in Hz (idle clocks differ); 0 if not known."""
    middle = [frame[name].median() if name in frame else math.nan for name in ("sm_clock_hz", "dram_clock_hz")]
    sm, memory = (0.0 if math.isnan(m) else float(round(m, -6)) for m in middle)
    return sm, memory


def write_all(measured: Iterable[Measured], said: Circumstances, card: str, done: Callable[[str], None]) -> None:
    """Write the recordings of all exercises into their folders, in parallel; call `done` with each name."""
    with ThreadPoolExecutor(8) as pool:  # Compression takes most of the time and does not hold the GIL.
        made = {
            m.exercise.name: pool.submit(write, m, said, home(m.exercise.name) / "recorded" / card) for m in measured
        }
        for name, one in made.items():
            one.result()
            done(name)


def write(m: Measured, said: Circumstances, folder: Path) -> None:
    """Write the recording of an exercise. Raises InputError if its report is damaged or lacks launches.

    The report keeps only the launches of this exercise, renumbered in order.
    """
    wanted = [launch for step in m.exercise.steps for launch in _recorded_step(m.exercise, m, step.id)]
    data = m.report.read_bytes()
    found = walk(data)
    if found.damage or not wanted or max(wanted) >= found.readable:
        raise InputError(f"{m.report}: does not hold the {len(wanted)} launches of {m.exercise.name}: profile again")
    out = io.BytesIO()
    extract(data, found, frozenset(wanted), out, _of_libraries(m))
    number = {launch: at for at, launch in enumerate(sorted(wanted))}
    steps = {
        step.id: StepTimes(
            tuple(round(t, 1) for t in m.steps[step.id].times_ns),
            tuple(number[launch] for launch in m.steps[step.id].launches),
            digest(m.exercise, step),
        )
        for step in m.exercise.steps
    }
    c = said.card
    record = RecordFile(
        c.name, c.cc, c.sms, c.memory, c.l2, c.shared_per_block, c.shared_per_sm,
        said.driver, said.cuda, said.cupy, said.ncu, said.sm_clock_hz, said.memory_clock_hz, said.date,
        m.copy, dict(m.sizes), steps, said.seed,
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    packed = lzma.compress(out.getvalue(), preset=9 | lzma.PRESET_EXTREME)
    write_bytes_whole(folder / REPORT, packed)
    text = msgspec.json.format(msgspec.json.encode(record), indent=1).decode()
    write_whole(folder / RECORD, text + "\n")


def _of_libraries(m: Measured) -> frozenset[int]:
    """Return the launches of Python steps without kernels of their own, which run code of a library."""
    return frozenset(
        launch
        for step in m.exercise.steps
        if step.source.endswith(".py") and not step.extra
        for launch in m.steps[step.id].launches
    )


def _recorded_step(one: Exercise, m: Measured, step: str) -> tuple[int, ...]:
    data = m.steps.get(step)
    if data is None or not data.launches or not data.times_ns:
        raise InputError(f"{one.name}: step {step} was not measured and profiled: nothing is recorded")
    return data.launches


def versions_of(versions: Mapping[str, str]) -> tuple[str, str]:
    """Format the CUDA and CuPy versions that a child reports: `13000` is CUDA 13.0."""
    raw = versions.get("runtime", "")
    cuda = f"{int(raw) // 1000}.{int(raw) % 1000 // 10}" if raw.isdigit() else raw
    return cuda, versions.get("cupy", "")


class CheckedStep(Record, kw_only=True):
    """A step of an exercise. speedup: over the step before; estimate: of the first finding's fix, from the profile.

    first: its first finding; expected: the finding that must come first; reached: shares of what it must reach.
    """

    id: str
    time_ns: NotNegative
    speedup: float | None = None
    estimate: float | None = None
    class_id: str = msgspec.field(name="class")
    first: str
    expected: str
    status: Literal["ok", "fail", "pending"]
    reached: Mapping[str, float]
    problems: tuple[str, ...]


class CheckedExercise(Record, kw_only=True):
    """An exercise. overlap: of its memory-only and math-only halves, if it has them."""

    name: str
    gpu: str
    ok: bool
    problems: tuple[str, ...]
    overlap: Annotated[tuple[str, float], named("verdict", "hidden")] | None = None
    steps: tuple[CheckedStep, ...]


class Selfcheck(Record, tag_field="schema", tag="ncu-advisor/selfcheck/1"):
    """Output of `ncu-advisor practice selfcheck --format json`: every exercise and step with its findings."""

    exercises: tuple[CheckedExercise, ...]


def status(step: StepJudged) -> Literal["ok", "fail", "pending"]:
    """Return the status of a step: pending if its expected finding has no rule yet."""
    return "fail" if step.problems else "pending" if step.pending else "ok"


def selfcheck_document(judged: Sequence[Judged]) -> Selfcheck:
    """Build the document of judged exercises."""
    return Selfcheck(
        tuple(
            CheckedExercise(
                name=one.exercise.name,
                gpu=one.gpu,
                ok=one.ok,
                problems=one.problems,
                overlap=(one.overlap.word, one.overlap.hidden) if one.overlap else None,
                steps=tuple(map(_checked, one.steps)),
            )
            for one in judged
        )
    )


def _checked(found: StepJudged) -> CheckedStep:
    return CheckedStep(
        id=found.step.id,
        time_ns=found.time_ns,
        speedup=found.ratio,
        estimate=found.gain,
        class_id=found.class_id,
        first=found.first,
        expected=found.step.expect,
        status=status(found),
        reached=found.reached or {},
        problems=found.problems,
    )
