"""Run a healthy kernel of each kind: copy, reduction, scan, sort, GEMM, attention, FFT, each after a warm-up.

    ncu --set full --clock-control none --profile-from-start off -o healthy python tests/bench/healthy/record.py

They are those of CuPy (CUB, cuFFT), PyTorch (cuBLAS, FlashAttention, CUTLASS's attention) and Triton, at sizes that
fill the GPU. Prints the name of each kind that was run;
`python -m tests.bench.healthy.judge REPORT` lists the findings.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import cupy
import torch
import triton
import triton.language as tl
from torch.nn.attention import SDPBackend, sdpa_kernel

SIZE = 8192  # rows and columns of the matrices


@triton.jit
def product(a, b, c, n, bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr, group: tl.constexpr):
    """c = a @ b of n * n matrices in half precision, tiles in groups of rows so that they share L2."""
    tile = tl.program_id(0)
    across = n // bn
    first = tile // (group * across) * group
    row, column = first + tile % group, tile % (group * across) // group
    rows, columns, k = row * bm + tl.arange(0, bm), column * bn + tl.arange(0, bn), tl.arange(0, bk)
    left, right = a + rows[:, None] * n + k[None, :], b + k[:, None] * n + columns[None, :]
    total = tl.zeros((bm, bn), tl.float32)
    for _ in range(0, n, bk):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += bk
        right += bk * n
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.float16))


def triton_gemm(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    """Launch the product with tiles that suit a Hopper GPU."""
    product[(SIZE // 128 * (SIZE // 256),)](a, b, c, SIZE, 128, 256, 64, 8, num_warps=8, num_stages=3)


def kinds() -> dict[str, Callable[[], Any]]:
    """Return what to run, by kind."""
    numbers = cupy.random.default_rng(1).random(1 << 28, dtype=cupy.float32)
    target = cupy.empty_like(numbers)
    keys = cupy.random.default_rng(2).integers(0, 1 << 30, 1 << 26, dtype=cupy.int32)
    waves = numbers[: 1 << 26].view(cupy.complex64)
    half = [torch.randn(SIZE, SIZE, device="cuda", dtype=torch.float16) for _ in range(3)]
    single = [torch.randn(SIZE // 2, SIZE // 2, device="cuda") for _ in range(3)]
    q, k, v = (torch.randn(4, 32, 4096, 128, device="cuda", dtype=torch.bfloat16) for _ in range(3))

    def attention(backend: SDPBackend) -> Any:
        with sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v)

    return {
        "copy": lambda: cupy.copyto(target, numbers),
        "reduction": lambda: numbers.sum(),
        "scan": lambda: cupy.cumsum(numbers, out=target),
        "sort": lambda: keys.copy().sort(),
        "FFT": lambda: cupy.fft.fft(waves),
        "cuBLAS GEMM, half": lambda: torch.matmul(half[0], half[1], out=half[2]),
        "cuBLAS GEMM, single": lambda: torch.matmul(single[0], single[1], out=single[2]),
        "Triton GEMM": lambda: triton_gemm(*half),
        "FlashAttention": lambda: attention(SDPBackend.FLASH_ATTENTION),
        "CUTLASS attention": lambda: attention(SDPBackend.EFFICIENT_ATTENTION),
        "PyTorch layer norm": lambda: torch.nn.functional.layer_norm(single[0], (SIZE // 2,)),
        "PyTorch softmax": lambda: torch.softmax(single[0], 1),
    }


def main() -> None:
    """Run each kind twice, the second time for the profiler."""
    for name, run in kinds().items():
        try:
            run()
            torch.cuda.synchronize()
            torch.cuda.profiler.start()
            try:
                run()
                torch.cuda.synchronize()
            finally:
                torch.cuda.profiler.stop()
            print(name, flush=True)
        except Exception as e:  # a library without this kind: the others count
            print(f"{name}: {type(e).__name__}: {str(e)[:100]}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
