"""Before and after: two analyses in, matched kernels with what changed and what to do next out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from advisor.catalog import Catalog
from advisor.errors import UsageError
from advisor.model import Diagnosis
from advisor.pipelines.compare.changes import finding_changes, leading_units, metric_changes
from advisor.pipelines.compare.conditions import of_pair, of_reports, other_gpu, other_kernel
from advisor.pipelines.compare.matching import Couple, match, runs_of
from advisor.pipelines.compare.outlook import promise, what_next
from advisor.pipelines.compare.records import Compared, Condition, Pair
from advisor.pipelines.compare.traps import traps
from advisor.pipelines.diagnose import Analysis
from advisor.quantify.noise import Judged, verdict


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
    return compare_diagnoses(base.diagnosis, current.diagnosis, base.catalog, maps=maps, runs=runs, force=force)


def compare_diagnoses(
    base: Diagnosis,
    current: Diagnosis,
    catalog: Catalog,
    *,
    maps: Sequence[str] = (),
    runs: tuple[Sequence[float], Sequence[float]] | None = None,
    force: bool = False,
) -> Compared:
    """The same of two diagnoses, which is all that a comparison looks at."""
    old = runs_of(base.launches, runs[0] if runs is not None else None)
    new = runs_of(current.launches, runs[1] if runs is not None else None)
    if runs is not None and (len(old) != 1 or len(new) != 1):
        raise UsageError("measured run times belong to one kernel on each side: name a launch with REPORT#N")
    couples, left, right = match(old, new, maps)
    if not couples:
        names = [", ".join(dict.fromkeys(repr(r.launch.kernel[:40]) for r in side[:3])) for side in (old, new)]
        raise UsageError(
            f"no kernel is in both: the base holds {names[0]}, the current report {names[1]}; "
            "say which is which with --map OLD=NEW"
        )
    if not force:
        for one, other, _ in couples:
            if found := other_gpu(one, other):
                raise UsageError(f"{found.text}; --force compares them all the same")
    return Compared(
        base=base.reports[0],
        current=current.reports[0],
        conditions=of_reports(base.reports[0], current.reports[0]),
        pairs=tuple(_pair(catalog, couple) for couple in couples),
        base_only=tuple(left),
        current_only=tuple(right),
        ceilings=_ceilings(base, current),
    )


def _ceilings(*sides: Diagnosis) -> tuple[Mapping[str, Any], ...]:
    """The measured ceilings that decided on either side, each card once."""
    used = [card for side in sides for card in side.extra.get("measured_ceilings", ())]
    return tuple({(card["gpu"], card["cc"]): card for card in used}.values())


def _pair(catalog: Catalog, couple: Couple) -> Pair:
    base, current, matched = couple
    judged = verdict(base.times, current.times) if base.times is not None and current.times is not None else None
    conditions, by_cycles = of_pair(base, current, judged)
    if matched == "only":
        conditions += other_kernel(base, current)
    findings = finding_changes(base.launch, current.launch)
    doubt = _doubtful(conditions, judged, by_cycles)
    return Pair(
        base=base,
        current=current,
        matched=matched,
        judged=judged,
        by_cycles=by_cycles,
        conditions=conditions,
        metrics=metric_changes(catalog, base.launch, current.launch, findings),
        findings=findings,
        units=leading_units(base.launch, current.launch),
        traps=traps(base.launch, current.launch, judged),
        promise=None if doubt else promise(base, current, judged, findings),
        next=what_next(current, judged, findings, doubt),
    )


def _doubtful(conditions: Sequence[Condition], judged: Judged | None, by_cycles: Judged | None) -> str:
    """What makes the two times mean different things: size, gpu, clock or kernel; empty when nothing does.

    Another kernel counts where it is slower: a faster one that does the same work is what many a fix looks like.
    """
    for item in conditions:
        if item.id in ("size", "gpu") and judged is not None:
            return item.id
    if judged is not None and judged.word == "slower" and any(item.id == "kernel" for item in conditions):
        return "kernel"
    return "clock" if by_cycles is not None and judged is not None and by_cycles.word != judged.word else ""
