"""A kernel from the compiler runs as written: results, constants, calls, and counts against a recorded report."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from advisor.emulator.compile import compile_cubin
from advisor.emulator.cubin import kernels, read_cubin
from advisor.emulator.launch import Pointer
from advisor.emulator.program import RefusedError
from tests.emulator.tools import needs_tools

SOURCE = r"""
__constant__ float table[4];
__device__ int counter;
__device__ float other[3] = {1.5f, 2.f, 3.f};
__device__ __noinline__ float slow(float a, float b) { return a / b + sqrtf(a); }
extern "C" __global__ void mixed(float* x, const float* y, int n) {
  __shared__ float s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x & 63] = y[i];
  __syncthreads();
  if (i < n) {
    float v = y[i];
    switch (i % 7) {
      case 0: v = slow(v, 2); break;
      case 1: v = v * table[i & 3]; break;
      case 2: v = sinf(v); break;
      case 3: v = other[i % 3]; break;
      case 4: v += i; break;
      case 5: v = expf(v); break;
    }
    x[i] = v + s[63 - (threadIdx.x & 63)];
    atomicAdd(&counter, 1);
  }
}
extern "C" __global__ void sums(const double* x, double* y, long long n) {
  double total = 0;
  for (long long i = threadIdx.x; i < n; i += blockDim.x) total += x[i] / (1.0 + i);
  for (int step = 16; step; step >>= 1) total += __shfl_down_sync(~0u, total, step);
  if (threadIdx.x % 32 == 0) atomicAdd(y, total);
}
"""


def run(
    kernel: str, arch: str, arrays: dict[str, Any], arguments: tuple[Any, ...], grid: int, block: int, **more: Any
) -> dict[str, Any]:
    from advisor.emulator.check import run_whole
    from advisor.emulator.counts import Problem
    from advisor.practice.emulated import fill_of

    program = read_cubin(compile_cubin(SOURCE, "mixed.cu", arch), kernel)
    problem = Problem(
        program, (grid, 1, 1), (block, 1, 1), arguments, {n: (a.nbytes, fill_of(a)) for n, a in arrays.items()}, **more
    )
    done = run_whole(problem)
    found = {n: done.memory.content(n).view(a.dtype).copy() for n, a in arrays.items()}
    for name in program.variables:
        found[name] = done.memory.content(name).copy()
    return found


@needs_tools
@pytest.mark.parametrize("arch", ["sm_80", "sm_86", "sm_89", "sm_90"])
def test_branches_calls_constants_and_variables(arch: str) -> None:
    n = 500
    y = np.random.default_rng(1).random(512, dtype=np.float32)
    table = np.array([1, 2, 3, 4], np.float32)
    found = run(
        "mixed",
        arch,
        {"x": np.zeros(512, np.float32), "y": y},
        (Pointer("x"), Pointer("y"), np.int32(n)),
        4,
        128,
        constants={"table": table.tobytes},
    )
    i = np.arange(512)
    v, k = y.astype(np.float64), i % 7
    other = np.array([1.5, 2, 3])
    cases = [v / 2 + np.sqrt(v), v * table[i & 3], np.sin(v), other[i % 3], v + i, np.exp(v)]
    expected = np.select([k == j for j in range(6)], cases, v)
    shared = np.stack([y[b * 128 + 64 : b * 128 + 128] for b in range(4)])
    expected = expected + shared[i // 128, 63 - (i % 64)]
    assert np.abs(found["x"][:n] / expected[:n] - 1).max() < 1e-6
    assert (found["x"][n:] == 0).all()
    assert found["counter"].view(np.int32)[0] == n


@needs_tools
def test_doubles_with_divisions_shuffles_and_atomics() -> None:
    x = np.random.default_rng(2).random(200)
    found = run("sums", "sm_90", {"x": x, "y": np.zeros(1)}, (Pointer("x"), Pointer("y"), np.int64(200)), 1, 64)
    assert abs(found["y"][0] - (x / (1 + np.arange(200))).sum()) < 1e-13


@needs_tools
def test_a_kernel_that_is_not_there_is_named() -> None:
    cubin = compile_cubin(SOURCE, "mixed.cu", "sm_90")
    assert set(kernels(cubin)) == {"mixed", "sums"}
    with pytest.raises(RefusedError, match="no kernel 'absent'"):
        read_cubin(cubin, "absent")


@needs_tools
def test_errors_of_the_compiler_are_one_line() -> None:
    with pytest.raises(RefusedError, match=r"mixed\.cu:1"):
        compile_cubin("__global__ void k() { wrong }", "mixed.cu", "sm_90")


@needs_tools
def test_a_damaged_cubin_is_refused() -> None:
    cubin = compile_cubin(SOURCE, "mixed.cu", "sm_90")
    rng = np.random.default_rng(3)
    for _ in range(12):
        bad = bytearray(cubin[: int(rng.integers(64, len(cubin)))])
        for place in rng.integers(0, len(bad), 20):
            bad[int(place)] = int(rng.integers(0, 256))
        try:
            read_cubin(bytes(bad), "mixed")
        except RefusedError as e:
            assert "\n" not in str(e)


def test_no_cubin_at_all_is_refused() -> None:
    for data in (b"", b"\x7fELF", bytes(200)):
        with pytest.raises(RefusedError):
            kernels(data)


def test_without_nvdisasm_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from advisor.emulator import cubin

    monkeypatch.setattr(cubin, "nvdisasm", lambda: None)
    with pytest.raises(RefusedError, match="pip install"):
        cubin.disassemble(b"")


@needs_tools
def test_kernels_of_many_kinds_are_not_refused() -> None:
    """Every eighth of the forty in tests/bench/emulated."""
    from advisor.emulator.counts import Problem, count
    from advisor.practice.emulated import fill_of
    from tests.bench.emulated.launches import COUNT, launches
    from tests.bench.emulated.launches import SOURCE as KERNELS

    x = np.random.default_rng(1).random(COUNT, dtype=np.float32)
    cubin = compile_cubin(KERNELS.read_text(encoding="utf-8"), str(KERNELS), "sm_90")
    found = launches()
    assert len(found) == 40
    for one in found[::8]:
        arrays = {"x": (4 * COUNT, fill_of(x)), "y": (4 * COUNT, None)}
        arguments = (Pointer("x"), Pointer("y"), np.int32(one.n))
        count(Problem(read_cubin(cubin, one.kernel), one.grid, one.block, arguments, arrays, one.shared))
