"""Judge the points of a sweep: which one to pick and why, what does not matter, where to extend the range.

Times are compared as everywhere (`reasoning.time_model.noise`): two medians differ if their ratio is outside
`1 +- sqrt(a^2 + b^2)`, where a and b come from the spread of the runs of each point. All points that do not differ from
the fastest are equally fast as far as this sweep can tell; of these the pick is the one that leaves more headroom: no
spills first, then fewer registers (as the hardware allocates them), then the shorter time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from advisor.compare.compare import pair_of
from advisor.compare.conditions import of_pair
from advisor.compare.records import Condition, Runs
from advisor.knowledge.base import Catalog
from advisor.reasoning.time_model.noise import Judged, Spread, verdict
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.quantities import amount_text, share_text, time_text
from advisor.sweep.plan import Parameter, label
from advisor.sweep.read import Measured, Measurements
from advisor.sweep.records import Pick, SweepDocument, SweepPoint, Why
from advisor.sweep.settings import note, settings

SECTOR = 32.0  # bytes
# Conditions of a comparison that hold for the whole sweep: each is named once.
_SHARED = ("gpu", "part", "clock", "control", "size")


class _Timed(Struct, frozen=True):
    """A measured point with its runs and their spread."""

    measured: Measured
    runs: Runs
    time: Spread

    @property
    def label(self) -> str:
        return label(self.measured.values)

    @property
    def launch(self) -> LaunchDiagnosis:
        return self.runs.launch

    def metric(self, name: str) -> float | None:
        """Return a finite metric of its launch."""
        value = self.launch.metrics.get(name)
        return value if value is not None and math.isfinite(value) else None

    def against(self, other: _Timed) -> Judged:
        """Return the verdict on this point against another one."""
        return verdict(other.time, self.time)


def judge(found: Measurements) -> SweepDocument:
    """Return the result of a sweep."""
    timed = [_Timed(p, p.runs, p.runs.times) for p in found.points if p.runs is not None and p.runs.times is not None]
    timed.sort(key=lambda p: p.time.median)
    base = next((p for p in timed if p.measured is found.points[0]), None)
    failed = [p for p in found.points if all(p is not t.measured for t in timed)]
    pick = _pick(timed)
    tied = _tied(timed)
    chosen = next((p for p in timed if pick is not None and p.measured.values == pick.values), None)
    rows = [_row(p, base, p is chosen, p in tied) for p in timed]
    worst = timed[-1] if timed else None
    change = None
    if chosen is not None and worst is not None and chosen.against(worst).word == "faster":
        change = pair_of(found.catalog, (worst.runs, chosen.runs, "only"))
    return SweepDocument(
        parameters=tuple((p.name, p.values) for p in found.parameters),
        kernel=found.kernel,
        gpu=timed[0].launch.gpu if timed else None,
        points=(*rows, *(SweepPoint(values=p.values, problem=p.problem) for p in failed)),
        first=found.points[0].values if found.points else (),
        measured=len(timed),
        pick=pick,
        notes=tuple(_notes(found, timed, tied, chosen)) if timed else (),
        change=change,
        worst=worst.measured.values if change is not None and worst is not None else (),
    )


def _row(point: _Timed, base: _Timed | None, picked: bool, tied: bool) -> SweepPoint:
    launch = point.launch
    first = next((f for f in launch.findings if f.kind == "diagnosis"), None)
    return SweepPoint(
        values=point.measured.values,
        picked=picked,
        tied=tied,
        report=point.measured.report,
        kernel=launch.kernel,
        grid=launch.grid,
        block=launch.block,
        time=point.runs.time,
        speedup=base.time.median / point.time.median if base is not None else None,
        registers_per_thread=point.metric("registers_per_thread"),
        occupancy_theoretical_pct=point.metric("occupancy_theoretical_pct"),
        occupancy_achieved_pct=point.metric("occupancy_achieved_pct"),
        spill_inst=point.metric("spill_inst"),
        waves=point.metric("waves"),
        class_id=launch.verdict.id,
        class_title=launch.verdict.title,
        first=first.id if first is not None else "",
        first_title=first.title if first is not None else "",
        runs=point.runs,
    )


def _tied(timed: Sequence[_Timed]) -> list[_Timed]:
    """Return the points whose time does not differ from the fastest one's, the fastest first."""
    return [p for p in timed if p is timed[0] or p.against(timed[0]).word == "same"]


def _pick(timed: Sequence[_Timed]) -> Pick | None:
    if not timed:
        return None
    fastest = timed[0]
    best = min(_tied(timed), key=_headroom)
    noise = fastest.time.noise if best is fastest else best.against(fastest).noise
    registers, most = best.metric("registers_per_thread"), fastest.metric("registers_per_thread")
    reason: Why = "fastest"
    if best is not fastest:
        reason = "no_spills" if _spills(fastest) and not _spills(best) else "fewer_registers"
    alike = "pick_any" if len(_tied(timed)) == len(timed) > 1 else "pick_fastest"
    said = note(
        {"fastest": alike, "fewer_registers": "pick_registers", "no_spills": "pick_spills"}[reason],
        point=best.label,
        time=time_text(best.time.median),
        noise=share_text(noise),
        fastest=fastest.label,
        fastest_time=time_text(fastest.time.median),
        registers=amount_text(registers, ""),
        fastest_registers=amount_text(most, ""),
    )
    return Pick(best.measured.values, reason, noise, said.text, said.cites)


def _spills(point: _Timed) -> bool:
    return (point.metric("spill_inst") or 0) > 0


def _headroom(point: _Timed) -> tuple[bool, float, float]:
    """Return the order of equally fast points; registers count as the hardware allocates them."""
    registers = point.metric("registers_allocated")
    return _spills(point), registers if registers is not None else math.inf, point.time.median


def _notes(
    found: Measurements, timed: Sequence[_Timed], tied: Sequence[_Timed], chosen: _Timed | None
) -> Iterator[Condition]:
    """Yield what limits the comparison first, then what the times say about the parameters."""
    differs, known = _work(found.catalog, timed)
    yield from differs
    yield from (c for c in _conditions(timed) if c.id != "size" or not known)
    if found.other_share >= settings().others.share:
        yield note("kernels", kernel=found.kernel, share=share_text(found.other_share))
    several = next((p for p in timed if p.measured.shapes > 1), None)
    if several is not None:
        yield note("shapes", point=several.label, kernel=found.kernel, count=f"{several.measured.shapes}")
    if len(timed) == 1:
        yield note("single")
    elif len(tied) == len(timed):
        noise = max(p.against(timed[0]).noise for p in timed[1:])
        names = " and ".join(p.name for p in found.parameters if len(p.values) > 1)
        verb = "do not matter" if names.count(" and ") else "does not matter"
        yield note("no_difference", noise=share_text(noise), parameters=f"{names} {verb}")
    else:
        if len(tied) > 1:
            listed = ", ".join(p.label for p in tied[:6]) + (", …" if len(tied) > 6 else "")
            yield note("tied", count=f"{len(tied)} of {len(timed)} points", points=listed)
        if chosen is not None:
            for parameter in found.parameters:
                yield from _along(parameter, timed, chosen, len(found.parameters) > 1)
    if all(p.time.runs == 1 for p in timed):
        yield note("one_run", noise=share_text(max(p.time.noise for p in timed)))
    if any(p.metric("clock_control") == 0 for p in timed):
        yield note("unlocked")


def _along(parameter: Parameter, timed: Sequence[_Timed], chosen: _Timed, several: bool) -> Iterator[Condition]:
    """Yield whether one parameter matters where the others are as picked, or whether its range ends too early."""
    here = dict(chosen.measured.values)
    others = {k: v for k, v in here.items() if k != parameter.name}
    line = {}
    for point in timed:
        values = dict(point.measured.values)
        if all(values[k] == v for k, v in others.items()):
            line[values[parameter.name]] = point
    if len(line) < 2:
        return
    fastest = min(line.values(), key=lambda p: p.time.median)
    judged = [p.against(fastest) for p in line.values() if p is not fastest]
    if several and all(j.word == "same" for j in judged):
        noise = share_text(max(j.noise for j in judged))
        yield note("flat", parameter=parameter.name, others=label(others.items()), noise=noise)
        return
    numbers = {value: _number(value) for value in parameter.values}
    value = here[parameter.name]
    ordered = sorted((v for v in parameter.values if numbers[v] is not None), key=lambda v: numbers[v] or 0.0)
    if value not in ordered:  # a word has no place in the range
        return
    for key, order in (("edge_high", ordered), ("edge_low", ordered[::-1])):
        inner = [v for v in order[:-1] if v in line]
        if order[-1] != value or not inner or line[inner[-1]].against(chosen).word != "slower":
            continue
        if key == "edge_high" and _largest_block(chosen, line[inner[-1]]):
            continue
        yield note(key, parameter=parameter.name, value=value)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _largest_block(point: _Timed, inner: _Timed) -> bool:
    """Return whether the parameter sets the size of the block, which has reached its limit."""
    sizes = [math.prod(p.launch.block) if p.launch.block is not None else None for p in (point, inner)]
    return sizes[0] != sizes[1] and sizes[0] == settings().block.threads


def _work(catalog: Catalog, timed: Sequence[_Timed]) -> tuple[tuple[Condition, ...], bool]:
    """Return a note on the first count of work that differs between the points, and whether any count is known.

    Operations and stored bytes stay the same where a parameter only shares the same work out in another way; loads,
    instructions and threads do not, so a comparison of them decides only where these are unknown.
    """
    limit = settings().work
    traffic = max((p.metric("dram_bytes") or 0.0 for p in timed), default=0.0)
    decided = False
    for name in (*limit.metrics, *limit.sectors):
        stored = name in limit.sectors
        known = [(value, p.label) for p in timed if (value := p.metric(name)) is not None]
        if len(known) < 2:
            continue
        least, most = min(known), max(known)
        scale = SECTOR if stored else 1.0
        decided = decided or (len(known) == len(timed) and most[0] * scale > limit.share * (traffic if stored else 0.0))
        if (most[0] - least[0]) * scale > limit.share * max(most[0] * scale, traffic if stored else 0.0):
            entry = catalog.metrics[name]
            said = note(
                "work",
                means=entry.means,
                least=amount_text(least[0], entry.unit),
                least_point=least[1],
                most=amount_text(most[0], entry.unit),
                most_point=most[1],
            )
            return (said,), True
    return (), decided


def _conditions(timed: Sequence[_Timed]) -> Iterator[Condition]:
    """Yield each condition that makes a point incomparable with the fastest one, once."""
    seen = set[str]()
    for point in timed[1:]:
        for item in of_pair(timed[0].runs, point.runs, point.against(timed[0]))[0]:
            if item.id in _SHARED and item.id not in seen:
                seen.add(item.id)
                said = note("condition", point=point.label, fastest=timed[0].label, because=item.text)
                yield structs.replace(said, id=item.id, cites=item.cites)
