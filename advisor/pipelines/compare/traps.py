"""The throughput trap: percentages that move against the time, explained by the work behind them."""

from __future__ import annotations

import math

from advisor.model import LaunchDiagnosis
from advisor.pipelines.compare.changes import ratio
from advisor.pipelines.compare.records import Trap
from advisor.pipelines.compare.settings import say_of, settings
from advisor.pipelines.compare.words import amount, factor
from advisor.pipelines.notes import unit_name
from advisor.quantify.noise import Judged

# Metrics that count the work of a unit, and their units, as texts name them.
_UNIT_OF = {
    "dram_bytes": "byte",
    "l2_sectors": "sectors",
    "memory_inst": "inst",
    "inst_executed": "inst",
    "shared_wavefronts": "shared wavefronts",
    "global_sectors": "sectors",
    "local_sectors": "local sectors",
}
_GREW = 1.1


def traps(base: LaunchDiagnosis, current: LaunchDiagnosis, judged: Judged | None) -> tuple[Trap, ...]:
    """Percentages that fell though the kernel is faster, or rose though it is slower; the largest first.

    A percentage of peak is work over time and peak rate. So at one clock it must fall where the work shrinks by more
    than the time, and such a fall says nothing against the change.
    """
    if judged is None or judged.word == "same":
        return ()
    known = settings().traps
    found = []
    for metric in (*known.units, *known.goals):
        old, new = base.metrics.get(metric, math.nan), current.metrics.get(metric, math.nan)
        points = old - new if judged.word == "faster" else new - old
        # NaN compares false.
        unit = metric in known.units
        if points >= (known.points if unit else known.goal_points) and max(old, new) >= known.least:
            made = _unit if unit else _goal
            found.append((-points, metric, made(metric, old, new, base, current, judged)))
    kept: list[Trap] = []
    told: set[tuple[str, ...]] = set()
    for _, _, trap in sorted(found, key=lambda f: (f[0], f[1])):
        # Issue slots and the compute percentage are mostly one thing, told once.
        entry = known.units.get(trap.metric)
        if entry is None or entry.work not in told:
            kept.append(trap)
        if entry is not None:
            told.add(entry.work)
    return tuple(kept[: known.most])


def _unit(metric: str, old: float, new: float, base: LaunchDiagnosis, current: LaunchDiagnosis, judged: Judged) -> Trap:
    entry = settings().traps.units[metric]
    faster = judged.word == "faster"
    work = _largest(entry.work, base, current)
    before, after = (x.metrics.get(work, math.nan) for x in (base, current))
    name = "Compute" if metric == "compute_pct" else unit_name(metric)
    values: dict[str, float | str] = {
        "unit": name[:1].upper() + name[1:],
        "before": amount(old, "%"),
        "after": amount(new, "%"),
        "does": entry.does,
        "time": factor(1 / judged.speedup),
    }
    if not (math.isfinite(before) and math.isfinite(after) and before > 0):
        # A percentage is work over time and peak rate, so at one clock percentage times time is the work.
        share = new / (old * judged.speedup) if old > 0 else math.nan
        values["work"] = factor(share) if math.isfinite(share) else "unknown"
        text, cites = say_of("trap_unknown_less" if faster else "trap_unknown_more", values)
        return Trap(metric, old, new, "", None, None, text, cites)
    unit = _UNIT_OF.get(work, "")
    values |= {
        "work": factor(after / before),
        "work_before": amount(before, unit),
        "work_after": amount(after, unit),
    }
    shrank, grew = after < before, after > before
    key = ("trap_less" if shrank else "trap_spread") if faster else ("trap_more" if grew else "trap_denser")
    text, cites = say_of(key, values)
    return Trap(metric, old, new, work, before, after, text, cites)


def _largest(metrics: tuple[str, ...], base: LaunchDiagnosis, current: LaunchDiagnosis) -> str:
    """Of several counts of work the one that is largest on either side; empty when none is known."""

    def most(name: str) -> float:
        return max((v for x in (base, current) if math.isfinite(v := x.metrics.get(name, math.nan))), default=-1.0)

    best = max(metrics, key=most)
    return best if most(best) >= 0 else ""


def _goal(metric: str, old: float, new: float, base: LaunchDiagnosis, current: LaunchDiagnosis, judged: Judged) -> Trap:
    known = settings().traps
    values: dict[str, float | str] = {
        "unit": known.goals[metric],
        "before": amount(old, "%"),
        "after": amount(new, "%"),
    }
    if judged.word == "faster":
        text, cites = say_of("goal_needless", values)
        return Trap(metric, old, new, "", None, None, text, cites)
    grew = grown(base, current)
    costs = say_of("goal_costs", {"costs": ", ".join(grew)})[0] if grew else ""
    text, cites = say_of("goal_missed", values | {"costs": costs})
    return Trap(metric, old, new, "", None, None, text, cites)


def grown(base: LaunchDiagnosis, current: LaunchDiagnosis) -> list[str]:
    """The counts of work that grew by a tenth or more, in words: `instructions 1.3x`."""
    return _moved(base, current, 1)


def shrunk(base: LaunchDiagnosis, current: LaunchDiagnosis) -> list[str]:
    """The counts of work that shrank by a tenth or more, in words: `DRAM bytes 0.31x`."""
    return _moved(base, current, -1)


def _moved(base: LaunchDiagnosis, current: LaunchDiagnosis, sign: int) -> list[str]:
    out = []
    for metric, name in settings().traps.costs.items():
        old, new = base.metrics.get(metric, math.nan), current.metrics.get(metric, math.nan)
        moved = ratio(old, new)
        if moved is not None:
            if sign * math.log(moved) >= math.log(_GREW):
                out.append(f"{name} {factor(moved)}x")
        elif (old == 0 and new > 0 and sign > 0) or (new == 0 and old > 0 and sign < 0):
            out.append(f"{name} {amount(old, '')} to {amount(new, '')}")
    return out
