"""Compare two reports, or one launch of each written as `REPORT#3`: match the kernels, and find what changed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from advisor.compare.changes import finding_changes, leading_units, metric_changes
from advisor.compare.conditions import (
    is_same,
    of_pair,
    of_reports,
    other_gpu,
    other_kernel,
    other_work,
    part_of_the_same,
    same_results,
    same_work,
)
from advisor.compare.outlook import promise, traps, what_next
from advisor.compare.records import Compared, Condition, JudgedBy, Matched, Pair, Runs, runs_with
from advisor.compare.side import Side
from advisor.hardware.ceilings import kept
from advisor.knowledge.base import Catalog
from advisor.knowledge.base import catalog as open_catalog
from advisor.readers.read import read
from advisor.reasoning.diagnose import analyse_frame
from advisor.reasoning.enrich import add_neighbours, of_kernels, unmatched
from advisor.reasoning.inputs import Answer, Inputs, checked_answers, knowledge_for
from advisor.reasoning.time_model.noise import Judged, Spread, spread, verdict
from advisor.records.diagnosis import Diagnosis, LaunchDiagnosis, MeasuredCeilings
from advisor.records.errors import InputError, UsageError
from advisor.records.names import meant_text
from advisor.records.readings import Progress, Reading

if TYPE_CHECKING:
    import pandas as pd

    from advisor.reasoning.analysis import Analysis  # loads pandas, which a session does not need at its start

Couple = tuple[Runs, Runs, Matched]


def read_sides(
    base: Side,
    current: Side,
    *,
    answers: Mapping[str, Answer] | None = None,
    gpu: str | None = None,
    knowledge: tuple[Path, ...] = (),
    kernel: re.Pattern[str] | None = None,
    progress: Progress | None = None,
) -> tuple[Analysis, Analysis]:
    """Read both reports concurrently (one, if both sides are launches of it) and reason about each.

    A launch against the whole report that it is from is compared with the other launches of its kernel there. Raises
    InputError for an unreadable report, UsageError if a launch or a match of `kernel` is missing on a side, or if the
    launch is the only one of its kernel.
    """
    cat = open_catalog(knowledge)
    answered = checked_answers(cat, answers or {})
    open_catalog().metrics  # noqa: B018  # now, so that two threads do not load it twice
    paths = list(dict.fromkeys((base.path, current.path)))
    if progress is not None:
        progress("read", 0, len(paths))
    with ThreadPoolExecutor(len(paths)) as pool:
        shown = _together(progress, len(paths))
        readings = dict(zip(paths, pool.map(lambda path, say: read(path, progress=say), paths, shown), strict=True))
    if progress is not None:
        progress("reason", 0, 1)
    cat = knowledge_for(cat, [reading.info for reading in readings.values()])
    sides = (base, current)
    left_out = _of_whole(base, current)

    def made_of(side: Side) -> Analysis:
        omitted = left_out if side.launch is None else None
        return _analysis(cat, readings[side.path], side, gpu, answered, kernel, omitted)

    made = {side: made_of(side) for side in dict.fromkeys(sides)}
    return made[base], made[current]


def _of_whole(base: Side, current: Side) -> int | None:
    """Return the launch that is compared with the whole report that it is from, or None for other comparisons."""
    named = [side.launch for side in (base, current) if side.launch is not None]
    return named[0] if len(named) == 1 and base.path.resolve() == current.path.resolve() else None


def _together(progress: Progress | None, count: int) -> list[Progress | None]:
    """Return progress callbacks for concurrent readers; they report their sum."""
    if progress is None:
        return [None] * count
    states = [(0, 0)] * count

    def part(at: int) -> Progress:
        def report(what: str, done: int, total: int) -> None:
            states[at] = done, total
            progress(what, sum(one for one, _ in states), sum(all_ for _, all_ in states))

        return report

    return [part(at) for at in range(count)]


def _analysis(
    cat: Catalog,
    reading: Reading,
    side: Side,
    gpu: str | None,
    answers: Mapping[str, Answer],
    kernel: re.Pattern[str] | None,
    left_out: int | None = None,
) -> Analysis:
    # Run this before any filter, as in `analyse`: comparing a launch with others must not depend on the selection.
    frame = add_neighbours(reading.frame)
    if not len(frame):
        raise InputError(f"{side.path}: no kernel launch in it can be read")
    if side.launch is not None:
        highest = int(frame["index"].max())
        frame = frame[frame["index"] == side.launch]
        if not len(frame):
            raise UsageError(f"{side}: there is no launch {side.launch}: launches are numbered 0 to {highest}")
    if left_out is not None:
        frame = _others(frame, side, left_out)
    if kernel is not None:
        found = of_kernels(frame, kernel)
        if not len(found):
            raise UsageError(f"{side}: {unmatched(frame, kernel)}")
        frame = found
    info = structs.replace(reading.info, path=str(side))
    return analyse_frame(cat, Inputs(frame.reset_index(drop=True), (info,), gpu, {None: dict(answers)}, kept()))


def _others(frame: pd.DataFrame, side: Side, launch: int) -> pd.DataFrame:
    """Return the rows without one launch; raises UsageError if no other launch is of its kernel."""
    own = frame[frame["index"] == launch]
    others = frame[frame["index"] != launch]
    if len(own) and not set(own["kernel"]) & set(others["kernel"]):
        raise UsageError(
            f"{side}#{launch}: the report has no other launch of {own['kernel'].iat[0]!r} to compare it with; "
            f"name the launch to compare it with, such as {side.path.name}#N, or another report"
        )
    return others


def runs_of(launches: Iterable[LaunchDiagnosis], measured: Sequence[float] | None = None) -> tuple[Runs, ...]:
    """Group launches of one kernel, shape and GPU as runs, in the order of their first launch.

    measured: run times in ns that replace the profile's durations; used only if there is one kernel.
    """
    groups: dict[Hashable, list[LaunchDiagnosis]] = {}
    for launch in launches:
        groups.setdefault((launch.kernel_full, launch.grid, launch.block, launch.gpu_name), []).append(launch)
    return tuple(_runs(group, measured) for group in groups.values())


def _runs(launches: Sequence[LaunchDiagnosis], measured: Sequence[float] | None) -> Runs:
    timed = sorted((x for x in launches if _positive(x.duration_ns)), key=lambda x: (x.duration_ns or 0.0, x.index))
    middle = timed[(len(timed) - 1) // 2] if timed else launches[0]
    times = list(measured) if measured is not None else [x.duration_ns or 0.0 for x in timed]
    cycles = [x.metrics["sm_cycles_elapsed"] for x in launches if _positive(x.metrics.get("sm_cycles_elapsed"))]
    return runs_with(
        launches=tuple(launches),
        launch=middle,
        times=spread_of(times),
        cycles=_cycles(cycles, middle),
        measured=measured is not None,
    )


def _cycles(cycles: Sequence[float], launch: LaunchDiagnosis) -> Spread | None:
    """Return the spread of SM cycles; converted to ns and back, because the minimum noise is in ns."""
    clock = launch.metrics.get("sm_clock_hz")
    if not cycles or not _positive(clock):
        return None
    scale = 1e9 / float(clock or 1.0)
    found = spread_of([c * scale for c in cycles])
    return found and Spread(found.median / scale, found.low / scale, found.high / scale, found.runs, found.noise)


def spread_of(times: Sequence[float]) -> Spread | None:
    """Return the spread of times in ns; None if there are none or a number is out of range."""
    if not times or not all(_positive(t) for t in times):
        return None
    found = spread(times)
    return found if math.isfinite(found.noise) else None


def _positive(value: float | None) -> bool:
    return value is not None and math.isfinite(value) and value > 0


def match(
    base: Sequence[Runs], current: Sequence[Runs], maps: Sequence[str] = ()
) -> tuple[list[Couple], list[Runs], list[Runs]]:
    """Match the runs of both sides; return the couples in the order of the base, and what remains on each side.

    Match by name and shape first, then by name alone in the order of the launches, and by the full name before the
    short one. Names in `maps` (`OLD=NEW`) match each other and nothing else. If each side holds one kernel only, the
    two are compared regardless of their names.
    """
    renamed = dict(_renamed(text, base, current) for text in maps)
    left, right = list(base), list(current)
    found: dict[int, Couple] = {}

    def take(key: Callable[[Runs, bool], Hashable], how: Matched, mapped: bool) -> None:
        waiting: dict[Hashable, list[Runs]] = {}
        for runs in right:
            if (_names(runs).isdisjoint(renamed.values())) is not mapped:
                waiting.setdefault(key(runs, False), []).append(runs)
        for runs in list(left):
            if _names(runs).isdisjoint(renamed) is mapped:
                continue
            others = waiting.get(key(runs, mapped))
            if others:
                other = others.pop(0)
                found[id(runs)] = (runs, other, how)
                left.remove(runs)
                right.remove(other)

    def shape(runs: Runs) -> Hashable:
        return (runs.launch.grid, runs.launch.block)

    def new_name(runs: Runs, is_base: bool) -> str:
        """Return the name on the current side that `--map` gave; `--map` may use either name of a current kernel."""
        mine = _names(runs)
        if is_base:
            return next(new for old, new in renamed.items() if old in mine)
        return next(new for new in renamed.values() if new in mine)

    if renamed:
        take(lambda r, b: (new_name(r, b), shape(r)), "map", True)
        take(new_name, "map", True)
    take(lambda r, _: (r.launch.kernel_full, shape(r)), "shape", False)
    take(lambda r, _: (r.launch.kernel, shape(r)), "shape", False)
    take(lambda r, _: r.launch.kernel_full, "name", False)
    take(lambda r, _: r.launch.kernel, "name", False)
    if len(base) == len(current) == 1 and not found:
        found[id(base[0])] = (base[0], current[0], "only")
        left, right = [], []
    return [found[id(runs)] for runs in base if id(runs) in found], left, right


def _names(runs: Runs) -> frozenset[str]:
    return frozenset((runs.launch.kernel, runs.launch.kernel_full))


def _renamed(text: str, base: Sequence[Runs], current: Sequence[Runs]) -> tuple[str, str]:
    """Split `OLD=NEW` into a pair; if a name contains `=`, split where both parts are existing names."""
    olds = {name for runs in base for name in _names(runs)}
    news = {name for runs in current for name in _names(runs)}
    cuts = [(text[:at].strip(), text[at + 1 :].strip()) for at, c in enumerate(text) if c == "="]
    if not cuts:
        raise UsageError(f"--map {text!r} is not OLD=NEW: the kernel's name in the base and in the current report")
    for old, new in cuts:
        if old in olds and new in news:
            return old, new
    old, new = cuts[0]
    if old not in olds:
        raise UsageError(f"--map {text!r}: the base has no kernel called {old!r}{meant_text(old, olds)}")
    raise UsageError(f"--map {text!r}: the current report has no kernel called {new!r}{meant_text(new, news)}")


def compare(
    base: Analysis,
    current: Analysis,
    *,
    maps: Sequence[str] = (),
    runs: tuple[Sequence[float], Sequence[float]] | None = None,
    force: bool = False,
) -> Compared:
    """Compare the launches of two analyses, each of one report.

    maps: `OLD=NEW` for renamed kernels. runs: run times in ns measured outside the profiler, base and current; they
    replace the profiles' durations if each side holds one kernel. force: compare even if the GPUs differ.

    Raises UsageError if nothing matches, a map names no kernel, the GPUs differ without `force`, or `runs` come with
    more than one kernel.
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
    """Compare the launches of two diagnoses; parameters and errors are those of `compare`."""
    old = runs_of(base.launches, runs[0] if runs is not None else None)
    new = runs_of(current.launches, runs[1] if runs is not None else None)
    if runs is not None and (len(old) != 1 or len(new) != 1):
        raise UsageError("run times apply to one kernel on each side: name a launch with REPORT#N")
    couples, left, right = match(old, new, maps)
    if not couples:
        names = [", ".join(dict.fromkeys(repr(r.launch.kernel[:40]) for r in side[:3])) for side in (old, new)]
        raise UsageError(
            f"no kernel is in both: the base holds {names[0]}, the current report {names[1]}; "
            "pair them with --map OLD=NEW"
        )
    within = part_of_the_same(base.reports[0], current.reports[0])
    same = is_same(base.reports[0], current.reports[0])
    if not force:
        for one, other, _ in couples:
            if found := other_gpu(one, other):
                raise UsageError(f"{found.text}; --force compares them anyway")
    return Compared(
        base=base.reports[0],
        current=current.reports[0],
        conditions=of_reports(base.reports[0], current.reports[0]),
        pairs=tuple(pair_of(catalog, couple, within, same) for couple in couples),
        base_only=tuple(left),
        current_only=tuple(right),
        ceilings=_ceilings(base, current),
    )


def _ceilings(*sides: Diagnosis) -> tuple[MeasuredCeilings, ...]:
    """Return the measured ceilings that affected either side, each GPU once."""
    used = [card for side in sides for card in side.measured_ceilings]
    return tuple({(card.gpu, card.cc): card for card in used}.values())


def pair_of(catalog: Catalog, couple: Couple, within: bool = False, same: bool = False) -> Pair:
    """Compare one kernel on both sides.

    within: one side is a launch, the other the rest of the same report; same: both sides are the same file.
    """
    base, current, matched = couple
    judged = verdict(base.times, current.times) if base.times is not None and current.times is not None else None
    conditions, by_cycles = of_pair(base, current, judged)
    if matched == "only":
        conditions += other_kernel(base, current)
    if any(item.id in ("kernel", "size") for item in conditions) and not same_work(base, current):
        conditions += other_work(base, current)
    findings = finding_changes(base.launch, current.launch)
    doubt = "report" if within else _doubtful(conditions, judged, by_cycles, same_results(base, current))
    if same and base.launch == current.launch and not (base.measured or current.measured):
        doubt = "same"
    return Pair(
        base=base,
        current=current,
        matched=matched,
        verdict="unknown" if judged is None else judged.word,
        speedup=None if judged is None else judged.speedup,
        change=None if judged is None else judged.change,
        noise=None if judged is None else judged.noise,
        cycles=_judged_by(by_cycles) if by_cycles is not None else None,
        judged=judged,
        by_cycles=by_cycles,
        conditions=conditions,
        metrics=metric_changes(catalog, base.launch, current.launch, findings),
        findings=findings,
        units=leading_units(base.launch, current.launch),
        traps=() if any(item.id == "work" for item in conditions) else traps(base.launch, current.launch, judged),
        promise=None if doubt else promise(base, current, judged, findings),
        next=what_next(base, current, judged, findings, doubt),
    )


def _judged_by(judged: Judged) -> JudgedBy:
    return JudgedBy(judged.word, judged.speedup, judged.change, judged.noise)


def _doubtful(
    conditions: Sequence[Condition], judged: Judged | None, by_cycles: Judged | None, same_results: bool
) -> str:
    """Return why the two times are not comparable: size, gpu, clock or kernel; empty if they are.

    A different kernel counts if it is slower, or is not known to store as much: many fixes use a faster kernel for the
    same work.
    """
    for item in conditions:
        if item.id in ("size", "gpu") and judged is not None:
            return item.id
    other = any(item.id == "kernel" for item in conditions)
    if judged is not None and other and (judged.word == "slower" or not same_results):
        return "kernel"
    return "clock" if by_cycles is not None and judged is not None and by_cycles.word != judged.word else ""
