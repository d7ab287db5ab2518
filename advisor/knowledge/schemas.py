"""Schemas of the knowledge entries, and the valid range of a metric. An unknown field is an error."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from advisor.records.errors import UsageError


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all entries: keys into sources.yaml."""

    cites: tuple[str, ...] = ()


class MetricDef(Entry, frozen=True, forbid_unknown_fields=True):
    """A canonical metric: its unit, and its names in ncu's output or its formula.

    title: its name for a reader, if neither ncu's label nor the beginning of `means` can serve. at_most: a formula that
    the value cannot exceed, which can decide a test where the metric itself is unknown. since: the compute capability
    from which GPUs have what is counted; a GPU before it has 0 where a report says nothing.
    """

    title: str = ""
    unit: str = ""
    means: str = ""
    names: tuple[str, ...] = ()
    combine: Literal["first", "max", "sum"] = "first"
    text: tuple[str, ...] = ()
    section: str = ""
    formula: str = ""
    at_most: str = ""
    since: float = 0.0
    source: Literal["", "opcodes", "accesses", "python", "quantification"] = msgspec.field(default="", name="from")
    id: str = ""


class ObservationDef(Entry, frozen=True, forbid_unknown_fields=True):
    """A named test on metrics. Only observations compare numbers with thresholds.

    partition: a group of observations of which exactly one must hold for every value. states: the same as `says`
    without numbers, to name the condition of a fix where its metrics are unknown.
    """

    test: str = ""
    says: str = ""
    states: str = ""
    partition: str = ""
    id: str = ""


class RuleDef(Entry, frozen=True, forbid_unknown_fields=True):
    """A rule: it concludes its entry if every `when` holds and no `unless` holds.

    Names are observations, classes (`class.dram_bound`), answers (`answer.dtype.f32`), findings of earlier steps, and
    conclusions of the napkin math (`napkin.near_floor`) and of the quantification (`gain.reaches_10`).
    asks: whether an interview asks for what the rule lacks; not where another rule needs better numbers. rare: those of
    `unless` that are so seldom true that the rule is as sure without knowing them. seldom: the rule rarely applies;
    while it is undecided, its finding counts as not concluded.
    """

    id: str = ""
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    because: str = ""
    asks: bool = True
    rare: tuple[str, ...] = ()
    seldom: bool = False


class FixDef(Entry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A fix. operators: what it does to a kernel's launch, by the name of the operator in the time model, with its
    parameters, formulas over metrics (reasoning/time_model/operators). partial: the same of a part of the fix, by what
    it is; the gain told is that of the finished fix, and each part has its own. most: the same of the fix where it goes
    furthest, whose gain the range reaches. changes, degrees: of a fix of a whole
    program or a frame, the factor that the modest and the far degree leave of each part of the time, a formula.

    when, unless: the conditions on which it suits a kernel, by the names that rules use except results of the
    quantification, which depend on the fix; because: the reason, a text about one launch. A fix without conditions is
    the general one of its entry. done: observation -> the number of the step, from 1, that a kernel on which it holds
    has done already. fallback: of the general fix, that it is only shown where no other fix suits. operators_as: the
    fix of the same entry whose operators this one has. leaves_out: what is not shown where its conditions hold: the
    general fix, if this one says all that it would say here or it would do harm; or all others, where the code cannot
    be changed or they would be wrong. example: metric values on which it is the first fix.
    depends: what decides how much it gains and no report shows; the range of the estimate then begins at no gain.
    seldom: that the fix seldom suits, so that it is left out while its conditions are unknown.
    reach: the share of the modelled gain, on a log scale, that is expected (0 to 1), where it is known to fall short.
    before, after: about five to ten lines of code each, both or neither. code: the kind of that code: whole device
    functions (`kernel`), statements of the host program (`host`) or `python`. check: the simulator that applies the fix
    to the launch's own numbers (reasoning/fix_simulation.py). typical: the usual gain of a fix without a model
    (timelines). exercise: the one that practises this fix, if another one than that of its entry. takes: what of an SM
    it takes more of, registers per thread or shared memory per block, which may lower the occupancy.
    """

    id: str
    summary: str
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    because: str = ""
    steps: tuple[str, ...] = ()
    done: dict[str, int] = {}
    costs: str = ""
    before: str = ""
    after: str = ""
    code: Literal["kernel", "host", "python"] = "kernel"
    operators: dict[str, dict[str, str]] = {}
    partial: dict[str, dict[str, dict[str, str]]] = {}
    most: dict[str, dict[str, str]] = {}
    operators_as: str = ""
    changes: dict[str, str] = {}
    degrees: dict[str, str] = {}
    depends: str = ""
    reach: float = 1.0
    fallback: bool = False
    seldom: bool = False
    leaves_out: Literal["", "general", "others"] = ""
    check: Literal["", "banks", "coalescing", "occupancy", "waves"] = ""
    typical: str = ""
    example: dict[str, float] = {}
    exercise: str = ""
    takes: tuple[Literal["registers", "shared"], ...] = ()

    @property
    def conditional(self) -> bool:
        """Whether it suits some kernels only."""
        return bool(self.when or self.unless)

    @property
    def modelled(self) -> bool:
        """Whether it says what it changes."""
        return bool(self.operators or self.changes)


class Examples(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Metric values on which the entry must be found (`fires`) and on which it must not (`silent`)."""

    fires: tuple[dict[str, float], ...] = ()
    silent: tuple[dict[str, float], ...] = ()


class MomentsDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The moments of a trace that show a timeline pattern; the longest are shown, `work` before `gaps`.

    work: groups of GPU work; target: the kernel to profile next. gaps: causes of idle time; or_any: use all gaps if
    none has one of these causes.
    """

    work: tuple[Literal["host_copies", "pageable", "migrations", "communication", "tiny", "target"], ...] = ()
    gaps: tuple[Literal["mpi", "graphs", "sync", "tiny", "input", "output", "round_trip", "other"], ...] = ()
    or_any: bool = False


class DiagnosisDef(Entry, frozen=True, forbid_unknown_fields=True):
    """One diagnosis, trust entry or note.

    step: the order of evaluation: a rule may use only findings of earlier steps. Steps from 6 on run after
    quantification. avoidable: the metric of the work that its fix saves, over the time to issue all instructions, or
    over the sum of a summary of a trace; it ranks findings whose gain is unknown. locate: the measure
    (source/measures.py) that is largest at the code that causes it; moments: the moments that show a timeline pattern
    in the trace; after: timeline patterns whose fixes this one's fix needs, which come first; precedes: diagnoses that
    state the same wait less precisely, which rank behind this one where their gains count as equal. In the file, `fix`
    is one fix or a list of them.
    """

    id: str = ""
    title: str = ""
    kind: Literal["diagnosis", "trust", "note"] = "diagnosis"
    scope: Literal["launch", "timeline", "workload"] = "launch"
    step: int = 3
    what: str = ""
    why: str = ""
    seen: tuple[RuleDef, ...] = ()
    explains: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    precedes: tuple[str, ...] = ()
    misleads: str = ""
    fixes_given: FixDef | tuple[FixDef, ...] | None = msgspec.field(default=None, name="fix")
    examples: Examples = Examples()
    exercise: str = ""
    avoidable: str = ""
    locate: str = ""
    moments: MomentsDef = MomentsDef()
    see: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        general = self.fix
        if general is not None and isinstance(self.fixes_given, tuple):
            named = {fix.id: fix for fix in self.fixes_given}
            whose = {fix.id: fix if fix.modelled else named.get(fix.operators_as, general) for fix in self.fixes_given}
            told = ("operators", "partial", "most", "changes", "degrees")
            fixes = (
                msgspec.structs.replace(fix, **{name: getattr(whose[fix.id], name) for name in told})
                for fix in self.fixes_given
            )
            msgspec.structs.force_setattr(self, "fixes_given", tuple(fixes))

    @property
    def fixes(self) -> tuple[FixDef, ...]:
        """The fixes in the order of preference; one that does not say what it changes does what the general one
        does.
        """
        given = self.fixes_given
        return given if isinstance(given, tuple) else () if given is None else (given,)

    @property
    def fix(self) -> FixDef | None:
        """The general fix, which has no conditions; None if there is none."""
        return next((fix for fix in self.fixes if not fix.conditional), None)

    def fix_named(self, fix_id: str) -> FixDef:
        """Return the fix with this id."""
        return next(fix for fix in self.fixes if fix.id == fix_id)


class WordDef(Entry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A conclusion of the napkin math (`napkin.…`) or of the quantification (`gain.…`, `advice.…`).

    Later rules read it by its id, which is the area and the key in its file; nothing reads advice. kind: of the napkin
    math inconsistency (the kernel does not behave like its algorithm), contradiction (the numbers cannot all be right)
    or distance (from the minimum time); of the quantification estimate, or the advice stop, look or go_on.
    suggests: a diagnosis. asks: whether what its rules lack is asked for and collected, as for a diagnosis. examples:
    metric values on which it must and must not be concluded.
    """

    title: str
    kind: Literal["inconsistency", "contradiction", "distance", "estimate", "stop", "look", "go_on"]
    what: str
    seen: tuple[RuleDef, ...]
    suggests: str = ""
    asks: bool = False
    examples: Examples = Examples()
    see: tuple[str, ...] = ()
    id: str = ""

    @property
    def area(self) -> Area:
        """Return the part of its id before the dot."""
        head = self.id.partition(".")[0]
        return "napkin" if head == "napkin" else "gain" if head == "gain" else "advice"

    @property
    def step(self) -> int:
        """Return the step of its rules: a rule may read conclusions of earlier steps."""
        return STEP_OF_WORDS[self.area]

    @property
    def scope(self) -> str:
        """Return the scope of its rules."""
        return "launch"


Area = Literal["napkin", "gain", "advice"]
# The steps of the rules of words. Estimates are concluded before the other rules of their step.
STEP_OF_WORDS: dict[str, int] = {"napkin": 1, "gain": 6, "advice": 8}


class ClassDef(Entry, frozen=True, forbid_unknown_fields=True):
    """A class of the decision list. plain: a test that uses only ncu's throughputs, for comparison.

    named_after: the label of the unit whose `bound` in units.yaml is the title on a launch; empty if that is `title`.
    """

    title: str = ""
    meaning: str = ""
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    plain: str = ""
    named_after: str = ""
    because: str = ""
    next: tuple[str, ...] = ()
    id: str = ""


class WayDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way to compute a quantity from the numbers of a launch.

    when, unless: observations, as in a rule; an unknown `unless` does not block. let: names of intermediate results and
    their formulas. share (0 to 1), at_most (old time over new): formulas over metrics and `let`. says: a text with
    fields of metrics, of `let` and of `share`.
    """

    says: str
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    let: dict[str, str] = {}
    share: str = ""
    at_most: str = ""


class QuantityDef(Entry, frozen=True, forbid_unknown_fields=True):
    """A formula of step 3: waste, or a bound of a speedup, computed on every launch without the time model.

    The first way that holds and whose numbers are all known is used. bounds: the findings whose speedup cannot exceed
    `at_most`; assumes: what that requires, after "where"; holds: observations without which it is not so; classes:
    those of the launches on which it is so. otherwise: a formula of the bound where `holds` fails, if that is lower;
    otherwise_assumes: what that one requires, with fields of metrics. beside_model: whether it also limits an estimate
    of the time model; not where the model accounts for what the formula leaves out.
    """

    title: str = ""
    aliases: tuple[str, ...] = ()
    what: str = ""
    formula: str = ""
    example: str = ""
    misleads: str = ""
    ways: tuple[WayDef, ...] = ()
    bounds: tuple[str, ...] = ()
    assumes: str = ""
    holds: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    otherwise: str = ""
    otherwise_assumes: str = ""
    beside_model: bool = True
    see: tuple[str, ...] = ()
    id: str = ""


class QuestionDef(Entry, frozen=True, forbid_unknown_fields=True):
    """A question to the user: a number sets the metric `sets`, a choice becomes `answer.<id>.<choice>`."""

    ask: str = ""
    why: str = ""
    kind: Literal["number", "choice"] = "number"
    unit: str = ""
    low: float | None = None
    high: float | None = None
    sets: str = ""
    choices: dict[str, str] = {}
    id: str = ""


class PageDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A page of a source that has its own address. places: those that it contains, with all places below them."""

    title: str
    url: str
    places: tuple[str, ...] = ()


class SourceDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document or measurement, cited by entries as `<key>.<place>`. Addresses are texts: nothing is fetched.

    measured: of a place of a measurement, what was measured, on what, and what it is used for.
    """

    title: str
    what: str = ""
    kind: str = ""
    url: str = ""
    pages: tuple[PageDef, ...] = ()
    places: dict[str, str] = {}
    measured: dict[str, str] = {}


Topic = dict[str, Any]


def most_of(metric: str, unit: str) -> float | None:
    """Return the metric's maximum in its unit: 100 for a percentage, 1 for a share, None if it has no maximum.

    The minimum of every metric is 0.
    """
    if unit in ("%", "percent"):
        return 100.0
    return 1.0 if unit == "ratio" and metric.endswith("_share") else None


def checked(metric: str, unit: str, value: float, measured: float | None = None) -> float:
    """Return the value. Raises UsageError, with the range, if the metric cannot have it. Measured values may exceed it:

    a percentage of peak measured in several passes may be slightly above 100.
    """
    most = most_of(metric, unit)
    beyond = most is not None and value > max(most, measured or 0.0)
    if value >= 0 and not beyond:
        return value
    sign = " %" if unit == "%" else ""
    span = "the range is 0 or more" if most is None else f"the range is 0 to {most:g}{sign}"
    raise UsageError(f"{metric} cannot be {value:g}{sign}: {span}")
