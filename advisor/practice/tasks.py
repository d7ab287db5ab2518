"""The request of the child process that runs kernels, and the module of a case. Uses only the standard library."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from advisor.practice.api import Card
from advisor.records.errors import KnowledgeError

NEEDED = ("sizes", "work", "inputs", "outputs", "reference", "TOLERANCES")


@lru_cache(maxsize=128)
def load_case(path: Path) -> ModuleType:
    """Load a `case.py`. Raises KnowledgeError if it cannot be loaded or lacks a part."""
    spec = importlib.util.spec_from_file_location(f"advisor_case_{path.parent.name.replace('-', '_')}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise KnowledgeError(f"{path}:1: missing")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as e:
        raise KnowledgeError(f"{path}:1: {type(e).__name__}: {e}") from None
    lacking = [part for part in NEEDED if not hasattr(module, part)]
    if lacking:
        raise KnowledgeError(f"{path}:1: lacks {', '.join(lacking)}")
    return module


def launch_words(card: Card, sizes: dict[str, int]) -> dict[str, float]:
    """Return the names that launch line formulas may use, with their values."""
    limits = {"sms": card.sms, "shared_per_block": card.shared_per_block, "shared_per_sm": card.shared_per_sm}
    return {**{k: float(v) for k, v in sizes.items()}, **{k: float(v) for k, v in limits.items()}}


Stage = Literal["check", "time", "profile"]
STAGES: tuple[Stage, ...] = ("check", "time", "profile")


@dataclass(frozen=True, slots=True)
class Variation:
    """The variation of a sweep: threads of a one-dimensional block, shared-memory carve-out in percent, registers."""

    block: int | None = None
    carveout: int | None = None
    registers: int | None = None


AS_WRITTEN = Variation()


@dataclass(frozen=True, slots=True)
class Job:
    """One version of a kernel and the stages to run.

    source: a .cu, or a .py with `prepare`; extra: .cu files that such a .py launches; launches: number of launches of
    one run to profile; result: whether its outputs are the algorithm's (False: never checked).
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
    """The jobs on the data of one case. case: path of its case.py; seed: generates its inputs."""

    exercise: str
    case: str
    jobs: tuple[Job, ...]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """The work of one child process. runs: timed runs of each job; budget_s: time limit for the runs of one job.

    parent: the child ends with this process, so that no endless kernel outlives it; 0 disables this.
    """

    tasks: tuple[Task, ...]
    runs: int = 20
    budget_s: float = 20.0
    parent: int = 0

    @staticmethod
    def from_json(raw: dict[str, Any]) -> Request:
        """Parse the request that a parent wrote as JSON. Raises TypeError or KeyError if it is invalid."""
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
class Mismatch:
    """The first wrong element of an output, and the number of wrong ones; `unwritten`: it still holds the poison."""

    output: str
    index: tuple[int, ...]
    expected: float
    got: float
    wrong: int
    total: int
    unwritten: bool


@dataclass(frozen=True, slots=True)
class Kernel:
    """A compiled kernel: registers and local bytes per thread, static shared bytes."""

    name: str
    registers: int
    local_bytes: int
    shared_bytes: int


def line_directive(source: Path) -> str:
    """Return the #line directive that makes the compiler and profiles name the learner's own file and lines."""
    name = str(source).replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{name}"'
