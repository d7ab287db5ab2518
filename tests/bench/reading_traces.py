"""The traces of the exercises that are read: twelve small programs, each with one pattern planted, by a fixed seed.

The tables and columns are those of `nsys export` of Nsight Systems 2025.3.2 (schema 3.20.3), as in tests/timeline. The
times are made up: launches cost the host 4 to 7 us, kernels vary by a few percent, and the host is where the story of
the exercise says it is.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.timeline.generator import MS, US, Planted

SEED = 20_251_123
_START = 40 * MS  # of the first work, after start-up
_SMS = 132  # of an H200
_COLLECTIVE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)"

_LAYERS = (("attention_forward", 3.4), ("mlp_forward", 3.0), ("attention_backward", 5.1), ("mlp_backward", 4.3))


class Program(Planted):
    """A trace whose kernels fill the GPU unless they say otherwise."""

    def kernel(self, *args: Any, **named: Any) -> int:
        named.setdefault("grid", (8 * _SMS, 1, 1))
        return super().kernel(*args, **named)


def _vary(chance: random.Random, time: float, by: float = 0.05) -> int:
    """A time that varies by a share, at least 1 ns."""
    return max(1, round(time * chance.uniform(1 - by, 1 + by)))


def images(chance: random.Random) -> Planted:
    """A training loop whose batches are read and decoded in the same process, between two steps."""
    out, at = Program(duration=700 * MS, sms=_SMS), _START
    for _ in range(24):
        ready = at + _vary(chance, 9 * MS, 0.2)
        out.system("read", at + 1 * MS, at + _vary(chance, 3 * MS))
        out.system("pread64", at + 4 * MS, at + _vary(chance, 5 * MS))
        end = out.copy(ready, _vary(chance, 700 * US), 1, size=38 << 20, asked=ready - 12 * US)
        for name, time in (("conv_forward", 3.1), ("bn_relu", 0.6), ("conv_backward", 4.2), ("sgd_step", 0.4)):
            asked = ready + _vary(chance, 30 * US)
            end = out.kernel(
                end + 2 * US, _vary(chance, time * MS), f"void {name}<float>(float*, int)", name, asked=asked
            )
        at = end
    return out


def plate(chance: random.Random) -> Planted:
    """A stencil solver that waits for the GPU after each of its three kernels."""
    out, at = Program(duration=120 * MS, sms=_SMS), _START
    for _ in range(300):
        for name, time in (("diffuse", 61), ("boundary", 34), ("residual", 47)):
            end = out.kernel(
                at, _vary(chance, time * US), f"{name}(double*, double const*, int)", name, asked=at - 6 * US
            )
            out.call("cudaDeviceSynchronize_v3020", at - 2 * US, end + _vary(chance, 7 * US))
            at = end + _vary(chance, 21 * US, 0.2)
    return out


def survey(chance: random.Random) -> Planted:
    """A filter over shots: copy in, filter, copy out, on one stream, queued ahead, from page-locked memory."""
    out, at = Program(duration=500 * MS, sms=_SMS), _START
    asked = _START - 20 * MS
    for shot in range(40):
        asked += 12 * US
        at = out.copy(at, _vary(chance, 2.4 * MS), 1, size=128 << 20, asked=asked + shot) + 2 * US
        at = out.kernel(at, _vary(chance, 1.9 * MS), "bandpass(float*, int)", "bandpass", asked=asked + 4 * US) + 2 * US
        at = out.kernel(at, _vary(chance, 1.2 * MS), "stack(float*, int)", "stack", asked=asked + 8 * US) + 2 * US
        at = out.copy(at, _vary(chance, 1.3 * MS), 2, size=64 << 20, asked=asked + 11 * US) + 2 * US
    return out


def storm(chance: random.Random) -> Planted:
    """A simulation whose frames are fetched and encoded by the thread that launches the next step."""
    out, at = Program(duration=600 * MS, sms=_SMS), _START
    for _ in range(28):
        asked = at - 14 * US
        end = at
        for name, time in (("advect", 2.6), ("pressure", 3.9), ("shade", 1.4)):
            asked += 5 * US
            end = out.kernel(end + 1 * US, _vary(chance, time * MS), f"{name}(float4*, int)", name, asked=asked)
        end = out.copy(end + 2 * US, _vary(chance, 500 * US), 2, size=24 << 20, asked=asked + 5 * US)
        out.call("cudaStreamSynchronize_v3020", asked + 9 * US, end + 5 * US)
        out.system("write", end + 400 * US, end + _vary(chance, 2.2 * MS))
        at = end + _vary(chance, 6.5 * MS, 0.1)
    return out


def pressure(chance: random.Random) -> Planted:
    """A multigrid cycle on coarse grids: kernels of a few microseconds, one after the other, launched ahead."""
    out, at = Program(duration=60 * MS, sms=_SMS), _START
    for i in range(1500):
        name = ("smooth", "restrict_to", "smooth", "prolong", "correct")[i % 5]
        full = f"void {name}<float, {i % 4}>(float*, int)"
        end = out.kernel(at, _vary(chance, 3.6 * US, 0.2), full, name, asked=at - 90 * US, grid=(8, 1, 1))
        at = end + _vary(chance, 2.6 * US, 0.2)
    return out


def rays(chance: random.Random) -> Planted:
    """Four kernels of equal weight, back to back; the next tile is copied behind them on a stream of its own."""
    out, at = Program(duration=400 * MS, sms=_SMS), _START
    for i in range(160):
        name = ("trace_rays", "shade_hits", "sample_lights", "accumulate")[i % 4]
        if i % 4 == 0:
            out.copy(at + 200 * US, _vary(chance, 800 * US), 1, size=40 << 20, asked=at - 3 * MS, stream=13)
        end = out.kernel(at, _vary(chance, 1.5 * MS, 0.03), f"{name}(Tile*, int)", name, asked=at - 4 * MS)
        at = end + _vary(chance, 2 * US)
    out.call("cudaStreamSynchronize_v3020", at - 9 * MS, at + 6 * US)
    return out


def sensors(chance: random.Random) -> Planted:
    """A replay of sensor data from vectors of the C++ library: each copy goes through the driver's own buffer."""
    out, at = Program(duration=300 * MS, sms=_SMS), _START
    for _ in range(36):
        end = out.copy(at, _vary(chance, 3.1 * MS), 1, size=22 << 20, pageable=True)
        out.call("cudaMemcpy_v3020", at - 10 * US, end + 1 * US, out.correlation)  # it returns when the data are there
        end = out.kernel(end + 9 * US, _vary(chance, 1.1 * MS), "fuse(float*, int)", "fuse", asked=end + 2 * US)
        end = out.kernel(end + 2 * US, _vary(chance, 0.9 * MS), "track(float*, int)", "track", asked=end - 500 * US)
        at = end + _vary(chance, 14 * US)
    return out


def ticks(chance: random.Random) -> Planted:
    """A pricing service that computes its parameters on the host before each evaluation; nothing is copied."""
    out, at = Program(duration=400 * MS, sms=_SMS), _START
    for _ in range(45):
        end = at
        for name, time in (("simulate_paths", 2.1), ("payoff", 0.7)):
            asked = at - 9 * US
            end = out.kernel(end + 2 * US, _vary(chance, time * MS), f"{name}(float*, int)", name, asked=asked)
        at = end + _vary(chance, 4.4 * MS, 0.15)
    return out


def ranks(chance: random.Random) -> Planted:
    """A sparse iteration on managed memory that the host touches in every round."""
    out, at = Program(duration=400 * MS, sms=_SMS), _START
    out.call("cudaMallocManaged_v6000", 2 * MS, 4 * MS)
    for _ in range(50):
        asked = at - 2 * MS
        end = out.kernel(at, _vary(chance, 2.2 * MS), "spmv(int const*, float*)", "spmv", asked=asked)
        end = out.kernel(end, _vary(chance, 0.5 * MS), "normalise(float*, int)", "normalise", asked=asked + 6 * US)
        at = out.copy(end, _vary(chance, 1.7 * MS), 11, size=2 << 20)
    return out


def language(chance: random.Random) -> Planted:
    """A training step on one of several GPUs: the gradients are summed after the backward pass, not during it."""
    out, at = Program(duration=500 * MS, sms=_SMS), _START
    for _ in range(20):
        asked, end = at - 6 * MS, at
        for name, time in _LAYERS:
            asked += 8 * US
            end = out.kernel(end + 1 * US, _vary(chance, time * MS), f"void {name}<__half>(__half*)", name, asked=asked)
        short = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
        end = out.kernel(end + 3 * US, _vary(chance, 5.6 * MS), _COLLECTIVE, short, asked=asked + 9 * US, stream=20)
        at = out.kernel(
            end + 1 * US, _vary(chance, 0.9 * MS), "adam_step(float*, int)", "adam_step", asked=asked + 20 * US
        )
    return out


def tokens(chance: random.Random) -> Planted:
    """Decoding, one token a graph: the launch of a graph costs as much as a good part of what is in it."""
    out, at = Program(duration=100 * MS, sms=_SMS), _START
    for _ in range(420):
        at = out.graph(at, _vary(chance, 74 * US), asked=at - 9 * US) + _vary(chance, 23 * US, 0.15)
    return out


def fluid(chance: random.Random) -> Planted:
    """A queue that never runs dry, in which one of five kernels takes most of the time."""
    out, at = Program(duration=500 * MS, sms=_SMS), _START
    steps = (("collide_stream", 3.6), ("inlet", 0.35), ("outlet", 0.3), ("walls", 0.5), ("moments", 0.75))
    for _ in range(60):
        for name, time in steps:
            full = f"void {name}<19>(float*, float const*)"
            at = (
                out.kernel(at, _vary(chance, time * MS, 0.03), full, name, asked=at - 5 * MS, grid=(4096, 1, 1))
                + 2 * US
            )
    out.call("cudaStreamSynchronize_v3020", at - 9 * MS, at + 6 * US)
    return out


# exercise -> what builds its trace
TRACES: dict[str, Callable[[random.Random], Planted]] = {
    "image-batches": images,
    "heat-plate": plate,
    "seismic-survey": survey,
    "storm-frames": storm,
    "pressure-solver": pressure,
    "ray-tiles": rays,
    "sensor-replay": sensors,
    "option-prices": ticks,
    "page-ranks": ranks,
    "language-model": language,
    "token-server": tokens,
    "channel-flow": fluid,
}


def planted(name: str) -> Planted:
    """The trace of an exercise, the same every time."""
    return TRACES[name](random.Random(f"{SEED}:{name}"))
