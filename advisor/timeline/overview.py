"""What a timeline shows before any pattern is named: work by kind, calls of the host, and the gaps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from msgspec import Struct

from advisor.knowledge.schemas import MomentsDef
from advisor.timeline import trace as kinds
from advisor.timeline.facts import GpuFacts
from advisor.timeline.gaps import CAUSES
from advisor.timeline.intervals import union
from advisor.timeline.moments import moments, title
from advisor.timeline.results import Moment
from advisor.timeline.trace import Calls, Trace, Work

Array = np.ndarray[Any, np.dtype[Any]]


class WorkSum(Struct, frozen=True):
    """GPU work of one kind. covered: ns in which at least one piece ran; size: bytes moved, None for kernels.

    pageable: whether the host memory is, None if that is not known or the copies differ.
    """

    name: str
    count: int
    total: int
    covered: int
    size: int | None = None
    pageable: bool | None = None


class CallSum(Struct, frozen=True):
    """Calls of one function on the host; total in ns, nested calls counted twice."""

    name: str
    count: int
    total: int


class Overview(Struct, frozen=True):
    """The facts of one GPU. window: ns; busy: ns; gaps: number, total and median ns; longest: the longest gaps."""

    window: int
    busy: int
    work: tuple[WorkSum, ...]
    calls: tuple[CallSum, ...]
    system: tuple[CallSum, ...]
    ranges: tuple[CallSum, ...]
    gaps: int
    gap_total: int
    gap_median: int
    longest: tuple[Moment, ...]


def overview(trace: Trace, facts: GpuFacts) -> Overview | None:
    """Return the facts of one GPU, or None if the trace has only sums."""
    work, gaps, window = facts.work, facts.gaps, facts.window
    if work is None or gaps is None or window is None:
        return None
    length = gaps.spans.end - gaps.spans.start
    every = MomentsDef(gaps=tuple(CAUSES))  # type: ignore[arg-type]  # the names of the causes are those of MomentsDef
    ranges = trace.ranges
    return Overview(
        window[1] - window[0],
        facts.spans["busy"].length,
        tuple(_work(trace, work)),
        _calls(trace, trace.calls),
        _calls(trace, trace.system),
        () if ranges is None else _sums(trace, ranges.name, ranges.end - ranges.start),
        len(length),
        int(length.sum()),
        int(np.median(length)) if len(length) else 0,
        moments(trace, facts, every),
    )


def _work(trace: Trace, work: Work) -> Iterable[WorkSum]:
    for kind in np.unique(work.kind).tolist():
        mine = work.where(work.kind == kind)
        size, pageable = mine.size[mine.size >= 0], np.unique(mine.pageable)
        alike = len(pageable) == 1 and int(pageable[0]) != kinds.UNKNOWN
        yield WorkSum(
            "[kernels]" if kind == kinds.KERNEL else title(trace, mine, 0),
            len(mine),
            int((mine.end - mine.start).sum()),
            union(mine.start, mine.end).length,
            int(size.sum()) if len(size) else None,
            bool(pageable[0]) if alike and kind in (kinds.TO_DEVICE, kinds.TO_HOST) else None,
        )


def _calls(trace: Trace, calls: Calls | None) -> tuple[CallSum, ...]:
    return () if calls is None else _sums(trace, calls.name, calls.end - calls.start)


def _sums(trace: Trace, names: Array, length: Array) -> tuple[CallSum, ...]:
    """Return the sums by name, those with the most time first."""
    used, where, counts = np.unique(names, return_inverse=True, return_counts=True)
    total = np.bincount(where.reshape(-1), weights=length, minlength=len(used))
    rows = [
        CallSum(trace.names[int(name)], int(count), round(float(time)))
        for name, count, time in zip(used, counts, total, strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.total, row.name)))
