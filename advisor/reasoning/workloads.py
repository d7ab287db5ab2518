"""Workloads that a user typed in: derived columns, notes, the time model of fixes, and missing inputs.

A user types the most utilised units. A unit that was not typed is therefore at most as utilised as the lowest typed
one, which often decides a comparison; otherwise the unit stays unknown.

The time model is the article's headroom: the time is what the top unit needs at 90 % of its peak, plus a rest in which
it waits. Idle time and drains are parts of that rest. Without the rest the speedup is 90 / (percentage of the top
unit), the article's upper bound. Constants are in knowledge/graphics/time.yaml.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from advisor.knowledge.base import WORKLOAD_FOLDER, catalog, workloads
from advisor.knowledge.expressions import TRUE, parse, parse_test
from advisor.knowledge.loader import load
from advisor.knowledge.schemas import FixDef, MetricDef
from advisor.knowledge.texts import fill
from advisor.knowledge.units import CLUSTER_POINTS
from advisor.readers.workload import clusters, key_of, typed, unit_names, units_of
from advisor.reasoning.metrics.derive import columns_of, derive
from advisor.reasoning.notes import notes, shown
from advisor.records import resources
from advisor.records.diagnosis import Missing, Speedup, WorkloadUnit

if TYPE_CHECKING:
    import pandas as pd

WAITS, IDLE, DRAINS = "waits", "idle", "drains"
STALL_LEADS = {"long_scoreboard_lead": "stall_long_scoreboard_pct", "barrier_lead": "stall_barrier_pct"}
Band = Literal["", "high", "middle", "low"]
_SM = "sm_throughput_pct"
_NOTES = f"{WORKLOAD_FOLDER}/notes.yaml"


@lru_cache(maxsize=1)
def unit_leads() -> dict[str, str]:
    """Map the metric for a unit's lead over the largest other unit to the unit's metric."""
    return {word.lead: word.metric for word in typed().units.values() if word.lead}


def band(values: Mapping[str, float]) -> Band:
    """Return the band of the top unit; empty if no unit is known."""
    top = values.get("top_unit_pct", math.nan)
    tests = {name: workloads(catalog()).observations[f"top_{name}"].test for name in ("full", "low")}
    held = [name for name, test in tests.items() if parse_test(test).truth(values) == TRUE]
    if not math.isfinite(top):
        return ""
    return "middle" if not held else "high" if held[0] == "full" else "low"


def _lead(values: Mapping[str, float], name: str, among: Sequence[str], shared: float = math.inf) -> float:
    """Return how far `name` leads the largest other of `among`; NaN if the typed values do not decide it.

    shared: the upper limit of their sum, if they share a resource.
    """
    known = {n: values[n] for n in among if math.isfinite(values.get(n, math.nan))}
    others = [value for n, value in known.items() if n != name]
    if name in known:
        return known[name] - max(others) if others else known[name]
    if not others:
        return math.nan
    bound = min(*others, shared - sum(others)) - max(others)
    return bound if bound < 0 else math.nan


def follows(values: dict[str, float]) -> dict[str, float]:
    """Return the metrics of one workload that follow from the typed ones."""
    units = units_of(values)
    if not units:
        return {}
    top, lowest = units[0][0], units[-1][0]
    sm = values.get(_SM, math.nan)
    others = [value for value, unit in units if unit != _SM]
    memory = max(others) if others else math.nan
    dram = values.get("dram_pct", math.nan)
    absent = lowest < min(workloads(catalog()).threshold("vram_absent"), memory - CLUSTER_POINTS)
    low = lowest if lowest < workloads(catalog()).threshold("sm_low") else math.nan
    out = {
        "top_unit_pct": top,
        "compute_pct": sm if math.isfinite(sm) else low,
        "memory_pct": memory,
        "vram_pct": dram if math.isfinite(dram) else lowest if absent else math.nan,
    }
    out |= {lead: _lead(values, unit, tuple(unit_names())) for lead, unit in unit_leads().items()}
    stalls = [n for n in values if n.startswith("stall_") and n.endswith("_pct") and "not_issued" not in n]
    out |= {lead: _lead(values, stall, stalls, 100.0) for lead, stall in STALL_LEADS.items()}
    # Both count the same instructions: over elapsed cycles, and over cycles in which an SM had a warp.
    if not math.isfinite(values.get("sm_throughput_active_pct", math.nan)):
        active = values.get("sm_active_pct", math.nan)
        out["sm_throughput_active_pct"] = min(100.0, 100 * sm / active) if active > 0 else math.nan
    if not math.isfinite(values.get("shader_warp_slots", math.nan)):
        out["shader_warp_slots"] = values.get("device_max_warps_per_sm", math.nan)
    return out


def _complete(frame: pd.DataFrame, pinned: Collection[str]) -> pd.DataFrame:
    """Add to the frame's columns what follows from the typed numbers; `pinned` ones stay as they are."""
    out = frame.copy()
    # By column: a row of a frame, as iterrows makes it, takes a millisecond for each hundred columns.
    columns = [(str(n), column.tolist()) for n, column in columns_of(frame).items()]
    found = [follows({name: values[row] for name, values in columns}) for row in range(len(frame))]
    for name in sorted({n for one in found for n in one} - set(pinned)):
        before = out[name].to_numpy(dtype=float)
        out[name] = np.array([one.get(name, old) for one, old in zip(found, before, strict=True)])
    return out


def derive_workloads(
    frame: pd.DataFrame, keep: Collection[str] = (), metrics: Mapping[str, MetricDef] | None = None
) -> pd.DataFrame:
    """Derive like `derive`, for typed-in workloads: first what follows from the units, then formulas.

    The labels are the SM and the most utilised other unit, with their display names.
    """
    known = derive(frame, keep, metrics)
    out = derive(_complete(known, keep), keep, metrics)
    words = typed()
    names = {word.metric: unit for unit, word in words.units.items()}
    units_by_row = zip(*(out[u].to_numpy(dtype=float).tolist() for u in unit_names()), strict=True)
    rows = [units_of(dict(zip(unit_names(), row, strict=True))) for row in units_by_row]
    lower = fill(words.untyped, {"unit": names[_SM]})
    out["compute_leader"] = [names[_SM] if _SM in [u for _, u in units] else lower for units in rows]
    out["memory_leader"] = [next((names[u] for _, u in units if u != _SM), "") for units in rows]
    return out


def workload_notes(values: Mapping[str, float]) -> tuple[str, ...]:
    """Return notes on the class: top units and clusters, the band, and the article's conclusions from other numbers."""
    units = units_of(values)
    if not units:
        return ()
    names, groups = unit_names(), clusters(values)
    known: dict[str, float | str] = {**values, "leader": names[units[0][1]]}
    if len(groups[0]) > 1:
        known["cluster"] = _listed([names[u] for u in groups[0]])
    if len(groups) > 1:
        known["second"] = _listed([f"{names[u]} {values[u]:.1f} %" for u in groups[1]])
    limiters = typed().choices["occupancy_limiter"].values
    if held := [word for word, sets in limiters.items() if any(values.get(metric) == 1 for metric in sets)]:
        known["limiter"] = held[0]
    rates = [_rate(unit, values[metric]) for metric, unit in _HIT_RATES if metric in values]
    if rates:
        known["rates"] = "; ".join(rates)
    return shown(_NOTES, known)


def workload_units(values: Mapping[str, float]) -> tuple[WorkloadUnit, ...]:
    """Return the typed units, the most utilised first, with the number of their cluster."""
    names = unit_names()
    return tuple(
        WorkloadUnit(names[unit], unit, values[unit], at) for at, group in enumerate(clusters(values)) for unit in group
    )


_HIT_RATES = (("l1_hit_pct", "TEX"), ("l2_hit_pct", "L2"))


def _rate(unit: str, percent: float) -> str:
    known: dict[str, float | str] = {"unit": unit, "hit_pct": percent}
    return next(fill(notes(_NOTES)[n].text, known) for n in ("great", "good", "poor") if notes(_NOTES)[n].holds(known))


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def workload_missing(unknown: Mapping[str, set[str]], known: Collection[str]) -> tuple[Missing, ...]:
    """Return an entry for each word that could be typed. unknown: metric -> the findings that wait for it."""
    wanted: dict[str, set[str]] = {}
    for metric, waiting in unknown.items():
        for base in typed_inputs().get(metric, (metric,)):
            if base not in known:
                wanted.setdefault(base, set()).update(waiting)
    # One word may set several metrics: list it once.
    keys: dict[str, str] = {}
    for metric in sorted(wanted):
        if key := key_of(metric):
            wanted[keys.setdefault(key, metric)] |= wanted[metric]
    return tuple(
        Missing(m, tuple(sorted(wanted[m])), fill(notes(_NOTES)["type"].text, {"key": key})) for key, m in keys.items()
    )


@lru_cache(maxsize=1)
def typed_inputs() -> dict[str, tuple[str, ...]]:
    """Map each metric to the typed metrics from which it follows."""
    return {
        "compute_pct": (_SM,),
        "vram_pct": ("dram_pct",),
        **{lead: (unit,) for lead, unit in (*unit_leads().items(), *STALL_LEADS.items())},
        "sm_tex_gap": (_SM, "tex_unit_pct"),
        "shader_occupancy_pct": ("shader_warps", "shader_warp_slots"),
    }


class WorkloadTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of graphics/time.yaml.

    reachable_pct: reachable percentage of the peak; least_share: a smaller share of idle or drain time is ignored; the
    others are text templates.
    """

    reachable_pct: float
    least_share: float
    rest: dict[str, str]
    unit: str
    part: str
    how: str
    bound: str
    cites: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def workload_time() -> WorkloadTime:
    """Return the constants and texts of the time model of workloads."""
    return load(resources.folder("knowledge") / "graphics" / "time.yaml", WorkloadTime)


@lru_cache(maxsize=1)
def workload_terms() -> dict[str, str]:
    """Map what a fix may change to its metric: units by lower-case names; '' for the parts of the rest."""
    units = {key.lower(): word.metric for key, word in typed().units.items()}
    return {**units, **dict.fromkeys(workload_time().rest, "")}


def _known(values: Mapping[str, float], name: str) -> float:
    value = values.get(name, 0.0)
    return value if math.isfinite(value) else 0.0


def workload_speedup(values: Mapping[str, float], fix: FixDef) -> Speedup | None:
    """Return old time / new time for the fix alone: low with its modest degree, high with its far one.

    values: the known metrics of one workload. The estimate is the middle of both on a log scale, as with kernels. None
    if the fix does not say what it changes, or changes only unknown work.
    """
    terms, constants = workload_terms(), workload_time()
    work = {name: _known(values, metric) for name, metric in terms.items() if metric and metric in values}
    if not work or not fix.changes:
        return None
    modest = {name: parse(text).scalar(values) for name, text in fix.changes.items()}
    far = {**modest, **{name: parse(text).scalar(values) for name, text in fix.degrees.items()}}
    parts = {DRAINS: _vacant(values), IDLE: _known(values, "graphics_idle_pct") / 100}
    rest = {name: part for name, part in parts.items() if part >= constants.least_share}
    if not any(math.isfinite(f) and (n == WAITS or n in work or rest.get(n, 0) > 0) for n, f in far.items()):
        return None
    old, _ = _time(work, rest, {})
    low, high = (old / _time(work, rest, factors)[0] for factors in (modest, far))
    low, high = max(1.0, min(low, high)), max(1.0, low, high)
    _, next_ = _time(work, rest, far)
    shrunk = {n: f for n, f in far.items() if f < 0.995 and (n == WAITS or n in work or n in rest)}
    return Speedup(math.sqrt(low * high), low, high, next_, _how(shrunk, next_, low > 1.0))


def _vacant(values: Mapping[str, float]) -> float:
    """Return the share of time in which SMs have no warp, without the pipeline's idle time if that is known."""
    active = values.get("sm_active_pct", math.nan)
    return max(0.0, 100 - active - _known(values, "graphics_idle_pct")) / 100 if math.isfinite(active) else 0.0


def _time(work: Mapping[str, float], rest: Mapping[str, float], factors: Mapping[str, float]) -> tuple[float, str]:
    """Return the time after a fix, as a share of the time before, and the term that then takes most of it."""

    def factor(name: str) -> float:
        value = factors.get(name, 1.0)
        return max(0.0, value) if math.isfinite(value) else 1.0

    reachable = workload_time().reachable_pct
    beside = max(0.0, 1 - max(work.values()) / reachable)
    # Idle time and drains cannot exceed what the top unit leaves.
    scale = min(1.0, beside / total) if (total := sum(rest.values())) > 0 else 0.0
    needs = {name: share / reachable * factor(name) for name, share in work.items()}
    left = (beside - scale * total) * factor(WAITS) + sum(scale * part * factor(n) for n, part in rest.items())
    top = max(needs, key=lambda name: needs[name])
    return max(needs[top] + left, 1e-6), (WAITS if left > needs[top] else top)


def _how(shrunk: Mapping[str, float], next_: str, certain: bool) -> str:
    constants, units = workload_time(), {key.lower(): key for key in typed().units}

    def name(term: str) -> str:
        return constants.rest.get(term) or fill(constants.unit, {"unit": units[term]})

    parts = [fill(constants.part, {"name": name(n), "percent": f"{100 * f:.0f}"}) for n, f in shrunk.items()]
    text = fill(constants.how, {"parts": ", ".join(parts), "next": units.get(next_) or name(next_)})
    return text if certain else fill(constants.bound, {"how": text})
