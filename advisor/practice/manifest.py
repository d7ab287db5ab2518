"""exercise.yaml: its shape, and the folder of an exercise."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import structs

from advisor.knowledge.loader import key_line, load
from advisor.records import resources
from advisor.records.errors import KnowledgeError, UsageError

MANIFEST = "exercise.yaml"
# Ends each line of a step's source that is the place of its first finding: what `source` must name.
SLOW_MARK = re.compile(r"[ \t]*// slow: here$", re.MULTILINE)
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Unknown fields are mistakes."""


class Answer(_Strict, frozen=True, forbid_unknown_fields=True):
    """One answer of a quiz question, and why it is right or wrong."""

    text: str
    because: str
    right: bool = False


class QuizQuestion(_Strict, frozen=True, forbid_unknown_fields=True):
    """A question with exactly one right answer."""

    ask: str
    answers: tuple[Answer, ...]


class NapkinNumber(_Strict, frozen=True, forbid_unknown_fields=True):
    """A number to work out before any profile: `is_` says it for the recorded size, `how` shows the way to it."""

    what: str
    how: str
    value: str = msgspec.field(name="is")


class Gain(_Strict, frozen=True, forbid_unknown_fields=True):
    """The claim that a step is `at_least` times as fast as the step `over`; below 1: that it is slower (`at_most`)."""

    over: str
    at_least: float = 0.0
    at_most: float = 1e9


class Mend(_Strict, frozen=True, forbid_unknown_fields=True):
    """A step performs the fix of an earlier step's first finding. but: what more, or less, than that fix it does."""

    step: str
    finding: str
    but: str = ""


class StepDef(_Strict, frozen=True, forbid_unknown_fields=True):
    """One version of the kernel.

    source: a .cu with launch lines, or a .py with `prepare`; expect: the finding that must come first; forbid: findings
    that must not be there; mends: which steps' first findings it mends; gain: what it claims over another step; costs:
    what the change costs; reach: the share of a device copy's bandwidth (`copy`) or of another step's speed that it
    must reach; beside: a comparison, not a stage of the exercise; result: whether its outputs are the algorithm's;
    look_at: which of its launches, from 0, is judged; launches: how many of its launches are profiled.
    """

    id: str
    source: str
    title: str
    says: str
    expect: str
    class_: str = msgspec.field(name="class", default="")
    also: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    mends: tuple[Mend, ...] = ()
    gain: Gain | None = None
    costs: str = ""
    reach: dict[str, float] = {}
    beside: bool = False
    result: bool = True
    look_at: int = 0
    launches: int = 1
    extra: tuple[str, ...] = ()


class Overlap(_Strict, frozen=True, forbid_unknown_fields=True):
    """Three steps of the memory-only / math-only experiment, and the verdict that their times must give."""

    full: str
    memory: str
    math: str
    verdict: Literal["overlap", "partial", "none", "latency"]


class Exercise(_Strict, frozen=True, forbid_unknown_fields=True):
    """One exercise. level: 1 first steps, 2 the trade, 3 hard; step: the step of the method that it trains."""

    title: str
    story: str
    diagnosis: str
    step: str
    level: Literal[1, 2, 3]
    napkin: tuple[NapkinNumber, ...]
    hints: tuple[str, ...]
    quiz: tuple[QuizQuestion, ...]
    steps: tuple[StepDef, ...]
    explanation: str
    licence: str
    cites: tuple[str, ...]
    prerequisites: tuple[str, ...] = ()
    ladder: bool = False
    overlap: Overlap | None = None
    name: str = ""

    def step_of(self, step_id: str) -> StepDef:
        """The step of this id; UsageError names those there are."""
        for step in self.steps:
            if step.id == step_id:
                return step
        raise UsageError(f"{self.name} has no step {step_id!r}: it has {', '.join(s.id for s in self.steps)}")

    @property
    def stages(self) -> tuple[StepDef, ...]:
        """The steps without those that stand beside."""
        return tuple(s for s in self.steps if not s.beside)


def home(name: str) -> Path:
    """The folder of an exercise."""
    return resources.folder("kernels") / name


def bundled_text(exercise_name: str, file: str) -> str:
    """A bundled source as a learner sees it: without the marks on the lines that make it slow."""
    return SLOW_MARK.sub("", (home(exercise_name) / file).read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """All exercises, in alphabetical order."""
    return tuple(sorted(p.parent.name for p in resources.folder("kernels").glob(f"*/{MANIFEST}")))


@lru_cache(maxsize=128)
def exercise(name: str) -> Exercise:
    """The exercise of this name; UsageError with the nearest names, KnowledgeError when its manifest is wrong."""
    if not _NAME.match(name) or name not in names():
        from rapidfuzz import process

        near = [found for found, _, _ in process.extract(name[:60], names(), limit=3, score_cutoff=55)]
        hint = f"did you mean {' or '.join(near)}?" if near else "`ncu-advisor practice list` shows them"
        raise UsageError(f"no exercise is called {name[:60]!r}: {hint}")
    path = home(name) / MANIFEST
    found = structs.replace(load(path, Exercise), name=name)
    ids = [s.id for s in found.steps]
    if len(set(ids)) < len(ids):
        raise KnowledgeError(f"{path}:{key_line(path, 'steps')}: two steps have the same id")
    return found
