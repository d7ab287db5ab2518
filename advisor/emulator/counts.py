"""Count a launch: sampled blocks are executed, and their counts are scaled to the grid.

Which blocks: all of a small grid. Of a larger one, each axis is divided into first, inner and last index; the
combinations are classes, in which edge conditions are the same. Of each class the first, the last and some blocks
between them are executed, as many of each remainder of the block's number modulo 32. Where counts depend on such a
remainder alone, as the alignment of what a block accesses does, each block counts as those of its remainder. Elsewhere,
where two neighbours differ, more blocks between them are executed, until what differs is found or a limit is reached,
and the blocks between two executed ones count as the mean of these two: that is exact where both do the same, and where
the work changes evenly. All blocks are executed if neighbours differ, or the inputs' contents decide counts, and that
takes little time. They are also executed, in order, if results of atomic operations of global memory decide counts: in
which block the last ticket is drawn, a sample cannot show.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from advisor.emulator.launch import Argument, allocate_variables, prepare
from advisor.emulator.machine import Launch, Machine, Shape
from advisor.emulator.memory import Fill, GlobalMemory
from advisor.emulator.program import Program, TimeLimitError
from advisor.emulator.relevance import Relevance, relevance
from advisor.emulator.state import Array
from advisor.hardware import sass

# Names of ncu's per-instruction metrics for the fields of InstructionCounts.
METRICS = {
    "executed": "inst_executed",
    "threads": "thread_inst_executed",
    "threads_on": "thread_inst_executed_true",
    "sectors": "memory_l2_theoretical_sectors_global",
    "ideal_sectors": "memory_l2_theoretical_sectors_global_ideal",
    "local_sectors": "memory_l2_theoretical_sectors_local",
    "tags": "memory_l1_tag_requests_global",
    "wavefronts": "memory_l1_wavefronts_shared",
    "ideal_wavefronts": "memory_l1_wavefronts_shared_ideal",
}


@dataclass(slots=True)
class InstructionCounts:
    """The counts of one instruction over the whole grid, as ncu's source page has them.

    space: global, shared, local or ''; kind: load, store, atomic; width: bytes a lane. A count of None does not apply.
    """

    address: int
    text: str
    executed: float
    threads: float
    threads_on: float
    space: str = ""
    kind: str = ""
    width: int = 0
    requests: float | None = None
    sectors: float | None = None
    ideal_sectors: float | None = None
    tags: float | None = None
    local_sectors: float | None = None
    wavefronts: float | None = None
    ideal_wavefronts: float | None = None

    @property
    def opcode(self) -> str:
        """The opcode with its modifiers, '' if the text is no instruction."""
        found = sass.parse(self.text)
        return found.opcode if found is not None else ""

    @property
    def is_spill(self) -> bool:
        """Whether it accesses the stack, as spills do."""
        found = sass.parse(self.text)
        return found is not None and found.memory is not None and found.memory.on_stack


@dataclass(slots=True)
class Counted:
    """The counts of a launch. blocks, executed_blocks: of the grid, and of those executed.

    spread: largest relative difference of executed instructions between the blocks of one class; data_dependent:
    whether the inputs' contents decide counts; order_dependent: whether results of atomic operations do, which depend
    on the order in which warps run, such as retries of compare-and-swap; exact: all blocks were executed; varied:
    addresses of instructions whose counts differ between the executed blocks of a class.
    """

    program: Program
    grid: Shape
    block: Shape
    instructions: list[InstructionCounts]
    blocks: int
    executed_blocks: int
    spread: float
    data_dependent: bool
    warp_steps: int
    dynamic_shared: int = 0
    order_dependent: bool = False
    varied: frozenset[int] = frozenset()

    @property
    def exact(self) -> bool:
        """Whether every block was executed."""
        return self.blocks == self.executed_blocks

    def total(self, name: str, space: str | None = None, kinds: Sequence[str] = ()) -> float:
        """Return the sum of a count over the instructions of a space and of kinds."""
        return math.fsum(
            getattr(i, name) or 0.0
            for i in self.instructions
            if (space is None or i.space == space) and (not kinds or i.kind in kinds)
        )


def classes(grid: Shape) -> list[tuple[list[range], int]]:
    """Return the classes of blocks of a grid: the ranges of x, y, z, and the number of blocks."""
    axes = []
    for size in grid:
        parts = [range(1)]
        if size > 2:
            parts.append(range(1, size - 1))
        if size > 1:
            parts.append(range(size - 1, size))
        axes.append(parts)
    return [([x, y, z], len(x) * len(y) * len(z)) for z, y, x in itertools.product(axes[2], axes[1], axes[0])]


class _Class:
    """Blocks with the same edge conditions: numbers of its blocks by place, and what the executed ones counted."""

    def __init__(self, ranges: list[range], size: int, grid: Shape) -> None:
        self.ranges, self.size, self.grid = ranges, size, grid
        self.found: dict[int, Array] = {}
        self.rest: Array | None = None  # sum of all blocks that are not in `found`, if every block was executed
        self._differ: Array | None = None

    def add(self, vector: Array) -> None:
        """Add a block to `rest`: of a class that is executed whole, the counts of single blocks are not kept."""
        first = next(iter(self.found.values()))
        if self.rest is None or self._differ is None:
            self.rest, self._differ = np.zeros_like(vector), np.zeros(vector.shape[1], bool)
        self.rest += vector
        self._differ |= (vector != first).any(axis=0)

    def forget(self) -> None:
        """Forget what was added."""
        self.rest = self._differ = None

    def total(self) -> Array:
        """Return the counts of all blocks of the class: (fields, instructions)."""
        if self.rest is not None:
            whole: Array = np.sum([self.rest, *self.found.values()], axis=0)
            return whole
        out: Array = np.zeros_like(next(iter(self.found.values())))
        for place, weight in self.weights().items():
            out += weight * self.found[place]
        return out

    def number(self, place: int) -> int:
        """Return the number of a block in the grid."""
        xs, ys, zs = self.ranges
        x, y, z = place % len(xs), place // len(xs) % len(ys), place // (len(xs) * len(ys))
        return xs[x] + self.grid[0] * (ys[y] + self.grid[1] * zs[z])

    def first(self, wanted: int) -> list[int]:
        """Return the places to begin with: both ends, and a place in each of equal parts, at different distances."""
        if self.size <= max(wanted, 2):
            return list(range(self.size))
        between = [int((i + (i * 0.6180339887) % 1.0) / wanted * self.size) for i in range(wanted)]
        if self.size > 2 * _REMAINDERS:
            between = [min(p - p % _REMAINDERS + i % _REMAINDERS, self.size - 1) for i, p in enumerate(between)]
        return sorted({0, self.size - 1, *between})

    def period(self) -> int:
        """Return the smallest power of two modulo which the block's number decides the counts; 0 if none does.

        Each remainder must have been executed twice or more, with equal counts.
        """
        numbers = {place: self.number(place) for place in self.found}
        for period in (1, 2, 4, 8, 16, 32):
            groups: dict[int, list[Array]] = {}
            for place, vector in self.found.items():
                groups.setdefault(numbers[place] % period, []).append(vector)
            if len(groups) < period or any(len(group) < 2 for group in groups.values()):
                return 0
            if all(np.array_equal(group[0], other) for group in groups.values() for other in group[1:]):
                return period
        return 0

    def _numbers(self) -> Array:
        xs, ys, zs = (np.arange(r.start, r.stop) for r in self.ranges)
        return (xs[None, None] + self.grid[0] * (ys[None, :, None] + self.grid[1] * zs[:, None, None])).reshape(-1)

    def more(self) -> list[tuple[float, list[int]]]:
        """Return (how much is uncertain, places to execute) of each gap whose two ends differ."""
        places = sorted(self.found)
        out: list[tuple[float, list[int]]] = []
        if self.period():
            return out
        for low, high in itertools.pairwise(places):
            gap = high - low - 1
            if gap < 1:
                continue
            a, b = self.found[low], self.found[high]
            if np.array_equal(a, b):
                continue
            # A difference in executions is a change of the work; other counts may just vary with the data.
            uncertain = float(np.abs(a - b).sum() + _WORK * np.abs(a[0] - b[0]).sum()) * gap
            count = min(gap, PARTS)
            out.append((uncertain, [low + 1 + gap * (2 * i + 1) // (2 * count) for i in range(count)]))
        return out

    def weights(self) -> dict[int, float]:
        """Return how many blocks each executed place stands for."""
        places = sorted(self.found)
        out = dict.fromkeys(places, 1.0)
        period = self.period() if self.size > len(places) else 0
        if period:
            blocks = np.bincount(self._numbers() % period, minlength=period)
            remainders = [self.number(place) % period for place in places]
            executed = np.bincount(remainders, minlength=period)
            return {p: float(blocks[r] / executed[r]) for p, r in zip(places, remainders, strict=True)}
        for low, high in itertools.pairwise(places):
            half = (high - low - 1) / 2
            out[low] += half
            out[high] += half
        return out

    def differing(self) -> Array:
        """Return for each instruction whether a count of it differs between executed blocks."""
        vectors = list(self.found.values())
        out: Array = np.zeros(vectors[0].shape[1], bool) if self._differ is None else self._differ.copy()
        for one in vectors[1:]:
            out |= (one != vectors[0]).any(axis=0)
        return out

    def spread(self) -> float:
        """Return the largest difference of a total between neighbours with blocks between them, relative to it."""
        places, worst = sorted(self.found), 0.0
        if self.rest is not None or self.period():
            return worst
        for low, high in itertools.pairwise(places):
            if high - low > 1:
                a, b = (float(self.found[p].sum()) for p in (low, high))
                worst = max(worst, abs(a - b) / max(a, b, 1.0))
        return worst


@dataclass(slots=True)
class Problem:
    """A launch to count or to check.

    arrays: name -> (bytes, function that writes the content, or None for zeros); arguments in order; constants: values
    of __constant__ symbols, as functions that are called only if needed.
    """

    program: Program
    grid: Shape
    block: Shape
    arguments: Sequence[Argument]
    arrays: Mapping[str, tuple[int, Fill | None]]
    dynamic_shared: int = 0
    constants: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)


def memory_of(problem: Problem) -> tuple[GlobalMemory, dict[str, int]]:
    """Allocate the arrays and variables of a problem; return the memory and the addresses."""
    memory = GlobalMemory()
    addresses = allocate_variables(problem.program, memory)
    for name, (size, fill) in problem.arrays.items():
        addresses[name] = memory.allocate(name, size, fill)
    return memory, addresses


def machine_of(
    problem: Problem,
    blocks: Sequence[int],
    memory: GlobalMemory,
    addresses: Mapping[str, int],
    needed: Callable[[int], bool] | None,
    seconds: float,
    constants: bool = True,
) -> Machine:
    """Return a machine that is ready to run some blocks of a problem."""
    values = {name: value() for name, value in problem.constants.items()} if constants else {}
    banks = prepare(problem.program, memory, addresses, problem.grid, problem.block, problem.arguments, values)
    launch = Launch(problem.grid, problem.block, problem.dynamic_shared, memory, banks, blocks, seconds)
    return Machine(problem.program, launch, needed)


_REMAINDERS = 32
PARTS = 8  # places to execute in a gap whose ends differ
_ROUNDS = 7
_WORK = 1e3
_QUICK_S = 2.0  # the ends of the classes take less: more blocks are executed
_WARPS_OF_A_ROUND = 512
WHOLE_S = 3.0  # see `count`
_WHOLE_BYTES = 1 << 30  # of the counts of the blocks of a grid that is executed in order
_SLOW_START = 10.0  # the first blocks, in small rounds that make the inputs, may take this many times as long
_TRIED = 3  # rounds that show how long a block takes
_PATIENCE = 2.0  # a grid that was expected to be executed whole in a time may take this many times as long
_MOST_IN_ORDER = 1 << 14  # warps of a grid that is executed whole because atomic operations decide counts
_GROWTH = 4  # blocks executed at most, as a multiple of those to begin with
_FIELDS = ("executed", "lanes", "off", "requests", "sectors", "ideal_sectors", "tags", "wavefronts", "ideal_wavefronts")


def count(
    problem: Problem, wanted_warps: int = 256, seconds: float = 60.0, whole: bool = True, whole_s: float = WHOLE_S
) -> Counted:
    """Execute sampled blocks, and return the counts of the whole grid.

    whole: whether all blocks may be executed in order because atomic operations decide counts; whole_s: a grid whose
    blocks differ, or whose counts depend on the inputs' contents, which a sample shows in part only, is executed whole
    if that is expected to take less, in seconds of processor time.
    Raises RefusedError for what is not emulated, and FaultError for errors of the program.
    """
    deadline = time.process_time() + seconds
    # A unit is what runs together: a cluster of blocks, most often of one.
    cluster = problem.program.cluster
    unit = math.prod(cluster)
    x, y, z = (-(-n // c) for n, c in zip(problem.grid, cluster, strict=True))
    grid = x, y, z
    blocks = math.prod(grid)
    warps = -(-math.prod(problem.block) // 32) * unit
    memory, addresses = memory_of(problem)
    trial = machine_of(problem, [0], memory, addresses, None, seconds)
    found: Relevance = relevance(problem.program, trial.builds)
    wanted = max(2, wanted_warps // warps)
    kinds = [_Class(ranges, size, grid) for ranges, size in classes(grid)]
    later = {kind: kind.first(wanted if kind.size > 8 else 2) for kind in kinds}
    storable = blocks * len(_FIELDS) * 8 * len(problem.program.code) <= _WHOLE_BYTES
    in_order = found.tickets and whole and storable and blocks * warps <= _MOST_IN_ORDER
    if blocks <= 2 * wanted or in_order:
        later = {kind: list(range(kind.size)) for kind in kinds}
    # The ends of each class first, to learn how long a block takes.
    plan = [(kind, kind.first(0)) for kind in kinds]
    if in_order:
        plan, later = list(later.items()), {}
    run = _Run(problem, memory, addresses, found.needed.__contains__, deadline)
    executed = 0
    budget = _GROWTH * sum(len(places) for places in later.values())
    for turn in range(_ROUNDS + 1):
        todo = sorted((kind.number(place), kind, place) for kind, places in plan for place in places)
        if not run.execute(todo, seconds / 2 if in_order else None):
            left = max(deadline - time.process_time(), 0.5)
            return count(problem, wanted_warps, left, whole=False, whole_s=whole_s)
        executed += len(todo)
        if later and run.took_s < _QUICK_S:
            rest = [(kind, [p for p in places if p not in kind.found]) for kind, places in later.items()]
            plan, later = [(kind, places) for kind, places in rest if places], {}
            if plan:
                continue
        later = {}
        gaps = sorted(((u, kind, places) for kind in kinds for u, places in kind.more()), key=lambda gap: -gap[0])
        if (
            (gaps or found.inputs)
            and not found.tickets
            and run.fastest_s * (blocks - executed) <= _SLOW_START * whole_s
        ):
            others = ((kind.number(p), kind, p) for kind in kinds for p in range(kind.size) if p not in kind.found)
            if run.execute_rest(sorted(others), kinds, whole_s):
                executed = blocks
                break
            whole_s = 0.0
        plan = []
        for _, kind, places in gaps:
            if executed + sum(len(p) for _, p in plan) + len(places) <= budget:
                plan.append((kind, places))
        if not plan or turn == _ROUNDS or time.process_time() > deadline - seconds * 3 / 4:
            break
    total: Array = np.sum([kind.total() for kind in kinds], axis=0)
    spread = max(kind.spread() for kind in kinds)
    made = _collected(problem, total, run.spaces, blocks * unit, executed * unit, spread, found, run.steps)
    differ: Array = np.logical_or.reduce([kind.differing() for kind in kinds])
    made.varied = frozenset(problem.program.code[int(i)].address for i in np.flatnonzero(differ))
    return made


_Place = tuple[int, _Class, int]  # number of a block (or cluster) in the grid, its class, its place there


class _Run:
    """Executes blocks of a problem in rounds, and learns how long a block takes.

    took_s: processor time so far; fastest_s: of a block in the fastest round: the others also make inputs and are
    smaller; spaces: instruction -> space, kind and width of its accesses.
    """

    def __init__(
        self,
        problem: Problem,
        memory: GlobalMemory,
        addresses: Mapping[str, int],
        needed: Callable[[int], bool],
        deadline: float,
    ) -> None:
        self._problem, self._memory, self._addresses = problem, memory, addresses
        self._needed, self._deadline = needed, deadline
        self._unit = math.prod(problem.program.cluster)
        self._round = max(1, _WARPS_OF_A_ROUND // (-(-math.prod(problem.block) // 32) * self._unit))
        self.spaces: dict[int, tuple[str, str, int]] = {}
        self.steps, self.took_s, self.fastest_s = 0, 0.0, math.inf

    def execute(self, todo: Sequence[_Place], limit_s: float | None = None) -> bool:
        """Execute places, and keep the counts of each; False, with some missing, if they would take over the limit."""
        begin = self.took_s
        for start in range(0, len(todo), self._round):
            if limit_s is not None and start and (self.took_s - begin) * len(todo) / start > limit_s:
                return False
            part = todo[start : start + self._round]
            for (_, kind, place), vector in zip(part, self._counts(part, self._deadline), strict=True):
                kind.found[place] = vector
        return True

    def execute_rest(self, todo: Sequence[_Place], kinds: Sequence[_Class], expected_s: float) -> bool:
        """Execute all places that were not, and add up their counts.

        Return False, with none added, if some rounds show that it would take longer than expected, or it does.
        """
        until = min(time.process_time() + _PATIENCE * expected_s, self._deadline)
        for start in range(0, len(todo), self._round):
            slow = start == _TRIED * self._round and self.fastest_s * (len(todo) - start) > expected_s
            if slow or not self._added(todo[start : start + self._round], until):
                for kind in kinds:
                    kind.forget()
                return False
        return True

    def _added(self, part: Sequence[_Place], until: float) -> bool:
        try:
            found = self._counts(part, until)
        except TimeLimitError:
            return False
        for (_, kind, _), vector in zip(part, found, strict=True):
            kind.add(vector)
        return True

    def _counts(self, part: Sequence[_Place], until: float) -> list[Array]:
        begin, problem = time.process_time(), self._problem
        cluster = problem.program.cluster
        numbers = [block for n, _, _ in part for block in members(n, problem.grid, cluster)]
        left = max(until - begin, 0.5)
        machine = machine_of(problem, numbers, self._memory, self._addresses, self._needed, left)
        machine.run()
        self.steps += machine.steps_done
        out = _by_unit(machine, self.spaces, self._unit)
        took = time.process_time() - begin
        self.took_s += took
        self.fastest_s = min(self.fastest_s, took / len(part))
        return out


def members(number: int, grid: Shape, cluster: Shape) -> list[int]:
    """Return the numbers of the blocks of a cluster, in the order of their ranks; one block if clusters have one."""
    cx, cy, cz = cluster
    across, down = grid[0] // cx, grid[1] // cy
    x, y, z = cx * (number % across), cy * (number // across % down), cz * (number // (across * down))
    return [x + i + grid[0] * (y + j + grid[1] * (z + k)) for k in range(cz) for j in range(cy) for i in range(cx)]


def _by_unit(machine: Machine, spaces: dict[int, tuple[str, str, int]], unit: int) -> list[Array]:
    """Return the counts of each executed cluster of `unit` blocks: (fields, instructions) as a flat array."""
    blocks, per = len(machine.launch.blocks) // unit, machine.warps_of_block * unit
    count = len(machine.code)
    out = np.zeros((len(_FIELDS), count, blocks))
    out[0] = machine.executed().reshape(count, blocks, per).sum(axis=2)
    out[1] = machine.lanes_executed().reshape(count, blocks, per).sum(axis=2)
    for i, values in machine.off.items():
        out[2, i] = values.reshape(blocks, per).sum(axis=1)
    for i, memory in machine.memory_counts.items():
        spaces[i] = memory.space, memory.kind, memory.width
        for row, name in enumerate(_FIELDS[3:], 3):
            out[row, i] = getattr(memory, name).reshape(blocks, per).sum(axis=1)
    return [np.ascontiguousarray(out[:, :, block]) for block in range(blocks)]


def _collected(
    problem: Problem,
    total: Array,
    spaces: dict[int, tuple[str, str, int]],
    blocks: int,
    executed: int,
    spread: float,
    found: Relevance,
    steps: int,
) -> Counted:
    rows = dict(zip(_FIELDS, np.rint(total), strict=True))
    out = []
    for i, ins in enumerate(problem.program.code):
        threads = float(rows["lanes"][i])
        one = InstructionCounts(
            ins.address, ins.text, float(rows["executed"][i]), threads, threads - float(rows["off"][i])
        )
        if i in spaces:
            one.space, one.kind, one.width = spaces[i]
            one.requests = float(rows["requests"][i])
            if "global" in one.space:
                for name in ("sectors", "ideal_sectors", "tags"):
                    setattr(one, name, float(rows[name][i]))
            if "shared" in one.space or one.space == "constant":
                one.wavefronts, one.ideal_wavefronts = float(rows["wavefronts"][i]), float(rows["ideal_wavefronts"][i])
            if one.space == "local":
                one.local_sectors = float(rows["sectors"][i])
        out.append(one)
    return Counted(
        problem.program,
        problem.grid,
        problem.block,
        out,
        blocks,
        executed,
        spread,
        found.inputs,
        steps,
        problem.dynamic_shared,
        found.order,
    )
