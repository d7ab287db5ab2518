"""The ncu command that profiles one launch of a kernel found in a trace."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np

from advisor.timeline import trace as kinds
from advisor.timeline.gaps import call_rows
from advisor.timeline.kernels import KernelRank, representative
from advisor.timeline.trace import Calls, Ranges, Trace, Work
from advisor.timeline.words import constant

Array = np.ndarray[Any, np.dtype[Any]]

PROGRAM = "YOUR_PROGRAM"
# What an ECMAScript expression, which ncu uses, gives a meaning to.
_SPECIAL = re.compile(r"([\^$\\.*+?()\[\]{}|])")
# What the filter itself gives a meaning to in the name of a range or domain.
_DELIMITERS = re.compile(r"([\\@,\[\]/*+])")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class NcuCommand:
    """The command, and what stands behind its options.

    kernel: the base name that is matched; skip: launches left out before it, counted within `range` where that is given
    (as `domain@name/` of ncu); start, duration: of the launch that it picks, ns, None where only sums are known.
    """

    command: str
    kernel: str
    skip: int
    count: int
    range: str = ""
    start: int | None = None
    duration: int | None = None


def ncu_command(trace: Trace, work: Work | None, rank: KernelRank) -> NcuCommand | None:
    """The command for a kernel; None for a name that no command line can hold."""
    if not rank.short.isprintable() or not rank.short or len(rank.short) > 4 * _LONGEST:
        return None
    if work is None:
        skip = 1 if rank.launches > 1 else 0
        return NcuCommand(_line(rank.short, skip, ""), rank.short, skip, 1)
    shared = [i for i, text in enumerate(trace.names) if (trace.short.get(i) or text) == rank.short]
    rows = np.flatnonzero((work.kind == kinds.KERNEL) & np.isin(work.name, shared))
    exact = [i for i in shared if trace.names[i] == rank.name]
    # Others may share the base name, which is what ncu compares: they are counted, never picked.
    own = np.isin(work.name[rows], exact)
    if not own.any():
        return None
    length = (work.end - work.start)[rows]
    mine = np.flatnonzero(own)
    inside, text = _range(trace, work, rows, int(mine[representative(length[mine])[1]]))
    if text and (own & inside).any():
        mine = np.flatnonzero(own & inside)
    else:
        inside, text = np.ones(len(rows), bool), ""
    at = int(mine[representative(length[mine])[0]])
    return NcuCommand(
        _line(rank.short, int(inside[:at].sum()), text),
        rank.short,
        int(inside[:at].sum()),
        1,
        text,
        int(work.start[rows[at]]),
        int(length[at]),
    )


def _line(short: str, skip: int, range_: str) -> str:
    parts = ["ncu", "--set", "full", "--import-source", "yes"]
    if range_:
        parts += ["--nvtx", "--nvtx-include", shlex.quote(range_)]
    expression = _SPECIAL.sub(r"\\\1", short)
    parts += ["--kernel-name", shlex.quote(f"regex:^{expression}$")]
    parts += ["--launch-skip", str(skip), "--launch-count", "1", "-o", "profile", PROGRAM]
    return " ".join(parts)


def _range(trace: Trace, work: Work, rows: Array, at: int) -> tuple[Array, str]:
    """Which launches lie in the NVTX range that the one at `at` is in, and ncu's filter for it; '' where none fits.

    The range is the innermost one of the thread that launched it whose name holds nearly all launches of the kernel: it
    then leaves nothing out, and spares ncu the rest of the program.
    """
    nothing = np.zeros(len(rows), bool)
    if trace.ranges is None or trace.calls is None or not len(trace.ranges):
        return nothing, ""
    calls = call_rows(work.where(rows), trace.calls)
    if calls[at] < 0:
        return nothing, ""
    moment, thread = int(trace.calls.start[calls[at]]), int(trace.calls.thread[calls[at]])
    around = enclosing(trace.ranges, moment, thread)
    for found in around:
        name, domain = int(trace.ranges.name[found]), int(trace.ranges.domain[found])
        pushed = bool(trace.ranges.pushed[found])
        text = _filter(trace.names[name], trace.names[domain], pushed)
        same = (trace.ranges.name == name) & (trace.ranges.domain == domain) & (trace.ranges.pushed == pushed)
        inside = _launched_in(trace.ranges.where(same), trace.calls, calls)
        if text and inside[at] and inside.mean() >= constant("range_pct") / 100:
            return inside, text
    return nothing, ""


def enclosing(ranges: Ranges, moment: int, thread: int) -> list[int]:
    """Rows of the ranges that a thread was in at a moment, the innermost first."""
    inside = (ranges.thread == thread) & (ranges.start <= moment) & (ranges.end >= moment)
    rows = np.flatnonzero(inside)
    return [int(r) for r in rows[np.argsort(ranges.end[rows] - ranges.start[rows], kind="stable")]]


def _launched_in(ranges: Ranges, calls: Calls, rows: Array) -> Array:
    """Whether each call was made within one of the ranges of its thread."""
    out = np.zeros(len(rows), bool)
    known = rows >= 0
    for thread in np.unique(ranges.thread).tolist():
        own = ranges.thread == thread
        start, reach = ranges.start[own], np.maximum.accumulate(ranges.end[own])
        mine = np.flatnonzero(known & (calls.thread[rows] == thread))
        moment = calls.start[rows[mine]]
        place = np.searchsorted(start, moment, "right") - 1
        out[mine] = (place >= 0) & (reach[np.maximum(place, 0)] >= moment)
    return out


def _filter(name: str, domain: str, pushed: bool) -> str:
    """ncu's filter: Domain@Range/ for a push/pop range, without the slash for a start/end one; '' for odd names."""
    if not name or not (name + domain).isprintable() or len(name + domain) > _LONGEST or name.startswith("regex:"):
        return ""
    named, within = (_DELIMITERS.sub(r"\\\1", text) for text in (name, domain))
    return (f"{within}@" if within else "") + named + ("/" if pushed else "")
