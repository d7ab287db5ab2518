"""Choose the next question: test every candidate answer on the engine before the question is asked.

A question is worth asking if its answer could change the class, the first finding or that finding's speedup: a rule
that nothing refutes depends on it, everything else the rule depends on can be asked too (and is assumed to favour it),
and the rule's conclusion would then rank first. A number is tested once in each interval between the thresholds of the
tests that read it, within the range that the known numbers leave for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from msgspec.structs import replace

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN
from advisor.reasoning.asking.needs import Need, OpenRules
from advisor.reasoning.asking.outcomes import leads_elsewhere, outcome
from advisor.reasoning.asking.trials import DRAWS, Tried, drawn, rows_of
from advisor.reasoning.conclude import Conclusions, conclude, judge
from advisor.reasoning.fixes import chosen_fix
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.observations import Observed
from advisor.reasoning.time_model import model as speedup_model
from advisor.records.diagnosis import ENDS

# Of the drawn launches in which a rule holds, the one with the largest gain and the one with the smallest are tried.
_ENDS_TRIED: Final = 2


def wanted(
    catalog: Catalog, inputs: Inputs, concluded: Conclusions, askable: Sequence[str], later: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the metrics and questions in `askable` worth asking about the only launch, the most informative first.

    askable: in the order in which a person reads them, which decides between equals. Known ones are left out.
    later: those asked only if one of them alone could change the first finding; the others count as unknown for ever.
    """
    return _Choice(OpenRules(catalog, inputs, concluded, askable, later)).order()


class _Choice:
    """The choice among the questions that the open rules of a launch lack."""

    def __init__(self, rules: OpenRules) -> None:
        self.rules, self.catalog, self.inputs, self.concluded = rules, rules.catalog, rules.inputs, rules.concluded
        self.now = outcome(self.catalog, self.concluded, 0)

    def order(self) -> tuple[str, ...]:
        """Return the questions worth asking, the most informative first; empty if none could change the first finding.

        A number that only moves the gain of the first finding is listed, but is no reason to go on. Questions in
        `later` follow if an answer to one of them alone would change the first finding.
        """
        rules = self.rules
        if rules.first is not None and rules.first.id == "launch_overhead":
            return ()  # no fix inside a kernel of a few microseconds matters
        needs = [need for need in rules.needs() if self._possible(need)]
        of_gain = rules.of_gain()
        tried = self._tried(rules.askable, {name for need in needs for name in need.asks} | set(of_gain))
        needs = [need for need in needs if tried.may_hold(need.when, need.unless, need.asks)]
        needs = self._decisive(needs)
        moved = tried.gains_moved(rules.first, rules.first_fix, of_gain)
        scores = {name: self._score(name, needs) + moved.get(name, 0.0) for name in rules.askable}
        listed = sorted((n for n, s in scores.items() if s > 0), key=lambda n: (-scores[n], rules.askable.index(n)))
        # Of what a rule lacks, one item among several was tried with the others; a single item is tried here.
        sure = {name for need in needs if need.of_gain or len(need.asks) > 1 for name in need.asks}
        tests = (name in sure or self._changes(name, tried) for name in listed if any(name in n.asks for n in needs))
        return (*(listed if any(tests) else ()), *self._alone())

    def _decisive(self, needs: Sequence[Need]) -> list[Need]:
        """Return the needs whose answers together could change the first finding.

        The answers to one need are drawn until its conditions hold, and everything else stays as it is. With the
        largest and the smallest gain that they then give, the whole reasoning is tried. Where no draw fulfils the
        conditions, or something else is open too, the need counts.
        """
        first = self.rules.first
        if first is None or first.id == "unexplained":
            return list(needs)
        # What makes the first finding's own gain exact is worth it; the others must be able to come first.
        tested = [need for need in needs if not (need.of_gain and need.concludes == first.id)]
        if not tested:
            return list(needs)
        asks = frozenset(name for need in tested for name in need.asks if name in self.catalog.metrics)
        of_each = [[name for name in self.rules.askable if name in need.asks & asks] for need in tested]
        frame, observed = drawn(self.catalog, self.inputs, self.concluded, of_each, self.rules.moving(asks))
        model = speedup_model.build(observed.measured, len(frame))
        rows, of_row, chosen = list[int](), list[Need](), dict[int, dict[str, str]]()
        for at, need in enumerate(tested):
            for row in self._telling(need, observed, range(at * DRAWS, (at + 1) * DRAWS), model):
                chosen[len(rows)] = self._choices(need)
                rows.append(row)
                of_row.append(need)
        said = self.inputs.answers
        inputs = replace(self.inputs, answers={**said, **{row: dict(some) for row, some in chosen.items()}})
        some = rows_of(observed, np.array(rows, dtype=int))
        concluded = judge(self.catalog, inputs, frame.iloc[rows], some, ("",) * len(rows))
        decides = {id(need): False for need in of_row}
        for row, need in enumerate(of_row):
            open_ = need.concludes not in (*concluded.traces[row].findings, concluded.traces[row].class_id)
            untold = not open_ and need.concludes not in concluded.gains[row] and need.concludes != first.id
            decides[id(need)] |= open_ or untold or leads_elsewhere(self.now, outcome(self.catalog, concluded, row))
        return [need for need in needs if decides.get(id(need), True)]

    def _telling(self, need: Need, observed: Observed, rows: range, model: speedup_model.Model) -> list[int]:
        """Return the rows that fulfil the conditions of a need, with the largest and the smallest gain of its fix."""
        holds = np.ones(len(rows), dtype=bool)
        for names, wrong in ((need.when, (FALSE, UNKNOWN)), (need.unless, (TRUE,))):
            for name in names:
                at = observed.place.get(name)
                if at is not None:
                    holds &= ~np.isin(observed.truth[rows.start : rows.stop, at], wrong)
        found = (np.flatnonzero(holds) + rows.start).tolist()
        entry = self.catalog.findings.get(need.concludes)
        fix = None if entry is None else chosen_fix(entry, self.rules.trace) or entry.fix
        if len(found) < _ENDS_TRIED or fix is None or not fix.operators:
            return found[:_ENDS_TRIED]
        gains = speedup_model.speedups(model, fix, np.array(found))
        order = sorted(range(len(found)), key=lambda at: 1.0 if (gain := gains[at]) is None else gain.estimate)
        return [found[order[0]], found[order[-1]]]

    def _choices(self, need: Need) -> dict[str, str]:
        """Return the answers to questions with choices that fulfil the conditions of a need."""
        parts = (name.split(".") for name in need.when if name.startswith("answer."))
        return {question: choice for _, question, choice in parts if question in need.asks}

    def _possible(self, need: Need) -> bool:
        """Whether the open numbers can have values together for which each condition of the need holds."""
        drawn = self._drawn
        for name in (*need.when, *need.unless):
            at = drawn.place.get(name)
            truth = None if at is None else drawn.truth[:, at]
            if truth is None or not (truth != UNKNOWN).any():
                continue
            if (name in need.when and not (truth == TRUE).any()) or (name in need.unless and (truth == TRUE).all()):
                return False
        return True

    @cached_property
    def _drawn(self) -> Observed:
        """Return the observations of launches with drawn values for all open numbers.

        A condition on several numbers may be impossible although each of them alone does not refute it: a pipe that is
        part of a low throughput cannot be saturated, whatever its share of useful lanes.
        """
        numbers = [name for name in self.rules.askable if name in self.catalog.metrics]
        moving = self.rules.moving(frozenset(numbers))
        return drawn(self.catalog, self.inputs, self.concluded, [numbers], moving)[1]

    def _alone(self) -> list[str]:
        """Return the questions in `later` of which one answer alone changes the first finding.

        With a cause found, what was left out stays unknown.
        """
        first, later = self.rules.first, self.rules.later
        if first is not None and first.id not in (*ENDS, "unexplained"):
            return []
        tried = self._tried(later, set(later))
        return [name for name in later if self._changes(name, tried)]

    def _tried(self, names: Sequence[str], wanted: Collection[str]) -> Tried:
        numbers = frozenset(name for name in names if name in wanted)
        known = [name for name in names if name in numbers]
        return Tried(self.catalog, self.inputs, self.concluded, known, self.rules.moving(numbers))

    def _score(self, name: str, needs: Sequence[Need]) -> float:
        """Sum over the findings that a question helps to decide: each weight over the number of its open items."""
        best: dict[str, float] = {}
        for need in needs:
            if name in need.asks:
                best[need.concludes] = max(best.get(need.concludes, 0.0), need.weight / len(need.asks))
        return sum(best.values())

    def _changes(self, name: str, tried: Tried) -> bool:
        """Whether some answer to this question alone changes the first finding, or decides the class."""
        question = self.catalog.questions.get(name)
        if question is None or question.kind != "choice":
            return any(leads_elsewhere(self.now, other) for other in tried.outcomes(name))
        said = self.inputs.answers
        for choice in question.choices:
            inputs = replace(self.inputs, answers={**said, None: {**said.get(None, {}), name: choice}})
            concluded = conclude(self.catalog, inputs, self.concluded.frame, ("",))
            if leads_elsewhere(self.now, outcome(self.catalog, concluded, 0)):
                return True
        return False
