"""What a fix would give to a typed-in workload: P3's headroom as a small time model, constants in graphics/time.yaml.

The time is what the fullest unit would need at 90 % of its peak, and a rest in which it waits. Idle time and drains are
parts of that rest. With the whole rest gone the speedup is 90 / (percentage of the top unit): P3's upper bound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

import msgspec

from advisor.knowledge.expressions import parse
from advisor.knowledge.loader import load
from advisor.knowledge.schemas import FixDef
from advisor.knowledge.texts import fill
from advisor.readers.workload import typed
from advisor.records import resources
from advisor.records.diagnosis import Speedup

WAITS, IDLE, DRAINS = "waits", "idle", "drains"


class WorkloadTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """graphics/time.yaml: what of its peak a unit reaches, the least part of the rest that counts, and the words."""

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
    """The constants and texts of the time model of workloads."""
    return load(resources.folder("knowledge") / "graphics" / "time.yaml", WorkloadTime)


@lru_cache(maxsize=1)
def workload_terms() -> dict[str, str]:
    """What a fix may change: units by their lower-case names and the parts of the rest -> metric, '' for the rest."""
    units = {key.lower(): word.metric for key, word in typed().units.items()}
    return {**units, **dict.fromkeys(workload_time().rest, "")}


def _known(values: Mapping[str, float], name: str) -> float:
    value = values.get(name, 0.0)
    return value if math.isfinite(value) else 0.0


def workload_speedup(values: Mapping[str, float], fix: FixDef) -> Speedup | None:
    """Old time over new if the fix alone were made: low with its modest degree, high with its far one.

    values: the known metrics of one workload. The estimate is the middle of both on a log scale, as with kernels. None
    where the fix does not say what it changes, or changes only what is unknown.
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
    """Share of the time in which SMs have no warp though the pipeline is not idle (where idle is unknown, at all)."""
    active = values.get("sm_active_pct", math.nan)
    return max(0.0, 100 - active - _known(values, "graphics_idle_pct")) / 100 if math.isfinite(active) else 0.0


def _time(work: Mapping[str, float], rest: Mapping[str, float], factors: Mapping[str, float]) -> tuple[float, str]:
    """The time after a fix, as a share of the time before, and what takes most of it then."""

    def factor(name: str) -> float:
        value = factors.get(name, 1.0)
        return max(0.0, value) if math.isfinite(value) else 1.0

    reachable = workload_time().reachable_pct
    beside = max(0.0, 1 - max(work.values()) / reachable)
    # Idle time and drains cannot be more than what the top unit leaves.
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
