"""Planted errors of memory and synchronisation: each is found, with its line, its thread and words that name the cause.

The line with the error ends in `// here`. A twin of each kernel without the error raises no alarm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from advisor.emulator.check import run_whole
from advisor.emulator.compile import compile_cubin
from advisor.emulator.counts import Problem
from advisor.emulator.cubin import read_cubin
from advisor.emulator.launch import Argument, Pointer
from advisor.emulator.state import FaultError
from tests.emulator.tools import needs_tools

pytestmark = needs_tools
N = 256


@dataclass(frozen=True)
class Planted:
    """A kernel `k(const float* in, float* out, int n)` with an error, and what mends it: (old, new) texts.

    arrays: floats of `in` and `out`; arguments, given: what replaces the three arguments, in the twin too.
    """

    kind: str
    words: str
    source: str
    mend: tuple[tuple[str, str], ...]
    grid: int = 1
    block: int = N
    floats: tuple[int, int] = (N, N)
    n: int = N
    shared: int = 0
    arguments: tuple[Argument, ...] | None = None
    mended_arguments: tuple[Argument, ...] | None = None
    mended_shared: int | None = None


HEAD = """
#define I (blockIdx.x * blockDim.x + threadIdx.x)
__constant__ float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
extern "C" __global__ void k(const float* in, float* out, int n) {
  int i = I, t = threadIdx.x;
"""

PLANTED = {
    "read past the end": Planted(
        "out_of_bounds",
        "block (3, 0, 0), thread (63, 0, 0): a load of 4 bytes",
        "if (i < n) out[i] = in[i + 1];  // here",
        (("i + 1", "i"),),
        grid=4,
        block=64,
    ),
    "off by one in the tail block": Planted(
        "out_of_bounds",
        "0 bytes after the end of `out`, which has 800 bytes",
        "if (i <= n) out[i] = 1.f;  // here",
        (("<=", "<"),),
        grid=4,
        block=64,
        floats=(200, 200),
        n=200,
    ),
    "wrong size argument": Planted(
        "out_of_bounds",
        "after the end of `in`, which has 400 bytes",
        "if (i < n) out[i] = in[i];  // here",
        (),
        floats=(100, N),
        mended_arguments=(Pointer("in"), Pointer("out"), np.int32(100)),
    ),
    "negative index": Planted(
        "out_of_bounds",
        "4 bytes before `in`",
        "out[i] = in[i - 1];  // here",
        (("i - 1", "max(i - 1, 0)"),),
    ),
    "null pointer": Planted(
        "out_of_bounds",
        "a null pointer",
        "out[i] = in[i];  // here",
        (),
        arguments=(np.uint64(0), Pointer("out"), np.int32(N)),
        mended_arguments=(Pointer("in"), Pointer("out"), np.int32(N)),
    ),
    "overflow of an index": Planted(
        "out_of_bounds",
        "from where a 32-bit index that did not overflow would be",
        "int row = n * (blockIdx.x + 1); out[i] = in[row + t];  // here",
        (("int row = n", "long long row = (long long)n"),),
        n=1 << 30,
        grid=2,
        floats=(3 << 30, 2 * N),
    ),
    "misaligned vector": Planted(
        "misaligned",
        "a load of 16 bytes",
        "float4 v = *(const float4*)(in + 4 * (t / 4) + 1); out[i] = v.x + v.y + v.z + v.w;  // here",
        ((" + 1)", " + 0)"),),
    ),
    "shared read out of bounds": Planted(
        "out_of_bounds",
        "a shared load of 4 bytes at byte 1024 of 1024",
        "__shared__ float s[256]; s[t] = in[i]; __syncthreads();\n  out[i] = s[t + 1];  // here",
        (("t + 1", "255 - t"),),
    ),
    "shared write out of bounds": Planted(
        "out_of_bounds",
        "a shared store of 4 bytes at byte 1024 of 1024",
        "__shared__ float s[256]; s[t + n / 256] = in[i];  // here\n  __syncthreads(); out[i] = s[255 - t + n / 256];",
        (("t + n / 256] = in", "t] = in"), ("255 - t + n / 256", "255 - t")),
    ),
    "too little dynamic shared memory": Planted(
        "out_of_bounds",
        "of 512",
        "extern __shared__ float s[]; s[t] = in[i];  // here\n  __syncthreads(); out[i] = s[255 - t];",
        (),
        shared=512,
        mended_shared=1024,
    ),
    "uninitialised shared memory": Planted(
        "uninitialised",
        "reads shared memory that no thread has written (byte 0)",
        "__shared__ float s[256]; if (t > 0) s[t] = in[i]; __syncthreads();\n  out[i] = s[255 - t];  // here",
        (("if (t > 0) ", ""),),
    ),
    "missing barrier": Planted(
        "race",
        "reads shared memory that another warp wrote since the last barrier",
        "__shared__ float s[256]; s[t] = in[i];\n  out[i] = s[255 - t];  // here",
        (("\n  out", "\n  __syncthreads(); out"),),
    ),
    "two warps write one word": Planted(
        "race",
        "that another thread writes at the same time, with another value",
        "__shared__ float s[256]; s[t & 127] = in[i];  // here\n  __syncthreads(); out[i] = s[t & 127];",
        (("s[t & 127] = in", "s[t] = in"),),
    ),
    "missing barrier before the next write": Planted(
        "race",
        "writes shared memory that another warp reads since the last barrier",
        "__shared__ float s[256]; s[t] = in[i]; __syncthreads(); float v = s[255 - t];\n"
        "  s[t] = v + 1.f;  // here\n  __syncthreads(); out[i] = s[255 - t];",
        (("\n  s[t] = v", "\n  __syncthreads(); s[t] = v"),),
    ),
    "missing atomic operation in shared memory": Planted(
        "race",
        "updates are lost, use an atomic operation",
        "__shared__ int bins[4]; if (t < 4) bins[t] = 0; __syncthreads();\n"
        "  if (t < 32) bins[t & 3] = bins[t & 3] + 1;  // here\n  __syncthreads(); out[i] = bins[t & 3];",
        (("bins[t & 3] = bins[t & 3] + 1", "atomicAdd(&bins[t & 3], 1)"),),
    ),
    "missing atomic operation between blocks": Planted(
        "race",
        "byte 0 of `out`",
        "if (t == 0) out[0] = out[0] + in[i];  // here",
        (("out[0] = out[0] + in[i]", "atomicAdd(&out[0], in[i])"),),
        grid=4,
        floats=(4 * N, N),
    ),
    "two threads write one output": Planted(
        "race",
        "at the same time with another value",
        "out[i / 2] = i;  // here",
        (("out[i / 2] = i", "out[i] = i"),),
    ),
    "blocks write one output": Planted(
        "race",
        "which another thread writes at the same time with another value",
        "out[t] = i;  // here",
        (("out[t] = i", "out[i] = i"),),
        grid=2,
        floats=(2 * N, 2 * N),
    ),
    "end of a stack array": Planted(
        "out_of_bounds",
        "a local",
        "float v[16]; for (int k = 0; k < 16; ++k) v[k] = in[(i + k) & 255];\n"
        "  v[n] = 1.f;  // here\n"
        "  float sum = 0.f; for (int k = 0; k < 16; ++k) sum += v[(k * n + i) & 15]; out[i] = sum;",
        (("v[n] = 1.f", "v[n & 15] = 1.f"),),
        n=4096,
    ),
    "beyond a constant bank": Planted(
        "out_of_bounds",
        "reads constant memory at byte",
        "out[i] = table[t];  // here",
        (("table[t]", "table[t & 7]"),),
    ),
    "barrier in divergent code": Planted(
        "barrier",
        "does not reach this barrier, which other threads of its warp reach",
        "__shared__ float s[256]; s[t] = in[i];\n"
        "  if (t & 1) {\n    s[t] = 2.f;\n    __syncthreads();  // here\n    out[i] = s[255 - t];\n  } else {\n"
        "    __syncthreads();\n    out[i] = 2 * s[255 - t];\n  }",
        (("if (t & 1)", "if (n & 1)"),),
    ),
    "warps at different barriers": Planted(
        "barrier",
        "waits at this barrier while other threads of its block wait at that of",
        "float v = in[i];\n  if (t < 128) {\n    for (int k = 0; k < n / 256; ++k) {\n      v = v * v + k;\n"
        "      __syncthreads();  // here\n    }\n  } else {\n    __syncthreads();\n    v += 1.f;\n  }\n  out[i] = v;",
        (("if (t < 128)", "if (n < 128)"),),
    ),
    "threads that skip a barrier": Planted(
        "deadlock",
        "waits for ever at a barrier that other threads do not reach",
        "for (int k = 0; k < (t < 128 ? 3 : 2); ++k) {\n    if (in[k] > 0.f) __syncthreads();  // here\n  }\n"
        '  if (t >= 128) asm volatile("bar.sync 1, 256;");\n  out[i] = 1.f;',
        (("(t < 128 ? 3 : 2)", "2"), ('if (t >= 128) asm volatile("bar.sync 1, 256;");\n', "")),
    ),
    "shuffle from an inactive lane": Planted(
        "inactive_lane",
        "which is not active: the value is undefined",
        "float v = in[i];\n  if (t % 32 < 20) v += __shfl_down_sync(0xfffff, v, 16);  // here\n  out[i] = v;",
        (("if (t % 32 < 20) v += __shfl_down_sync(0xfffff, v, 16)", "v += __shfl_down_sync(~0u, v, 16)"),),
    ),
    "undefined value of a shuffle in a result": Planted(
        "inactive_lane",
        "thread (4, 0, 0) reads the register of lane 8 of its warp, which is not active: the value is undefined",
        "float v = in[i];\n  if (t < 8) {\n    for (int o = 4; o; o /= 2) v += __shfl_down_sync(0xff, v, o);  // here\n"
        "    out[t] = v;\n  }",
        (("out[t]", "if (t == 0) out[t]"),),
    ),
    "wrong mask": Planted(
        "wrong_mask",
        "is not in the mask of the warp operation that it executes",
        "float v = in[i];\n  if (t % 32 < 16) v += __shfl_xor_sync(0xff, v, 1);  // here\n  out[i] = v;",
        (("0xff,", "0xffff,"),),
    ),
}


def _rising(view: Any, start: int, stop: int) -> None:
    view[:] = np.arange(start // 4 + 1, stop // 4 + 1, dtype=np.float32).view(np.uint8)


def launch(planted: Planted, source: str, arguments: tuple[Argument, ...] | None, shared: int) -> Any:
    cubin = compile_cubin(HEAD + "  " + source + "\n}\n", "k.cu", "sm_90")
    program = read_cubin(cubin, "k")
    problem = Problem(
        program,
        (planted.grid, 1, 1),
        (planted.block, 1, 1),
        arguments or (Pointer("in"), Pointer("out"), np.int32(planted.n)),
        {"in": (4 * planted.floats[0], _rising), "out": (4 * planted.floats[1], None)},
        shared,
    )
    return program, lambda: run_whole(problem, watch=True)


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_error_is_found_with_its_line_and_cause(name: str) -> None:
    planted = PLANTED[name]
    program, run = launch(planted, planted.source, planted.arguments, planted.shared)
    with pytest.raises(FaultError) as caught:
        run()
    error = caught.value
    assert (error.kind, planted.words in error.words) == (planted.kind, True), error.words
    line = next(n for n, text in enumerate((HEAD + "  " + planted.source).split("\n"), 1) if "// here" in text)
    assert program.where(error.at).endswith(f"k.cu:{line}")
    assert "thread (" in error.words and "block (" in error.words


@pytest.mark.parametrize("name", PLANTED)
def test_the_mended_kernel_raises_no_alarm(name: str) -> None:
    planted = PLANTED[name]
    source = planted.source
    for old, new in planted.mend:
        assert old in source
        source = source.replace(old, new)
    shared = planted.shared if planted.mended_shared is None else planted.mended_shared
    launch(planted, source, planted.mended_arguments or planted.arguments, shared)[1]()


def test_twenty_kinds_are_planted() -> None:
    assert len(PLANTED) >= 20
