"""Check a step on the CPU: emulate it whole on a small problem, and compare its outputs with the reference."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from advisor.emulator.check import MOST_WARPS, located, run_whole
from advisor.emulator.compile import compile_cubin
from advisor.emulator.counts import Problem, memory_of
from advisor.emulator.cubin import read_cubin
from advisor.emulator.memory import Fill, GlobalMemory
from advisor.emulator.program import Program, RefusedError
from advisor.emulator.state import FaultError
from advisor.practice import emulated
from advisor.practice.api import Card
from advisor.practice.bench import compare, poison_byte
from advisor.practice.tasks import Mismatch
from advisor.records.errors import AdvisorError

_FEWEST_WARPS = 8
_MEMORIES = tuple(1 << n for n in range(20, 31))  # bytes of the small GPU, the smallest that fits is used
_SMS = (2, 8, 32)  # multiprocessors of the small GPU: a grid may need several, for instance a cluster's
_TOO_LARGE = "the problem cannot be made small enough to be emulated whole"


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check. sizes: of the small problem; fault: an error of the program in one line, with its source
    line, or ''; kind: of the fault; mismatch: the first wrong output; steps: of the emulator, each an instruction for
    some warps."""

    sizes: dict[str, int]
    fault: str = ""
    kind: str = ""
    mismatch: Mismatch | None = None
    steps: int = 0

    @property
    def right(self) -> bool:
        """Whether every output is right and no error was found."""
        return not self.fault and self.mismatch is None


def small_problem(
    case: ModuleType, source: Path, card: Card, extra: tuple[Path, ...] = (), most: int = MOST_WARPS
) -> emulated.Bench:
    """Scale a case to a small GPU on which the step launches at least some warps and can be run whole.

    most: warps of a launch.
    Raises RefusedError if there is none: the problem's size is fixed, or too large to emulate, or what launches it
    cannot be run without a GPU.
    """
    why = _TOO_LARGE
    for sms, memory in itertools.product(_SMS if source.suffix == ".cu" else _SMS[:1], _MEMORIES):
        small = replace(card, sms=sms, memory=memory, l2=1 << 16)
        try:
            sizes = dict(case.sizes(small))
            if any(n <= 0 for n in sizes.values()):
                continue
            made = emulated.bench(case, small, sizes)
            launches, _ = emulated.planned(source, made, extra, whole=True)
        except AdvisorError as e:
            why = str(e)
            continue
        except (ArithmeticError, ValueError):
            continue
        if not launches:
            raise RefusedError(f"{source.name} launches no kernel of a .cu file")
        warps = [math.prod(one.shape.grid) * -(-math.prod(one.shape.block) // 32) for one in launches]
        if max(warps) > most or sum(warps) > 4 * most:
            raise RefusedError(_TOO_LARGE)
        if min(warps) >= _FEWEST_WARPS or memory == _MEMORIES[-1]:
            return made
    raise RefusedError(why)


def programs(source: Path, kernels: set[str], arch: str) -> dict[str, Program]:
    """Compile a source and decode its kernels. Raises RefusedError in one line."""
    cubin = compile_cubin(source.read_text(encoding="utf-8"), str(source), arch, emulated.OPTIONS)
    return {name: read_cubin(cubin, name) for name in sorted(kernels)}


def check(
    case: ModuleType, source: Path, card: Card, extra: tuple[Path, ...] = (), seconds: float = 60.0, result: bool = True
) -> Checked:
    """Emulate all launches of a step on a small problem, watch its memory, and compare with the reference.

    result: whether the step computes the algorithm's outputs. Raises RefusedError for what cannot be emulated.
    """
    made = small_problem(case, source, card, extra)
    launches, constants = emulated.planned(source, made, extra, whole=True)
    code: dict[tuple[Path, str], Program] = {}
    for path in {one.source for one in launches}:
        names = {one.kernel for one in launches if one.source == path}
        for name, program in programs(path, names, card.arch).items():
            code[path, name] = program
    expected = dict(
        case.reference(np, {k: np.asarray(v) if hasattr(v, "nbytes") else v for k, v in made.data.items()}, made.sizes)
    )
    zeroed = tuple(getattr(case, "ZEROED", ()))
    arrays: dict[str, tuple[int, Fill | None]] = dict(emulated.arrays_of(made))
    for name, array in {**made.out, **made.scratch}.items():
        if name not in zeroed:
            arrays[name] = (int(array.nbytes), _poisoned(poison_byte(array.dtype)))
    memory: GlobalMemory | None = None
    addresses: dict[str, int] = {}
    steps = 0
    for one in launches:
        program = code[one.source, one.kernel]
        if memory is None:
            program = replace(program, variables=_variables(code))
        problem = Problem(
            program,
            one.shape.grid,
            one.shape.block,
            one.arguments,
            arrays,
            one.shape.shared,
            emulated.constants_of(made, constants),
        )
        if memory is None:
            memory, addresses = memory_of(problem)
        try:
            steps += run_whole(problem, memory, addresses, seconds, watch=True).steps
        except FaultError as e:
            return Checked(made.sizes, located(e, program), e.kind, steps=steps)
    assert memory is not None
    if not result:
        return Checked(made.sizes, steps=steps)
    got = {n: memory.content(n).view(a.dtype).reshape(a.shape) for n, a in made.out.items()}
    part = getattr(case, "checked", None)
    got = part(got, made.sizes) if part is not None else got
    for name, right in expected.items():
        wrong = compare(np, name, got[name], np.asarray(right), case.TOLERANCES[name], name not in zeroed)
        if wrong is not None:
            return Checked(made.sizes, mismatch=wrong, steps=steps)
    return Checked(made.sizes, steps=steps)


def _variables(code: dict[tuple[Path, str], Program]) -> dict[str, tuple[int, bytes | None, int]]:
    """Return the __device__ variables of all kernels: launches of one source share them."""
    out: dict[str, tuple[int, bytes | None, int]] = {}
    of: dict[str, Path] = {}
    for (path, _), program in code.items():
        for name, variable in program.variables.items():
            if of.setdefault(name, path) != path:
                raise RefusedError(f"two sources with a __device__ variable {name} are not emulated")
            out[name] = variable
    return out


def _poisoned(byte: int) -> Fill:
    def fill(view: Any, start: int, stop: int) -> None:
        view[:] = byte

    return fill
