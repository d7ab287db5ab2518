"""An analysis of traces as text: decision, picture, what to fix, what could not be seen, kernels, command."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from advisor.timeline.results import (
    GpuTimeline,
    KernelRank,
    Moment,
    NcuCommand,
    Pattern,
    TimelineResult,
    Together,
    TraceInfo,
    Unseen,
)
from advisor.view.charts.lanes import at_text, picture
from advisor.view.numbers import plural, speedup_text, time_text
from advisor.view.text import cut, labelled, paint, shown, wrap
from advisor.view.writers.terminal import plain_text

_KERNELS = 8
_WIDE = 100  # columns; below it the table of kernels has no room for totals
_TOLD, _WHOLE = 0.1, 0.95  # shares of a gap
_APART = 20  # columns that tell apart kernels of one base name
_DETAILED = 4  # GPUs that are shown in full
_BYTES = (("GB", 1e9), ("MB", 1e6), ("KB", 1e3))


def timeline_text(result: TimelineResult, *, width: int = 80, colour: bool = False, blocks: bool = True) -> str:
    """Everything, trace by trace and GPU by GPU, in lines of at most `width` columns; commands are never broken."""
    out: list[str] = []
    if result.together is not None:
        out += together_lines(result, result.together, width, colour)
    chosen = _detailed(result)
    for at in chosen:
        out += ([""] if out else []) + _gpu(result, result.gpus[at], width, colour, blocks)
    if len(chosen) < len(result.gpus):
        more = len(result.gpus) - len(chosen)
        out += ["", *wrap(f"{more} more GPUs are in --format json, or give their traces alone.", width)]
    return plain_text(out, blocks)


def _detailed(result: TimelineResult) -> list[int]:
    """The places of the GPUs that are shown in full: all of a few, else those that stand out, and the first."""
    both = result.together
    if both is None or len(result.gpus) <= _DETAILED:
        return list(range(len(result.gpus)))
    return list(dict.fromkeys(at for at in (both.late, both.idlest, both.busiest, 0) if at is not None))


def command_text(result: TimelineResult) -> str:
    """The ncu commands alone, one a line; of several GPUs with the same command one."""
    commands = [gpu.command.command for gpu in result.gpus if gpu.command is not None]
    return "".join(f"{line}\n" for line in dict.fromkeys(commands))


def together_lines(result: TimelineResult, both: Together, width: int, colour: bool) -> list[str]:
    """Several GPUs side by side, and the kernels over all of them."""
    out = [
        paint(f"{len(result.gpus)} GPUs in {len(result.traces)} {plural(len(result.traces), 'trace')}", "bold", colour)
    ]
    for at, gpu in enumerate(result.gpus):
        trace = result.traces[gpu.trace]
        busy, talk = gpu.values.get("gpu_busy_pct"), gpu.values.get("communication_pct")
        compute = percent_text(gpu.values.get("computing_pct"))
        numbers = f"busy {percent_text(busy)}, computing {compute}, communication {percent_text(talk)}"
        mark = {both.busiest: "busiest", both.idlest: "least busy"}.get(at, "")
        text = f"{gpu_name(gpu)}: {numbers}{', ' + mark if mark else ''}"
        out += wrap(f"[{gpu.trace}] {shown(Path(trace.path).name)}  {text}", width, 2, 6)
    for note in both.notes:
        out += wrap(note, width, 2, 2)
    if both.kernels:
        out += ["", paint("Kernels over all GPUs", "cyan", colour), "   share  launches      total  kernel"]
        for name, launches, total, share in both.kernels[:_KERNELS]:
            out.append(cut(f"{share:6.1f} %{launches:>10,}{time_text(total):>11}  {shown(name)}", width))
    return out


def _gpu(result: TimelineResult, gpu: GpuTimeline, width: int, colour: bool, blocks: bool) -> list[str]:
    trace = result.traces[gpu.trace]
    out = [paint(cut(shown(Path(trace.path).name), width), "bold", colour)]
    out += [paint(line, "dim", colour) for line in wrap(about_text(trace, gpu), width)]
    out += ["", *_decision(gpu, width, colour)]
    drawn = picture(gpu, width, blocks)
    if drawn:
        out += ["", *drawn]
    for note in gpu.notes:
        out += ["", *wrap(note, width)]
    first = [p for p in gpu.patterns if p.finding.kind != "note"]
    told: dict[tuple[Moment, ...], int] = {}
    notes = [p for p in gpu.patterns if p.finding.kind == "note"]
    if first:
        out += ["", paint("Found, what gives most first", "cyan", colour)]
        for number, pattern in enumerate(first, 1):
            out += pattern_lines(number, pattern, width, colour, told.setdefault(pattern.moments, number))
    if notes:
        out += ["", paint("Notes", "cyan", colour)]
        for pattern in notes:
            out += wrap(f"- {shown(pattern.finding.id)}: {shown(pattern.finding.because)}", width, 2, 4)
    if gpu.unseen:
        out += ["", paint("Could not be looked at, so unknown", "cyan", colour), *_unseen(result, gpu.unseen, width)]
    if gpu.kernels:
        out += ["", *kernel_lines(gpu.kernels, width, colour)]
    if gpu.command is not None and gpu.target is not None:
        out += ["", *_command(gpu, width, colour)]
    return out


def about_text(trace: TraceInfo, gpu: GpuTimeline) -> str:
    """Which GPU, what wrote the trace, how long it is."""
    parts = [gpu_name(gpu) if gpu.gpu >= 0 else "GPU unknown"]
    if trace.tool:
        parts.append(shown(trace.tool) + (f", schema {shown(trace.schema)}" if trace.schema else ""))
    elif trace.form == "csv":
        parts.append("CSV of nsys stats")
    if gpu.window is not None:
        run = f" of a run of {time_text(trace.run)}" if trace.run else ""
        parts.append(f"window {time_text(gpu.window[1] - gpu.window[0])}{run}")
    return "; ".join(parts)


def gpu_name(gpu: GpuTimeline) -> str:
    """Its number and name."""
    return f"GPU {gpu.gpu}" + (f" {shown(gpu.name)}" if gpu.name else "")


def _decision(gpu: GpuTimeline, width: int, colour: bool) -> list[str]:
    verdict = gpu.decision
    title = f"{verdict.title}: "
    lines = wrap(title + shown(verdict.because) + ".", width)
    out = [paint(lines[0][: len(title)], "bold", colour) + lines[0][len(title) :], *lines[1:]]
    for step in gpu.next:
        out += wrap(f"- {step}", width, 2, 4)
    return out


def pattern_lines(number: int, pattern: Pattern, width: int, colour: bool, told: int) -> list[str]:
    """A pattern with its bound, its moments and its fix. told: the number of the one with the same moments."""
    finding = pattern.finding
    gain = finding.speedup
    bound = ""
    if gain is not None:
        least = f"{speedup_text(gain.low)} to " if gain.low >= 1.005 else ""
        bound = f"  {least}at most {speedup_text(gain.high)}"
    head = f"{number}. {finding.title} ({finding.id})"
    lines = wrap(head + bound, width, 0, 3)
    out = [paint(lines[0], "bold", colour), *(paint(line, "bold", colour) for line in lines[1:])]
    out += wrap(shown(finding.because), width, 3)
    if pattern.moments and told < number:
        out += wrap(f"the same moments as under {told}", width, 5, 7)
    else:
        out += [line for moment in pattern.moments for line in wrap(moment_text(moment), width, 5, 7)]
    if finding.fix is not None:
        out += labelled("   fix", finding.fix.summary, width, 8)
    if pattern.typical:
        out += labelled("   gives", f"typically {pattern.typical}", width, 9)
    if finding.undecided:
        out += wrap(f"less sure, since unknown: {', '.join(finding.undecided)}", width, 3)
    return out


def moment_text(moment: Moment) -> str:
    """When, how long, what it was or stood between, and what the host did there."""
    parts = [f"{at_text(moment.start)}: {time_text(moment.duration)}"]
    if moment.kind == "gap":
        parts.append(f"of nothing between {cut(shown(moment.before), 40)} and {cut(shown(moment.after), 40)}")
    else:
        parts.append(cut(shown(moment.what), 60))
        if moment.size is not None:
            parts.append(
                _size(moment.size) + (f" at {_size(moment.size / moment.duration * 1e9)}/s" if moment.duration else "")
            )
        if moment.pageable is not None:
            parts.append("pageable" if moment.pageable else "not pageable")
    where = _host_texts(moment)
    if moment.range:
        where.append(f"range {cut(shown(moment.range), 40)}")
    return ", ".join([parts[0], " ".join(parts[1:])]) + ("; " + ", ".join(where) if where else "")


def _host_texts(moment: Moment) -> list[str]:
    """Where the host was; of a gap, calls that take a tenth of it or more."""
    if moment.kind != "gap":
        return [f"asked for by {cut(shown(moment.call), 40)}"] if moment.call else []
    where = []
    if moment.call_share is not None and moment.call_share < _TOLD:
        where.append("host outside of CUDA")
    for name, share, most in ((moment.call, moment.call_share, 40), (moment.system, moment.system_share, 24)):
        if name and share is not None and share >= _TOLD:
            part = "" if share >= _WHOLE else f" for {100 * share:.0f} % of it"
            where.append(f"{'' if where else 'host '}in {cut(shown(name), most)}{part}")
    return where


def _size(count: float) -> str:
    for unit, scale in _BYTES:
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count:.0f} B"


def _unseen(result: TimelineResult, unseen: Sequence[Unseen], width: int) -> list[str]:
    return [line for text in unseen_texts(result, unseen) for line in wrap(f"- {text}", width, 2, 4)]


def unseen_texts(result: TimelineResult, unseen: Sequence[Unseen]) -> list[str]:
    """The patterns that could not be looked at, and what the trace lacks for them."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for one in unseen:
        groups.setdefault(one.parts, []).append(one.id)
    out = []
    for parts, names in groups.items():
        why = "; ".join(f"{result.parts[p][0]} ({result.parts[p][1]})" for p in parts if p in result.parts)
        out.append(f"{', '.join(names)}: {why}")
    return out


def kernel_lines(kernels: Sequence[KernelRank], width: int, colour: bool, most: int = _KERNELS) -> list[str]:
    """The table of the `most` kernels with the most time, each with what it could give at most."""
    bounded = any(k.bound is not None for k in kernels)
    wide = width >= _WIDE
    head = f"{'share':>8}{'launches':>10}{'each':>10}" + (f"{'total':>10}" if wide else "")
    head += f"{'at most':>10}{'of run':>9}" if bounded else ""
    out = [paint("Kernels by time", "cyan", colour), f"{head}  kernel"]
    for kernel in kernels[:most]:
        numbers = f"{kernel.share:6.1f} %{kernel.launches:>10,}{time_text(kernel.mean):>10}"
        numbers += f"{time_text(kernel.total):>10}" if wide else ""
        if bounded:
            numbers += f"{bound_text(kernel.bound):>10}{bound_text(kernel.run_bound):>9}"
        out.append(f"{numbers}  {_told_apart(kernel, kernels[:most], max(4, width - len(numbers) - 2))}")
    if len(kernels) > most:
        rest = sum(k.share for k in kernels[most:])
        out.append(f"{rest:6.1f} %  in {len(kernels) - most} more")
    if bounded:
        text = "at most: how many times as fast the window (the run) would be if the kernel took no time (Amdahl's law)"
        out += wrap(text, width, 2, 2)
    return out


def _told_apart(kernel: KernelRank, listed: Sequence[KernelRank], room: int) -> str:
    """The base name; of kernels that share it, also the full name from where no other goes on alike."""
    others = [k.name for k in listed if k.short == kernel.short and k is not kernel]
    short, name = shown(kernel.short), kernel.name
    if not others:
        return cut(short, room)
    start = max(sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(name, o, strict=False))) for o in others)
    # From the beginning of the word in which they part, of a number also with the word before it.
    head = re.search(r"([A-Za-z_]+\W{0,2})?[0-9A-Za-z]*\Z", name[:start])
    start = head.start() if head is not None else start
    rest = shown(name[start:])
    whole = f"{short} …{rest}"
    return cut(whole if room >= len(short) + _APART or len(whole) <= room else f"…{rest}", room)


def bound_text(bound: float | None) -> str:
    """Amdahl's bound as a factor; `?` where it is unknown."""
    if bound is None:
        return "?"
    return f"{bound:.2f}x" if bound < 100 else ">100x"


def _command(gpu: GpuTimeline, width: int, colour: bool) -> list[str]:
    assert gpu.command is not None
    out = [paint("Profile it", "cyan", colour)]
    out += [line for text in command_texts(gpu) for line in wrap(text, width, 2, 2)]
    return [*out, f"  {gpu.command.command}"]


def command_texts(gpu: GpuTimeline) -> list[str]:
    """What the kernel can give at most, and which of its launches the command picks."""
    command, chosen, out = gpu.command, gpu.target, []
    assert command is not None
    assert chosen is not None
    if chosen.run_bound is not None and math.isfinite(chosen.run_bound):
        bound = bound_text(chosen.run_bound)
        out.append(f"{shown(chosen.short)} can give at most {bound} for the application even if it took no time.")
    if command.start is not None and command.duration is not None:
        only = chosen.launches == 1
        which = "the only launch" if only else "a typical launch" + (" of the main shape" if command.shapes > 1 else "")
        after = "" if only and not command.skip else f", after {command.skip} of that name"
        inside = f" in the range {shown(command.range)}" if command.range else ""
        out.append(
            f"It picks {which}, at {at_text(command.start)} ({time_text(command.duration)}{_shape_text(command)})"
            f"{after}{inside}."
        )
    if command.each_gpu:
        out.append("It does so on each GPU of the trace.")
    return out


def _shape_text(command: NcuCommand) -> str:
    """The launch shape, and how much of the kernel's time is in it where there are several."""
    if command.grid is None or command.block is None:
        return ""
    grid, block = ("x".join(str(n) for n in size) for size in (command.grid, command.block))
    share = ""
    if command.shapes > 1 and command.shape_share is not None:
        share = f", which of {command.shapes} shapes takes {command.shape_share:.0f} % of its time"
    return f", grid {grid}, block {block}{share}"


def percent_text(value: float | None) -> str:
    """A percentage, or the word unknown."""
    return "unknown" if value is None else f"{value:.1f} %"
