"""A CuPy that needs no GPU: arrays are NumPy's, kernels do what a comment of their source says in Python.

    // python copy: args[1][:] = args[0]     what the kernel `copy` does; grid, block, shared, np, errors are at hand
    // microseconds copy: 12.5               what a launch of it takes on the stand-in's clock (10 if nothing is said)
    // compiler: error: "y" is undefined     the file does not compile: an NVRTC message at this very line

The environment says how the machine is: STANDIN_CUPY=no_gpu, no_driver, old_driver, other_cuda;
STANDIN_MEMORY=bytes of the GPU.
STANDIN_LOG names a file that gets a line for each thing that a profiler would see.
"""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from . import cuda as cuda
from . import random as random

if os.environ.get("STANDIN_CUPY") == "other_cuda":
    raise ImportError("libcudart.so.13: cannot open shared object file: No such file or directory")

__version__ = "14.2.0"
_LINE = re.compile(r'^#line (\d+) "(.*)"$')


def __getattr__(name: str) -> Any:
    return getattr(np, name)


def zeros(shape: Any, dtype: Any = float) -> Any:
    made = np.zeros(shape, dtype)
    cuda.take(made.nbytes)
    return made


def empty(shape: Any, dtype: Any = float) -> Any:
    return zeros(shape, dtype)


def ndarray(shape: Any, dtype: Any, pointer: Any) -> Any:
    return pointer.reshape(shape)


class _Pool:
    def free_all_blocks(self) -> None:
        cuda.log("free")


def get_default_memory_pool() -> _Pool:
    return _Pool()


def get_default_pinned_memory_pool() -> _Pool:
    return _Pool()


class RawModule:
    """Compiles at the first `get_function`, as CuPy does."""

    def __init__(self, code: str, options: tuple[str, ...] = ()) -> None:
        self.code, self.options = code, options
        self.name, self.first = "<string>", 1
        rows = code.splitlines()
        match = _LINE.match(rows[0])
        if match:
            self.first, self.name, rows = int(match[1]), match[2], rows[1:]
        self.rows = rows

    def get_function(self, name: str) -> Any:
        messages = [
            f"{self.name}({self.first + i}): {row.split('// compiler:', 1)[1].strip()}\n    {row.strip()}\n    ^\n"
            for i, row in enumerate(self.rows)
            if "// compiler:" in row
        ]
        if messages:
            text = "\n".join(messages) + f'\n{len(messages)} errors detected in the compilation of "{self.name}".\n'
            raise cuda.compiler.CompileException(text)
        if not re.search(rf"__global__\s+void\s+(__launch_bounds__\(.*?\)\s*)?{name}\s*\(", self.code):
            raise cuda.driver.CUDADriverError(500, "CUDA_ERROR_NOT_FOUND: named symbol not found")
        said = re.search(rf"^// python {name}: (.*)$", self.code, re.MULTILINE)
        micro = re.search(rf"^// microseconds {name}: (.*)$", self.code, re.MULTILINE)
        made = _Kernel(name, said[1] if said else "pass", micro[1] if micro else "10", self.options)
        bound = re.search(r"__launch_bounds__\((\d+)\)", self.code)
        made.max_threads_per_block = int(bound[1]) if bound else 1024
        return made

    def get_global(self, name: str) -> Any:
        return cuda.constants.setdefault(name, np.zeros(1024, np.float32))[:8]


class _Kernel:
    num_regs, local_size_bytes, shared_size_bytes = 24, 0, 128

    def __init__(self, name: str, python: str, micro: str, options: tuple[str, ...]) -> None:
        self.name, self.python, self.micro = name, compile(python, name, "exec"), micro
        self.max_dynamic_shared_size_bytes, self.preferred_shared_memory_carveout = 48 * 1024, -1
        cap = [int(o.partition("=")[2]) for o in options if o.startswith("--maxrregcount=")]
        self.num_regs = min(cap[0], 24) if cap else 24
        self.max_threads_per_block = 1024

    def __call__(self, grid: Any, block: Any, args: Any, shared_mem: int = 0) -> None:
        if shared_mem > self.max_dynamic_shared_size_bytes:
            raise cuda.driver.CUDADriverError(1, "CUDA_ERROR_INVALID_VALUE: invalid argument")
        words = {"args": args, "grid": grid, "block": block, "shared": shared_mem, "np": np, "errors": cuda.errors}
        words.update(kernel=self, carveout=self.preferred_shared_memory_carveout, registers=self.num_regs)
        exec(self.python, words)
        cuda.spend(float(eval(self.micro, {**words, "min": min, "max": max, "abs": abs})))
        cuda.log(f"launch {self.name} {grid} {block}")
