"""A triage as a page: the time that fixes would save, the kernels that save most, and unreadable reports."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.reasoning.ranking import worthwhile
from advisor.triage.results import Application, Group, Report, Totals, Triage
from advisor.view.blocks import Block, Bullets, Cell, Column, Command, Fact, Facts, Page, Paragraph, Section, Table
from advisor.view.blocks import section as made_section
from advisor.view.numbers import (
    counted,
    percent_text,
    plural,
    saved_text,
    share_text,
    speedup_text,
    time_range_text,
    time_text,
)
from advisor.view.pages.diagnosis import NAME, ceiling_text, class_title
from advisor.view.pages.launch import EVIDENCE_COLUMNS, evidence_cells
from advisor.view.text import cut, shown

# Rows of the table, and groups with a section, by format: a page of thousands of kernels still opens at once.
EXTENT = {"text": (10, 3), "markdown": (20, 5), "html": (1000, 20)}
_FILES, _FILES_BRIEF = 200, 10  # the most reports with problems that are listed
_KERNELS_BRIEF = 10  # of an application
_BASIS = {"run": "the run", "window": "the span of the GPU's work", "kernels": "the time of all kernels"}


def triage_page(
    result: Triage,
    *,
    rows: int = EXTENT["html"][0],
    sections: int = EXTENT["html"][1],
    brief: bool = False,
    applications: Sequence[Application] = (),
) -> Page:
    """The whole page. rows, sections: groups in the table and with a section; brief: without steps and evidence."""
    totals = result.totals
    groups = list(result.groups(rows))
    made: list[Block] = [Paragraph(text, "lead") for text in _head(totals)]
    made += [Paragraph(ceiling_text(gpu), "dim") for gpu in result.measured]
    parts = [made_section("What to fix first", _table(groups, totals, sections), name="groups")]
    parts += [_application(one, brief) for one in applications]
    for at, group in enumerate(groups[:sections]):
        parts += _group(group, at, brief)
    return Page("Triage", tuple(made), (*parts, *_trouble(result, totals, _FILES_BRIEF if brief else _FILES)))


def _head(totals: Totals) -> Iterator[str]:
    launches, reports = counted(totals.launches, "launch"), counted(totals.reports, "report")
    yield f"{launches} in {reports}, {counted(totals.groups, 'kernel and shape', 'kernels and shapes')}."
    if totals.duration_ns:
        yield f"{time_text(totals.duration_ns)} of GPU time; one fix for each would save {_saved_in_all(totals)}."


def _saved_in_all(totals: Totals) -> str:
    """Return `16.8 ms of it (89 %; range 13–17 ms)`: the sums of the estimates and of both ends of their ranges."""
    if not totals.back_ns:
        return "none of it"
    share = share_text(totals.back_ns / totals.duration_ns)
    return f"{time_text(totals.back_ns)} of it ({share}; range {_range(totals)})"


def _range(one: Totals | Group) -> str:
    return saved_text(one.low_ns, one.high_ns)


def _table(groups: Sequence[Group], totals: Totals, sections: int) -> list[Block]:
    # What decides the order comes right after the name, so that a narrow page shows it.
    columns = (
        Column("#", True),
        Column("Kernel"),
        Column("Saves", True),
        Column("Speedup", True),
        Column("First finding"),
        Column("Time", True),
        Column("Launches", True),
        Column("Class", spare=3),
        Column("Shape", spare=4),
    )
    rows = []
    for at, group in enumerate(groups):
        gain = group.speedup
        shape = f"{shape_text(group.grid, '×')} of {shape_text(group.block, '×')}" if group.grid else "-"
        known = group.untimed < group.launches
        rows.append(
            (
                Cell(str(at + 1), at + 1),
                Cell(group.kernel[:NAME], link=f"group-{at}" if at < sections else ""),
                Cell(_range(group) if group.back_ns else "-", group.back_ns if gain is not None else None),
                Cell(speedup_text(gain) if gain is not None else "-", gain),
                Cell(group.first or "nothing found"),
                Cell(time_text(group.duration_ns) if known else "unknown", group.duration_ns if known else None),
                Cell(f"{group.launches:,}", group.launches),
                Cell(class_title(group.classes[0][0])),
                Cell(shape),
            )
        )
    blocks: list[Block] = [Table(columns, tuple(rows), sortable=True)]
    if (left := totals.groups - len(groups)) > 0:
        shown_ = sum(group.low_ns for group in groups), sum(group.high_ns for group in groups)
        least, most = (
            max(0.0, whole - part) for whole, part in zip((totals.low_ns, totals.high_ns), shown_, strict=True)
        )
        more = plural(left, "kernel and shape", "kernels and shapes")
        would = f"would save {saved_text(least, most)} in total" if most >= 1 else "with no fix known to save time"
        text = f"{left:,} more {more} {would}: --top {totals.groups} shows them."
        blocks.append(Paragraph(text, "dim"))
    return blocks


def _application(one: Application, brief: bool) -> Section:
    columns = (
        Column("Kernel"),
        Column("Share", True),
        Column("Fix first"),
        Column("Kernel speedup", True),
        Column("Application speedup", True),
    )
    rows = [
        (
            Cell(k.kernel[:NAME]),
            Cell(percent_text(k.share_pct), k.share_pct),
            Cell(k.fix or "-"),
            Cell(speedup_text(k.speedup), k.speedup),
            Cell(speedup_text(k.gain), k.gain),
        )
        for k in (one.kernels[:_KERNELS_BRIEF] if brief else one.kernels)
    ]
    table = Table(columns, tuple(rows), sortable=True) if rows else None
    title = f"For the application: {one.trace}, {one.gpu}: {_BASIS[one.basis]} is {time_text(one.whole_ns)}"
    return made_section(title, [table, Bullets(tuple(_application_texts(one)))])


def _application_texts(one: Application) -> Iterator[str]:
    if one.kernels:
        all_ = f"; with all fixes of each {speedup_text(one.gain_all)}" if one.gain_all > one.gain * 1.005 else ""
        shared = ""
        if one.overlap < 0.995:
            shared = f" Kernels run concurrently: {share_text(1 - one.overlap)} of their time overlaps, counted once."
        yield f"The first fix of each kernel together: {speedup_text(one.gain)} for the application{all_}.{shared}"
        yield f"The profiled kernels take {share_text(one.profiled_pct / 100)} of that time."
    else:
        yield "None of the kernels in the trace is in a report."
    if one.unprofiled:
        named = ", ".join(f"{cut(name, 40)} {percent_text(share)}" for name, share in one.unprofiled[:5])
        yield f"Not profiled: {named}"


def _group(group: Group, at: int, brief: bool) -> list[Section]:
    gpu = group.known_as or shown(group.gpu_name) or "GPU unknown"
    shape = f" · grid {shape_text(group.grid, '×')}, block {shape_text(group.block, '×')}" if group.grid else ""
    shows, finding = group.stands, group.stands.finding
    title = f"{at + 1}. {cut(group.kernel, 60 if brief else NAME)}{shape} · {gpu}"
    command = f"ncu-advisor diagnose {shlex.quote(shown(shows.report))} --launch {shows.index}"
    parts = [made_section(title, [Facts(tuple(_rows(group))), Command(command)], name=f"group-{at}")]
    if brief:
        return parts
    if finding is not None and finding.fix is not None and finding.fix.steps:
        costs = Paragraph(f"Cost: {finding.fix.costs}", "dim") if finding.fix.costs else None
        parts.append(made_section("How to fix it", [Bullets(finding.fix.steps, ordered=True), costs], level=3))
    cells = evidence_cells((*shows.verdict.evidence, *(finding.evidence if finding is not None else ())))
    if cells:
        name = f"Evidence, from the launch that would save most: {shows.report}, launch {shows.index}"
        parts.append(made_section(name, [Table(EVIDENCE_COLUMNS, tuple(cells))], level=3, folded=True))
    return parts


def _rows(group: Group) -> Iterator[Fact]:
    verdict, finding, budget = group.stands.verdict, group.stands.finding, group.stands.budget
    seen = f"{counted(group.launches, 'launch')} in {counted(group.reports, 'report')}"
    if group.duration_ns:
        seen += f", {time_text(group.duration_ns)} in total"
    if group.shortest_ns is not None and group.longest_ns is not None and group.launches - group.untimed > 1:
        seen += f", {time_range_text(group.shortest_ns, group.longest_ns)} each"
    yield Fact("Launches", seen + (f"; {group.untimed:,} without a time" if group.untimed else ""))
    if len(group.classes) > 1:
        yield Fact("Classes", ", ".join(f"{class_title(name)} {count:,}" for name, count in group.classes))
    yield Fact("Class", f"{verdict.title}: {verdict.because}")
    if finding is not None:
        yield Fact("Fix first", f"{finding.title}: {finding.because}", "lead")
        if finding.fix is not None:
            yield Fact("Fix", finding.fix.summary)
    if group.back_ns and group.speedup is not None:
        yield Fact("Saves", _saves(group))
        others = [c for c in group.causes if c.id != group.fix and c.speedup is not None and worthwhile(c.speedup)]
        if others:
            named = ", ".join(f"{c.id} {time_text(c.back_ns)}" for c in others[:4])
            yield Fact("Other fixes", f"time saved by each fix alone (do not add these): {named}")
    if budget is not None:
        steps = ", then ".join(step.finding for step in budget.steps[:4])
        yield Fact("All fixes", f"{steps}: {speedup_text(budget.together.estimate)} together")


def _saves(group: Group) -> str:
    assert group.speedup is not None
    range_ = time_range_text(group.low_ns, group.high_ns)
    text = f"{time_text(group.back_ns)} ({range_}), a speedup of {speedup_text(group.speedup)}"
    if group.fix != group.first:
        text += f", by the fix for {group.fix}"
    chosen = next(cause for cause in group.causes if cause.id == group.fix)
    if chosen.launches < group.launches:
        text += f"; found in {chosen.launches:,} of {group.launches:,} launches"
    return text


def _trouble(result: Triage, totals: Totals, most: int) -> list[Section]:
    blocks: list[Block] = []
    troubled = totals.refused + totals.incomplete
    if troubled:
        counts = [f"{totals.refused:,} could not be read"] if totals.refused else []
        counts += [f"{totals.incomplete:,} read with a problem"] if totals.incomplete else []
        blocks.append(Paragraph(f"Reports: {', '.join(counts)}.", "warn"))
    files = [f"{r.path}: {trouble_text(r)}" for r in islice(result.troubled(), most)]
    files += [f"… and {troubled - most:,} more: --format json lists them all"] if troubled > most else []
    files += [f"{path}: {why}" for path, why in result.problems]
    blocks += [Bullets(tuple(files))] if files else []
    if totals.foreign:
        text = f"{counted(totals.foreign, 'more file')} in the folders"
        blocks.append(
            Paragraph(f"{text} {plural(totals.foreign, 'holds', 'hold')} no profile; --format json lists them.")
        )
    return [made_section("Not read", blocks, name="unread")] if blocks else []


def trouble_text(report: Report) -> str:
    """Return the problem of a report in one line."""
    if report.refused:
        return report.refused + (" (run the same command to retry)" if report.again else "")
    return "; ".join(report.problems) or "some of its launches could not be read"


def shape_text(sizes: tuple[int, ...], times: str) -> str:
    """Format grid or block without trailing sizes of one."""
    kept = sizes
    while len(kept) > 1 and kept[-1] == 1:
        kept = kept[:-1]
    return times.join(str(size) for size in kept)
