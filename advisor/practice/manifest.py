"""An exercise: its exercise.yaml, its folder and case, and its recording: one report of all steps, with their times."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import msgspec
from msgspec import structs
from rapidfuzz import process

from advisor.knowledge.loader import key_line, load
from advisor.practice.api import Card, Work
from advisor.practice.tasks import load_case
from advisor.records import resources
from advisor.records.errors import KnowledgeError, UsageError

MANIFEST = "exercise.yaml"
# Ends each line of a step's source that is the place of its first finding: what `source` must name.
SLOW_MARK = re.compile(r"[ \t]*// slow: here$", re.MULTILINE)
REPORT, RECORD = "profile.ncu-rep.xz", "record.json"
CARDS = ("h200",)
_COMMENT = re.compile(r"//(?!\s*(?:launch|constant)\s*:)[^\n]*|/\*.*?\*/", re.DOTALL)
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
    """A number to work out before any profile: its value for the recorded size, and `how` to get there."""

    what: str
    how: str
    value: str = msgspec.field(name="is")


class Gain(_Strict, frozen=True, forbid_unknown_fields=True):
    """The claim that a step is `at_least` times as fast as the step `over`; below 1: that it is slower (`at_most`)."""

    over: str
    at_least: float = 0.0
    at_most: float = 1e9


class Mend(_Strict, frozen=True, forbid_unknown_fields=True):
    """A step performs the fix of an earlier step's first finding. but: how it differs from that fix."""

    step: str
    finding: str
    but: str = ""


class StepDef(_Strict, frozen=True, forbid_unknown_fields=True):
    """One version of the kernel.

    source: a .cu with launch lines, or a .py with `prepare`; expect: the finding that must come first; forbid: findings
    that must not be there; mends: which steps' first findings it fixes; gain: what it claims over another step; costs:
    what the change costs; reach: the share of a device copy's bandwidth (`copy`) or of another step's speed that it
    must reach; beside: a comparison, not a stage; result: whether its outputs are the algorithm's;
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
    """One exercise. level: 1 basic, 2 intermediate, 3 hard; step: the step of the method that it trains."""

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
        """The steps without comparisons."""
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
        near = [found for found, _, _ in process.extract(name[:60], names(), limit=3, score_cutoff=55)]
        hint = f"did you mean {' or '.join(near)}?" if near else "`ncu-advisor practice list` shows them"
        raise UsageError(f"no exercise is called {name[:60]!r}: {hint}")
    path = home(name) / MANIFEST
    found = structs.replace(load(path, Exercise), name=name)
    ids = [s.id for s in found.steps]
    if len(set(ids)) < len(ids):
        raise KnowledgeError(f"{path}:{key_line(path, 'steps')}: two steps have the same id")
    return found


def case(name: str) -> ModuleType:
    """The module kernels/<name>/case.py; KnowledgeError when it cannot be loaded or lacks a part."""
    return load_case(home(name) / "case.py")


def work_of(name: str, step: str, sizes: dict[str, int]) -> Work:
    """The work of a step: the algorithm's, or that of the part of it which the step does (`step_work`)."""
    module = case(name)
    part = getattr(module, "step_work", None)
    own: Work | None = part(step, sizes) if part is not None else None
    whole: Work = own if own is not None else module.work(sizes)
    return whole


def answers(name: str, step: str, sizes: dict[str, int]) -> dict[str, Any]:
    """The answers of a case about a step at these sizes; empty where it has none."""
    given = getattr(case(name), "answers", None)
    return dict(given(step, sizes)) if given is not None else {}


class StepTimes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Times of the runs of a step in ns, its launches in the report, from 0, and the `digest` of its code."""

    times_ns: tuple[float, ...]
    launches: tuple[int, ...]
    code: str


class RecordFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """record.json. Clocks in Hz during the timed runs; copy: bytes/s of a large device copy in the same session."""

    gpu: str
    cc: str
    sms: int
    memory: int
    l2: int
    shared_per_block: int
    shared_per_sm: int
    driver: str
    cuda: str
    cupy: str
    ncu: str
    sm_clock_hz: float
    memory_clock_hz: float
    date: str
    copy_bytes_per_s: float
    sizes: dict[str, int]
    steps: dict[str, StepTimes]

    @property
    def card(self) -> Card:
        """The GPU that it was recorded on."""
        return Card(self.gpu, self.cc, self.sms, self.memory, self.l2, self.shared_per_block, self.shared_per_sm)


def digest(exercise: Exercise, step: StepDef) -> str:
    """12 hexadecimal digits of the SHA-256 of a step's code: without comments (but launch lines), spaces as one."""
    state = hashlib.sha256()
    for name in (step.source, *step.extra):
        text = (home(exercise.name) / name).read_text(encoding="utf-8")
        code = _COMMENT.sub(" ", text) if name.endswith(".cu") else text
        state.update(" ".join(code.split()).encode() + b"\0")
    return state.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Recording:
    """The recording of an exercise on one GPU."""

    record: RecordFile
    report: Path


def recording(exercise: Exercise, card: str = CARDS[0]) -> Recording | None:
    """The recording on a GPU; None where there is none, KnowledgeError where it is damaged."""
    folder = home(exercise.name) / "recorded" / card
    path = folder / RECORD
    if not path.is_file():
        return None
    try:
        found = msgspec.json.decode(path.read_bytes(), type=RecordFile)
    except (msgspec.DecodeError, msgspec.ValidationError, OSError) as e:
        raise KnowledgeError(f"{path}:1: {e}") from None
    if not (folder / REPORT).is_file():
        raise KnowledgeError(f"{folder / REPORT}:1: missing beside {RECORD}")
    return Recording(found, folder / REPORT)
