"""Calculate the metrics of one GPU in a trace (ids of knowledge/metrics_timeline.yaml), and the rows of its picture."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from msgspec import Struct, field

from advisor.timeline import gaps as causes
from advisor.timeline import trace as kinds
from advisor.timeline.columns import distinct
from advisor.timeline.gaps import Gaps, communicates, gaps_of, is_tiny, outside_calls, waiting
from advisor.timeline.intervals import EMPTY, before, common, union
from advisor.timeline.kernels import ranking, ranking_of_sums, target
from advisor.timeline.results import KernelRank, Lane
from advisor.timeline.spans import Spans
from advisor.timeline.trace import Gpu, Sums, Trace, Work, constant, is_named, manages_memory, named, work_kind

Array = np.ndarray[Any, np.dtype[Any]]
_HOST = frozenset((kinds.TO_DEVICE, kinds.TO_HOST))  # copies between host and GPU
_ROWS = ("kernels", "communication", "copies", "migrations", "other")
_MOST_STREAMS = 6


class GpuFacts(Struct, frozen=True, eq=False):
    """The facts of a GPU. values: metric -> number; lacking: metric -> part of the trace (timeline_words.yaml).

    work, gaps, spans and masks are empty if only sums are known. spans: lane -> time that it covers; masks: group of
    work (MomentsDef.work) -> its rows.
    """

    gpu: Gpu
    values: dict[str, float]
    lacking: dict[str, str]
    ranks: tuple[KernelRank, ...] = ()
    window: tuple[int, int] | None = None
    work: Work | None = None
    gaps: Gaps | None = None
    spans: dict[str, Spans] = field(default_factory=dict)
    masks: dict[str, Array] = field(default_factory=dict)


def facts(trace: Trace) -> tuple[GpuFacts, ...]:
    """Return the facts of each GPU that worked; for a trace without a GPU, one entry without a number."""
    if trace.work is not None and len(trace.work):
        if len(trace.gpus) == 1:
            return (_of_gpu(trace, trace.gpus[0], trace.work),)
        return tuple(_of_gpu(trace, gpu, trace.work.where(trace.work.gpu == gpu.id)) for gpu in trace.gpus)
    if trace.sums is not None and trace.sums.kernels is not None:
        return (_of_sums(trace.sums),)
    return (GpuFacts(Gpu(-1), {}, dict.fromkeys(METRICS, "work")),)


# every metric, by the data that it needs in addition to the work
METRICS = (
    *("gpu_busy_pct", "gpu_idle_pct", "computing_pct", "kernel_launches", "top_kernel_pct", "opaque_graph_pct"),
    *("host_copy_pct", "copy_exposed_pct", "copy_overlappable_pct", "pageable_exposed_pct", "migration_pct"),
    *("sync_gap_pct", "sync_gap_count", "input_wait_pct", "input_wait_count", "output_wait_pct", "output_wait_count"),
    *("round_trip_pct", "round_trip_count", "communication_pct", "communication_exposed_pct", "mpi_idle_pct"),
    *("graph_launch_count", "graph_gap_pct", "tiny_kernel_count", "tiny_span_pct", "idle_unexplained_pct"),
    *("idle_repeated_pct", "idle_gap_count", "outside_calls_pct", "fault_pct", "page_fault_count", "nvlink"),
    "system_loss_pct",
)
# What summary tables show in place of shares of the window; a trace of events has no need of them.
SUMMED = (
    *("summed_copy_pct", "summed_migration_pct", "summed_communication_pct", "summed_tiny_pct", "summed_wait_pct"),
    *("host_copy_count", "wait_call_count"),
)
# time of a utilised GPU that kernels lose, or in which no kernel is long enough to profile
LOSSES = ("communication_exposed_pct", "copy_exposed_pct", "migration_pct", "tiny_span_pct")


def _of_sums(sums: Sums) -> GpuFacts:
    """Return the facts in sums: the ranking, and shares of the summed time of kernels, copies and sets."""
    ranks = ranking_of_sums(sums)
    chosen = target(ranks)
    whole = sum(k.total for k in ranks) + sum(total for _, total in (sums.copies or {}).values())
    tiny = [k for k in ranks if k.mean < constant("tiny_kernel_us") * 1000 and not k.communication]
    launches = float(sum(k.launches for k in ranks))
    values = {
        "kernel_launches": launches,
        "tiny_kernel_count": float(sum(k.launches for k in tiny)),
        "top_kernel_pct": 100 * chosen.total / whole if chosen is not None and whole else 0.0,
    }
    if whole:
        values["summed_tiny_pct"] = 100 * sum(k.total for k in tiny) / whole
        values["summed_communication_pct"] = 100 * sum(k.total for k in ranks if k.communication) / whole
    lacking = dict.fromkeys((*METRICS, *SUMMED), "events")
    if sums.copies is None:
        lacking |= dict.fromkeys(("summed_copy_pct", "summed_migration_pct", "host_copy_count"), "summed_copies")
    elif whole:
        of_kind = [(work_kind(name), *one) for name, one in sums.copies.items()]
        values["host_copy_count"] = float(sum(count for kind, count, _ in of_kind if kind in _HOST))
        values["summed_copy_pct"] = 100 * sum(ns for kind, _, ns in of_kind if kind in _HOST) / whole
        values["summed_migration_pct"] = 100 * sum(ns for kind, _, ns in of_kind if kind == kinds.MIGRATION) / whole
    if sums.calls is None:
        lacking |= dict.fromkeys(("wait_call_count", "summed_wait_pct"), "summed_calls")
    else:
        # Calls that return at once, as the GPU was done already, do not count.
        waiting = {name: one for name, one in sums.calls.items() if is_named("blocking", name)}
        waits = float(sum(n for n, ns in waiting.values() if not ns < n * constant("at_once_us") * 1000))
        if all(math.isfinite(ns) for _, ns in waiting.values()):
            values["wait_call_count"] = waits
            # Two waits without a launch in between cost once.
            lost = min(waits, launches) * constant("wake_up_us") * 1000
            if whole + lost:
                values["summed_wait_pct"] = 100 * lost / (whole + lost)
    values |= _none_at_all(sums, any(k.communication for k in ranks))
    sound = {name: value for name, value in values.items() if math.isfinite(value)}
    return GpuFacts(Gpu(-1), sound, {n: part for n, part in lacking.items() if n not in sound}, ranks)


def _none_at_all(sums: Sums, communication: bool) -> dict[str, float]:
    """Return the shares of a window that are 0 whatever its length: of work that the sums have none of.

    communication: whether there are kernels of it.
    """
    out: dict[str, float] = {}
    if sums.calls is not None and not manages_memory(sums.calls):
        out |= {"fault_pct": 0.0, "page_fault_count": 0.0}
    if sums.copies is None:
        return out
    met = {work_kind(name) for name in sums.copies}
    if kinds.MIGRATION not in met:
        out["migration_pct"] = 0.0
    if not met & _HOST:
        zeros = ("host_copy_pct", "copy_exposed_pct", "copy_overlappable_pct", "pageable_exposed_pct")
        out |= dict.fromkeys(zeros, 0.0)
    if kinds.PEER not in met and not communication:
        out |= dict.fromkeys(("communication_pct", "communication_exposed_pct"), 0.0)
    return out


def _of_gpu(trace: Trace, gpu: Gpu, work: Work) -> GpuFacts:
    start, end = int(work.start.min()), int(work.end.max())
    window = end - start
    kernel = (work.kind == kinds.KERNEL) | (work.kind == kinds.GRAPH)
    talk = communicates(trace, work)
    host = (work.kind == kinds.TO_DEVICE) | (work.kind == kinds.TO_HOST)
    tiny = is_tiny(trace, work)
    masks = {
        "communication": talk,
        "host_copies": host,
        "migrations": work.kind == kinds.MIGRATION,
        "pageable": work.pageable == 1,
        "tiny": tiny,
    }

    busy = union(work.start, work.end)
    ranks = ranking(trace, work, busy.length, window)

    def spans(mask: Array) -> Spans:
        # The same work is not stored again: each of these may have millions of intervals.
        return busy if mask.all() else union(work.start[mask], work.end[mask]) if mask.any() else EMPTY

    kernels, copies, talking = spans(kernel), spans(host), spans(talk)
    computing = spans(kernel & ~talk) if talk.any() else kernels
    lanes = {"kernels": computing, "communication": talking, "copies": copies, "busy": busy}
    lanes["migrations"] = spans(work.kind == kinds.MIGRATION)
    lanes["other"] = spans((work.kind == kinds.INSIDE) | (work.kind == kinds.SET) | (work.kind == kinds.OTHER))
    gaps = gaps_of(trace, work, busy)
    values: dict[str, float] = {"window_us": window / 1000, "run_us": trace.run / 1000 if trace.run else math.nan}
    lacking: dict[str, str] = {}

    def share(name: str, time: float) -> None:
        values[name] = 100 * time / window if window else math.nan

    share("gpu_busy_pct", busy.length)
    share("gpu_idle_pct", window - busy.length)
    share("computing_pct", computing.length)
    values["kernel_launches"] = float((work.kind == kinds.KERNEL).sum() + (work.kind == kinds.GRAPH).sum())
    chosen = target(ranks)
    values["top_kernel_pct"] = chosen.busy or 0.0 if chosen is not None else 0.0
    opaque = spans(work.kind == kinds.GRAPH)
    values["opaque_graph_pct"] = 100 * opaque.length / busy.length if busy.length else 0.0
    _copies(trace, work, share, values, kernels, copies, spans)
    share("communication_pct", talking.length)
    share("communication_exposed_pct", talking.length - common(talking, computing))
    _waits(trace, gaps, share, values)
    _graphs(trace, work, gaps, share, values)
    short_gaps = gaps.cause == causes.TINY
    between = tiny[gaps.before] & tiny[gaps.after] & (short_gaps | (gaps.cause == causes.SYNC))
    length = gaps.lengths(between).sum()
    values["tiny_kernel_count"] = float(tiny.sum())
    share("tiny_span_pct", spans(tiny).length + float(length))
    values["system_loss_pct"] = max(values.get(name, 0.0) for name in LOSSES)
    _idle(trace, gaps, share, values)
    _faults(trace, gpu, (start, end), share, values)
    values["nvlink"] = nvlink(gpu.name, work)
    lacking |= _lacking(trace, values)
    sound = {name: value for name, value in values.items() if math.isfinite(value)}
    return GpuFacts(gpu, sound, lacking, ranks, (start, end), work, gaps, lanes, masks)


def _idle(trace: Trace, gaps: Gaps, share: Any, values: dict[str, float]) -> None:
    """Calculate the unexplained idle time, and how much of it is outside the longest gap."""
    length = gaps.lengths(gaps.cause == causes.OTHER)
    share("idle_unexplained_pct", int(length.sum()))
    share("idle_repeated_pct", int(length.sum() - length.max(initial=0)))
    values["idle_gap_count"] = float(len(length))
    if len(length):
        # Half of that time is in gaps of at least this length, so that the many short gaps do not dominate.
        order = np.sort(length)
        values["idle_gap_us"] = float(order[np.searchsorted(np.cumsum(order), order.sum() / 2)]) / 1000
    outside = outside_calls(trace, gaps, causes.OTHER)
    values["outside_calls_pct"] = 100 * outside if outside is not None else math.nan


def _faults(trace: Trace, gpu: Gpu, window: tuple[int, int], share: Any, values: dict[str, float]) -> None:
    """Calculate the page faults: their total number on CPU and GPU, and the time to handle those of this GPU."""
    if trace.faults is None:
        return
    mine = (trace.faults.gpu == gpu.id) | (len(trace.gpus) == 1)
    start, end = trace.faults.start[mine].clip(*window), trace.faults.end[mine].clip(*window)
    share("fault_pct", union(start, end).length)
    values["page_fault_count"] = float(trace.faults.pages)


def nvlink(name: str, work: Work) -> float:
    """Return 1 if the GPUs are linked by NVLink, 0 if by PCIe, NaN if not known.

    A copy between two of them that is faster than PCIe proves NVLink; otherwise the GPU's name decides.
    """
    peer = (work.kind == kinds.PEER) & (work.size > 0) & (work.end > work.start)
    if peer.any() and (work.size[peer] / (work.end - work.start)[peer]).max() > constant("pcie_most_gbs"):
        return 1.0
    if named("nvlink_cards").search(name):
        return 1.0
    return 0.0 if named("pcie_cards").search(name) else math.nan


def _copies(
    trace: Trace, work: Work, share: Any, values: dict[str, float], kernels: Spans, copies: Spans, spans: Any
) -> None:
    if not trace.copies_seen:
        return
    exposed = copies.length - common(copies, kernels)
    share("host_copy_pct", copies.length)
    share("copy_exposed_pct", exposed)
    # At best the longest of the three engines (computation, copies to and from the device) is all that is left.
    engines = (kernels, spans(work.kind == kinds.TO_DEVICE), spans(work.kind == kinds.TO_HOST))
    covered = kernels.length + exposed
    share("copy_overlappable_pct", covered - max(engine.length for engine in engines))
    if trace.memory_kinds:
        host = (work.kind == kinds.TO_DEVICE) | (work.kind == kinds.TO_HOST)
        pageable, unknown = spans(work.pageable == 1), spans(host & (work.pageable == kinds.UNKNOWN))
        hidden = common(pageable, kernels)
        # If the kind of some memory is unknown, the share is unknown too, unless those copies are negligible.
        if unknown.length <= 0.01 * (work.end.max() - work.start.min()):
            share("pageable_exposed_pct", pageable.length - hidden)
    if trace.migrations_seen:
        share("migration_pct", spans(work.kind == kinds.MIGRATION).length)


def _waits(trace: Trace, gaps: Gaps, share: Any, values: dict[str, float]) -> None:
    if gaps.threads:
        share("sync_gap_pct", gaps.length(causes.SYNC))
        values["sync_gap_count"] = float(gaps.count(causes.SYNC))
        values["sync_call_count"] = float(len(waiting(trace, gaps.threads) or ()))
    if trace.copies_seen:
        for name, cause in (
            ("input_wait", causes.INPUT),
            ("output_wait", causes.OUTPUT),
            ("round_trip", causes.ROUND_TRIP),
        ):
            share(f"{name}_pct", gaps.length(cause))
            values[f"{name}_count"] = float(gaps.count(cause))
    # If the trace has no MPI calls, idle time has another cause or none.
    share("mpi_idle_pct", gaps.length(causes.MPI))


def _graphs(trace: Trace, work: Work, gaps: Gaps, share: Any, values: dict[str, float]) -> None:
    whole = work.kind == kinds.GRAPH
    nodes = np.flatnonzero(work.graph > 0)
    length = (work.end - work.start)[whole].tolist()
    if len(nodes):
        _, where = np.unique(work.graph[nodes], return_inverse=True)
        where = where.reshape(-1)
        first = np.full(where.max() + 1, np.iinfo(np.int64).max)
        last = np.full(where.max() + 1, np.iinfo(np.int64).min)
        np.minimum.at(first, where, work.start[nodes])
        np.maximum.at(last, where, work.end[nodes])
        length += (last - first).tolist()
    if length or trace.graphs_seen:
        values["graph_launch_count"] = float(len(length))
        values["graph_mean_us"] = float(np.mean(length)) / 1000 if length else math.nan
        share("graph_gap_pct", gaps.length(causes.GRAPHS))


def _lacking(trace: Trace, values: dict[str, float]) -> dict[str, str]:
    """Return the part of the trace that each unknown metric needs."""
    needs = {
        **dict.fromkeys(("host_copy_pct", "copy_exposed_pct", "copy_overlappable_pct"), "copies"),
        **dict.fromkeys(("input_wait_pct", "input_wait_count", "output_wait_pct", "output_wait_count"), "copies"),
        **dict.fromkeys(("round_trip_pct", "round_trip_count"), "copies"),
        "migration_pct": "copies" if not trace.copies_seen else "migrations",
        "pageable_exposed_pct": "copies" if not trace.copies_seen else "memory_kinds",
        **dict.fromkeys(("sync_gap_pct", "sync_gap_count"), "calls"),
        **dict.fromkeys(("graph_launch_count", "graph_gap_pct"), "graphs"),
        **dict.fromkeys(("fault_pct", "page_fault_count"), "faults"),
        "outside_calls_pct": "calls",
        "nvlink": "links",
    }
    return {name: needs.get(name, "work") for name in METRICS if not math.isfinite(values.get(name, math.nan))}


def lanes(facts: GpuFacts) -> tuple[Lane, ...]:
    """Return the lanes: kinds of work that occur, GPU utilisation, and the streams with the most work if several."""
    if facts.work is None:
        return ()
    out = [Lane(name, facts.spans[name]) for name in _ROWS if len(facts.spans[name])]
    out.append(Lane("busy", facts.spans["busy"]))
    streams = distinct(facts.work.stream)
    if len(streams) > 1:
        rows = []
        for stream in streams.tolist():
            mine = facts.work.stream == stream
            rows.append(Lane("stream", union(facts.work.start[mine], facts.work.end[mine]), int(stream)))
        rows.sort(key=lambda lane: (-lane.spans.length, lane.stream))
        out += sorted(rows[:_MOST_STREAMS], key=lambda lane: lane.stream or 0)
    return tuple(out)


def fullness(lane: Lane, start: int, end: int, slices: int) -> Array:
    """Return the covered share, 0 to 1, of each of `slices` equal parts of the time from start to end."""
    edges = np.linspace(start, end, slices + 1)
    moments = np.rint(edges).astype(np.int64)
    width = np.maximum(np.diff(moments), 1)
    return np.asarray(np.diff(before(lane.spans, moments)) / width)
