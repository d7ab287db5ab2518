"""What a trace tells, as lines of cards: busy and idle, patterns with what their fixes give, kernel, decision."""

from __future__ import annotations

from pathlib import Path

from advisor.dialogue import cards as make
from advisor.dialogue.experiments import words_timeline as words
from advisor.dialogue.numbers import number_text
from advisor.dialogue.records import Card, Line
from advisor.dialogue.state import State
from advisor.timeline.results import GpuTimeline, Moment, Pattern, TimelineResult

_MOST = 5
_TYPED = "typed"


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
    return found is not None and found[0].traces[found[1].trace].form == _TYPED


def _percent(gpu: GpuTimeline, metric: str) -> str:
    return number_text(gpu.values.get(metric), "%")


def busy_lines(result: TimelineResult, gpu: GpuTimeline) -> list[Line]:
    """How busy the GPU is, of which trace, and what was wrong with reading it."""
    name = gpu.name or (str(gpu.gpu) if gpu.gpu >= 0 else "")
    busy, computing = _percent(gpu, "gpu_busy_pct"), _percent(gpu, "computing_pct")
    told_text = words.BUSY_TEXT.format(name=name, busy=busy, computing=computing).replace("GPU :", "GPU:")
    lines = [Line(told_text, "fact", words.BUSY)]
    if len(result.gpus) > 1:
        lines.append(Line(words.SEVERAL.format(count=len(result.gpus), name=name or gpu.gpu), "quiet"))
    problems = [problem for trace in result.traces for problem in trace.problems]
    problems += [words.NOT_READ.format(path=Path(path).name, why=why) for path, why in result.failed]
    lines += [Line(problem, "warning", words.PROBLEM) for problem in problems[:_MOST]]
    return [*lines, *(Line(note, "quiet") for note in gpu.notes)]


def trace_lines(result: TimelineResult) -> list[Line]:
    """The traces that were read."""
    return [
        Line(
            words.TRACE_TEXT.format(path=Path(t.path).name, form=t.form, run=number_text(t.run, "ns")),
            "fact",
            words.TRACE,
        )
        for t in result.traces
    ]


def pattern_lines(gpu: GpuTimeline) -> list[Line]:
    """What was found, what gives most first; then what could not be looked at."""
    found = [pattern for pattern in gpu.patterns if pattern.finding.kind != "note"]
    lines = []
    for pattern in found[:_MOST]:
        finding = pattern.finding
        gain = words.NO_GAIN if finding.speedup is None else words.GAIN.format(most=finding.speedup.high)
        kernel = finding.id == "dominant_kernel"
        title = finding.title if kernel else words.PATTERN.format(title=finding.title, gain=gain)
        lines += [Line(title, "strong", words.FOUND), Line(make.sentence(finding.because), depth=1)]
    if not found:
        told_so = words.NO_PATTERN if not gpu.unseen else words.NONE_SEEN.format(count=len(gpu.unseen))
        lines.append(Line(told_so, "unknown" if gpu.unseen else "quiet"))
    return lines + [Line(make.sentence(p.finding.because), "quiet") for p in gpu.patterns if p.finding.kind == "note"]


def unseen_line(gpu: GpuTimeline) -> list[Line]:
    """The patterns that could not be looked at, in a line."""
    titles = ", ".join(one.title for one in gpu.unseen)
    return [Line(words.UNSEEN_SHORT.format(titles=titles), "unknown", words.UNSEEN)] if gpu.unseen else []


def unseen_lines(gpu: GpuTimeline) -> list[Line]:
    """The patterns that could not be looked at, and for want of which numbers."""
    return [
        Line(words.UNSEEN_TEXT.format(title=one.title, wanting=", ".join(one.wanting[:4])), "unknown", words.UNSEEN)
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
        lines += [Line(words.TYPICAL.format(typical=pattern.typical), "quiet", depth=1)] if pattern.typical else []
    none = words.NONE_SEEN.format(count=len(gpu.unseen)) if gpu.unseen else words.NO_PATTERN
    return lines or [Line(none, "unknown" if gpu.unseen else "quiet")]


def kernel_lines(gpu: GpuTimeline) -> list[Line]:
    """The kernels with the most time and what Amdahl's law allows each."""
    if not gpu.kernels:
        share = gpu.values.get("top_kernel_pct")
        if share is None:
            return [Line(words.NO_KERNELS, "unknown")]
        return [Line(number_text(share, "%"), "fact", words.KERNEL), Line(words.BOUND_UNKNOWN, "unknown")]
    lines = []
    shorts = [rank.short for rank in gpu.kernels[:3]]
    for rank in gpu.kernels[:3]:
        # Kernels of one base name are told apart by the whole one.
        name = rank.short if shorts.count(rank.short) == 1 else rank.name
        told_kernel = words.KERNEL_TEXT.format(name=name, share=rank.share, launches=rank.launches)
        lines.append(Line(told_kernel, "fact", words.KERNEL))
        bound = rank.run_bound if rank.run_bound is not None else rank.bound
        told_bound = words.BOUND_UNKNOWN if bound is None else words.BOUND.format(bound=_times(bound))
        lines.append(Line(told_bound, "quiet" if bound is not None else "unknown", depth=1))
    return lines


def _times(bound: float) -> str:
    return f"{bound:.2f}" if bound < 100 else "over 100"


def decision_lines(gpu: GpuTimeline) -> list[Line]:
    """What to do next, why, and the command where a kernel is to be profiled."""
    decision = gpu.decision
    lines = [Line(decision.title, "strong", words.DECISION), Line(make.sentence(decision.because), depth=1)]
    lines += [Line(step, "step") for step in gpu.next]
    if gpu.command is not None and decision.id == "drill_down":
        lines.append(Line(gpu.command.command, "fact", words.PROFILE))
    if decision.id == "fix_system_first":
        lines.append(Line(words.ADVICE_END, "strong"))
    return lines


def range_lines(gpu: GpuTimeline) -> list[Line]:
    """The ranges that the moments shown stand in."""
    names = list(dict.fromkeys(m.range for pattern in gpu.patterns for m in pattern.moments if m.range))
    if not names:
        return [Line(words.NO_RANGES, "unknown")]
    return [Line(words.RANGES.format(names=", ".join(names[:_MOST])), "fact")]


def timeline_card(state: State) -> Card | None:
    """The summary of what is open: busy, patterns, the dominant kernel, the decision."""
    found = of(state)
    if found is None:
        return None
    result, gpu = found
    lines = [*busy_lines(result, gpu), *pattern_lines(gpu), *unseen_line(gpu)]
    lines += [*kernel_lines(gpu), *decision_lines(gpu)]
    aside = words.TYPED if told(state) else ", ".join(Path(trace.path).name for trace in result.traces[:2])
    return Card("timeline", gpu.decision.title, tuple(lines), state.position, label=words.LABEL, aside=aside)


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
    lines = [Line(make.sentence(finding.because))]
    lines += [Line(_moment(moment), "fact", words.MOMENT) for moment in pattern.moments]
    if finding.speedup is not None:
        lines.append(Line(words.GAIN.format(most=finding.speedup.high), "strong", words.GIVES))
    if fix is not None:
        lines += [Line(fix.summary, "strong", words.FIX), *(Line(step, "step") for step in fix.steps)]
        lines += [Line(words.TYPICAL.format(typical=pattern.typical), "quiet")] if pattern.typical else []
        lines += [Line(make.sentence(fix.costs), "fact", words.PRICE)] if fix.costs else []
    return Card("fix", finding.title, tuple(lines), state.position, finding.id, words.LABEL)


def _moment(moment: Moment) -> str:
    """When and how long, what ran or stood at both sides, and where the host was."""
    at, length = number_text(moment.start, "ns"), number_text(moment.duration, "ns")
    what = words.BETWEEN.format(before=moment.before, after=moment.after) if moment.kind == "gap" else moment.what
    parts = [words.AT.format(at=at, length=length), what]
    parts += [words.HOST_IN.format(call=moment.call)] if moment.call else []
    parts += [words.IN_RANGE.format(range=moment.range)] if moment.range else []
    return ", ".join(part for part in parts if part)
