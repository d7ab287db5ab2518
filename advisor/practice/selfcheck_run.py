"""The running half of the author's check: every step of every exercise checked, timed and profiled on this GPU.

One child process checks and times everything, after a large device copy whose bandwidth claims are measured against.
One ncu then profiles the steps that ran into one report; where a step ends its child, what is left goes into another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.practice import calibrate
from advisor.practice.failures import Failure
from advisor.practice.manifest import Exercise, exercise, home
from advisor.practice.outcome import JobResult, Outcome
from advisor.practice.profiling import Profile, profile
from advisor.practice.run import OnProgress, Runner, nothing, run
from advisor.practice.selfcheck import Measured, StepData
from advisor.practice.tasks import Job, Request, Stage, Task

COPY = "copy"  # the name of the task that measures a device copy
Key = tuple[str, str]  # exercise, step


@dataclass(frozen=True, slots=True)
class Everything:
    """What came of it. measured: the exercises with whatever is known of each step, in order; empty when nothing ran.

    failure: why nothing could be run, or why there is no profile.
    """

    outcome: Outcome
    measured: tuple[Measured, ...] = ()
    failure: Failure | None = None


def task_of(name: str, do: tuple[Stage, ...], seed: int, root: Path | None = None) -> Task:
    """All steps of a bundled exercise; paths are relative to `root` where one is given."""
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
    """What one child process is asked to do with these exercises."""
    return Request(tuple(task_of(name, do, seed, root) for name in names))


def copy_task(seed: int) -> Task:
    """The device copy that bandwidths are compared with."""
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
    """Check, time and profile all steps of these exercises; reports go into `folder`, which must exist."""
    wanted, runner = tuple(exercises), replace(runner or Runner(), go_on=True)
    tasks = request((e.name for e in wanted), ("check", "time"), seed).tasks
    outcome = run(Request((copy_task(seed), *tasks)), runner, show)
    copy, problem = calibrate.fastest(outcome, COPY), outcome.problem(COPY)
    if outcome.failure is not None or copy is None or problem is None or outcome.card is None:
        return Everything(outcome, failure=outcome.failure or Failure("crashed", "the device copy could not be run"))
    if not copy.correct or not copy.times_ns:
        reason = copy.failure.words if copy.failure is not None else copy.wrong
        return Everything(outcome, failure=copy.failure or Failure("wrong", f"the device copy is wrong: {reason}"))
    results = {(j.exercise, j.step): j for j in outcome.jobs}
    ran = tuple(_profiling(task, results) for task in tasks)
    reports, failure = _profiles(tuple(t for t in ran if t.jobs), folder, runner, show, ncu, clock_control)
    rate = problem.work.bytes / copy.time_ns * 1e9
    measured = tuple(_measured(e, outcome, rate, results, reports, folder) for e in wanted)
    return Everything(outcome, measured, failure)


def _profiling(task: Task, results: Mapping[Key, JobResult]) -> Task:
    """The same task, to profile the steps that ran."""
    good = [j for j in task.jobs if (r := results.get((task.exercise, j.step))) is not None and r.failure is None]
    return replace(task, jobs=tuple(replace(j, do=("profile",)) for j in good))


@dataclass(frozen=True, slots=True)
class _Report:
    """Where the launches of an exercise are: the report, and for each step its launches in it, from 0."""

    path: Path
    launches: Mapping[str, tuple[int, ...]]


def _profiles(
    tasks: tuple[Task, ...],
    folder: Path,
    runner: Runner,
    show: OnProgress,
    ncu: Path | None,
    clock_control: str | None,
) -> tuple[dict[str, _Report], Failure | None]:
    """Profile all tasks, in as many reports as it takes; an exercise is whole in one of them."""
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
            return found, failure or Failure("report", "it cannot be told which launches belong to which step")
        left = [replace(t, jobs=tuple(j for j in t.jobs if (t.exercise, j.step) not in bad)) for t in tasks]
        tasks = tuple(t for t in left if t.exercise not in whole and t.jobs)
        part += 1
    return found, failure


def launches_of(made: Profile) -> dict[Key, tuple[int, ...]]:
    """(exercise, step) -> its launches in the report, for the steps where that is sure.

    ncu announces each launch while the child says at which step it is. Where the child could count its launches both
    must agree; where they do not (ncu may write late), the counts decide as long as all of them are known.
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
            steps[step.id] = StepData((), (), False, "was not reached: an earlier step ended the run")
            continue
        wrong = job.failure.words if job.failure is not None else job.wrong
        right = False if job.failure is not None else job.correct
        places = report.launches.get(step.id, ()) if report is not None else ()
        steps[step.id] = StepData(job.times_ns, places, right, wrong)
    gpu = outcome.card.name if outcome.card is not None else ""
    path = report.path if report is not None else folder / "selfcheck-0.ncu-rep"
    return Measured(one, gpu, copy, problem.sizes if problem is not None else {}, steps, path)
