"""Several GPUs or ranks together: kernels over all of them, who is busiest, who keeps the others waiting."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalog.texts import fill
from advisor.timeline.results import GpuTimeline, Together
from advisor.timeline.words import words

_APART = 5.0  # % of the window; less is not worth evening out


def together(gpus: Sequence[GpuTimeline]) -> Together:
    """kernels: (base name, launches, total ns, % of all kernel time), the most time first."""
    sums: dict[str, list[float]] = {}
    for gpu in gpus:
        for kernel in gpu.kernels:
            both = sums.setdefault(kernel.short, [0, 0.0])
            both[0] += kernel.launches
            both[1] += kernel.total
    whole = sum(total for _, total in sums.values()) or 1.0
    kernels = sorted(sums.items(), key=lambda item: (-item[1][1], item[0]))
    busy = {at: gpu.values["gpu_busy_pct"] for at, gpu in enumerate(gpus) if "gpu_busy_pct" in gpu.values}
    talk = {at: gpu.values["communication_pct"] for at, gpu in enumerate(gpus) if "communication_pct" in gpu.values}
    if busy and max(busy.values()) - min(busy.values()) <= _APART:
        busy = {}
    late, notes = None, []
    if len(talk) > 1 and max(talk.values()) - min(talk.values()) > _APART and min(talk.values()) > 0:
        late = min(talk, key=lambda at: (talk[at], at))
        numbers = {"gpu": label(gpus[late], late), "least": f"{talk[late]:.0f}", "most": f"{max(talk.values()):.0f}"}
        notes.append(fill(words().texts["straggler"], dict(numbers)))
    return Together(
        tuple((name, int(count), total, 100 * total / whole) for name, (count, total) in kernels),
        max(busy, key=lambda at: (busy[at], -at)) if busy else None,
        min(busy, key=lambda at: (busy[at], at)) if busy else None,
        late,
        tuple(notes),
    )


def label(gpu: GpuTimeline, at: int) -> str:
    """How a GPU is called among several: by trace and number."""
    return f"trace {gpu.trace} GPU {gpu.gpu}"
