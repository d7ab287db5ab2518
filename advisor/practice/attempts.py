"""Compile, check, time and profile a learner's version with the first and the last step, and log the result."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from advisor.compare.compare import compare
from advisor.compare.records import Compared
from advisor.practice import compiling, state
from advisor.practice.launchlines import read_lines
from advisor.practice.manifest import Exercise, answers, bundled_text, home
from advisor.practice.predictions import MINE, Revealed
from advisor.practice.profiling import profile
from advisor.practice.run import JobResult, Limits, OnProgress, Outcome, Runner, nothing, run
from advisor.practice.selfcheck import launches_of
from advisor.practice.state import Record, Store
from advisor.practice.tasks import Job, Request, Stage, Task
from advisor.practice.workshop import Workshop, read_source
from advisor.reasoning.diagnose import analyse
from advisor.reasoning.time_model.noise import Judged, spread, verdict
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis
from advisor.records.errors import AdvisorError, InputError, UsageError
from advisor.records.quantities import speedup_text

if TYPE_CHECKING:
    from advisor.reasoning.analysis import Analysis

GOAL = 0.10  # at most 10 % slower than the bundled solution, after allowing for the noise of the runs
USUAL_ARCH = "sm_90"
LIMIT_S = 30.0
# Failures that the source did not cause; they say nothing about its quality.
NOT_ITS_FAULT = ("out_of_memory", "slow_child", "old_driver", "no_gpu", "wrong_cupy")
_UNKNOWN_ARCH = re.compile(r"(?i)unsupported gpu architecture|knows no sm_|invalid value for --gpu-architecture")
_LONGEST = 300  # maximum length of an observation in the log, in characters


class Attempt(Struct, frozen=True):
    """The runs and verdicts of a check. mine: None if nothing could run; a verdict is None if a side was not timed.

    over_slow: the learner's version against the first step. to_fast: the last step against the learner's version; its
    `speedup` is the speedup that is still possible.
    """

    outcome: Outcome
    mine: JobResult | None
    slow: JobResult | None
    fast: JobResult | None
    over_slow: Judged | None
    to_fast: Judged | None

    @property
    def speedup(self) -> float | None:
        """The measured speedup over the first step."""
        return self.over_slow.speedup if self.over_slow is not None else None

    @property
    def right(self) -> bool:
        """Return whether the result was correct."""
        return self.mine is not None and self.mine.correct is True and not self.mine.wrong

    @property
    def solved(self) -> bool:
        """Return whether the result is correct and as fast as the bundled solution, within GOAL and the noise."""
        return self.right and self.to_fast is not None and self.to_fast.speedup <= 1 + GOAL + self.to_fast.noise


def bundled_job(shop: Workshop, step: str, do: tuple[Stage, ...]) -> Job:
    """Return the job of a bundled step."""
    one = shop.exercise.step_of(step)
    folder = home(shop.exercise.name)
    extra = tuple(str(folder / x) for x in one.extra)
    return Job(step, str(folder / one.source), do, extra, one.launches, one.result)


def own_job(shop: Workshop, do: tuple[Stage, ...]) -> Job:
    """Return the job of the learner's source."""
    first = shop.exercise.stages[0]
    extra = tuple(str(path) for path in shop.extra)
    return Job(MINE, str(shop.source), do, extra, first.launches, first.result)


def task(shop: Workshop, jobs: tuple[Job, ...], seed: int) -> Task:
    """Return a task that runs jobs on the data of the shop's exercise."""
    return Task(shop.exercise.name, str(home(shop.exercise.name) / "case.py"), jobs, seed)


def check(shop: Workshop, seed: int, runner: Runner, show: OnProgress = nothing) -> Attempt:
    """Compile, check and time the learner's source (first, to show mistakes early); store failures in the result."""
    stages = shop.exercise.stages
    jobs = (
        own_job(shop, ("check", "time")),
        bundled_job(shop, stages[0].id, ("time",)),
        bundled_job(shop, stages[-1].id, ("time",)),
    )
    outcome = run(Request((task(shop, jobs, seed),)), runner, show)
    mine, slow, fast = outcome.job(MINE), outcome.job(stages[0].id), outcome.job(stages[-1].id)
    return Attempt(outcome, mine, slow, fast, _judged(slow, mine), _judged(mine, fast))


def _judged(before: JobResult | None, after: JobResult | None) -> Judged | None:
    if before is None or after is None or not before.times_ns or not after.times_ns:
        return None
    return verdict(spread(before.times_ns), spread(after.times_ns))


def fresh_seed() -> int:
    """Return a random seed for the inputs of a check."""
    return random.SystemRandom().randrange(1 << 31)


def runner(limit_s: float = LIMIT_S) -> Runner:
    """Return a runner for a check. limit_s: its time limit in seconds."""
    return Runner(limits=Limits(check=limit_s, time=6 * limit_s + 20, profile=2 * limit_s))


def check_and_record(store: Store, shop: Workshop, seed: int, use: Runner, show: OnProgress = nothing) -> Attempt:
    """Run the learner's version with the first and the last step, and log the outcome."""
    digest = shop.digest()
    tried = check(shop, seed, use, show)
    if tried.mine is not None:
        store.change(shop.exercise.name, lambda record: _note(record, digest, tried))
    return tried


def compiled(store: Store, shop: Workshop, arch: str = USUAL_ARCH) -> tuple[compiling.Build, ...]:
    """Compile the learner's sources for an architecture without a GPU; return () if the exercise is in Python.

    A compiled source that the learner edited counts as an attempt, because no run is possible without a GPU. If no
    compiler is installed, each build has that failure. Raises UsageError if the compiler does not know the
    architecture.
    """
    sources = [p for p in (shop.source, *shop.extra) if p.suffix == ".cu"]
    builds = tuple(compiling.compile_source(p, arch, lines=p == shop.source) for p in sources)
    failures = [b.failure for b in builds if b.failure is not None]
    if not builds or any(f.kind == compiling.MISSING.kind for f in failures):
        return builds
    if any(_UNKNOWN_ARCH.search(f.detail) for f in failures):
        raise UsageError(f"this {builds[0].compiler} does not know {arch}: give another architecture, or update it")
    digest = "" if shop.untouched() else shop.digest()
    store.change(shop.exercise.name, lambda record: _note_builds(record, digest, builds))
    return builds


def note_emulated(store: Store, shop: Workshop, right: bool, observation: str) -> None:
    """Count a check on the CPU as an attempt, and log it for a changed source. Its time is unknown."""

    def noted(record: Record) -> None:
        record.attempts += 1
        if not shop.untouched():
            state.add(record, shop.digest(), "checked", right=right, observation=observation[:_LONGEST])

    store.change(shop.exercise.name, noted)


def _note_builds(record: Record, digest: str, builds: Sequence[compiling.Build]) -> None:
    """Count the check as an attempt, and log a changed source (digest: empty for the unchanged one)."""
    record.attempts += 1
    if digest:
        state.add(record, digest, "compiled", observation=compiling.summary(builds)[:_LONGEST])


def _note(record: Record, digest: str, tried: Attempt) -> None:
    mine = tried.mine
    if mine is None:
        return
    record.attempts += 1
    record.solved = record.solved or tried.solved
    if mine.failure is not None:
        state.add(record, digest, "failed", observation=mine.failure.words[:_LONGEST])
        return
    runs = spread(mine.times_ns) if mine.times_ns and tried.right else None
    state.add(
        record,
        digest,
        "checked",
        right=tried.right,
        time_ns=runs.median if runs else None,
        noise=runs.noise if runs else None,
        observation=mine.wrong[:_LONGEST],
    )


class Reprofiled(Struct, frozen=True):
    """The profile of the learner's version and of the first step, with the diagnosis and the comparison.

    diagnosis: of the learner's launch only; digest: of the source; revealed: the scored prediction, if any.
    """

    report: Path
    diagnosis: Diagnosis
    compared: Compared
    digest: str
    revealed: Revealed | None = None

    @property
    def launch(self) -> LaunchDiagnosis:
        """The launch of the learner's version."""
        return self.diagnosis.launches[0]


def next_report(shop: Workshop) -> Path:
    """Return the path of the next report in the learner's folder: 001.ncu-rep, 002.ncu-rep, …"""
    taken = [int(p.stem) for p in shop.profiles.glob("*.ncu-rep") if p.stem.isdigit()]
    return shop.profiles / f"{max(taken, default=0) + 1:03d}.ncu-rep"


def like(one: Exercise, source: Path) -> str:
    """Return the step whose answers match a learner's source best: the first with as many kernels, else the last."""
    try:
        count = len(read_lines(read_source(source), source.name)[0]) if source.suffix == ".cu" else 0
    except AdvisorError:  # The learner may still be editing a launch line; the answers of any step will do.
        return one.stages[0].id
    for step in one.stages:
        text = bundled_text(one.name, step.source)
        if not count or (step.source.endswith(".cu") and len(read_lines(text, step.source)[0]) == count):
            return step.id
    return one.stages[-1].id


def before_and_after(
    store: Store,
    shop: Workshop,
    tried: Attempt,
    seed: int,
    runner: Runner,
    show: OnProgress = nothing,
    clock_control: str | None = None,
) -> Reprofiled:
    """Profile the first step and the learner's version into the learner's folder, compare and log them.

    Raises InputError if that fails.
    """
    one, digest = shop.exercise, shop.digest()
    first = one.stages[0]
    jobs = (bundled_job(shop, first.id, ("profile",)), own_job(shop, ("profile",)))
    shop.profiles.mkdir(parents=True, exist_ok=True)
    request = Request((task(shop, jobs, seed),))
    made = profile(request, next_report(shop), runner, show, clock_control=clock_control)
    if made.failure is not None or made.report is None:
        raise InputError(made.failure.words if made.failure is not None else "ncu wrote no report")
    report, places = made.report, launches_of(made)
    old, new = places.get((one.name, first.id), ()), places.get((one.name, MINE), ())
    if not old or not new:
        raise InputError("the report does not hold both versions")
    problem = tried.outcome.problem(one.name)
    sizes = problem.sizes if problem is not None else {}

    def analysis(launches: tuple[int, ...], step: str) -> Analysis:
        launch = launches[min(first.look_at, len(launches) - 1)]
        said = answers(one.name, step, sizes) if sizes else {}
        return analyse([report], answers=said, launches=frozenset({launch}))

    before, after = analysis(old, first.id), analysis(new, like(one, shop.source))
    _remember(store, one.name, digest, after.diagnosis.launches[0])
    slow, mine = tried.slow, tried.mine
    runs = (slow.times_ns, mine.times_ns) if slow and mine and slow.times_ns and mine.times_ns else None
    return Reprofiled(report, after.diagnosis, compare(before, after, runs=runs), digest)


def _remember(store: Store, name: str, digest: str, launch: LaunchDiagnosis) -> None:
    """Write the result of profiling the learner's version to the log."""
    first = next((f for f in launch.findings if f.kind == "diagnosis"), None)
    found = first.speedup if first is not None else None
    gain = f", estimated speedup {speedup_text(found.estimate)}" if found is not None else ""
    seen = f"{launch.verdict.id}: {first.id if first is not None else 'no finding'}{gain}"
    store.change(name, lambda record: state.add(record, digest, "profiled", observation=seen))
