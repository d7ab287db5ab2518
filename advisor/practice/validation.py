"""Compare emulated counts with the recorded ones: every recorded launch, every counted metric.

The code is the report's own; grid, block and arguments are those of the exercise's launch line at the recorded sizes.
Inputs are random as on the GPU. They are the same numbers if the recording has its seed; if not, counts that depend on
them agree in the mean only. Which do is measured: launches whose counts depend on the inputs' contents are emulated
twice, with inputs of different seeds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TypeVar

from advisor.emulator.counts import METRICS, WHOLE_S, Counted, Problem, count
from advisor.emulator.program import Program, RefusedError
from advisor.emulator.report import NoCodeError, ReportedCode, read_launch, unpacked
from advisor.emulator.state import FaultError
from advisor.practice import emulated, manifest
from advisor.records.errors import AdvisorError

Job = TypeVar("Job")
Result = TypeVar("Result")
# Metrics that every instruction has, whether it is a memory instruction or not.
_EVERYWHERE = ("executed", "threads", "threads_on")
LABELS = {
    "executed": "executions",
    "threads": "thread executions",
    "threads_on": "predicated-on threads",
    "requests": "global requests",
    "sectors": "global sectors",
    "ideal_sectors": "global sectors, ideal",
    "tags": "L1 tag requests, global",
    "local_sectors": "local sectors",
    "wavefronts": "shared wavefronts",
    "ideal_wavefronts": "shared wavefronts, ideal",
}


@dataclass(frozen=True, slots=True)
class Compared:
    """One metric of one launch: instructions with equal counts, all that have it, and the sums over them.

    fixed, fixed_equal: instructions whose count does not depend on the inputs' contents (it is the same for inputs of
    another seed, and in all executed blocks of a class), and those of them that are equal to the recorded count.
    """

    metric: str
    equal: int
    instructions: int
    emulated: float
    recorded: float
    fixed: int = 0
    fixed_equal: int = 0

    @property
    def difference(self) -> float:
        """The relative difference of the sums."""
        return abs(self.emulated - self.recorded) / max(self.recorded, 1.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One recorded launch. refused: why it was not emulated, or ''; no_code: because the report has no code of it."""

    exercise: str
    launch: int
    step: str
    kernel: str
    refused: str = ""
    compared: tuple[Compared, ...] = ()
    seconds: float = 0.0
    blocks: int = 0
    executed_blocks: int = 0
    data_dependent: bool = False
    order_dependent: bool = False
    no_code: bool = False

    @property
    def name(self) -> str:
        """The launch as `exercise#launch`."""
        return f"{self.exercise}#{self.launch}"


def compare(counted: Counted, recorded: ReportedCode, again: Counted | None = None) -> tuple[Compared, ...]:
    """Compare the counts of each instruction with the recorded ones. again: the counts for inputs of another seed."""
    out = []
    other = again or counted
    for name, metric in METRICS.items():
        known = recorded.counts.get(metric)
        if known is None:
            continue
        out.append(_compared(name, counted, other, known.get))
    # A request is an execution of a memory instruction with at least one active lane; recorded executions have no such
    # count, so only instructions without a predicate are compared.
    executions = recorded.counts.get(METRICS["executed"])
    if executions is not None:
        unguarded = {i.address for i in counted.program.code if i.guard is None}
        out.append(
            _compared(
                "requests", counted, other, lambda address: executions.get(address) if address in unguarded else None
            )
        )
    return tuple(found for found in out if found.instructions)


def _compared(name: str, counted: Counted, other: Counted, recorded: Callable[[int], float | None]) -> Compared:
    equal = number = fixed = fixed_equal = 0
    sums = [0.0, 0.0]
    for one, twin in zip(counted.instructions, other.instructions, strict=True):
        if one.space == "constant" or (name == "requests" and "global" not in one.space):
            continue
        want, have = recorded(one.address), getattr(one, name)
        if want is None or (name not in _EVERYWHERE and not want and not have):
            continue
        have = have or 0.0
        number += 1
        sums[0] += have
        sums[1] += want
        right = abs(have - want) < 0.5
        same = abs(have - (getattr(twin, name) or 0.0)) < 0.5
        same &= other is counted or one.address not in counted.varied
        equal, fixed, fixed_equal = equal + right, fixed + same, fixed_equal + (right and same)
    return Compared(name, equal, number, sums[0], sums[1], fixed, fixed_equal)


def launches_of(name: str) -> list[tuple[int, str, int]]:
    """Return (launch in the report, step, launch of the step) of all recorded launches of an exercise."""
    exercise = manifest.exercise(name)
    found = manifest.recording(exercise)
    if found is None:
        return []
    out = []
    for step in exercise.steps:
        times = found.record.steps.get(step.id)
        out += [(launch, step.id, i) for i, launch in enumerate(times.launches if times is not None else ())]
    return sorted(out)


def validate_exercise(name: str, seconds: float = 60.0, only: frozenset[int] | None = None) -> list[Row]:
    """Emulate the recorded launches of one exercise and compare."""
    exercise = manifest.exercise(name)
    found = manifest.recording(exercise)
    wanted = [one for one in launches_of(name) if only is None or one[0] in only]
    if found is None or not wanted:
        return []
    rows: list[Row] = []
    try:
        case, record = manifest.case(name), found.record
        made = emulated.bench(case, record.card, record.sizes, recorded_seed=record.seed)
    except AdvisorError as e:
        return [Row(name, launch, step, "", refused=str(e)) for launch, step, _ in wanted]
    with unpacked(found.report) as report:
        for launch, step, index in wanted:
            kernel = ""
            begin = time.process_time()
            try:
                recorded = read_launch(report, launch, tuple(METRICS.values()))
                kernel = recorded.program.kernel
                begin = time.process_time()
                # With the recording's own inputs every count can be equal, but only where no block is left out.
                whole_s = WHOLE_S if record.seed is None else seconds * 0.7
                counted = count(problem_of(name, step, index, recorded.program, made), seconds=seconds, whole_s=whole_s)
                took = time.process_time() - begin
                again = None
                if counted.data_dependent:
                    twin = emulated.bench(case, record.card, record.sizes, seed=1)
                    again = count(problem_of(name, step, index, recorded.program, twin), seconds=seconds)
            except FaultError as e:
                rows.append(Row(name, launch, step, kernel, refused=e.words, seconds=time.process_time() - begin))
                continue
            except AdvisorError as e:
                took, no_code = time.process_time() - begin, isinstance(e, NoCodeError)
                rows.append(Row(name, launch, step, kernel, refused=str(e), seconds=took, no_code=no_code))
                continue
            rows.append(
                Row(
                    name,
                    launch,
                    step,
                    kernel,
                    compared=compare(counted, recorded, again),
                    seconds=took,
                    blocks=counted.blocks,
                    executed_blocks=counted.executed_blocks,
                    data_dependent=counted.data_dependent,
                    order_dependent=counted.order_dependent,
                )
            )
    return rows


def problem_of(name: str, step: str, index: int, program: Program, made: emulated.Bench) -> Problem:
    """Return launch `index` of a step of an exercise, with this program. Raises RefusedError if there is none."""
    home, definition = manifest.home(name), manifest.exercise(name).step_of(step)
    plans, constants = emulated.planned(home / definition.source, made, tuple(home / e for e in definition.extra))
    if index >= len(plans):
        raise RefusedError("the step does not have this launch")
    plan = plans[index]
    return Problem(
        program,
        plan.shape.grid,
        plan.shape.block,
        plan.arguments,
        emulated.arrays_of(made),
        plan.shape.shared,
        emulated.constants_of(made, constants),
    )


def _one(job: tuple[str, float, frozenset[int]]) -> list[Row]:
    return validate_exercise(*job)


def validate(names: Sequence[str], seconds: float = 60.0, jobs: int = 2) -> Iterator[Row]:
    """Yield the rows of all launches, in order; each launch runs in a process of its own, so that memory returns."""
    work = [(name, seconds, frozenset({launch})) for name in names for launch, _, _ in launches_of(name)]
    for rows in each(_one, work, jobs):
        yield from rows


def each(function: Callable[[Job], Result], jobs: Sequence[Job], processes: int) -> Iterator[Result]:
    """Yield the results in the order of the jobs. A process has one job, so that its memory is returned."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        yield from pool.map(function, jobs)


@dataclass(slots=True)
class Totals:
    """The sums over all launches, without those whose counts depend on the order of warps (`ordered`).

    launches: those whose code the report holds; without_code: the others, which cannot be emulated.
    within: metric -> launches that are exact, within 0.1 %, 1 %, 2 %, and all; instructions: metric -> [equal, all,
    equal of those that do not change with the inputs, those].
    """

    launches: int = 0
    emulated: int = 0
    quick: int = 0
    without_code: list[Row] = field(default_factory=list)
    refused: list[Row] = field(default_factory=list)
    ordered: list[Row] = field(default_factory=list)
    instructions: dict[str, list[int]] = field(default_factory=dict)
    within: dict[str, list[int]] = field(default_factory=dict)


BOUNDS = (0.0, 0.001, 0.01, 0.02)
QUICK_S = 10.0


def totals(rows: Sequence[Row]) -> Totals:
    """Sum up the rows."""
    out = Totals(launches=sum(not row.no_code for row in rows))
    for row in rows:
        if row.no_code:
            out.without_code.append(row)
            continue
        if row.refused:
            out.refused.append(row)
            continue
        out.emulated += 1
        out.quick += row.seconds <= QUICK_S
        exact = all(one.equal == one.instructions for one in row.compared)
        if row.order_dependent and not exact:
            out.ordered.append(row)
            continue
        for one in row.compared:
            equal = out.instructions.setdefault(one.metric, [0, 0, 0, 0])
            for i, number in enumerate((one.equal, one.instructions, one.fixed_equal, one.fixed)):
                equal[i] += number
            within = out.within.setdefault(one.metric, [0] * (len(BOUNDS) + 1))
            for i, bound in enumerate(BOUNDS):
                within[i] += one.difference <= bound + 1e-12
            within[-1] += 1
    return out


def recorded_names() -> tuple[str, ...]:
    """Return the exercises that have a recording."""
    return tuple(name for name in manifest.names() if launches_of(name))
