"""An analysis of traces as a document: for each GPU the decision, its picture, patterns, kernels and the command."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.timeline.kernels import KernelRank
from advisor.timeline.results import GpuTimeline, Pattern, TimelineResult, Together
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
from advisor.view.charts.lanes import timeline_chart
from advisor.view.numbers import speedup_text, time_text
from advisor.view.timeline import (
    about_text,
    bound_text,
    command_texts,
    gpu_name,
    moment_text,
    percent_text,
    unseen_texts,
)

_KERNELS = 40
_NAME = 200


def timeline_page(result: TimelineResult) -> Page:
    """The whole document."""
    made: list[Block] = [Paragraph(trace.path, "dim") for trace in result.traces]
    careful = [Fact("Careful", f"{path}: {why}", "warn") for path, why in result.failed]
    careful += [Fact("Careful", f"{t.path}: {p}", "warn") for t in result.traces for p in t.problems]
    made += [Facts(tuple(careful))] if careful else []
    parts = _together(result, result.together) if result.together is not None else []
    for at, gpu in enumerate(result.gpus):
        parts += _gpu(result, gpu, at)
    return Page(_title(result), tuple(made), tuple(parts))


def _title(result: TimelineResult) -> str:
    if len(result.traces) == 1:
        return f"Timeline of {_file(result.traces[0].path)}"
    return f"Timeline of {len(result.traces)} traces"


def _file(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _together(result: TimelineResult, both: Together) -> list[Section]:
    columns = (
        Column("GPU"),
        Column("trace"),
        Column("busy", True),
        Column("computing", True),
        Column("communication", True),
        Column("mark"),
    )
    rows = []
    for at, gpu in enumerate(result.gpus):
        values = [gpu.values.get(name) for name in ("gpu_busy_pct", "computing_pct", "communication_pct")]
        mark = {both.busiest: "busiest", both.idlest: "least busy"}.get(at, "")
        name = Cell(gpu_name(gpu), link=f"gpu-{at}")
        trace = Cell(_file(result.traces[gpu.trace].path))
        rows.append((name, trace, *(Cell(percent_text(value), value) for value in values), Cell(mark)))
    blocks: list[Block] = [Table(columns, tuple(rows), sortable=True)]
    blocks += [Bullets(both.notes)] if both.notes else []
    if both.kernels:
        heads = (Column("kernel"), Column("share", True), Column("launches", True), Column("total", True))
        cells = [
            (
                Cell(name[:_NAME]),
                Cell(f"{share:.1f} %", share),
                Cell(f"{count:,}", count),
                Cell(time_text(total), total),
            )
            for name, count, total, share in both.kernels[:_KERNELS]
        ]
        blocks += [Paragraph("Kernels over all GPUs"), Table(heads, tuple(cells), sortable=True)]
    return [made_section("All GPUs", blocks, name="together")]


def _gpu(result: TimelineResult, gpu: GpuTimeline, at: int) -> list[Section]:
    trace = result.traces[gpu.trace]
    verdict = gpu.decision
    chart = timeline_chart(gpu)
    head: list[Block] = [
        Paragraph(about_text(trace, gpu), "dim"),
        Paragraph(f"{verdict.title}: {verdict.because}.", "lead"),
    ]
    head += [Bullets(gpu.next)] if gpu.next else []
    several = len(result.traces) > 1
    name = f"{gpu_name(gpu)} · {_file(trace.path)}" if several else gpu_name(gpu)
    if gpu.gpu < 0:
        name = f"GPU unknown · {_file(trace.path)}" if several else "GPU unknown"
    parts = [made_section(name, head, name=f"gpu-{at}")]
    if chart is not None:
        parts.append(made_section("When it works", [Picture(chart)], level=3))
    parts += [made_section("Remarks", [Bullets(gpu.notes)], level=3)] if gpu.notes else []
    first = [p for p in gpu.patterns if p.finding.kind != "note"]
    for number, pattern in enumerate(first, 1):
        title = f"{number}. {pattern.finding.title} ({pattern.finding.id})"
        parts.append(made_section(title, pattern_blocks(pattern), level=3))
    notes = [f"{p.finding.title} ({p.finding.id}): {p.finding.because}" for p in gpu.patterns if p not in first]
    parts += [made_section("Notes", [Bullets(tuple(notes))], level=3)] if notes else []
    if gpu.unseen:
        lacking = Bullets(tuple(unseen_texts(result, gpu.unseen)))
        parts.append(made_section("Could not be looked at, so unknown", [lacking], level=3))
    if gpu.kernels:
        parts.append(made_section("Kernels by time", _kernels(gpu.kernels), level=3))
    if gpu.command is not None and gpu.target is not None:
        told = [Paragraph(text) for text in command_texts(gpu)]
        parts.append(made_section("Profile it", [*told, Command(gpu.command.command)], level=3))
    return parts


def pattern_blocks(pattern: Pattern) -> list[Block]:
    """A pattern: why, what its fix can give and costs, the moments that show it, the steps of the fix."""
    finding = pattern.finding
    rows = [Fact("Seen", finding.because)]
    if finding.speedup is not None:
        gain = finding.speedup
        least = f"{speedup_text(gain.low)} to " if gain.low >= 1.005 else ""
        rows.append(Fact("Bound", f"{least}at most {speedup_text(gain.high)}"))
    rows += [Fact("Fix", finding.fix.summary)] if finding.fix is not None else []
    rows += [Fact("Gives", f"typically {pattern.typical}")] if pattern.typical else []
    rows += [Fact("Cost", finding.fix.costs)] if finding.fix is not None and finding.fix.costs else []
    if finding.undecided:
        rows.append(Fact("Less sure", f"since unknown: {', '.join(finding.undecided)}", "warn"))
    steps = finding.fix.steps if finding.fix is not None else ()
    blocks: list[Block] = [Facts(tuple(rows))]
    blocks += [Bullets(tuple(map(moment_text, pattern.moments)))] if pattern.moments else []
    return blocks + ([Bullets(steps, ordered=True)] if steps else [])


def _kernels(kernels: Sequence[KernelRank]) -> list[Block]:
    bounded = any(k.bound is not None for k in kernels)
    columns = [Column("kernel"), Column("share", True), Column("launches", True), Column("each", True)]
    columns += [Column("total", True), *((Column("at most", True), Column("of run", True)) if bounded else ())]
    rows = []
    shown_kernels = kernels[:_KERNELS]
    for kernel in shown_kernels:
        # Kernels that share a base name are told apart by the rest of it.
        name = kernel.short if sum(k.short == kernel.short for k in shown_kernels) == 1 else kernel.name
        cells = [
            Cell(name[:_NAME]),
            Cell(f"{kernel.share:.1f} %", kernel.share),
            Cell(f"{kernel.launches:,}", kernel.launches),
            Cell(time_text(kernel.mean), kernel.mean),
            Cell(time_text(kernel.total), kernel.total),
        ]
        cells += [Cell(bound_text(b), b) for b in (kernel.bound, kernel.run_bound)] if bounded else []
        rows.append(tuple(cells))
    blocks: list[Block] = [Table(tuple(columns), tuple(rows), sortable=True)]
    if len(kernels) > _KERNELS:
        rest = sum(k.share for k in kernels[_KERNELS:])
        blocks.append(Paragraph(f"{len(kernels) - _KERNELS} more kernels take {rest:.1f} %.", "dim"))
    if bounded:
        text = (
            "At most: how many times as fast the window (the run) would be if the kernel took no time (Amdahl's law)."
        )
        blocks.append(Paragraph(text, "dim"))
    return blocks
