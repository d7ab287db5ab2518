"""Run a function for each of many names, in processes of their own."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def parser(seconds: float | None = None) -> argparse.ArgumentParser:
    """Return a parser of names and --jobs; with --seconds, processor time of a launch, if there is a default."""
    out = argparse.ArgumentParser()
    out.add_argument("--jobs", type=int, default=2)
    if seconds is not None:
        out.add_argument("--seconds", type=float, default=seconds)
    out.add_argument("names", nargs="*")
    return out


def each(function: Callable[[Job], Result], jobs: Sequence[Job], processes: int) -> Iterator[Result]:
    """Yield the results in the order of the jobs. A process has one job, so that its memory is returned."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        yield from pool.map(function, jobs)
