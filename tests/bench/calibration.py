"""Predicted against measured speedups of the exercises: `python -m tests.bench.calibration [--json]`.

A step that `mends` an earlier one performs the fix of that one's first finding, so the ratio of their median times is
what the fix gave. Beside what the advisor foretold stands the largest estimate of ncu's own rules for the same launch,
1 / (1 - estimate); its local estimates are about one part of a kernel and promise no speedup. Who foretells nothing
foretells 1. Both are judged by the error factor max(p / m, m / p). Steps that do more or less than the named fix
(`but`) are listed, and counted apart. Where a step has several launches, its finding is that of the launch judged and
its time that of all.

Before that, the model must account for what is: its time of each unmodified launch over the measured one, of launches
of at least 10 us whose latency the counters tell (without it the model takes latency for the rest of the time).

The model's constants may be fitted on one half of the exercises only, told by a hash of the name.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from advisor.practice.selfcheck import Judged, Measured, StepJudged
    from advisor.reasoning.analysis import Analysis

HALVES = ("fitting", "held back")
NOTHING = "nothing"  # found on a step that has no diagnosis
SHORTEST_NS = 10_000  # percentages of shorter launches mean nothing


@dataclass(frozen=True)
class Pair:
    """One fix and what it gave. Speedups are old time over new; low and high: the advisor's range, None where none.

    half: of HALVES; place: the finding's place among the diagnoses, from 1, 0 where it was not found; rule: which of
    ncu's rules made its largest estimate, empty where none did; but: what more or less than the fix was done.
    """

    exercise: str
    half: str
    step: str
    finding: str
    by: str
    but: str
    place: int
    measured: float
    predicted: float
    low: float | None
    high: float | None
    ncu: float
    rule: str

    @property
    def inside(self) -> bool:
        """Whether what was measured lies in the advisor's range."""
        return self.low is not None and self.high is not None and self.low <= self.measured <= self.high


@dataclass(frozen=True)
class Unmodified:
    """How well the model accounts for launches as they are: factors between its time and the measured one.

    median, tenth (the 90th percentile) and worst: of that factor; bias: geometric mean of predicted over measured.
    """

    launches: int
    median: float
    tenth: float
    worst: float
    bias: float


@dataclass(frozen=True)
class Figures:
    """How well a series of predictions did.

    told: predictions other than 1; median and tenth (the 90th percentile): of the error factor; twofold: share within a
    factor of 2; bias: geometric mean of predicted over measured; inside: share of what was measured in the range, and
    width: the median of high over low, both None where there are no ranges.
    """

    pairs: int
    told: int
    median: float
    tenth: float
    twofold: float
    bias: float
    inside: float | None
    width: float | None


def half_of(name: str) -> str:
    """The half of an exercise: `fitting` where the SHA-256 of its name is even, else `held back`."""
    return HALVES[hashlib.sha256(name.encode()).digest()[-1] % 2]


def factor(predicted: float, measured: float) -> float:
    """The error factor, 1 for a prediction that came true."""
    return max(predicted / measured, measured / predicted)


def analysed() -> tuple[Analysis, tuple[Judged, ...]]:
    """The recordings of all exercises, diagnosed with what their cases answer and judged."""
    from advisor.knowledge.base import catalog
    from advisor.practice import selfcheck
    from advisor.practice.manifest import exercise, names

    found: list[Measured] = [m for m in (selfcheck.of_recording(exercise(name)) for name in names()) if m is not None]
    analysis = selfcheck.analyse(catalog(), found)
    return analysis, selfcheck.judge(catalog(), found, analysis)


def pairs(analysis: Analysis, judged: Iterable[Judged]) -> list[Pair]:
    """All pairs that the exercises declare and the recordings have both steps of."""
    frame = analysis.inputs.frame
    rules = dict(zip(zip(frame["report"], frame["index"], strict=True), frame["rules"], strict=True))
    out = []
    for one in judged:
        steps = {s.step.id: s for s in one.steps}
        for later in one.steps:
            for mend in later.step.mends:
                earlier = steps[mend.step]
                if earlier.launch is not None and earlier.time_ns and later.time_ns:
                    of_ncu = rules[earlier.launch.report, earlier.launch.index]
                    out.append(_pair(one.exercise.name, earlier, later, mend.finding, mend.but, of_ncu))
    return out


def _pair(name: str, earlier: StepJudged, later: StepJudged, finding: str, but: str, of_ncu: Any) -> Pair:
    found = [f for f in earlier.launch.findings if f.kind == "diagnosis"] if earlier.launch is not None else []
    place = next((i for i, f in enumerate(found, 1) if f.id == finding), 0)
    told = found[place - 1].speedup if place else None
    best = max((r for r in of_ncu or () if r.speedup), key=lambda r: r.speedup, default=None)
    return Pair(
        exercise=name,
        half=half_of(name),
        step=earlier.step.id,
        finding=finding,
        by=later.step.id,
        but=but,
        place=place,
        measured=earlier.time_ns / later.time_ns,
        predicted=told.estimate if told is not None else 1.0,
        low=told.low if told is not None else None,
        high=told.high if told is not None else None,
        ncu=best.speedup if best is not None else 1.0,
        rule=best.id if best is not None else "",
    )


def figures(chosen: Sequence[Pair], who: Callable[[Pair], float], ranges: bool = False) -> Figures:
    """The figures of one foreteller over some pairs, at least one."""
    ratios = [who(p) / p.measured for p in chosen]
    factors = [factor(who(p), p.measured) for p in chosen]
    return Figures(
        pairs=len(chosen),
        told=sum(who(p) > 1 for p in chosen),
        median=float(np.median(factors)),
        tenth=float(np.percentile(factors, 90)),
        twofold=sum(f <= 2 for f in factors) / len(factors),
        bias=math.exp(float(np.mean(np.log(ratios)))),
        inside=sum(p.inside for p in chosen) / len(chosen) if ranges else None,
        width=float(np.median([p.high / p.low for p in chosen if p.low and p.high] or [1.0])) if ranges else None,
    )


def accounted(analysis: Analysis, judged: Iterable[Judged]) -> dict[str, list[float]]:
    """Predicted over measured time of the unmodified launches that are judged, by half."""
    from advisor.reasoning.time_model import model as speedup_model

    columns = analysis._reasoned.observed.columns
    model = speedup_model.build(columns, len(analysis.diagnosis.launches))
    usable = model.now.latency_known & (columns["duration_ns"] >= SHORTEST_NS)
    at = {(x.report, x.index): row for row, x in enumerate(analysis.diagnosis.launches)}
    out: dict[str, list[float]] = {half: [] for half in HALVES}
    for one in judged:
        for step in one.steps:
            row = at[step.launch.report, step.launch.index] if step.launch is not None else None
            if row is not None and usable[row]:
                out[half_of(one.exercise.name)].append(float(model.relative[row]))
    return out


def unmodified(ratios: Sequence[float]) -> Unmodified:
    """The figures of some ratios of predicted to measured time, at least one."""
    factors = [factor(r, 1.0) for r in ratios]
    middle, tenth = np.percentile(factors, [50, 90])
    bias = math.exp(float(np.mean(np.log(ratios))))
    return Unmodified(len(factors), float(middle), float(tenth), max(factors), bias)


def ledger(found: Sequence[Pair]) -> dict[str, dict[str, Figures]]:
    """Figures of the advisor and of ncu: over exact fixes of each half and of both, and over all that is declared."""
    exact = [p for p in found if not p.but]
    groups = {half: [p for p in exact if p.half == half] for half in HALVES}
    groups |= {"both halves": exact, "with `but`": list(found)}
    return {
        title: {
            "advisor": figures(chosen, lambda p: p.predicted, ranges=True),
            "ncu": figures(chosen, lambda p: p.ncu),
        }
        for title, chosen in groups.items()
        if chosen
    }


def confusion(judged: Iterable[Judged]) -> dict[str, Counter[str]]:
    """How often which first finding was found where one was expected, over all profiled steps."""
    table: dict[str, Counter[str]] = {}
    for one in judged:
        for step in one.steps:
            if step.launch is not None:
                table.setdefault(step.step.expect, Counter())[step.first or NOTHING] += 1
    return dict(sorted(table.items()))


def _print_pairs(found: Sequence[Pair]) -> None:
    heads = f"{'measured':>8} {'told':>7} {'low':>7} {'high':>7} {'error':>6}   {'ncu':>6} {'error':>6}  ncu's rule"
    for half in HALVES:
        print(f"{half + ' half':64} {heads}")
        for p in (p for p in found if p.half == half):
            what = f"{p.exercise}: {p.step} > {p.by}{' *' if p.but else ''}"
            rule = (p.rule or "-") + ("" if p.place == 1 else "  (the finding is not the first)")
            low, high = (f"{v:7.2f}" if v is not None else f"{'-':>7}" for v in (p.low, p.high))
            ours, theirs = factor(p.predicted, p.measured), factor(p.ncu, p.measured)
            row = f"{p.measured:8.2f} {p.predicted:7.2f} {low} {high} {ours:6.2f} {' ' if p.inside else '!'}"
            print(f"{what:64} {row} {p.ncu:6.2f} {theirs:6.2f}  {rule}")
        print()
    print("! measured outside the range; * does more or less than the fix, counted apart:")
    for p in (p for p in found if p.but):
        print(f"  {p.exercise}: {p.by} mends {p.finding} of {p.step}, but: {p.but}")


def _print_figures(groups: dict[str, dict[str, Figures]]) -> None:
    heads = f"{'pairs':>6} {'told':>5} {'median':>7} {'90th':>7} {'in 2x':>6} {'bias':>6} {'in range':>9} {'width':>6}"
    print(f"\n{'':24} {heads}")
    for title, of in groups.items():
        for who, f in of.items():
            inside = f"{f.inside:9.0%} {f.width:6.2f}" if f.inside is not None else f"{'-':>9} {'-':>6}"
            row = f"{f.pairs:6} {f.told:5} {f.median:7.2f} {f.tenth:7.2f} {f.twofold:6.0%} {f.bias:6.2f} {inside}"
            print(f"{title + ', ' + who:24} {row}")


def _print_unmodified(of: dict[str, Unmodified]) -> None:
    print(f"\n{'unmodified':24} {'launches':>6} {'':>3} {'median':>7} {'90th':>7} {'worst':>6} {'bias':>6}")
    for half, f in of.items():
        row = f"{f.launches:6} {'':>5} {f.median:7.2f} {f.tenth:7.2f} {f.worst:6.2f} {f.bias:6.2f}"
        print(f"{half + ', model':24} {row}")


def _print_confusion(table: dict[str, Counter[str]]) -> None:
    right = sum(found[expected] for expected, found in table.items())
    print(f"\nfirst finding: {right} of {sum(found.total() for found in table.values())} steps as expected")
    for expected, found in table.items():
        others = ", ".join(f"{name} {count}" for name, count in found.most_common() if name != expected)
        print(f"  {expected:28} {found[expected]:3} of {found.total():3}{'   found: ' + others if others else ''}")


def main() -> None:
    """Print the ledger."""
    analysis, judged = analysed()
    found, table = pairs(analysis, judged), confusion(judged)
    groups = ledger(found)
    as_is = {half: unmodified(ratios) for half, ratios in accounted(analysis, judged).items() if ratios}
    if "--json" in sys.argv[1:]:
        figures_of = {title: {who: asdict(f) for who, f in of.items()} for title, of in groups.items()}
        shown = {"pairs": [asdict(p) for p in found], "figures": figures_of, "confusion": table}
        print(json.dumps(shown | {"unmodified": {half: asdict(f) for half, f in as_is.items()}}, indent=1))
        return
    _print_pairs(found)
    _print_figures(groups)
    _print_unmodified(as_is)
    _print_confusion(table)


if __name__ == "__main__":
    main()
