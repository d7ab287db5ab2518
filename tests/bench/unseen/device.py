"""Cubins, launches and times of the unseen kernels; needs NumPy and CuPy, and of the project nothing."""

from __future__ import annotations

import re
import statistics
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
FILES = (
    *("records", "matrices", "sequences", "images", "series", "generated", "statistics", "particles", "tensors"),
    *("fields", "graphs", "tables", "signals", "finance", "solvers"),
)


@dataclass
class Launch:
    """A kernel and how it is started; args hold arrays and NumPy scalars only."""

    kernel: Any
    grid: tuple[int, ...]
    block: tuple[int, ...]
    args: tuple[Any, ...]
    shared: int = 0

    def __call__(self) -> None:
        if self.shared > 48 * 1024:
            self.kernel.max_dynamic_shared_size_bytes = self.shared
        self.kernel(self.grid, self.block, self.args, shared_mem=self.shared)


@dataclass
class Case:
    """slow: the launch that is diagnosed; cured: with its one cause mended; reset: before each launch.

    check: raises AssertionError where the outputs of the launch just made are wrong.
    """

    slow: Callable[[], Any]
    check: Callable[[], None]
    cured: Callable[[], Any] | None = None
    reset: Callable[[], Any] | None = None


class Tools:
    """What a case is built from: xp (CuPy, or NumPy in a dry run), kernels, constants, sizes (small in a dry run)."""

    def __init__(self, cubins: Path, xp: Any, dry: bool) -> None:
        self.xp, self.dry, self._cubins = xp, dry, cubins
        self.rng = xp.random.default_rng(20)
        self._modules: dict[str, Any] = {}
        self.planned: list[tuple[str, int]] = []

    def size(self, n: int, small: int) -> int:
        return small if self.dry else n

    def _module(self, file: str) -> Any:
        if file not in self._modules:
            path = self._cubins / f"{file}.cubin"
            self._modules[file] = StandIn(path) if self.dry else self.xp.RawModule(path=str(path))
        return self._modules[file]

    def kernel(self, file: str, pattern: str) -> Any:
        """The kernel of a file whose mangled name matches, of which there must be one."""
        names = [name for name in parameters(self._cubins / f"{file}.cubin") if re.search(pattern, name)]
        if len(names) != 1:
            raise LookupError(f"{file}: {pattern} names {names}")
        return self._module(file).get_function(names[0])

    def constant(self, file: str, name: str, values: Any) -> None:
        """Fill a __constant__ array."""
        if self.dry:
            return
        target = self.xp.ndarray(values.shape, values.dtype, memptr=self._module(file).get_global(name))
        target[...] = values

    def uint32(self, shape: Any, below: int) -> Any:
        return self.rng.integers(0, below, shape, dtype=self.xp.int32).view(self.xp.uint32)

    def host(self, array: Any) -> Any:
        return array if self.dry else self.xp.asnumpy(array)


def parameters(cubin: Path) -> dict[str, list[tuple[int, int]]]:
    """Of each kernel of a cubin (by mangled name) its parameters as (offset, size) in bytes, from .nv.info sections."""
    data = cubin.read_bytes()
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count, strings = struct.unpack_from("<HHH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    base = sections[strings][4]
    found: dict[str, list[tuple[int, int]]] = {}
    for section in sections:
        start = base + section[0]
        name = data[start : data.index(b"\0", start)].decode()
        if name.startswith(".nv.info."):
            found[name.removeprefix(".nv.info.")] = _info(data[section[4] : section[4] + section[5]])
    return found


def _info(data: bytes) -> list[tuple[int, int]]:
    """KPARAM_INFO entries (format 4, attribute 0x17): ordinal, offset, and the size in the last word's upper bits."""
    params: dict[int, tuple[int, int]] = {}
    at = 0
    while at + 4 <= len(data):
        form, attribute, length = data[at], data[at + 1], struct.unpack_from("<H", data, at + 2)[0]
        if form == 4:
            if attribute == 0x17:
                _, ordinal, offset, word = struct.unpack_from("<IHHI", data, at + 4)
                params[ordinal] = (offset, word >> 18)
            at += 4 + length
        else:
            at += 4
    return [params[i] for i in sorted(params)]


class StandIn:
    """A module of a dry run: its kernels compare what they are given with the parameters in the cubin."""

    def __init__(self, cubin: Path) -> None:
        self._parameters = parameters(cubin)

    def get_function(self, name: str) -> Any:
        expected = self._parameters[name]

        class Kernel:
            max_dynamic_shared_size_bytes = 0

            def __call__(self, grid: Any, block: Any, args: Sequence[Any], shared_mem: int = 0) -> None:
                given, at = [], 0
                for arg in args:
                    if not isinstance(arg, (np.ndarray, np.generic)):
                        raise TypeError(f"{name}: {type(arg)} is neither an array nor a NumPy scalar")
                    width = 8 if isinstance(arg, np.ndarray) else arg.dtype.itemsize
                    if isinstance(arg, np.ndarray) and not arg.flags.c_contiguous:
                        raise TypeError(f"{name}: an array that is not contiguous")
                    at = -(-at // width) * width
                    given.append((at, width))
                    at += width
                if given != expected:
                    raise TypeError(f"{name}: parameters {expected}, given {given}")
                if not 0 < int(np.prod(block)) <= 1024 or min(grid) < 1 or shared_mem > 227 * 1024:
                    raise ValueError(f"{name}: grid {grid}, block {block}, {shared_mem} bytes of shared memory")

        return Kernel()


def measure(cp: Any, call: Callable[[], Any], reset: Callable[[], Any] | None, runs: int = 20) -> list[float]:
    """Milliseconds of each run between two events, less what two events with nothing in between are apart.

    L2 holds other data before, none of which it has yet to write back.
    """
    other = cp.zeros(1 << 25, cp.uint64)

    def between(what: Callable[[], Any]) -> float:
        other.fill(1)
        other.max()  # reads through it, so that L2 writes back what was filled
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        what()
        stop.record()
        stop.synchronize()
        return float(cp.cuda.get_elapsed_time(start, stop))

    nothing = statistics.median(between(lambda: None) for _ in range(10))
    times = []
    for _ in range(runs):
        if reset:
            reset()
        times.append(max(between(call) - nothing, 1e-4))
    return times


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
