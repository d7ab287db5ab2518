"""The conclusions of one run of the engine, its undecided rules, and the confidence of each conclusion."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, field

from advisor.knowledge.expressions import FALSE, TRUE, UNKNOWN
from advisor.reasoning.engine.program import UNDETERMINED, CompiledRule, is_word, kind_of

if TYPE_CHECKING:
    from advisor.reasoning.observations import Observed


class Fired(Struct, frozen=True):
    """A rule that fired.

    unknown_unless: the unknown conditions that would have blocked it if true. For a class these include the earlier
    classes of the decision list that are undecided, as `class.<id>`. rare: those of `unless` that cost no confidence
    while they are unknown.
    """

    rule_id: str
    concludes: str
    step: int
    when: tuple[str, ...]
    unless: tuple[str, ...]
    unknown_unless: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()


class Undecided(Struct, frozen=True):
    """A rule that neither fired nor was refuted. unknown: the conditions in its `when` whose truth is unknown; seldom:
    while it is undecided, its finding counts as not concluded.
    """

    rule_id: str
    concludes: str
    step: int
    unknown: tuple[str, ...]
    seldom: bool = False


class Trace(Struct, frozen=True, dict=True):
    """The conclusions of one launch.

    class_id: without its prefix; `fired` and `undecided`: in the order of the reasoning, classes as `class.<id>`, fixes
    that suit, or may suit, as `fix.<finding>.<id>`, words as `napkin.…`, `gain.…` and `advice.…`;
    explained: a symptom's observation to the finding that explains it, whether or not the symptom is observed; answers:
    those of the input that some rule reads; quantified: whether the rules after the quantification ran too.
    """

    class_id: str
    fired: tuple[Fired, ...]
    undecided: tuple[Undecided, ...]
    explained: Mapping[str, str] = field(default_factory=dict)
    answers: frozenset[str] = frozenset()
    quantified: bool = False

    @cached_property
    def _fired(self) -> frozenset[str]:
        return frozenset(f.concludes for f in self.fired)

    @cached_property
    def _undecided(self) -> frozenset[str]:
        return frozenset(u.concludes for u in self.undecided if not u.seldom)

    @property
    def findings(self) -> tuple[str, ...]:
        """Return the ids of the findings, each once, in the order of the reasoning."""
        concluded = (f.concludes for f in self.fired)
        return tuple(dict.fromkeys(c for c in concluded if kind_of(c) == "observation"))

    @property
    def words(self) -> tuple[str, ...]:
        """Return the conclusions of napkin math and quantification, each once, in the order of the reasoning."""
        return tuple(dict.fromkeys(f.concludes for f in self.fired if is_word(f.concludes)))

    @property
    def concluded(self) -> tuple[str, ...]:
        """Return everything that a later rule may read, as rules spell it, without the fixes."""
        return (*self.words, *(f"found.{name}" for name in self.findings), f"class.{self.class_id}")

    def fired_for(self, concludes: str) -> tuple[Fired, ...]:
        """Return the rules that concluded a finding or `class.<id>`."""
        return tuple(f for f in self.fired if f.concludes == concludes)

    def truth(self, name: str) -> int:
        """Return FALSE, UNKNOWN or TRUE for `found.<id>`, `class.<id>`, `answer.…`, `napkin.…`, `gain.…`, `advice.…`.

        A finding or word that no rule concluded is unknown while one of its rules is undecided. A class is unknown
        while no class holds and its own rule is undecided. Words of the quantification are unknown before it.
        """
        kind = kind_of(name)
        if kind == "answer":
            return answer_truth(name, self.answers)
        if kind in ("gain", "advice") and not self.quantified:
            return UNKNOWN
        wanted = name.removeprefix("found.")
        if wanted == f"class.{self.class_id}" or wanted in self._fired:
            return TRUE
        if wanted.startswith("class.") and f"class.{self.class_id}" != UNDETERMINED:
            return FALSE
        return UNKNOWN if wanted in self._undecided else FALSE


def answer_truth(name: str, answers: frozenset[str]) -> int:
    """Return TRUE for the user's choice, FALSE for the other choices, UNKNOWN before the question is answered."""
    if name in answers:
        return TRUE
    question = name.rpartition(".")[0]
    return FALSE if any(a.rpartition(".")[0] == question for a in answers) else UNKNOWN


def build_trace(
    rules: Sequence[CompiledRule],
    fired: Iterable[str],
    state: Mapping[str, int],
    answers: frozenset[str],
    explains: Mapping[str, tuple[str, ...]],
    before: Trace | None = None,
) -> Trace:
    """Build the trace: the rules that fired, and what is undecided; `before` is the trace of an earlier pass.

    This function does not decide which rules fire. rules: those that no observation refutes, or more, in the order of
    the reasoning; explains: finding -> the
    symptoms that it explains. If two findings explain one symptom, the earlier one counts.
    """
    done = dict.fromkeys(fired)
    found: dict[str, int] = {}  # every conclusion that is true or unknown
    fired_out: list[Fired] = list(before.fired) if before else []
    open_out: list[Undecided] = list(before.undecided) if before else []
    for earlier in fired_out:
        found[earlier.concludes] = TRUE
    for waiting in open_out:
        if not waiting.seldom:
            found.setdefault(waiting.concludes, UNKNOWN)
    class_id = before.class_id if before else ""

    def truth(name: str) -> int:
        if name in state:
            return state[name]
        kind = kind_of(name)
        if kind == "observation":
            return UNKNOWN
        if kind == "answer":
            return answer_truth(name, answers)
        return found.get(name.removeprefix("found."), FALSE)

    def settle_class() -> None:
        nonlocal class_id
        concluded = next((f.concludes for f in fired_out if f.concludes.startswith("class.")), None)
        if concluded is None:
            concluded = UNDETERMINED
            fired_out.append(Fired(UNDETERMINED, UNDETERMINED, 2, (), ()))
            found[UNDETERMINED] = TRUE
        else:
            for name in [n for n, t in found.items() if n.startswith("class.") and t != TRUE]:
                del found[name]
            open_out[:] = [u for u in open_out if not u.concludes.startswith("class.")]
        class_id = concluded.removeprefix("class.")

    for rule in rules:
        if not class_id and rule.step > 2:
            settle_class()
        if rule.id in done:
            bars = tuple(n for n in rule.unless if truth(n) == UNKNOWN)
            if rule.is_class:
                bars += tuple(n for n, t in found.items() if n.startswith("class.") and t == UNKNOWN)
            fired_out.append(Fired(rule.id, rule.concludes, rule.step, rule.when, rule.unless, bars, rule.rare))
            found[rule.concludes] = TRUE
            continue
        needed = [truth(n) for n in rule.when]
        if UNKNOWN in needed and FALSE not in needed and all(truth(n) != TRUE for n in rule.unless):
            unknown = tuple(n for n, t in zip(rule.when, needed, strict=True) if t == UNKNOWN)
            open_out.append(Undecided(rule.id, rule.concludes, rule.step, unknown, rule.seldom))
            if not rule.seldom:
                found.setdefault(rule.concludes, UNKNOWN)
    if not class_id:
        settle_class()
    explained: dict[str, str] = {}
    for done_rule in fired_out:
        for symptom in explains.get(done_rule.concludes, ()):
            explained.setdefault(symptom, done_rule.concludes)
    return Trace(class_id, tuple(fired_out), tuple(open_out), explained, answers, before is not None)


SCALE = 0.25
UNKNOWN_FACTOR = 0.85


def confidence(margins: Iterable[float], unknown: int) -> float:
    """Return the confidence, 0 to 1, of a conclusion whose evidence has these margins (shares of the thresholds, >= 0).

    The weakest piece of evidence decides: with its margin m, `0.5 + 0.5 * (1 - exp(-m / 0.25))`. At the threshold
    itself both verdicts are equally likely (0.5). A quarter beyond it the result is 0.82; there, neither run-to-run
    noise of counters (a few per cent) nor the disagreement of the sources about a threshold (60 or 80, 0.5 or 0.6:
    about a quarter) changes the verdict. At twice the threshold it is 0.99. Each unknown condition that would have
    blocked the conclusion subtracts 15 %: such a condition is an exception to the rule, so the rule is still more
    likely than not after four of them (0.52). Without measurable evidence (a rule on answers alone) the result is 1
    before the unknowns. It falls with `unknown` and never falls with a margin. NaN margins count as 0.
    """
    known = [0.0 if math.isnan(m) else max(m, 0.0) for m in margins]
    weakest = min(known, default=math.inf)
    base = 1.0 - 0.5 * math.exp(-weakest / SCALE)
    return base * UNKNOWN_FACTOR ** max(unknown, 0)


def rule_margins(observed: Observed, row: int, trace: Trace, fired: Fired) -> tuple[list[float], int]:
    """Return the margins of a fired rule's `when` and of the findings and class that it uses, and its unknowns.

    An equality (a flag) has no distance to its threshold and does not weaken the rule. If several rules concluded one
    earlier finding, the most certain one counts.
    """
    margins: list[float] = []
    unknown = sum(name not in fired.rare for name in fired.unknown_unless)
    for name in fired.when:
        if name in observed.place:
            if any(c.op != "==" for c in observed.tests[name].comparisons):
                margins.append(float(observed.margin[row, observed.place[name]]))
            continue
        wanted = name.removeprefix("found.")
        below = [rule_margins(observed, row, trace, f) for f in trace.fired_for(wanted)]
        if below:
            best = max(below, key=lambda b: confidence(*b))
            margins += best[0]
            unknown += best[1]
    return margins, unknown


def finding_confidence(observed: Observed, row: int, trace: Trace, concludes: str) -> float:
    """Return the confidence of a finding or `class.<id>` on one launch: that of its most certain rule, else 0."""
    return max(
        (confidence(*rule_margins(observed, row, trace, f)) for f in trace.fired_for(concludes)),
        default=0.0,
    )
