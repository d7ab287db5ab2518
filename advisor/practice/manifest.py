"""Exercises: exercise.yaml, folder, case, and recording (one report of all steps, with their times)."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import msgspec
from msgspec import Struct, structs
from rapidfuzz import process

from advisor.knowledge.loader import key_line, load
from advisor.practice.api import Card, Work
from advisor.practice.readings import Reading, find_reading, reading_names, readings
from advisor.practice.tasks import load_case
from advisor.records import resources
from advisor.records.diagnosis import ENDS
from advisor.records.errors import KnowledgeError, UsageError

MANIFEST = "exercise.yaml"
# This mark ends each line of a step's source that causes its first finding; `source` must report these lines.
SLOW_MARK = re.compile(r"[ \t]*// slow: here$", re.MULTILINE)
REPORT, RECORD = "profile.ncu-rep.xz", "record.json"
CARDS = ("h200", "h100")  # a recording on the first of these counts
_COMMENT = re.compile(r"//(?!\s*(?:launch|constant)\s*:)[^\n]*|/\*.*?\*/", re.DOTALL)
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A struct that rejects unknown fields."""


class Answer(_Strict, frozen=True, forbid_unknown_fields=True):
    """An answer of a quiz question, and the reason why it is right or wrong."""

    text: str
    because: str
    right: bool = False


class QuizQuestion(_Strict, frozen=True, forbid_unknown_fields=True):
    """A question with exactly one right answer."""

    ask: str
    answers: tuple[Answer, ...]

    def place(self, text: str) -> int | None:
        """Return the index of the answer that a line names: by its letter (`b`), its text, or the number of its row.

        A number means a row only if no answer begins with a digit; None if the line names no answer.
        """
        word = text.strip().rstrip(".)").casefold()
        texts = [answer.text.casefold() for answer in self.answers]
        if word in texts:
            return texts.index(word)
        if len(word) == 1 and word.isascii() and word.isalpha():
            at = ord(word) - ord("a")
        elif word.isdecimal() and len(word) < 3 and not any(each[:1].isdigit() for each in texts):
            at = int(word) - 1
        else:
            return None
        return at if 0 <= at < len(texts) else None


class NapkinNumber(_Strict, frozen=True, forbid_unknown_fields=True):
    """A number to estimate before any profile: its value for the recorded size, and how to derive it (`how`)."""

    what: str
    how: str
    value: str = msgspec.field(name="is")


class Gain(_Strict, frozen=True, forbid_unknown_fields=True):
    """A claim: the step is `at_least` times as fast as the step `over`; below 1 it is slower (`at_most`)."""

    over: str
    at_least: float = 0.0
    at_most: float = 1e9


class Mend(_Strict, frozen=True, forbid_unknown_fields=True):
    """A claim: a step performs the fix of an earlier step's first finding. but: how it differs from that fix."""

    step: str
    finding: str
    but: str = ""


class StepDef(_Strict, frozen=True, forbid_unknown_fields=True):
    """One version of the kernel.

    source: a .cu with launch lines, or a .py with `prepare`; expect: the finding that must come first; forbid: findings
    that must be absent; mends: the steps whose first findings it fixes; gain: its claimed speedup over another step;
    costs: what the change costs; reach: the share of a device copy's bandwidth (`copy`) or of another step's speed that
    it must reach; beside: True for a comparison that is not a stage; result: whether its outputs are the algorithm's;
    look_at: the launch to judge, from 0; launches: number of its launches to profile.
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
    """The three steps of the memory-only / math-only experiment, and the verdict that their times must give."""

    full: str
    memory: str
    math: str
    verdict: Literal["overlap", "partial", "none", "latency"]


class Exercise(_Strict, frozen=True, forbid_unknown_fields=True):
    """One exercise.

    number: its place in the recommended order, from 1, by which the terminal names it, since the name of its folder may
    reveal the cause; level: 1 is basic, 2 intermediate, 3 hard; step: the step of the method that it trains.
    """

    number: int
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
        """Return the step of this id. Raises UsageError with the valid ids if there is none."""
        for step in self.steps:
            if step.id == step_id:
                return step
        raise UsageError(f"{self.name} has no step {step_id!r}: it has {', '.join(s.id for s in self.steps)}")

    @property
    def stages(self) -> tuple[StepDef, ...]:
        """Return the steps without comparisons."""
        return tuple(s for s in self.steps if not s.beside)

    def fix_of(self, step_id: str) -> StepDef | None:
        """Return the first later stage that performs the fix of a step's first finding, or None if none does.

        A stage that performs it and nothing else comes before one that also changes something else (`Mend.but`).
        """
        ids = [s.id for s in self.stages]
        later = self.stages[ids.index(step_id) + 1 :] if step_id in ids else ()
        fixes = [(mend, stage) for stage in later for mend in stage.mends if mend.step == step_id]
        return min(fixes, key=lambda pair: bool(pair[0].but))[1] if fixes else None

    def measured_against(self, step_id: str) -> StepDef | None:
        """Return the stage whose time shows the gain of a fix: `fix_of` a step, else the next; None after the last."""
        ids = [s.id for s in self.stages]
        later = self.stages[ids.index(step_id) + 1 :] if step_id in ids else ()
        return self.fix_of(step_id) or next(iter(later), None)

    @property
    def nothing_to_fix(self) -> bool:
        """Whether the first stage needs no fix, and the others try changes that do not help."""
        return self.stages[0].expect in ENDS

    @property
    def solution(self) -> StepDef:
        """The stage to show as the solution: the one that fixes the first, else the last."""
        first = self.stages[0]
        return self.fix_of(first.id) or (first if self.nothing_to_fix else self.stages[-1])

    def diff_base(self, step: StepDef) -> StepDef:
        """Return the stage that a step's changes are shown against: the one that it fixes, else the one before it."""
        stages = self.stages
        fixed = [mend.step for mend in step.mends if not mend.but]
        if step not in stages or stages.index(step) == 0:
            return stages[0]
        return next((s for s in stages if s.id in fixed), stages[stages.index(step) - 1])


def home(name: str) -> Path:
    """Return the folder of an exercise."""
    return resources.folder("kernels") / name


def bundled_text(exercise_name: str, file: str) -> str:
    """Return a bundled source as a learner sees it: without the marks on the lines that make it slow."""
    return SLOW_MARK.sub("", (home(exercise_name) / file).read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """Return the names of all exercises, in alphabetical order."""
    return tuple(sorted(p.parent.name for p in resources.folder("kernels").glob(f"*/{MANIFEST}")))


@lru_cache(maxsize=128)
def exercise(name: str) -> Exercise:
    """Load an exercise by its name or its number.

    Raises UsageError with the nearest names, or if nothing of it can be run; KnowledgeError if its manifest is invalid.
    """
    read = find_reading(name)
    if read is not None:
        raise UsageError(
            f"exercise {read.number} is a recording to read, with no source to run or edit: "
            f"`ncu-advisor practice show {read.number}` shows it, `practice predict {read.number}` takes your answer"
        )
    if name.isdecimal():
        return _numbered(int(name[:6]))
    if not _NAME.match(name) or name not in names():
        known = (*names(), *reading_names())
        near = [found for found, _, _ in process.extract(name[:60], known, limit=3, score_cutoff=55)]
        hint = f"did you mean {' or '.join(near)}?" if near else "`ncu-advisor practice list` shows them"
        raise UsageError(f"no exercise is called {name[:60]!r}: {hint}")
    path = home(name) / MANIFEST
    found = structs.replace(load(path, Exercise), name=name)
    ids = [s.id for s in found.steps]
    if len(set(ids)) < len(ids):
        raise KnowledgeError(f"{path}:{key_line(path, 'steps')}: two steps have the same id")
    return found


def any_exercise(name: str) -> Exercise | Reading:
    """Load an exercise of either kind by its name or its number. Raises as `exercise`."""
    return find_reading(name) or exercise(name)


def all_exercises() -> tuple[Exercise | Reading, ...]:
    """Return the exercises of both kinds in the recommended order."""
    found: list[Exercise | Reading] = [*map(exercise, names()), *readings()]
    return tuple(sorted(found, key=lambda one: one.number))


def _numbered(number: int) -> Exercise:
    found = next((one for one in map(exercise, names()) if one.number == number), None)
    if found is None:
        raise UsageError(f"there is no exercise {number}: `ncu-advisor practice list` shows them")
    return found


def case(name: str) -> ModuleType:
    """Load kernels/<name>/case.py. Raises KnowledgeError if it cannot be loaded or lacks a part."""
    return load_case(home(name) / "case.py")


def work_of(name: str, step: str, sizes: dict[str, int]) -> Work:
    """Return the work of a step: of the whole algorithm, or of the part that the step performs (`step_work`)."""
    module = case(name)
    part = getattr(module, "step_work", None)
    own: Work | None = part(step, sizes) if part is not None else None
    whole: Work = own if own is not None else module.work(sizes)
    return whole


def answers(name: str, step: str, sizes: dict[str, int]) -> dict[str, Any]:
    """Return the answers of a case about a step at these sizes; empty if it has none."""
    given = getattr(case(name), "answers", None)
    return dict(given(step, sizes)) if given is not None else {}


class StepTimes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The run times of a step in ns, its launches in the report, from 0, and the `digest` of its code."""

    times_ns: tuple[float, ...]
    launches: tuple[int, ...]
    code: str


class RecordFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of record.json.

    Clocks: Hz during the timed runs; copy: bytes/s of a large copy in that session; seed: of the inputs, None if it was
    not recorded.
    """

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
    seed: int | None = None

    @property
    def card(self) -> Card:
        """The GPU that made the recording."""
        return Card(self.gpu, self.cc, self.sms, self.memory, self.l2, self.shared_per_block, self.shared_per_sm)


def digest(exercise: Exercise, step: StepDef) -> str:
    """Return 12 hex digits of the SHA-256 of a step's code, without comments (except launch lines) and extra spaces."""
    state = hashlib.sha256()
    for name in (step.source, *step.extra):
        text = (home(exercise.name) / name).read_text(encoding="utf-8")
        code = _COMMENT.sub(" ", text) if name.endswith(".cu") else text
        state.update(" ".join(code.split()).encode() + b"\0")
    return state.hexdigest()[:12]


def recorded_in(exercise: Exercise) -> Path:
    """Return the folder of an exercise's recording, or the one for the first GPU of CARDS if there is none."""
    folders = [home(exercise.name) / "recorded" / card for card in CARDS]
    return next((folder for folder in folders if (folder / RECORD).is_file()), folders[0])


class Recording(Struct, frozen=True):
    """The recording of an exercise on one GPU."""

    record: RecordFile
    report: Path


def recording(exercise: Exercise) -> Recording | None:
    """Return the recording on the first GPU of CARDS that has one, or None. Raises KnowledgeError if it is damaged."""
    folder = recorded_in(exercise)
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
