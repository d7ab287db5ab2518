"""Run kernels in a child process with time limits; after a crash, run the remaining jobs in a new child."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median

import msgspec

import advisor
from advisor.practice.api import Card, Work
from advisor.practice.failures import DEAD
from advisor.practice.tasks import AS_WRITTEN, Job, Kernel, Mismatch, Request, Task, Variation
from advisor.profiling.failures import Failure
from advisor.profiling.process import Ended, ended_by, run_child
from advisor.records.child import end_marked
from advisor.records.scratch import ScratchFolder

_RUN = "NCU_ADVISOR_RUN"  # environment variable of all processes of a run, with its scratch folder
PRINTED = 100  # number of lines to keep of what kernels print


@dataclass(frozen=True, slots=True)
class JobResult:
    """The result of a job. times_ns: timed runs; changed: inputs that the kernel modified; correct: or None, unchecked.

    profiled: its launches in the report, None if they could not be counted; failure: why the job ended early.
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

    @property
    def time_ns(self) -> float:
        """The median of the timed runs; NaN if there are none."""
        return median(self.times_ns) if self.times_ns else math.nan

    @property
    def wrong(self) -> str:
        """Describe in one line why the result is wrong; empty if it is correct or was not checked."""
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
    """An exercise on this GPU: its sizes, and the bytes and FLOP that its algorithm needs."""

    sizes: dict[str, int]
    work: Work


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a whole run. failure: why some or all jobs could not run; printed: the last lines of kernels."""

    card: Card | None = None
    versions: tuple[tuple[str, str], ...] = ()
    failure: Failure | None = None
    problems: tuple[tuple[str, Problem], ...] = ()
    jobs: tuple[JobResult, ...] = ()
    printed: tuple[str, ...] = ()

    def problem(self, exercise: str) -> Problem | None:
        """Return the sizes and work of an exercise, or None if its data could not be created."""
        return dict(self.problems).get(exercise)

    def job(self, step: str, exercise: str | None = None) -> JobResult | None:
        """Return the first result of a step, or None if the run did not reach it."""
        for result in self.jobs:
            if result.step == step and exercise in (None, result.exercise):
                return result
        return None

    def joined(self, later: Outcome) -> Outcome:
        """Merge this run with the run that continued it."""
        return Outcome(
            later.card or self.card,
            later.versions or self.versions,
            later.failure,
            tuple({**dict(self.problems), **dict(later.problems)}.items()),
            self.jobs + later.jobs,
            (self.printed + later.printed)[-PRINTED:],
        )


@dataclass(frozen=True, slots=True)
class Now:
    """The current step and stage of the child."""

    exercise: str
    step: str
    stage: str


class _ResultFile(msgspec.Struct):
    """The fields of RESULT.json, which `worker` writes."""

    card: Card | None
    versions: dict[str, str | int]
    failure: Failure | None
    now: Now | None
    done: bool
    exercises: dict[str, Problem]
    jobs: tuple[JobResult, ...]


def read_result(path: Path) -> tuple[Outcome, Now | None, bool]:
    """Return the results of a child so far, its current step, and whether it is done.

    A missing or incomplete file gives an empty outcome.
    """
    try:
        raw = msgspec.json.decode(path.read_bytes(), type=_ResultFile, strict=False)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Outcome(), None, False
    versions = tuple((name, str(version)) for name, version in raw.versions.items())
    return Outcome(raw.card, versions, raw.failure, tuple(raw.exercises.items()), raw.jobs), raw.now, raw.done


def left_over(tasks: tuple[Task, ...], done: tuple[JobResult, ...]) -> tuple[Task, ...]:
    """Return the tasks without the jobs that have a result, in order. Exercise, step and variation identify a job."""
    seen = {(r.exercise, r.step, r.vary) for r in done}
    left = []
    for task in tasks:
        jobs: tuple[Job, ...] = tuple(j for j in task.jobs if (task.exercise, j.step, j.vary) not in seen)
        if jobs:
            left.append(replace(task, jobs=jobs))
    return tuple(left)


# In the order in which the child begins them, each once for a job.
STAGES = ("start", "inputs", "compile", "reference", "check", "time", "warm", "profile")


@dataclass(frozen=True, slots=True)
class Limits:
    """The time limits of the stages in seconds; `factor` multiplies them all (a profiler replays kernels)."""

    start: float = 180.0
    inputs: float = 180.0
    compile: float = 120.0
    reference: float = 180.0
    check: float = 30.0
    time: float = 120.0
    warm: float = 30.0
    profile: float = 120.0
    factor: float = 1.0

    def all(self, jobs: int) -> float:
        """Return the time of all stages of so many jobs together."""
        return sum(self.of(stage) for stage in STAGES) * max(1, jobs)

    def of(self, stage: str) -> float:
        """Return the limit of a stage."""
        given = getattr(self, stage, self.start)
        return (given if isinstance(given, float | int) else self.start) * self.factor


@dataclass(frozen=True, slots=True)
class Progress:
    """The current stage of a step, the number of its job and of all jobs, and the progress of a profiler."""

    exercise: str
    step: str
    stage: str
    job: int
    of: int
    kernel: str = ""
    percent: int = 0
    passes: int = 0


OnProgress = Callable[[Progress], None]


def nothing(progress: Progress) -> None:
    """Ignore the progress."""


@dataclass(frozen=True, slots=True)
class Runner:
    """The settings of a child process.

    python: the interpreter with CuPy; prefix: a command that precedes it (a profiler); env: additional environment
    variables; go_on: whether to run the remaining jobs after one that crashed or never ended.
    """

    python: str = sys.executable
    prefix: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    go_on: bool = False

    def command(self, request: Path, result: Path) -> tuple[str, ...]:
        """Return the command line of the child."""
        return (*self.prefix, self.python, "-m", "advisor.practice.worker", str(request), str(result))

    def environment(self, scratch: str = "") -> dict[str, str]:
        """Return our environment with the folder that holds this package in front of the child's path.

        scratch: the folder for its temporary files, which are removed with it. A profiler uses the usual folder,
        because its lock is there.
        """
        root = str(Path(advisor.__file__).resolve().parent.parent)
        merged = {**os.environ, **self.env}
        merged["PYTHONPATH"] = os.pathsep.join(p for p in (merged.get("PYTHONPATH", ""), root) if p)
        if scratch and not self.prefix:
            merged["TMPDIR"] = scratch
        return merged


@dataclass(slots=True)
class Listener:
    """Parse the child's stdout: pass progress to `show`, keep other lines, and set the time limit from `limits`.

    Kernels print there too: a line that repeats a stage, or goes back to one, is theirs and gives no more time, and no
    line gives more than all stages of all jobs may take. done, of: number of jobs finished before this child, and of
    all jobs; stderr: the end of the child's stderr.
    """

    show: OnProgress
    limits: Limits
    done: int = 0
    of: int = 0
    printed: list[str] = field(default_factory=list)
    now: Progress | None = None
    stderr: str = ""
    begun: float = field(default_factory=time.monotonic)

    def within(self, seconds: float) -> float:
        """Return a time limit, or what is left for all jobs, if that is less."""
        return max(0.0, min(seconds, self.begun + self.limits.all(self.of - self.done) - time.monotonic()))

    def _goes_on(self, said: Progress) -> bool:
        if said.stage not in STAGES:
            return False
        if self.now is None or (said.exercise, said.step) != (self.now.exercise, self.now.step):
            return said.job >= (0 if self.now is None else self.now.job - self.done)
        job, stage = self.now.job - self.done, STAGES.index(self.now.stage)
        return said.job == job + 1 or (said.job == job and STAGES.index(said.stage) > stage)

    def __call__(self, text: str, whole: bool) -> float | None:
        """Parse a line; return the new time limit in seconds, or None if it does not change."""
        if not whole:
            return None
        before, mark, rest = text.partition(_MARK)
        said = _progress(mark + rest) if mark else None
        if said is None or not self._goes_on(said):
            self.other(text)
            return None
        if before:
            self.other(before)  # a line of a profiler or kernel without a line end
        self.now = replace(said, job=self.done + said.job, of=self.of)
        self.show(self.now)
        return self.within(self.limits.of(self.now.stage))

    def other(self, text: str) -> None:
        """Keep a line that a kernel printed."""
        self.printed = [*self.printed[-PRINTED + 1 :], text]


_MARK = '{"advisor": "now"'


def _progress(text: str) -> Progress | None:
    """Return the worker's progress in a line, or None for any other line."""
    try:
        said = json.loads(text)
        now = Progress(said["exercise"], said["step"], said["stage"], said["job"], 0)
    except (ValueError, RecursionError, KeyError):
        return None
    names = (now.exercise, now.step, now.stage)
    return now if all(isinstance(name, str) for name in names) and type(now.job) is int else None


def run(
    request: Request, runner: Runner | None = None, show: OnProgress = nothing, needed: str | None = None
) -> Outcome:
    """Run all jobs of a request in one or more child processes; failures of kernels are in the result.

    needed: a step without which no new child is started for the others. Outcome.failure is set if nothing could run; a
    job that ended its child has the failure itself.
    """
    runner = runner or Runner()
    total, outcome, tasks = sum(len(t.jobs) for t in request.tasks), Outcome(), request.tasks
    while tasks:
        listener = Listener(show, runner.limits, len(outcome.jobs), total)
        part, done = one_child(replace(request, tasks=tasks), runner, listener)
        outcome = outcome.joined(part)
        if outcome.failure is not None or done:
            return outcome
        left = left_over(tasks, part.jobs)
        in_vain = any(job.step == needed and job.failure is not None for job in part.jobs)
        if not part.jobs or not runner.go_on or in_vain:
            return outcome
        tasks = left
    return outcome


def one_child(request: Request, runner: Runner, listener: Listener) -> tuple[Outcome, bool]:
    """Run one child; return its outcome, and whether it completed the request. `run` starts another if it did not."""
    if os.name != "posix":
        return Outcome(failure=Failure("system", "exercises run only on Linux with an NVIDIA GPU")), True
    try:
        folder = ScratchFolder()
        (Path(folder.name) / "request.json").write_text(
            json.dumps(asdict(replace(request, parent=os.getpid()))), encoding="utf-8"
        )
    except OSError as e:
        words = f"cannot write a file for the child process ({e.strerror}): free space or set TMPDIR"
        return Outcome(failure=Failure("no_child", words)), True
    with folder as place:
        asked, result = Path(place) / "request.json", Path(place) / "result.json"
        try:
            environment = {**runner.environment(place), _RUN: place}
            ended = run_child(runner.command(asked, result), listener, runner.limits.of("start"), environment)
        except OSError as e:
            words = f"{runner.command(asked, result)[0]} cannot be started: {e.strerror}"
            return Outcome(failure=Failure("no_child", words)), True
        finally:
            end_marked(f"{_RUN}={place}")  # what a step started and set free
        listener.stderr = ended.errors
        outcome, now, done = read_result(result)
        if now is None and not done and not outcome.jobs and listener.now is not None:
            # A step has destroyed the file of the results: what the child said last is known all the same.
            now = Now(listener.now.exercise, listener.now.step, listener.now.stage)
    outcome = replace(outcome, printed=tuple(listener.printed))
    # The exit code does not show that a context was lost, because a step may exit with any code.
    last = outcome.jobs[-1].failure if outcome.jobs else None
    if done or outcome.failure is not None or (last is not None and last.kind in DEAD):
        return outcome, done
    return _died(outcome, now, ended, request.tasks), False


def _died(outcome: Outcome, now: Now | None, ended: Ended, tasks: Sequence[Task]) -> Outcome:
    """Return the outcome of a child that ended early; its current job has the failure."""
    stage = now.stage if now is not None else "start"
    failure = _late(stage, ended) if ended.late else _crash(stage, ended)
    if now is None or not now.step:
        return replace(outcome, failure=failure)
    left = left_over(tuple(tasks), outcome.jobs)
    vary = left[0].jobs[0].vary if left else None
    job = JobResult(now.exercise, now.step, failure=failure)
    return replace(outcome, jobs=(*outcome.jobs, job if vary is None else replace(job, vary=vary)))


_KERNEL_STAGES = ("check", "time", "warm")


def _late(stage: str, ended: Ended) -> Failure:
    stuck = (
        "" if ended.code is not None else "; it could not be stopped: the driver blocks it, and a restart may be needed"
    )
    if stage in _KERNEL_STAGES:
        words = (
            "the kernel did not finish within the time limit: look for a loop whose condition never becomes false, or a"
            " barrier that some threads never reach. The process was stopped; the GPU can take a moment to become free"
            + stuck
        )
        return Failure("never_ends", words, detail=ended.errors)
    return Failure("slow_child", f"`{stage}` took too long and was stopped{stuck}", detail=ended.errors)


def _crash(stage: str, ended: Ended) -> Failure:
    words = f"the child process {ended_by(ended, f' during `{stage}`')}"
    return Failure("crashed", words, detail=ended.errors)
