"""Run the samples of the calls of libraries (knowledge/calls) on a GPU: same results, and how much each gains.

python -m tests.bench.call_samples --write samples.json      # anywhere: the code of the samples
python call_samples.py --run samples.json times.json         # on a machine with a GPU, PyTorch and CuPy

A case gives what both forms of a call take. Where the better form takes other arguments (sorted indices, another
layout), they are prepared outside the time, as the steps of the fix say. Prints the gain, and what differs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Arguments = tuple[tuple[Any, ...], tuple[Any, ...]]
_REPEATS, _WARM = (7, 2) if "CALL_SAMPLES_ONCE" not in os.environ else (1, 0)  # once for a profiler
# What a sum in another order or a narrower type may differ by, relative to the largest value.
_NEAR = {"product_on_tensor_cores": 2e-2, "convolution_on_tensor_cores": 5e-2, "softmax_in_larger_call": 5e-3}
_USUAL = 2e-3
_REORDERED = ("cupy_binary_search", "torch_sampling")  # the values come sorted


def samples() -> dict[str, dict[str, str]]:
    """Return the code before and after the fix of each call, by its id."""
    from advisor.knowledge.library_calls import calls

    return {
        name: {"fix": call.fix.id, "before": call.fix.before, "after": call.fix.after, "code": call.fix.code}
        for name, call in calls().items()
        if call.fix is not None and call.fix.before
    }


def same(*args: Any) -> Arguments:
    return args, args


def cases() -> Mapping[str, Callable[[], Arguments]]:
    """Return what the samples take, by the id of the call: made when it is asked for."""
    import cupy as cp
    import torch

    def rand(*shape: int, dtype: Any = torch.float32) -> Any:
        return torch.rand(shape, device="cuda", dtype=dtype)

    def ints(high: int, *shape: int) -> Any:
        return torch.randint(high, shape, device="cuda")

    def bags() -> Arguments:
        table, songs = rand(100_000, 64), ints(100_000, 2_000_000)
        starts = torch.sort(ints(2_000_000, 4096)).values
        starts[0] = 0
        ends = torch.cat((starts[1:], torch.tensor([len(songs)], device="cuda")))
        parts, owner = [], []
        for k, (a, b) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            cuts = list(range(a, b, 64)) or [a]
            parts += cuts
            owner += [k] * len(cuts)
        place = {"device": "cuda"}
        after = (songs, table, torch.tensor(parts, **place), torch.tensor(owner, **place), len(starts))
        return (songs, table, starts), after

    def points() -> Arguments:
        maps, at = rand(1, 64, 1024, 1024), rand(1, 1, 1_000_000, 2) * 2 - 1
        tile = ((at[0, 0] + 1) * 32).long()
        order = torch.argsort(tile[:, 1] * 64 + tile[:, 0])
        return (maps, at), (maps, at[:, :, order].contiguous())

    numbers = cp.random.random
    return {
        "torch_selection": lambda: same(rand(16384, 4096)),
        "torch_order_statistic": lambda: same(rand(4, 262144)),
        "torch_adaptive_pool": lambda: same(rand(64, 256, 56, 56)),
        "torch_average_pool": lambda: same(rand(1, 3, 2048, 2048)),
        "torch_max_pool": lambda: same(rand(1, 4, 1024, 1024)),
        "torch_depthwise_convolution": lambda: same(rand(16, 4, 512, 512), torch.hann_window(15, device="cuda")),
        "torch_strided_softmax": lambda: (lambda x: ((x,), (x.permute(0, 2, 3, 1).contiguous(),)))(
            rand(2, 150, 512, 512)
        ),
        "torch_conversion": lambda: same(rand(4096, 16384, dtype=torch.float16)),
        "torch_pair_distances": lambda: same(rand(2048, 3), rand(4096, 3)),
        "torch_outer_scan": lambda: (lambda x: ((x,), (x.t().contiguous(),)))(rand(2048, 4096)),
        "torch_channel_statistics": lambda: same(rand(64, 6, 32768)),
        "torch_resize": lambda: (lambda x: ((x,), (x.contiguous(memory_format=torch.channels_last),)))(
            rand(32, 64, 64, 64)
        ),
        "torch_reduced_loss": lambda: same(torch.log_softmax(rand(524288, 32), 1), ints(32, 524288)),
        "torch_narrow_norm": lambda: same(rand(1 << 20, 16)),
        "torch_fold": lambda: same(rand(1, 64, 65536)),
        "torch_index_add": lambda: same(14, ints(14, 2_097_152), rand(2_097_152)),
        "torch_one_hot": lambda: same(ints(32, 4_194_304)),
        "torch_gather": lambda: (lambda t, u: ((t, u), (t.t().contiguous(), u)))(
            rand(128, 2_097_152), ints(2_097_152, 524288)
        ),
        "torch_float_remainder": lambda: same((rand(8_388_608, dtype=torch.float64) * 1.7e15).floor()),
        "torch_row_softmax": lambda: same(*(rand(8, 16, 2048, 64, dtype=torch.float16) for _ in range(3))),
        "torch_concatenation": lambda: same([rand(2048, 2048) for _ in range(24)], [k / 24 for k in range(24)]),
        "torch_histogram": lambda: same((rand(4_194_304) ** 4 * 5).long()),
        "torch_embedding_sums": bags,
        "torch_sampling": points,
        "torch_binary_search": lambda: same(torch.linspace(0, 1, 4097, device="cuda"), rand(8_388_608)),
        "torch_roll": lambda: same(ints(256, 128, 1024, 2048).to(torch.uint8), 296),
        "cupy_conversion": lambda: same(numbers((4096, 16384)).astype(cp.float16)),
        "cupy_integer_product": lambda: same((numbers((2048, 1536)) < 0.3).astype(cp.int32)),
        "cupy_scatter_add": lambda: same(cp.random.randint(0, 16, 4_194_304), numbers(4_194_304)),
        "cupy_axis_reduction": lambda: same(numbers((16, 524288)).astype(cp.float32)),
        "cupy_binary_search": lambda: (lambda e, p: ((e, p), (e, cp.sort(p))))(
            cp.sort(numbers(4_194_304)), numbers(8_388_608)
        ),
        "cupy_float_remainder": lambda: same(cp.floor(numbers(8_388_608) * 1.7e15)),
        "unaligned_product": lambda: (lambda u, w: ((u, w[:, :20001].contiguous()), (u, w)))(
            rand(8192, 1024, dtype=torch.float16), rand(1024, 20032, dtype=torch.float16)
        ),
        "bluestein_transform": lambda: same(numbers((2048, 10007)).astype(cp.float32)),
        "radix_sort": lambda: same(ints(65536, 33_554_432)),
        "matrix_vector_product": lambda: same(rand(4096, 4096), [rand(4096) for _ in range(16)]),
        "small_tile_product": lambda: same(rand(524288, 3, 3), rand(524288, 3, 3)),
        "plain_product": lambda: same(rand(4096, 4096), rand(4096, 4096)),
    }


def timed(call: Callable[[], Any], wait: Callable[[], None]) -> tuple[Any, float]:
    """Return the result of a call and its median time in milliseconds, by events of the GPU."""
    import cupy as cp

    for _ in range(_WARM):
        result = call()
    found = []
    for _ in range(_REPEATS):
        begin, end = cp.cuda.Event(), cp.cuda.Event()
        wait()
        begin.record()
        result = call()
        end.record()
        end.synchronize()
        found.append(cp.cuda.get_elapsed_time(begin, end))
    return result, statistics.median(found)


def numpy_of(value: Any) -> Any:
    """Return a result as a NumPy array of doubles; of several parts the first one."""
    import cupy as cp
    import numpy as np

    first = (
        value[0]
        if isinstance(value, (tuple, list)) or (hasattr(value, "values") and hasattr(value, "_fields"))
        else value
    )
    if hasattr(first, "detach"):
        return first.detach().float().cpu().numpy().astype(np.float64)
    return cp.asnumpy(first).astype(np.float64)


def difference(before: Any, after: Any, near: float, ordered: bool) -> str:
    """Return how two results differ; empty if they are near enough, or as near in their sums if the order differs."""
    import numpy as np

    a, b = numpy_of(before), numpy_of(after)
    if a.size != b.size:  # as a transform of another length has
        return f"shapes {a.shape} and {b.shape}"
    if a.shape != b.shape or not ordered:  # the same values in another order
        a, b = (np.array([x.sum(), np.abs(x).sum(), x.min(), x.max()]) for x in (a, b))
    off = float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-30))
    return "" if off <= near else f"off by {off:.2g} of the largest value"


def run(given: Path, out: Path) -> None:
    """Run all samples that have a case, and write times and differences."""
    import cupy as cp
    import torch

    # One stream for both libraries, so that events of one see the work of the other.
    cp.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream).use()
    known, rows = cases(), {}
    for name, sample in json.loads(given.read_text()).items():
        if name not in known:
            rows[name] = {"skipped": "no case"}
            continue
        try:
            before_args, after_args = known[name]()
            places: list[dict[str, Any]] = [{}, {}]
            results = []
            torch.backends.cuda.matmul.allow_tf32 = False
            for place, text, args in zip(
                places, (sample["before"], sample["after"]), (before_args, after_args), strict=True
            ):
                exec(compile(text, name, "exec"), place)
                function = [value for key, value in place.items() if callable(value) and not key.startswith("__")][-1]
                results.append(timed(lambda f=function, a=args: f(*a), torch.cuda.synchronize))
            (slow, slow_ms), (fast, fast_ms) = results
            said = difference(slow, fast, _NEAR.get(sample["fix"], _USUAL), name not in _REORDERED)
            rows[name] = {"before_ms": slow_ms, "after_ms": fast_ms, "gain": slow_ms / fast_ms, "differs": said}
        except Exception as error:
            rows[name] = {"error": f"{type(error).__name__}: {str(error)[:300]}"}
        print(name, json.dumps(rows[name]), flush=True)
        torch.cuda.empty_cache()
        cp.get_default_memory_pool().free_all_blocks()
    out.write_text(json.dumps(rows, indent=1))


def main() -> int:
    """Write the samples, or run them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--run", type=Path, nargs=2)
    given = parser.parse_args()
    if given.write:
        given.write.write_text(json.dumps(samples(), indent=1))
    if given.run:
        run(*given.run)
    return 0


if __name__ == "__main__":
    sys.exit(main())
