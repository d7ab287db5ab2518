"""Check whether two kernels ran under comparable conditions."""

from __future__ import annotations

import math

from advisor.compare.changes import finite, ratio, say, settings, sources
from advisor.compare.records import Condition, Runs
from advisor.knowledge.texts import within_sentence
from advisor.reasoning.inputs import FORM
from advisor.reasoning.time_model.noise import Judged, verdict
from advisor.records.diagnosis import LaunchDiagnosis
from advisor.records.emulated import FORMAT
from advisor.records.quantities import amount_text, change_text, factor_text, speedup_text
from advisor.records.readings import ReportInfo

# Trust findings of one side that make a comparison doubtful; `diagnose` reports the others.
_DOUBTFUL = ("debug_build", "counter_implausible", "metric_nan", "report_incomplete", "timer_instrumented")
# The same results and arithmetic differ by no more than this share, by predicated-off lanes at the edges.
_SAME_WORK = 0.02
# What tells how much a launch does, and the rates that compare launches which do not do the same: work over time.
_COUNTS = {
    "threads": "threads",
    "inst_executed": "instructions",
    "flop": "floating-point operations",
    "requested_bytes": "requested bytes",
    "store_sectors_ideal": "bytes stored",
}
_RATES = {
    "flop": ("arithmetic", "FLOP/s"),
    "requested_bytes": ("requested bytes", "byte/s"),
    "inst_executed": ("warp instructions per ns", ""),
}
# Above this ratio of the largest to the smallest time, the runs of one kernel probably did different work.
_UNLIKE = 1.5


def condition(key: str, id_: str, **values: float | str) -> Condition:
    """Return a condition with its text and sources from the knowledge base."""
    return Condition(id_, say(key, **values), sources(key))


def gpu_of(launch: LaunchDiagnosis) -> str:
    """Return the GPU: its id in the GPU table, else its name in the report; empty if unknown."""
    return launch.known_as or launch.gpu_name


def other_gpu(base: Runs, current: Runs) -> Condition | None:
    """Return the condition that the two sides ran on different GPUs, if both are known."""
    old, new = base.launch, current.launch
    differ = gpu_of(old) and gpu_of(new) and gpu_of(old) != gpu_of(new)
    if not differ and not (old.cc and new.cc and old.cc != new.cc):
        return None
    names = [f"{x.gpu_name or x.known_as}{f' (CC {x.cc})' if x.cc else ''}" for x in (old, new)]
    return condition("gpu", "gpu", base=names[0], current=names[1])


def of_reports(base: ReportInfo, current: ReportInfo) -> tuple[Condition, ...]:
    """Return the differences of the two report files."""
    if (base.format == FORMAT) != (current.format == FORMAT):
        return (condition("emulated", "emulated", side="the base" if base.format == FORMAT else "the current one"),)
    # Text and CSV reports lack the version.
    if base.tool != current.tool and all(any(c.isdigit() for c in tool) for tool in (base.tool, current.tool)):
        return (condition("tool", "tool", base=base.tool, current=current.tool),)
    return ()


def part_of_the_same(base: ReportInfo, current: ReportInfo) -> bool:
    """Whether one side is a launch (`REPORT#3`) of the report that is the other side."""
    short, long = sorted((base.path, current.path), key=len)
    return base.sha256 == current.sha256 and long.startswith(f"{short}#")


def is_same(base: ReportInfo, current: ReportInfo) -> bool:
    """Whether both sides are the same file, or the same launch of it."""
    named = [report.path.rpartition("#")[2] if "#" in report.path else "" for report in (base, current)]
    return base.sha256 == current.sha256 and named[0] == named[1]


def of_pair(base: Runs, current: Runs, judged: Judged | None) -> tuple[tuple[Condition, ...], Judged | None]:
    """Return the conditions of a pair, and the verdict on SM cycles if the clocks differ."""
    out: list[Condition] = []
    if found := other_gpu(base, current):
        out.append(found)
    # Typed-in workloads of which neither names its GPU count as of one GPU.
    alike = all(r.launch.scope == FORM and not gpu_of(r.launch) for r in (base, current))
    for side, runs in (("base", base), ("current", current)):
        if not gpu_of(runs.launch) and not runs.launch.cc and not alike:
            out.append(condition("gpu_unknown", "gpu", side=side))
    out += _part(base.launch, current.launch)
    clocks, by_cycles = _clocks(base, current, judged)
    out += clocks
    out += _controls(base.launch, current.launch)
    if not found:
        out += _size(base, current)
    out += _counters(base.launch, current.launch)
    for side, runs in (("base", base), ("current", current)):
        out += _of_side(side, runs)
    return tuple(out), by_cycles


def other_kernel(base: Runs, current: Runs) -> tuple[Condition, ...]:
    """Return a doubt if kernels of different names were matched because each side has only one.

    Times measured outside the profiler cover the whole work on both sides, so they raise no doubt.
    """
    if base.launch.kernel == current.launch.kernel or base.measured or current.measured:
        return ()
    return (condition("kernel", "kernel", base=base.launch.kernel[:60], current=current.launch.kernel[:60]),)


def _ratio(base: LaunchDiagnosis, current: LaunchDiagnosis, name: str) -> float | None:
    old, new = finite(base.metrics, name), finite(current.metrics, name)
    return ratio(old, new) if old is not None and new is not None else None


def _part(base: LaunchDiagnosis, current: LaunchDiagnosis) -> list[Condition]:
    old, new = (finite(x.metrics, "device_sm_count") for x in (base, current))
    if old is None or new is None or old == new or (base.cc and base.cc != current.cc):
        return []
    return [condition("part", "part", base=f"{old:.0f}", current=f"{new:.0f}")]


def _clocks(base: Runs, current: Runs, judged: Judged | None) -> tuple[list[Condition], Judged | None]:
    limit = settings().clocks
    long_enough = all((x.launch.duration_ns or 0.0) >= limit.shortest_ns for x in (base, current))
    measured = base.measured or current.measured
    out: list[Condition] = []
    by_cycles = None
    change = _ratio(base.launch, current.launch, "sm_clock_hz")
    if long_enough and change is not None and abs(math.log(change)) > math.log1p(limit.share):
        clocks = {
            "base": amount_text(finite(base.launch.metrics, "sm_clock_hz"), "Hz"),
            "current": amount_text(finite(current.launch.metrics, "sm_clock_hz"), "Hz"),
        }
        if measured:
            out.append(condition("clock_measured", "clock", **clocks))
        elif base.cycles is not None and current.cycles is not None:
            by_cycles = verdict(base.cycles, current.cycles)
            explained = by_cycles.word == "same" and judged is not None and judged.word != "same"
            out.append(
                condition(
                    "clock_all" if explained else "clock",
                    "clock",
                    **clocks,
                    change=change_text(change - 1),
                    cycles_base=amount_text(base.cycles.median, "cycle"),
                    cycles_current=amount_text(current.cycles.median, "cycle"),
                    cycles_speedup=speedup_text(by_cycles.speedup),
                )
            )
    change = _ratio(base.launch, current.launch, "dram_clock_hz")
    if long_enough and not measured and change is not None and abs(math.log(change)) > math.log1p(limit.share):
        old, new = (amount_text(finite(x.launch.metrics, "dram_clock_hz"), "Hz") for x in (base, current))
        out.append(condition("dram_clock", "clock", base=old, current=new, change=change_text(change - 1)))
    return out, by_cycles


def _controls(base: LaunchDiagnosis, current: LaunchDiagnosis) -> list[Condition]:
    out = []
    for what in ("cache", "clock"):
        old, new = (finite(x.metrics, f"{what}_control") for x in (base, current))
        if old is not None and new is not None and old != new:
            words = {True: "on", False: "off"}
            out.append(condition("control", "control", what=what, base=words[old > 0], current=words[new > 0]))
    return out


def _size(base: Runs, current: Runs) -> list[Condition]:
    """Compare the counts that grow with the problem's size, because no report contains the size itself."""
    limit = settings().size.factor
    threads, inst, stored = (
        _ratio(base.launch, current.launch, m) for m in ("threads", "inst_executed", "store_sectors_ideal")
    )
    moved = _ratio(base.launch, current.launch, "requested_bytes") or _ratio(base.launch, current.launch, "dram_bytes")

    def large(*ratios: float | None) -> bool:
        known = [r for r in ratios if r is not None]
        return len(known) == len(ratios) and (all(r >= limit for r in known) or all(r <= 1 / limit for r in known))

    # Neither the results nor the arithmetic depend on how the work is divided among threads.
    if same_work(base, current):
        return []
    flop = _ratio(base.launch, current.launch, "flop")
    if large(threads, moved, inst):
        shares = {
            "threads": speedup_text(threads or 0),
            "bytes": speedup_text(moved or 0),
            "inst": speedup_text(inst or 0),
        }
        return [condition("size_all", "size", **shares)]
    if large(stored, inst):
        return [condition("size_written", "size", stored=factor_text(stored or 0), inst=factor_text(inst or 0))]
    # More threads with more instructions, or more arithmetic, is usually more work; less of them is what a fix does.
    if not same_results(base, current) and all(r is not None and r >= limit for r in (threads, inst)):
        return [condition("size_launch", "size", threads=factor_text(threads or 0), inst=factor_text(inst or 0))]
    if all(r is not None and r >= limit for r in (flop, inst)):
        return [condition("size_flop", "size", flop=factor_text(flop or 0), inst=factor_text(inst or 0))]
    time = current.times.median / base.times.median if base.times is not None and current.times is not None else None
    if inst is None and moved is None and large(threads, time):
        return [condition("size_time", "size", threads=speedup_text(threads or 0), time=speedup_text(time or 0))]
    return []


def _is_same(base: Runs, current: Runs, name: str) -> bool:
    """Return whether both sides are known to have the same count; two zeros have no ratio."""
    found = _ratio(base.launch, current.launch, name)
    if found is None:
        return finite(base.launch.metrics, name) == finite(current.launch.metrics, name) == 0
    return _is_one(found)


def _is_one(ratio: float) -> bool:
    return abs(math.log(ratio)) <= math.log1p(_SAME_WORK)


def same_results(base: Runs, current: Runs) -> bool:
    """Return whether both sides are known to store the same number of bytes."""
    return _is_same(base, current, "store_sectors_ideal")


def same_work(base: Runs, current: Runs) -> bool:
    """Return whether both sides are known to store as many bytes with as many floating-point operations."""
    return same_results(base, current) and _is_same(base, current, "flop")


def other_work(base: Runs, current: Runs) -> tuple[Condition, ...]:
    """Return what differs in the work of two kernels, with the rates per unit of work; () if the counts are alike."""
    counts = []
    for name, words in _COUNTS.items():
        found = _ratio(base.launch, current.launch, name)
        if found is not None and not _is_one(found):
            counts.append(f"{factor_text(found)}× the {words}")
    if not counts:
        return ()
    rates = []
    if base.times is not None and current.times is not None:
        for name, (words, unit) in _RATES.items():
            work = [finite(runs.launch.metrics, name) for runs in (base, current)]
            found = _ratio(base.launch, current.launch, name)
            if found is None:
                continue
            old, new = (amount / runs.times.median for amount, runs in zip(work, (base, current), strict=True))  # type: ignore[operator, union-attr]
            texts = [amount_text(1e9 * rate, unit) if unit else amount_text(rate, "") for rate in (old, new)]
            rates.append(f"{words} {texts[0]} → {texts[1]} ({speedup_text(new / old)})")
    per = f". Per unit of work: {'; '.join(rates)}" if rates else ""
    return (condition("work", "work", counts=", ".join(counts), rates=per),)


def _counters(base: LaunchDiagnosis, current: LaunchDiagnosis) -> list[Condition]:
    """If one report holds far more metrics than the other, findings change with the counters alone."""
    if base.scope == "workload":
        return []  # typed-in numbers: each finding says what is unknown on a side
    old, new = ({k for k, v in x.metrics.items() if math.isfinite(v)} for x in (base, current))
    more, few = ("current", "base") if len(new) > len(old) else ("base", "current")
    only = len(new - old) if more == "current" else len(old - new)
    if only <= settings().counters.share * min(len(old), len(new)):
        return []
    return [condition("counters", "counters", more=more, few=few, number=f"{only}")]


def _of_side(side: str, runs: Runs) -> list[Condition]:
    out = []
    seen = runs.times
    if seen is not None and not runs.measured and seen.runs > 1 and seen.high > _UNLIKE * seen.low:
        low, high = amount_text(seen.low, "ns"), amount_text(seen.high, "ns")
        out.append(condition("spread", "spread", side=side, runs=f"{seen.runs}", low=low, high=high))
    for finding in runs.launch.findings:
        if finding.kind == "trust" and finding.id in _DOUBTFUL:
            text = f"{within_sentence(finding.title)}, {finding.because}"
            out.append(Condition(finding.id, say("trust", side=side, because=text), finding.cites))
    return out
