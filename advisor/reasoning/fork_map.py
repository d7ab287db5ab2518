"""Reasoning about many launches, shared with forks of this process.

Only the `diagnose` command does this: half of the reasoning about 40 launches is more than 5 % of its time. The public
`advisor.diagnose()` never forks its host.
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
# Fewer launches than this are done sooner than a process is made.
_WORTH_A_PROCESS = 8
# How long a fork is waited for: seconds, and as many times what this process took for a part of its own.
_PATIENCE_S, _PATIENCE = 5.0, 10.0


def in_parts(work: Callable[[range], list[T]], rows: int, jobs: int = 1) -> list[T]:
    """`work` of all rows, in their order: a list of as many as the range it is given.

    Up to `jobs` processes, and not more than there are cores, share them. The others are forks, which have everything
    that is loaded. What a fork does not send, because it died, failed or takes far longer than this process, is worked
    out here.
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
                forks.append(_Fork(work, part))  # noqa: PERF401  (those made before one fails are to be stopped)
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
    """How many processes may share work: as many as there are cores, 1 where a fork is not safe.

    A fork has the locks of other threads but not the threads. A worker of a pool, which ends with its pool, may have no
    processes of its own.
    """
    from multiprocessing import current_process

    if sys.platform != "linux" or threading.active_count() > 1 or current_process().daemon:
        return 1
    return len(os.sched_getaffinity(0))


class _Fork:
    """A fork of this process that works on a part and sends what comes of it."""

    def __init__(self, work: Callable[[range], list[Any]], part: range) -> None:
        from multiprocessing import get_context

        context = get_context("fork")
        self._receive, send = context.Pipe(duplex=False)
        self._process = context.Process(target=_work, args=(work, part, self._receive, send), daemon=True)
        try:
            with warnings.catch_warnings():
                # Of threads that are not Python's, such as those of a library for linear algebra, which knows of forks.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._process.start()
        except OSError:
            self._receive.close()
            raise
        finally:
            send.close()

    def result(self, patience: float) -> list[Any]:
        """What was sent, empty where nothing was for `patience` seconds."""
        try:
            found: list[Any] = self._receive.recv() if self._receive.poll(patience) else []
        except (EOFError, OSError):
            return []
        return found

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._receive.close()
        self._process.kill()
        self._process.join()
        with suppress(ValueError):  # the system may already have reaped it
            self._process.close()


def _work(work: Callable[[range], list[Any]], part: range, receive: Any, send: Any) -> None:
    receive.close()  # else sending to a process that has ended would block
    # A failure here is repeated in the parent, which reports it.
    try:
        send.send(work(part))
    except BaseException:
        send.close()
