"""The words of traces in a session: what they show, what is asked where there is none.

What a trace tells, as lines of cards: busy and idle, patterns with what their fixes give, kernel, decision.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from advisor.session.records import Card, Line
from advisor.session.state import State
from advisor.timeline.results import GpuTimeline, Moment, Pattern, TimelineResult
from advisor.view.numbers import amount_text
from advisor.view.text import sentence

GAIN: Final = "at most {most:.2f} times"
TYPICAL: Final = "typically {typical}"
NONE_SEEN: Final = "Nothing was found, but {count} patterns could not be looked at."
NO_PATTERN: Final = "No pattern that costs time was found in what could be looked at."
BOUND_UNKNOWN: Final = "how much the program gains from it is not known"
# Asked where there is no trace: metric, question, and what must hold for it to be worth asking (a metric at least so
# large, of those given before). What decides comes first; a loss of its own is followed by how often it occurs.
_IDLE: Final = (("gpu_idle_pct", 5.0),)
_LOST: Final = (("not_computing_pct", 5.0),)
ASKED: Final[tuple[tuple[str, str, tuple[tuple[str, float], ...]], ...]] = (
    ("gpu_busy_pct", "For how much of the time is anything running on the GPU?", ()),
    ("computing_pct", "For how much of the time are kernels running that compute?", ()),
    ("top_kernel_pct", "What share of the GPU's busy time does the largest kernel take?", ()),
    ("input_wait_pct", "How much of the time does the GPU wait for the next data?", _IDLE),
    ("input_wait_count", "How many such waits are there?", (("input_wait_pct", 10.0),)),
    ("sync_gap_pct", "How much of the time is it idle because the host waits after each kernel?", _IDLE),
    ("sync_gap_count", "How many such gaps are there?", (("sync_gap_pct", 5.0),)),
    ("output_wait_pct", "How much of the time does it wait while results are dealt with?", _IDLE),
    ("output_wait_count", "How many such waits are there?", (("output_wait_pct", 10.0),)),
    ("copy_exposed_pct", "For how much of the time do copies run with no kernel beside them?", _LOST),
    ("host_copy_pct", "For how much of the time do copies run at all?", (("copy_exposed_pct", 10.0),)),
    (
        "communication_exposed_pct",
        "For how much of the time do GPUs exchange data with no other kernel running?",
        _LOST,
    ),
    ("migration_pct", "For how much of the time is managed memory migrated?", _LOST),
    ("tiny_span_pct", "How much of the time passes in kernels under 10 us and the gaps between them?", ()),
    ("tiny_kernel_count", "How many such kernels are there?", (("tiny_span_pct", 10.0),)),
)
ASKED_WHY: Final = {
    "gpu_busy_pct": "An idle GPU gains nothing from a faster kernel. nsys shows it in the GPU row; leave start-up out.",
    "computing_pct": "Copies and exchange keep a GPU busy without computing.",
    "top_kernel_pct": "Under 30 % no kernel is worth a profile of its own.",
    "sync_gap_count": "A single gap is no pattern.",
    "input_wait_count": "A single wait is no pattern.",
    "output_wait_count": "A single wait is no pattern.",
    "host_copy_pct": "What already runs beside kernels is hidden; only the rest could be.",
    "tiny_kernel_count": "A few are no pattern.",
}
_MOST = 5


def of(state: State) -> tuple[TimelineResult, GpuTimeline] | None:
    """The traces that are open and the GPU that is told of: the busiest, else the first; None without any."""
    result = state.timeline
    if not isinstance(result, TimelineResult) or not result.gpus:
        return None
    busiest = result.together.busiest if result.together is not None else None
    return result, result.gpus[busiest or 0]


def told(state: State) -> bool:
    """Whether what is open was typed and not read from a trace."""
    found = of(state)
    return found is not None and found[0].traces[found[1].trace].form == "typed"


def _percent(gpu: GpuTimeline, metric: str) -> str:
    return amount_text(gpu.values.get(metric), "%")


def busy_lines(result: TimelineResult, gpu: GpuTimeline) -> list[Line]:
    """How busy the GPU is, of which trace, and what was wrong with reading it."""
    name = gpu.name or (str(gpu.gpu) if gpu.gpu >= 0 else "")
    busy, computing = _percent(gpu, "gpu_busy_pct"), _percent(gpu, "computing_pct")
    told_text = f"GPU {name}: busy {busy}, computing {computing}".replace("GPU :", "GPU:")
    lines = [Line(told_text, "fact", "Busy")]
    if len(result.gpus) > 1:
        lines.append(Line(f"{len(result.gpus)} GPUs; told is of {name or gpu.gpu}", "quiet"))
    problems = [problem for trace in result.traces for problem in trace.problems]
    problems += [f"{Path(path).name}: {why}" for path, why in result.failed]
    lines += [Line(problem, "warning", "Careful") for problem in problems[:_MOST]]
    return [*lines, *(Line(note, "quiet") for note in gpu.notes)]


def trace_lines(result: TimelineResult) -> list[Line]:
    """The traces that were read."""
    return [
        Line(
            f"{Path(t.path).name}: {t.form}, the run lasts {amount_text(t.run, 'ns')}",
            "fact",
            "Trace",
        )
        for t in result.traces
    ]


def pattern_lines(gpu: GpuTimeline) -> list[Line]:
    """What was found, what gives most first; then what could not be looked at."""
    found = [pattern for pattern in gpu.patterns if pattern.finding.kind != "note"]
    lines = []
    for pattern in found[:_MOST]:
        finding = pattern.finding
        gain = "its gain is not known" if finding.speedup is None else GAIN.format(most=finding.speedup.high)
        kernel = finding.id == "dominant_kernel"
        title = finding.title if kernel else f"{finding.title}, {gain}"
        lines += [Line(title, "strong", "Found"), Line(sentence(finding.because), depth=1)]
    if not found:
        told_so = NO_PATTERN if not gpu.unseen else NONE_SEEN.format(count=len(gpu.unseen))
        lines.append(Line(told_so, "unknown" if gpu.unseen else "quiet"))
    return lines + [Line(sentence(p.finding.because), "quiet") for p in gpu.patterns if p.finding.kind == "note"]


def unseen_line(gpu: GpuTimeline) -> list[Line]:
    """The patterns that could not be looked at, in a line."""
    titles = ", ".join(one.title for one in gpu.unseen)
    return [Line(f"could not be looked at: {titles}", "unknown", "Not known")] if gpu.unseen else []


def unseen_lines(gpu: GpuTimeline) -> list[Line]:
    """The patterns that could not be looked at, and for want of which numbers."""
    return [
        Line(f"{one.title}: could not be looked at ({', '.join(one.wanting[:4])})", "unknown", "Not known")
        for one in gpu.unseen
    ]


def fix_lines(gpu: GpuTimeline) -> list[Line]:
    """The fixes of the patterns, with what each typically gives."""
    lines = []
    for pattern in gpu.patterns:
        fix = pattern.finding.fix
        if fix is None or pattern.finding.kind == "note":
            continue
        lines.append(Line(fix.summary, "strong", pattern.finding.title))
        lines += [Line(TYPICAL.format(typical=pattern.typical), "quiet", depth=1)] if pattern.typical else []
    none = NONE_SEEN.format(count=len(gpu.unseen)) if gpu.unseen else NO_PATTERN
    return lines or [Line(none, "unknown" if gpu.unseen else "quiet")]


def kernel_lines(gpu: GpuTimeline) -> list[Line]:
    """The kernels with the most time and what Amdahl's law allows each."""
    if not gpu.kernels:
        share = gpu.values.get("top_kernel_pct")
        if share is None:
            return [Line("Which kernels ran is not known.", "unknown")]
        return [Line(amount_text(share, "%"), "fact", "Kernel"), Line(BOUND_UNKNOWN, "unknown")]
    lines = []
    shorts = [rank.short for rank in gpu.kernels[:3]]
    for rank in gpu.kernels[:3]:
        # Kernels of one base name are told apart by the whole one.
        name = rank.short if shorts.count(rank.short) == 1 else rank.name
        told_kernel = f"{name}: {rank.share:.1f} % of the kernels' time, {rank.launches:,} launches"
        lines.append(Line(told_kernel, "fact", "Kernel"))
        bound = rank.run_bound if rank.run_bound is not None else rank.bound
        told_bound = (
            BOUND_UNKNOWN
            if bound is None
            else f"without it the program could be {_times(bound)} times as fast at the very most"
        )
        lines.append(Line(told_bound, "quiet" if bound is not None else "unknown", depth=1))
    return lines


def _times(bound: float) -> str:
    return f"{bound:.2f}" if bound < 100 else "over 100"


def decision_lines(gpu: GpuTimeline) -> list[Line]:
    """What to do next, why, and the command where a kernel is to be profiled."""
    decision = gpu.decision
    lines = [Line(decision.title, "strong", "Next"), Line(sentence(decision.because), depth=1)]
    lines += [Line(step, "step") for step in gpu.next]
    if gpu.command is not None and decision.id == "drill_down":
        lines.append(Line(gpu.command.command, "fact", "Profile it"))
    if decision.id == "fix_system_first":
        lines.append(
            Line(
                ("A profile of one kernel would gain little now: fix this first, capture again, and decide again."),
                "strong",
            )
        )
    return lines


def range_lines(gpu: GpuTimeline) -> list[Line]:
    """The named ranges of the moments shown."""
    names = list(dict.fromkeys(m.range for pattern in gpu.patterns for m in pattern.moments if m.range))
    if not names:
        return [Line("none of the moments shown lies in a named range", "unknown")]
    return [Line(f"the ranges of the moments shown: {', '.join(names[:_MOST])}", "fact")]


def timeline_card(state: State) -> Card | None:
    """The summary of what is open: busy, patterns, the dominant kernel, the decision."""
    found = of(state)
    if found is None:
        return None
    result, gpu = found
    lines = [*busy_lines(result, gpu), *pattern_lines(gpu), *unseen_line(gpu)]
    lines += [*kernel_lines(gpu), *decision_lines(gpu)]
    aside = "as you told" if told(state) else ", ".join(Path(trace.path).name for trace in result.traces[:2])
    return Card("timeline", gpu.decision.title, tuple(lines), state.position, label="Timeline", aside=aside)


def next_pattern(state: State) -> Pattern | None:
    """The pattern to look at next: the first, in their order, that had no card of its own."""
    found = of(state)
    shown = {card.finding for card in state.cards if card.kind == "fix"}
    patterns = () if found is None else found[1].patterns
    return next((p for p in patterns if p.finding.id not in shown and p.finding.kind != "note"), None)


def pattern_card(state: State, name: str) -> Card | None:
    """A pattern with the moments that show it, and its fix step by step; None where it was not found."""
    found = of(state)
    patterns = () if found is None else found[1].patterns
    pattern = next((p for p in patterns if p.finding.id == name), None)
    if pattern is None:
        return None
    finding, fix = pattern.finding, pattern.finding.fix
    lines = [Line(sentence(finding.because))]
    lines += [Line(_moment(moment), "fact", "Shows at") for moment in pattern.moments]
    if finding.speedup is not None:
        lines.append(Line(GAIN.format(most=finding.speedup.high), "strong", "Gives"))
    if fix is not None:
        lines += [Line(fix.summary, "strong", "Fix"), *(Line(step, "step") for step in fix.steps)]
        lines += [Line(TYPICAL.format(typical=pattern.typical), "quiet")] if pattern.typical else []
        lines += [Line(sentence(fix.costs), "fact", "Price")] if fix.costs else []
    return Card("fix", finding.title, tuple(lines), state.position, finding.id, "Timeline")


def _moment(moment: Moment) -> str:
    """When and how long, what ran or stood at both sides, and where the host was."""
    at, length = amount_text(moment.start, "ns"), amount_text(moment.duration, "ns")
    what = f"nothing between {moment.before} and {moment.after}" if moment.kind == "gap" else moment.what
    parts = [f"{at}, for {length}", what]
    parts += [f"host in {moment.call}"] if moment.call else []
    parts += [f"range {moment.range}"] if moment.range else []
    return ", ".join(part for part in parts if part)
