"""The data of a session: choices, questions, cards, and the index of the knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct, field

from advisor.session.language.lexicon import Known
from advisor.view.blocks import Block, Line, in_lines

# The kinds of a card; the terminal has a mark and a colour for each.
KINDS = (
    *("overview", "class", "trust", "finding", "fix", "next", "question", "answer", "change", "evidence", "proof"),
    *("napkin", "explanation", "missing", "note", "help", "error", "step", "steps", "compared", "log", "timeline"),
    "code",
)


# The input format of a number, for each unit.
UNIT_HINTS: Final = {
    "byte": "a size, such as 134 MB or 64 MiB",
    "byte/s": "a rate, such as 1.2 TB/s",
    "ns": "a time, such as 12.5 us or 3 ms",
    "%": "a percentage, such as 83%",
    "Hz": "a clock, such as 1.98 GHz",
    "FLOP": "a count, such as 137 GFLOP",
    "count": "a number, such as 4096, 4k (4,000) or 2^12 (4,096)",
    "ratio": "a number, such as 4 or 16.5",
    "bit": "bits per lane, such as 32, or a type such as float4",
}


class Choice(Struct, frozen=True):
    """An option that the user can choose now: its id, its label, other words for it, and a short remark."""

    id: str
    label: str
    words: tuple[str, ...] = ()
    note: str = ""


class Ask(Struct, frozen=True):
    """A question. kind: number (in `unit`, between low and high if given), choice, text (one line) or page (the numbers
    of one section of ncu, in `rows`).

    group: `question` (of the engine), `metric` (a number of a profile), `page`, `gpu`, `napkin` (a parameter of an
    algorithm), `path` (a file), `variants` (times of a kernel's halves) or `timeline` (a number of a timeline). step:
    (number, total), (0, 0) if unknown. usual: the value that Enter takes. row: the name of a number on ncu's page; how:
    where it stands there, or how to form it.
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
    rows: tuple[Ask, ...] = ()
    row: str = ""
    how: str = ""


class Page(Struct, frozen=True):
    """A page of an interview: a section of ncu, where it is, and its rows (metric, name there, how to form it).

    after: rows that are asked only if another number is not 0, with that metric.
    """

    id: str
    section: str
    where: str
    rows: tuple[tuple[str, str, str], ...]
    after: tuple[tuple[str, str], ...] = ()


class Card(Struct, frozen=True):
    """One entry of the conversation.

    position: the launch that it is about; finding: its subject there (a finding or question id); label: the kind
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
        """Return the lines of all blocks."""
        return in_lines(self.blocks)


class NapkinResult(Struct, frozen=True):
    """A result of napkin math: its lines, and answers for the engine (question id, value).

    bound: the expected limit, memory or compute; empty if unknown.
    """

    title: str
    lines: tuple[Line, ...]
    answers: tuple[tuple[str, float | str], ...] = ()
    bound: str = ""


class Proved(Struct, frozen=True):
    """The proof of a conclusion (engine.Proof) and the values that flip it (engine.Flip).

    turns: for a view, metric to the values at which evidence of any conclusion of the launch flips.
    """

    proof: Any
    flips: tuple[Any, ...] = ()
    turns: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


class Algorithm(Struct, frozen=True):
    """An algorithm of the napkin math, and its parameters in order."""

    id: str
    title: str
    parameters: tuple[Ask, ...]


class Experiment(Struct, frozen=True):
    """A row of the experiment log: a version of the code, its time, the observation and the next step.

    change: the change of the code before it, in words; ratio: time of the version before divided by this one's.
    baseline: it does other work than the version before, so later times are compared with it, and it with none.
    """

    version: str
    change: str = ""
    duration_ns: float | None = None
    ratio: float | None = None
    class_id: str = ""
    finding: str = ""
    observation: str = ""
    next_step: str = ""
    baseline: bool = False


class VersionComparison(Struct, frozen=True):
    """A new report, diagnosed and compared: its diagnosis, the launch's index in it, and the comparison.

    compared: compare.Compared of the two launches alone; path: the report as it was read, empty for typed numbers;
    answers: those about the algorithm, which hold for the new launch too.
    """

    diagnosis: Any
    position: int
    compared: Any
    path: str = ""
    answers: tuple[tuple[str, float | str], ...] = ()


class Step(Struct, frozen=True):
    """A step of the method, from the knowledge base: the lists hold sentences, commands and ids of further entries.

    links: (title, address) of further reading.
    """

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
    links: tuple[tuple[str, str], ...] = ()


class Pitfall(Struct, frozen=True):
    """A common misreading of a profile; found_by: the finding that detects it in a report, empty if there is none."""

    id: str
    title: str
    what: str
    cure: str
    found_by: str = ""


class Ridge(Struct, frozen=True):
    """A ridge point of a GPU, FLOP/byte: `peak` is the key of its rate (`fp32`, `fp16_tensor`, …)."""

    gpu: str
    peak: str
    ridge: float


class KnowledgeIndex(Struct, frozen=True):
    """The part of the knowledge base that a session needs, read once.

    ranges: question id to (low, high); metrics: metric id to (unit, meaning); interview: the questions without a
    report, in order; findings: id of a finding or class to its title; conclusions: the same of napkin math and
    quantification; words: the terms of `explain`; cites: citation
    key to the source in words; steps: in the order of the method; names: (spoken name, metric); pitfalls: of step IV;
    ridges: of every known GPU, step B; timeline: the questions without a trace, in order; placed: the findings that
    have their own measure in the code; asked: the names that a plain question can contain; pages: those of ncu, in
    order; labels: (section, label, metric), ncu's own names with an empty section; combined: (metric, max or sum) where
    ncu has several names for one number.
    """

    ranges: tuple[tuple[str, float | None, float | None], ...] = ()
    metrics: tuple[tuple[str, str, str], ...] = ()
    algorithms: tuple[Algorithm, ...] = ()
    interview: tuple[Ask, ...] = ()
    findings: tuple[tuple[str, str], ...] = ()
    conclusions: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()
    cites: tuple[tuple[str, str], ...] = ()
    exercises: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    pitfalls: tuple[Pitfall, ...] = ()
    ridges: tuple[Ridge, ...] = ()
    timeline: tuple[Ask, ...] = ()
    placed: tuple[str, ...] = ()
    asked: Known = field(default_factory=Known)
    pages: tuple[Page, ...] = ()
    labels: tuple[tuple[str, str, str], ...] = ()
    combined: tuple[tuple[str, str], ...] = ()

    def algorithm(self, name: str) -> Algorithm | None:
        """Return the algorithm of this id."""
        return next((a for a in self.algorithms if a.id == name), None)

    def step(self, name: str) -> Step | None:
        """Return the step of the method of this id, in upper or lower case."""
        exact = next((step for step in self.steps if step.id == name), None)
        return exact or next((step for step in self.steps if step.id.casefold() == name.casefold()), None)

    def unit(self, metric: str) -> str | None:
        """Return a metric's unit, None for a name that is not a metric."""
        return next((unit for name, unit, _ in self.metrics if name == metric), None)

    def source(self, key: str) -> str:
        """Return a citation in words; return the key itself if it has none."""
        return next((text for name, text in self.cites if name == key), key)

    def title(self, finding: str) -> str:
        """Return the title of a finding, class or word; return its id if it has none."""
        titled = (*self.findings, *self.conclusions)
        return next((title for name, title in titled if name == finding and title), finding)
