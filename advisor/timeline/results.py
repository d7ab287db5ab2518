"""The result of an analysis of traces; all times in ns of the trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from advisor.records.diagnosis import Finding, Verdict

if TYPE_CHECKING:
    from advisor.timeline.intervals import Spans
    from advisor.timeline.kernels import KernelRank
    from advisor.timeline.ncu_command import NcuCommand


@dataclass(frozen=True, slots=True)
class TraceInfo:
    """One trace as it was read. run: ns, None when unknown; schema: version of the export's schema."""

    path: str
    sha256: str
    form: str
    tool: str
    schema: str
    complete: bool
    problems: tuple[str, ...]
    run: int | None


@dataclass(frozen=True, slots=True)
class Moment:
    """A stretch of time that shows a pattern: a gap between two pieces of work, or a piece of work.

    kind: gap or work; before, after: what ran at either side of a gap; what: the work; size: bytes of a copy, pageable:
    whether its host memory is; call, system: the call of CUDA and of the operating system that the launching thread was
    longest in, and how much of the time, 0 to 1; range: the innermost NVTX range there, with its domain before a colon.
    """

    kind: str
    start: int
    duration: int
    what: str = ""
    before: str = ""
    after: str = ""
    size: int | None = None
    pageable: bool | None = None
    call: str = ""
    system: str = ""
    range: str = ""
    call_share: float | None = None
    system_share: float | None = None


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that was found; `typical`: what its fix usually gives, in words of the knowledge."""

    finding: Finding
    typical: str = ""
    moments: tuple[Moment, ...] = ()


@dataclass(frozen=True, slots=True)
class Unseen:
    """A pattern that could not be looked at: the metrics that are unknown, and the parts of the trace that lack."""

    id: str
    title: str
    wanting: tuple[str, ...]
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lane:
    """A row of the picture: `kernels`, `communication`, `copies`, `migrations`, `other`, `busy` or `stream`."""

    id: str
    spans: Spans
    stream: int | None = None


@dataclass(frozen=True, slots=True)
class GpuTimeline:
    """One GPU of one trace. window: start and end, None where only sums are known; gpu: -1 where it is not known.

    decision: what to do next; target: the kernel to look at, None without one; notes: texts for the reader.
    """

    trace: int
    gpu: int
    name: str
    window: tuple[int, int] | None
    values: Mapping[str, float]
    patterns: tuple[Pattern, ...]
    unseen: tuple[Unseen, ...]
    kernels: tuple[KernelRank, ...]
    decision: Verdict
    next: tuple[str, ...] = ()
    target: KernelRank | None = None
    command: NcuCommand | None = None
    lanes: tuple[Lane, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Together:
    """Several GPUs at once: (base name, launches, ns, % of all kernel time) of kernels, and places in `gpus`.

    busiest, idlest: None where they differ by a few points only. late: the one that the others wait for, by its share
    of time in collectives; None where they do not differ.
    """

    kernels: tuple[tuple[str, int, float, float], ...] = ()
    busiest: int | None = None
    idlest: int | None = None
    late: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimelineResult:
    """All traces that were read, each of their GPUs, and (path, why not) of what could not be read."""

    traces: tuple[TraceInfo, ...]
    gpus: tuple[GpuTimeline, ...]
    failed: tuple[tuple[str, str], ...] = ()
    together: Together | None = None
    parts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
