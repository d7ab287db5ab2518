"""Find the moments that show a pattern: the longest gaps or pieces of work, with the host's calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from advisor.knowledge.schemas import MomentsDef
from advisor.timeline import trace as kinds
from advisor.timeline.columns import distinct, pieces
from advisor.timeline.facts import GpuFacts
from advisor.timeline.gaps import CAUSES, Gaps, call_rows
from advisor.timeline.kernels import target
from advisor.timeline.ncu_command import enclosing
from advisor.timeline.results import Moment
from advisor.timeline.trace import Calls, Trace, Work

Array = np.ndarray[Any, np.dtype[Any]]
_SHOWN = 3
_KIND_NAMES = {
    kinds.TO_DEVICE: "[copy host to device]",
    kinds.TO_HOST: "[copy device to host]",
    kinds.INSIDE: "[copy on the device]",
    kinds.PEER: "[copy between GPUs]",
    kinds.MIGRATION: "[migration of managed memory]",
    kinds.SET: "[memory set]",
    kinds.GRAPH: "[CUDA graph]",
    kinds.OTHER: "[copy]",
}


def moments(trace: Trace, facts: GpuFacts, wanted: MomentsDef) -> tuple[Moment, ...]:
    """Return the longest of the wanted moments on one GPU, at most three; () if single events are not known."""
    work, gaps = facts.work, facts.gaps
    if work is None or gaps is None:
        return ()
    out: tuple[Moment, ...] = ()
    if wanted.work:
        masks = [_is_target(trace, facts, work) if name == "target" else facts.masks[name] for name in wanted.work]
        out = _work_moments(trace, work, gaps, np.flatnonzero(np.any(masks, axis=0)))
    if wanted.gaps:
        rows = np.flatnonzero(np.isin(gaps.cause, [CAUSES.index(name) for name in wanted.gaps]))
        if wanted.or_any and not len(rows):
            rows = np.arange(len(gaps.cause))
        out += _gap_moments(trace, work, gaps, rows)
    return out[:_SHOWN]


def _is_target(trace: Trace, facts: GpuFacts, work: Work) -> Array:
    chosen = target(facts.ranks)
    if chosen is None:
        return np.zeros(len(work), bool)
    used = distinct(work.name).tolist()
    return np.asarray(
        (work.kind == kinds.KERNEL) & np.isin(work.name, [i for i in used if trace.names[i] == chosen.name])
    )


def _longest(length: Array, rows: Array) -> list[int]:
    """Return the rows with the largest length; the earliest is first among equal lengths. rows: ascending."""
    left, out = length[rows], []
    for _ in range(min(_SHOWN, len(rows))):
        out.append(int(rows[at := int(left.argmax())]))
        left[at] = -1
    return out


def title(trace: Trace, work: Work, row: int) -> str:
    """Return the name of a piece of work: a kernel's base name, or the kind of copy."""
    kind = int(work.kind[row])
    if kind == kinds.KERNEL:
        name = int(work.name[row])
        return trace.short.get(name) or trace.names[name]
    return _KIND_NAMES[kind]


def _gap_moments(trace: Trace, work: Work, gaps: Gaps, rows: Array) -> tuple[Moment, ...]:
    length = gaps.spans.end - gaps.spans.start
    out = []
    for row in _longest(length, rows):
        start, end = int(gaps.spans.start[row]), int(gaps.spans.end[row])
        call, in_call = _busiest(trace, trace.calls, gaps.threads[:1], start, end)
        system, in_system = _busiest(trace, trace.system, gaps.threads[:1], start, end)
        out.append(
            Moment(
                kind="gap",
                start=start,
                duration=end - start,
                before=title(trace, work, int(gaps.before[row])),
                after=title(trace, work, int(gaps.after[row])),
                call=call,
                system=system,
                range=_range(trace, gaps.threads, (start + end) // 2),
                call_pct=None if in_call is None else 100 * in_call,
                system_call_pct=None if in_system is None else 100 * in_system,
            )
        )
    return tuple(out)


def _work_moments(trace: Trace, work: Work, gaps: Gaps, rows: Array) -> tuple[Moment, ...]:
    out = []
    chosen = _longest(work.end - work.start, rows)
    asked = call_rows(work, trace.calls, np.array(chosen, dtype=np.int64)) if chosen else ()
    for row, call in zip(chosen, asked, strict=True):
        size, pageable = int(work.size[row]), int(work.pageable[row])
        start, end = int(work.start[row]), int(work.end[row])
        thread, moment = gaps.threads, start
        if call >= 0 and trace.calls is not None:
            thread, moment = (int(trace.calls.thread[call]),), int(trace.calls.start[call])
        out.append(
            Moment(
                kind="work",
                start=start,
                duration=end - start,
                what=title(trace, work, row),
                size=size if size >= 0 else None,
                pageable=bool(pageable) if pageable >= 0 else None,
                call=trace.names[int(trace.calls.name[call])] if call >= 0 and trace.calls is not None else "",
                range=_range(trace, thread, moment),
            )
        )
    return tuple(out)


def _busiest(
    trace: Trace, calls: Calls | None, threads: Sequence[int], start: int, end: int
) -> tuple[str, float | None]:
    """Return the name of the calls that take most of an interval on these threads, and their share, 0 to 1.

    Return ('', 0) if there were none, ('', None) if calls were not traced.
    """
    if calls is None or not len(calls):
        return "", None
    began = int(np.searchsorted(calls.start, end))
    late = [np.flatnonzero(calls.end[some] > start) + some.start for some in pieces(began)]
    first = calls.where(np.concatenate([np.empty(0, np.int64), *late]))
    inside = np.minimum(first.end, end) - np.maximum(first.start, start)
    inside = np.where(np.isin(first.thread, list(threads)) if threads else True, inside, 0)
    inside = np.maximum(inside, 0)
    if not len(inside) or inside.max() <= 0:
        return "", 0.0
    found = inside > 0
    names, where = np.unique(first.name[found], return_inverse=True)
    time = np.bincount(where.reshape(-1), weights=inside[found])
    best = int(time.argmax())
    # Nested calls are counted twice.
    return trace.names[int(names[best])], min(1.0, float(time[best]) / (end - start))


def _range(trace: Trace, threads: Sequence[int], moment: int) -> str:
    """Return the innermost NVTX range at a moment on the first of the threads that is in one."""
    if trace.ranges is None:
        return ""
    for thread in threads[:4]:
        found = enclosing(trace.ranges, moment, thread)
        if found:
            domain = trace.names[int(trace.ranges.domain[found[0]])]
            name = trace.names[int(trace.ranges.name[found[0]])]
            return f"{domain}:{name}" if domain else name
    return ""
