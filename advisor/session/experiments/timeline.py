"""Lines and cards that show traces in a session, and the questions asked without a trace."""

from __future__ import annotations

from typing import Final

from advisor.session.records import Card
from advisor.session.state import State
from advisor.timeline.results import GpuTimeline, Pattern, TimelineResult
from advisor.view.blocks import Line
from advisor.view.numbers import counted, percent_text, speedup_text, time_text
from advisor.view.pages.pattern import pattern_section
from advisor.view.text import file_name, sentence

NO_PATTERN: Final = "No pattern that costs time was found among those checked."
_BOUND_UNKNOWN: Final = "unknown: the speedup of the whole program"
# Questions asked without a trace: metric, question, and the condition for asking it (an earlier metric that has at
# least this value). The most decisive come first; after the question about a loss comes its number of occurrences.
_IDLE: Final = (("gpu_idle_pct", 5.0),)
_LOST: Final = (("not_computing_pct", 5.0),)
ASKED: Final[tuple[tuple[str, str, tuple[tuple[str, float], ...]], ...]] = (
    ("gpu_busy_pct", "What share of the time is the GPU busy?", ()),
    ("computing_pct", "What share of the time do compute kernels run?", ()),
    ("top_kernel_pct", "What share of the GPU's busy time does the largest kernel take?", ()),
    ("input_wait_pct", "What share of the time does the GPU wait for input data?", _IDLE),
    ("input_wait_count", "How many such waits are there?", (("input_wait_pct", 10.0),)),
    ("sync_gap_pct", "What share of the time is the GPU idle because the host synchronises after each kernel?", _IDLE),
    ("sync_gap_count", "How many such gaps are there?", (("sync_gap_pct", 5.0),)),
    ("output_wait_pct", "What share of the time does the GPU wait while the host handles results?", _IDLE),
    ("output_wait_count", "How many such waits are there?", (("output_wait_pct", 10.0),)),
    ("copy_exposed_pct", "What share of the time do copies run without a concurrent kernel?", _LOST),
    ("host_copy_pct", "What share of the time do copies run in total?", (("copy_exposed_pct", 10.0),)),
    (
        "communication_exposed_pct",
        "What share of the time do GPUs exchange data while no other kernel runs?",
        _LOST,
    ),
    ("migration_pct", "What share of the time is managed memory migrated?", _LOST),
    ("tiny_span_pct", "What share of the time do kernels under 10 us and the gaps between them take?", ()),
    ("tiny_kernel_count", "How many such kernels are there?", (("tiny_span_pct", 10.0),)),
)
ASKED_WHY: Final = {
    "gpu_busy_pct": "An idle GPU gains nothing from a faster kernel. nsys shows it in the GPU row; exclude start-up.",
    "computing_pct": "Copies and data exchange keep a GPU busy without computing.",
    "top_kernel_pct": "Below 30 %, profiling a single kernel is not worth it.",
    "sync_gap_count": "A single gap is not a pattern.",
    "input_wait_count": "A single wait is not a pattern.",
    "output_wait_count": "A single wait is not a pattern.",
    "host_copy_pct": "Copies that run concurrently with kernels are already hidden; only the rest can be.",
    "tiny_kernel_count": "A few are not a pattern.",
}
_MOST = 5


def of(state: State) -> tuple[TimelineResult, GpuTimeline] | None:
    """Return the open traces and the GPU to show: the busiest one, else the first; None without traces."""
    result = state.timeline
    if not isinstance(result, TimelineResult) or not result.gpus:
        return None
    busiest = result.together.busiest if result.together is not None else None
    return result, result.gpus[busiest or 0]


def busy_lines(result: TimelineResult, gpu: GpuTimeline) -> list[Line]:
    """Return the utilisation of the GPU, and the problems found while the trace was read."""
    name = gpu.name or (str(gpu.gpu) if gpu.gpu >= 0 else "")
    busy, computing = (percent_text(gpu.values.get(metric)) for metric in ("gpu_busy_pct", "computing_pct"))
    lines = [Line(f"GPU{f' {name}' if name else ''}: busy {busy}, computing {computing}", "fact", "Busy")]
    if len(result.gpus) > 1:
        lines.append(Line(f"{len(result.gpus)} GPUs; the page shows {name or gpu.gpu}", "quiet"))
    problems = [problem for trace in result.traces for problem in trace.problems]
    problems += [f"{file_name(path)}: {why}" for path, why in result.failed]
    lines += [Line(problem, "warning", "Caveat") for problem in problems[:_MOST]]
    return [*lines, *(Line(note, "quiet") for note in gpu.notes)]


def trace_lines(result: TimelineResult) -> list[Line]:
    """Return a line for each trace that was read."""
    texts = (f"{file_name(t.path)}: {t.form}, the run lasts {time_text(t.run)}" for t in result.traces)
    return [Line(text, "fact", "Trace") for text in texts]


def pattern_lines(gpu: GpuTimeline) -> list[Line]:
    """Return the patterns, the largest gain first, then the notes."""
    found = [pattern.finding for pattern in gpu.patterns if pattern.finding.kind != "note"]
    lines = []
    for finding in found[:_MOST]:
        gain = "speedup unknown" if finding.speedup is None else f"at most {speedup_text(finding.speedup.high)}"
        title = finding.title if finding.id == "dominant_kernel" else f"{finding.title}, {gain}"
        lines += [Line(title, "strong", "Found"), Line(sentence(finding.because), depth=1)]
    lines += [] if found else [_none_found(gpu)]
    return lines + [Line(sentence(p.finding.because), "quiet") for p in gpu.patterns if p.finding.kind == "note"]


def _none_found(gpu: GpuTimeline) -> Line:
    if gpu.unseen:
        return Line(f"No pattern was found, but {len(gpu.unseen)} could not be checked.", "unknown")
    return Line(NO_PATTERN, "quiet")


def unseen_line(gpu: GpuTimeline) -> list[Line]:
    """Return the patterns that could not be checked, in one line."""
    titles = ", ".join(one.title for one in gpu.unseen)
    return [Line(f"could not be checked: {titles}", "unknown", "Not known")] if gpu.unseen else []


def unseen_lines(gpu: GpuTimeline) -> list[Line]:
    """Return the patterns that could not be checked, each with the metrics that are missing."""
    texts = (f"{one.title}: could not be checked ({', '.join(one.missing[:4])})" for one in gpu.unseen)
    return [Line(text, "unknown", "Not known") for text in texts]


def fix_lines(gpu: GpuTimeline) -> list[Line]:
    """Return the fixes of the patterns, with the typical gain of each."""
    lines = []
    for pattern in gpu.patterns:
        fix = pattern.finding.fix
        if fix is not None and pattern.finding.kind != "note":
            lines.append(Line(fix.summary, "strong", pattern.finding.title))
            lines += [Line(f"typically {pattern.typical}", "quiet", depth=1)] if pattern.typical else []
    return lines or [_none_found(gpu)]


def kernel_lines(gpu: GpuTimeline) -> list[Line]:
    """Return the kernels with the most time, and the bound of Amdahl's law for each."""
    if not gpu.kernels:
        share = gpu.values.get("top_kernel_pct")
        if share is None:
            return [Line("unknown: which kernels ran", "unknown")]
        return [Line(percent_text(share), "fact", "Kernel"), Line(_BOUND_UNKNOWN, "unknown")]
    lines = []
    shorts = [rank.short for rank in gpu.kernels[:3]]
    for rank in gpu.kernels[:3]:
        # Kernels with the same base name are distinguished by their full name.
        name = rank.short if shorts.count(rank.short) == 1 else rank.name
        text = f"{name}: {percent_text(rank.share)} of kernel time, {counted(rank.launches, 'launch')}"
        lines.append(Line(text, "fact", "Kernel"))
        bound = rank.run_bound if rank.run_bound is not None else rank.bound
        if bound is None:
            lines.append(Line(_BOUND_UNKNOWN, "unknown", depth=1))
        else:
            most = speedup_text(bound) if bound < 100 else "over 100×"
            lines.append(Line(f"if it took no time, the program would gain at most {most}", "quiet", depth=1))
    return lines


def decision_lines(gpu: GpuTimeline) -> list[Line]:
    """Return the next action, the reason, and the command if a kernel needs a profile."""
    decision = gpu.decision
    lines = [Line(decision.title, "strong", "Next"), Line(sentence(decision.because), depth=1)]
    lines += [Line(step, "step") for step in gpu.next]
    if gpu.command is not None and decision.id == "drill_down":
        lines.append(Line(gpu.command.command, "fact", "Profile it"))
    if decision.id == "fix_system_first":
        lines.append(Line("Profiling one kernel gains little now: fix this first, then capture again.", "strong"))
    return lines


def range_lines(gpu: GpuTimeline) -> list[Line]:
    """Return the named ranges of the moments shown."""
    names = list(dict.fromkeys(m.range for pattern in gpu.patterns for m in pattern.moments if m.range))
    if not names:
        return [Line("none of the moments shown is in a named range", "unknown")]
    return [Line(f"named ranges of the moments shown: {', '.join(names[:_MOST])}", "fact")]


def timeline_card(state: State) -> Card | None:
    """Return the summary card of the open traces: utilisation, patterns, the largest kernels, the decision."""
    found = of(state)
    if found is None:
        return None
    result, gpu = found
    lines = [*busy_lines(result, gpu), *pattern_lines(gpu), *unseen_line(gpu)]
    lines += [*kernel_lines(gpu), *decision_lines(gpu)]
    typed = result.traces[gpu.trace].form == "typed"
    aside = "from typed numbers" if typed else ", ".join(file_name(trace.path) for trace in result.traces[:2])
    return Card("timeline", gpu.decision.title, tuple(lines), state.position, label="Timeline", aside=aside)


def next_pattern(state: State) -> Pattern | None:
    """Return the next pattern to show: the first one without a card of its own."""
    found = of(state)
    shown = {card.finding for card in state.cards if card.kind == "fix"}
    patterns = () if found is None else found[1].patterns
    return next((p for p in patterns if p.finding.id not in shown and p.finding.kind != "note"), None)


def pattern_card(state: State, name: str) -> Card | None:
    """Return the card of a pattern with the moments that show it and the steps of its fix; None if it was not found."""
    found = of(state)
    patterns = () if found is None else found[1].patterns
    pattern = next((p for p in patterns if p.finding.id == name), None)
    if pattern is None:
        return None
    blocks = pattern_section(0, pattern, {} if found is None else found[1].values).blocks
    return Card("fix", pattern.finding.title, blocks, state.position, name, "Timeline")
