"""Turn the steps of exercises into launches for the emulator: shapes, arguments and arrays, without a GPU."""

from __future__ import annotations

import contextlib
import importlib.util
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from advisor.emulator.launch import Argument, Pointer
from advisor.emulator.memory import Fill
from advisor.emulator.program import RefusedError
from advisor.practice.api import Card
from advisor.practice.cupy_random import CupyGenerator
from advisor.practice.launchlines import ConstantLine, Shape, read_lines, shape
from advisor.practice.lazy_arrays import LazyArray, LazyGenerator
from advisor.practice.tasks import launch_words
from advisor.records.errors import KnowledgeError, UsageError

OPTIONS = ("-ftz=true",)  # CuPy adds it, which compiles the exercises on a GPU
_WHOLE = re.compile(r"-?[0-9]{1,19}")


@dataclass(slots=True)
class PlannedLaunch:
    """A launch of a step: kernel, shape, and arguments as values or names of arrays."""

    kernel: str
    shape: Shape
    arguments: tuple[Argument, ...]
    source: Path


@dataclass(slots=True)
class Bench:
    """The arrays of a case in NumPy; large random ones are made as they are read."""

    case: ModuleType
    card: Card
    sizes: dict[str, int]
    data: dict[str, Any] = field(default_factory=dict)
    out: dict[str, Any] = field(default_factory=dict)
    scratch: dict[str, Any] = field(default_factory=dict)
    scalars: dict[str, Any] = field(default_factory=dict)

    @property
    def arrays(self) -> dict[str, Any]:
        """All arrays by name."""
        return {**self.data, **self.out, **self.scratch}


def bench(
    case: ModuleType, card: Card, sizes: Mapping[str, int], seed: int = 0, recorded_seed: int | None = None
) -> Bench:
    """Make the arrays of a case. Raises KnowledgeError if the case fails without a GPU.

    recorded_seed: of a recording whose inputs are to be the same numbers; other numbers, from `seed`, if the case uses
    a distribution that is not reproduced.
    """
    if recorded_seed is not None:
        with contextlib.suppress(KnowledgeError):
            return _made(case, card, sizes, CupyGenerator(recorded_seed, card.sms))
    return _made(case, card, sizes, LazyGenerator(seed))


def _made(case: ModuleType, card: Card, sizes: Mapping[str, int], generator: LazyGenerator | CupyGenerator) -> Bench:
    made = Bench(case, card, dict(sizes))
    try:
        made.data = dict(case.inputs(_ARRAYS, generator, made.sizes))
        made.out = dict(case.outputs(_ARRAYS, made.sizes))
        scratch = getattr(case, "scratch", None)
        made.scratch = dict(scratch(_ARRAYS, made.sizes)) if scratch is not None else {}
        scalars = getattr(case, "scalars", None)
        made.scalars = dict(scalars(made.sizes)) if scalars is not None else {}
    except (KnowledgeError, UsageError):
        raise
    except MemoryError:
        raise KnowledgeError("the inputs of the case do not fit into memory") from None
    except Exception as e:
        raise KnowledgeError(f"the inputs of the case cannot be made without a GPU: {type(e).__name__}: {e}") from None
    return made


def fill_of(array: Any) -> Fill | None:
    """Return the function that writes the bytes of an array, or None for one that need not be written."""
    if isinstance(array, LazyArray):
        width = array.dtype.itemsize

        def lazily(view: Any, start: int, stop: int) -> None:
            values = np.ascontiguousarray(array.chunk(start // width, stop // width))
            view[:] = values.view(np.uint8).reshape(-1)

        return lazily
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)

    def copied(view: Any, start: int, stop: int) -> None:
        view[:] = flat[start:stop]

    return copied


def arrays_of(made: Bench) -> dict[str, tuple[int, Fill | None]]:
    """Return the arrays as the emulator wants them. Outputs and scratch begin as zeros."""
    found: dict[str, tuple[int, Fill | None]] = {
        name: (int(array.nbytes), fill_of(array)) for name, array in made.data.items() if hasattr(array, "nbytes")
    }
    for name, array in {**made.out, **made.scratch}.items():
        found[name] = (int(array.nbytes), None)
    return found


def constants_of(made: Bench, lines: tuple[ConstantLine, ...]) -> dict[str, Callable[[], bytes]]:
    """Return the values of __constant__ symbols, made when they are needed."""
    out: dict[str, Callable[[], bytes]] = {}
    for line in lines:
        array = made.arrays.get(line.array)
        if array is None:
            raise UsageError(f"line {line.line}: no array is called {line.array!r}")
        out[line.symbol] = partial(_bytes_of, array)
    return out


def planned(
    source: Path, made: Bench, extra: tuple[Path, ...] = (), whole: bool = False
) -> tuple[list[PlannedLaunch], tuple[ConstantLine, ...]]:
    """Return the launches of a step in order, and its constant lines. Raises UsageError for invalid launch lines.

    whole: all launches of a step in Python that profiles only some of them.
    """
    if source.suffix == ".py":
        return _python(source, made, extra, whole), ()
    launches, constants = read_lines(source.read_text(encoding="utf-8"), source.name)
    words = launch_words(made.card, made.sizes)
    out = []
    for line in launches:
        arguments = tuple(_argument(made, a, f"{source.name}:{line.line}") for a in line.args)
        out.append(PlannedLaunch(line.kernel, shape(line, words, source.name), arguments, source))
    return out, constants


def _argument(made: Bench, name: str, at: str) -> Argument:
    if name in made.arrays:
        return Pointer(name)
    if name in made.scalars:
        return _scalar(made.scalars[name])
    if name in made.sizes:
        return np.int32(made.sizes[name])
    if name in _maps(made):
        raise RefusedError(f"{at}: {name} is a tensor map: copies of boxes by the TMA are not emulated")
    if _WHOLE.fullmatch(name):
        return np.int32(int(name))
    raise UsageError(f"{at}: no argument is called {name!r}")


def _maps(made: Bench) -> tuple[str, ...]:
    maps = getattr(made.case, "tensor_maps", None)
    return tuple(maps(made.sizes)) if maps is not None else ()


def _bytes_of(array: Any) -> bytes:
    return np.ascontiguousarray(array).tobytes()


def _scalar(value: Any) -> np.generic:
    found = np.asarray(value)[()]
    assert isinstance(found, np.generic)
    return found


class _Anything:
    """Stands for the parts of CuPy that only order work: every attribute and call gives the same object."""

    def __getattr__(self, name: str) -> _Anything:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> _Anything:
        return self

    def __enter__(self) -> _Anything:
        return self

    def __exit__(self, *error: object) -> None:
        return None


@dataclass(slots=True)
class _Recorder:
    """The launches of a step in Python. captured: those that a CUDA graph records now, or None."""

    launches: list[PlannedLaunch] = field(default_factory=list)
    captured: list[PlannedLaunch] | None = None

    def note(self, launch: PlannedLaunch) -> None:
        (self.launches if self.captured is None else self.captured).append(launch)


class _Stream(_Anything):
    """A stream, which can record a graph."""

    def __init__(self, recorder: _Recorder) -> None:
        self._recorder = recorder

    def begin_capture(self, *args: Any, **kwargs: Any) -> None:
        self._recorder.captured = []

    def end_capture(self) -> _Graph:
        captured, self._recorder.captured = self._recorder.captured or [], None
        return _Graph(self._recorder, captured)


class _Graph(_Anything):
    """A recorded graph: its launches happen when it is launched."""

    def __init__(self, recorder: _Recorder, launches: list[PlannedLaunch]) -> None:
        self._recorder, self._launches = recorder, launches

    def launch(self, *args: Any) -> None:
        self._recorder.launches += self._launches


class _Cuda(_Anything):
    """CuPy's `cuda`, whose streams record graphs."""

    def __init__(self, recorder: _Recorder) -> None:
        self._recorder = recorder

    def Stream(self, *args: Any, **kwargs: Any) -> _Stream:  # noqa: N802 - CuPy's name
        return _Stream(self._recorder)


def _three(sizes: Any) -> tuple[int, int, int]:
    x, y, z, *_ = (*(int(n) for n in sizes), 1, 1, 1)
    return x, y, z


class _Arrays:
    """NumPy in the place of CuPy, for the inputs of a case: it has no `cuda`, so a case uses no memory of a GPU."""

    def __getattr__(self, name: str) -> Any:
        if name == "cuda":
            raise AttributeError(name)
        return getattr(np, name)

    def ascontiguousarray(self, array: Any, dtype: Any = None) -> Any:
        """Return the array as it is if it is made as it is read: it has its elements in order."""
        if isinstance(array, LazyArray) and dtype is None:
            return array
        return np.ascontiguousarray(array, dtype)

    def argsort(self, array: Any, axis: int = -1) -> Any:
        """Sort as CuPy does: equal elements keep their order."""
        return np.argsort(np.asarray(array), axis=axis, kind="stable")


class _Cupy(_Arrays):
    """NumPy with CuPy's `cuda`, for steps in Python."""

    def __init__(self, recorder: _Recorder) -> None:
        self.cuda = _Cuda(recorder)


_ARRAYS = _Arrays()


def _python(source: Path, made: Bench, extra: tuple[Path, ...], whole: bool) -> list[PlannedLaunch]:
    """Run a step in Python with a kernel that notes its launches. Raises RefusedError if it computes with arrays."""
    spec = importlib.util.spec_from_file_location("advisor_emulated_step", source)
    if spec is None or spec.loader is None:
        raise KnowledgeError(f"{source}:1: cannot be loaded")
    recorder = _Recorder()
    names = {id(array): name for name, array in made.arrays.items()}

    def kernel(name: str) -> Any:
        def launched(grid: Any, block: Any, args: Any, shared_mem: int = 0) -> None:
            arguments = tuple(Pointer(names[id(a)]) if id(a) in names else _scalar(a) for a in args)
            sizes = [_three(grid), _three(block)]
            recorder.note(PlannedLaunch(name, Shape(sizes[0], sizes[1], int(shared_mem)), arguments, extra[0]))

        if not extra:
            raise RefusedError(f"{source.name}: the kernel {name} is not in a .cu file")
        return launched

    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        run = module.prepare(_Cupy(recorder), made.data, {**made.out, **made.scratch}, made.sizes, kernel)
        recorder.launches.clear()
        ((None if whole else getattr(run, "profiled", None)) or run)()
    except RefusedError:
        raise
    except Exception as e:
        raise RefusedError(f"{source.name} needs CuPy: {type(e).__name__}") from None
    return recorder.launches
