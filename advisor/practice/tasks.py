"""What the child process is asked to do and what it answers: plain records that travel as JSON.

Only the standard library: the child runs where CuPy is installed, which need not be where the advisor is.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Stage = Literal["check", "time", "profile"]
STAGES: tuple[Stage, ...] = ("check", "time", "profile")


@dataclass(frozen=True, slots=True)
class Variation:
    """What a sweep changes: threads of a one-dimensional block, percent of shared memory carved out, registers."""

    block: int | None = None
    carveout: int | None = None
    registers: int | None = None


AS_WRITTEN = Variation()


@dataclass(frozen=True, slots=True)
class Job:
    """One version of a kernel and what to do with it.

    source: a .cu, or a .py with `prepare`; extra: .cu files that such a .py launches; launches: how many launches of
    one run are profiled; result: whether its outputs are the algorithm's (False: never checked).
    """

    step: str
    source: str
    do: tuple[Stage, ...] = STAGES
    extra: tuple[str, ...] = ()
    launches: int = 1
    result: bool = True
    vary: Variation = AS_WRITTEN


@dataclass(frozen=True, slots=True)
class Task:
    """The jobs on the data of one case; `case` is the path of its case.py, `seed` makes its inputs."""

    exercise: str
    case: str
    jobs: tuple[Job, ...]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that one child process does. runs: timed runs of each job; budget_s: time for the runs of one job.

    parent: the process without which the child ends, so that no endless kernel outlives it; 0: none.
    """

    tasks: tuple[Task, ...]
    runs: int = 20
    budget_s: float = 20.0
    parent: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain values for json.dump."""
        return dataclasses.asdict(self)

    @staticmethod
    def from_json(raw: dict[str, Any]) -> Request:
        """The request of `to_json`; TypeError or KeyError when it is none."""
        tasks = []
        for t in raw["tasks"]:
            jobs = []
            for j in t["jobs"]:
                known = {**j, "vary": Variation(**(j.get("vary") or {}))}
                for name in ("do", "extra"):
                    if name in known:
                        known[name] = tuple(known[name])
                jobs.append(Job(**known))
            tasks.append(Task(**{**t, "jobs": tuple(jobs)}))
        return Request(**{**raw, "tasks": tuple(tasks)})


@dataclass(frozen=True, slots=True)
class Kernel:
    """What the driver says of a compiled kernel: registers and local bytes of a thread, static shared bytes."""

    name: str
    registers: int
    local_bytes: int
    shared_bytes: int


def line_directive(source: Path) -> str:
    """The line above a source that makes the compiler, and a profile, name the learner's own file and lines."""
    name = str(source).replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{name}"'
