"""The running half of the author's check: every step of every exercise checked, timed and profiled on this GPU."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from advisor.practice.manifest import exercise, home
from advisor.practice.tasks import Job, Request, Stage, Task


def task_of(name: str, do: tuple[Stage, ...], seed: int, root: Path | None = None) -> Task:
    """All steps of a bundled exercise; paths are relative to `root` where one is given."""
    folder = home(name)
    place = folder.relative_to(root) if root is not None else folder
    jobs = tuple(
        Job(
            step.id,
            str(place / step.source),
            do,
            tuple(str(place / extra) for extra in step.extra),
            step.launches,
            step.result,
        )
        for step in exercise(name).steps
    )
    return Task(name, str(place / "case.py"), jobs, seed)


def request(names: Iterable[str], do: tuple[Stage, ...], seed: int, root: Path | None = None) -> Request:
    """What one child process is asked to do with these exercises."""
    return Request(tuple(task_of(name, do, seed, root) for name in names))
