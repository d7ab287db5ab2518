"""What the answers to plain questions are made from, and the phrases that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct, field

from advisor.explain.entries import Explanation
from advisor.knowledge.base import catalog, metric_title
from advisor.reasoning.collect import Gathered, command, kernel_pattern, skip_of
from advisor.reasoning.engine.explain import BlockedRule, Flip, Proof
from advisor.records.diagnosis import Comparison, Finding, LaunchDiagnosis, OtherGpu, RuleVerdict
from advisor.records.questions import Meaning, Subject
from advisor.view.blocks import Block, Fact, Line, Outline
from advisor.view.charts.bars import occupancy_limit
from advisor.view.numbers import amount_text, estimate_text, outcome_text, percent_text

if TYPE_CHECKING:
    from advisor.compare.records import Pair  # loads numpy, which the first screens do not need

Truth = Literal["", "yes", "no", "unknown"]
OPEN: Final = "unexplained"
MOST: Final = 5  # rows of a list in an answer
NAME: Final = 60


class Asked(Struct, frozen=True):
    """What an answer is made from.

    position: of the launch in `launches`; found: the finding that the question is about; proof, flips, blocked: how it
    was concluded or what kept it from being concluded; supposed: the launch with other values; elsewhere: on another
    GPU; gpu: another GPU that the question names, for which `elsewhere` is absent if it is not known well enough; rule:
    the conclusion on a pasted rule of ncu; gathered: the command that collects what is missing; explained: the entry of
    a term; path: the report; pair, before: its comparison with another launch, and the position of that one.
    """

    launches: Sequence[LaunchDiagnosis]
    position: int
    path: str = "REPORT"
    proof: Proof | None = None
    flips: Sequence[Flip] = ()
    blocked: tuple[BlockedRule, ...] | None = None
    supposed: LaunchDiagnosis | None = None
    values: tuple[tuple[str, float], ...] = ()
    elsewhere: OtherGpu | None = None
    gathered: Gathered | None = None
    explained: Explanation | None = None
    gpu: str = ""
    rule: RuleVerdict | None = None
    problem: str = ""
    pair: Pair | None = None
    before: int | None = None

    @property
    def launch(self) -> LaunchDiagnosis:
        """Return the launch that the question is about."""
        return self.launches[self.position]


class Answer(Struct, frozen=True):
    """An answer. says: one sentence; truth: of a yes-no question; blocks: the reasons; then: questions to ask next;
    run: commands; evidence: the comparisons that decide.
    """

    says: str
    truth: Truth = ""
    blocks: tuple[Block, ...] = ()
    then: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    evidence: tuple[Comparison, ...] = field(default=())


class Answered(Struct, frozen=True):
    """An answered question: how it was read, what the answer was made from, and the answer."""

    meaning: Meaning
    asked: Asked
    answer: Answer


def number_text(metric: str, value: float) -> str:
    """`43.1 %`, `152 µs`: a metric's value in its unit."""
    entry = catalog().metrics.get(metric)
    unit = entry.unit if entry is not None else ""
    return percent_text(value) if unit == "%" else amount_text(value, unit)


def found_of(subject: Subject | None, launch: LaunchDiagnosis) -> Finding | None:
    """Return the launch's finding about a subject, by the order of the launch's findings."""
    wanted = subject.findings if subject is not None else ()
    return next((finding for finding in launch.findings if finding.id in wanted), None)


def main_subject(subject: Subject | None) -> str:
    """Return the id of the diagnosis that a subject is mostly about; empty if it is about none."""
    return subject.findings[0] if subject is not None and subject.findings else ""


def occupancy_text(launch: LaunchDiagnosis, finding: str) -> str:
    """Return what limits the launch's occupancy, for a finding about it; empty for others or if it is unknown."""
    entry = catalog().findings.get(finding)
    limit = occupancy_limit(launch.metrics, launch.labels)
    if entry is None or not limit or not any("occupancy_low" in rule.when for rule in entry.seen):
        return ""
    known = [("theoretical", "occupancy_theoretical_pct"), ("achieved", "occupancy_achieved_pct")]
    values = [f"{word} {launch.metrics[metric]:.0f} %" for word, metric in known if metric in launch.metrics]
    return f"Occupancy is {limit}: {', '.join(values)}." if values else f"Occupancy is {limit}."


def known_value(subject: Subject | None, launch: LaunchDiagnosis) -> tuple[str, float] | None:
    """Return the first of a subject's metrics that the launch has, with its value."""
    names = subject.metrics if subject is not None else ()
    return next(((name, launch.metrics[name]) for name in names if name in launch.metrics), None)


def gain_text(finding: Finding) -> str:
    """`, estimated 2.2×`; empty if no gain can be estimated."""
    return f", estimated {estimate_text(finding.speedup)}" if finding.speedup is not None else ""


def called(subject: Subject | None) -> str:
    """Return the user's own words for a subject."""
    return subject.text if subject is not None and subject.text else "this"


def metrics_of(subject: Subject | None) -> tuple[str, ...]:
    """Return the metrics that a subject names."""
    return subject.metrics if subject is not None else ()


def lower_start(title: str) -> str:
    """Return a title as it stands inside a sentence; abbreviations stay."""
    return title if title[:2].isupper() else title[:1].lower() + title[1:]


def class_facts(launch: LaunchDiagnosis) -> Fact:
    """Return the class of a launch with its reason."""
    because = f": {launch.verdict.because}" if launch.verdict.because else ""
    return Fact("Class", f"{launch.verdict.title}{because}")


def lacking(metrics: Sequence[str], launch: LaunchDiagnosis, asked: Asked) -> Answer:
    """Return that a number is unknown, with the command that collects it."""
    name = metrics[0] if metrics else ""
    wanted = next((lack.collect for lack in launch.missing if lack.metric in metrics and lack.collect), "")
    entry = catalog().metrics.get(name)
    section = entry.section if entry is not None else ""
    kernel, skip = kernel_pattern(launch.kernel), skip_of(launch.metrics)
    run = wanted or (command((section,), kernel, skip, 1, "base") if section else "")
    title = metric_title(name)
    means = entry.means if entry is not None and entry.means.casefold() != title.casefold() else ""
    about = ", ".join(part for part in (name if title != name else "", means) if part)
    named = f"{title}{f' ({about})' if about else ''}" if name else "a number that decides"
    says = f"Unknown: {named} was not collected."
    return Answer(says, "unknown", run=(run,) if run else (), then=("which metrics are missing",))


def test_line(item: Comparison) -> str:
    """Return what was tested, its number, its threshold and the outcome; of a formula also what it is about."""
    about = f"; tested: {lower_start(item.says)}" if item.says and item.metric not in catalog().metrics else ""
    return f"{outcome_text(item)}{about}"


def evidence_lines(evidence: Sequence[Comparison]) -> tuple[Block, ...]:
    """Return comparisons as lines with the sign of their outcome, each with what was tested, number and threshold."""
    lines: list[Line] = []
    for item in evidence:
        style: Literal["holds", "fails", "unknown"] = (
            "unknown" if item.holds is None else "holds" if item.holds else "fails"
        )
        lines.append(Line(test_line(item), style))
    return (Outline(tuple(lines)),) if lines else ()


Answers = Mapping[str, Callable[[Meaning, Asked], Answer]]
