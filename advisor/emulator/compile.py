"""Compile CUDA source to a cubin without a GPU: NVRTC of the extra `emulate`, or nvcc on the PATH."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import lru_cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from advisor.emulator.nvrtc import CHILD
from advisor.emulator.program import RefusedError
from advisor.records.child import end_group
from advisor.records.extras import install_text
from advisor.records.scratch import ScratchFolder

INSTALL = f"emulating a source needs a compiler and nvdisasm: {install_text('emulate')}"
OPTIONS = ("-std=c++17", "-lineinfo")
_LIMIT_S = 120.0
_MARK = "\ufeff"
_SPECIFIC = re.compile(r"__CUDA_ARCH_FEAT_SM(\d+)_ALL")  # defined only for a target such as sm_90a
# Takes the text, its name in messages and the architecture; returns the cubin, or None and the log.
Compiler = Callable[[str, str, str, tuple[str, ...]], tuple[bytes | None, str]]


@lru_cache(maxsize=1)
def _nvrtc() -> Compiler | None:
    if find_spec("cuda") is None or not CHILD.starts():
        return None

    def compiled(text: str, name: str, arch: str, options: tuple[str, ...]) -> tuple[bytes | None, str]:
        given = (*OPTIONS, *options, f"-arch={arch}", *(f"-I{folder}" for folder in headers()))
        return CHILD.compile(text, name, arch, given)

    return compiled


def headers() -> tuple[str, ...]:
    """Return the folders of the installed headers of the CUDA toolkit (cuda_fp16.h, mma.h)."""
    try:
        from cuda import pathfinder
    except ImportError:
        return ()
    found = []
    for name in ("cudart", "cccl"):
        try:
            folder = pathfinder.find_nvidia_header_directory(name)
        except Exception:  # The name is unknown or nothing was found, depending on the version.
            continue
        if folder:
            found.append(str(folder))
    return tuple(found)


def _nvcc() -> Compiler | None:
    program = shutil.which("nvcc")
    if program is None:
        return None

    def compiled(text: str, name: str, arch: str, options: tuple[str, ...]) -> tuple[bytes | None, str]:
        with ScratchFolder() as folder:
            out = Path(folder) / "code.cubin"
            command = [program, "-cubin", f"-arch={arch}", *OPTIONS, *options, "-x", "cu", "-", "-o", str(out)]
            with subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=os.name == "posix",
            ) as child:
                try:
                    said, errors = child.communicate(text.encode("utf-8", "surrogateescape"), timeout=_LIMIT_S)
                except BaseException as e:
                    end_group(child)
                    if isinstance(e, subprocess.TimeoutExpired):
                        return None, f"the compiler did not end within {_LIMIT_S:.0f} s"
                    raise
            log = (errors + said).decode("utf-8", "replace")
            return (out.read_bytes(), log) if child.returncode == 0 and out.is_file() else (None, log)

    return compiled


def cubin_compiler() -> Compiler | None:
    """Return the installed compiler, or None."""
    return _nvrtc() or _nvcc()


def compiler_version() -> str:
    """Return what tells one installed compiler from another: the version of NVRTC's package, the file of nvcc."""
    found = ""
    with contextlib.suppress(metadata.PackageNotFoundError):
        found = metadata.version("nvidia-cuda-nvrtc")
    program = shutil.which("nvcc")
    return f"{found} {program} {Path(program).stat().st_mtime_ns if program else ''}"


def target_of(text: str, arch: str) -> str:
    """Return the target to compile a source for: `sm_90a` instead of `sm_90` if it asks for what only that one has.

    A source asks by the macro that the compiler defines for such a target (CUDA C++ Programming Guide, compute
    capabilities, feature-set compiler targets): `#ifdef __CUDA_ARCH_FEAT_SM90_ALL`.
    """
    return f"{arch}a" if arch.removeprefix("sm_") in _SPECIFIC.findall(text) else arch


def compile_cubin(text: str, name: str, arch: str, options: tuple[str, ...] = ()) -> bytes:
    """Compile a source. name: what the line table and messages call it.

    Raises RefusedError in one line: no compiler is installed, or the first error of the compiler with file and line.
    """
    compiler = cubin_compiler()
    if compiler is None:
        raise RefusedError(INSTALL)
    label = name.replace("\\", "\\\\").replace('"', '\\"')
    # A byte order mark is allowed only where the text begins.
    cubin, log = compiler(f'#line 1 "{label}"\n{text.removeprefix(_MARK)}', name, target_of(text, arch), options)
    if cubin is None:
        lines = [line.strip() for line in log.splitlines() if line.strip()]
        first = next((line for line in lines if "error" in line), lines[0] if lines else "the compiler failed")
        raise RefusedError(first.replace("(", ":", 1).replace(")", "", 1)[:300] if "): error" in first else first[:300])
    return cubin
