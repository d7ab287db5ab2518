"""Which number or answer to ask for next: each possible one is tried on the engine before it is asked for.

A question is worth asking when its answer could change the class, the first finding or what that one gains: some rule
that nothing refutes yet must wait for it, what else the rule waits for must be askable too (and is taken to be in its
favour), and what the rule concludes must then come first. Numbers are tried once in each interval between the
thresholds of the tests that read them, and only as far as other numbers leave room for them (`trying`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec import structs

from advisor.knowledge.expressions import TRUE, parse
from advisor.reasoning import workloads
from advisor.reasoning.conclude import REACHES, Weighed, judge, kind_of, ranked, weigh
from advisor.reasoning.metrics.derive import CODE, COMPUTE, INSIDE, MEMORY
from advisor.reasoning.sensitivity import Placed, Tried, differs, first_of, outcome, rows_of
from advisor.reasoning.time_model import model
from advisor.reasoning.workloads import WORKED_OUT
from advisor.records.diagnosis import ENDS, Speedup

if TYPE_CHECKING:
    from advisor.knowledge.base import Catalog
    from advisor.reasoning.diagnose import Inputs
    from advisor.reasoning.engine.trace import Trace

# A cause whose gain nobody can tell yet counts as a factor of two: more than a tie, less than a certain large one.
_UNTOLD: Final = 2.0
# One that is told but has no gain, such as the end of the search, counts for little more than nothing.
_LEAST: Final = 1.05
# The class decides which way the search goes, so what decides it comes before any single cause.
_CLASS: Final = 4.0
# Candidates that are put through the whole reasoning before one is found that does change something.
_PROVED: Final = 6
# What code works out of other numbers (metrics.leaders): the whole as it is printed, or all of its parts.
_STANDS_FOR: Final = {"compute_pct": (("sm_throughput_pct",), COMPUTE), "memory_pct": (("memory_throughput_pct",),)}
# What stands in for a number that a report lacks (metrics.fallbacks), as far as a person reads it.
_FROM: Final = {"dram_bytes": (("dram_bytes_per_s", "duration_ns"),)}


@dataclass(frozen=True)
class Need:
    """What a rule waits for: all of these numbers and questions, for the finding or class that it concludes.

    when, unless: what must hold and what must not for the answers to change something, some of it open.
    """

    concludes: str
    asks: frozenset[str]
    weight: float
    when: Sequence[str]
    unless: Sequence[str] = ()


class Wanting:
    """One launch of an interview, its open rules, and what they wait for."""

    def __init__(self, catalog: Catalog, inputs: Inputs, weighed: Weighed, askable: Sequence[str]) -> None:
        self.catalog, self.inputs, self.weighed = catalog, inputs, weighed
        self.trace: Trace = weighed.traces[0]
        self.values = weighed.observed.values(0)
        self.askable = [name for name in askable if name not in self.values]
        self.first = first_of(catalog, weighed, 0)

    def order(self) -> tuple[str, ...]:
        """What is worth asking, the most telling first; empty when no answer would change anything."""
        if self.first is not None and self.first.id == "launch_overhead":
            return ()  # nothing inside a kernel of a few microseconds matters
        needs, of_gain = self.needs(), self._of_gain()
        wanted = {name for need in needs for name in need.asks} | set(of_gain)
        numbers = frozenset(n for n in self.askable if n in wanted)
        tests = self.weighed.observed.tests
        moving = [name for name, test in tests.items() if closure(self.catalog, test.names) & numbers]
        tried = Tried(self.catalog, self.inputs, self.weighed, [n for n in self.askable if n in numbers], moving)
        needs = [need for need in needs if tried.may_hold(need.when, need.unless, need.asks)]
        moved = tried.gains_moved(self.first, of_gain)
        scores = {name: self._score(name, needs) + moved.get(name, 0.0) for name in self.askable}
        listed = sorted((n for n, s in scores.items() if s > 0), key=lambda n: (-scores[n], self.askable.index(n)))
        for tries, name in enumerate(listed):
            # What a rule waits for among other things is taken to matter; what it waits for alone is put to the proof.
            sure = name in moved or any(name in need.asks and len(need.asks) > 1 for need in needs)
            if sure or tries >= _PROVED or self._changes(name, tried):
                return tuple(listed[tries:])
        return ()

    def _score(self, name: str, needs: Sequence[Need]) -> float:
        """The findings that a question takes part in deciding, each by its weight and by how much else it waits for."""
        best: dict[str, float] = {}
        for need in needs:
            if name in need.asks:
                best[need.concludes] = max(best.get(need.concludes, 0.0), need.weight / len(need.asks))
        return sum(best.values())

    def _changes(self, name: str, tried: Tried) -> bool:
        """Whether some answer to this alone changes the class, the first finding or its gain."""
        now = outcome(self.catalog, self.weighed, 0)
        question = self.catalog.questions.get(name)
        if question is None or question.kind != "choice":
            return any(differs(now, other) for other in tried.outcomes(name))
        said = self.inputs.answers
        for choice in question.choices:
            inputs = replace(self.inputs, answers={**said, None: {**said.get(None, {}), name: choice}})
            if differs(now, outcome(self.catalog, weigh(self.catalog, inputs, self.weighed.frame, ("",)), 0)):
                return True
        return False

    # What rules wait for

    def needs(self) -> list[Need]:
        """What each open rule that could change the outcome waits for."""
        out, rules = [], {rule.id: rule for rule in self.weighed.engine.program.rules}
        for rule in self.trace.undecided:
            asks = self._together(rule.unknown, frozenset())
            weight = self._weight(rule.concludes, asks) if asks else 0.0
            if asks and weight > 0:
                known = rules[rule.rule_id]
                out.append(Need(rule.concludes, asks, weight, known.when, known.unless))
        if self.first is None:
            return out
        for fired in self.trace.fired_for(self.first.id):
            for name in fired.unknown_unless:
                asks = self._name(name, frozenset())
                if asks and name not in self._harmless:
                    out.append(Need(self.first.id, asks, math.log(_UNTOLD), (name,)))
        return out

    @cached_property
    def _harmless(self) -> frozenset[str]:
        """The observations that block a rule of the first finding, which stands whether they hold or not.

        Another rule may conclude it as well, even from what blocks this one: each is held to be true, and all of them.
        """
        fired = self.trace.fired_for(self.first.id) if self.first is not None else ()
        observed = self.weighed.observed
        names = sorted({name for one in fired for name in one.unknown_unless if name in observed.place})
        if not names:
            return frozenset()
        held = rows_of(observed, np.zeros(len(names) + 1, dtype=int))
        for row, name in enumerate(names):
            held.truth[[row, -1], observed.place[name]] = TRUE
        frame, known_as = self.weighed.frame.iloc[[0] * len(held.truth)], ("",) * len(held.truth)
        weighed, now = judge(self.catalog, self.inputs, frame, held, known_as), outcome(self.catalog, self.weighed, 0)
        stands = [not differs(now, outcome(self.catalog, weighed, row)) for row in range(len(held.truth))]
        return frozenset(name for name, as_before in zip(names, stands, strict=False) if as_before and stands[-1])

    def _weight(self, concludes: str, asks: frozenset[str]) -> float:
        """What a conclusion could change: 0 for one that is there already, or would not come first."""
        if concludes.startswith("class."):
            return _CLASS if self.trace.class_id == "undetermined" else 0.0
        if self.catalog.findings[concludes].kind != "diagnosis" or self.trace.fired_for(concludes):
            return 0.0
        untold = self._untold(concludes, asks)
        gain = None if untold else self._gain(concludes)
        if kind_of(self.catalog, concludes, gain) != "diagnosis":
            return 0.0
        worth = math.log(_UNTOLD if gain is None else max(gain.high, _LEAST))
        if self.first is None or untold or concludes in ENDS or self.first.id == "unexplained":
            return worth
        if self.first.id in ENDS:
            # A cause whose gain nobody can tell ends the end, too.
            return worth if gain is None or gain.high >= REACHES else 0.0
        far = Placed(concludes, "diagnosis", None if gain is None else structs.replace(gain, estimate=gain.high))
        return worth if ranked(self.catalog, (self.first, far))[0].id == concludes else 0.0

    def _untold(self, concludes: str, asks: frozenset[str]) -> bool:
        """Whether a gain is still to be told: the numbers that a rule waits for are those that its fix changes."""
        fix = self.catalog.findings[concludes].fix
        return fix is not None and bool(fix.changes) and any(name in self.catalog.metrics for name in asks)

    def _gain(self, concludes: str) -> Speedup | None:
        fix = self.catalog.findings[concludes].fix
        if fix is None or not fix.changes or workloads.is_workload(self.catalog):
            return None
        return model.speedups(self._model, fix, np.array([0]))[0]

    @cached_property
    def _model(self) -> model.Model:
        return model.build(self.weighed.observed.columns, 1)

    def _together(self, names: Iterable[str], seen: frozenset[str]) -> frozenset[str] | None:
        """All that these names wait for, None where one of them can never be known."""
        each = [self._name(name, seen) for name in names]
        return None if None in each else frozenset().union(*(asks for asks in each if asks is not None))

    def _name(self, name: str, seen: frozenset[str]) -> frozenset[str] | None:
        head, _, rest = name.partition(".")
        if head == "answer":
            question = rest.partition(".")[0]
            return frozenset({question}) if question in self.askable else None
        if head in ("found", "class"):
            return self._conclusion(rest if head == "found" else name, seen)
        return frozenset() if head == "gain" else self._observation(name)

    def _conclusion(self, concludes: str, seen: frozenset[str]) -> frozenset[str] | None:
        """What the open rule of a conclusion waits for that waits for least."""
        if concludes in seen:
            return None
        rules = [rule for rule in self.trace.undecided if rule.concludes == concludes]
        each = [self._together(rule.unknown, seen | {concludes}) for rule in rules]
        known = [asks for asks in each if asks is not None]
        return min(known, key=lambda asks: (len(asks), sorted(asks)), default=None)

    def _observation(self, name: str) -> frozenset[str] | None:
        test, out = self.weighed.observed.tests[name], frozenset[str]()
        for metric in sorted(test.names):
            asks = self._metric(metric, frozenset())
            if asks is None and " or " not in test.text:
                return None  # of an `or` one side may do
            out |= asks or frozenset()
        return out or None

    def _metric(self, metric: str, seen: frozenset[str]) -> frozenset[str] | None:
        """What must be asked to know a metric: itself, or else what it is worked out from."""
        if metric in self.values:
            return frozenset()
        if metric in self.askable:
            return frozenset({metric})
        if metric in seen:
            return None
        for way in ways(self.catalog, metric):
            each = [self._metric(part, seen | {metric}) for part in way]
            if None not in each:
                return frozenset().union(*(asks for asks in each if asks is not None))
        return None

    def _of_gain(self) -> list[str]:
        """The numbers that may move the gain of the first finding: those of its fix, and of the units of its time."""
        if self.first is None or self.first.kind != "diagnosis" or workloads.is_workload(self.catalog):
            return []
        fix = self.catalog.findings[self.first.id].fix
        if fix is None or not fix.changes:
            return []
        texts = (*fix.changes.values(), *fix.degrees.values())
        names = closure(self.catalog, frozenset().union(*(parse(str(text)).names for text in texts)))
        return [n for n in self.askable if n in names or n in (*MEMORY, *INSIDE, *COMPUTE)]


def wanted(catalog: Catalog, inputs: Inputs, weighed: Weighed, askable: Sequence[str]) -> tuple[str, ...]:
    """The metrics and questions among `askable` worth asking about the only launch, the most telling first.

    askable: in the order in which a person reads them; it decides between equals. Those known are left out.
    """
    return Wanting(catalog, inputs, weighed, askable).order()


@lru_cache(maxsize=4096)
def ways(catalog: Catalog, metric: str) -> tuple[tuple[str, ...], ...]:
    """The sets of metrics from which one can be worked out, the plainest first."""
    out: list[tuple[str, ...]] = []
    if workloads.is_workload(catalog):
        out += [(name,) for name in WORKED_OUT.get(metric, ()) if name != metric]
    elif metric in _STANDS_FOR:
        out += _STANDS_FOR[metric]
    definition = catalog.metrics.get(metric)
    if definition is not None and definition.formula:
        out.append(tuple(sorted(parse(definition.formula).names)))
    return (*out, *_FROM.get(metric, ()))


@lru_cache(maxsize=1024)
def closure(catalog: Catalog, names: frozenset[str]) -> frozenset[str]:
    """These metrics and all that they are worked out from."""
    seen: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += [part for way in ways(catalog, name) for part in way]
            todo += CODE.get(name, ()) if not workloads.is_workload(catalog) else ()
    return frozenset(seen)
