"""What open rules lack: the numbers and questions that could change the first finding, its class or its gain."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from msgspec import Struct, structs

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import TRUE
from advisor.knowledge.schemas import FixDef
from advisor.knowledge.time_model import time_model
from advisor.knowledge.units import compute_units, inner_units, memory_units
from advisor.reasoning.asking.outcomes import differs, first_of, outcome
from advisor.reasoning.asking.trials import enough, rows_of
from advisor.reasoning.asking.ways import EXACT, closure, ways
from advisor.reasoning.conclude import Conclusions, judge
from advisor.reasoning.domain import domain_of
from advisor.reasoning.engine.program import is_word
from advisor.reasoning.engine.program import kind_of as name_kind
from advisor.reasoning.engine.trace import Trace
from advisor.reasoning.fixes import chosen_fix
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.ranking import TIE, Ranked, kind_of, ranked, reaches
from advisor.reasoning.time_model import model as speedup_model
from advisor.reasoning.time_model.operators import names_read, terms_of
from advisor.reasoning.time_model.terms import SHARES
from advisor.records.diagnosis import ENDS, Speedup

# A cause with an unknown gain counts as a factor of two: more than a tie, less than a certain large gain.
_UNTOLD: Final = 2.0
# A conclusion without a gain, such as the end of the search, counts for almost nothing.
_LEAST: Final = 1.05
# The class decides the direction of the search, so questions that decide it come before any single cause.
_CLASS: Final = 4.0


class Need(Struct, frozen=True):
    """What a rule lacks: all of these numbers and questions, for the finding or class that it concludes.

    when, unless: conditions that must be true and false for the answers to change something; some are open. of_gain:
    the finding is concluded, and the answers decide how large its gain is.
    """

    concludes: str
    asks: frozenset[str]
    weight: float
    when: Sequence[str]
    unless: Sequence[str] = ()
    of_gain: bool = False


class OpenRules:
    """One launch of an interview, its open rules, and what they lack."""

    def __init__(
        self,
        catalog: Catalog,
        inputs: Inputs,
        concluded: Conclusions,
        askable: Sequence[str],
        later: Sequence[str] = (),
    ) -> None:
        self.catalog, self.inputs, self.concluded = catalog, inputs, concluded
        self.trace: Trace = concluded.traces[0]
        self.values = concluded.observed.values(0)
        self.askable = [name for name in askable if name not in self.values]
        self.later = [name for name in later if name not in self.values]
        self.first = first_of(catalog, concluded, 0)

    def needs(self) -> list[Need]:
        """Return what each open rule that could change the outcome lacks."""
        out, rules = [], {rule.id: rule for rule in self.concluded.engine.program.rules}
        strong: dict[str, bool] = {}
        # Weaker evidence last: it is asked for where the numbers for all stronger evidence are unknown for ever.
        for rule in sorted(self.trace.undecided, key=lambda rule: rule.rule_id in self._unasked):
            if name_kind(rule.concludes) == "fix" or is_word(rule.concludes):
                continue
            if rule.rule_id in self._unasked and strong.get(rule.concludes, True):
                continue
            asks = self._together(rule.unknown, frozenset())
            if rule.rule_id not in self._unasked:
                strong[rule.concludes] = strong.get(rule.concludes, False) or bool(asks)
            weight = self._weight(rule.concludes, asks) if asks else 0.0
            if asks and weight > 0:
                known = rules[rule.rule_id]
                out.append(Need(rule.concludes, asks, weight, known.when, known.unless))
        out += self._gains_needed()
        if self.first is None:
            return out
        for fired in self.trace.fired_for(self.first.id):
            for name in fired.unknown_unless:
                asks = self._name(name, frozenset())
                if asks and name not in self.harmless:
                    out.append(Need(self.first.id, asks, math.log(_UNTOLD), (name,)))
        return out

    def _gains_needed(self) -> list[Need]:
        """Return what the gains of the other concluded causes lack: a cause with a larger gain comes first."""
        out, gains = self._of_first(), self.concluded.gains[0]
        for name in self.trace.findings:
            fix = chosen_fix(self.catalog.findings[name], self.trace)
            if fix is None or name in gains or self.catalog.findings[name].kind != "diagnosis":
                continue
            if self.first is None or name == self.first.id or self.first.id in ENDS:
                continue
            asks = self._of_fix(fix)
            if asks:
                out.append(Need(name, asks, math.log(_UNTOLD), (), of_gain=True))
        return out

    def _of_first(self) -> list[Need]:
        """Return what makes the first finding's gain known, and a number exact that its fix changes."""
        fix = self.first_fix
        if self.first is None or fix is None:
            return []
        read = closure(self.catalog, names_read(fix.operators))
        ranges = (one for one in EXACT if one.low in read and self.values.get(one.low, 0.0) > 0)
        open_ = (one for one in ranges if self.values.get(one.high, 0.0) > TIE * self.values[one.low])
        asks = (frozenset({one.ask}) for one in open_ if one.ask in self.askable)
        out = [Need(self.first.id, each, math.log(_UNTOLD), (), of_gain=True) for each in asks]
        if self.first.speedup is None:
            # A cause without an estimate ranks last, so its own gain comes before other causes.
            needed = self._of_fix(fix)
            out += [Need(self.first.id, needed, _CLASS, (), of_gain=True)] if needed else []
        return out

    def _of_fix(self, fix: FixDef) -> frozenset[str] | None:
        """Return the open numbers that settle the gain of a fix; None if no numbers do."""
        if not fix.operators or not domain_of(self.catalog).modelled:
            return None
        shown = speedup_model.metrics_of(terms_of(fix.operators))
        read = closure(self.catalog, names_read(fix.operators) | shown)
        numbers = [name for name in self.askable if name in read]
        return enough(self.catalog, self.inputs, self.values, numbers, fix) if numbers else None

    @cached_property
    def _unasked(self) -> frozenset[str]:
        """Return the rules of weaker evidence, which are no reason to ask."""
        rules = (rule for entry in self.catalog.findings.values() for rule in entry.seen)
        return frozenset(rule.id for rule in rules if not rule.asks)

    @cached_property
    def harmless(self) -> frozenset[str]:
        """Return unknown blockers of the first finding's rules that leave the outcome unchanged if they are true.

        Another rule may conclude the same finding, even from what blocks this one. So each blocker is set to true, and
        then all of them.
        """
        fired = self.trace.fired_for(self.first.id) if self.first is not None else ()
        observed = self.concluded.observed
        names = sorted({name for one in fired for name in one.unknown_unless if name in observed.place})
        if not names:
            return frozenset()
        held = rows_of(observed, np.zeros(len(names) + 1, dtype=int))
        for row, name in enumerate(names):
            held.truth[[row, -1], observed.place[name]] = TRUE
        frame, known_as = self.concluded.frame.iloc[[0] * len(held.truth)], ("",) * len(held.truth)
        concluded, now = (
            judge(self.catalog, self.inputs, frame, held, known_as),
            outcome(self.catalog, self.concluded, 0),
        )
        stands = [not differs(now, outcome(self.catalog, concluded, row)) for row in range(len(held.truth))]
        return frozenset(name for name, as_before in zip(names, stands, strict=False) if as_before and stands[-1])

    def _weight(self, concludes: str, asks: frozenset[str]) -> float:
        """Return how much a conclusion could change: 0 if it is already concluded or would not come first."""
        if concludes.startswith("class."):
            return _CLASS if self.trace.class_id == "undetermined" else 0.0
        if self.catalog.findings[concludes].kind != "diagnosis" or self.trace.fired_for(concludes):
            return 0.0
        untold = self._untold(concludes, asks)
        gain = self._most_gain(concludes) if untold else self._gain(concludes)
        untold = untold and gain is None
        if kind_of(self.catalog, concludes, gain) != "diagnosis":
            return 0.0
        worth = math.log(_UNTOLD if gain is None else max(gain.high, _LEAST))
        if self.first is None or untold or concludes in ENDS or self.first.id == "unexplained":
            return worth
        if self.first.id in ENDS:
            # A cause whose gain is unknown also cancels the end of the search.
            return worth if gain is None or reaches(gain.high) else 0.0
        # The question is what else could be: both are taken as equally certain.
        most = None if gain is None else structs.replace(gain, estimate=gain.high)
        far = Ranked(concludes, "diagnosis", most, self.first.confidence)
        return worth if ranked(self.catalog, (self.first, far))[0].id == concludes else 0.0

    def _untold(self, concludes: str, asks: frozenset[str]) -> bool:
        """Whether a gain is still unknown, because the numbers that a rule lacks are those that its fix changes."""
        fix = self.catalog.findings[concludes].fix
        return fix is not None and fix.modelled and any(name in self.catalog.metrics for name in asks)

    def _gain(self, concludes: str) -> Speedup | None:
        fix = self.catalog.findings[concludes].fix
        if fix is None or not fix.operators or not domain_of(self.catalog).modelled:
            return None
        return speedup_model.speedups(self._model, fix, np.array([0]))[0]

    def _most_gain(self, concludes: str) -> Speedup | None:
        """Return the gain of a fix that does away with all work that it changes; None where no known unit limits it.

        A unit that is known to be busy limits the gain of each fix that leaves its work as it is, whatever the open
        numbers are. Which part of a unit's work a fix relieves may be open too: then it may be all of it.
        """
        fix = self.catalog.findings[concludes].fix
        if fix is None or not fix.operators or not domain_of(self.catalog).modelled:
            return None
        changed, terms = set(terms_of(fix.operators)), time_model().terms
        open_ = {terms[name].part_of for name, metric in SHARES.items() if metric not in self.values}
        whole = {terms[name].part_of for name in changed if name in terms} & open_ - {""}
        changed |= {name for name, term in terms.items() if term.part_of in whole}
        after = speedup_model.least_time(self._model.now, changed)
        most = 1 / after if after > 0 else math.inf
        return Speedup(most, most, most, "", "") if math.isfinite(most) else None

    @cached_property
    def first_fix(self) -> FixDef | None:
        """Return the fix that the first finding's gain belongs to."""
        return None if self.first is None else chosen_fix(self.catalog.findings[self.first.id], self.trace)

    def moving(self, numbers: frozenset[str]) -> list[str]:
        """Return the observations that these numbers can change."""
        tests = self.concluded.observed.tests
        return [name for name, test in tests.items() if closure(self.catalog, test.names) & numbers]

    @cached_property
    def _model(self) -> speedup_model.Model:
        return speedup_model.build(self.concluded.observed.measured, 1)

    def lacks(self, name: str) -> frozenset[str] | None:
        """Return what to ask to know a condition, empty if nothing; None if it can never be known."""
        return self._name(name, frozenset())

    def _together(
        self,
        names: Iterable[str],
        seen: frozenset[str],
        of: Callable[[str, frozenset[str]], frozenset[str] | None] | None = None,
    ) -> frozenset[str] | None:
        """Return everything needed to know these names; None if one of them can never be known."""
        each = [(of or self._name)(name, seen) for name in names]
        return None if None in each else frozenset().union(*(asks for asks in each if asks is not None))

    def _name(self, name: str, seen: frozenset[str]) -> frozenset[str] | None:
        head, _, rest = name.partition(".")
        if head == "answer":
            question = rest.partition(".")[0]
            return frozenset({question}) if question in self.askable else None
        if head in ("found", "class", "napkin"):
            return self._conclusion(rest if head == "found" else name, seen)
        return frozenset() if head == "gain" else self._observation(name)

    def _conclusion(self, concludes: str, seen: frozenset[str]) -> frozenset[str] | None:
        """Return what to ask for the open rule of a conclusion that lacks the least."""
        if concludes in seen:
            return None
        open_rules = (rule for rule in self.trace.undecided if rule.concludes == concludes)
        rules = [rule for rule in open_rules if rule.rule_id not in self._unasked]
        each = [self._together(rule.unknown, seen | {concludes}) for rule in rules]
        known = [asks for asks in each if asks is not None]
        return min(known, key=lambda asks: (len(asks), sorted(asks)), default=None)

    def _observation(self, name: str) -> frozenset[str] | None:
        test, out = self.concluded.observed.tests[name], frozenset[str]()
        for metric in sorted(test.names):
            asks = self._metric(metric, frozenset())
            if asks is None and " or " not in test.text:
                return None  # one side of an `or` may suffice
            out |= asks or frozenset()
        return out or None

    def _metric(self, metric: str, seen: frozenset[str]) -> frozenset[str] | None:
        """Return what to ask to know a metric: the metric itself, or else its inputs."""
        if metric in self.values:
            return frozenset()
        if metric in self.askable:
            return frozenset({metric})
        if metric in seen:
            return None
        for way in ways(self.catalog, metric):
            each = [self._metric(part, seen | {metric}) for part in way]
            asks = frozenset[str]().union(*(some for some in each if some is not None))
            if None not in each and asks:  # a way whose numbers are known, but not this metric, does not lead to it
                return asks
        return None

    def of_gain(self) -> list[str]:
        """Return the numbers that may move the gain of the first finding: inputs of its fix and unit utilisations."""
        if self.first is None or self.first.kind != "diagnosis" or not domain_of(self.catalog).modelled:
            return []
        fix = self.first_fix
        if fix is None or not fix.operators:
            return []
        units = (*memory_units(), *inner_units(), *compute_units())
        names = closure(self.catalog, names_read(fix.operators))
        return [n for n in self.askable if n in names or n in units]
