"""Rank the kernels, calculate the upper bound of each by Amdahl's law, and choose a representative launch."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.timeline import trace as kinds
from advisor.timeline.intervals import union
from advisor.timeline.results import KernelRank
from advisor.timeline.trace import Sums, Trace, Work, base_name, constant, named

Array = np.ndarray[Any, np.dtype[Any]]


def amdahl(whole: float, part: float) -> float:
    """Return the speedup of the whole if the part took no time: whole / (whole - part)."""
    return whole / (whole - part) if part < whole else float("inf")


def ranking(trace: Trace, work: Work, busy: int, window: int) -> tuple[KernelRank, ...]:
    """Rank all kernels of one GPU by total time. busy, window: ns."""
    chosen = np.flatnonzero(work.kind == kinds.KERNEL)
    if not len(chosen):
        return ()
    order = chosen[np.argsort(work.name[chosen], kind="stable")]
    name, start, end = work.name[order], work.start[order], work.end[order]
    edges = np.flatnonzero(np.concatenate([[True], name[1:] != name[:-1]]))
    length = end - start
    totals, counts = np.add.reduceat(length, edges), np.diff(np.append(edges, len(order)))
    least, most = np.minimum.reduceat(length, edges), np.maximum.reduceat(length, edges)
    whole = float(length.sum()) or 1.0
    mark = named("communication")
    out = []
    for at, (first, count) in enumerate(zip(edges.tolist(), counts.tolist(), strict=True)):
        index = int(name[first])
        covered = union(start[first : first + count], end[first : first + count]).length
        text = trace.names[index]
        out.append(
            KernelRank(
                name=text,
                short=trace.short.get(index, "") or text,
                launches=count,
                total=float(totals[at]),
                share=100 * float(totals[at]) / whole,
                mean=float(totals[at]) / count,
                shortest=float(least[at]),
                longest=float(most[at]),
                covered=float(covered),
                busy=100 * covered / busy if busy else None,
                bound=amdahl(window, covered) if window else None,
                run_bound=amdahl(trace.run, covered) if trace.run else None,
                communication=mark.search(trace.short.get(index, "") or text) is not None,
            )
        )
    return tuple(sorted(out, key=lambda k: (-k.total, k.name)))


def ranking_of_sums(sums: Sums) -> tuple[KernelRank, ...]:
    """Rank the kernels in a summary table by share and time; without bounds, because the idle time is unknown."""
    listed = sums.kernels or ()
    whole = sum(k.total for k in listed) or 1.0
    mark = named("communication")
    return tuple(
        KernelRank(
            name=k.name,
            short=base_name(k.name),
            launches=k.launches,
            total=k.total,
            share=100 * k.total / whole,
            mean=k.mean,
            shortest=k.shortest,
            longest=k.longest,
            communication=mark.search(k.name) is not None,
        )
        for k in listed
    )


def target(ranks: tuple[KernelRank, ...]) -> KernelRank | None:
    """Return the kernel to profile next: the one with the most time, except communication, which waits for others."""
    return next((k for k in ranks if not k.communication), None)


def representative(length: Array) -> tuple[int, int]:
    """Return the indices of a representative launch and of one from the middle. length: durations in launch order.

    Half of the kernel's time is in launches shorter than the typical duration; the first launch is excluded as warm-up
    if there are others. The representative is the first launch within the tolerance of it, else the nearest.
    """
    first = 1 if len(length) > 1 else 0
    rest = length[first:]
    ordered = np.sort(rest)
    done = np.cumsum(ordered)
    typical = ordered[int(np.searchsorted(done, done[-1] / 2))]
    del ordered, done  # a kernel may have millions of launches
    away = np.abs(rest - typical)
    near = np.flatnonzero(away <= constant("typical_pct") / 100 * typical)
    if not len(near):
        near = np.array([int(np.argmin(away))])
    return first + int(near[0]), first + int(near[len(near) // 2])
