"""Run calls of PyTorch and CuPy as they should be made, to see which of them are taken for causes.

    ncu --set full --clock-control none --profile-from-start off -o calls python tests/bench/healthy/record_calls.py

Each is of the kind that knowledge/calls has a cause or advice for, at sizes and in layouts for which there is nothing
better to call: many results of a selection, rows that fill their blocks, windows without overlap, aligned products.
`python -m tests.bench.healthy.judge REPORT` lists the findings.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import cupy
import torch
from torch.nn import functional


def calls() -> dict[str, Callable[[], Any]]:
    """Return what to run, by what it is."""

    def rand(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        return torch.rand(shape, device="cuda", dtype=dtype)

    scores, rows, images = rand(4096, 16384), rand(65536, 1024), rand(64, 64, 112, 112)
    half, flat = rand(4096, 4096, dtype=torch.float16), rand(1 << 26)
    table, index = rand(1 << 20, 128), torch.sort(torch.randint(1 << 20, (1 << 20,), device="cuda")).values
    many = torch.randint(1 << 20, (1 << 24,), device="cuda")
    numbers, narrow = cupy.random.random((8192, 8192)).astype(cupy.float32), rand(1 << 26, dtype=torch.float16)
    waves = cupy.random.random((4096, 8192)).astype(cupy.float32)
    double = rand(1 << 24, dtype=torch.float64)
    return {
        "topk of 64": lambda: scores.topk(64, dim=1),
        "topk of 8": lambda: scores.topk(8, dim=1),
        "median of many rows": lambda: scores.median(1),
        "sort of rows": lambda: scores.sort(1),
        "layer norm of 1024": lambda: functional.layer_norm(rows, (1024,)),
        "softmax of the last dimension": lambda: torch.softmax(rows, -1),
        "batch norm of 64 channels": lambda: functional.batch_norm(images, None, None, training=True),
        "group norm": lambda: functional.group_norm(images, 32),
        "average pool without overlap": lambda: functional.avg_pool2d(images, 2),
        "average pool of 8 without overlap": lambda: functional.avg_pool2d(images, 8),
        "max pool of 3 by 3": lambda: functional.max_pool2d(images, 3, stride=2, padding=1),
        "depthwise convolution of 3 by 3": lambda: functional.conv2d(images, rand(64, 1, 3, 3), padding=1, groups=64),
        "adaptive pool to 14": lambda: functional.adaptive_avg_pool2d(images, 14),
        "interpolation of large pictures": lambda: functional.interpolate(
            rand(1, 3, 2048, 2048), scale_factor=2, mode="bilinear"
        ),
        "scan of the last dimension": lambda: rows.cumsum(1),
        "scan down many columns": lambda: rand(1024, 1 << 18).cumsum(0),
        "gather of whole rows": lambda: table[index],
        "sums by many indices": lambda: torch.zeros(1 << 20, device="cuda").index_add_(0, many, flat[: 1 << 24]),
        "joined along the first dimension": lambda: torch.cat((rows, rows)),
        "product of aligned halves": lambda: half @ half,
        "product of doubles": lambda: double.view(4096, 4096) @ double.view(4096, 4096),
        "element-wise of two arrays": lambda: torch.add(flat, flat, out=flat),
        "sum of halves as float": lambda: narrow.sum(dtype=torch.float32),
        "histogram of many bins": lambda: torch.histc(flat, 4096),
        "binary search of sorted values": lambda: torch.searchsorted(
            flat[:4096].sort().values, flat[: 1 << 22].sort().values
        ),
        "cupy sum of rows": lambda: numbers.sum(axis=1),
        "cupy sum of columns": lambda: numbers.sum(axis=0),
        "cupy transform of small primes": lambda: cupy.fft.rfft(waves),
        "cupy product of float32": lambda: numbers[:4096, :4096] @ numbers[:4096, :4096],
        "cupy sorted search": lambda: cupy.searchsorted(waves[0], numbers[:512]),
    }


def main() -> None:
    """Run each call once to warm up and once under the profiler."""
    for name, call in calls().items():
        call()
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStart()
        call()
        torch.cuda.synchronize()
        torch.cuda.cudart().cudaProfilerStop()
        print(name, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
