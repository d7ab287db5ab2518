"""Find patterns, decisions and commands from traces, or from numbers that a person read off a screen.

Observations and the engine are the same as for launches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from advisor.knowledge.base import Catalog, TimelineCatalog, catalog, timelines
from advisor.knowledge.expressions import UNKNOWN, parse
from advisor.knowledge.schemas import FixDef
from advisor.knowledge.texts import fill
from advisor.reasoning.assemble import fix_advices
from advisor.reasoning.engine.reason import Engine
from advisor.reasoning.engine.trace import Trace as Conclusions
from advisor.reasoning.engine.trace import finding_confidence
from advisor.reasoning.fixes import chosen_fix
from advisor.reasoning.observations import Observed, observe
from advisor.records.diagnosis import Comparison, Speedup
from advisor.records.errors import UsageError
from advisor.timeline.facts import LOSSES, METRICS, SUMMED, GpuFacts, facts, lanes
from advisor.timeline.intervals import shared
from advisor.timeline.kernels import target
from advisor.timeline.moments import moments
from advisor.timeline.ncu_command import ncu_command
from advisor.timeline.read import read_traces
from advisor.timeline.results import (
    Decision,
    GpuTimeline,
    KernelRank,
    NcuCommand,
    Pattern,
    TimelineResult,
    Together,
    TraceInfo,
    Unseen,
)
from advisor.timeline.trace import Gpu, Trace, words

_APART = 5.0  # % of the window; a smaller imbalance is ignored
_WORTH = 1.05  # The guide ignores gains under 5 %.
_ALIKE = 1.1  # Gains within 10 % count as equal, as in the ranking of launches.
_MOSTLY = 0.5
_MATTERS = 0.05  # of the window
_SEVERAL = 3  # minimum number of kernels for a loop
FORM = "typed"
SYSTEM_FIRST = "fix_system_first"
# Idle time with a cause: if all of these are known, the rest is unexplained.
_IDLE = ("sync_gap_pct", "input_wait_pct", "output_wait_pct")


def together(gpus: Sequence[GpuTimeline]) -> Together:
    """Combine the GPUs. kernels: (base name, launches, total ns, % of all kernel time), sorted by total time."""
    sums: dict[str, list[float]] = {}
    for gpu in gpus:
        for kernel in gpu.kernels:
            both = sums.setdefault(kernel.short, [0, 0.0])
            both[0] += kernel.launches
            both[1] += kernel.total
    whole = sum(total for _, total in sums.values()) or 1.0
    kernels = sorted(sums.items(), key=lambda item: (-item[1][1], item[0]))
    busy = {at: gpu.values["gpu_busy_pct"] for at, gpu in enumerate(gpus) if "gpu_busy_pct" in gpu.values}
    talk = {at: gpu.values["communication_pct"] for at, gpu in enumerate(gpus) if "communication_pct" in gpu.values}
    if busy and max(busy.values()) - min(busy.values()) <= _APART:
        busy = {}
    late, notes = None, []
    if len(talk) > 1 and max(talk.values()) - min(talk.values()) > _APART and min(talk.values()) > 0:
        late = min(talk, key=lambda at: (talk[at], at))
        named = f"trace {gpus[late].trace} GPU {gpus[late].gpu}"
        least, most = f"{talk[late]:.0f}", f"{max(talk.values()):.0f}"
        notes.append(fill(words().texts["straggler"], {"gpu": named, "least": least, "most": most}))
    return Together(
        tuple((name, int(count), total, 100 * total / whole) for name, (count, total) in kernels),
        max(busy, key=lambda at: (busy[at], -at)) if busy else None,
        min(busy, key=lambda at: (busy[at], at)) if busy else None,
        late,
        tuple(notes),
    )


@lru_cache(maxsize=4)
def engine_of(knowledge: TimelineCatalog) -> Engine:
    """Return the cached engine of a knowledge base."""
    return Engine(knowledge)


def analyse(
    paths: Iterable[Path], *, knowledge: tuple[Path, ...] = (), progress: Callable[[str], None] | None = None
) -> TimelineResult:
    """Read and analyse traces. Raises InputError with one line if none can be read. knowledge: a team's folders."""
    traces, failed = read_traces(paths, progress)
    if progress is not None:
        progress("reasoning")
    return conclude(traces, failed, catalog(knowledge))


def conclude(
    traces: Sequence[Trace], failed: tuple[tuple[str, str], ...] = (), base: Catalog | None = None
) -> TimelineResult:
    """Find patterns, decisions and commands from traces that were already read."""
    rows = [(number, found) for number, trace in enumerate(traces) for found in facts(trace)]
    return conclude_facts(traces, rows, failed, base)


def conclude_facts(
    traces: Sequence[Trace],
    rows: Sequence[tuple[int, GpuFacts]],
    failed: tuple[tuple[str, str], ...] = (),
    base: Catalog | None = None,
) -> TimelineResult:
    """Draw conclusions from known numbers: (number of the trace, facts of one of its GPUs)."""
    knowledge = timelines(base if base is not None else catalog())
    engine = engine_of(knowledge)
    columns = sorted({name for _, found in rows for name in found.values})
    import pandas as pd  # loads slowly; lessons import this module, and most of them have no trace

    frame = pd.DataFrame({n: [found.values.get(n, math.nan) for _, found in rows] for n in columns}, dtype=float)
    frame = frame.reindex(range(len(rows)))
    labels = {"kernel": [_kernel_label(found.ranks) for _, found in rows]}
    observed = observe(frame, knowledge, only=engine.observations, labels=labels)
    concluded = engine.conclude_many(observed)
    gpus = tuple(
        _gpu(knowledge, observed, row, concluded[row], traces[number], number, found)
        for row, (number, found) in enumerate(rows)
    )
    return TimelineResult(
        traces=tuple(
            TraceInfo(t.path, t.sha256, t.form, t.tool, t.schema, t.complete, t.problems, t.run) for t in traces
        ),
        gpus=gpus,
        failed=failed,
        together=together(gpus) if len(gpus) > 1 else None,
        parts={name: (part.lacks, part.get) for name, part in words().parts.items()},
    )


def _kernel_label(ranks: tuple[KernelRank, ...]) -> str:
    chosen = target(ranks)
    return chosen.short[:80] if chosen is not None else words().texts["typed_kernel"]


def _gpu(
    knowledge: TimelineCatalog,
    observed: Observed,
    row: int,
    found: Conclusions,
    trace: Trace,
    number: int,
    numbers: GpuFacts,
) -> GpuTimeline:
    texts: dict[str, float | str] = {**observed.values(row), "kernel": observed.labels["kernel"][row]}
    patterns = [_pattern(knowledge, observed, row, found, name, texts, trace, numbers) for name in found.findings]
    chosen = target(numbers.ranks)
    command = ncu_command(trace, numbers.work, chosen) if chosen is not None else None
    return GpuTimeline(
        trace=number,
        gpu=numbers.gpu.id,
        name=numbers.gpu.name,
        window=numbers.window,
        values=dict(sorted(numbers.values.items())),
        patterns=tuple(_ranked(knowledge, patterns, observed.values(row))),
        unseen=_unseen(knowledge, observed, row, found, numbers.lacking),
        kernels=numbers.ranks,
        decision=_decision(knowledge, observed, row, found, texts, chosen, _loop(numbers)),
        target=chosen,
        command=command,
        lanes=lanes(numbers),
        notes=_notes(numbers, command),
    )


def _ranked(knowledge: Catalog, patterns: Sequence[Pattern], values: Mapping[str, float]) -> list[Pattern]:
    """Sort by estimated gain; the patterns of the kernel itself follow those of the system; notes are last.

    Summary tables give no gain: their patterns are sorted by their shares of the summed time. If gains are equal within
    the error of the estimates, the earliest step is first: a named cause before idle time without one. A pattern
    follows those that its fix needs (`after`): pinned memory is before the overlap.
    """

    def gain(pattern: Pattern) -> float:
        return pattern.finding.speedup.estimate if pattern.finding.speedup is not None else 1.0

    def group(pattern: Pattern) -> int:
        about_kernel = "target" in knowledge.findings[pattern.finding.id].moments.work
        return 2 if pattern.finding.kind == "note" else 1 if about_kernel else 0

    def share(pattern: Pattern) -> float:
        return values.get(knowledge.findings[pattern.finding.id].avoidable, 0.0)

    if any(name in values for name in SUMMED) and all(p.finding.speedup is None for p in patterns):
        return sorted(patterns, key=lambda p: (p.finding.kind == "note", -share(p), p.finding.id))
    out: list[Pattern] = []
    left = sorted(patterns, key=lambda p: (group(p), -gain(p), p.finding.id))
    while left:
        close = [p for p in left if group(p) == group(left[0]) and gain(p) * _ALIKE >= gain(left[0])]
        best = min(close, key=lambda p: (knowledge.findings[p.finding.id].step, left.index(p)))
        needed = knowledge.findings[best.finding.id].after
        out.append(next((p for p in left if p.finding.id in needed and p.finding.kind != "note"), best))
        left.remove(out[-1])
    return out


def _pattern(
    knowledge: TimelineCatalog,
    observed: Observed,
    row: int,
    found: Conclusions,
    name: str,
    texts: Mapping[str, float | str],
    trace: Trace,
    numbers: GpuFacts,
) -> Pattern:
    entry = knowledge.findings[name]
    order = [rule.id for rule in entry.seen]
    fired = sorted(found.fired_for(name), key=lambda f: order.index(f.rule_id))
    fix = chosen_fix(entry, found)
    speedup = _gain(fix, observed.values(row))
    fixes = fix_advices(knowledge, entry, found, texts)
    return Pattern(
        id=name,
        kind="note" if speedup is not None and speedup.high < _WORTH else entry.kind,
        title=entry.title,
        confidence=round(finding_confidence(observed, row, found, name), 3),
        speedup=speedup,
        evidence=_evidence(knowledge, observed, row, [n for f in fired for n in f.when]),
        because=fill(entry.seen[order.index(fired[0].rule_id)].because, texts),
        rules=tuple(f.rule_id for f in fired),
        locations=(),
        fix=fixes[0] if fixes else None,
        alternatives=fixes[1:],
        cites=entry.cites,
        undecided=tuple(sorted({n for f in fired for n in f.unknown_unless})),
        typical=fix.typical if fix is not None else "",
        moments=moments(trace, numbers, entry.moments),
    )


def _gain(fix: FixDef | None, values: Mapping[str, float]) -> Speedup | None:
    """Return the estimated speedup of the window by a fix: at most all of its terms, at least its smaller degree.

    Terms are shares of the window in percent; factors are the parts that remain. Return None if there are no terms or
    none is known; an unknown term among known ones counts as no gain.
    """
    if fix is None or not any(term in values for term in fix.changes):
        return None

    def after(factors: Mapping[str, str]) -> float:
        left = 100.0
        for term, factor in factors.items():
            left -= values.get(term, 0.0) * (1 - parse(factor).scalar(values))
        return 100.0 / left if left > 0 else math.inf

    most, least = after(fix.changes), after({**fix.changes, **fix.degrees})
    # A window that shrinks to zero is not a credible estimate.
    most, least = min(most, 100.0), min(least, 100.0)
    return Speedup(math.sqrt(most * least), least, most, "", words().texts["gain"])


def _evidence(knowledge: Catalog, observed: Observed, row: int, names: Sequence[str]) -> tuple[Comparison, ...]:
    out: dict[tuple[str, str, str], Comparison] = {}
    for name in names:
        if name in knowledge.observations:
            for item in observed.evidence(row, name):
                out.setdefault((item.observation, item.metric, item.test), item)
    return tuple(out.values())


def _decision(
    knowledge: TimelineCatalog,
    observed: Observed,
    row: int,
    found: Conclusions,
    texts: Mapping[str, float | str],
    chosen: KernelRank | None,
    set_up: Mapping[str, float | str] | None,
) -> Decision:
    entry = knowledge.classes[found.class_id]
    caveat = fill(words().texts["setup_first"], set_up) if set_up and found.class_id == SYSTEM_FIRST else ""
    evidence = _evidence(knowledge, observed, row, entry.when)
    margins = [item.margin for item in evidence if item.margin is not None]
    return Decision(
        id=found.class_id,
        title=entry.title,
        because=fill(entry.because, texts) + caveat,
        margin=min(margins, default=None),
        evidence=evidence,
        next=entry.next,
        kernel=chosen.name if chosen is not None else "",
    )


def _unseen(
    knowledge: TimelineCatalog, observed: Observed, row: int, found: Conclusions, lacking: Mapping[str, str]
) -> tuple[Unseen, ...]:
    """Return the patterns that were neither found nor ruled out, in catalogue order."""
    state, known = observed.state(row), words().parts
    out = []
    for name, entry in knowledge.findings.items():
        if name in found.findings:
            continue
        names = {n for u in found.undecided if u.concludes == name for n in u.unknown if n in knowledge.observations}
        # A rule is undecided if no observation refutes it.
        if not names and any(u.concludes == name for u in found.undecided):
            names = {n for rule in entry.seen for n in rule.when if state.get(n) == UNKNOWN}
        if not names:
            continue
        missing = tuple(
            sorted({m for n in names for m in observed.unknown_metrics(row, n) if m not in SUMMED or m in lacking})
        )
        parts = tuple(dict.fromkeys(lacking.get(m, "work") for m in missing))
        lacks = [known[part] for part in parts if part in known]
        out.append(
            Unseen(name, entry.title, missing, parts, tuple(p.lacks for p in lacks), tuple(p.get for p in lacks))
        )
    return tuple(out)


def _notes(numbers: GpuFacts, command: NcuCommand | None) -> tuple[str, ...]:
    """Return the notes shown with the patterns."""
    out = []
    run, window = numbers.values.get("run_us", math.nan), numbers.values.get("window_us", math.nan)
    if math.isfinite(run) and math.isfinite(window) and window < _MOSTLY * run:
        out.append(fill(words().texts["startup"], {"window": _seconds(window), "run": _seconds(run)}))
    sms = numbers.gpu.sms
    if command is not None and command.grid is not None and sms is not None:
        blocks = math.prod(command.grid)
        if blocks < sms:
            values: dict[str, float | str] = {
                "kernel": command.kernel,
                "blocks": blocks,
                "sms": sms,
                "idle": 100 * (1 - blocks / sms),
            }
            out.append(fill(words().texts["few_blocks"], values))
    loop = _loop(numbers)
    if loop is not None:
        out.append(fill(words().texts["setup_copies"], loop))
    gaps = numbers.gaps
    if gaps is not None and len(gaps.spans) > 1:
        length = gaps.spans.end - gaps.spans.start
        longest = int(length.argmax())
        share = float(length[longest]) / float(length.sum())
        if share > _MOSTLY and length[longest] > _MATTERS * 1000 * window:
            at, time = f"{float(gaps.spans.start[longest]) / 1e9:.6f}", _seconds(float(length[longest]) / 1000)
            out.append(fill(words().texts["one_gap"], {"length": time, "at": at, "share": f"{100 * share:.0f}"}))
    return tuple(out)


def _loop(numbers: GpuFacts) -> dict[str, float | str] | None:
    """Return the shares of copies outside the kernels' time and of kernels in it; None unless 90 % are outside."""
    kernels, copies = numbers.spans.get("kernels"), numbers.spans.get("copies")
    if kernels is None or copies is None or len(kernels) < _SEVERAL or not copies.length or numbers.window is None:
        return None
    start, end = int(kernels.start[0]), int(kernels.end[-1])
    within = int(shared(copies, np.array([start]), np.array([end]))[0])
    inside = 100 * kernels.length / (end - start)
    outside = 100 * (copies.length - within) / copies.length
    whole = numbers.window[1] - numbers.window[0]
    matters = copies.length > 2 * _MATTERS * whole and inside > numbers.values["computing_pct"] + 10
    return {"outside": outside, "inside": inside} if outside >= 90 and matters else None


def _seconds(us: float) -> str:
    return f"{us / 1e6:.3g} s" if us >= 1e6 else f"{us / 1e3:.3g} ms" if us >= 1e3 else f"{us:.3g} us"


def conclude_numbers(values: Mapping[str, float], base: Catalog | None = None) -> TimelineResult:
    """Find patterns and a decision from shares and counts (ids of metrics_timeline.yaml); missing ones stay unknown.

    Raises UsageError for a name that is not among them, or a share outside 0 to 100.
    """
    for name, value in values.items():
        if name not in METRICS:
            raise UsageError(f"{name!r} is not a number of a timeline")
        if not math.isfinite(value) or value < 0 or (name.endswith("_pct") and value > 100):
            raise UsageError(f"{name}: {value:g} is not possible: a share is 0 to 100 %, a count is not negative")
    known = _derived(values)
    lacking = dict.fromkeys((name for name in METRICS if name not in known), "person")
    trace = Trace(path=words().texts["typed"], sha256="", form=FORM)
    return conclude_facts((trace,), ((0, GpuFacts(Gpu(-1), known, lacking)),), base=base)


def _derived(values: Mapping[str, float]) -> dict[str, float]:
    """Add derived values: idle from busy, the largest loss, time that overlap could hide, unexplained idle time."""
    out = dict(values)
    busy = out.get("gpu_busy_pct")
    if busy is not None:
        out.setdefault("gpu_idle_pct", 100 - busy)
    losses = [out[name] for name in LOSSES if name in out]
    if losses:
        out.setdefault("system_loss_pct", max(losses))
    if all(name in out for name in ("copy_exposed_pct", "host_copy_pct", "computing_pct")):
        # The directions of the copies are unknown: an upper bound takes equally many in each.
        covered = min(100.0, out["computing_pct"] + out["copy_exposed_pct"])
        longest = max(out["computing_pct"], out["host_copy_pct"] / 2)
        out.setdefault("copy_overlappable_pct", max(0.0, covered - longest))
    if "gpu_idle_pct" in out and all(name in out for name in _IDLE):
        out.setdefault("idle_unexplained_pct", max(0.0, out["gpu_idle_pct"] - sum(out[name] for name in _IDLE)))
    return out
