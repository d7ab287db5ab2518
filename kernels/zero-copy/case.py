"""Correction of a camera frame of 12 megapixels by a dark frame that is in pinned host memory, or on the device."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work


def sizes(card: Card) -> dict[str, int]:
    """n: pixels of 4 bytes; 12 million on any GPU: the bus is the limit, and the profiler replays every pass."""
    return {"n": 4096 * 3072}


def work(n: dict[str, int]) -> Work:
    return Work(bytes=12.0 * n["n"], flop=2.0 * n["n"])


def _pinned(xp: Any, values: Any) -> Any:
    """The values in page-locked host memory, as an array that kernels can read; without CUDA the values themselves."""
    if not hasattr(xp, "cuda"):
        return values
    memory = xp.cuda.alloc_pinned_memory(values.nbytes)
    np.frombuffer(memory, values.dtype, values.size)[...] = xp.asnumpy(values)
    mapped = xp.cuda.UnownedMemory(memory.ptr, values.nbytes, memory, xp.cuda.Device().id)
    return xp.ndarray(values.shape, values.dtype, xp.cuda.MemoryPointer(mapped, 0))


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    dark = rng.random(n["n"], dtype=xp.float32)
    dark *= np.float32(0.1)
    return {"frame": rng.random(n["n"], dtype=xp.float32), "dark_host": _pinned(xp, dark), "dark_device": dark}


def scalars(n: dict[str, int]) -> dict[str, Any]:
    return {"gain": np.float32(1.75)}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    return {"corrected": xp.empty(n["n"], np.float32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    return {"corrected": (data["frame"].astype(np.float64) - data["dark_device"]) * 1.75}


TOLERANCES = {
    "corrected": Tolerance(
        1e-6, 1e-12, "one subtraction and one product, each rounded once: at most 2 * 2^-24 = 1.2e-7 of the result"
    )
}
