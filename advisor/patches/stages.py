"""What a source is executed on: the launches at their real size for counts, and a problem for results."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from advisor.emulator.check import located, run_whole
from advisor.emulator.compile import compile_cubin
from advisor.emulator.counts import Counted, Problem, count, machine_of, memory_of
from advisor.emulator.cubin import kernels, read_cubin
from advisor.emulator.launch import Argument, Pointer
from advisor.emulator.machine import Shape
from advisor.emulator.memory import Fill, GlobalMemory
from advisor.emulator.program import Program, RefusedError
from advisor.emulator.state import FaultError
from advisor.emulator.watch import SharedWatch
from advisor.patches.syntax import plain_name
from advisor.practice import emulated
from advisor.practice.api import Card
from advisor.practice.bench import compare, poison_byte
from advisor.practice.emulated_check import small_problem
from advisor.practice.emulated_source import Given
from advisor.records.errors import AdvisorError, InputError, UsageError

_MOST_COMPARED = 1 << 30  # bytes of arrays whose contents are compared
_PART = 256  # warps that run at a time, where some blocks of a launch are compared
_MOST_SHARED = 227 << 10
_OWN_WARPS = 1 << 12
_FEW_WARPS = 128  # of a problem of an exercise that is too large to run whole
_MOST_WARPS = 1 << 15  # of one that is run whole, twice for each patch that is tried


@dataclass(frozen=True)
class OneLaunch:
    """A launch: kernel, shape, arguments, bytes of dynamic shared memory."""

    kernel: str
    grid: Shape
    block: Shape
    arguments: tuple[Argument, ...]
    shared: int = 0


@dataclass(frozen=True)
class Work:
    """Launches in order on one set of arrays; constants: values of __constant__ symbols."""

    launches: tuple[OneLaunch, ...]
    arrays: Mapping[str, tuple[int, Fill | None]]
    constants: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """Whether two results agree. how: `bit for bit` or the tolerance; wrong: the first difference, or ''."""

    how: str
    wrong: str = ""


Results = Mapping[str, Any]


@dataclass(frozen=True)
class Stage:
    """A source to patch. path: its name in messages; real: the work that is counted; small: that whose results count.

    judge(before, after, rounds): compares results; rounds: whether the patch may change the rounding; wrong(results):
    why the results of the source itself are wrong, or ''; warps: run of a launch for its results, in whole blocks.
    """

    path: Path
    arch: str
    real: Work
    small: Work
    judge: Callable[[Results, Results, bool], Verdict]
    compared: str
    seconds: float
    warps: int
    wrong: Callable[[Results], str] = lambda _: ""

    def programs(self, text: str) -> dict[str, Program]:
        """Compile a text and decode the kernels that are launched. Raises RefusedError."""
        cubin = compile_cubin(text, str(self.path), self.arch)
        return {name: read_cubin(cubin, name) for name in sorted({one.kernel for one in self.real.launches})}

    def counted(self, programs: Mapping[str, Program]) -> list[Counted]:
        """Count the launches at their real size. Raises RefusedError, and FaultError for an error of the program."""
        return [
            count(_problem(self.real, one, programs[one.kernel]), seconds=self.seconds) for one in self.real.launches
        ]

    def results(self, programs: Mapping[str, Program]) -> Results:
        """Return the bytes of all arrays after the small problem. Raises RefusedError and FaultError."""
        memory: GlobalMemory | None = None
        addresses: dict[str, int] = {}
        # The kernels of a source share its variables, from launch to launch.
        variables = {name: v for program in programs.values() for name, v in program.variables.items()}
        for one in self.small.launches:
            problem = _problem(self.small, one, replace(programs[one.kernel], variables=variables))
            if memory is None:
                memory, addresses = memory_of(problem)
            chosen = some_blocks(one.grid, one.block, self.warps)
            if len(chosen) == math.prod(one.grid):
                run_whole(problem, memory, addresses, self.seconds, watch=True)
            else:
                _run_some(problem, chosen, memory, addresses, self.seconds)
        assert memory is not None
        return {name: memory.content(name).copy() for name in self.small.arrays}


def _problem(work: Work, one: OneLaunch, program: Program) -> Problem:
    """Put a launch together. A symbol that the source keeps in global memory gets its value there."""
    values = {name: value for name, value in work.constants.items() if name in program.symbols}
    moved = {name: value for name, value in work.constants.items() if name in program.variables}
    if moved:
        variables = dict(program.variables)
        for name, value in moved.items():
            size, _, alignment = variables[name]
            variables[name] = size, value().ljust(size, b"\0")[:size], alignment
        program = replace(program, variables=variables)
    return Problem(program, one.grid, one.block, one.arguments, work.arrays, one.shared, values)


def some_blocks(grid: Shape, block: Shape, most_warps: int) -> list[int]:
    """Return the numbers of blocks whose results are compared: both ends of the grid and some evenly between."""
    blocks, warps = math.prod(grid), -(-math.prod(block) // 32)
    wanted = max(2, most_warps // warps)
    if blocks <= wanted:
        return list(range(blocks))
    return sorted({round(i * (blocks - 1) / (wanted - 1)) for i in range(wanted)})


def _run_some(
    problem: Problem, chosen: Sequence[int], memory: GlobalMemory, addresses: Mapping[str, int], seconds: float
) -> None:
    per = max(1, _PART // -(-math.prod(problem.block) // 32))
    for start in range(0, len(chosen), per):
        machine = machine_of(problem, chosen[start : start + per], memory, addresses, None, seconds)
        machine.check = SharedWatch(machine)
        machine.run()


def fault_text(error: FaultError, programs: Mapping[str, Program]) -> str:
    """Return a fault in one line, with the source line where one kernel can have caused it."""
    if len(programs) == 1:
        return located(error, next(iter(programs.values())))
    return error.words


def own_stage(
    path: Path,
    text: str,
    arch: str,
    kernel: str | None,
    grid: Shape,
    block: Shape,
    given: Given,
    types: Sequence[np.dtype[Any] | None],
    shared: int,
    tolerance: float,
    seconds: float,
) -> Stage:
    """Return the stage of one launch of a user's kernel. types: of the array arguments, in order; None for a value.

    Raises UsageError for a wrong launch, InputError if the results could not be compared.
    """
    known = kernels(compile_cubin(text, str(path), arch))
    if kernel is None:
        if len(known) != 1:
            raise UsageError(f"{path.name} has the kernels {', '.join(known) or 'none'}: choose one with --kernel")
        kernel = known[0]
    elif kernel not in known:
        named = [one for one in known if plain_name(one) == kernel]
        if len(named) != 1:
            raise UsageError(f"{path.name} has no kernel {kernel!r}: it has {', '.join(known) or 'none'}")
        kernel = named[0]
    if math.prod(block) > 1024:
        raise UsageError(f"--block: {math.prod(block)} threads: the limit is 1024")
    if shared > _MOST_SHARED:
        raise UsageError(f"{shared} bytes of shared memory: the limit is {_MOST_SHARED}")
    total = sum(size for size, _ in given.arrays.values())
    if total > _MOST_COMPARED:
        raise UsageError(
            f"the arrays have {total >> 20} MiB: results are compared up to 1024 MiB, give a smaller launch"
        )
    work = Work((OneLaunch(kernel, grid, block, given.arguments, shared),), given.arrays)
    kinds = {
        argument.name: kind
        for argument, kind in zip(given.arguments, types, strict=True)
        if isinstance(argument, Pointer) and kind is not None
    }

    def judge(before: Results, after: Results, rounds: bool) -> Verdict:
        how = "bit for bit"
        for name, old in before.items():
            new = after[name]
            if np.array_equal(old, new):
                continue
            kind = kinds.get(name, np.dtype(np.uint8))
            a, b = old.view(kind), new.view(kind)
            differs = a.view(f"u{kind.itemsize}") != b.view(f"u{kind.itemsize}")
            if rounds and kind.kind == "f" and tolerance > 0:
                wide, other = a.astype(np.float64), b.astype(np.float64)
                finite = np.isfinite(wide)
                scale = float(np.abs(wide[finite]).max(initial=0.0))
                near = np.isfinite(other) & finite & (np.abs(wide - other) <= tolerance * max(scale, 1e-30))
                differs = differs & ~near
                how = f"within {tolerance:g} of the largest value"
            if differs.any():
                at = int(np.flatnonzero(differs)[0])
                return Verdict(how, f"{name}, element {at}: {b[at]:g} instead of {a[at]:g}")
        return Verdict(how)

    blocks, chosen = math.prod(grid), len(some_blocks(grid, block, _OWN_WARPS))
    compared = "all arrays after all blocks" if chosen == blocks else f"all arrays after {chosen} of {blocks} blocks"
    return Stage(path, arch, work, work, judge, compared, seconds, _OWN_WARPS)


def exercise_stage(
    path: Path, case: ModuleType, card: Card, sizes: dict[str, int], arch: str, result: bool, seconds: float
) -> Stage:
    """Return the stage of an exercise: its recorded sizes for counts, a small problem for results.

    result: whether the step computes the algorithm's outputs. Raises InputError if it cannot be emulated.
    """
    real_bench = emulated.bench(case, card, sizes)
    whole = True
    try:
        small_bench = small_problem(case, path, card, most=_MOST_WARPS)
    except RefusedError:
        small_bench, whole = _smallest(case, path, card), False
    poisoned: dict[str, tuple[int, Fill | None]] = {}
    zeroed = tuple(getattr(case, "ZEROED", ()))
    for name, array in {**small_bench.out, **small_bench.scratch}.items():
        if name not in zeroed:
            poisoned[name] = int(array.nbytes), _filled(poison_byte(array.dtype))
    expected: dict[str, Any] = {}

    def judge(before: Results, after: Results, rounds: bool) -> Verdict:
        if all(np.array_equal(before[name], after[name]) for name in small_bench.out):
            return Verdict("bit for bit")
        how = "within the exercise's tolerance"
        if not result or not (whole or rounds):
            return Verdict("bit for bit", "outputs differ from those of the source")
        if not whole:
            return Verdict(how, _apart(case, small_bench, before, after))
        return Verdict(how, wrong(after))

    def wrong(results: Results) -> str:
        if not result or not whole:
            return ""
        if not expected:
            expected.update(reference(case, small_bench))
        return mismatch(case, small_bench, results, expected)

    sizes_text = ", ".join(f"{key} = {value}" for key, value in small_bench.sizes.items())
    real, small = _work(path, real_bench, {}), _work(path, small_bench, poisoned)
    one = small.launches[0]
    few = len(some_blocks(one.grid, one.block, _FEW_WARPS))
    compared = f"the outputs of a small problem, {sizes_text}"
    if not whole:
        compared = f"the outputs of {few} of {math.prod(one.grid)} blocks, {sizes_text}, with those of the source"
    return Stage(path, arch, real, small, judge, compared, seconds, _MOST_WARPS if whole else _FEW_WARPS, wrong)


def _smallest(case: ModuleType, path: Path, card: Card) -> emulated.Bench:
    """Return the smallest problem of an exercise of one launch. Raises RefusedError if there is none."""
    for power in range(20, 31):
        small = replace(card, sms=2, memory=1 << power, l2=1 << 16)
        try:
            sizes = dict(case.sizes(small))
            if any(n <= 0 for n in sizes.values()):
                continue
            made = emulated.bench(case, small, sizes)
            launches, _ = emulated.planned(path, made)
        except (AdvisorError, ArithmeticError, ValueError):
            continue
        if len(launches) == 1 and sum(int(a.nbytes) for a in made.arrays.values()) <= _MOST_COMPARED:
            return made
    raise RefusedError("the problem cannot be made small enough to be emulated")


def _apart(case: ModuleType, bench: emulated.Bench, before: Results, after: Results) -> str:
    """Return the first output that is farther from that of the source than the exercise's tolerance, or ''."""
    for name, array in bench.out.items():
        old, new = (np.asarray(r[name]).view(array.dtype) for r in (before, after))
        if name not in case.TOLERANCES:
            if not np.array_equal(old.view(np.uint8), new.view(np.uint8)):
                return f"{name} differs"
            continue
        # Blocks that did not run leave the poison in both.
        ran = old.view(f"u{old.itemsize}") != new.view(f"u{new.itemsize}")
        if ran.any():
            wrong = compare(np, name, new[ran], old[ran], case.TOLERANCES[name], False)
            if wrong is not None:
                return f"{name} is {wrong.got:g} instead of {wrong.expected:g}"
    return ""


def reference(case: ModuleType, bench: emulated.Bench) -> dict[str, Any]:
    """Return the outputs that the exercise expects."""
    data = {k: np.asarray(v) if hasattr(v, "nbytes") else v for k, v in bench.data.items()}
    return dict(case.reference(np, data, bench.sizes))


def mismatch(case: ModuleType, bench: emulated.Bench, results: Results, expected: Mapping[str, Any]) -> str:
    """Return the first output that is beyond the exercise's tolerance, or ''."""
    got = {n: np.asarray(results[n]).view(a.dtype).reshape(a.shape) for n, a in bench.out.items()}
    part = getattr(case, "checked", None)
    got = part(got, bench.sizes) if part is not None else got
    zeroed = tuple(getattr(case, "ZEROED", ()))
    for name, right in expected.items():
        wrong = compare(np, name, got[name], np.asarray(right), case.TOLERANCES[name], name not in zeroed)
        if wrong is not None:
            return f"{name}{list(wrong.index)} is {wrong.got:g}, expected {wrong.expected:g}"
    return ""


def _work(path: Path, bench: emulated.Bench, poisoned: Mapping[str, tuple[int, Fill | None]]) -> Work:
    launches, constants = emulated.planned(path, bench)
    if any(one.source != path for one in launches):
        raise InputError(f"{path.name}: only kernels of a .cu file can be patched")
    return Work(
        tuple(OneLaunch(o.kernel, o.shape.grid, o.shape.block, o.arguments, o.shape.shared) for o in launches),
        {**emulated.arrays_of(bench), **poisoned},
        emulated.constants_of(bench, constants),
    )


def _filled(byte: int) -> Fill:
    def fill(view: Any, start: int, stop: int) -> None:
        view[:] = byte

    return fill
