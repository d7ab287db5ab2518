"""Emulate a source of the user: shapes and arguments from options, or from the launch lines of an exercise."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from advisor.emulator.check import located
from advisor.emulator.compile import compile_cubin
from advisor.emulator.counts import WHOLE_S, Counted, Problem, count
from advisor.emulator.cubin import kernels, read_cubin
from advisor.emulator.launch import Argument, Pointer
from advisor.emulator.machine import Shape
from advisor.emulator.memory import Fill
from advisor.emulator.state import FaultError
from advisor.emulator.trace import TracedAccess, trace
from advisor.practice import emulated
from advisor.practice.api import Card
from advisor.practice.launchlines import MAX_GRID, MAX_THREADS
from advisor.practice.lazy_arrays import LazyGenerator
from advisor.records.errors import InputError, UsageError
from advisor.records.regular_files import why_special

_TYPES: dict[str, Any] = {
    **{name: getattr(np, name) for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")},
    **{name: getattr(np, name) for name in ("float16", "float32", "float64")},
    "half": np.float16,
    "float": np.float32,
    "double": np.float64,
    "int": np.int32,
    "unsigned": np.uint32,
}
_ARRAY = re.compile(r"([a-z]+\d*)\[(\d+)\](?:=(zeros|range|random))?")
_VALUE = re.compile(r"([a-z]+\d*)=([-+.\w]+)")
_LARGEST = 1 << 36
_LARGEST_SOURCE = 16 << 20
_MOST_SHARED = 227 << 10
ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90")
_MOST_BLOCK = (1024, 1024, 64)


@dataclass(frozen=True, slots=True)
class Given:
    """Arguments of a kernel in order, and the arrays that they point to."""

    arguments: tuple[Argument, ...]
    arrays: dict[str, tuple[int, Fill | None]]


def parse_arguments(texts: Sequence[str]) -> Given:
    """Parse arguments: `float[1000]` is an array of random values, `int32[9]=range`, `float[9]=zeros`, `int=5` a value.

    Raises UsageError that names the argument.
    """
    arguments: list[Argument] = []
    arrays: dict[str, tuple[int, Fill | None]] = {}
    generator = LazyGenerator(0)
    for text in texts:
        array, value = _ARRAY.fullmatch(text), _VALUE.fullmatch(text)
        kind = (array or value or [None, ""])[1]
        if kind not in _TYPES:
            raise UsageError(
                f"--arg {text!r}: write an array as TYPE[COUNT], TYPE[COUNT]=zeros or =range, a value as TYPE=VALUE, "
                f"such as `--arg int=256000`; types: {', '.join(_TYPES)}"
            )
        dtype = np.dtype(_TYPES[kind])
        if value is not None:
            try:
                number = float(value[2]) if dtype.kind == "f" else int(value[2], 0)
                arguments.append(dtype.type(number))
            except (ValueError, OverflowError):
                raise UsageError(f"--arg {text!r}: {value[2]} is no value of the type {kind}") from None
            continue
        assert array is not None
        size, content = int(array[2]), array[3] or "random"
        if not 0 < size * dtype.itemsize <= _LARGEST:
            raise UsageError(f"--arg {text!r}: an array has 1 byte to {_LARGEST >> 30} GiB")
        name = f"argument {len(arguments) + 1}"
        arguments.append(Pointer(name))
        made: Any
        if content == "random" and dtype.kind == "f":
            made = generator.random(size, np.float32 if dtype.itemsize < 4 else dtype.type).astype(dtype)
        elif content == "random":
            made = generator.integers(0, 100, size, dtype.type)
        arrays[name] = (
            size * dtype.itemsize,
            None if content == "zeros" else _range(dtype) if content == "range" else emulated.fill_of(made),
        )
    return Given(tuple(arguments), arrays)


def array_type(text: str) -> np.dtype[Any] | None:
    """Return the element type of an argument that `parse_arguments` takes as an array, or None for a value."""
    array = _ARRAY.fullmatch(text)
    return np.dtype(_TYPES[array[1]]) if array is not None and array[1] in _TYPES else None


def _range(dtype: np.dtype[Any]) -> Fill:
    def fill(view: Any, start: int, stop: int) -> None:
        width = dtype.itemsize
        values = np.arange(start // width, stop // width).astype(dtype)
        view[:] = values.view(np.uint8)

    return fill


def parse_shape(text: str, option: str, most: Shape) -> Shape:
    """Parse `256` or `32,8,1`. Raises UsageError if it is not in the hardware's range."""
    parts = text.split(",")
    try:
        numbers = [int(part) for part in parts]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3 or not all(1 <= n <= m for n, m in zip(numbers, most, strict=False)):
        raise UsageError(f"{option} {text!r}: write one to three whole numbers in the hardware's range, such as 32,8")
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def parse_launch(grid: str, block: str) -> tuple[Shape, Shape]:
    """Parse the shapes of a launch, `X[,Y[,Z]]` each. Raises UsageError for what the hardware does not take."""
    return parse_shape(grid, "--grid", MAX_GRID), parse_shape(block, "--block", _MOST_BLOCK)


def source_text(path: Path, most: int = _LARGEST_SOURCE) -> str:
    """Read a source with its line endings. most: bytes. Raises UsageError for no file, InputError for any other."""
    try:
        if path.is_dir():
            raise UsageError(f"{path}: a folder: name a source in it")
        if why := why_special(path):
            raise InputError(f"{path}: {why}")
        size = path.stat().st_size
        if size > most:
            raise InputError(f"{path}: {size >> 10} KiB are too large: the limit is {most >> 10} KiB")
        return path.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as e:
        if isinstance(e, UnicodeDecodeError):
            raise InputError(f"{path}: not UTF-8 text") from None
        raise InputError(f"{path}: cannot be read: {getattr(e, 'strerror', None) or e}") from None


def kernel_problem(
    source: Path, text: str, arch: str, kernel: str | None, grid: Shape, block: Shape, given: Given, shared: int
) -> Problem:
    """Compile the text of a source and put one launch together.

    Raises UsageError, and InputError for what is not emulated.
    """
    cubin = compile_cubin(text, str(source), arch)
    known = kernels(cubin)
    if kernel is None:
        if len(known) != 1:
            raise UsageError(f"{source.name} has the kernels {', '.join(known) or 'none'}: choose one with --kernel")
        kernel = known[0]
    if math.prod(block) > MAX_THREADS:
        raise UsageError(f"--block: {math.prod(block)} threads: the limit is {MAX_THREADS}")
    program = read_cubin(cubin, kernel)
    if program.shared_bytes + shared > _MOST_SHARED:
        raise UsageError(f"{program.shared_bytes + shared} bytes of shared memory: the limit is {_MOST_SHARED}")
    return Problem(program, grid, block, given.arguments, given.arrays, shared)


def step_problem(
    source: Path, case: ModuleType, card: Card, sizes: dict[str, int], arch: str, launch: int | None = 0
) -> Problem:
    """Put a launch of an exercise's source together, with the shapes and arguments of its launch lines at these sizes.

    launch: None for the one with most threads, the first of equals.
    """
    made = emulated.bench(case, card, sizes)
    launches, constants = emulated.planned(source, made)
    if launch is None:
        threads = [math.prod(one.shape.grid) * math.prod(one.shape.block) for one in launches]
        launch = threads.index(max(threads)) if threads else 0
    if launch >= len(launches):
        raise UsageError(f"{source.name} has {len(launches)} launches, numbered from 0")
    one = launches[launch]
    return Problem(
        read_cubin(compile_cubin(source_text(source), str(source), arch, emulated.OPTIONS), one.kernel),
        one.shape.grid,
        one.shape.block,
        one.arguments,
        emulated.arrays_of(made),
        one.shape.shared,
        emulated.constants_of(made, constants),
    )


def counted(problem: Problem, seconds: float, whole_s: float = WHOLE_S) -> Counted:
    """Count a launch as `count` does.

    Raises InputError with the source line for a fault, and for what is not emulated.
    """
    try:
        return count(problem, seconds=seconds, whole_s=whole_s)
    except FaultError as e:
        raise InputError(located(e, problem.program)) from None


def traced(problem: Problem, source: Path, line: int, seconds: float) -> tuple[TracedAccess, ...]:
    """Return the accesses of a source line, as `counted` counts a launch."""
    try:
        return trace(problem, line, source.name, seconds)
    except FaultError as e:
        raise InputError(located(e, problem.program)) from None


def count_step(
    source: Path,
    case: ModuleType,
    card: Card,
    sizes: dict[str, int],
    arch: str,
    seconds: float,
    launch: int | None = 0,
) -> Counted:
    """Count a launch of an exercise's source; launch and errors as in `step_problem`."""
    return counted(step_problem(source, case, card, sizes, arch, launch), seconds)
