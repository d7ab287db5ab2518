"""The shapes of knowledge entries, and the values that a metric can have. An unknown field is an error."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from advisor.records.errors import UsageError


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What all entries share: keys into sources.yaml."""

    cites: tuple[str, ...] = ()


class MetricDef(Entry, frozen=True, forbid_unknown_fields=True):
    """A canonical metric: its unit, where ncu reports it under which names, or how it is derived."""

    unit: str = ""
    means: str = ""
    names: tuple[str, ...] = ()
    combine: Literal["first", "max", "sum"] = "first"
    text: tuple[str, ...] = ()
    section: str = ""
    formula: str = ""
    source: Literal["", "opcodes", "accesses", "python"] = msgspec.field(default="", name="from")
    id: str = ""


class ObservationDef(Entry, frozen=True, forbid_unknown_fields=True):
    """A named test on metrics: the only place where a number meets a threshold.

    `partition` names a group of observations of which exactly one must hold for every value.
    """

    test: str = ""
    says: str = ""
    partition: str = ""
    id: str = ""


class RuleDef(Entry, frozen=True, forbid_unknown_fields=True):
    """Concludes its entry when every `when` holds and no `unless` does.

    Names are observations, classes (`class.dram_bound`), answers (`answer.dtype.f32`), findings of earlier steps, or
    the words of the quantifier (`gain.reaches_10`).
    """

    id: str = ""
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    because: str = ""


class FixDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fix. `changes` maps a term of the time model to the factor on its work, a formula over metrics.

    `before`, `after`: some five to ten lines of code each, both or neither. `code` says of what: whole device functions
    (`kernel`), statements of the host program (`host`) or `python`. `check`: the simulator that applies the fix to the
    launch's own numbers (reasoning/fix_simulation.py). `typical`: the usual gain of a fix that no model covers
    (timelines).
    """

    id: str
    summary: str
    steps: tuple[str, ...] = ()
    costs: str = ""
    before: str = ""
    after: str = ""
    code: Literal["kernel", "host", "python"] = "kernel"
    changes: dict[str, str] = {}
    degrees: dict[str, str] = {}
    check: Literal["", "banks", "coalescing", "occupancy", "waves"] = ""
    typical: str = ""


class Examples(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Metric values on which the entry must be found (`fires`) and on which it must not (`silent`)."""

    fires: tuple[dict[str, float], ...] = ()
    silent: tuple[dict[str, float], ...] = ()


class MomentsDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which moments of a trace show a timeline pattern; the longest of them are shown, `work` before `gaps`.

    work: groups of GPU work; target is the kernel to profile next. gaps: causes of idle time; or_any: all gaps where
    there is none of these causes.
    """

    work: tuple[Literal["host_copies", "pageable", "migrations", "communication", "tiny", "target"], ...] = ()
    gaps: tuple[Literal["mpi", "graphs", "sync", "tiny", "input", "output", "round_trip", "other"], ...] = ()
    or_any: bool = False


class DiagnosisDef(Entry, frozen=True, forbid_unknown_fields=True):
    """One diagnosis, trust entry or note.

    `step` orders the reasoning: a rule may look only at findings of earlier steps. From 6 on: after quantification.
    `locate` is the measure (source/measures.py) that is largest at the place in the code that causes it; `moments` show
    a timeline pattern in the trace.
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
    misleads: str = ""
    fix: FixDef | None = None
    examples: Examples = Examples()
    exercise: str = ""
    locate: str = ""
    moments: MomentsDef = MomentsDef()
    see: tuple[str, ...] = ()


class ClassDef(Entry, frozen=True, forbid_unknown_fields=True):
    """A class of the decision list. `plain`: a test on the throughputs of ncu alone, for comparison."""

    title: str = ""
    meaning: str = ""
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    plain: str = ""
    because: str = ""
    next: tuple[str, ...] = ()
    id: str = ""


class QuestionDef(Entry, frozen=True, forbid_unknown_fields=True):
    """Something only the user knows: a number sets the metric `sets`, a choice becomes `answer.<id>.<choice>`."""

    ask: str = ""
    why: str = ""
    kind: Literal["number", "choice"] = "number"
    unit: str = ""
    low: float | None = None
    high: float | None = None
    sets: str = ""
    choices: dict[str, str] = {}
    id: str = ""


class SourceDef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document or measurement that entries cite as `<key>.<place>`."""

    title: str
    what: str = ""
    kind: str = ""
    url: str = ""
    places: dict[str, str] = {}


Topic = dict[str, Any]


def most_of(metric: str, unit: str) -> float | None:
    """The most that the metric can be, in its unit: a percentage 100, a share 1; None where nothing bounds it.

    No metric can be less than 0.
    """
    if unit in ("%", "percent"):
        return 100.0
    return 1.0 if unit == "ratio" and metric.endswith("_share") else None


def checked(metric: str, unit: str, value: float, measured: float | None = None) -> float:
    """The value, if the metric can have it; UsageError names the range. What was measured may be beyond it.

    A percentage of peak that is read off in several passes may come out a little above 100.
    """
    most = most_of(metric, unit)
    beyond = most is not None and value > max(most, measured or 0.0)
    if value >= 0 and not beyond:
        return value
    sign = " %" if unit == "%" else ""
    span = "it is 0 or more" if most is None else f"it lies between 0 and {most:g}{sign}"
    raise UsageError(f"{metric} cannot be {value:g}{sign}: {span}")
