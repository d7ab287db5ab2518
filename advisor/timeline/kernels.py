"""Rank the kernels, calculate the upper bound of each by Amdahl's law, and choose a representative launch."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from advisor.timeline import trace as kinds
from advisor.timeline.columns import pieces
from advisor.timeline.results import KernelRank
from advisor.timeline.trace import Sums, Trace, Work, base_name, constant, is_named

Array = np.ndarray[Any, np.dtype[Any]]


def amdahl(whole: float, part: float) -> float:
    """Return the speedup of the whole if the part took no time: whole / (whole - part)."""
    return whole / (whole - part) if part < whole else float("inf")


def ranking(trace: Trace, work: Work, busy: int, window: int) -> tuple[KernelRank, ...]:
    """Rank all kernels of one GPU by total time. busy, window: ns."""
    found = _by_name(work)
    whole = float(sum(one.total for one in found.values())) or 1.0
    out = []
    for index, one in sorted(found.items()):
        count, covered = one.count, one.covered
        text = trace.names[index]
        out.append(
            KernelRank(
                name=text,
                short=trace.short.get(index, "") or text,
                launches=count,
                total=float(one.total),
                share=100 * float(one.total) / whole,
                mean=float(one.total) / count,
                shortest=float(one.shortest),
                longest=float(one.longest),
                covered=float(covered),
                busy=100 * covered / busy if busy else None,
                bound=amdahl(window, covered) if window else None,
                run_bound=amdahl(trace.run, covered) if trace.run else None,
                communication=is_named("communication", trace.short.get(index, "") or text),
            )
        )
    return tuple(sorted(out, key=lambda k: (-k.total, k.name)))


@dataclass
class _Sums:
    """The launches of one kernel so far. covered: ns in which at least one ran; until: the end of the latest."""

    count: int = 0
    total: int = 0
    covered: int = 0
    shortest: int = 1 << 62
    longest: int = 0
    until: int = -(1 << 62)

    def add(self, start: Array, end: Array) -> None:
        """Add launches, which begin in order and after those before."""
        length = end - start
        self.count += len(start)
        self.total += int(length.sum())
        self.shortest, self.longest = min(self.shortest, int(length.min())), max(self.longest, int(length.max()))
        last = np.maximum(np.maximum.accumulate(end), self.until)
        free = np.maximum(start, np.concatenate([[self.until], last[:-1]]))
        self.covered += int(np.maximum(end - free, 0).sum())
        self.until = int(last[-1])


def _by_name(work: Work) -> dict[int, _Sums]:
    """Return the sums of each kernel by the index of its name. The work is sorted by start, and read in pieces."""
    found: dict[int, _Sums] = {}
    for some in pieces(len(work)):
        rows = np.flatnonzero(work.kind[some] == kinds.KERNEL) + some.start
        order = rows[np.argsort(work.name[rows], kind="stable")]
        name, start, end = work.name[order], work.start[order], work.end[order]
        edges = np.flatnonzero(name[1:] != name[:-1]) + 1
        for first, last in pairwise((0, *edges.tolist(), len(order))) if len(order) else ():
            found.setdefault(int(name[first]), _Sums()).add(start[first:last], end[first:last])
    return found


def ranking_of_sums(sums: Sums) -> tuple[KernelRank, ...]:
    """Rank the kernels in a summary table by share and time; without bounds, because the idle time is unknown."""
    listed = sums.kernels or ()
    whole = sum(k.total for k in listed) or 1.0
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
            communication=is_named("communication", k.name),
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
    ordered, half, done = np.sort(rest), float(rest.sum()) / 2, 0
    for some in pieces(len(ordered)):
        sums = done + np.cumsum(ordered[some], dtype=np.int64)
        done, at = int(sums[-1]), int(np.searchsorted(sums, half))
        if at < len(sums):
            break
    typical = ordered[some.start + at]
    del ordered  # a kernel may have millions of launches
    away = rest - typical
    np.abs(away, out=away)
    near = np.flatnonzero(away <= constant("typical_pct") / 100 * typical)
    if not len(near):
        near = np.array([int(np.argmin(away))])
    return first + int(near[0]), first + int(near[len(near) // 2])
