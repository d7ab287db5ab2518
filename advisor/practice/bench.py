"""Build, launch, check and time a step on the GPU of this process. Imports CuPy.

Use it only in a child process (see `worker`), because a kernel may destroy the CUDA context of its process.
"""

from __future__ import annotations

import importlib.util
import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from advisor.emulator.compile import target_of
from advisor.practice.api import Card, TensorMap, Tolerance
from advisor.practice.launchlines import LaunchLine, Shape, read_lines, shape
from advisor.practice.tasks import Kernel, Mismatch, Variation, launch_words, line_directive
from advisor.practice.tensor_maps import encoded
from advisor.records.errors import KnowledgeError, UsageError
from advisor.records.scratch import ScratchFolder

__all__ = ["Bench", "Mismatch", "Step", "Variation", "card"]
OPTIONS = ("-std=c++17", "-lineinfo")
_SHARED_UNASKED = 48 * 1024  # bytes of shared memory that a block can use without opting in
_WARM_S = 0.05  # After 50 ms of work the clocks are up and all code is loaded.
_WHOLE = re.compile(r"-?[0-9]{1,19}")
_APART = 7  # not a divisor of any element size
_FEWEST = 5  # minimum number of timed runs
PIECE = 1 << 24  # elements compared at a time: 128 MB of float64
_POISON = {"f": 0xFF, "c": 0xFF}  # A value with all bits set is a NaN that GPU arithmetic never produces.
_OTHER_POISON = 0xA5


def card(cp: Any) -> Card:
    """Return the properties of the GPU of this process."""
    device = cp.cuda.Device()
    known = cp.cuda.runtime.getDeviceProperties(device.id)
    name = known["name"].decode() if isinstance(known["name"], bytes) else str(known["name"])
    capability = str(device.compute_capability)  # "90", "120"
    return Card(
        name=name,
        cc=f"{capability[:-1]}.{capability[-1]}",
        sms=int(known["multiProcessorCount"]),
        memory=int(device.mem_info[1]),
        l2=int(known["l2CacheSize"]),
        shared_per_block=int(known["sharedMemPerBlockOptin"]),
        shared_per_sm=int(known["sharedMemPerMultiprocessor"]),
    )


@dataclass(frozen=True, slots=True)
class Step:
    """A step that is ready to run. kernels: those known before the run, in the order of their first launch.

    launches: launches in one run, None if not counted. profiled: what to run under a profiler instead, if the step
    defines it (`run.profiled`: all kernels of a graph, which a profiler would otherwise profile one by one).
    """

    run: Callable[[], None]
    kernels: tuple[Kernel, ...]
    launches: int | None
    profiled: Callable[[], None] | None = None

    def __call__(self) -> None:
        """Run all launches once, in order."""
        self.run()


class _Counted:
    """A wrapper that counts the launches of a kernel and passes everything else to it."""

    def __init__(self, kernel: Any, launched: Callable[[], None]) -> None:
        object.__setattr__(self, "_kernel", kernel)
        object.__setattr__(self, "_launched", launched)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self._kernel(*args, **kwargs)
        self._launched()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._kernel, name, value)


class Bench:
    """The arrays of one case on the GPU, and the runs on them."""

    def __init__(self, cp: Any, case: ModuleType, seed: int, on: Card | None = None) -> None:
        self.cp, self.case = cp, case
        self.card = on or card(cp)
        self.sizes: dict[str, int] = dict(case.sizes(self.card))
        self.data: dict[str, Any] = dict(case.inputs(cp, cp.random.default_rng(seed), self.sizes))
        self.out: dict[str, Any] = dict(case.outputs(cp, self.sizes))
        scratch = getattr(case, "scratch", None)
        self.scratch: dict[str, Any] = dict(scratch(cp, self.sizes)) if scratch is not None else {}
        scalars = getattr(case, "scalars", None)
        self.scalars: dict[str, Any] = dict(scalars(self.sizes)) if scalars is not None else {}
        maps = getattr(case, "tensor_maps", None)
        self.maps: dict[str, TensorMap] = dict(maps(self.sizes)) if maps is not None else {}
        self.zeroed: tuple[str, ...] = tuple(getattr(case, "ZEROED", ()))
        self._expected: dict[str, Any] | None = None
        self._sums: dict[str, tuple[int, ...]] = {}
        self._flush: Any = None
        self._left: int | None = None  # launches still to be profiled; None if not counted

    def build(self, source: Path, extra: tuple[Path, ...] = (), vary: Variation | None = None) -> Step:
        """Prepare a step to run. Raises CuPy's errors for compile errors, and UsageError for invalid launch lines."""
        if source.suffix == ".py":
            return self._python(source, extra)
        return self._cuda(source, vary or Variation())

    def _module(self, source: Path, options: tuple[str, ...] = ()) -> Any:
        text = source.read_text(encoding="utf-8")
        code = f"{line_directive(source)}\n{text}"
        target = target_of(text, self.card.arch)
        if target == self.card.arch:
            return self.cp.RawModule(code=code, options=(*OPTIONS, *options))
        # RawModule compiles for the GPU's plain target only.
        with ScratchFolder() as folder:
            made = Path(folder) / "code.cubin"
            made.write_bytes(self._cubin(code, (*OPTIONS, *options, f"-arch={target}")))
            module = self.cp.RawModule(path=str(made))
            module.compile()
        return module

    def _cubin(self, code: str, options: tuple[str, ...]) -> bytes:
        """Compile with CuPy's NVRTC. Raises CuPy's CompileException with the log."""
        nvrtc = self.cp.cuda.nvrtc
        program = nvrtc.createProgram(code, "kernel.cu", (), ())
        try:
            nvrtc.compileProgram(program, options)
            return bytes(nvrtc.getCUBIN(program))
        except nvrtc.NVRTCError:
            log = nvrtc.getProgramLog(program)
            raise self.cp.cuda.compiler.CompileException(log, code, "kernel.cu", options, "nvrtc") from None
        finally:
            nvrtc.destroyProgram(program)

    def _kernel(self, module: Any, name: str) -> Any | None:
        """Return the kernel of this name, or None if the module has none. The first call compiles."""
        try:
            return module.get_function(name)
        except self.cp.cuda.driver.CUDADriverError as e:
            if "NOT_FOUND" in str(e):
                return None
            raise

    def _argument(self, name: str, at: str) -> Any:
        arrays = {**self.data, **self.out, **self.scratch}
        if name in arrays:
            return arrays[name]
        if name in self.scalars:
            return self.scalars[name]
        if name in self.sizes:
            return np.int32(self.sizes[name])
        if name in self.maps:
            return encoded(self.maps[name], arrays[self.maps[name].array], self.card.cc)
        if _WHOLE.fullmatch(name):
            if not -(2**31) <= int(name) < 2**31:
                raise UsageError(f"{at}: {name} does not fit into an int: a number in a launch line is passed as one")
            return np.int32(int(name))
        known = ", ".join([*arrays, *self.scalars, *self.sizes, *self.maps])
        raise UsageError(f"{at}: no argument is called {name!r}; known: {known}")

    def _cuda(self, source: Path, vary: Variation) -> Step:
        launches, constants = read_lines(source.read_text(encoding="utf-8"), source.name)
        cap = () if vary.registers is None else (f"--maxrregcount={vary.registers}",)
        words = launch_words(self.card, self.sizes)
        forms = [shape(line, words, source.name, vary.block) for line in launches]
        args = [tuple(self._argument(a, f"{source.name}:{line.line}") for a in line.args) for line in launches]
        module = self._module(source, cap)
        kernels = [self._found(module, line, source) for line in launches]
        for constant in constants:
            values = {**self.data, **self.out, **self.scratch}.get(constant.array)
            if values is None:
                raise UsageError(f"{source.name}:{constant.line}: no array is called {constant.array!r}")
            pointer = module.get_global(constant.symbol)
            self.cp.ndarray(values.shape, values.dtype, pointer)[...] = values
        for line, kernel, form in zip(launches, kernels, forms, strict=True):
            most = max(f.shared for other, f in zip(launches, forms, strict=True) if other.kernel == line.kernel)
            self._allow(kernel, form, most, vary, f"{source.name}:{line.line}")
        runs = list(zip(kernels, forms, args, strict=True))

        def run() -> None:
            for kernel, form, given in runs:
                kernel(form.grid, form.block, given, shared_mem=form.shared)
                self._launched()

        known = {line.kernel: _facts(line.kernel, k) for line, k in zip(launches, kernels, strict=True)}
        return Step(run, tuple(known.values()), len(runs))

    def _found(self, module: Any, line: LaunchLine, source: Path) -> Any:
        kernel = self._kernel(module, line.kernel)
        if kernel is None:
            raise UsageError(
                f"{source.name}:{line.line}: the file has no kernel {line.kernel!r}:"
                f' kernels are written `extern "C" __global__ void {line.kernel}(…)`'
            )
        return kernel

    def _allow(self, kernel: Any, form: Shape, shared: int, vary: Variation, at: str) -> None:
        """Set the attributes that a launch needs. Raises UsageError if the GPU or the kernel does not support them.

        shared: dynamic shared memory in bytes of the largest launch of this kernel.
        """
        threads, static = math.prod(form.block), int(kernel.shared_size_bytes)
        if threads > kernel.max_threads_per_block:
            raise UsageError(
                f"{at}: a block of {threads} threads does not fit: this kernel can be launched with at most"
                f" {kernel.max_threads_per_block}, for its registers or its __launch_bounds__"
            )
        if shared + static > self.card.shared_per_block:
            raise UsageError(
                f"{at}: {shared + static} bytes of shared memory per block, {static} of them static:"
                f" this GPU has {self.card.shared_per_block} at most"
            )
        if shared + static > _SHARED_UNASKED:
            kernel.max_dynamic_shared_size_bytes = shared
        if vary.carveout is not None:
            kernel.preferred_shared_memory_carveout = vary.carveout

    def _python(self, source: Path, extra: tuple[Path, ...]) -> Step:
        spec = importlib.util.spec_from_file_location("advisor_step", source)
        if spec is None or spec.loader is None:
            raise KnowledgeError(f"{source}:1: cannot be loaded")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        modules = [self._module(path) for path in extra]
        asked: dict[str, Kernel] = {}

        def kernel(name: str) -> Any:
            for m in modules:
                found = self._kernel(m, name)
                if found is not None:
                    asked[name] = _facts(name, found)
                    return _Counted(found, self._launched)
            raise UsageError(f"{source.name}: no kernel is called {name!r}")

        arrays = {**self.out, **self.scratch}
        run: Callable[[], None] = module.prepare(self.cp, self.data, arrays, self.sizes, kernel)
        return Step(run, tuple(asked.values()), None, getattr(run, "profiled", None))

    def poison(self) -> None:
        """Fill outputs and scratch with a value that no kernel writes (NaN or 0xA5), and ZEROED arrays with 0."""
        for name, array in {**self.out, **self.scratch}.items():
            if name in self.zeroed:
                array.fill(0)
            else:
                poison(array)

    def _zero(self) -> None:
        for name in self.zeroed:
            {**self.out, **self.scratch}[name].fill(0)

    def expected(self) -> dict[str, Any]:
        """Return the reference, which is computed once, before any kernel runs on the inputs."""
        if self._expected is None:
            self._sums = self._checksums()
            self._expected = dict(self.case.reference(self.cp, self.data, self.sizes))
        return self._expected

    def _checksums(self) -> dict[str, tuple[int, ...]]:
        """Sum every seventh byte of each input; the sums also change if elements only trade places."""
        return {
            name: tuple(int(array.ravel().view(np.uint8)[i::_APART].sum(dtype=np.uint64)) for i in range(_APART))
            for name, array in self.data.items()
            if hasattr(array, "dtype") and array.dtype.kind in "fiucb"
        }

    def changed(self) -> tuple[str, ...]:
        """Return the inputs that changed since the first check."""
        return tuple(name for name, value in self._checksums().items() if self._sums.get(name, value) != value)

    def check(self, run: Callable[[], None]) -> Mismatch | None:
        """Run once on poisoned outputs and compare with the reference; return None if every output is right."""
        expected = self.expected()
        self.poison()
        run()
        self.cp.cuda.Device().synchronize()
        part = getattr(self.case, "checked", None)
        got = part(self.out, self.sizes) if part is not None else self.out
        for name, right in expected.items():
            wrong = compare(self.cp, name, got[name], right, self.case.TOLERANCES[name], name not in self.zeroed)
            if wrong is not None:
                return wrong
        return None

    def time(
        self,
        run: Callable[[], None],
        runs: int = 20,
        budget_s: float = 20.0,
        clock: Callable[[], float] = time.perf_counter,
    ) -> list[float]:
        """Time `runs` runs in ns with a pair of events each; before each run, other data fills the L2 cache.

        Do fewer runs, but at least five, if all would take more than `budget_s` seconds.
        """
        begin = clock()
        self._once(run)
        while clock() - begin < _WARM_S:
            self._once(run)
        times: list[float] = []
        begin = clock()
        while len(times) < runs and (len(times) < _FEWEST or clock() - begin < budget_s):
            times.append(self._once(run))
        return times

    def _once(self, run: Callable[[], None]) -> float:
        cp = self.cp
        if self._flush is None:
            self._flush = cp.zeros(max(2 * self.card.l2, 1 << 24) // 4, np.float32)
        self._zero()
        self._flush.sum()
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        run()
        end.record()
        end.synchronize()
        return float(cp.cuda.get_elapsed_time(start, end)) * 1e6

    def warm(self, run: Callable[[], None]) -> None:
        """Run once on poisoned outputs and wait for the end."""
        self.poison()
        run()
        self.cp.cuda.Device().synchronize()

    def profile(self, step: Step, launches: int) -> int | None:
        """Run once for a profiler that waits for `cudaProfilerStart`; call `warm` first.

        Return the number of launches that the profiler saw: at most `launches`, None if launches cannot be counted.
        """
        profiler = self.cp.cuda.profiler
        self._zero()
        self.cp.cuda.Device().synchronize()
        profiler.start()
        self._left = launches
        try:
            (step.profiled or step)()
            self.cp.cuda.Device().synchronize()
            left = self._left
        finally:
            profiler.stop()
            self._left = None
        return launches - max(left, 0) if step.launches is not None else None

    def _launched(self) -> None:
        """Stop the profiler after the last launch to profile; called after each launch of a step."""
        if self._left is not None:
            self._left -= 1
            if self._left == 0:
                self.cp.cuda.Device().synchronize()
                self.cp.cuda.profiler.stop()


def _facts(name: str, kernel: Any) -> Kernel:
    """Return what the driver reports about a kernel."""
    return Kernel(name, int(kernel.num_regs), int(kernel.local_size_bytes), int(kernel.shared_size_bytes))


def poison_byte(dtype: Any) -> int:
    """Return the byte that fills an array of this type before a run."""
    return _POISON.get(np.dtype(dtype).kind, _OTHER_POISON)


def poison(array: Any) -> None:
    """Fill a contiguous array with a value that no kernel writes: a NaN, or bytes of 0xA5."""
    array.view(np.uint8).fill(poison_byte(array.dtype))


def _bad(have: Any, want: Any, tolerance: Tolerance) -> Any:
    if have.dtype.kind in "fc" or want.dtype.kind in "fc":
        wide = np.complex128 if "c" in (have.dtype.kind, want.dtype.kind) else np.float64
        have, want = have.astype(wide), want.astype(wide)
    elif tolerance.absolute == tolerance.relative == 0:
        return have != want
    else:
        have, want = have.astype(np.int64), want.astype(np.int64)
    return ~(abs(have - want) <= tolerance.absolute + tolerance.relative * abs(want))


def compare(cp: Any, name: str, have: Any, want: Any, tolerance: Tolerance, poisoned: bool) -> Mismatch | None:
    """Return None if every element is within the tolerance. Raises KnowledgeError if the shapes differ.

    poisoned: whether the output was poisoned first, so that elements that were never written are detected.
    """
    want = cp.asarray(want)
    if tuple(have.shape) != tuple(want.shape):
        raise KnowledgeError(f"the reference of {name!r} has the shape {want.shape}, the output {have.shape}")
    flat_have, flat_want = have.ravel(), want.ravel()
    size, wrong, first = int(flat_have.size), 0, -1
    for at in range(0, size, PIECE):
        bad = _bad(flat_have[at : at + PIECE], flat_want[at : at + PIECE], tolerance)
        count = int(bad.sum())
        if count and first < 0:
            first = at + int(bad.argmax())
        wrong += count
    if not wrong:
        return None
    element = flat_have[first : first + 1]
    left = poisoned and bool((element.view(np.uint8) == poison_byte(have.dtype)).all())
    index = tuple(int(i) for i in np.unravel_index(first, have.shape))
    expected, got = (_number(a[first].item()) for a in (flat_want, flat_have))
    return Mismatch(name, index, expected, got, wrong, size, left)


def _number(value: Any) -> float:
    return abs(value) if isinstance(value, complex) else float(value)
