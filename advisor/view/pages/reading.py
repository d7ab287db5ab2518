"""The exercises that are read, as pages: the facts of a recording without its diagnosis, then the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from advisor.knowledge.base import catalog
from advisor.practice.reading_answers import (
    CAVEAT_POINTS,
    PATTERN_POINTS,
    TIME_POINTS,
    Answered,
    Shown,
    choices,
    without_caveats,
)
from advisor.practice.readings import NOTHING, Reading
from advisor.practice.state import Prediction, Record
from advisor.records.diagnosis import LaunchDiagnosis, first_diagnosis
from advisor.timeline.overview import CallSum, Overview
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
    paragraphs,
    section,
)
from advisor.view.charts.lanes import picture, timeline_chart
from advisor.view.numbers import (
    amount_text,
    counted,
    measured_text,
    percent_text,
    share_text,
    size_text,
    tested_text,
    time_text,
)
from advisor.view.pages.launch import utilisation_bars
from advisor.view.pages.pattern import moment_text, pattern_section
from advisor.view.pages.practice import log_page, next_step
from advisor.view.pages.timeline import command_texts, kernels_section
from advisor.view.text import shown

ASKS: Final = {
    "timeline": "What does this timeline show first?",
    "profile": "What is wrong with this profile, if anything?",
}
ASKS_TIME: Final = (
    "How much time would its fix save at most? For a kernel: if it took no time; if nothing is wrong: the idle time."
)
_HOW: Final = {
    "timeline": "70 points for the pattern, 30 for the time; off by a factor of two, it gets 15, by four none.",
    "profile": "100 points for the caveat; a caveat that applies but is not the first gives half.",
}
_CALLS: Final = 8  # rows of a table of calls
_VERSION: Final = re.compile(r"_v\d+\Z")
# The verdicts of ncu's bottleneck rule, by the metric `ncu_verdict`.
_VERDICTS: Final = {1: "latency, or a small grid", 2: "balanced", 3: "compute", 4: "memory", 5: "high throughput"}


def title_of(one: Reading) -> str:
    """`3. Filtering a seismic survey`."""
    return f"{one.number}. {one.title}"


def facts_page(one: Reading, found: Shown, record: Record) -> Page:
    """Build the story, the facts of the recording, the possible answers and the next command."""
    head: list[Block] = [Paragraph(f"Read a {one.kind} · trains step {one.step} of the method", "dim")]
    known = choices(one)
    time = " --estimate 12ms" if one.estimate is not None else ""
    parts = [
        section("", paragraphs(one.story)),
        *facts_sections(found),
        section(ASKS[one.kind], [*question_blocks(one), answers_table(known)], level=3),
    ]
    scored = [p.points for p in record.predictions if p.points is not None]
    if scored:
        parts.append(section("", [Paragraph(f"Your answer: {scored[-1]} of 100 points.")]))
        parts.append(section("", [next_step(f"show {one.number} --profile")]))
    else:
        parts.append(section("", [next_step(f"predict {one.number} --cause ID{time}")]))
    return Page(title_of(one), tuple(head), tuple(parts))


def question_blocks(one: Reading) -> tuple[Block, ...]:
    """Return what to answer and how it is scored."""
    asked = [Paragraph(ASKS_TIME)] if one.estimate is not None else []
    return (*asked, Paragraph(_HOW[one.kind], "dim"))


def answers_table(known: Sequence[tuple[str, str]]) -> Table:
    """Return the possible answers."""
    return Table((Column("Id"), Column("Answer")), tuple((Cell(name), Cell(title)) for name, title in known))


def facts_sections(found: Shown) -> list[Section]:
    """Return the facts of a recording without what the program concludes from them."""
    if found.timeline is not None:
        gpu = found.timeline.gpu
        parts = [section("The timeline", timeline_facts(found), level=3)]
        chart = timeline_chart(gpu)
        drawn = Picture(chart, lambda width, blocks: picture(gpu, width, blocks))
        parts += [section("Activity over time", [drawn], level=3)] if chart is not None else []
        about = found.timeline.overview
        for name, blocks in timeline_tables(about):
            parts.append(section(name, blocks, level=3))
        return [*parts, kernels_section(gpu.kernels)]
    parts = [section("The profile", profile_facts(found), level=3)]
    assert found.profile is not None
    parts.append(section("Utilisation", utilisation_bars(found.profile.launch), level=3))
    return parts


def timeline_facts(found: Shown) -> tuple[Block, ...]:
    """Return where the trace comes from, its window, and how busy the GPU is."""
    assert found.timeline is not None
    info, about, gpu = found.timeline.info, found.timeline.overview, found.timeline.gpu
    made = f"Synthetic trace, with the schema of {info.tool} ({info.schema})."
    busy = about.busy / about.window
    idle = f"{time_text(about.gap_total)} in total, {time_text(about.gap_median)} the median"
    gaps = f"{counted(about.gaps, 'gap')}, {idle}"
    rows = (
        Fact("GPU", gpu.name),
        Fact("Window", f"{time_text(about.window)}, from its first work to its last"),
        Fact("Busy", f"{share_text(busy)} of the window"),
        Fact("Idle", f"{share_text(1 - busy)} of the window: {gaps}"),
    )
    return (Paragraph(made, "dim"), Facts(rows))


def timeline_tables(about: Overview) -> list[tuple[str, tuple[Block, ...]]]:
    """Return (heading, blocks): the GPU's work by kind, the longest gaps, and the calls of the host."""
    columns = (
        Column("Work"),
        Column("Count", True),
        Column("Mean", True),
        Column("Of window", True),
        Column("Moved", True, spare=1),
        Column("Host memory", spare=2),
    )
    rows = tuple(
        (
            Cell(work.name.strip("[]")),
            Cell(f"{work.count:,}", work.count),
            Cell(time_text(work.total / work.count), work.total / work.count),
            Cell(share_text(work.covered / about.window), work.covered),
            Cell("" if work.size is None else size_text(work.size), work.size),
            Cell({True: "pageable", False: "page-locked"}.get(work.pageable, "") if work.pageable is not None else ""),
        )
        for work in about.work
    )
    out: list[tuple[str, tuple[Block, ...]]] = [("Work on the GPU", (Table(columns, rows),))]
    if about.longest:
        out.append(("The longest gaps", (Bullets(tuple(map(moment_text, about.longest))),)))
    system = ("Calls of the operating system", about.system)
    named = (("CUDA calls", about.calls), system, ("NVTX ranges", about.ranges))
    out += [(name, (_calls_table(calls, about.window),)) for name, calls in named if calls]
    return out


def _calls_table(calls: Sequence[CallSum], window: int) -> Table:
    numbers = (Column(name, True) for name in ("Count", "Mean", "Total", "Of window"))
    rows = tuple(
        (
            Cell(_VERSION.sub("", shown(call.name))),
            Cell(f"{call.count:,}", call.count),
            Cell(time_text(call.total / call.count), call.total / call.count),
            Cell(time_text(call.total), call.total),
            Cell(share_text(call.total / window), call.total),
        )
        for call in calls[:_CALLS]
    )
    return Table((Column("Function"), *numbers), rows)


def profile_facts(found: Shown) -> tuple[Block, ...]:
    """Return where the report comes from, its launches, its headline numbers, and what the program concludes."""
    assert found.profile is not None
    launch, diagnosis = found.profile.launch, found.profile.diagnosis
    tool = diagnosis.reports[0].tool if diagnosis.reports else ""
    origin = (
        f"Recorded with {tool}. Some of these reports were changed for the exercise; the answer says what was changed."
    )
    blocks: list[Block] = [Paragraph(origin, "dim")]
    if len(diagnosis.launches) > 1:
        columns = (Column("Launch", True), Column("Kernel"), Column("Time", True), Column("SM clock", True))
        rows = tuple(
            (
                Cell(str(x.index), x.index),
                Cell(shown(x.kernel)),
                Cell(time_text(x.duration_ns)),
                Cell(_amount(x, "sm_clock_hz", "Hz")),
            )
            for x in diagnosis.launches
        )
        blocks += [Table(columns, rows), Paragraph(f"The numbers below are those of launch {launch.index}.")]
    return (*blocks, Facts(tuple(_headline(launch))), Facts(tuple(_conclusion(without_caveats(launch)))))


def _amount(launch: LaunchDiagnosis, name: str, unit: str) -> str:
    value = launch.metrics.get(name)
    return "unknown" if value is None else amount_text(value, unit, 4)


def _headline(launch: LaunchDiagnosis) -> list[Fact]:
    """Return the same facts for every launch, so that none of them stands out."""
    known = launch.metrics

    def number(name: str, form: str = ",.3g") -> str:
        return format(known[name], form) if name in known else "unknown"

    def percent(*names: str) -> str:
        return ", ".join(f"{names[at]} {percent_text(known.get(names[at + 1]))}" for at in range(0, len(names), 2))

    def flag(name: str) -> str:
        return {1.0: "yes", 0.0: "no"}.get(known.get(name, -1.0), "unknown")

    shape = f"grid {'×'.join(map(str, launch.grid or ()))}, block {'×'.join(map(str, launch.block or ()))}"
    return [
        Fact("Kernel", f"{shown(launch.kernel)}, {shape}"),
        Fact("Duration", time_text(launch.duration_ns)),
        Fact("GPU", f"{shown(launch.gpu_name)}; in the GPU table: {flag('gpu_known')}"),
        Fact("SMs", f"{number('sm_count', '.0f')} used, {number('device_sm_count', '.0f')} on the GPU"),
        Fact("SM clock", f"{_amount(launch, 'sm_clock_hz', 'Hz')}; boost {_amount(launch, 'device_clock_hz', 'Hz')}"),
        Fact("Throughput", percent("SM", "sm_throughput_pct", "memory", "memory_throughput_pct", "DRAM", "dram_pct")),
        Fact("ncu's rule says", _VERDICTS.get(int(known.get("ncu_verdict", 0)), "unknown")),
        Fact("Occupancy", percent("limit", "occupancy_theoretical_pct", "achieved", "occupancy_achieved_pct")),
        Fact("Scheduler", f"{number('active_warps')} warps, issues {number('issue_active')} per cycle"),
        Fact("A warp issues", f"every {number('issue_interval')} cycles, {number('stall_wait')} of them in `wait`"),
        Fact("Active lanes", f"{number('lanes_active')} of 32"),
        Fact("Balance", f"change between DRAM and SM activity over the run: {_share(known.get('sampling_phases'))}"),
        Fact("Stall samples", number("pc_samples", ",.0f")),
        Fact("Shared memory", f"{number('shared_inst', ',.0f')} instructions; ideal wavefronts {_ideal(launch)}"),
        Fact("Clock reads", f"share of the executed instructions: {_share(known.get('clock_reads_share'))}"),
        Fact("Line table", flag("line_info")),
        Fact("Not a number", number("nan_metrics", ".0f")),
    ]


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.1f} %"


def _ideal(launch: LaunchDiagnosis) -> str:
    value = launch.metrics.get("shared_wavefronts_ideal")
    return "not collected" if value is None else f"{value:,.0f}"


def _conclusion(launch: LaunchDiagnosis) -> list[Fact]:
    """Return class and first finding, as the diagnosis of the report states them."""
    rows = [Fact("Class", f"{launch.verdict.title}: {launch.verdict.because}")]
    first = first_diagnosis(launch)
    return rows + ([Fact("First finding", f"{first.title}: {first.because}")] if first is not None else [])


# The answer


def answer_page(one: Reading, answered: Answered) -> Page:
    """Build the score, the program's own diagnosis, and what to look at."""
    parts = [section("Your answer", [score_table(one, answered)], level=3)] if answered.score is not None else []
    for name, blocks in answer_sections(one, answered.shown):
        parts.append(section(name, blocks, level=3))
    return Page(title_of(one), (), (*parts, section("", [next_step("list")])))


def score_table(one: Reading, answered: Answered) -> Table:
    """Return the answer, the right one, and the points of each part."""
    said, score, found = answered.said, answered.score, answered.shown
    assert said is not None
    assert score is not None
    most = PATTERN_POINTS if one.estimate is not None else CAVEAT_POINTS
    rows = [("What it shows", said.cause, found.answer, f"{score.cause_points} of {most}")]
    if found.time is not None:
        points = f"{score.speedup_points} of {TIME_POINTS}"
        rows.append(("Time saved", _time(said.estimate), time_text(found.time), points))
    rows.append(("All", "", "", f"{score.total} of 100"))
    columns = (Column(""), Column("You"), Column("Actual"), Column("Points", True))
    return Table(columns, tuple(tuple(map(Cell, row)) for row in rows))


def _time(value: float | None) -> str:
    return "-" if value is None else time_text(value)


def answer_sections(one: Reading, found: Shown) -> list[tuple[str, tuple[Block, ...]]]:
    """Return (heading, blocks): the finding with rule and numbers, why it is so here, and what to do."""
    why = ("What happens here", tuple(paragraphs(found.filled(one.explanation))))
    if found.timeline is not None:
        assert one.estimate is not None
        time = f"{found.filled(one.estimate.how)} That is {time_text(found.timeline.time)}."
        return [*_pattern(found), ("The time", (Paragraph(time),)), why, *_next(found)]
    changed = f"Changed for this exercise. {one.changed}" if one.changed else "This report is as recorded."
    return [*_caveat(found), why, ("About the report", (Paragraph(changed, "dim"),))]


def _pattern(found: Shown) -> list[tuple[str, tuple[Block, ...]]]:
    assert found.timeline is not None
    gpu = found.timeline.gpu
    out = []
    # Notes do not compete; a note is shown if it is the answer.
    for number, pattern in enumerate((p for at, p in enumerate(gpu.patterns) if not at or p.kind != "note"), 1):
        made = pattern_section(number, pattern, gpu.values, steps=number == 1)
        rules = Facts((Fact("Rule", ", ".join(pattern.rules)), *_tests(pattern.evidence)))
        out.append((made.title, (*made.blocks, rules) if number == 1 else made.blocks[:1]))
    return out


def _tests(evidence: Sequence[object]) -> list[Fact]:
    return [Fact("Test", f"{measured_text(item)}, {tested_text(item)}") for item in evidence]  # type: ignore[arg-type]


def _next(found: Shown) -> list[tuple[str, tuple[Block, ...]]]:
    assert found.timeline is not None
    gpu = found.timeline.gpu
    blocks: list[Block] = [Paragraph(f"{gpu.decision.title}: {gpu.decision.because}.")]
    blocks += [Bullets(gpu.next)] if gpu.next else []
    if gpu.command is not None and gpu.target is not None:
        blocks += [Bullets(tuple(command_texts(gpu))), Command(gpu.command.command, fold=True)]
    return [("What next", (*blocks, Paragraph(f"More: `ncu-advisor explain {found.answer}`")))]


def _caveat(found: Shown) -> list[tuple[str, tuple[Block, ...]]]:
    if found.answer == NOTHING:
        return [("Nothing is wrong", (Paragraph("No caveat applies to this report."),))]
    out: list[tuple[str, tuple[Block, ...]]] = []
    for finding in found.findings:
        entry = catalog().trust[finding.id]
        rows = [
            Fact("Because", finding.because, "lead"),
            *_tests(finding.evidence),
            Fact("Rule", ", ".join(finding.rules)),
            Fact("What", entry.what),
            Fact("Why", entry.why),
            *([Fact("But", entry.misleads)] if entry.misleads else []),
        ]
        fix = finding.fix
        steps: list[Block] = [Paragraph(f"{fix.summary}:"), Bullets(fix.steps, ordered=True)] if fix is not None else []
        more = Paragraph(f"More: `ncu-advisor explain {finding.id}`")
        out.append((f"{finding.title} ({finding.id})", (Facts(tuple(rows)), *steps, more)))
    return out


def answers_log_page(one: Reading, record: Record) -> Page:
    """Build the answer with its points, and the notes on it."""
    if not record.log:
        text = f"Exercise {one.number}: no answer yet. `ncu-advisor practice show {one.number}` shows the recording."
        return Page("", (Paragraph(text),), ())
    made = tuple(answer_text(p) for p in record.predictions if p.points is not None)
    notes = log_page(one, record.log)
    return Page(notes.title, (Bullets(made),), notes.sections)


def answer_text(made: Prediction) -> str:
    """`Your answer: gpu_idle, 120 ms; actual: gpu_idle, 131 ms. 97 of 100 points`."""
    said = ", ".join(x for x in (made.cause, "" if made.estimate is None else time_text(made.estimate)) if x)
    time = "" if made.actual_estimate is None else time_text(made.actual_estimate)
    actual = ", ".join(x for x in (made.actual_cause, time) if x)
    return f"Your answer: {said}; actual: {actual}. {made.points} of 100 points"
