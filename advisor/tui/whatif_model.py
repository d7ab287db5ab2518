"""What can be tried in the what-if view and what came of it: metrics, where they turn, conclusions before and after."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from advisor.knowledge.schemas import most_of
from advisor.records.diagnosis import Comparison, LaunchDiagnosis, Speedup
from advisor.session.numbers import gain_text, number_text
from advisor.session.records import KnowledgeIndex, Proved
from advisor.session.state import main_finding
from advisor.tui import words_views as words

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_MORE: Final = 6  # digits beyond the usual ones; what is closer together is the same
_DIGITS: Final = 6  # of a value that steps make; more would be noise in a transcript
_BEYOND: Final = 1e-3  # how far beyond a turning point a jump goes, as a share of it
_VISIBLE: Final = 0.005  # a gain that moves by less would be printed the same
# What became of a conclusion: its sign, which is never alone, and its style.
SIGNS: Final = {"stays": "=", "comes": "+", "goes": "-", "gain": "~", "class": "!", "first": "!"}
STYLES: Final = {"comes": "$text-success", "goes": "$text-error", "stays": "$quiet"}


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric that can be tried. measured: None where the report lacks it; turns: values at which something that was
    concluded turns, ascending; all in the metric's canonical unit.
    """

    id: str
    unit: str
    means: str
    measured: float | None
    turns: tuple[float, ...] = ()

    def nearest(self, value: float, up: bool) -> float | None:
        """The next turning point above or below a value."""
        found = [turn for turn in self.turns if (turn > value if up else turn < value)]
        return (min(found) if up else max(found)) if found else None

    def beyond(self, value: float, up: bool) -> float | None:
        """A value just beyond the next turning point; None where there is none, or no value lies beyond it."""
        turn = self.nearest(value, up)
        if turn is None:
            return None
        away = max(abs(turn) * _BEYOND, 1e-9)
        out = self.kept_in(turn + away if up else turn - away)
        return out if (out > turn if up else out < turn) else None

    def stepped(self, value: float, share: float) -> float:
        """A value changed by a share of what was measured (of 1, or of 1 %, where that is 0)."""
        step = abs(self.measured or 0.0) or 100.0
        return self.kept_in(value + share * step)

    def kept_in(self, value: float) -> float:
        """Not below 0; a percentage or a share not above all, or what was measured."""
        most = most_of(self.id, self.unit)
        most = float("inf") if most is None else max(most, self.measured or 0.0)
        return float(f"{min(max(value, 0.0), most):.{_DIGITS}g}")

    def text(self, value: float, of: float | None = None) -> str:
        """A value (`of`: around which turning points are looked for, if it is another) with as many digits as it takes
        to tell that from the turning points next to it.
        """
        at = value if of is None else of
        near = [turn for turn in (self.nearest(at, False), self.nearest(at, True)) if turn is not None]
        more = 0
        while more < _MORE and any(
            number_text(turn, self.unit, more) == number_text(at, self.unit, more) for turn in near
        ):
            more += 1
        return number_text(value, self.unit, more)


def metrics_of(
    launch: LaunchDiagnosis, proved: object, index: KnowledgeIndex, tried: Iterable[str] = ()
) -> tuple[Metric, ...]:
    """The metrics that matter for a launch: behind its class, its findings, what undecided rules lack, those tried.

    proved: the class's proof with its turning points (records.Proved), anything else while that is not yet told.
    """
    known = {name: (unit, means) for name, unit, means in index.metrics}
    evidence = [*launch.verdict.evidence, *(item for finding in launch.findings for item in finding.evidence)]
    turns: dict[str, set[float]] = {}
    order: dict[str, None] = {}
    for item in evidence:
        for name in _names(item, known):
            order.setdefault(name)
        if item.metric in known and item.threshold is not None:
            turns.setdefault(item.metric, set()).add(item.threshold)
    for name, values in proved.turns.items() if isinstance(proved, Proved) else ():
        order.setdefault(name)
        turns.setdefault(name, set()).update(values)
    for name in (*(lack.metric for lack in launch.missing), *tried):
        order.setdefault(name)
    return tuple(
        Metric(name, *known[name], launch.metrics.get(name), tuple(sorted(turns.get(name, ()))))
        for name in order
        if name in known
    )


def _names(item: Comparison, known: dict[str, tuple[str, str]]) -> list[str]:
    """The metrics that a comparison is made of: often one, sometimes a formula of several."""
    return [name for name in _NAME.findall(item.metric) if name in known]


@dataclass(frozen=True, slots=True)
class Became:
    """What became of a conclusion: a key of SIGNS, the word for it, the text."""

    kind: str
    word: str
    text: str


def outcome(before: LaunchDiagnosis, after: LaunchDiagnosis) -> tuple[Became, ...]:
    """Class and first finding where they change, then every finding: those that hold now, in order, and those gone."""
    out = []
    if before.verdict.id != after.verdict.id:
        out.append(Became("class", words.CLASS, f"{before.verdict.title} → {after.verdict.title}"))
    old_first, new_first = main_finding(before), main_finding(after)
    if new_first is not None and (old_first is None or old_first.id != new_first.id):
        was = "" if old_first is None else f"{old_first.title} → "
        out.append(Became("first", words.FIRST, f"{was}{new_first.title}"))
    old = {finding.id: finding for finding in before.findings}
    new = {finding.id for finding in after.findings}
    for finding in after.findings:
        if finding.id not in old:
            out.append(Became("comes", words.CAME, f"{finding.title}{_gain(finding.speedup)}"))
        elif _moved(old[finding.id].speedup, finding.speedup):
            had, has = gain_text(old[finding.id].speedup), gain_text(finding.speedup)
            out.append(Became("gain", words.GAIN, f"{finding.title}  {had} → {has}"))
        else:
            out.append(Became("stays", words.STAYS, f"{finding.title}{_gain(finding.speedup)}"))
    gone = [finding for finding in before.findings if finding.id not in new]
    return (*out, *(Became("goes", words.WENT, f"{f.title}{_gain(f.speedup)}") for f in gone))


def changed(rows: Iterable[Became]) -> bool:
    """Whether anything is other than measured."""
    return any(row.kind != "stays" for row in rows)


def _gain(speedup: Speedup | None) -> str:
    return "" if speedup is None else f"  {gain_text(speedup)}"


def _moved(had: Speedup | None, has: Speedup | None) -> bool:
    if had is None or has is None:
        return (had is None) != (has is None)
    return abs(had.estimate - has.estimate) >= _VISIBLE
