"""The parts of cupy.cuda that the bench uses."""

from __future__ import annotations

import os
import types
from pathlib import Path
from typing import Any

_microseconds = 0.0
_taken = 0
_pending: list[Exception] = []
constants: dict[str, Any] = {}


def log(line: str) -> None:
    if "STANDIN_LOG" in os.environ:
        with Path(os.environ["STANDIN_LOG"]).open("a", encoding="utf-8") as f:
            f.write(line + "\n")


def spend(microseconds: float) -> None:
    global _microseconds
    _microseconds += microseconds


def take(size: int) -> None:
    """Memory is never given back: enough for a test of running out."""
    global _taken
    _taken += size
    limit = int(os.environ.get("STANDIN_MEMORY", str(8 << 30)))
    if _taken > limit:
        raise memory.OutOfMemoryError(f"Out of memory allocating {size:,} bytes (allocated so far: {_taken:,} bytes).")


class _CudaError(RuntimeError):
    def __init__(self, status: int, text: str = "") -> None:
        super().__init__(text or f"error {status}")
        self.status = status


class CUDARuntimeError(_CudaError):
    pass


class CUDADriverError(_CudaError):
    pass


class CompileException(Exception):  # noqa: N818 - CuPy's own name
    pass


class OutOfMemoryError(MemoryError):
    pass


CUDARuntimeError.__module__ = "cupy_backends.cuda.api.runtime"
compiler = types.SimpleNamespace(CompileException=CompileException)
memory = types.SimpleNamespace(OutOfMemoryError=OutOfMemoryError)
driver = types.SimpleNamespace(CUDADriverError=CUDADriverError)


class _Errors:
    """What a kernel of a test may do to the machine; what is asynchronous shows at the next synchronisation."""

    def later(self, text: str, status: int = 700) -> None:
        _pending.append(CUDARuntimeError(status, text))

    def driver(self, text: str) -> None:
        raise CUDADriverError(701, text)

    def forever(self) -> None:
        while True:
            pass

    def crash(self) -> None:
        os.abort()


errors = _Errors()


def _device_count() -> int:
    state = os.environ.get("STANDIN_CUPY")
    if state == "no_gpu":
        raise CUDARuntimeError(100, "cudaErrorNoDevice: no CUDA-capable device is detected")
    if state in ("old_driver", "no_driver"):
        raise CUDARuntimeError(
            35, "cudaErrorInsufficientDriver: CUDA driver version is insufficient for CUDA runtime version"
        )
    return 1


runtime = types.SimpleNamespace(
    CUDARuntimeError=CUDARuntimeError,
    getDeviceCount=_device_count,
    getDeviceProperties=lambda device: {
        "name": b"Stand-in GPU",
        "multiProcessorCount": 4,
        "l2CacheSize": 1 << 12,
        "sharedMemPerBlockOptin": 232448,
        "sharedMemPerMultiprocessor": 233472,
    },
    runtimeGetVersion=lambda: 13000,
    driverGetVersion=lambda: 0 if os.environ.get("STANDIN_CUPY") == "no_driver" else 13000,
)


def is_available() -> bool:
    return os.environ.get("STANDIN_CUPY") not in ("no_gpu", "old_driver", "no_driver")


class Device:
    id = 0
    mem_info = (1 << 30, int(os.environ.get("STANDIN_MEMORY", str(8 << 30))))
    compute_capability = "90"

    def synchronize(self) -> None:
        if _pending:
            raise _pending[-1]  # sticky: the context stays broken


class Event:
    def record(self) -> None:
        self.at = _microseconds

    def synchronize(self) -> None:
        Device().synchronize()


def get_elapsed_time(start: Event, end: Event) -> float:
    """Milliseconds."""
    return (end.at - start.at) / 1e3


profiler = types.SimpleNamespace(start=lambda: log("profiler start"), stop=lambda: log("profiler stop"))
nvtx = types.SimpleNamespace(available=True, RangePush=lambda name: log(f"push {name}"), RangePop=lambda: log("pop"))
