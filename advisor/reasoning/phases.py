"""Tell the phases of a run apart by what ncu sampled: parts that stay of one kind (knowledge/sampling.yaml)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import takewhile
from statistics import fmean, median
from typing import Final

from msgspec import structs

from advisor.knowledge.base import Catalog
from advisor.knowledge.expressions import TRUE
from advisor.knowledge.sampling import PhaseDef, sampling_knowledge
from advisor.records.sampling import Phase, Sampling

# A phase has at least this share of the run: shorter changes are told with the phase around them. Two of the
# sampler's parts, and a gain below it is not worth telling (5 %, as of notes).
_SHORTEST: Final = 0.05
# Points between the counters of a unit and its samples, beyond which another unit leads: units within 10 points of each
# other limit together (p3.clusters).
_APART: Final = 10.0
_FEWEST: Final = 8  # parts of the run, below which it has no phases
_MOST, _HIGHEST, _LONGEST_NS = 1024, 1000.0, 1e9  # of plausible samples: parts of a run, %, ns between two


def with_phases(
    catalog: Catalog, sampling: Sampling, duration_ns: float | None = None, measured: Mapping[str, float] | None = None
) -> Sampling | None:
    """Return the plausible samples with the phases of the run; None if none is plausible.

    measured: the launch's metrics, of which compute_pct and memory_pct show whether its leading unit was sampled.
    duration_ns: of the launch. Samples over less than half or more than twice of it are not those of its run: ncu ran
    the kernel in another way for them, or no activity of SMs was sampled and other work was taken for the kernel's.
    """
    known = sampling_knowledge().series
    series = tuple(
        structs.replace(one, title=known[one.id].title, scale=known[one.id].scale)
        for one in sampling.series
        if one.id in known and 0 < len(one.values) <= _MOST and all(0 <= value <= _HIGHEST for value in one.values)
    )
    if not series:
        return None
    interval = sampling.interval_ns if sampling.interval_ns and sampling.interval_ns < _LONGEST_NS else None
    if interval and duration_ns and not 0.5 <= interval * sampling.samples / duration_ns <= 2:
        return None
    made = structs.replace(sampling, series=series, interval_ns=interval, phases=())
    busy = catalog.threshold("compute_high")
    return structs.replace(made, phases=phases_of(made, busy, _unseen(made, busy, measured or {})))


def _unseen(sampling: Sampling, busy: float, measured: Mapping[str, float]) -> frozenset[str]:
    """Return the sides whose unit is utilised over the launch, by its counters, but in none of the series."""
    known = sampling_knowledge().series
    out = set()
    for side, metric in (("memory", "memory_pct"), ("compute", "compute_pct")):
        means = [fmean(one.values) for one in sampling.series if known[one.id].side == side]
        share = measured.get(metric, 0.0)
        if share >= busy and max(means, default=0.0) < share - _APART:
            out.add(side)
    return frozenset(out)


def phases_of(sampling: Sampling, busy: float, unseen: frozenset[str] = frozenset()) -> tuple[Phase, ...]:
    """Return the phases in the order of time. busy: the % of peak from which a unit counts as utilised.

    unseen: the sides whose leading unit was not sampled: there a low value is no sign of waiting.

    Empty if the samples are too few, or if no unit of the memory system and no pipe was sampled.
    """
    known = sampling_knowledge()
    count = min((len(one.values) for one in sampling.series), default=0)
    sides = {side: [s for s in sampling.series if known.series[s.id].side == side] for side in ("memory", "compute")}
    if count < _FEWEST or not all(sides.values()):
        return ()
    parts = [
        {side: max(one.part(at, count) for one in series) for side, series in sides.items()} for at in range(count)
    ]
    active = next((one for one in sampling.series if one.id == "active"), None)
    for at, part in enumerate(parts):
        part["busiest"] = max(part.values())
        if any(part[side] < busy for side in unseen):
            part["busiest"] = math.nan
        part["busy"] = busy
        part["active"] = active.part(at, count) if active is not None else math.nan
    seen = [part["busiest"] for part in parts if not math.isnan(part["busiest"])]
    steady = median(seen) if seen else math.nan
    kinds = _kinds(known.phases, [part | {"steady": steady} for part in parts])
    return tuple(
        _phase(sampling, known.phases[kind], first, end, count)
        for kind, first, end in _runs(kinds, max(2, math.ceil(_SHORTEST * count)))
        if kind >= 0
    )


def _kinds(defined: Sequence[PhaseDef], parts: Sequence[Mapping[str, float]]) -> list[int]:
    """Return the kind of each part, as a position in `defined`; -1 if no test holds."""
    tests = [one.parsed for one in defined]
    found = [-1] * len(parts)
    for kind, one in enumerate(defined):
        if one.edge:
            order = range(len(parts)) if one.edge == "start" else range(len(parts) - 1, -1, -1)
            for at in takewhile(lambda at, test=tests[kind]: test.truth(parts[at]) == TRUE, order):  # type: ignore[misc]
                found[at] = kind if found[at] < 0 else found[at]
    inner = [kind for kind, one in enumerate(defined) if not one.edge]
    return [
        kind if kind >= 0 else next((k for k in inner if tests[k].truth(part) == TRUE), -1)
        for kind, part in zip(found, parts, strict=True)
    ]


def _runs(kinds: Sequence[int], shortest: int) -> list[tuple[int, int, int]]:
    """Return (kind, first, end) of equal neighbours. One under `shortest` parts joins the longer of its neighbours."""
    runs: list[tuple[int, int, int]] = []
    for at, kind in enumerate(kinds):
        if runs and runs[-1][0] == kind:
            runs[-1] = (kind, runs[-1][1], at + 1)
        else:
            runs.append((kind, at, at + 1))
    while len(runs) > 1 and min(end - first for _, first, end in runs) < shortest:
        at = min(range(len(runs)), key=lambda i: runs[i][2] - runs[i][1])
        beside = [i for i in (at - 1, at + 1) if 0 <= i < len(runs)]
        into = max(beside, key=lambda i: runs[i][2] - runs[i][1])
        low, high = min(at, into), max(at, into)
        runs[low : high + 1] = [(runs[into][0], runs[low][1], runs[high][2])]
        runs = _merged(runs)
    return runs


def _merged(runs: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    merged: list[tuple[int, int, int]] = []
    for kind, first, end in runs:
        if merged and merged[-1][0] == kind:
            merged[-1] = (kind, merged[-1][1], end)
        else:
            merged.append((kind, first, end))
    return merged


def _phase(sampling: Sampling, kind: PhaseDef, first: int, end: int, count: int) -> Phase:
    means = {
        one.id: round(fmean(one.values[first * len(one.values) // count : end * len(one.values) // count]), 2)
        for one in sampling.series
    }
    return Phase(kind.id, kind.title, kind.means, first / count, end / count, means)
