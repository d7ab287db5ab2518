"""Compile a source without a GPU or driver: report errors by line, registers, spills and shared memory.

Try NVRTC (extra `compile`) first, then nvcc on the PATH. Nothing runs: correctness and time are unknown (`NOT_DONE`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path

from msgspec import Struct

from advisor.emulator.compile import headers, target_of
from advisor.practice.launchlines import read_lines
from advisor.practice.tasks import line_directive
from advisor.profiling.failures import Failure, Remark, compile_failure, remarks
from advisor.readers import ptxas
from advisor.records.child import end_group
from advisor.records.errors import InputError, UsageError
from advisor.records.quantities import counted

ARCHITECTURES = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
NOT_DONE = "compiled only: result and time were not checked; that needs an NVIDIA GPU"
_OPTIONS = ("-std=c++17", "-lineinfo")
_LIMIT_S = 300.0
# Takes source text, its name in messages, architecture and whether to skip optimisation; returns success and the log.
Compiler = Callable[[str, str, str, bool], tuple[bool, str]]
_LINES = re.compile(r"^\s*//\s*launch\s*:", re.MULTILINE)
_QUICK = "--Ofast-compile=max"


class Kernel(Struct, frozen=True):
    """A compiled kernel: registers, stack and spill bytes per thread; static shared memory per block in bytes.

    A value is None if the compiler did not report it.
    """

    name: str
    registers: int | None
    stack_bytes: int | None
    spill_bytes: int | None
    shared_bytes: int | None


class Build(Struct, frozen=True):
    """A source compiled for one architecture: its kernels, or the failure, and the compiler's warnings."""

    source: Path
    arch: str
    compiler: str
    kernels: tuple[Kernel, ...] = ()
    warnings: tuple[Remark, ...] = ()
    failure: Failure | None = None


@lru_cache(maxsize=1)
def nvrtc() -> Compiler | None:
    """Return NVRTC through NVIDIA's bindings, in this process, or None if it is not installed."""
    try:
        from cuda.bindings import nvrtc as lib

        lib.nvrtcVersion()
    except Exception:  # It or its library is not installed; the bindings raise several kinds of exceptions.
        return None
    includes = tuple(f"-I{path}" for path in headers())

    def compiled(text: str, name: str, arch: str, quick: bool) -> tuple[bool, str]:
        hurry = (_QUICK,) if quick else ()
        options = [o.encode() for o in (*_OPTIONS, *hurry, f"-arch={arch}", "--ptxas-options=-v", *includes)]
        _, program = lib.nvrtcCreateProgram(_bytes(text), _bytes(name), 0, [], [])
        try:
            (status,) = lib.nvrtcCompileProgram(program, len(options), options)
            _, size = lib.nvrtcGetProgramLogSize(program)
            log = b" " * size
            lib.nvrtcGetProgramLog(program, log)
        finally:
            lib.nvrtcDestroyProgram(program)
        said = log.rstrip(b"\0 ").decode("utf-8", "replace")
        if quick and status == lib.nvrtcResult.NVRTC_ERROR_INVALID_OPTION:
            return compiled(text, name, arch, False)  # an older NVRTC, or one that does not know the architecture
        if status == lib.nvrtcResult.NVRTC_ERROR_INVALID_OPTION:
            said = said or f"this NVRTC does not support {arch}"
        return status == lib.nvrtcResult.NVRTC_SUCCESS, said

    return compiled


def nvcc() -> Compiler | None:
    """Return nvcc as a child process, or None if it is not on the PATH."""
    program = shutil.which("nvcc")
    if program is None:
        return None

    def compiled(text: str, name: str, arch: str, quick: bool) -> tuple[bool, str]:
        command = [program, "-cubin", f"-arch={arch}", *_OPTIONS, "-Xptxas", "-v", "-x", "cu", "-", "-o", "/dev/null"]
        return _fed(command, text)

    return compiled


def _fed(command: Sequence[str], text: str) -> tuple[bool, str]:
    """Run a command that reads `text`; return whether it succeeded, and its output.

    Raises subprocess.TimeoutExpired after the limit. The programs that nvcc starts are in its process group and end
    with it, also on Ctrl-C.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=os.name == "posix") as child:
        try:
            out, errors = child.communicate(_bytes(text), timeout=_LIMIT_S)
        except BaseException:
            end_group(child)
            raise
    return child.returncode == 0, (errors + out).decode("utf-8", "replace")


def _bytes(text: str) -> bytes:
    """Encode text as UTF-8 in any locale; keep the bytes of a path that are not valid UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def compiler() -> tuple[str, Compiler] | None:
    """Return the name of the installed compiler and the compiler, or None if there is none."""
    for name, found in (("NVRTC", nvrtc()), ("nvcc", nvcc())):
        if found is not None:
            return name, found
    return None


MISSING = Failure(
    "no_compiler", "no CUDA compiler is installed: `pip install cuda-bindings 'cuda-toolkit[cccl,crt,cudart,nvrtc]'`"
)


def compile_source(
    source: Path,
    arch: str = "sm_90",
    using: tuple[str, Compiler] | None = None,
    quick: bool = False,
    lines: bool = True,
) -> Build:
    """Compile a .cu file for an architecture (`sm_90`); compile errors are in the build's failure.

    Raises InputError if the source cannot be read. quick: do not optimise, if possible; registers and spills are then
    None, because they would differ. lines: whether launch lines are required; False if Python launches the kernels.
    """
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as e:
        raise InputError(f"{source}: cannot be read: {e.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{source}: not UTF-8 text") from None
    found = using or compiler()
    if found is None:
        return Build(source, arch, "", failure=MISSING)
    name, compiled = found
    try:
        good, log = compiled(f"{line_directive(source)}\n{text}", str(source), target_of(text, arch), quick)
    except subprocess.TimeoutExpired:
        words = f"{source.name}: the compiler did not finish within {_LIMIT_S:.0f} s"
        return Build(source, arch, name, failure=Failure("compile", words))
    said = remarks(log)
    if not good:
        return Build(source, arch, name, failure=compile_failure(log, str(source)))
    kernels = tuple(_kernel(k, quick) for k in ptxas.parse(log.splitlines()))
    wanted = lines or _LINES.search(text) is not None
    return Build(source, arch, name, kernels, said, _launch_line(source, text, kernels) if wanted else None)


def _kernel(k: ptxas.Compiled, quick: bool) -> Kernel:
    if quick:
        return Kernel(k.name, None, None, None, k.shared_bytes)
    spills = None if k.spill_store_bytes is None else k.spill_store_bytes + (k.spill_load_bytes or 0)
    return Kernel(k.name, k.registers, k.stack_bytes, spills, k.shared_bytes)


def _launch_line(source: Path, text: str, kernels: Sequence[Kernel]) -> Failure | None:
    """Return the first launch line error that shows without sizes: its syntax, or the name of a kernel."""
    try:
        launches, _ = read_lines(text, source.name)
    except UsageError as e:
        return Failure("launch_line", str(e))
    names = {k.name for k in kernels}
    for line in launches:
        if line.kernel not in names:
            words = (
                f"{source.name}:{line.line}: the file has no kernel {line.kernel!r}: it has {', '.join(sorted(names))}"
            )
            return Failure("launch_line", words)
    return None


def _one(job: tuple[Path, str]) -> Build:
    source, arch = job
    try:
        return compile_source(source, arch, quick=True, lines=False)
    except InputError as e:
        return Build(source, arch, "", failure=Failure("source", str(e)))


def compile_all(
    sources: Iterable[Path],
    archs: Sequence[str] = ARCHITECTURES,
    processes: int = 2,
    done: Callable[[Build], None] | None = None,
) -> tuple[Build, ...]:
    """Compile every source for every architecture without optimising, in order; call `done` after each build."""
    jobs = [(source, arch) for source in sources for arch in archs]
    if not jobs:
        return ()
    builds = []
    # spawn, not fork: a fork copies locks that other threads hold
    with ProcessPoolExecutor(max_workers=processes, mp_context=get_context("spawn")) as pool:
        for build in pool.map(_one, jobs, chunksize=4):
            if done is not None:
                done(build)
            builds.append(build)
    return tuple(builds)


def summary(builds: Sequence[Build]) -> str:
    """Summarise builds for one architecture in a line of the log: registers and spills per kernel, or the failure."""
    said = []
    for build in builds:
        if build.failure is not None:
            said.append(build.failure.words)
            continue
        for k in build.kernels:
            spills = f", {counted(k.spill_bytes, 'byte')} of spills" if k.spill_bytes else ""
            said.append(f"{k.name}: {counted(k.registers, 'register')}{spills}" if k.registers is not None else k.name)
    return f"{builds[0].arch}: {'; '.join(said)}"
