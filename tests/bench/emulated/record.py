"""Profile each kernel of kernels.cu once, on a GPU, with ncu:

    ncu --section SourceCounters --section LaunchStats --import-source yes --profile-from-start off \\
        -f -o unseen python tests/bench/emulated/record.py

Needs CuPy, NVRTC and an NVIDIA GPU. `compare.py` compares the report with the emulated counts.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.bench.emulated.launches import COUNT, SOURCE, launches


def main() -> None:
    import cupy as cp

    path = str(SOURCE).replace("\\", "\\\\")
    code = f'#line 1 "{path}"\n{SOURCE.read_text(encoding="utf-8")}'
    module = cp.RawModule(code=code, options=("-std=c++17", "-lineinfo"))
    x = cp.random.default_rng(1).random(COUNT, dtype=cp.float32)
    y = cp.zeros(COUNT, cp.float32)
    for one in launches():
        kernel = module.get_function(one.kernel)
        y.fill(0)
        cp.cuda.Device().synchronize()
        cp.cuda.profiler.start()
        kernel(one.grid, one.block, (x, y, cp.int32(one.n)), shared_mem=one.shared)
        cp.cuda.Device().synchronize()
        cp.cuda.profiler.stop()
        print(one.kernel, flush=True)


if __name__ == "__main__":
    main()
