"""Read what ncu sampled over the run of a kernel. Runs in the child process: standard library and ncu_report only.

Each pass of the sampler is a run of the kernel of its own, with samples before and after the kernel. The metrics of one
pass have the same times. The samples of each pass are cut to the time in which something ran, and joined to at most
`MOST` parts, so that the metrics of several passes can be drawn above each other. Of a long run, not every sample is
read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

MOST = 64  # parts: what a terminal of 80 columns can draw
# With fewer samples within the kernel only its start and end are visible, not its phases.
FEWEST = 40
_EACH = 3  # samples of which a part is the mean at least, if there are as many: reading each takes a microsecond
_DRAWN = 8  # fewest samples within the kernel that are worth drawing
_PARTS = 20
_IDLE = 0.5  # percent: below it, a unit has not started or has ended
_GROUP = re.compile(r"(?:pmsampling:|(?:\w+\.)?Triage\w+\.)")
ACTIVE = "active"  # the series of active SMs
INTERVAL = "profiler__pmsampler_interval_time"
DROPPED = "profiler__pmsampler_dropped_samples"


def bare_name(name: str) -> str:
    """Return a sampled metric's name without its group; empty for any other metric."""
    match = _GROUP.match(name)
    return name[match.end() :] if match else ""


def phases(dram: Sequence[float], sm: Sequence[float]) -> float | None:
    """Return how much the balance of DRAM and SM activity (percent, per sample) changes during the run, 0 to 2.

    The run without its first and last tenth is divided into twenty parts. The result is the difference between the 10th
    and the 90th percentile of DRAM minus SM activity of the parts, over 100: near 0 for an even kernel, about 1 for a
    kernel that switches from one unit to the other or is idle for a while. Return None if there are too few samples.
    """
    balance = [d - s for d, s in zip(dram, sm, strict=False)]
    active = [at for at, (d, s) in enumerate(zip(dram, sm, strict=False)) if d > _IDLE or s > _IDLE]
    if len(active) < FEWEST:
        return None
    length = active[-1] - active[0] + 1
    inner = balance[active[0] + length // 10 : active[-1] + 1 - length // 10]
    size = max(1, len(inner) // _PARTS)
    parts = sorted(sum(inner[at : at + size]) / size for at in range(0, len(inner) - size + 1, size))
    return (parts[round(0.9 * (len(parts) - 1))] - parts[round(0.1 * (len(parts) - 1))]) / 100


def sampled(action: Any, names: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the samples of a launch, or None if the report has none. names: metric -> its series.

    interval_ns; runs: passes of the sampler; dropped: samples lost; samples: of the longest run within the kernel;
    series: id -> values of its parts, as the report has them; phases: see `phases`.
    """
    passes: dict[int, dict[str, _Samples]] = {}
    for name, series in names.items():
        metric = action.metric_by_name(name)
        if metric is not None and metric.num_instances() >= _DRAWN:
            one = _Samples(metric)
            passes.setdefault(one.first_ns, {})[series] = one
    made: dict[str, list[float]] = {}
    longest, runs, balance = 0, 0, None
    for group in passes.values():
        if {"dram", "sm"} <= group.keys():
            balance = phases(*(group[series].between(0, len(group[series])) for series in ("dram", "sm")))
        start, end = _within(group)
        if end - start >= _DRAWN:
            longest, runs = max(longest, end - start), runs + 1
            step = max(1, (end - start) // (_EACH * MOST))
            found = {series: joined(one.between(start, end, step)) for series, one in group.items()}
            made |= {series: values for series, values in found.items() if all(map(math.isfinite, values))}
    if not made and balance is None:
        return None
    interval, dropped = (_number(action.metric_by_name(name)) for name in (INTERVAL, DROPPED))
    return {
        "interval_ns": interval,
        "dropped": dropped or 0.0,
        "runs": runs,
        "samples": longest,
        "series": made,
        "phases": balance,
    }


class _Samples:
    """The samples of one metric in the order of time, without the total at time 0; each is read when asked for."""

    def __init__(self, metric: Any) -> None:
        self._metric, self._skip, self.first_ns = metric, 0, 0
        if metric.has_correlation_ids():
            times = metric.correlation_ids()
            self._skip = 1 if times.as_uint64(0) == 0 else 0
            self.first_ns = times.as_uint64(self._skip)

    def __len__(self) -> int:
        return int(self._metric.num_instances()) - self._skip

    def between(self, start: int, end: int, step: int = 1) -> list[float]:
        return [self._metric.as_double(at + self._skip) for at in range(start, end, step)]

    def active(self, least: float) -> tuple[int, int]:
        """Return the first and last (exclusive) sample above `least`, read from both ends."""
        count, read = len(self), self._metric.as_double
        start = next((at for at in range(count) if read(at + self._skip) > least), count)
        end = next((at + 1 for at in range(count - 1, start - 1, -1) if read(at + self._skip) > least), start)
        return start, end


def joined(values: Sequence[float]) -> list[float]:
    """Return the means of at most `MOST` parts of equal length."""
    count = min(MOST, len(values))
    edges = [round(at * len(values) / count) for at in range(count + 1)]
    return [round(math.fsum(values[a:b]) / (b - a), 3) for a, b in pairwise(edges)]


def _within(group: Mapping[str, _Samples]) -> tuple[int, int]:
    """Return first and last (exclusive) sample in which an SM was active, or, if that was not sampled, anything ran.

    Under 2 % of a metric's largest sample is noise, since L2 and DRAM are never quite idle; a single SM that is still
    active is not.
    """
    if ACTIVE in group:
        return group[ACTIVE].active(0.0)
    limits = [one.active(max(_IDLE, 0.02 * max(one.between(0, len(one))))) for one in group.values()]
    running = [(start, end) for start, end in limits if end > start]
    return (min(start for start, _ in running), max(end for _, end in running)) if running else (0, 0)


def _number(metric: Any) -> float | None:
    value = metric.value() if metric is not None else None
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None
