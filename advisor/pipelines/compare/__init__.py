"""Before and after: two analyses in, matched kernels with what changed and what to do next out."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.errors import UsageError
from advisor.pipelines.compare.changes import finding_changes, leading_units, metric_changes
from advisor.pipelines.compare.conditions import of_pair, of_reports, other_gpu
from advisor.pipelines.compare.matching import Couple, match, runs_of
from advisor.pipelines.compare.outlook import promise, what_next
from advisor.pipelines.compare.records import Compared, Pair
from advisor.pipelines.compare.sides import Side, parse_side, read_sides
from advisor.pipelines.compare.traps import traps
from advisor.pipelines.diagnose import Analysis
from advisor.quantify.noise import verdict

__all__ = ["Compared", "Pair", "Side", "compare", "parse_side", "read_sides"]


def compare(
    base: Analysis,
    current: Analysis,
    *,
    maps: Sequence[str] = (),
    runs: tuple[Sequence[float], Sequence[float]] | None = None,
    force: bool = False,
) -> Compared:
    """Compare the launches of two analyses, each of one report.

    maps: `OLD=NEW` for renamed kernels. runs: run times in ns measured outside the profiler, base and current, that
    replace the profiles' durations where each side holds one kernel. force: compare different GPUs all the same.

    UsageError when nothing matches, a map names no kernel, the GPUs differ without `force`, or `runs` come with more
    than one kernel.
    """
    both = [a.diagnosis.launches for a in (base, current)]
    old, new = (runs_of(launches, runs[at] if runs is not None else None) for at, launches in enumerate(both))
    if runs is not None and (len(old) != 1 or len(new) != 1):
        raise UsageError("measured run times belong to one kernel on each side: name a launch with REPORT#N")
    infos = base.diagnosis.reports[0], current.diagnosis.reports[0]
    couples, left, right = match(old, new, maps)
    if not couples:
        names = [", ".join(dict.fromkeys(r.launch.kernel[:40] for r in side[:3])) for side in (old, new)]
        raise UsageError(
            f"no kernel is in both: the base holds {names[0]}, the current report {names[1]}; "
            "say which is which with --map OLD=NEW"
        )
    if not force:
        for one, other, _ in couples:
            if found := other_gpu(one, other):
                raise UsageError(f"{found.text}; --force compares them all the same")
    return Compared(
        base=infos[0],
        current=infos[1],
        conditions=of_reports(*infos),
        pairs=tuple(_pair(base, couple) for couple in couples),
        base_only=tuple(left),
        current_only=tuple(right),
    )


def _pair(analysis: Analysis, couple: Couple) -> Pair:
    base, current, matched = couple
    judged = verdict(base.times, current.times) if base.times is not None and current.times is not None else None
    conditions, by_cycles = of_pair(base, current, judged)
    findings = finding_changes(base.launch, current.launch)
    return Pair(
        base=base,
        current=current,
        matched=matched,
        judged=judged,
        by_cycles=by_cycles,
        conditions=conditions,
        metrics=metric_changes(analysis.catalog, base.launch, current.launch, findings),
        findings=findings,
        units=leading_units(base.launch, current.launch),
        traps=traps(base.launch, current.launch, judged),
        promise=promise(base, current, judged, findings),
        next=what_next(current, judged, findings),
    )
