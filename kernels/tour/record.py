"""Launch the kernels of the tour: to check them, to time them, or under ncu to record the report.

    python kernels/tour/record.py check            every kernel against its reference
    python kernels/tour/record.py time             median of 20 timed runs, in microseconds, as JSON
    ncu --set full --import-source yes --profile-from-start off -o tour \\
        python kernels/tour/record.py profile      one warm-up, then one profiled launch of each

Needs CuPy and an NVIDIA GPU with 8 GB of memory. Inputs come from a fixed seed and are larger than the L2 cache, except
where a small problem is the point.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cupy as cp

HERE = Path(__file__).resolve().parent
LINES = 1 << 23  # of 128 bytes: 1 GiB


@dataclass(frozen=True)
class Case:
    """One launch: grid and block in blocks and threads, dynamic shared memory in bytes."""

    name: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    prepare: Callable[[], tuple[tuple[Any, ...], Callable[[], bool]]]
    shared: int = 0


def rand(n: int, dtype: Any = cp.float32) -> Any:
    return cp.random.default_rng(7).random(n, dtype=dtype)


def close(a: Any, b: Any, rtol: float = 1e-4) -> bool:
    return bool(cp.allclose(a, b, rtol=rtol, atol=1e-4))


def vector_copy() -> Any:
    n = 1 << 26
    x, y = rand(n), cp.full(n, cp.nan, cp.float32)
    return (x, y, cp.int32(n // 4)), lambda: bool((x == y).all())


def particle_field() -> Any:
    n = 1 << 24
    p, y = rand(n * 8), cp.full(n, cp.nan, cp.float32)
    return (p, y, cp.float32(0.5), cp.int32(n)), lambda: close(y, p[6::8] * 0.5)


def particle_field_soa() -> Any:
    n = 1 << 24
    m, y = rand(n), cp.full(n, cp.nan, cp.float32)
    return (m, y, cp.float32(0.5), cp.int32(n)), lambda: close(y, m * 0.5)


def row_per_thread() -> Any:
    rows, cols = 1 << 19, 256
    a, y = rand(rows * cols), cp.full(rows, cp.nan, cp.float32)
    return (a, y, cp.int32(rows), cp.int32(cols)), lambda: close(y, a.reshape(rows, cols).sum(1, dtype=cp.float64))


def transpose() -> Any:
    n = 8192
    a, y = rand(n * n), cp.full(n * n, cp.nan, cp.float32)
    return (a, y, cp.int32(n)), lambda: bool((y.reshape(n, n) == a.reshape(n, n).T).all())


def gemm(n: int) -> Callable[[], Any]:
    def prepare() -> Any:
        a, b, c = rand(n * n), rand(n * n), cp.full(n * n, cp.nan, cp.float32)
        # A sum of n products in single precision: the error grows with sqrt(n) * 2^-24, far under 1e-3 of the sum.
        return (a, b, c, cp.int32(n)), lambda: close(
            c.reshape(n, n)[:64], a.reshape(n, n)[:64].astype(cp.float64) @ b.reshape(n, n).astype(cp.float64), 1e-3
        )

    return prepare


def capped_moments() -> Any:
    n, iters = 132 * 2 * 1024 * 4, 16
    x, y = rand(n * iters), cp.full(n, cp.nan, cp.float32)

    def check() -> bool:
        v = x.reshape(iters, n)[:, :4096].astype(cp.float64)
        acc = [(v ** (j + 1)).sum(0) for j in range(96)]
        return close(y[:4096], sum(acc[j] * acc[95 - j] for j in range(96)), 1e-3)

    return (x, y, cp.int32(n), cp.int32(iters)), check


def private_bins() -> Any:
    n, iters = 132 * 8 * 256 * 4, 64
    x, y = cp.random.default_rng(7).integers(0, 256, n * iters, dtype=cp.uint8), cp.zeros(n, cp.uint32)

    def check() -> bool:
        v = cp.asnumpy(x.reshape(iters, n)[:, :64]) & 63
        for i in range(64):
            bins = [0] * 64
            for t in range(iters):
                bins[int(v[t, i])] += t + 1
            h = 0
            for b in bins:
                h = (h * 31 + b) & 0xFFFFFFFF
            if h != int(y[i]):
                return False
        return True

    return (x, y, cp.int32(n), cp.int32(iters)), check


def mixed_branches() -> Any:
    n = 1 << 22
    kind, x = cp.random.default_rng(7).integers(0, 8, n, dtype=cp.int32), rand(n)
    y = cp.full(n, cp.nan, cp.float32)
    return (kind, x, y, cp.int32(n), cp.int32(64)), lambda: bool(cp.isfinite(y).all())


def double_literals() -> Any:
    n, iters = 1 << 24, 64
    x, y = rand(n), cp.full(n, cp.nan, cp.float32)

    def check() -> bool:
        v = x[:4096].copy()
        for _ in range(iters):
            v = (v.astype(cp.float64) * 0.9991 + 0.0007).astype(cp.float32)
        return close(y[:4096], v)

    return (x, y, cp.int32(n), cp.int32(iters)), check


def wave_sum() -> Any:
    n = 1 << 23
    x, y = rand(n), cp.full(n, cp.nan, cp.float32)
    return (x, y, cp.int32(n), cp.int32(64)), lambda: bool(cp.isfinite(y).all())


def eight_blocks() -> Any:
    n = 1 << 26
    x, y = rand(n), cp.full(8, cp.nan, cp.float32)
    return (x, y, cp.int32(n)), lambda: close(y.sum(), x.sum(dtype=cp.float64), 1e-3)


def links() -> Any:
    """A random cycle over LINES lines, the same link in all 32 words of a line."""
    order = cp.argsort(rand(LINES)).astype(cp.uint32)
    nxt = cp.empty(LINES, cp.uint32)
    nxt[order] = cp.roll(order, -1)
    return cp.repeat(nxt, 32)


def chain(threads: int, out: Any, *extra: Any) -> Callable[[], Any]:
    def prepare() -> Any:
        nxt, y = links(), cp.zeros(threads, out)
        return (nxt, y, cp.uint32(LINES), *extra), lambda: bool((y != 0).all())

    return prepare


def serial_step() -> Any:
    n = 132 * 2 * 1024
    x, y = rand(n), cp.full(n, cp.nan, cp.float32)
    return (x, y, cp.int32(200), cp.int32(64)), lambda: bool(cp.isfinite(y).all())


def one_block_too_many() -> Any:
    n = (SMS + 1) * 1024
    x, y = rand(n), cp.full(n, cp.nan, cp.float32)
    return (x, y, cp.int32(8000)), lambda: close(y, cp.ones(n), 1e-2)


def small_saxpy() -> Any:
    n = 4096
    x, y = rand(n), cp.ones(n, cp.float32)
    return (x, y, cp.float32(0.0), cp.int32(n)), lambda: close(y, cp.ones(n))


def byte_image() -> Any:
    n = 1 << 28
    x, y = cp.random.default_rng(7).integers(0, 256, n, dtype=cp.uint8), cp.zeros(n, cp.uint8)
    return (x, y, cp.int32(n)), lambda: bool((y == 255 - x).all())


def one_warp_blocks() -> Any:
    n = 1 << 25
    x, y = rand(n), cp.full(n, cp.nan, cp.float32)
    return (x, y, cp.float32(0.5), cp.int32(n)), lambda: close(y, x * 0.5)


def fma_chains() -> Any:
    n = SMS * 8 * 256 * 4
    y = cp.full(n, cp.nan, cp.float32)
    return (y, cp.float32(0.999), cp.float32(0.001), cp.int32(2048)), lambda: bool(cp.isfinite(y).all())


SMS = cp.cuda.Device().attributes["MultiProcessorCount"]
CHASERS = SMS * 8 * 256
CASES = [
    Case("vector_copy", ((1 << 24) // 256,), (256,), vector_copy),
    Case("particle_field", ((1 << 24) // 256,), (256,), particle_field),
    Case("particle_field_soa", ((1 << 24) // 256,), (256,), particle_field_soa),
    Case("row_per_thread", ((1 << 19) // 256,), (256,), row_per_thread),
    Case("transpose_tile", (256, 256), (32, 8), transpose),
    Case("transpose_padded", (256, 256), (32, 8), transpose),
    Case("gemm_one_output", (64, 64), (32, 32), gemm(2048)),
    Case("gemm_register_tile", (32, 32), (256,), gemm(4096)),
    Case("capped_moments", (132 * 2 * 4,), (1024,), capped_moments),
    Case("private_bins", (132 * 8 * 4,), (256,), private_bins),
    Case("mixed_branches", ((1 << 22) // 256,), (256,), mixed_branches),
    Case("double_literals", ((1 << 24) // 256,), (256,), double_literals),
    Case("wave_sum", ((1 << 23) // 256,), (256,), wave_sum),
    Case("eight_blocks", (8,), (1024,), eight_blocks),
    Case("line_chain", (SMS * 8 * 4,), (256,), chain(CHASERS * 4, cp.uint32, cp.int32(64))),
    Case("chain_registers", (SMS * 8,), (256,), chain(CHASERS, cp.float32)),
    Case("chain_shared", (SMS * 8,), (256,), chain(CHASERS, cp.float32), 100 * 256 * 4),
    Case("chain_small_blocks", (SMS * 64 * 4,), (32,), chain(CHASERS * 4, cp.uint32, cp.int32(64))),
    Case("serial_step", (132 * 2,), (1024,), serial_step),
    Case("one_block_too_many", (SMS + 1,), (1024,), one_block_too_many, 120 * 1024),
    Case("small_saxpy", (16,), (256,), small_saxpy),
    Case("byte_image", (SMS * 8,), (256,), byte_image),
    Case("one_warp_blocks", ((1 << 25) // 32,), (32,), one_warp_blocks),
    Case("fma_chains", (SMS * 8 * 4,), (256,), fma_chains),
]


UNCLEAR = {"transpose_padded", "gemm_register_tile"}  # in no bundled report: see truth.yaml


def build(case: Case) -> Any:
    """The kernel, its line information pointing at the file in this folder."""
    source = HERE / f"{case.name}.cu"
    code = f'#line 1 "{source}"\n' + source.read_text(encoding="utf-8")
    kernel = cp.RawModule(code=code, options=("-lineinfo", "-std=c++17")).get_function(case.name)
    if case.shared:
        kernel.max_dynamic_shared_size_bytes = case.shared
    return kernel


def median_us(launch: Callable[[], None], runs: int = 20) -> float:
    """Median over `runs` launches, each between two events, in microseconds."""
    times = []
    for _ in range(runs):
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        launch()
        end.record()
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, end) * 1e3)
    return sorted(times)[runs // 2]


def main(argv: list[str]) -> int:
    if len(argv) < 2 or argv[1] not in ("check", "time", "profile"):
        print(__doc__, file=sys.stderr)
        return 2
    names, bad, times = set(argv[2:]), [], {}
    for case in CASES:
        if (names and case.name not in names) or (not names and argv[1] == "profile" and case.name in UNCLEAR):
            continue
        kernel = build(case)
        args, check = case.prepare()

        def launch(kernel: Any = kernel, case: Case = case, args: Any = args) -> None:
            kernel(case.grid, case.block, args, shared_mem=case.shared)

        launch()
        cp.cuda.Device().synchronize()
        if argv[1] == "check":
            good = check()
            print(f"{case.name:24} {'ok' if good else 'WRONG'}")
            bad += [] if good else [case.name]
        elif argv[1] == "time":
            times[case.name] = round(median_us(launch), 2)
        else:
            cp.cuda.profiler.start()
            launch()
            cp.cuda.Device().synchronize()
            cp.cuda.profiler.stop()
        del args, check, launch
        cp.get_default_memory_pool().free_all_blocks()
    if argv[1] == "time":
        print(json.dumps(times, indent=1))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
