"""What a supposed value moves: the work of hardware units, the time, and so the utilisation of every unit.

A fix's operators say what they leave of the work of each unit (L1 wavefronts of shared memory: 1 /
shared_wavefront_ratio). If a metric that they read is supposed to be another value, the same operators give the work
that is then done: now = 1/16, supposed = 1/1, so a sixteenth of the work. The time model gives the new time, and
a unit's utilisation is its work over that time, as for another GPU (reasoning/other_gpu).

Stall reasons and samples depend on more than the model knows: they are unknown where the time changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from advisor.knowledge.base import Catalog
from advisor.knowledge.schemas import FixDef
from advisor.knowledge.time_model import time_model
from advisor.knowledge.units import (
    SAME_POINTS,
    compute_units,
    inner_units,
    memory_units,
    not_arithmetic,
    parts_of,
    units,
)
from advisor.reasoning.time_model.model import applied, build, new_time
from advisor.reasoning.time_model.operators import applied as of_operators
from advisor.reasoning.time_model.terms import with_assumed
from advisor.records.diagnosis import LaunchDiagnosis

# A smaller change of the time is within the model's error on a launch without any change.
_NOTICED = 0.02
_UNKNOWN_THEN = ("stall_", "samples_", "pc_samples")
# Instructions per cycle and similar rates are also units of the table; these follow the time too.
_RATES = ("dram_bytes_per_s",)
# Facts about the algorithm, or about the GPU: the kernel that runs is the same if they are other ones.
_NO_WORK = ("theoretical_", "distinct_", "device_", "sm_count")


def followers(
    catalog: Catalog,
    launch: LaunchDiagnosis,
    before: Mapping[str, float],
    after: Mapping[str, float],
    supposed: Iterable[str],
) -> dict[str, float]:
    """Return the metrics that move with the supposed ones, NaN for those that are unknown then; {} if none moves.

    before, after: the metrics of the launch, measured and with the supposed values and what is derived from them.
    A supposed percentage of peak is no work, so it moves nothing.
    """
    if all(name in units() or name.startswith(_NO_WORK) for name in supposed):
        return {}
    factors = _work(_fixes(catalog, launch), before, after)
    if not factors:
        return {}
    model = build({name: np.array([value]) for name, value in before.items()}, 1)
    now = model.now
    needs = applied(now, {name: np.array([factor]) for name, factor in factors.items()})
    ratio = float(new_time(now, needs, time_model().norm.estimate)[0])
    if not math.isfinite(ratio) or abs(ratio - 1) < _NOTICED:
        return {}
    out: dict[str, float] = {
        name: math.nan for name in before if name.startswith(_UNKNOWN_THEN) and not name.endswith("_ratio")
    }
    left = {name: _left(now.terms, needs, name) for name in now.terms}
    for name, unit in units().items():
        if name in before:
            # A part of L1's wavefronts is not the whole of them: its work is that of its own term.
            work = left.get("l1_shared" if name == "shared_wavefronts_hw_pct" else unit.term, 1.0)
            out[name] = before[name] * work / ratio
            out[name] = min(100.0, out[name]) if name.endswith("_pct") else out[name]
    for whole, parts in (
        ("l2_pct", parts_of("l2_pct")),
        ("memory_throughput_pct", (*memory_units(), *parts_of("l2_pct"))),
        ("sm_throughput_pct", (*compute_units(), *not_arithmetic(), *inner_units())),
    ):
        known = [part for part in parts if part in before and part != whole]
        # A whole that its known parts do not explain has another part, whose work stays.
        if whole in before and known and abs(max(before[p] for p in known) - before[whole]) <= SAME_POINTS:
            out[whole] = max(out[part] for part in known)
    for name, value in before.items():
        if name in _RATES:
            out[name] = value / ratio
        elif name in ("duration_ns", "sm_cycles_elapsed") or name.endswith("cycles_elapsed"):
            out[name] = value * ratio
    return out


def _fixes(catalog: Catalog, launch: LaunchDiagnosis) -> list[FixDef]:
    found = ((catalog.findings.get(f.id), f.fix) for f in launch.findings if f.fix is not None)
    return [entry.fix_named(fix.id) for entry, fix in found if entry is not None and fix is not None]


def _work(fixes: Iterable[FixDef], before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    """Return the supposed over the measured work of the terms that change; of several fixes the first decides."""
    out: dict[str, float] = {}
    columns = [{name: np.array([value]) for name, value in values.items()} for values in (before, after)]
    now = build(columns[0], 1).now
    for fix in fixes:
        left = [of_operators(fix.operators, with_assumed(one), 1, now) for one in columns]
        for term in {**left[0], **left[1]}:
            if term == "launch":
                continue
            # A term that an operator leaves alone is absent.
            was, then = (float(one[term][0]) if term in one else 1.0 for one in left)
            if math.isfinite(was) and math.isfinite(then) and was > 0 and then > 0 and not math.isclose(was, then):
                out.setdefault(term, was / then)
    return out


def _left(before: Mapping[str, np.ndarray], after: Mapping[str, np.ndarray], name: str) -> float:
    """Return the work of a term's unit after over before; of a part of L1, that of all its parts."""
    part = time_model().terms[name].part_of
    names = [n for n in before if time_model().terms[n].part_of == part] if part and name != "l1_shared" else [name]
    was, then = (sum(float(needs[n][0]) for n in names) for needs in (before, after))
    return then / was if was > 0 else 1.0
