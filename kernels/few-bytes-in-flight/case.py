"""The first break of each seismic trace: the first sample over a threshold, or `samples` if there is none."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.practice.api import Card, Tolerance, Work

THRESHOLD = 0.5
TOLERANCES = {"out": Tolerance(0.0, 0.0, "sample numbers are whole, and samples are compared, not computed: exact")}


def sizes(card: Card) -> dict[str, int]:
    """traces: two full waves of threads; samples of a trace. On an H200 the record takes 554 MB."""
    return {"traces": 4096 * card.sms, "samples": 256}


def scalars(n: dict[str, int]) -> dict[str, Any]:
    """The threshold in the record's unit."""
    return {"threshold": np.float32(THRESHOLD)}


def work(n: dict[str, int]) -> Work:
    """A trace must be read up to its first break, which is in the last tenth of the record: 95 % on average."""
    return Work(bytes=0.95 * 4 * n["traces"] * n["samples"] + 4.0 * n["traces"], flop=0.0)


def inputs(xp: Any, rng: Any, n: dict[str, int]) -> dict[str, Any]:
    """record: (samples, traces), noise below the threshold, and a wave above it from its arrival on.

    The wave arrives at neighbouring receivers within two samples. Each group of 32 has its own arrival time in the
    last tenth of the record; one trace in a thousand is dead.
    """
    traces, samples = n["traces"], n["samples"]
    moment = rng.integers(samples * 9 // 10, samples - 2, (traces + 31) // 32, dtype=xp.int32)
    arrival = xp.repeat(moment, 32)[:traces] + rng.integers(0, 3, traces, dtype=xp.int32)
    arrival[rng.random(traces, dtype=xp.float32) < 0.001] = samples
    record = (rng.random((samples, traces), dtype=xp.float32) - xp.float32(0.5)) * xp.float32(0.8)
    for t in range(samples * 9 // 10, samples):
        record[t] += xp.where(arrival <= t, xp.float32(1.0), xp.float32(0.0))
    return {"record": record}


def outputs(xp: Any, n: dict[str, int]) -> dict[str, Any]:
    """One sample number per trace."""
    return {"out": xp.empty(n["traces"], xp.int32)}


def reference(xp: Any, data: dict[str, Any], n: dict[str, int]) -> dict[str, Any]:
    """From the last sample to the first, so that the earliest one is kept."""
    found = xp.full(n["traces"], n["samples"], xp.int32)
    for t in reversed(range(n["samples"])):
        found = xp.where(abs(data["record"][t]) > THRESHOLD, xp.int32(t), found)
    return {"out": found.astype(xp.int32)}
