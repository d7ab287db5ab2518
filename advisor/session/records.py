"""What the session is made of, as data: choices, questions, cards, and the index that questions draw on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from advisor.view.blocks import Block, Line, in_lines

# The kinds of a card; a face may give each its own mark and colour.
KINDS = (
    "overview",
    "class",
    "trust",
    "finding",
    "fix",
    "next",
    "question",
    "answer",
    "change",
    "evidence",
    "proof",
    "napkin",
    "explanation",
    "missing",
    "note",
    "help",
    "error",
    "step",
    "steps",
    "compared",
    "log",
    "timeline",
    "code",
)


# How a number of each unit may be typed.
UNIT_HINTS: Final = {
    "byte": "a size, such as 134 MB or 64 MiB",
    "byte/s": "a rate, such as 1.2 TB/s",
    "ns": "a time, such as 12.5 us or 3 ms",
    "%": "a percentage, such as 83%",
    "Hz": "a clock, such as 1.98 GHz",
    "FLOP": "a count, such as 137 GFLOP",
    "count": "a number, such as 4096, 4k (4,000) or 2^12 (4,096)",
    "ratio": "a number, such as 4 or 16.5",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Something the user can say now: its id, its label, other words for it, and a short remark."""

    id: str
    label: str
    words: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question as it is put. kind: number (in `unit`, between low and high where given), choice or text (one line).

    group: `question` (the engine wants it), `metric` (a number read off a screen), `gpu`, `napkin` (a parameter of an
    algorithm), `path` (a file), `variants` (times of a kernel's halves) or `timeline` (what a timeline shows). step:
    which of how many, where that is known, else (0, 0). usual: the value that Enter takes.
    """

    id: str
    ask: str
    why: str
    kind: str = "number"
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[Choice, ...] = ()
    would_change: tuple[str, ...] = ()
    group: str = "question"
    step: tuple[int, int] = (0, 0)
    usual: float | str | None = None
    optional: bool = True


@dataclass(frozen=True, slots=True)
class Card:
    """One turn of the conversation.

    position: the launch that it is about; finding: what it is about there (a finding or question id); label: the kind
    of turn in a word or two; aside: a remark after the title; detail: the result that it shows; past: whether it is
    about a former version of the code.
    """

    kind: str
    title: str
    blocks: tuple[Block, ...] = ()
    position: int | None = None
    finding: str = ""
    label: str = ""
    aside: str = ""
    detail: Any = None
    past: bool = False

    @property
    def lines(self) -> tuple[Line, ...]:
        """The blocks as lines."""
        return in_lines(self.blocks)


@dataclass(frozen=True, slots=True)
class NapkinResult:
    """A napkin result: its lines, and what it answers for the engine (question id, value).

    bound: what should limit on paper, memory or compute; empty where that cannot be told.
    """

    title: str
    lines: tuple[Line, ...]
    answers: tuple[tuple[str, float | str], ...] = ()
    bound: str = ""


@dataclass(frozen=True, slots=True)
class Proved:
    """How something was concluded (engine.Proof) and where it would turn (engine.Flip).

    turns: for a view, metric to the values at which evidence of anything concluded of the launch turns.
    """

    proof: Any
    flips: tuple[Any, ...] = ()
    turns: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Algorithm:
    """An algorithm of the napkin, and what it asks for, in order."""

    id: str
    title: str
    parameters: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A row of the experiment log: a version of the code, its time, what was seen and what came next.

    change: what was done to the code before it, in words; ratio: time of the version before over this one's.
    """

    version: str
    change: str = ""
    duration_ns: float | None = None
    ratio: float | None = None
    class_id: str = ""
    finding: str = ""
    observation: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """A new report, judged and compared: its diagnosis, the launch's place in it, and the comparison.

    compared: pipelines.compare.Compared of the two launches alone; path: the report as it was read, empty for typed
    numbers; answers: those about the algorithm, which hold for the new launch too.
    """

    diagnosis: Any
    position: int
    compared: Any
    path: str = ""
    answers: tuple[tuple[str, float | str], ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the method, from the knowledge base: the lists hold sentences, commands and ids of further entries."""

    id: str
    title: str
    what: str
    why: str = ""
    steps: tuple[str, ...] = ()
    look: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    exit: str = ""
    misleads: str = ""
    see: tuple[str, ...] = ()
    exercise: str = ""
    cites: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    formula: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True)
class Pitfall:
    """A way to be misled by a profile; found_by: the finding that shows it in a report, empty where none can."""

    id: str
    title: str
    what: str
    cure: str
    found_by: str = ""


@dataclass(frozen=True, slots=True)
class Ridge:
    """A ridge point of a card, FLOP/byte: `peak` is the key of its rate (`fp32`, `fp16_tensor`, …)."""

    gpu: str
    peak: str
    ridge: float


@dataclass(frozen=True, slots=True)
class KnowledgeIndex:
    """What the session knows before any report: read once from the knowledge base.

    ranges: question id to (low, high); metrics: metric id to (unit, meaning); interview: the numbers to ask for when
    there is no report, in order; findings: id of a finding or class to its title; words: what `explain` knows (for
    suggestions); cites: citation key to the source in words; exercises: those that can be done; steps: those of the
    method, in its order; pitfalls: of step IV; ridges: of every card that is known, step B; timeline: the numbers to
    ask for where there is no trace, in order; placed: the findings that have a measure of their own in the code.
    """

    ranges: tuple[tuple[str, float | None, float | None], ...] = ()
    metrics: tuple[tuple[str, str, str], ...] = ()
    algorithms: tuple[Algorithm, ...] = ()
    interview: tuple[Ask, ...] = ()
    findings: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()
    cites: tuple[tuple[str, str], ...] = ()
    exercises: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    pitfalls: tuple[Pitfall, ...] = ()
    ridges: tuple[Ridge, ...] = ()
    timeline: tuple[Ask, ...] = ()
    placed: tuple[str, ...] = ()

    def algorithm(self, name: str) -> Algorithm | None:
        """The algorithm of this id."""
        return next((a for a in self.algorithms if a.id == name), None)

    def step(self, name: str) -> Step | None:
        """The step of the method of this id, in any case."""
        exact = next((step for step in self.steps if step.id == name), None)
        return exact or next((step for step in self.steps if step.id.casefold() == name.casefold()), None)

    def unit(self, metric: str) -> str | None:
        """A metric's unit, None for a name that is no metric."""
        return next((unit for name, unit, _ in self.metrics if name == metric), None)

    def source(self, key: str) -> str:
        """A citation in words, the key itself where it has none."""
        return next((text for name, text in self.cites if name == key), key)

    def title(self, finding: str) -> str:
        """A finding's title, its id where it has none."""
        return next((title for name, title in self.findings if name == finding and title), finding)
