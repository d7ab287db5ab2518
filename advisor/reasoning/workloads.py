"""What differs in the reasoning about a typed-in workload: derived columns, gains, notes, what is missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from advisor.knowledge.base import WORKLOAD_FOLDER, WorkloadCatalog, workloads
from advisor.knowledge.loader import load_mapping
from advisor.knowledge.texts import fill
from advisor.readers.workload import key_of, typed, unit_names
from advisor.reasoning.enrich import Note
from advisor.reasoning.metrics.derive import derive as derive_columns
from advisor.reasoning.metrics.workloads import clusters, derive_workloads, units_of
from advisor.reasoning.time_model.workloads import workload_speedup
from advisor.records import resources
from advisor.records.diagnosis import Missing, Speedup, WorkloadUnit
from advisor.records.errors import UsageError
from advisor.records.readings import ReportInfo

if TYPE_CHECKING:
    from advisor.knowledge.base import Catalog
    from advisor.reasoning.engine.trace import Trace
    from advisor.reasoning.observations import Observed

FORM = "workload"
# 95 % is as high as it gets; the two workloads that P3 calls full show 94.5 and 93.4 %.
_FULL = 93.0
# Equal percentages: a point apart is what rounding and separate passes make of them, and only of busy units.
_EQUAL, _BUSY, _HIGH = 1.0, 60.0, 80.0
_GOOD_HITS, _GREAT_HITS = 70.0, 90.0
_FED, _ACTIVE = 5.0, 95.0


def knowledge_for(catalog: Catalog, infos: Sequence[ReportInfo]) -> Catalog:
    """The rules that fit what was read: those of kernels or those of workloads. UsageError where both were read."""
    forms = {info.format == FORM for info in infos if info.format}
    if len(forms) == 2:
        raise UsageError(
            "workload files and reports of ncu are judged by different rules: give them one after the other"
        )
    return workloads(catalog) if True in forms else catalog


def is_workload(catalog: Catalog) -> bool:
    """Whether these are the rules of typed-in workloads."""
    return isinstance(catalog, WorkloadCatalog)


def deriver(catalog: Catalog) -> Callable[..., Any]:
    """What makes the derived columns of a frame."""
    return derive_workloads if is_workload(catalog) else derive_columns


def workload_gains(
    catalog: Catalog, observed: Observed, rows: range, traces: Sequence[Trace]
) -> list[dict[str, Speedup]]:
    """The speedup of each concluded diagnosis that says what its fix changes, row by row."""
    out: list[dict[str, Speedup]] = []
    for row, trace in zip(rows, traces, strict=True):
        values = observed.values(row)
        gains = {}
        for found in trace.findings:
            fix = catalog.findings[found].fix
            speedup = workload_speedup(values, fix) if fix is not None else None
            if speedup is not None:
                gains[found] = speedup
        out.append(gains)
    return out


@lru_cache(maxsize=1)
def _texts() -> dict[str, Note]:
    return load_mapping(resources.folder("knowledge") / WORKLOAD_FOLDER / "notes.yaml", Note)


def workload_notes(values: Mapping[str, float]) -> tuple[str, ...]:
    """What is said beside the class: top units and clusters, the band, and what P3 reads off the other numbers."""
    units = units_of(values)
    if not units:
        return ()
    return (*_of_units(values, units), *_of_sm(values), *_of_caches(values))


def workload_units(values: Mapping[str, float]) -> tuple[WorkloadUnit, ...]:
    """The typed units, the fullest first, with the number of their cluster."""
    names = unit_names()
    return tuple(
        WorkloadUnit(names[unit], unit, values[unit], at) for at, group in enumerate(clusters(values)) for unit in group
    )


def band(values: Mapping[str, float]) -> Literal["", "high", "middle", "low"]:
    """The band of the top unit, empty where no unit is known."""
    top = values.get("top_unit_pct", math.nan)
    return "" if not math.isfinite(top) else "high" if top > _HIGH else "low" if top < _BUSY else "middle"


def _say(text: str, **values: str) -> str:
    return fill(_texts()[text].text, values)


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _of_units(values: Mapping[str, float], units: Sequence[tuple[float, str]]) -> list[str]:
    names, (top, leader) = unit_names(), units[0]
    groups = clusters(values)
    out = [_say("leader", leader=names[leader], leader_pct=f"{top:.1f}")]
    if len(groups[0]) > 1:
        out.append(_say("cluster", names=_listed([names[u] for u in groups[0]])))
    if len(groups) > 1:
        out.append(_say("second", names=_listed([f"{names[u]} {values[u]:.1f} %" for u in groups[1]])))
    # Only neighbours have an interface, and only the SM and TEX are known to be held by theirs.
    sm, tex = values.get("sm_throughput_pct", math.nan), values.get("tex_unit_pct", math.nan)
    if abs(sm - tex) <= _EQUAL and min(sm, tex) >= _BUSY:
        out.append(_say("interface", names=f"{names['sm_throughput_pct']} and {names['tex_unit_pct']}"))
    band = "band_high" if top > _HIGH else "band_low" if top < _BUSY else "band_middle"
    headroom = values.get("headroom_ratio")
    out.append(_say(band, headroom=f"{headroom:.1f}") if headroom is not None else _say("nothing"))
    if top >= _FULL:
        out.append(_say("ceiling", leader=names[leader]))
    return out


def _of_sm(values: Mapping[str, float]) -> list[str]:
    out = []
    if values.get("graphics_idle_pct", math.inf) < _FED:
        out.append(_say("idle_no", idle=f"{values['graphics_idle_pct']:.1f}"))
    if values.get("sm_active_pct", 0.0) >= _ACTIVE:
        out.append(_say("active_yes", active=f"{values['sm_active_pct']:.1f}"))
    share = values.get("sm_throughput_active_pct")
    if share is not None and values.get("sm_lead", -math.inf) >= -10:
        word = "served" if share > _HIGH else "starved" if share < _BUSY else "between"
        out.append(_say(word, share=f"{share:.1f}"))
    if "shader_occupancy_pct" in values:
        out.append(_say("warps", share=f"{values['shader_occupancy_pct']:.0f}"))
    limiters = typed().choices["occupancy_limiter"].values
    held = [word for word, sets in limiters.items() if any(values.get(metric) == 1 for metric in sets)]
    if held:
        out.append(_say("held", limiter=held[0]))
    return out


def _of_caches(values: Mapping[str, float]) -> list[str]:
    rates = []
    for metric, unit in (("l1_hit_pct", "TEX"), ("l2_hit_pct", "L2")):
        if metric in values:
            rate = values[metric]
            grade = "great" if rate > _GREAT_HITS else "good" if rate >= _GOOD_HITS else "poor"
            rates.append(_say(grade, unit=unit, rate=f"{rate:.1f}"))
    return [_say("hits", rates="; ".join(rates))] if rates else []


def workload_missing(unknown: Mapping[str, set[str]], known: Collection[str]) -> tuple[Missing, ...]:
    """`unknown` maps a metric to the findings that wait for it; one entry for each word that could be typed."""
    wanted: dict[str, set[str]] = {}
    for metric, waiting in unknown.items():
        for base in WORKED_OUT.get(metric, (metric,)):
            if base not in known:
                wanted.setdefault(base, set()).update(waiting)
    # Several metrics may be typed by one word: it is asked for once.
    keys: dict[str, str] = {}
    for metric in sorted(wanted):
        if key := key_of(metric):
            wanted[keys.setdefault(key, metric)] |= wanted[metric]
    return tuple(Missing(m, tuple(sorted(wanted[m])), _say("type", key=key)) for key, m in keys.items())


# What a metric that follows from others is worked out from.
WORKED_OUT = {
    "compute_pct": ("sm_throughput_pct",),
    "vram_pct": ("dram_pct",),
    "sm_lead": ("sm_throughput_pct",),
    "tex_lead": ("tex_unit_pct",),
    "l2_lead": ("l2_pct",),
    "vram_lead": ("dram_pct",),
    "crop_lead": ("crop_pct",),
    "zrop_lead": ("zrop_pct",),
    "pd_lead": ("pd_pct",),
    "vaf_lead": ("vaf_pct",),
    "sm_tex_gap": ("sm_throughput_pct", "tex_unit_pct"),
    "long_scoreboard_lead": ("stall_long_scoreboard_pct",),
    "barrier_lead": ("stall_barrier_pct",),
    "shader_occupancy_pct": ("shader_warps", "shader_warp_slots"),
}
