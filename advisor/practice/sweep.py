"""Step 5b: vary block size, shared-memory carve-out and register cap one at a time; check and time each point.

The unmodified source is timed first and last, so that a drift of the clocks is part of its noise. The best point is the
fastest that is correct and faster than the unmodified source beyond the noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from advisor.practice.launchlines import read_lines
from advisor.practice.profiling import Profile, profile
from advisor.practice.run import JobResult, OnProgress, Outcome, Runner, nothing, run
from advisor.practice.tasks import AS_WRITTEN, Request, Stage, Task, Variation
from advisor.profiling.failures import Failure
from advisor.readers.read import read
from advisor.reasoning.time_model.noise import Judged, Spread, spread, verdict
from advisor.records.errors import InputError, UsageError

Axis = Literal["block", "carveout", "registers"]
AXES: dict[Axis, tuple[int, ...]] = {
    "block": (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024),
    "carveout": (0, 25, 50, 75, 100),
    "registers": (24, 32, 40, 48, 64, 80, 96, 128, 168),
}
_FIRST, _LAST = "as written", "as written, again"
METRICS = ("duration_ns", "registers_per_thread", "occupancy_theoretical_pct", "occupancy_achieved_pct")


@dataclass(frozen=True, slots=True)
class Point:
    """One point. judged: against the unmodified source; problem: why the point does not count, else empty.

    registers: the most per thread of a kernel; time: None if not timed; metrics: profiled, by canonical name.
    """

    vary: Variation
    time: Spread | None
    registers: int | None
    judged: Judged | None
    problem: str = ""
    metrics: tuple[tuple[str, float], ...] = ()

    @property
    def label(self) -> str:
        """The label of the variation."""
        return label(self.vary)


@dataclass(frozen=True, slots=True)
class Sweep:
    """The table. points: the unmodified source first; best: None if no point is faster beyond the noise.

    notes: the axes that were skipped, and why; failure: why there is no table at all, or no profile.
    """

    outcome: Outcome
    points: tuple[Point, ...] = ()
    best: Point | None = None
    notes: tuple[str, ...] = ()
    failure: Failure | None = None
    report: Path | None = None


def label(vary: Variation) -> str:
    """Return `block 128`, `25 % shared memory`, `64 registers`, joined; `as written` if nothing varies."""
    said = (
        f"block {vary.block}" if vary.block is not None else "",
        f"{vary.carveout} % shared memory" if vary.carveout is not None else "",
        f"{vary.registers} registers" if vary.registers is not None else "",
    )
    return ", ".join(s for s in said if s) or _FIRST


def variations(source: Path, axes: Sequence[Axis] = tuple(AXES)) -> tuple[tuple[Variation, ...], tuple[str, ...]]:
    """Return the points for a source, and notes on skipped axes. Raises UsageError if it is not a .cu file."""
    if source.suffix != ".cu":
        raise UsageError(f"{source.name}: only a .cu can be swept: its launch lines define what to vary")
    launches, _ = read_lines(source.read_text(encoding="utf-8"), source.name)
    notes, points = [], []
    for axis in axes:
        if axis == "block" and all(len(line.block) > 1 for line in launches):
            notes.append(f"{source.name}: the block has more than one dimension: its size is not swept")
            continue
        if axis == "block" and not any("block" in formula for line in launches for formula in line.grid):
            notes.append(
                f"{source.name}: the grid does not depend on `block`: with other block sizes it may not fit the data;"
                " write for example ceil(n / block)"
            )
        points += [Variation(**{axis: value}) for value in AXES[axis]]
    return tuple(points), tuple(notes)


def sweep(
    task: Task,
    axes: Sequence[Axis] = tuple(AXES),
    runner: Runner | None = None,
    show: OnProgress = nothing,
    runs: int = 20,
) -> Sweep:
    """Check and time every point of a task's only job. A point that fails or is wrong keeps its row and the reason."""
    (job,) = task.jobs
    vary, notes = variations(Path(job.source), axes)
    do: tuple[Stage, ...] = ("check", "time") if job.result else ("time",)
    jobs = [replace(job, step=label(v), do=do, vary=v) for v in (AS_WRITTEN, *vary)]
    request = Request((replace(task, jobs=(*jobs, replace(jobs[0], step=_LAST))),), runs)
    outcome = run(request, replace(runner or Runner(), go_on=True), show, needed=_FIRST)
    if outcome.failure is not None:
        return Sweep(outcome, notes=notes, failure=outcome.failure)
    return _table(outcome, vary, notes)


def _table(outcome: Outcome, vary: Sequence[Variation], notes: tuple[str, ...]) -> Sweep:
    first, last = outcome.job(_FIRST), outcome.job(_LAST)
    if first is None or first.failure is not None or not first.times_ns:
        failure = first.failure if first is not None else None
        return Sweep(outcome, notes=notes, failure=failure or Failure("crashed", "the source as written was not timed"))
    base = spread(first.times_ns + (last.times_ns if last is not None else ()))
    points = [_point(first, base, base)]
    for v in vary:
        result = outcome.job(label(v))
        if result is not None:
            points.append(_point(result, base, spread(result.times_ns) if result.times_ns else None))
    faster = [p for p in points[1:] if not p.problem and p.judged is not None and p.judged.word == "faster"]
    best = min(faster, key=lambda p: p.time.median if p.time is not None else float("inf"), default=None)
    return Sweep(outcome, tuple(points), best, notes)


def _point(result: JobResult, base: Spread, time: Spread | None) -> Point:
    problem = result.failure.words if result.failure is not None else ""
    if not problem and result.correct is False:
        problem = f"wrong result: {result.wrong}"
    registers = max((k.registers for k in result.kernels), default=None)
    judged = verdict(base, time) if time is not None and not problem else None
    return Point(result.vary, time, registers, judged, problem)


# The launches of a report, in order: canonical metric -> value.
Reader = Callable[[Path], Sequence[Mapping[str, float]]]


def read_metrics(report: Path) -> list[dict[str, float]]:
    """Return the METRICS of each launch of a report. Raises InputError if it cannot be read."""
    frame = read(report, metric_filter=METRICS).frame
    return [{m: float(row[m]) for m in METRICS if m in frame.columns} for _, row in frame.iterrows()]


def profiled(
    found: Sweep,
    task: Task,
    report: Path,
    runner: Runner | None = None,
    show: OnProgress = nothing,
    ncu: Path | None = None,
    clock_control: str | None = None,
    reader: Reader = read_metrics,
) -> Sweep:
    """Profile every point that ran into one report, and add its metrics to the table."""
    (job,) = task.jobs
    points = [p for p in found.points if not p.problem]
    jobs = tuple(replace(job, step=p.label, do=("profile",), launches=1, vary=p.vary) for p in points)
    made: Profile = profile(Request((replace(task, jobs=jobs),)), report, runner, show, ncu, clock_control)
    if made.report is None or made.failure is not None:
        return replace(found, failure=made.failure, report=made.report)
    try:
        rows = reader(made.report)
    except InputError as e:
        return replace(found, failure=Failure("report", str(e)), report=made.report)
    if len(rows) != len(points):
        words = f"{made.report}: has {len(rows)} launches, but {len(points)} were profiled"
        return replace(found, failure=Failure("report", words), report=made.report)
    known = {p.vary: tuple(row.items()) for p, row in zip(points, rows, strict=True)}
    table = tuple(replace(p, metrics=known.get(p.vary, ())) for p in found.points)
    best = next((p for p in table if found.best is not None and p.vary == found.best.vary), None)
    return replace(found, points=table, best=best, report=made.report)
