"""The result of a trace analysis; all times are in ns of the trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Struct

from advisor.records.diagnosis import Comparison, Finding
from advisor.records.record import Count, Internal, NotNegative, Percent, Record, Shape, named, written
from advisor.timeline.spans import Spans


class TraceInfo(Record):
    """A trace as it was read. run: ns, absent if not known; schema: version of the export's schema."""

    path: str
    sha256: str
    form: str = msgspec.field(name="format")
    tool: str
    schema: str = msgspec.field(name="schema_version")
    complete: bool
    problems: tuple[str, ...]
    run: Count | None = msgspec.field(default=None, name="run_ns")


class Moment(Record):
    """A time interval that shows a pattern: a gap between two pieces of work, or a piece of work.

    before, after: the work at either side of a gap; what: the work; bytes: of a copy; pageable: whether its host memory
    is; call, system_call: the CUDA and the operating-system call that the launching thread was longest in, and the time
    in it; range: the innermost NVTX range there, after its domain and a colon.
    """

    kind: Literal["gap", "work"]
    start: int = msgspec.field(name="start_ns")
    duration: Count = msgspec.field(name="duration_ns")
    what: str = ""
    before: str = ""
    after: str = ""
    size: Count | None = msgspec.field(default=None, name="bytes")
    pageable: bool | None = None
    call: str = ""
    system: str = msgspec.field(default="", name="system_call")
    range: str = ""
    call_pct: NotNegative | None = None
    system_call_pct: NotNegative | None = None

    @property
    def call_share(self) -> float | None:
        """The share of the interval that the launching thread spent in the CUDA call; None if unknown."""
        return None if self.call_pct is None else self.call_pct / 100

    @property
    def system_share(self) -> float | None:
        """The share of the interval that the launching thread spent in the system call; None if unknown."""
        return None if self.system_call_pct is None else self.system_call_pct / 100


class Pattern(Finding, kw_only=True):
    """A pattern that was found. typical: the usual gain of its fix, as a text of the knowledge base."""

    typical: str = written("")
    moments: tuple[Moment, ...] = written(())

    @property
    def finding(self) -> Finding:
        """The pattern without its moments."""
        return self


class Unseen(Record):
    """A pattern that could not be checked: its unknown metrics, the reason, and how to record the missing data."""

    id: str
    title: Internal[str]
    missing: tuple[str, ...] = msgspec.field(name="metrics")
    parts: Internal[tuple[str, ...]]
    because: tuple[str, ...] = written(())
    get: tuple[str, ...] = written(())


class Lane(Struct, frozen=True):
    """A row of the picture: `kernels`, `communication`, `copies`, `migrations`, `other`, `busy` or `stream`."""

    id: str
    spans: Spans
    stream: int | None = None


class KernelRank(Record, kw_only=True):
    """One kernel on one GPU. Times are in ns, absent if the sums do not contain them.

    total_ns: of all launches; covered_ns: time in which at least one of them ran; share_pct: of the summed time of all
    kernels; busy_pct: of the time in which the GPU was active; window_bound, run_bound: speedup of the GPU's window and
    of the whole run if the kernel took no time (Amdahl's law), absent if there is nothing else.
    """

    name: str
    short: str
    launches: Count
    total: NotNegative = msgspec.field(name="total_ns")
    covered: NotNegative | None = msgspec.field(default=None, name="covered_ns")
    share: NotNegative = msgspec.field(name="share_pct")
    busy: NotNegative | None = msgspec.field(default=None, name="busy_pct")
    mean: NotNegative = msgspec.field(name="mean_ns")
    shortest: NotNegative | None = msgspec.field(default=None, name="shortest_ns")
    longest: NotNegative | None = msgspec.field(default=None, name="longest_ns")
    bound: float | None = msgspec.field(default=None, name="window_bound")
    run_bound: float | None = None
    communication: bool = written(False)


class NcuCommand(Record):
    """The command that profiles one launch, and the data behind its options.

    kernel: the base name that is matched; launch_skip: launches to skip before it, counted within `nvtx_include` if
    that is given (as `domain@name/` of ncu); start_ns, duration_ns: of the chosen launch, absent if only sums are
    known; grid, block: its shape; shapes: number of shapes of the kernel; shape_share_pct: share of its time in this
    one. each_gpu: the command profiles one launch on each GPU, since the trace has several.
    """

    command: str
    kernel: str
    skip: Count = msgspec.field(name="launch_skip")
    count: Count = msgspec.field(name="launch_count")
    range: str = msgspec.field(default="", name="nvtx_include")
    grid: Shape | None = None
    block: Shape | None = None
    shapes: Count = 0
    shape_share: Percent | None = msgspec.field(default=None, name="shape_share_pct")
    each_gpu: bool = written(False)
    start: int | None = msgspec.field(default=None, name="start_ns")
    duration: Count | None = msgspec.field(default=None, name="duration_ns")


class Decision(Record, kw_only=True):
    """The decision what to do next, and the kernel to profile."""

    id: str
    title: str
    because: str
    margin: float | None = None
    evidence: tuple[Comparison, ...]
    next: tuple[str, ...] = written(())
    kernel: str = ""


class GpuTimeline(Record, kw_only=True):
    """One GPU of one trace. window: absent if only sums are known; device: absent if not known.

    notes: texts for the reader; target (internal): the kernel to profile, None if there is none.
    """

    trace: Count
    gpu: int = msgspec.field(default=-1, name="device")
    name: str = ""
    window: Annotated[tuple[int, int], named("start_ns", "end_ns")] | None = None
    values: Mapping[str, float] = msgspec.field(name="metrics")
    decision: Decision
    patterns: tuple[Pattern, ...]
    unseen: tuple[Unseen, ...] = msgspec.field(name="unknown")
    kernels: tuple[KernelRank, ...]
    command: NcuCommand | None = msgspec.field(default=None, name="ncu")
    notes: tuple[str, ...] = written(())
    target: Internal[KernelRank | None] = None
    lanes: Internal[tuple[Lane, ...]] = ()

    @property
    def next(self) -> tuple[str, ...]:
        """The next steps."""
        return self.decision.next


# base name, launches, ns, % of all kernel time
KernelSum = Annotated[tuple[str, Count, NotNegative, Percent], named("name", "launches", "total_ns", "share_pct")]


class Together(Record):
    """Several GPUs together: all kernels by base name, and indices into `gpus`.

    busiest, idlest: absent if they differ by only a few points. late: the GPU that the others wait for, by its share of
    time in collectives; absent if they do not differ.
    """

    kernels: tuple[KernelSum, ...] = written(())
    busiest: Count | None = None
    idlest: Count | None = None
    late: Count | None = None
    notes: tuple[str, ...] = written(())


class TimelineResult(Record, kw_only=True, tag_field="schema", tag="ncu-advisor/timeline/1"):
    """Output of `ncu-advisor timeline --format json`: the traces, each of their GPUs, and unreadable files."""

    traces: tuple[TraceInfo, ...]
    failed: tuple[Annotated[tuple[str, str], named("path", "why")], ...] = written((), "unreadable")
    gpus: tuple[GpuTimeline, ...]
    together: Together | None = None
    parts: Internal[Mapping[str, tuple[str, str]]] = msgspec.field(default_factory=dict)
