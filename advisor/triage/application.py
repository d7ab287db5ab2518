"""Calculate the gain of the fixes for the whole program: each kernel's share of a trace times its fix's gain.

A kernel counts by the time in which at least one of its launches ran, so that concurrent launches count once; if
kernels of several names run concurrently, their combined gains are scaled down to the time in which any kernel runs.
Several fixes of one kernel are never added: the combined gain is the model's result for all at once.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from advisor.timeline.kernels import amdahl
from advisor.timeline.results import GpuTimeline, TimelineResult
from advisor.triage.results import Application, Group, KernelGain, Triage

_NAMED = 1.0  # % of the whole; kernels above it that were not profiled are named


class _Profile(Struct):
    """The summed groups of one kernel; times in ns."""

    launches: int = 0
    time: float = 0.0
    back: float = 0.0
    back_all: float = 0.0
    fix: str = ""
    best: float = -1.0

    def add(self, group: Group) -> None:
        self.launches += group.launches
        self.time += group.duration_ns
        self.back += group.back_ns
        together = group.stands.budget.together.estimate if group.stands.budget is not None else 1.0
        self.back_all += max(group.back_ns, group.duration_ns * (1 - 1 / together))
        if group.fix and group.back_ns > self.best:
            self.best, self.fix = group.back_ns, group.fix


def applications(result: Triage, timeline: TimelineResult) -> tuple[Application, ...]:
    """Return the budget of each GPU in the traces. Match kernels by the full name, else by a unique short name."""
    profiles: dict[str, _Profile] = {}
    short: dict[str, set[str]] = {}
    for group in result.groups():
        profiles.setdefault(group.kernel_full, _Profile()).add(group)
        short.setdefault(group.kernel, set()).add(group.kernel_full)
    alone = {name: next(iter(full)) for name, full in short.items() if len(full) == 1}
    return tuple(_of_gpu(timeline, gpu, profiles, alone) for gpu in timeline.gpus)


def _of_gpu(
    timeline: TimelineResult, gpu: GpuTimeline, profiles: dict[str, _Profile], alone: dict[str, str]
) -> Application:
    trace = timeline.traces[gpu.trace]
    window = float(gpu.window[1] - gpu.window[0]) if gpu.window is not None else 0.0
    times = {k.name: k.covered if k.covered is not None else k.total for k in gpu.kernels}
    summed = sum(k.total for k in gpu.kernels)
    basis: Literal["run", "window", "kernels"]
    basis, whole = ("run", float(trace.run)) if trace.run else ("window", window) if window else ("kernels", summed)
    shorts: dict[str, int] = {}
    for kernel in gpu.kernels:
        shorts[kernel.short] = shorts.get(kernel.short, 0) + 1
    gains, unprofiled = [], []
    for kernel in gpu.kernels:
        name = kernel.name if kernel.name in profiles else alone.get(kernel.short, "")
        known = profiles.get(name) if kernel.name in profiles or shorts[kernel.short] == 1 else None
        share = 100 * times[kernel.name] / whole if whole else 0.0
        if known is None or not known.time:
            if share >= _NAMED and not kernel.communication:
                unprofiled.append((kernel.short, share))
            continue
        back, back_all = (times[kernel.name] * part / known.time for part in (known.back, known.back_all))
        gains.append(
            KernelGain(
                kernel=kernel.short,
                kernel_full=kernel.name,
                launches=kernel.launches,
                time_ns=times[kernel.name],
                share_pct=share,
                profiled=known.launches,
                fix=known.fix,
                speedup=amdahl(known.time, known.back),
                speedup_all=amdahl(known.time, known.back_all),
                back_ns=back,
                back_all_ns=back_all,
                gain=amdahl(whole, back),
            )
        )
    overlap = _overlap(gpu, times, window)
    return Application(
        trace=trace.path,
        gpu=gpu.name or str(gpu.gpu),
        basis=basis,
        whole_ns=whole,
        kernels=tuple(sorted(gains, key=lambda g: (-g.back_ns, -g.time_ns, g.kernel_full))),
        gain=amdahl(whole, overlap * sum(g.back_ns for g in gains)),
        gain_all=amdahl(whole, overlap * sum(g.back_all_ns for g in gains)),
        overlap=overlap,
        profiled_pct=min(100.0, overlap * sum(g.share_pct for g in gains)),
        unprofiled=tuple(sorted(unprofiled, key=lambda pair: -pair[1])),
    )


def _overlap(gpu: GpuTimeline, times: dict[str, float], window: float) -> float:
    """Return the time in which any kernel ran, over the sum of all kernel times; 1 if not known."""
    computing = gpu.values.get("computing_pct", 0.0) / 100 * window
    alone = sum(times[k.name] for k in gpu.kernels if not k.communication)
    return min(1.0, computing / alone) if computing and alone else 1.0
