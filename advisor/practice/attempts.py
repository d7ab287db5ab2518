"""One attempt at an exercise on this GPU: the learner's source beside the first and the last step, on the same data.

A learner's version compiled, checked and profiled, and what came of it written into the experiment log.

Before and after: the first step and the learner's version, profiled into one report and reasoned about.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.practice import compiling, state
from advisor.practice.failures import Failure
from advisor.practice.launchlines import read_lines
from advisor.practice.manifest import Exercise, bundled_text, home
from advisor.practice.outcome import JobResult, Outcome
from advisor.practice.predictions import MINE
from advisor.practice.profiling import profile
from advisor.practice.run import Limits, OnProgress, Runner, nothing, run
from advisor.practice.selfcheck import launches_of
from advisor.practice.state import Record, Store
from advisor.practice.tasks import Job, Request, Stage, Task, answers
from advisor.practice.workshop import Workshop, read_source
from advisor.reasoning.time_model.noise import Judged, spread, verdict
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.errors import AdvisorError, UsageError
from advisor.records.quantities import speedup_text

if TYPE_CHECKING:
    from advisor.reasoning.diagnose import Analysis

# As good as the bundled answer: at most a tenth slower, beyond what the runs differ by among themselves.
GOAL = 0.10


@dataclass(frozen=True, slots=True)
class Attempt:
    """The runs and their verdicts. `mine`: None when nothing could be run; verdicts: None where a side was not timed.

    over_slow: the learner's version against the first step; to_fast: the last step against the learner's version (its
    `speedup` is what there is still to win).
    """

    outcome: Outcome
    mine: JobResult | None
    slow: JobResult | None
    fast: JobResult | None
    over_slow: Judged | None
    to_fast: Judged | None

    @property
    def right(self) -> bool:
        """Whether the result was right."""
        return self.mine is not None and self.mine.correct is True and not self.mine.wrong

    @property
    def solved(self) -> bool:
        """Right, and as fast as the bundled answer up to GOAL and the noise."""
        return self.right and self.to_fast is not None and self.to_fast.speedup <= 1 + GOAL + self.to_fast.noise


def bundled_job(shop: Workshop, step: str, do: tuple[Stage, ...]) -> Job:
    """A bundled step as a job."""
    one = shop.exercise.step_of(step)
    folder = home(shop.exercise.name)
    extra = tuple(str(folder / x) for x in one.extra)
    return Job(step, str(folder / one.source), do, extra, one.launches, one.result)


def own_job(shop: Workshop, do: tuple[Stage, ...]) -> Job:
    """The learner's source as a job."""
    first = shop.exercise.stages[0]
    extra = tuple(str(path) for path in shop.extra)
    return Job(MINE, str(shop.source), do, extra, first.launches, first.result)


def task(shop: Workshop, jobs: tuple[Job, ...], seed: int) -> Task:
    """Jobs on the data of the shop's exercise."""
    return Task(shop.exercise.name, str(home(shop.exercise.name) / "case.py"), jobs, seed)


def check(shop: Workshop, seed: int, runner: Runner | None = None, show: OnProgress = nothing) -> Attempt:
    """Compile, compare with the reference and time the learner's source; the learner's comes first, so that a mistake
    shows at once. Every failure is in the result, none is raised."""
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


USUAL_ARCH = "sm_90"


LIMIT_S = 30.0


# What stops a job and is no fault of its source: nothing was found out about it.
NOT_ITS_FAULT = ("out_of_memory", "slow_child", "old_driver", "no_gpu", "wrong_cupy")


_UNKNOWN_ARCH = re.compile(r"(?i)unsupported gpu architecture|knows no sm_|invalid value for --gpu-architecture")


_LONGEST = 300  # characters of an observation in the log


def fresh_seed() -> int:
    """Fresh random inputs for every check."""
    return random.SystemRandom().randrange(1 << 31)


def runner(limit_s: float = LIMIT_S) -> Runner:
    """A child whose checks may take so long, in seconds."""
    return Runner(limits=Limits(check=limit_s, time=6 * limit_s + 20, profile=2 * limit_s))


def check_and_record(store: Store, shop: Workshop, seed: int, use: Runner, show: OnProgress = nothing) -> Attempt:
    """Run the learner's version beside slow and fast, and write the outcome down."""
    digest = shop.digest()
    tried = check(shop, seed, use, show)
    if tried.mine is not None:
        store.change(shop.exercise.name, lambda record: _note(record, digest, tried))
    return tried


def compiled(store: Store, shop: Workshop, arch: str = USUAL_ARCH) -> tuple[compiling.Build, ...]:
    """Compile the learner's sources for an architecture without a GPU; none where the exercise is Python.

    An edited source that was compiled counts as an attempt: without a GPU there is no other. Where there is no
    compiler that is the failure of each build. UsageError for an architecture that the compiler does not know.
    """
    sources = [p for p in (shop.source, *shop.extra) if p.suffix == ".cu"]
    builds = tuple(compiling.compile_source(p, arch, lines=p == shop.source) for p in sources)
    failures = [b.failure for b in builds if b.failure is not None]
    if not builds or any(f.kind == compiling.MISSING.kind for f in failures):
        return builds
    if any(_UNKNOWN_ARCH.search(f.detail) for f in failures):
        raise UsageError(f"this {builds[0].compiler} does not know {arch}: give another architecture, or update it")
    if not shop.untouched():
        digest = shop.digest()
        store.change(shop.exercise.name, lambda record: _note_builds(record, digest, builds))
    return builds


def remember_profile(store: Store, name: str, digest: str, launch: LaunchDiagnosis) -> None:
    """Write what a profile of the learner's version says into the log."""
    first = next((f for f in launch.findings if f.kind == "diagnosis"), None)
    told = first.speedup if first is not None else None
    gain = ""
    if told is not None:
        gain = f", estimated speedup {speedup_text(told.estimate)}"
    seen = f"{launch.verdict.id}: {first.id if first is not None else 'no finding'}{gain}"
    store.change(name, lambda record: state.add(record, digest, "profiled", observation=seen))


def _note_builds(record: Record, digest: str, builds: Sequence[compiling.Build]) -> None:
    record.attempts += 1
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


@dataclass(frozen=True, slots=True)
class Reprofiled:
    """The report with both versions, and an analysis of one launch each; or why there is none."""

    report: Path | None
    before: Analysis | None
    after: Analysis | None
    failure: Failure | None = None


def next_report(shop: Workshop) -> Path:
    """The path of the next report in the learner's folder: 001.ncu-rep, 002.ncu-rep, …"""
    taken = [int(p.stem) for p in shop.profiles.glob("*.ncu-rep") if p.stem.isdigit()]
    return shop.profiles / f"{max(taken, default=0) + 1:03d}.ncu-rep"


def like(one: Exercise, source: Path) -> str:
    """The step whose answers fit a learner's source best: the first that launches as many kernels, else the last."""
    try:
        count = len(read_lines(read_source(source), source.name)[0]) if source.suffix == ".cu" else 0
    except AdvisorError:  # a launch line under construction: any step's answers do
        return one.stages[0].id
    for step in one.stages:
        text = bundled_text(one.name, step.source)
        if not count or (step.source.endswith(".cu") and len(read_lines(text, step.source)[0]) == count):
            return step.id
    return one.stages[-1].id


def before_and_after(
    shop: Workshop,
    tried: Attempt,
    seed: int,
    runner: Runner | None = None,
    show: OnProgress = nothing,
    ncu: Path | None = None,
    clock_control: str | None = None,
) -> Reprofiled:
    """Profile the first step and the learner's version into the learner's folder; failures are in the result."""
    one = shop.exercise
    first = one.stages[0]
    jobs = (bundled_job(shop, first.id, ("profile",)), own_job(shop, ("profile",)))
    shop.profiles.mkdir(parents=True, exist_ok=True)
    made = profile(Request((task(shop, jobs, seed),)), next_report(shop), runner, show, ncu, clock_control)
    if made.failure is not None or made.report is None:
        return Reprofiled(made.report, None, None, made.failure or Failure("report", "ncu wrote no report"))
    places = launches_of(made)
    old, new = places.get((one.name, first.id), ()), places.get((one.name, MINE), ())
    if not old or not new:
        return Reprofiled(made.report, None, None, Failure("report", "the report does not hold both versions"))
    problem = tried.outcome.problem(one.name)
    sizes = problem.sizes if problem is not None else {}
    before = old[min(first.look_at, len(old) - 1)]
    after = new[min(first.look_at, len(new) - 1)]
    return Reprofiled(
        made.report,
        _analysis(made.report, before, one.name, first.id, sizes),
        _analysis(made.report, after, one.name, like(one, shop.source), sizes),
    )


def _analysis(report: Path, launch: int, name: str, step: str, sizes: dict[str, int]) -> Analysis:
    from advisor.reasoning.diagnose import analyse

    said = answers(name, step, sizes) if sizes else {}
    return analyse([report], answers=said, launches=frozenset({launch}))
