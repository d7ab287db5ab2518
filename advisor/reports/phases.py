"""Whether a kernel runs through phases, from the samples over its run. Runs in the child process: standard library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

DRAM = "FBSP.TriageCompute.dramc__throughput.avg.pct_of_peak_sustained_elapsed"
SM = "TPC.TriageCompute.sm__inst_executed_realtime.avg.pct_of_peak_sustained_elapsed"
# Fewer samples than these within the kernel show its start and end, not phases.
FEWEST = 40
_PARTS = 20
_IDLE = 0.5  # percent: below it on both sides the kernel is not running yet, or no longer


def phases(dram: Sequence[float], sm: Sequence[float]) -> float | None:
    """How much the balance of DRAM and SM activity (percent, one value a sample) moves over the run, 0 to 2.

    The run without its first and last tenth is cut into twenty parts; the result is the spread of DRAM minus SM
    activity between the tenth and the ninetieth percentile of the parts, over 100. Near 0 for an even kernel, about 1
    for one that turns from the one unit to the other, or idles for a while. None with too few samples.
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


def phases_of(action: Any) -> float | None:
    """The phases of a launch; None where the report holds no samples."""
    series = [action.metric_by_name(name) for name in (DRAM, SM)]
    if any(metric is None or metric.num_instances() < FEWEST for metric in series):
        return None
    dram, sm = ([m.as_double(at) for at in range(m.num_instances())] for m in series)
    return phases(dram, sm)
