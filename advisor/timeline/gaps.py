"""Find the cause of each gap of idle time from the work around it and the host's calls during it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from advisor.timeline import trace as kinds
from advisor.timeline.columns import counted, distinct, is_same, is_sorted, kind_for, narrow, pieces, reach, same
from advisor.timeline.intervals import shared, union
from advisor.timeline.spans import Spans
from advisor.timeline.trace import Calls, Trace, Work, constant, is_named

Array = np.ndarray[Any, np.dtype[Any]]
# The causes, in the order in which they are checked.
MPI, GRAPHS, SYNC, TINY, INPUT, OUTPUT, ROUND_TRIP, OTHER = range(8)
CAUSES = ("mpi", "graphs", "sync", "tiny", "input", "output", "round_trip", "other")  # ids in knowledge/timeline


_ALL = slice(None)


class Gaps(Struct, frozen=True, eq=False):
    """The idle time of one GPU, from its first work to its last.

    spans: the gaps; before, after: rows of the GPU's work at either side; cause: one of CAUSES; threads: the host
    threads that launched work on the GPU, sorted by amount, empty if no call is known to have requested any.
    """

    spans: Spans
    before: Array
    after: Array
    cause: Array
    threads: tuple[int, ...]

    def length(self, cause: int) -> int:
        """Return the total time in gaps of one cause, in ns."""
        return int(self.lengths(self.cause == cause).sum())

    def lengths(self, chosen: Array) -> Array:
        """Return the length of some gaps, in ns."""
        return np.asarray(self.spans.end[chosen] - self.spans.start[chosen])

    def count(self, cause: int) -> int:
        """Return the number of gaps of one cause."""
        return int((self.cause == cause).sum())


_LOW = np.int64(1) << 33  # above every correlation id


def call_rows(work: Work, calls: Calls | None, rows: Array | slice = _ALL) -> Array:
    """Return the row of the call that requested each piece of work, -1 if not known. rows: of the work, by default all.

    A trace may have millions of both: as few arrays of their length as possible exist at a time.
    """
    process, call = work.process[rows], work.call[rows]
    if calls is None or not len(calls) or not len(call):
        return same(-1, len(call)) if len(call) else np.empty(0, np.int32)
    # Correlation ids are unique within a process; a thread id holds its process above the lower 24 bits.
    processes = np.zeros(1, np.int64)
    made, ran = distinct(calls.thread), distinct(process)
    if (ran >= 0).all():
        processes = np.union1d(made >> 24, ran >> 24)
    if len(processes) > 2**28:
        return same(-1, len(call))
    key = _keys(processes, calls.thread, calls.call, _LOW - 1)
    order = None
    if not is_sorted(key):
        order = np.argsort(key, kind="stable").astype(kind_for(0, len(key)))
        key = key[order]
    # Of one type, so that a search does not convert all keys each time.
    plain = len(processes) <= 1 and _sound(call)
    key = key.astype(np.result_type(key, call if plain else np.int64), copy=False)
    out = np.empty(len(call), kind_for(-1, len(key)))
    for some in pieces(len(call)):
        wanted = _keys(processes, process[some], call[some], _LOW - 2).astype(key.dtype, copy=False)
        place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        found = place if order is None else order[place]
        out[some] = np.where(key[place] == wanted, found, -1)
    return out


def _sound(call: Array) -> bool:
    """Return whether all of these can be correlation ids."""
    return bool((call >= 0).all()) and bool((call < _LOW - 1).all())


def _keys(processes: Array, of: Array, call: Array, none: np.int64) -> Array:
    """Return process and correlation id as one number. processes: all of them, sorted; of: process or thread ids."""
    if len(processes) <= 1 and _sound(call):
        return call
    key = np.where((call >= 0) & (call < _LOW - 1), call, none)
    if len(processes) > 1:
        key += np.searchsorted(processes, of >> 24) * _LOW
    return key


def gaps_of(trace: Trace, work: Work, busy: Spans) -> Gaps:
    """Find the gaps of one GPU. work: everything that ran on it, sorted by start; busy: its union."""
    spans, before, after = _idle(work, busy)
    threads, rows = _asked(work, trace.calls)
    # Work that was launched before the gap did not wait for the host.
    late = np.empty(len(spans), bool)
    for some in pieces(len(spans)):
        late[some] = _times(trace.calls, rows[after[some]]) > spans.start[some]
    late |= rows[after] < 0
    return Gaps(spans, before, after, _causes(trace, work, spans, before, after, threads, late), threads)


def _idle(work: Work, busy: Spans) -> tuple[Spans, Array, Array]:
    """Return the gaps, and the rows of the work before and after each."""
    kind, until = kind_for(0, len(work)), reach(work.end)
    edge = np.flatnonzero(work.start[1:] > until[:-1]).astype(kind)
    after = edge + kind(1)
    if until is work.end:
        last = edge
    else:
        # The latest row that ends as late as any before it.
        last = np.maximum.accumulate(np.where(work.end == until, np.arange(len(work), dtype=kind), kind(0)))[edge]
    if len(edge) == len(busy) - 1:  # no work without a duration, so the gaps are those between what is busy
        return Spans(busy.end[:-1], busy.start[1:]), last, after
    return Spans(until[edge], work.start[after]), last, after


def _asked(work: Work, calls: Calls | None) -> tuple[tuple[int, ...], Array]:
    """Return the threads that launched work, sorted by amount, and the row of the call of each piece of work, or -1."""
    rows = call_rows(work, calls)
    known = rows >= 0
    if calls is None or not known.any():
        return (), rows
    found, counts = counted(
        calls.thread if is_same(calls.thread) else calls.thread[rows if known.all() else rows[known]]
    )
    return tuple(found[np.argsort(-counts, kind="stable")].tolist()), rows


def _times(calls: Calls | None, rows: Array) -> Array:
    """Return when each of these calls began."""
    return np.zeros(len(rows), np.int64) if calls is None or not len(calls) else calls.start[rows]


def _causes(
    trace: Trace, work: Work, spans: Spans, before: Array, after: Array, threads: tuple[int, ...], late: Array
) -> Array:
    length = narrow(spans.end - spans.start)
    short = length <= constant("short_gap_us") * 1000
    cause = np.full(len(spans), OTHER, np.int8)
    free = np.ones(len(spans), bool)

    def give(mask: Array, name: int) -> None:
        chosen = mask & free
        cause[chosen] = name
        free[chosen] = False

    if trace.mpi is not None:
        give(shared(union(*trace.mpi), spans.start, spans.end) * 2 >= length, MPI)
    graph = (work.kind == kinds.GRAPH) | (work.graph > 0)
    other_graph = (work.graph[before] != work.graph[after]) | (work.kind[before] == kinds.GRAPH)
    give(graph[before] & graph[after] & other_graph & short, GRAPHS)
    give(_after_wait(trace, spans, threads) & late & short, SYNC)
    tiny = is_tiny(trace, work)
    give(tiny[before] & tiny[after] & short, TINY)
    # A host that allocates memory or loads code handles neither data nor results: plain idle time.
    give(_in_calls(trace, "setup", spans, threads) * 2 >= length, OTHER)
    long = ~short & late
    loading, handling = (_inside(trace, group, spans, threads) * 2 >= length for group in ("loading", "handling"))
    give(long & loading, INPUT)
    give(long & handling, OUTPUT)
    data = (work.size < 0) | (work.size >= constant("data_bytes"))
    # Smaller copies such as labels may surround a batch, and buffers may be cleared first.
    light = np.isin(work.kind, (kinds.TO_DEVICE, kinds.TO_HOST, kinds.SET))
    near = np.int64(constant("short_gap_us") * 1000)
    starts = work.start[(work.kind == kinds.TO_DEVICE) & data]
    ends = np.sort(work.end[(work.kind == kinds.TO_HOST) & data])
    brought, fetched = np.zeros((2, len(spans)), bool)
    rows = np.flatnonzero(long)
    first, last = spans.start[rows], spans.end[rows]
    brought[rows] = light[after[rows]] & _between(starts, last, last + near)
    fetched[rows] = light[before[rows]] & _between(ends, first - near, first)
    give(long & brought & ~fetched, INPUT)
    give(long & fetched & ~brought, OUTPUT)
    if trace.mpi is not None:
        # Results that are fetched, sent and received as new data: the host is in MPI for part of such a gap.
        give(long & fetched & brought & (shared(union(*trace.mpi), spans.start, spans.end) * 10 >= length), MPI)
    give(long & fetched & brought, ROUND_TRIP)
    return cause


def _between(moments: Array, first: Array, last: Array) -> Array:
    """Return whether one of the sorted moments is between `first` and `last`, for each pair of them."""
    return np.asarray(np.searchsorted(moments, last, "right") > np.searchsorted(moments, first, "left"))


def communicates(trace: Trace, work: Work) -> Array:
    """Return the work that is communication between GPUs: kernels by name, and copies from GPU to GPU."""
    kernels = distinct(work.name).tolist()
    names = [i for i in kernels if is_named("communication", trace.short.get(i, "") or trace.names[i])]
    return np.asarray(((work.kind == kinds.KERNEL) & _among(work.name, names)) | (work.kind == kinds.PEER))


def is_tiny(trace: Trace, work: Work) -> Array:
    """Return the kernels, launched on their own, that take about as long as their launch."""
    brief = work.end - work.start < constant("tiny_kernel_us") * 1000
    return np.asarray((work.kind == kinds.KERNEL) & brief & (work.graph == 0) & ~communicates(trace, work))


def _among(column: Array, values: Sequence[int]) -> Array:
    """Return whether each value is one of these."""
    if is_same(column):
        return np.broadcast_to(np.array(int(column[0]) in values), (len(column),))
    return np.isin(column, values) if len(values) else np.zeros(len(column), bool)


def _in_calls(trace: Trace, group: str, spans: Spans, threads: tuple[int, ...]) -> Array:
    """Return the time in ns of each gap that the threads spend in calls of a group; -1 if calls were not traced."""
    if trace.calls is None:
        return same(-1, len(spans))
    names = [i for i in distinct(trace.calls.name).tolist() if is_named(group, trace.names[i])]
    chosen = _among(trace.calls.name, names) & _among(trace.calls.thread, threads)
    return shared(union(trace.calls.start[chosen], trace.calls.end[chosen]), spans.start, spans.end)


def waiting(trace: Trace, threads: tuple[int, ...]) -> Calls | None:
    """Return the calls in which the threads wait for the GPU, or None if calls were not traced."""
    if trace.calls is None:
        return None
    names = [i for i in distinct(trace.calls.name).tolist() if is_named("waiting", trace.names[i])]
    return trace.calls.where(_among(trace.calls.name, names) & _among(trace.calls.thread, threads))


def _after_wait(trace: Trace, spans: Spans, threads: tuple[int, ...]) -> Array:
    """Return the gaps that began while the host was waiting for the GPU."""
    waits = waiting(trace, threads)
    if waits is None or not len(waits):
        return np.zeros(len(spans), bool)
    until, out = reach(waits.end), np.empty(len(spans), bool)
    for some in pieces(len(spans)):
        place = np.searchsorted(waits.start, spans.start[some], "right") - 1
        out[some] = (place >= 0) & (until[np.maximum(place, 0)] >= spans.start[some])
    return out


def outside_calls(trace: Trace, gaps: Gaps, cause: int) -> float | None:
    """Return the share, 0 to 1, of the gaps of a cause in which no launching thread is in a CUDA API call."""
    chosen = gaps.cause == cause
    if trace.calls is None or not gaps.threads or not chosen.any():
        return None
    start, end = gaps.spans.start, gaps.spans.end
    if not chosen.all():
        start, end = start[chosen], end[chosen]
    mine = _among(trace.calls.thread, gaps.threads)
    calls = trace.calls if mine.all() else trace.calls.where(mine)
    within = shared(union(calls.start, calls.end), start, end).sum()
    return 1 - float(within) / float((end - start).sum())


def _inside(trace: Trace, group: str, spans: Spans, threads: tuple[int, ...]) -> Array:
    """Return the time in ns of each gap in NVTX ranges whose name belongs to the group."""
    nothing = same(-1, len(spans))
    if trace.ranges is None or not len(trace.ranges):
        return nothing
    names = [i for i in distinct(trace.ranges.name).tolist() if is_named(group, trace.names[i])]
    chosen = np.isin(trace.ranges.name, names)
    if threads:
        chosen &= np.isin(trace.ranges.thread, threads)
    if not chosen.any():
        return nothing
    return shared(union(trace.ranges.start[chosen], trace.ranges.end[chosen]), spans.start, spans.end)
