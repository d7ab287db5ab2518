"""Build the ncu command that profiles one launch of a kernel found in a trace."""

from __future__ import annotations

import re
import shlex
from typing import Any

import numpy as np

from advisor.timeline import trace as kinds
from advisor.timeline.columns import distinct, is_sorted, kind_for, narrow, pieces
from advisor.timeline.gaps import call_rows
from advisor.timeline.kernels import representative
from advisor.timeline.results import KernelRank, NcuCommand
from advisor.timeline.trace import Calls, Ranges, Trace, Work, constant, dimensions

Array = np.ndarray[Any, np.dtype[Any]]
PROGRAM = "YOUR_PROGRAM"
# special characters of ECMAScript regular expressions, which ncu uses
_SPECIAL = re.compile(r"([\^$\\.*+?()\[\]{}|])")
# special characters of ncu's filter in the name of a range or domain
_DELIMITERS = re.compile(r"([@,\[\]/*+])")
_LONGEST = 200


def ncu_command(trace: Trace, work: Work | None, rank: KernelRank) -> NcuCommand | None:
    """Return the command for a kernel, or None if a command line cannot contain its name.

    From the launches of the shape that takes most of the kernel's time, choose one of typical length.
    """
    if not rank.short.isprintable() or not rank.short or len(rank.short) > 4 * _LONGEST:
        return None
    if work is None:
        skip = 1 if rank.launches > 1 else 0
        return NcuCommand(_line(rank.short, skip, "", False), rank.short, skip, 1)
    shared = [i for i, text in enumerate(trace.names) if (trace.short.get(i) or text) == rank.short]
    rows = np.flatnonzero((work.kind == kinds.KERNEL) & np.isin(work.name, shared)).astype(kind_for(0, len(work)))
    exact = [i for i in shared if trace.names[i] == rank.name]
    rows, calls = _launched(trace, work, rows)
    # Other kernels may share the base name, which ncu compares: they are counted, but never chosen.
    own = np.isin(work.name[rows], exact)
    if not own.any():
        return None
    length = narrow(work.end[rows] - work.start[rows])
    shapes, share, chosen = _main_shape(work.grid[rows], work.block[rows], length, own)
    own &= chosen
    mine = np.flatnonzero(own).astype(rows.dtype)
    first, middle = representative(length if own.all() else length[mine])
    inside, text = _range(trace, calls, int(mine[middle]))
    if text and (own & inside).any():
        mine = np.flatnonzero(own & inside)
        first = representative(length[mine])[0]
    else:
        inside, text = np.ones(len(rows), bool), ""
    at = int(mine[first])
    row, skip = rows[at], int(inside[:at].sum())
    shape = dimensions(int(work.grid[row]), int(work.block[row]))
    several = len(trace.gpus) > 1
    return NcuCommand(
        command=_line(rank.short, skip, text, several),
        kernel=rank.short,
        skip=skip,
        count=1,
        range=text,
        start=int(work.start[row]),
        duration=int(length[at]),
        grid=shape[0] if shape else None,
        block=shape[1] if shape else None,
        shapes=shapes,
        shape_share=share,
        each_gpu=several,
    )


def _launched(trace: Trace, work: Work, rows: Array) -> tuple[Array, Array]:
    """Return the rows in the order of their launches, which ncu uses, and the rows of their calls, or -1.

    Work on several streams may run in another order.
    """
    calls = call_rows(work, trace.calls, rows)
    if trace.calls is None or not (calls >= 0).all():
        return rows, calls
    started = trace.calls.start[calls]
    if is_sorted(started):
        return rows, calls
    order = np.argsort(started, kind="stable")
    return rows[order], calls[order]


def _main_shape(grid: Array, block: Array, time: Array, own: Array) -> tuple[int, float | None, Array]:
    """Return the number of shapes, the share in % of the longest-running one, and its launches (all if not known).

    own: the launches that count.
    """
    known = (grid >= 0) & (block >= 0) & (time > 0) & own
    if not known.any():
        return 0, None, np.ones(len(grid), bool)
    grids, blocks = distinct(grid), distinct(block)
    pairs, number = np.empty(0, np.int64), np.empty(len(grid), np.int32)

    def pair(some: slice) -> Array:
        at = np.searchsorted(blocks, block[some]) * len(grids)
        return np.asarray(at + np.searchsorted(grids, grid[some]))

    for some in pieces(len(grid)):
        pairs = np.union1d(pairs, pair(some))
    sums = np.zeros(len(pairs))
    for some in pieces(len(grid)):
        number[some] = np.searchsorted(pairs, pair(some))
        weights = np.where(known[some], time[some], 0)
        sums += np.bincount(number[some], weights=weights, minlength=len(pairs))
    best = int(sums.argmax())
    return int((sums > 0).sum()), 100 * float(sums[best]) / float(time.sum(where=own)), number == best


def _line(short: str, skip: int, range_: str, each_gpu: bool) -> str:
    parts = ["ncu", "--set", "full", "--import-source", "yes"]
    # ncu counts launches over all GPUs unless this is set.
    parts += ["--filter-mode", "per-gpu"] if each_gpu else []
    if range_:
        parts += ["--nvtx", "--nvtx-include", shlex.quote(range_)]
    expression = _SPECIAL.sub(r"\\\1", short)
    parts += ["--kernel-name", shlex.quote(f"regex:^{expression}$")]
    parts += ["--launch-skip", str(skip), "--launch-count", "1", "-o", "profile", PROGRAM]
    return " ".join(parts)


def _range(trace: Trace, calls: Array, at: int) -> tuple[Array, str]:
    """Return the launches in the NVTX range around the launch at `at`, and ncu's filter for it; '' if none fits.

    calls: the row of the call of each launch, or -1.

    The range is the innermost one of the launching thread whose name holds nearly all launches of the kernel, so that
    it omits nothing and ncu skips the rest of the program.
    """
    nothing = np.zeros(len(calls), bool)
    if trace.ranges is None or trace.calls is None or not len(trace.ranges):
        return nothing, ""
    if calls[at] < 0:
        return nothing, ""
    moment, thread = int(trace.calls.start[calls[at]]), int(trace.calls.thread[calls[at]])
    around = enclosing(trace.ranges, moment, thread)
    for found in around:
        name, domain = int(trace.ranges.name[found]), int(trace.ranges.domain[found])
        pushed = bool(trace.ranges.pushed[found])
        text = _filter(trace.names[name], trace.names[domain], pushed)
        same = (trace.ranges.name == name) & (trace.ranges.domain == domain) & (trace.ranges.pushed == pushed)
        inside = _launched_in(trace.ranges.where(same), trace.calls, calls, pushed)
        if text and inside[at] and inside.mean() >= constant("range_pct") / 100:
            return inside, text
    return nothing, ""


def enclosing(ranges: Ranges, moment: int, thread: int) -> list[int]:
    """Return the rows of a thread's ranges at a moment, innermost first; start/end ranges belong to the process."""
    own = np.where(ranges.pushed, ranges.thread == thread, ranges.thread >> 24 == thread >> 24)
    inside = own & (ranges.start <= moment) & (ranges.end >= moment)
    rows = np.flatnonzero(inside)
    return [int(r) for r in rows[np.argsort(ranges.end[rows] - ranges.start[rows], kind="stable")]]


def _launched_in(ranges: Ranges, calls: Calls, rows: Array, pushed: bool) -> Array:
    """Return whether each call was made within a range of its thread, or of its process for start/end ranges."""
    out = np.zeros(len(rows), bool)
    known = rows >= 0
    shift = 0 if pushed else 24
    for owner in np.unique(ranges.thread >> shift).tolist():
        own = ranges.thread >> shift == owner
        start, reach = ranges.start[own], np.maximum.accumulate(ranges.end[own])
        mine = np.flatnonzero(known & (calls.thread[rows] >> shift == owner))
        moment = calls.start[rows[mine]]
        place = np.searchsorted(start, moment, "right") - 1
        out[mine] = (place >= 0) & (reach[np.maximum(place, 0)] >= moment)
    return out


def _filter(name: str, domain: str, pushed: bool) -> str:
    """Return ncu's filter: Domain@Range/ for a push/pop range, no slash for start/end; '' for unsupported names.

    A name with a backslash is unsupported, because its escaping depends on the version.
    """
    text = domain + name
    if not name or not text.isprintable() or len(text) > _LONGEST or "\\" in text or text.startswith("regex:"):
        return ""
    named, within = (_DELIMITERS.sub(r"\\\1", text) for text in (name, domain))
    return (f"{within}@" if within else "") + named + ("/" if pushed else "")
