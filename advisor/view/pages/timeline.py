"""An analysis of traces as a page: for each GPU the decision, its activity, patterns, kernels and the ncu command."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import takewhile

from advisor.timeline.results import (
    GpuTimeline,
    KernelRank,
    Moment,
    NcuCommand,
    TimelineResult,
    Together,
    TraceInfo,
    Unseen,
)
from advisor.view.blocks import (
    Block,
    Bullets,
    Cell,
    Column,
    Command,
    Fact,
    Facts,
    Page,
    Paragraph,
    Picture,
    Section,
    Table,
)
from advisor.view.blocks import section as made_section
from advisor.view.charts.lanes import picture, timeline_chart
from advisor.view.numbers import (
    at_text,
    counted,
    percent_text,
    share_text,
    speedup_text,
    time_text,
)
from advisor.view.pages.diagnosis import NAME
from advisor.view.pages.pattern import pattern_section
from advisor.view.text import cut, file_name, shown

_KERNELS, _KERNELS_BRIEF = 40, 8
_DETAILED = 4  # the most GPUs that a brief page shows in full
_SHORT = 20  # characters of a base name that several kernels share


def timeline_page(result: TimelineResult, *, brief: bool = False) -> Page:
    """Build the page. brief: only the first kernels and the GPUs that differ, without steps of fixes."""
    made: list[Block] = [Paragraph(trace.path, "dim") for trace in result.traces]
    caveats = [Fact("Caveat", f"{path}: {why}", "warn") for path, why in result.failed]
    caveats += [Fact("Caveat", f"{t.path}: {p}", "warn") for t in result.traces for p in t.problems]
    made += [Facts(tuple(caveats))] if caveats else []
    most = _KERNELS_BRIEF if brief else _KERNELS
    parts = [together_section(result, result.together, most)] if result.together is not None else []
    chosen = _detailed(result) if brief else range(len(result.gpus))
    for at in chosen:
        parts += _gpu(result, result.gpus[at], at, brief)
    if left := len(result.gpus) - len(chosen):
        text = f"{left} more GPUs are in --format json; or give fewer traces."
        parts.append(made_section("", [Paragraph(text)]))
    names = [file_name(trace.path) for trace in result.traces]
    title = f"Timeline of {names[0]}" if len(names) == 1 else f"Timeline of {len(names)} traces"
    return Page(title, tuple(made), tuple(parts))


def _detailed(result: TimelineResult) -> Sequence[int]:
    """Return the positions of the GPUs on a brief page: all if they are few, else those that differ, and the first."""
    both = result.together
    if both is None or len(result.gpus) <= _DETAILED:
        return range(len(result.gpus))
    return list(dict.fromkeys(at for at in (both.late, both.idlest, both.busiest, 0) if at is not None))


def command_text(result: TimelineResult) -> str:
    """Return only the ncu commands, one per line, without duplicates for several GPUs."""
    commands = [gpu.command.command for gpu in result.gpus if gpu.command is not None]
    return "".join(f"{line}\n" for line in dict.fromkeys(commands))


def together_section(result: TimelineResult, both: Together, most: int = _KERNELS) -> Section:
    """Return a table of the GPUs, and the `most` kernels with the most time on all GPUs."""
    columns = (
        Column("GPU"),
        Column("Trace", keep="end"),
        Column("Busy", True),
        Column("Computing", True),
        Column("Communication", True),
        Column("", spare=1),
    )
    rows = []
    for at, gpu in enumerate(result.gpus):
        values = [gpu.values.get(name) for name in ("gpu_busy_pct", "computing_pct", "communication_pct")]
        mark = {both.busiest: "busiest", both.idlest: "least busy"}.get(at, "")
        trace = Cell(f"[{gpu.trace}] {file_name(result.traces[gpu.trace].path)}")
        busy = (Cell(percent_text(value), value) for value in values)
        rows.append((Cell(gpu_name(gpu), link=f"gpu-{at}"), trace, *busy, Cell(mark)))
    blocks: list[Block] = [Table(columns, tuple(rows), sortable=True)]
    blocks += [Bullets(both.notes)] if both.notes else []
    if both.kernels:
        heads = (Column("Kernel"), Column("Share", True), Column("Launches", True), Column("Total", True))
        cells = [
            (
                Cell(name[:NAME]),
                Cell(percent_text(share), share),
                Cell(f"{count:,}", count),
                Cell(time_text(total), total),
            )
            for name, count, total, share in both.kernels[:most]
        ]
        blocks += [Paragraph("Kernels over all GPUs:"), Table(heads, tuple(cells), sortable=True)]
    title = f"{counted(len(result.gpus), 'GPU')} in {counted(len(result.traces), 'trace')}"
    return made_section(title, blocks, name="together")


def _gpu(result: TimelineResult, gpu: GpuTimeline, at: int, brief: bool) -> list[Section]:
    trace = result.traces[gpu.trace]
    head: list[Block] = [
        Paragraph(about_text(trace, gpu), "dim"),
        Paragraph(f"{gpu.decision.title}: {gpu.decision.because}.", "lead"),
    ]
    head += [Bullets(gpu.next)] if gpu.next else []
    name = gpu_name(gpu) if gpu.gpu >= 0 else "GPU unknown"
    name = f"{name} · {file_name(trace.path)}" if len(result.traces) > 1 else name
    parts = [made_section(name, head, name=f"gpu-{at}")]
    chart = timeline_chart(gpu)
    if chart is not None:
        drawn = Picture(chart, lambda width, blocks: picture(gpu, width, blocks))
        parts.append(made_section("Activity over time", [drawn], level=3))
    parts += [made_section("Remarks", [Bullets(gpu.notes)], level=3)] if gpu.notes else []
    first_at: dict[tuple[Moment, ...], int] = {}
    first = [p for p in gpu.patterns if p.finding.kind != "note"]
    for number, pattern in enumerate(first, 1):
        same = first_at.setdefault(pattern.moments, number)
        parts.append(
            pattern_section(number, pattern, gpu.values, steps=not brief, same=same if same < number else None)
        )
    notes = [f"{p.finding.title} ({p.finding.id}): {p.finding.because}" for p in gpu.patterns if p not in first]
    parts += [made_section("Notes", [Bullets(tuple(notes))], level=3)] if notes else []
    if gpu.unseen:
        lacking = Bullets(tuple(unseen_texts(result, gpu.unseen)))
        parts.append(made_section("Could not be checked, so unknown", [lacking], level=3))
    if gpu.kernels:
        parts.append(kernels_section(gpu.kernels, _KERNELS_BRIEF if brief else _KERNELS))
    if gpu.command is not None and gpu.target is not None:
        why = Bullets(tuple(command_texts(gpu)))
        parts.append(made_section("Profile it with ncu", [why, Command(gpu.command.command)], level=3))
    return parts


def about_text(trace: TraceInfo, gpu: GpuTimeline) -> str:
    """Return the GPU, the tool that wrote the trace, and the trace's duration."""
    parts = [gpu_name(gpu) if gpu.gpu >= 0 else "GPU unknown"]
    if trace.tool:
        parts.append(shown(trace.tool) + (f", schema {shown(trace.schema)}" if trace.schema else ""))
    elif trace.form == "csv":
        parts.append("tables of nsys stats")
    if gpu.window is not None:
        run = f" of a run of {time_text(trace.run)}" if trace.run else ""
        parts.append(f"window {time_text(gpu.window[1] - gpu.window[0])}{run}")
    return "; ".join(parts)


def gpu_name(gpu: GpuTimeline) -> str:
    """Return the GPU's number and name."""
    return f"GPU {gpu.gpu}" + (f" {shown(gpu.name)}" if gpu.name else "")


def unseen_texts(result: TimelineResult, unseen: Sequence[Unseen]) -> list[str]:
    """Return the patterns that could not be checked, and the missing data of the trace."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for one in unseen:
        groups.setdefault(one.parts, []).append(one.id)
    out = []
    for parts, names in groups.items():
        why = "; ".join(f"{result.parts[p][0]} ({result.parts[p][1]})" for p in parts if p in result.parts)
        out.append(f"{', '.join(names)}: {why}")
    return out


def kernels_section(kernels: Sequence[KernelRank], most: int = _KERNELS) -> Section:
    """Return a table of the `most` kernels with the most time, each with the speedup if it took no time."""
    bounded = any(k.bound is not None for k in kernels)
    columns = [Column("Kernel"), Column("Share", True), Column("Launches", True), Column("Each", True)]
    columns += [Column("Total", True, spare=1)]
    columns += [Column("At most", True), Column("Of run", True)] if bounded else []
    rows = []
    listed = kernels[:most]
    for kernel in listed:
        cells = [
            Cell(_told_apart(kernel, listed)[:NAME]),
            Cell(percent_text(kernel.share), kernel.share),
            Cell(f"{kernel.launches:,}", kernel.launches),
            Cell(time_text(kernel.mean), kernel.mean),
            Cell(time_text(kernel.total), kernel.total),
        ]
        cells += [Cell(bound_text(b), b) for b in (kernel.bound, kernel.run_bound)] if bounded else []
        rows.append(tuple(cells))
    blocks: list[Block] = [Table(tuple(columns), tuple(rows), sortable=True)]
    if len(kernels) > most:
        rest = sum(k.share for k in kernels[most:])
        blocks.append(Paragraph(f"{len(kernels) - most} more kernels take {percent_text(rest)}.", "dim"))
    if bounded:
        text = "At most: the speedup of the window (of the run) if the kernel took no time (Amdahl's law)."
        blocks.append(Paragraph(text, "dim"))
    return made_section("Kernels by time", blocks, level=3)


def _told_apart(kernel: KernelRank, listed: Sequence[KernelRank]) -> str:
    """Return the base name; if kernels share it, also the full name from the first word that differs."""
    others = [k.name for k in listed if k.short == kernel.short and k is not kernel]
    if not others:
        return kernel.short
    name = kernel.name
    start = max(sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(name, o, strict=False))) for o in others)
    # From the first word that differs; if it is a number, also the word before it.
    head = re.search(r"([A-Za-z_]+\W{0,2})?[0-9A-Za-z]*\Z", name[:start])
    return f"{cut(kernel.short, _SHORT)} …{name[head.start() if head is not None else start :]}"


def bound_text(bound: float | None) -> str:
    """Format Amdahl's bound as a speedup: `>100×` above 100, `unknown` for None."""
    return "unknown" if bound is None else speedup_text(bound) if bound < 100 else ">100×"


def command_texts(gpu: GpuTimeline) -> list[str]:
    """Return the maximum gain from the kernel, and the launches that the command selects."""
    command, chosen, out = gpu.command, gpu.target, []
    assert command is not None
    assert chosen is not None
    if chosen.run_bound is not None and math.isfinite(chosen.run_bound):
        bound = bound_text(chosen.run_bound)
        out.append(f"{shown(chosen.short)} can speed the application up by at most {bound}, even if it took no time.")
    if command.start is not None and command.duration is not None:
        only = chosen.launches == 1
        which = "the only launch" if only else "a typical launch" + (" of the main shape" if command.shapes > 1 else "")
        after = "" if only and not command.skip else f", after {counted(command.skip, 'launch')} of that name"
        inside = f" in the range {shown(command.range)}" if command.range else ""
        launch = f"{time_text(command.duration)}{_shape_text(command)}"
        out.append(f"The command selects {which}, at {at_text(command.start)} ({launch}){after}{inside}.")
    if command.each_gpu:
        out.append("It does so on each GPU of the trace.")
    return out


def _shape_text(command: NcuCommand) -> str:
    """Return the launch shape, and its share of the kernel's time if there are several shapes."""
    if command.grid is None or command.block is None:
        return ""
    grid, block = ("x".join(str(n) for n in size) for size in (command.grid, command.block))
    share = ""
    if command.shapes > 1 and command.shape_share is not None:
        share = f", which of {command.shapes} shapes takes {share_text(command.shape_share / 100)} of its time"
    return f", grid {grid}, block {block}{share}"
