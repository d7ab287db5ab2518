"""The differences between the two domains of the rules: kernels profiled by ncu, and typed-in workloads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec.structs import replace

from advisor.knowledge.base import Catalog
from advisor.knowledge.schemas import FixDef, MetricDef
from advisor.knowledge.time_model import time_model
from advisor.knowledge.units import compute_units, inner_units, memory_units, parts_of
from advisor.reasoning import workloads
from advisor.reasoning.collect import missing, questions
from advisor.reasoning.engine.trace import Trace
from advisor.reasoning.fixes import chosen_fix, ranked_fixes
from advisor.reasoning.metrics.derive import code_inputs, derive
from advisor.reasoning.notes import class_notes
from advisor.reasoning.observations import ESTIMATE_FACTOR, Observed
from advisor.reasoning.time_model import model as speedup_model
from advisor.reasoning.time_model.budget import with_budgets
from advisor.reasoning.time_model.terms import Array
from advisor.reasoning.workloads import Band
from advisor.records.diagnosis import LaunchDiagnosis, Missing, Question, Speedup, WorkloadUnit
from advisor.records.quantities import NO_GAIN

if TYPE_CHECKING:
    import pandas as pd

# A fix after which a unit allows no more than this is worth nothing, also if its counts are estimates: the utilisation
# of that unit is measured.
_FULL_ALLOWS = 1.1

Gains = list[dict[str, Speedup]]
Names = Mapping[str, set[str]]


class Kernels:
    """Launches that ncu profiled."""

    # Whether the time model of kernels estimates the fixes, so that they can be simulated and combined.
    modelled = True
    scope: Literal["launch", "workload"] = "launch"

    def derive(
        self, frame: pd.DataFrame, keep: Collection[str] = (), metrics: Mapping[str, MetricDef] | None = None
    ) -> pd.DataFrame:
        """Return the frame with every canonical metric, see `metrics.derive.derive`."""
        return derive(frame, keep, metrics)

    def gains(self, catalog: Catalog, observed: Observed, rows: range, traces: Sequence[Trace]) -> Gains:
        """Return, for each row, the speedup of each concluded diagnosis whose fix says what it changes."""
        measured = speedup_model.build(observed.measured, len(observed.truth))
        out = _gains(catalog, measured, rows, traces)
        thin = {row: trace for row, trace in zip(rows, traces, strict=True) if observed.estimates(row)}
        if thin:
            # What only the code shows is not in the measured needs of the units: a cause, or what its fix changes.
            whole = speedup_model.build(observed.columns, len(observed.truth))
            by_code = _gains(catalog, whole, list(thin), list(thin.values()))
            for row, trace in thin.items():
                for found in trace.findings:
                    if found not in out[row] or _rests_on_code(observed, row, trace, found):
                        gain = by_code[row].get(found)
                        out[row].pop(found, None)
                        if gain is not None and gain.estimate >= NO_GAIN:
                            out[row][found] = _wider(gain)
                        elif gain is not None and gain.high < NO_GAIN and _is_full(catalog, whole, row, trace, found):
                            out[row][found] = gain
        return [out[row] for row in rows]

    def with_budgets(
        self, catalog: Catalog, columns: Mapping[str, Array], launches: Sequence[LaunchDiagnosis]
    ) -> tuple[LaunchDiagnosis, ...]:
        """Return the launches, each with the combined gain of its fixes."""
        return with_budgets(catalog, columns, launches)

    def notes(self, catalog: Catalog, class_id: str, values: Mapping[str, float], sm_unit: str) -> tuple[str, ...]:
        """Return the notes on the class of one launch. sm_unit: its label `sm_leader`, empty without one."""
        return class_notes(catalog, class_id, values, sm_unit)

    def units(self, values: Mapping[str, float]) -> tuple[WorkloadUnit, ...]:
        """Return an empty tuple: ncu's counters are the units of a kernel."""
        return ()

    def band(self, values: Mapping[str, float]) -> Band:
        """Return an empty band: a kernel's class says how utilised its leading unit is."""
        return ""

    def missing(
        self, catalog: Catalog, unknown: Names, asked: Names, given: Iterable[str], known: Collection[str]
    ) -> tuple[tuple[Missing, ...], tuple[Question, ...]]:
        """Return what to collect and what to ask. unknown, asked: metric or question -> findings that depend on it."""
        return missing(catalog, unknown, known), questions(catalog, unknown, asked, given)

    def ways(self, metric: str) -> tuple[tuple[str, ...], ...]:
        """Return the sets of metrics that give a metric, apart from its formula, the simplest first."""
        if metric == "compute_pct":
            return ("sm_throughput_pct",), compute_units()
        return (("memory_throughput_pct",),) if metric == "memory_pct" else ()

    def read_by(self, metric: str) -> tuple[str, ...]:
        """Return all metrics that the code that computes a metric reads."""
        return code_inputs().get(metric, ())

    def most(self, metric: str, known: Mapping[str, float], most: float) -> float:
        """Return the upper limit of a metric, given the known metrics that it is a part of."""
        wholes = {
            "memory_throughput_pct": memory_units(),
            "sm_throughput_pct": (*compute_units(), *inner_units()),
            "occupancy_theoretical_pct": ("occupancy_achieved_pct",),
            "l1_throughput_pct": ("l1_wavefronts_pct", "l1_requests_pct", "shared_wavefronts_hw_pct"),
            "l2_throughput_pct": parts_of("l2_pct"),
        }
        return min([most, *(known.get(whole, most) for whole, parts in wholes.items() if metric in parts)])


def _is_full(catalog: Catalog, model: speedup_model.Model, row: int, trace: Trace, found: str) -> bool:
    """Whether a hardware unit is nearly full after the first fix of a finding, however far off estimated counts are."""
    fix = ranked_fixes(catalog.findings[found], trace)[0]
    return bool(speedup_model.most(model, fix, np.array([row]))[0] < _FULL_ALLOWS)


def _wider(gain: Speedup) -> Speedup:
    """Return a gain that rests on estimated counts, with a range that allows for their error."""
    low, high = max(1.0, gain.low / ESTIMATE_FACTOR), gain.high * ESTIMATE_FACTOR
    return replace(gain, low=low, high=high, how=f"{gain.how}; {time_model().how['by_code']}")


def _rests_on_code(observed: Observed, row: int, trace: Trace, found: str) -> bool:
    """Whether every rule that concluded a finding compares a count that was estimated from the machine code."""
    estimated = observed.estimates(row)
    return bool(estimated) and all(
        any(name in observed.tests and observed.tests[name].names & estimated for name in fired.when)
        for fired in trace.fired_for(found)
    )


def _gains(
    catalog: Catalog, model: speedup_model.Model, rows: Sequence[int], traces: Sequence[Trace]
) -> dict[int, dict[str, Speedup]]:
    """Return, for each row, the speedup by a model of each concluded diagnosis whose fix says what it changes."""
    at: dict[tuple[str, str, tuple[str, ...]], list[int]] = {}
    for row, trace in zip(rows, traces, strict=True):
        for found in trace.findings:
            entry = catalog.findings[found]
            fixes = ranked_fixes(entry, trace)
            if fixes and entry.kind == "diagnosis" and fixes[0].modelled:
                # Beside a general fix, those that may suit better say how far the change may go.
                own = (fix for fix in fixes[1:] if fix.modelled and fix.operators != fixes[0].operators)
                others = () if fixes[0].conditional else tuple(fix.id for fix in own)
                at.setdefault((found, fixes[0].id, others), []).append(row)
    out: dict[int, dict[str, Speedup]] = {row: {} for row in rows}
    for (found, fix_id, others), members in at.items():
        entry = catalog.findings[found]
        fix, may = entry.fix_named(fix_id), tuple(map(entry.fix_named, others))
        for row, speedup in zip(members, speedup_model.speedups(model, fix, np.array(members), may), strict=True):
            if speedup is not None:
                out[row][found] = speedup
    return out


class Workloads:
    """Graphics or compute workloads that a user typed in."""

    modelled = False
    scope: Literal["launch", "workload"] = "workload"

    def derive(
        self, frame: pd.DataFrame, keep: Collection[str] = (), metrics: Mapping[str, MetricDef] | None = None
    ) -> pd.DataFrame:
        """Derive as for kernels, and add what follows from the typed units."""
        return workloads.derive_workloads(frame, keep, metrics)

    def gains(self, catalog: Catalog, observed: Observed, rows: range, traces: Sequence[Trace]) -> Gains:
        """Return gains as for kernels, estimated by the article's headroom."""
        return [self._gains(catalog, observed.values(row), t) for row, t in zip(rows, traces, strict=True)]

    def _gains(self, catalog: Catalog, values: Mapping[str, float], trace: Trace) -> dict[str, Speedup]:
        chosen = ((f, chosen_fix(catalog.findings[f], trace)) for f in trace.findings)
        fixes: dict[str, FixDef] = {f: fix for f, fix in chosen if fix is not None}
        found = {name: workloads.workload_speedup(values, fix) for name, fix in fixes.items()}
        return {name: speedup for name, speedup in found.items() if speedup is not None}

    def with_budgets(
        self, catalog: Catalog, columns: Mapping[str, Array], launches: Sequence[LaunchDiagnosis]
    ) -> tuple[LaunchDiagnosis, ...]:
        """Return the launches unchanged: no model combines the fixes of a workload."""
        return tuple(launches)

    def notes(self, catalog: Catalog, class_id: str, values: Mapping[str, float], sm_unit: str) -> tuple[str, ...]:
        """Return the notes on the class of one workload."""
        return workloads.workload_notes(values)

    def units(self, values: Mapping[str, float]) -> tuple[WorkloadUnit, ...]:
        """Return the typed units."""
        return workloads.workload_units(values)

    def band(self, values: Mapping[str, float]) -> Band:
        """Return the band of the most utilised unit."""
        return workloads.band(values)

    def missing(
        self, catalog: Catalog, unknown: Names, asked: Names, given: Iterable[str], known: Collection[str]
    ) -> tuple[tuple[Missing, ...], tuple[Question, ...]]:
        """Return what to type; there are no questions."""
        return workloads.workload_missing(unknown, known), ()

    def ways(self, metric: str) -> tuple[tuple[str, ...], ...]:
        """Return the sets as for kernels."""
        return tuple((name,) for name in workloads.typed_inputs().get(metric, ()) if name != metric)

    def read_by(self, metric: str) -> tuple[str, ...]:
        """Return an empty tuple: `ways` returns all inputs."""
        return ()

    def most(self, metric: str, known: Mapping[str, float], most: float) -> float:
        """Return `most` unchanged: no unit is a part of another."""
        return most


Domain = Kernels | Workloads
_DOMAINS: dict[str, Any] = {"launch": Kernels(), "workload": Workloads()}


def domain_of(catalog: Catalog) -> Domain:
    """Return the domain of a catalogue's rules."""
    found: Domain = _DOMAINS[catalog.scope]
    return found
