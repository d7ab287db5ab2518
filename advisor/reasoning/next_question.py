"""Choose the next question: test every candidate answer on the engine before the question is asked.

A question is worth asking if its answer could change the class, the first finding or that finding's speedup: a rule
that nothing refutes depends on it, everything else the rule depends on can be asked too (and is assumed to favour it),
and the rule's conclusion would then rank first. A number is tested once in each interval between the thresholds of the
tests that read it, within the range that the known numbers leave for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec import Struct, structs
from msgspec.structs import replace

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN, Comparison, parse
from advisor.knowledge.schemas import FixDef
from advisor.knowledge.units import compute_units, inner_units, memory_units
from advisor.reasoning.conclude import Conclusions, conclude, in_order, judge, prepare
from advisor.reasoning.domain import domain_of
from advisor.reasoning.engine.program import is_word
from advisor.reasoning.engine.program import kind_of as name_kind
from advisor.reasoning.engine.trace import Trace
from advisor.reasoning.enrich import with_numbers
from advisor.reasoning.fixes import chosen_fix
from advisor.reasoning.inputs import Inputs
from advisor.reasoning.observations import Observed, observe, tests_of
from advisor.reasoning.ranking import TIE, Ranked, kind_of, ranked, reaches
from advisor.reasoning.time_model import model as speedup_model
from advisor.reasoning.time_model.operators import names_read, parameters, terms_of
from advisor.records.diagnosis import ENDS, Speedup

if TYPE_CHECKING:
    import pandas as pd

# Values across the range of a number that no test compares with a constant.
_PERCENT: Final = (0.0, 2.0, 15.0, 25.0, 35.0, 45.0, 55.0, 70.0, 90.0)
_OTHER: Final = (0.0, 0.3, 1.0, 3.0, 12.0, 40.0, 300.0, 1e4, 1e6, 1e9, 1e12)
# Values for tests that compare a number with others: dense enough to have a value on each side of a flip.
_FINE_PERCENT: Final = np.arange(0.5, 100.0, 0.5)
_FINE_OTHER: Final = np.geomspace(1e-3, 1e13, 129)


def first_of(catalog: Catalog, concluded: Conclusions, row: int) -> Ranked | None:
    """Return the first diagnosis of a row in ranked order; None if there is none."""
    return next((f for f in in_order(catalog, concluded, row) if f.kind == "diagnosis"), None)


def outcome(catalog: Catalog, concluded: Conclusions, row: int) -> tuple[str, str, float]:
    """Return the class, the first finding and its gain of a row."""
    first = first_of(catalog, concluded, row)
    gain = 1.0 if first is None or first.speedup is None else first.speedup.estimate
    return concluded.traces[row].class_id, "" if first is None else first.id, gain


def differs(one: tuple[str, str, float], other: tuple[str, str, float]) -> bool:
    """Whether two outcomes differ; gains within a tie count as equal."""
    return one[:2] != other[:2] or abs(math.log(one[2] / other[2])) > math.log(TIE)


def _leads_elsewhere(now: tuple[str, str, float], other: tuple[str, str, float]) -> bool:
    """Whether another outcome has another first finding, or a class where now there is none."""
    return now[1] != other[1] or (now[0] == "undetermined" and other[0] != now[0])


def rows_of(observed: Observed, at: np.ndarray) -> Observed:
    """Return copies of these rows of the observations, in this order; a row may occur more than once."""
    columns = {metric: column[at] for metric, column in observed.columns.items()}
    return replace(observed, truth=observed.truth[at], margin=observed.margin[at], columns=columns, labels={})


@lru_cache(maxsize=4)
def _thresholds(catalog: Catalog) -> Mapping[str, frozenset[float]]:
    """Map each metric to the constants that tests compare it with."""
    out: dict[str, set[float]] = {}
    for test in tests_of(catalog).values():
        for comparison in test.comparisons:
            for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
                if len(side.names) == 1 and side.text in side.names and not other.names:
                    out.setdefault(side.text, set()).add(other.scalar({}))
    return {name: frozenset(v for v in values if math.isfinite(v)) for name, values in out.items()}


@lru_cache(maxsize=4)
def _against_others(catalog: Catalog) -> Mapping[str, tuple[Comparison, ...]]:
    """Map each metric to the comparisons of it with other metrics, and of what is computed from it alone."""
    out: dict[str, set[Comparison]] = {}
    for test in tests_of(catalog).values():
        for comparison in test.comparisons:
            names = comparison.left.names | comparison.right.names
            plain = len(names) == 1 and names & {comparison.left.text, comparison.right.text}
            for name in () if plain else names:
                out.setdefault(name, set()).add(comparison)
    return {name: tuple(sorted(some, key=lambda one: one.test)) for name, some in out.items()}


def _turns(catalog: Catalog, metric: str, known: Mapping[str, float], percent: bool) -> list[float]:
    """Return a value on each side of where a comparison with known numbers flips."""
    tried, out = _FINE_PERCENT if percent else _FINE_OTHER, list[float]()
    for comparison in _against_others(catalog).get(metric, ()):
        names = (comparison.left.names | comparison.right.names) - {metric}
        if not all(name in known for name in names):
            continue
        columns = {metric: tried, **{name: np.full(len(tried), known[name]) for name in names}}
        with np.errstate(all="ignore"):
            holds = comparison.holds(
                *(side.column(columns, len(tried)) for side in (comparison.left, comparison.right))
            )
        at = np.flatnonzero(np.diff(holds))
        out += [*tried[at].tolist(), *tried[at + 1].tolist()]
    return out


def values_of(catalog: Catalog, metric: str, known: Mapping[str, float]) -> tuple[float, ...]:
    """Return a value in each interval between the thresholds of a number's tests, within its possible range."""
    percent = metric in catalog.metrics and catalog.metrics[metric].unit == "%"
    edges = sorted(_thresholds(catalog).get(metric, ()))
    if edges:
        found = [edges[0] / 2, *((a + b) / 2 for a, b in pairwise(edges)), max(edges[-1] * 2, edges[-1] + 1)]
        # The test decides whether the threshold itself belongs to the side above it.
        found += [*edges, *(math.nextafter(edge, math.inf) for edge in edges), min(0.0, edges[0])]
    else:
        found = list(_PERCENT if percent else _OTHER)
    found += _turns(catalog, metric, known, percent)
    most = _room(catalog, metric, known, 100.0 if percent else math.inf)
    return tuple(sorted({min(value, most) for value in found if value >= 0}))


def _room(catalog: Catalog, metric: str, known: Mapping[str, float], most: float) -> float:
    """Return the upper limit of a number, given the known ones: a part of a total, or one of several shares."""
    most = domain_of(catalog).most(metric, known, most)
    if metric.startswith("stall_") and not metric.endswith("_not_issued_pct"):
        share = metric.endswith("_pct")
        others = [
            value
            for name, value in known.items()
            if name.startswith("stall_") and name.endswith("_pct") == share and "_not_issued" not in name
        ]
        all_of_it = 100.0 if share else known.get("issue_interval", math.inf)
        most = min(most, max(0.0, all_of_it - sum(others)))
    return most


class Tried:
    """Candidate values for one launch, one per row, with the outcomes of the tests.

    moving: the observations that these numbers can change; the others stay as they are.
    """

    def __init__(
        self, catalog: Catalog, inputs: Inputs, concluded: Conclusions, numbers: Iterable[str], moving: Sequence[str]
    ) -> None:
        known = concluded.observed.values(0)
        self._catalog, self._inputs = catalog, inputs
        self._before = concluded.observed.truth[0].tobytes()
        rows = [(name, value) for name in numbers for value in values_of(catalog, name, known)]
        self._rows: dict[str, list[int]] = {}
        for place, (name, _) in enumerate(rows):
            self._rows.setdefault(name, []).append(place)
        self._frame = _frame(catalog, inputs, rows)
        self._observed = _judged(self._frame, catalog, concluded.observed, moving) if rows else concluded.observed

    def may_hold(self, when: Sequence[str], unless: Sequence[str], numbers: Iterable[str]) -> bool:
        """Whether each of these numbers has a value with which no observation of a rule refutes it.

        Conclusions and answers among the rule's conditions are assumed to be open.
        """
        tried = (self._rows[name] for name in numbers if name in self._rows)
        return all(any(self._stands(row, when, unless) for row in rows) for rows in tried)

    def _stands(self, row: int, when: Sequence[str], unless: Sequence[str]) -> bool:
        return all(self._truth(row, n) != FALSE for n in when) and all(self._truth(row, n) != TRUE for n in unless)

    def _truth(self, row: int, name: str) -> int:
        at = self._observed.place.get(name)
        return UNKNOWN if at is None else int(self._observed.truth[row, at])

    def outcomes(self, name: str) -> tuple[tuple[str, str, float], ...]:
        """Return the result of the whole reasoning for a number's values, one for each outcome of all tests."""
        seen: dict[bytes, int] = {}
        for row in self._rows.get(name, []):
            seen.setdefault(self._observed.truth[row].tobytes(), row)
        rows = [row for key, row in seen.items() if key != self._before]
        if not rows:
            return ()
        some = rows_of(self._observed, np.array(rows))
        concluded = judge(self._catalog, self._inputs, self._frame.iloc[rows], some, ("",) * len(rows))
        return tuple(outcome(self._catalog, concluded, row) for row in range(len(rows)))

    def gains_moved(self, first: Ranked | None, fix: FixDef | None, numbers: Sequence[str]) -> dict[str, float]:
        """Return how far each number moves the first finding's gain, as a logarithm, if by more than a tie."""
        rows = [row for name in numbers for row in self._rows.get(name, [])]
        if first is None or fix is None or not rows:
            return {}
        model = speedup_model.build(self._observed.columns, len(self._frame))
        found = dict(zip(rows, speedup_model.speedups(model, fix, np.array(rows)), strict=True))
        now = 1.0 if first.speedup is None else first.speedup.estimate
        out = {}
        for name in numbers:
            gains = [1.0 if (s := found[row]) is None else s.estimate for row in self._rows.get(name, [])]
            moved = max((abs(math.log(gain / now)) for gain in gains), default=0.0)
            if moved > math.log(TIE):
                out[name] = moved
        return out


def _judged(frame: pd.DataFrame, catalog: Catalog, before: Observed, moving: Sequence[str]) -> Observed:
    """Return all observations on a frame; only those in `moving` can differ from `before`."""
    some = observe(frame, catalog, only=moving)
    truth, margin = np.repeat(before.truth[:1], len(frame), axis=0), np.repeat(before.margin[:1], len(frame), axis=0)
    places = [before.place[name] for name in some.names]
    truth[:, places], margin[:, places] = some.truth, some.margin
    return replace(before, truth=truth, margin=margin, columns=some.columns, labels={})


def _places(draw: np.random.Generator, many: int) -> np.ndarray:
    """Return the places of _DRAWS values among `many`: in half of them the first or the last."""
    where = draw.integers(0, many, _DRAWS)
    ends = draw.integers(0, 4, _DRAWS)
    return np.where(ends == 0, 0, np.where(ends == 1, many - 1, where))


def _frame(catalog: Catalog, inputs: Inputs, rows: Sequence[tuple[str, float]]) -> pd.DataFrame:
    """Return a row for each candidate value, with everything else that is known."""
    one = inputs.frame.iloc[[0] * max(1, len(rows))].reset_index(drop=True)
    columns = {
        name: np.array([value if other == name else math.nan for other, value in rows])
        for name in dict.fromkeys(name for name, _ in rows)
    }
    return prepare(catalog, replace(inputs, frame=with_numbers(one, columns)))[0]


# Launches drawn to find out which conditions are possible: one that holds for 5 % of them is missed in 1 % of cases.
_DRAWS: Final = 96
# A cause with an unknown gain counts as a factor of two: more than a tie, less than a certain large gain.
_UNTOLD: Final = 2.0
# A conclusion without a gain, such as the end of the search, counts for almost nothing.
_LEAST: Final = 1.05
# The class decides the direction of the search, so questions that decide it come before any single cause.
_CLASS: Final = 4.0
# The values from which metrics.derive computes a number without a formula, and that a user can read.
_FROM: Final = {
    "blocks_per_sm_limit": (tuple(f"occupancy_limit_{name}" for name in ("registers", "shared", "warps", "blocks")),),
    "dram_bytes": (("dram_bytes_per_s", "duration_ns"),),
    "load_sectors_actual": (("sectors_per_request_load", "global_load_inst"),),
    "loaded_bytes": (("global_load_inst", "access_bits_mean", "shared_load_inst", "shared_bits_mean"),),
    "requested_bytes": (("global_load_inst", "global_store_inst", "access_bits_mean"),),
    "l1_wavefronts_pct": (("l1_throughput_pct", "shared_wavefronts_hw_pct"),),
    "load_sector_ratio": (("sectors_per_request_load", "access_bits_mean"),),
    "store_sector_ratio": (("sectors_per_request_store", "access_bits_mean"),),
}
# The same, for a metric whose formula needs numbers that stand further down in ncu.
_FROM_TABLES: Final = {
    "shared_wavefront_ratio": (
        (
            *("shared_load_inst", "shared_load_wavefronts", "shared_store_inst", "shared_store_wavefronts"),
            "shared_bits_mean",
        ),
    ),
}


class Range(Struct, frozen=True):
    """Two metrics that bound a number, and the question that makes it exact."""

    low: str
    high: str
    ask: str


_EXACT: Final = (Range("shared_wavefront_ratio", "shared_wavefront_ratio_most", "shared_bits_mean"),)


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

    def order(self) -> tuple[str, ...]:
        """Return the questions worth asking, the most informative first; empty if none could change the first finding.

        A number that only moves the gain of the first finding is listed, but is no reason to go on. Questions in
        `later` follow if an answer to one of them alone would change the first finding.
        """
        if self.first is not None and self.first.id == "launch_overhead":
            return ()  # no fix inside a kernel of a few microseconds matters
        needs = [need for need in self.needs() if self._possible(need)]
        of_gain = self._of_gain()
        tried = self._tried(self.askable, {name for need in needs for name in need.asks} | set(of_gain))
        needs = [need for need in needs if tried.may_hold(need.when, need.unless, need.asks)]
        moved = tried.gains_moved(self.first, self._first_fix, of_gain)
        scores = {name: self._score(name, needs) + moved.get(name, 0.0) for name in self.askable}
        listed = sorted((n for n, s in scores.items() if s > 0), key=lambda n: (-scores[n], self.askable.index(n)))
        # Of what a rule lacks, one item among several is assumed to matter; a single item is tested.
        sure = {name for need in needs if need.of_gain or len(need.asks) > 1 for name in need.asks}
        tests = (name in sure or self._changes(name, tried) for name in listed if any(name in n.asks for n in needs))
        return (*(listed if any(tests) else ()), *self._alone())

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
        """Return the observations of _DRAWS launches with values for all open numbers, each from its possible range.

        A condition on several numbers may be impossible although each of them alone does not refute it: a pipe that is
        part of a low throughput cannot be saturated, whatever its share of useful lanes.
        """
        draw, known = np.random.default_rng(0), self.values
        values = {n: np.array(values_of(self.catalog, n, known)) for n in self.askable if n in self.catalog.metrics}
        where = {name: _places(draw, len(some)) for name, some in values.items()}
        columns = {name: some[where[name]] for name, some in values.items()}
        one = self.inputs.frame.iloc[[0] * _DRAWS].reset_index(drop=True)
        frame = prepare(self.catalog, replace(self.inputs, frame=with_numbers(one, columns)))[0]
        return _judged(frame, self.catalog, self.concluded.observed, self._moving(frozenset(values)))

    def _moving(self, numbers: frozenset[str]) -> list[str]:
        """Return the observations that these numbers can change."""
        tests = self.concluded.observed.tests
        return [name for name, test in tests.items() if closure(self.catalog, test.names) & numbers]

    def _alone(self) -> list[str]:
        """Return the questions in `later` of which one answer alone changes the first finding.

        With a cause found, what was left out stays unknown.
        """
        if self.first is not None and self.first.id not in (*ENDS, "unexplained"):
            return []
        tried = self._tried(self.later, set(self.later))
        return [name for name in self.later if self._changes(name, tried)]

    def _tried(self, names: Sequence[str], wanted: Collection[str]) -> Tried:
        numbers = frozenset(name for name in names if name in wanted)
        known = [name for name in names if name in numbers]
        return Tried(self.catalog, self.inputs, self.concluded, known, self._moving(numbers))

    def _score(self, name: str, needs: Sequence[Need]) -> float:
        """Sum over the findings that a question helps to decide: each weight over the number of its open items."""
        best: dict[str, float] = {}
        for need in needs:
            if name in need.asks:
                best[need.concludes] = max(best.get(need.concludes, 0.0), need.weight / len(need.asks))
        return sum(best.values())

    def _changes(self, name: str, tried: Tried) -> bool:
        """Whether some answer to this question alone changes the first finding, or decides the class."""
        now = outcome(self.catalog, self.concluded, 0)
        question = self.catalog.questions.get(name)
        if question is None or question.kind != "choice":
            return any(_leads_elsewhere(now, other) for other in tried.outcomes(name))
        said = self.inputs.answers
        for choice in question.choices:
            inputs = replace(self.inputs, answers={**said, None: {**said.get(None, {}), name: choice}})
            if _leads_elsewhere(
                now, outcome(self.catalog, conclude(self.catalog, inputs, self.concluded.frame, ("",)), 0)
            ):
                return True
        return False

    # Inputs that rules lack

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
                if asks and name not in self._harmless:
                    out.append(Need(self.first.id, asks, math.log(_UNTOLD), (name,)))
        return out

    def _gains_needed(self) -> list[Need]:
        """Return what the gains of the other concluded causes lack: a cause with a larger gain comes first."""
        out, gains = self._exact(), self.concluded.gains[0]
        for name in self.trace.findings:
            fix = chosen_fix(self.catalog.findings[name], self.trace)
            if fix is None or name in gains or self.catalog.findings[name].kind != "diagnosis":
                continue
            if self.first is None or name == self.first.id or self.first.id in ENDS:
                continue
            for names in parameters(fix.operators):
                asks = self._together(sorted(names), frozenset(), self._metric)
                if asks:
                    out.append(Need(name, asks, math.log(_UNTOLD), (), of_gain=True))
        return out

    def _exact(self) -> list[Need]:
        """Return what turns a range of the first finding into a number, for numbers that its fix changes."""
        fix = self._first_fix
        if self.first is None or fix is None:
            return []
        read = closure(self.catalog, names_read(fix.operators))
        ranges = (one for one in _EXACT if one.low in read and self.values.get(one.low, 0.0) > 0)
        open_ = (one for one in ranges if self.values.get(one.high, 0.0) > TIE * self.values[one.low])
        asks = (frozenset({one.ask}) for one in open_ if one.ask in self.askable)
        out = [Need(self.first.id, each, math.log(_UNTOLD), (), of_gain=True) for each in asks]
        if self.first.speedup is None and fix.operators and domain_of(self.catalog).modelled:
            # A cause without an estimate ranks last, so its own gain comes before other causes.
            read = speedup_model.metrics_of(terms_of(fix.operators))
            needed = self._together(sorted(read), frozenset(), self._metric)
            out += [Need(self.first.id, needed, _CLASS, (), of_gain=True)] if needed else []
        return out

    @cached_property
    def _unasked(self) -> frozenset[str]:
        """Return the rules of weaker evidence, which are no reason to ask."""
        rules = (rule for entry in self.catalog.findings.values() for rule in entry.seen)
        return frozenset(rule.id for rule in rules if not rule.asks)

    @cached_property
    def _harmless(self) -> frozenset[str]:
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
        far = Ranked(concludes, "diagnosis", None if gain is None else structs.replace(gain, estimate=gain.high))
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
        numbers are.
        """
        fix = self.catalog.findings[concludes].fix
        if fix is None or not fix.operators or not domain_of(self.catalog).modelled:
            return None
        after = speedup_model.least_time(self._model.now, terms_of(fix.operators))
        most = 1 / after if after > 0 else math.inf
        return Speedup(most, most, most, "", "") if math.isfinite(most) else None

    @cached_property
    def _first_fix(self) -> FixDef | None:
        """Return the fix that the first finding's gain belongs to."""
        return None if self.first is None else chosen_fix(self.catalog.findings[self.first.id], self.trace)

    @cached_property
    def _model(self) -> speedup_model.Model:
        return speedup_model.build(self.concluded.observed.columns, 1)

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

    def _of_gain(self) -> list[str]:
        """Return the numbers that may move the gain of the first finding: inputs of its fix and unit utilisations."""
        if self.first is None or self.first.kind != "diagnosis" or not domain_of(self.catalog).modelled:
            return []
        fix = self._first_fix
        if fix is None or not fix.operators:
            return []
        units = (*memory_units(), *inner_units(), *compute_units())
        names = closure(self.catalog, names_read(fix.operators))
        return [n for n in self.askable if n in names or n in units]


def wanted(
    catalog: Catalog, inputs: Inputs, concluded: Conclusions, askable: Sequence[str], later: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the metrics and questions in `askable` worth asking about the only launch, the most informative first.

    askable: in the order in which a person reads them, which decides between equals. Known ones are left out.
    later: those asked only if one of them alone could change the first finding; the others count as unknown for ever.
    """
    return OpenRules(catalog, inputs, concluded, askable, later).order()


@lru_cache(maxsize=4096)
def ways(catalog: Catalog, metric: str) -> tuple[tuple[str, ...], ...]:
    """Return the sets of metrics from which a metric can be derived, the simplest first."""
    out = [*domain_of(catalog).ways(metric), *_FROM_TABLES.get(metric, ())]
    definition = catalog.metrics.get(metric)
    if definition is not None and definition.formula:
        out.append(tuple(sorted(parse(definition.formula).names)))
    return (*out, *_FROM.get(metric, ()))


@lru_cache(maxsize=1024)
def closure(catalog: Catalog, names: frozenset[str]) -> frozenset[str]:
    """Return these metrics and all that they are derived from."""
    seen: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += [part for way in ways(catalog, name) for part in way]
            todo += domain_of(catalog).read_by(name)
    return frozenset(seen)
