"""Failures of a running exercise, each with its message. Uses only the standard library."""

from __future__ import annotations

import re
from pathlib import Path

from advisor.profiling.failures import Failure, Remark, compile_failure
from advisor.records.errors import KnowledgeError, UsageError

# After these failures, including unknown CUDA errors, the CUDA context is unusable: continuing in it
# would blame the next step.
DEAD = frozenset(
    {
        "illegal_address",
        "misaligned_address",
        "illegal_instruction",
        "assertion",
        "stack_overflow",
        "launch_failed",
        "cuda",
    }
)


_NO_GPU = "no NVIDIA GPU can be used here: `nvidia-smi` should list one, and CUDA_VISIBLE_DEVICES must not hide it"
_NO_DRIVER = "no NVIDIA driver is installed here, or it does not run: run `nvidia-smi` for details"
_INSTALL = "`pip install '.[cuda13]'` in the project's folder, or '.[cuda12]' where `nvidia-smi` shows CUDA 12"
_CUDA_WORDS: tuple[tuple[str, str, str], ...] = (
    (
        r"ILLEGAL_ADDRESS|IllegalAddress|INVALID_ADDRESS_SPACE|InvalidAddressSpace",
        "illegal_address",
        "a thread read or wrote outside the arrays: check indices against the array's length (`if (i < n)`)",
    ),
    (
        r"MISALIGNED_ADDRESS|MisalignedAddress",
        "misaligned_address",
        "a thread used an address that is not a multiple of the access size: a float4 needs a multiple of 16 bytes",
    ),
    (
        r"ILLEGAL_INSTRUCTION|IllegalInstruction",
        "illegal_instruction",
        "the GPU reached an instruction that it cannot execute (`__trap()`, or code for another architecture)",
    ),
    (r"_ASSERT|ErrorAssert", "assertion", "an assert() in the kernel failed"),
    (
        r"HARDWARE_STACK|HardwareStackError|INVALID_PC|InvalidPc",
        "stack_overflow",
        "a thread's call stack overflowed or was overwritten: look for recursion and for writes outside local arrays",
    ),
    (
        r"LAUNCH_OUT_OF_RESOURCES|LaunchOutOfResources",
        "out_of_resources",
        "the block does not fit on an SM: it needs too many registers or too much shared memory;"
        " launch smaller blocks or bound the registers with __launch_bounds__",
    ),
    (
        r"LAUNCH_TIMEOUT|LaunchTimeout",
        "never_ends",
        "the driver stopped the kernel because it ran too long: look for an endless loop",
    ),
    (
        r"LAUNCH_FAILED|LaunchFailure|ExternalDevice",
        "launch_failed",
        "the GPU aborted the kernel: an access outside shared memory or through an invalid pointer",
    ),
    (
        r"INVALID_VALUE|InvalidValue|InvalidConfiguration",
        "wrong_launch",
        "the driver rejects this launch: check grid, block and shared memory of the launch line",
    ),
    (
        r"NO_BINARY_FOR_GPU|NoKernelImageForDevice|INVALID_PTX|InvalidPtx|UNSUPPORTED_PTX_VERSION|UnsupportedPtx",
        "wrong_cupy",
        "the driver cannot load what this CuPy compiles: it is too old for CuPy's CUDA version;"
        " update the driver, or install the CuPy of an older CUDA (`pip install cupy-cuda12x`)",
    ),
    (r"NO_DEVICE|NoDevice|InvalidDevice|INVALID_DEVICE", "no_gpu", _NO_GPU),
    (
        r"InsufficientDriver|SYSTEM_DRIVER_MISMATCH|SystemDriverMismatch|CompatNotSupported",
        "old_driver",
        "the NVIDIA driver is too old for this CuPy: update it, or install the CuPy of an older CUDA"
        " (`pip install cupy-cuda12x`)",
    ),
    (r"OUT_OF_MEMORY|MemoryAllocation", "out_of_memory", ""),
)
_MEMORY_WORDS = (
    "the GPU has too little free memory: end other programs that use it (`nvidia-smi` lists them) and run this again"
)


def of_exception(error: BaseException, source: str) -> Failure:
    """Convert an exception of CuPy, of a case or of a launch line to a failure. source: the file that ran."""
    name, text = type(error).__name__, str(error)
    detail = f"{name}: {text}"
    if name == "CompileException":
        return compile_failure(text, source)
    if name == "OutOfMemoryError":
        return Failure("out_of_memory", _MEMORY_WORDS, detail=detail)
    if isinstance(error, UsageError):
        return Failure("launch_line", text, detail=detail)
    if isinstance(error, KnowledgeError):
        return Failure("case", text, detail=detail)
    if name in ("CUDARuntimeError", "CUDADriverError"):
        for pattern, kind, words in _CUDA_WORDS:
            if re.search(pattern, text):
                return Failure(kind, f"{Path(source).name}: {words or _MEMORY_WORDS}", detail=detail)
        return Failure("cuda", f"{Path(source).name}: CUDA reports: {text}", detail=detail)
    if name == "NVRTCError":
        return Failure("compile", f"{Path(source).name}: the compiler failed: {text}", detail=detail)
    said, line = f"{name}: {text}".splitlines()[0], _line(error, source)
    if line is None:
        return Failure("case", f"{Path(source).name}: {said}", detail=detail)
    remark = Remark(source, line, "error", said)
    return Failure("case", f"{Path(source).name}:{line}: {said}", (remark,), detail)


def _line(error: BaseException, source: str) -> int | None:
    """Return the innermost line of a Python step in an exception's traceback, or None if it is not in the step."""
    if isinstance(error, SyntaxError) and error.filename == source:
        return error.lineno
    found, at = None, error.__traceback__
    while at is not None:
        if source.endswith(".py") and at.tb_frame.f_code.co_filename == source:
            found = at.tb_lineno
        at = at.tb_next
    return found


def of_machine(error: BaseException, driver: int) -> Failure:
    """Return the failure of CuPy without a usable GPU. driver: its CUDA version, 0 if no driver is installed.

    Without any driver, CUDA reports that the driver is too old.
    """
    name, text = type(error).__name__, str(error)
    detail = f"{name}: {text}"
    if driver == 0:
        return Failure("no_gpu", _NO_DRIVER, detail=detail)
    for pattern, kind, words in _CUDA_WORDS:
        if re.search(pattern, text):
            return Failure(kind, words or _MEMORY_WORDS, detail=detail)
    return Failure("no_gpu", f"the GPU cannot be used: {text.splitlines()[0] if text else name}", detail=detail)


def of_import(error: BaseException, devices: int | None) -> Failure:
    """Return the failure of importing CuPy: it is not installed, or is for another CUDA version.

    devices: the number of usable GPUs (`driver.devices`). Report a missing GPU first, because CuPy would not help.
    """
    text = " ".join(str(error).split())
    missing = getattr(error, "name", None) or ""
    if isinstance(error, ModuleNotFoundError) and missing.split(".")[0] == "numpy":
        return Failure("no_numpy", "NumPy is not installed: `pip install numpy`", detail=text)
    if isinstance(error, ModuleNotFoundError) and missing.split(".")[0] == "cupy" and "." not in missing:
        if not devices:
            lacks = _NO_DRIVER if devices is None else _NO_GPU
            return Failure("no_gpu", f"{lacks}; with a GPU, CuPy is needed too: {_INSTALL}", detail=text)
        return Failure("no_cupy", f"CuPy is not installed: {_INSTALL}", detail=text)
    return Failure(
        "wrong_cupy",
        "CuPy is installed but cannot be imported, most likely because it is for another CUDA version: uninstall it,"
        " then `pip install cupy-cuda12x` or `cupy-cuda13x`, whichever CUDA `nvidia-smi` shows",
        detail=text,
    )
