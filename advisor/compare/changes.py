"""List what changed between the two sides: metrics, findings and units. Settings: knowledge/comparison.yaml."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

import msgspec

from advisor.compare.records import FindingChange, MetricChange, Reached
from advisor.knowledge.base import Catalog
from advisor.knowledge.loader import load
from advisor.knowledge.texts import fill
from advisor.knowledge.time_model import time_model
from advisor.knowledge.units import leading_units as leading
from advisor.knowledge.units import unit_name
from advisor.readers.workload import unit_names
from advisor.reasoning.inputs import FORM
from advisor.records import resources
from advisor.records.diagnosis import Finding, LaunchDiagnosis

# A percentage this small on both sides belongs to a unit that the kernel hardly uses.
_IDLE_PCT = 5.0
# A count that changed from or to zero counts as a change by a factor of four.
_FROM_NOTHING = 2.0
_POINTS = 10.0
_UNITS_SHOWN = 4


class _Cited(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cites: tuple[str, ...] = ()


class Clocks(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Limits for clocks: the least `share` to report, and the shortest launch with a usable clock."""

    share: float
    shortest_ns: float


class Size(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The factor on every count that indicates problems of different size."""

    factor: float


class Counters(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The share of metrics on one side only from which the difference is reported."""

    share: float


class Shown(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Limits of the changes shown: `points` for percentages, `share` for others, at most `most` of `metrics`."""

    points: float
    share: float
    most: int
    metrics: tuple[str, ...]


class Work(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The work of a unit: metrics that count it (the largest is used), and a verb for it."""

    work: tuple[str, ...]
    does: str


class Traps(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Misleading percentages: least change `points` (goals: `goal_points`), `least` percent, `most` to show."""

    points: float
    goal_points: float
    least: float
    most: int
    units: dict[str, Work]
    goals: dict[str, str]
    costs: dict[str, str]


class Text(_Cited, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A sentence with placeholders."""

    text: str


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of knowledge/comparison.yaml. side_effects: causes that the fix of another cause often introduces."""

    clocks: Clocks
    size: Size
    counters: Counters
    shown: Shown
    traps: Traps
    side_effects: dict[str, tuple[str, ...]]
    texts: dict[str, Text]


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the content of comparison.yaml; raises KnowledgeError with file and line if it is invalid."""
    return load(resources.folder("knowledge") / "comparison.yaml", Settings)


def say(key: str, **values: float | str) -> str:
    """Return a text of comparison.yaml with its placeholders filled."""
    return fill(settings().texts[key].text, values)


def sources(key: str) -> tuple[str, ...]:
    """Return the sources of a text."""
    return settings().texts[key].cites


def say_of(key: str, values: Mapping[str, float | str]) -> tuple[str, tuple[str, ...]]:
    """Return a text with its placeholders filled, and its sources."""
    return say(key, **values), sources(key)


def metric_changes(
    catalog: Catalog, base: LaunchDiagnosis, current: LaunchDiagnosis, findings: tuple[FindingChange, ...]
) -> tuple[MetricChange, ...]:
    """Return every metric known on either side, in the order of the knowledge base; mark those to show.

    Shown are the largest changes of the metrics listed in comparison.yaml. Evidence of a finding that disappeared or
    appeared counts double.
    """
    known = settings().shown
    resting = _evidence(findings)
    rows: list[tuple[str, str, float | None, float | None, float | None, float]] = []
    for name, entry in catalog.metrics.items():
        old, new = finite(base.metrics, name), finite(current.metrics, name)
        if old is None and new is None:
            continue
        change, weight = _change(entry.unit, old, new)
        rows.append((name, entry.unit, old, new, change, weight))
    worth = [
        (-(weight * (2 if name in resting else 1)), at)
        for at, (name, unit, old, new, change, weight) in enumerate(rows)
        if name in known.metrics and _enough(unit, old, new, change)
    ]
    shown = {at for _, at in sorted(worth)[: known.most]}
    return tuple(
        MetricChange(name, unit, old, new, change, _change_in(unit, change), weight, at in shown)
        for at, (name, unit, old, new, change, weight) in enumerate(rows)
    )


def _change_in(unit: str, change: float | None) -> Literal["", "points", "ratio"]:
    return "" if change is None else "points" if unit == "%" else "ratio"


def finite(values: Mapping[str, float], name: str) -> float | None:
    """Return a metric's value; None if it is unknown or not finite."""
    value = values.get(name)
    return float(value) if value is not None and math.isfinite(value) else None


def _evidence(findings: tuple[FindingChange, ...]) -> frozenset[str]:
    return frozenset(
        item.metric
        for change in findings
        if change.state in ("gone", "came") and change.kind == "diagnosis"
        for side in (change.before, change.after)
        if side is not None
        for item in side.evidence
    )


def ratio(old: float, new: float) -> float | None:
    """Return new / old; None unless both are above 0 and the ratio is a finite float."""
    if not (old > 0 and new > 0):
        return None
    found = new / old
    return found if 0 < found < math.inf else None


def _change(unit: str, old: float | None, new: float | None) -> tuple[float | None, float]:
    """Return the change in points or as a ratio, and its weight: 1 for ten points or for a factor of two."""
    if old is None or new is None:
        return None, 0.0
    if unit == "%":
        return new - old, abs(new - old) / _POINTS
    if old > 0 and new > 0:
        return ratio(old, new), abs(math.log2(new) - math.log2(old))
    return (None, 0.0) if old == new else (None, _FROM_NOTHING)


def _enough(unit: str, old: float | None, new: float | None, change: float | None) -> bool:
    limit = settings().shown
    if old is None or new is None or old == new:
        return False
    if unit == "%":
        return max(old, new) >= _IDLE_PCT and abs(new - old) >= limit.points
    return change is None or abs(math.log(change)) > math.log1p(limit.share)


def _present(launch: LaunchDiagnosis) -> dict[str, Finding]:
    return {f.id: f for f in launch.findings}


def finding_changes(base: LaunchDiagnosis, current: LaunchDiagnosis) -> tuple[FindingChange, ...]:
    """Return the diagnoses and trust findings that disappeared, stayed, are unknown now and appeared, in this order.

    Each group keeps the order of its side. A note (a finding worth under 5 %) counts as absent; its text says so. Only
    a finding of both sides stayed; one that the side without it cannot decide is unknown. That counts alone show no
    cause says nothing of the time, so `unexplained` of an emulated side is left out.
    """
    old, new = _present(base), _present(current)
    if is_counted(base) or is_counted(current):
        old.pop("unexplained", None)
        new.pop("unexplained", None)
    undecided = {side: {f for m in launch.missing for f in m.needed_for} for side, launch in enumerate((base, current))}
    gone, stayed, open_, came = [], [], [], []
    for id_, finding in old.items():
        if finding.kind == "note":
            continue
        other = new.get(id_)
        if other is not None and other.kind != "note":
            stayed.append(FindingChange(id_, finding.title, finding.kind, "stayed", finding, other))
        elif other is None and id_ in undecided[1]:
            text = say("unknown_now")
            open_.append(FindingChange(id_, finding.title, finding.kind, "unknown", finding, None, text))
        else:
            text = say("became_small") if other is not None else ""
            gone.append(FindingChange(id_, finding.title, finding.kind, "gone", finding, other, text))
    for id_, finding in new.items():
        other = old.get(id_)
        if finding.kind == "note" or (other is not None and other.kind != "note"):
            continue
        if other is None and id_ in undecided[0]:
            open_.append(
                FindingChange(id_, finding.title, finding.kind, "unknown", None, finding, say("unknown_before"))
            )
            continue
        text = say("was_small") if other is not None else ""
        came.append(FindingChange(id_, finding.title, finding.kind, "came", other, finding, text))
    return (*gone, *stayed, *open_, *came)


def is_counted(launch: LaunchDiagnosis) -> bool:
    """Whether a launch was emulated: its counts are known, its time cannot be."""
    return "emulated_counts" in _present(launch)


def undecided(launch: LaunchDiagnosis, finding: str) -> bool:
    """Whether the report lacks the metrics that would decide a finding that was not concluded."""
    return finding not in _present(launch) and any(finding in m.needed_for for m in launch.missing)


def leading_units(base: LaunchDiagnosis, current: LaunchDiagnosis) -> tuple[Reached, ...]:
    """Return the most utilised units of either side, at most four, with the rate that kernels reach there.

    Units that never reach a quarter of the most utilised one are left out.
    """
    ceilings = {term.metric: term.ceiling * 100 for term in time_model().terms.values() if term.metric in leading()}
    typed_in = base.scope == FORM
    rows = []
    for name in unit_names() if typed_in else leading():
        old, new = finite(base.metrics, name), finite(current.metrics, name)
        top = max((v for v in (old, new) if v is not None), default=0.0)
        if top >= _IDLE_PCT:
            limit = finite(current.metrics, "dram_achievable_pct") if name == "dram_pct" else None
            called = unit_names()[name] if typed_in else unit_name(name)
            reached = None if typed_in else limit or ceilings.get(name)
            rows.append((-top, Reached(name, called, old, new, reached)))
    most = -min((top for top, _ in rows), default=0.0)
    out: list[Reached] = []
    seen: set[tuple[float | None, ...]] = set()
    for top, row in sorted(rows, key=lambda r: (r[0], r[1].metric)):
        # Two counters of one quantity, such as load/store requests and instructions, share one row.
        alike = tuple(v if v is None else round(v, 1) for v in (row.before, row.after))
        if -top >= most / 4 and alike not in seen:
            seen.add(alike)
            out.append(row)
    return tuple(out[:_UNITS_SHOWN])


def leader(launch: LaunchDiagnosis) -> tuple[str, float] | None:
    """Return the most utilised unit of a launch as metric and percent."""
    known = [(value, name) for name in leading() if (value := finite(launch.metrics, name)) is not None]
    if not known:
        return None
    value, name = max(known)
    return name, value
