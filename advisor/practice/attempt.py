"""One attempt at an exercise on this GPU: the learner's source beside the first and the last step, on the same data."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.practice.manifest import home
from advisor.practice.outcome import JobResult, Outcome
from advisor.practice.predict import MINE
from advisor.practice.run import OnProgress, Runner, nothing, run
from advisor.practice.tasks import Job, Request, Stage, Task
from advisor.practice.workshop import Workshop
from advisor.quantify.noise import Judged, spread, verdict

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
