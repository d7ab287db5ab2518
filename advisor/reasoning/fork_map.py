"""Share the reasoning about many launches with forks of this process.

Only the `diagnose` command does this, because half of the reasoning about 40 launches takes more than 5 % of its time.
The public `advisor.diagnose()` never forks its host.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise, zip_longest
from typing import Any, TypeVar

T = TypeVar("T")
# Starting a process takes longer than reasoning about fewer launches than this.
_WORTH_A_PROCESS = 8
# The time limit for a fork: seconds, and a multiple of the time that this process took for a part of its own.
_PATIENCE_S, _PATIENCE = 5.0, 10.0


def in_parts(work: Callable[[range], list[T]], rows: int, jobs: int = 1) -> list[T]:
    """Apply `work` to all rows, in order; `work` returns one result for each row of its range.

    Up to `jobs` processes share the rows, but not more than there are cores. The others are forks, which inherit
    everything that is loaded. If a fork dies, fails or takes much longer, this process computes its part.
    """
    parts = min(jobs, rows // _WORTH_A_PROCESS)
    if parts > 1:
        parts = min(parts, _most())
    if parts < 2:
        return work(range(rows))
    ends = [rows * part // parts for part in range(parts + 1)]
    first, *others = (range(start, end) for start, end in pairwise(ends))
    forks: list[_Fork] = []
    try:
        with suppress(OSError):  # no more processes, or no memory for them
            for part in others:
                forks.append(_Fork(work, part))  # noqa: PERF401  (if one fails, the earlier ones must be stopped)
        begun = time.monotonic()
        done = work(first)
        patience = _PATIENCE_S + _PATIENCE * (time.monotonic() - begun)
        for part, fork in zip_longest(others, forks):
            done += (fork.result(patience) if fork is not None else []) or work(part)
    finally:
        for made in forks:
            made.stop()
    return done


def _most() -> int:
    """Return how many processes may share the work: one for each core, 1 if a fork is not safe.

    A fork inherits the locks of other threads but not the threads. A worker of a pool, which ends with its pool, may
    not start processes.
    """
    from multiprocessing import current_process

    if sys.platform != "linux" or threading.active_count() > 1 or current_process().daemon:
        return 1
    return len(os.sched_getaffinity(0))


class _Fork:
    """A fork of this process that works on a part and sends its results."""

    def __init__(self, work: Callable[[range], list[Any]], part: range) -> None:
        from multiprocessing import get_context

        context = get_context("fork")
        self._receive, send = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(work, part, self._receive, send), daemon=True)
        try:
            with warnings.catch_warnings():
                # It warns about threads outside Python, such as those of a linear algebra library, which handles forks.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._process.start()
        except OSError:
            self._receive.close()
            raise
        finally:
            send.close()

    def result(self, patience: float) -> list[Any]:
        """Return the fork's results; empty if nothing arrived for `patience` seconds."""
        try:
            found: list[Any] = self._receive.recv() if self._receive.poll(patience) else []
        except (EOFError, OSError):
            return []
        return found

    def stop(self) -> None:
        """End the process immediately."""
        self._receive.close()
        self._process.kill()
        self._process.join()
        with suppress(ValueError):  # the system may already have reaped it
            self._process.close()


def _work(work: Callable[[range], list[Any]], part: range, receive: Any, send: Any) -> None:
    receive.close()  # otherwise sending to a process that has ended would block
    # A failure here is repeated in the parent, which reports it.
    try:
        send.send(work(part))
    except BaseException:
        send.close()
