"""`advise` on CuPy, PyTorch and Triton functions on a GPU machine, beside `diagnose` of the same reports.

`python tests/bench/advise_on_gpu.py FOLDER`: a line for each function with the first finding, its place, and whether
`ncu-advisor diagnose` of the report says the same; the pages as HTML in the folder. Libraries that are not installed
are skipped, and said to be.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import advisor
from advisor import advise

if find_spec("cupy"):
    import cupy

    WALK = cupy.RawKernel(
        r"""extern "C" __global__ void column_walk(const float* in, float* out, int n) {
      int row = blockIdx.x * blockDim.x + threadIdx.x;
      float sum = 0;
      for (int i = 0; i < n; ++i) sum += in[(size_t)row * n + i];
      out[row] = sum;
    }""",
        "column_walk",
        options=("-lineinfo",),
    )

    @advise
    def of_cupy(rows: int, columns: int) -> None:
        """Walk the rows, one thread for each."""
        table, sums = cupy.ones((rows, columns), cupy.float32), cupy.zeros(rows, cupy.float32)
        for _ in range(5):
            WALK((rows // 256,), (256,), (table, sums, columns))
        cupy.cuda.Device().synchronize()


if find_spec("torch"):
    import torch

    @advise
    def of_torch(n: int) -> None:
        """Add and scale, three passes over the data."""
        a = torch.ones(n, device="cuda")
        for _ in range(5):
            a = torch.sin(a) * 2 + 1
        torch.cuda.synchronize()


if find_spec("torch") and find_spec("triton"):
    import triton
    import triton.language as tl

    @triton.jit
    def strided_copy(source, target, n, stride: tl.constexpr, BLOCK: tl.constexpr):  # noqa: N803
        """Copy every `stride`-th value."""
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        values = tl.load(source + at * stride, mask=at < n)
        tl.store(target + at, values, mask=at < n)

    @advise(kernel="strided_copy")
    def of_triton(n: int) -> None:
        """Launch the copy."""
        source, target = torch.ones(n * 16, device="cuda"), torch.empty(n, device="cuda")
        for _ in range(5):
            strided_copy[(triton.cdiv(n, 1024),)](source, target, n, 16, BLOCK=1024)
        torch.cuda.synchronize()


def check(name: str, call: Callable[..., Any], *arguments: int) -> None:
    """Print what one function's advice says."""
    began = time.monotonic()
    try:
        found = call(*arguments)
    except advisor.python.advise.AdviceError as e:  # type: ignore[attr-defined]
        print(f"{name}: refused: {e}")
        return
    again = advisor.diagnose(*found.reports_at)
    same = [x.findings[:1] and x.findings[0].id for x in again.launches]
    (Path(sys.argv[1]) / f"{name}.html").write_text(found.html(), encoding="utf-8")
    for launch, title in zip(found.launches, same, strict=True):
        first = launch.findings[0] if launch.findings else None
        told = first.id if first is not None else launch.verdict.id
        places = [f"{x.file}:{x.line}" for x in (first.locations if first is not None else ())]
        print(f"{name}: {launch.kernel[:60]}: {told}, diagnose {title}, at {places}")
    print(f"{name}: {time.monotonic() - began:.1f} s, {[p.name for p in found.reports_at]}")


if __name__ == "__main__":
    for name, arguments in {"of_cupy": (65536, 512), "of_torch": (1 << 24,), "of_triton": (1 << 22,)}.items():
        if name in globals():
            check(name, globals()[name], *arguments)
        else:
            print(f"{name}: its library is not installed")
    if "of_cupy" in globals():
        with advise(kernel="column_walk") as block:
            table = cupy.ones((65536, 512), cupy.float32)
            WALK((256,), (256,), (table, cupy.zeros(65536, cupy.float32), 512))
            cupy.cuda.Device().synchronize()
        assert block.diagnosis is not None
        print("with:", [x.findings[0].id for x in block.diagnosis.launches if x.findings])
