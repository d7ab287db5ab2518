"""One launch as blocks: the verdict first, then fix, utilisation, evidence, further findings, caveats and unknowns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import unified_diff

from msgspec import Struct

from advisor.knowledge.base import catalog, finding_title, unknown_text
from advisor.knowledge.libraries import library_of
from advisor.knowledge.library_calls import calls, calls_of
from advisor.knowledge.texts import within_sentence
from advisor.knowledge.time_model import time_model
from advisor.readers.workload import key_of
from advisor.reasoning.ranking import worthwhile
from advisor.records.diagnosis import (
    ENDS,
    OVERRIDES,
    Budget,
    BudgetStep,
    Comparison,
    Finding,
    FixAdvice,
    LaunchDiagnosis,
    Location,
    OtherGpu,
    Quantity,
    Speedup,
    Unit,
    first_diagnosis,
    is_settled,
    overriding,
)
from advisor.source.measures import title_of
from advisor.view.blocks import BarRow, Bars, Block, Bullets, Cell, Code, Column, Command, Fact, Facts, Paragraph, Table
from advisor.view.charts.bars import Bar, occupancy, occupancy_limit, speed_of_light, stalls, unit_limits
from advisor.view.charts.workload import parts
from advisor.view.numbers import (
    bound_text,
    comparison_text,
    confidence_text,
    count_text,
    estimate_text,
    factor_text,
    is_open,
    is_wide,
    range_text,
    shape_text,
    share_text,
    speedup_text,
    tested_text,
    time_range_text,
    time_text,
)
from advisor.view.pages.deciding import deciding_blocks, deciding_facts
from advisor.view.pages.fix_room import room_facts
from advisor.view.pages.fix_simulation import check_texts
from advisor.view.pages.ncu_rules import HEADING as RULES
from advisor.view.pages.ncu_rules import verdict_texts
from advisor.view.pages.over_run import OVER_RUN, over_run_blocks
from advisor.view.pages.slots import ISSUE_SLOTS, most_lost_text, slots_blocks
from advisor.view.text import file_name, sentence, sentence_start, shown

# (position of the report, file name in the report) -> lines of the file.
Texts = Mapping[tuple[int, str], tuple[str, ...]]
QUANTITIES = "Waste and bounds by formula"
BUDGET = "Several fixes, in the best order"
EVIDENCE_COLUMNS = (Column("Observation"), Column("Value and test"), Column("Source"))
# Findings that may make all other numbers meaningless; they are shown with the verdict.
SEVERE = ("debug_build", "counter_implausible", "metric_nan", "report_incomplete", "emulated_counts")
_MOST_UNKNOWN = 20  # causes listed as not ruled out
_BOUNDS = "Each bound is that of one formula alone, and no estimate: the speedup above is that of the fix."
_STOP = 90.0  # percent of the achievable rate, from which a kernel needs no further work
_OPEN = "unexplained"
_READ_ON = 3  # the most topics listed under a fix; the fix's own page lists all
_WIDE = 2.0  # from this ratio of its ends on, a range is too wide to choose between two fixes of similar gain
_AROUND = 3  # lines of source before and after the hot one
_SOURCE_WIDTH = 300
_UNITS_SHOWN, _FINDINGS_SHOWN = 4, 2  # in the estimate for another GPU


class LaunchBlocks(Struct, frozen=True):
    """Blocks of a launch. first: the verdict; rest: (heading, blocks, whether a page of many launches folds them)."""

    first: tuple[Block, ...]
    rest: tuple[tuple[str, tuple[Block, ...], bool], ...]


def launch_blocks(launch: LaunchDiagnosis, texts: Texts) -> LaunchBlocks:
    """Return all conclusions on one launch. texts: the known source files."""
    first = first_diagnosis(launch)
    severe = [f for f in launch.findings if f.id in SEVERE and f is not first]
    rows = [Fact("Class", f"{launch.verdict.title}: {launch.verdict.because}")]
    rows += [Fact("Caveat", f"{f.title}: {f.because}", "warn") for f in severe]
    verdict = _verdict(first, launch) if first is not None else []
    rows = [*shape_facts(launch), *([*verdict, *rows] if overriding(launch) is not None else [*rows, *verdict])]
    blocks: list[Block] = [Facts(tuple(rows))]
    blocks += [code for place in (first.locations if first else ()) if (code := _excerpt(place, launch, texts))]
    rest: list[tuple[str, tuple[Block, ...], bool]] = []
    if first is not None and first.fix is not None and first.fix.steps:
        how = fix_blocks(first.fix, alternative_blocks(first), room_facts(first, launch))
        rest.append((steps_heading(first), (*deciding_blocks(launch.deciding), *how), False))
    slots = () if launch.issue_slots is None else slots_blocks(launch.issue_slots)
    unknown_cause = first is not None and first.id == _OPEN
    if slots and unknown_cause:
        rest.append((ISSUE_SLOTS, slots, False))
    rest.append(("Utilisation", utilisation_bars(launch), True))
    if slots and not unknown_cause:
        rest.append((ISSUE_SLOTS, slots, True))
    if launch.sampling is not None:
        rest.append((OVER_RUN, over_run_blocks(launch.sampling), True))
    if first is not None:
        rest.append(("Evidence", _evidence(launch, first), False))
    others = [f for f in launch.findings if f is not first and f.kind == "diagnosis"]
    if others:
        listed = Bullets(tuple(_other(launch, finding) for finding in others))
        rest.append(("Other findings, by estimated speedup", (listed,), True))
    if launch.quantities:
        note = (Paragraph(_BOUNDS, "dim"),) if first is not None and first.speedup is not None else ()
        rest.append((QUANTITIES, (*note, Bullets(tuple(map(quantity_text, launch.quantities)))), True))
    if launch.budget is not None:
        rest.append((BUDGET, budget_blocks(launch.budget), True))
    if launch.on is not None:
        rest.append((other_gpu_heading(launch.on), other_gpu_blocks(launch, launch.on), True))
    texts_, more = verdict_texts(launch, first)
    rest.append((RULES, (Bullets((*texts_, *([more] if more else []))),) if texts_ else (), True))
    # If ncu's rules give another class, that section already explains it.
    covered = {"rules_disagree"} if any(v.here.status == "class_differs" for v in launch.ncu_rules) else set()
    said = (first, *severe)
    trust = [f for f in launch.findings if f.kind == "trust" and f not in said and f.id not in covered]
    notes = [f"{f.title} ({f.id}): {f.because}" for f in trust]
    rest.append(("Caveats", (Bullets(tuple(notes)),) if notes else (), True))
    rest.append(("Minor and unknown", _unknown(launch), True))
    return LaunchBlocks(tuple(blocks), tuple(rest))


def shape_facts(launch: LaunchDiagnosis) -> tuple[Fact, ...]:
    """Return grid, block and GPU of a launch; empty if its shape is unknown."""
    if launch.grid is None or launch.block is None:
        return ()
    gpu = launch.known_as or shown(launch.gpu_name) or "an unknown GPU"
    shape = Fact("Launch", f"grid {shape_text(launch.grid)}, block {shape_text(launch.block)}, on {gpu}")
    return (shape, *_library_facts(launch))


def _library_facts(launch: LaunchDiagnosis) -> tuple[Fact, ...]:
    """Return the library that the kernel belongs to, or the call behind it; empty for a user's own kernel."""
    known = [calls()[name].title for name in calls_of(launch.kernel_full)]
    if known:
        return (Fact("Call", sentence_start(", or ".join(known))),)
    library = library_of(launch.kernel_full)
    return (Fact("Library", library),) if library else ()


def _verdict(first: Finding, launch: LaunchDiagnosis) -> list[Fact]:
    settled = is_settled(launch, first)
    rows = [Fact(label_text(first, launch), f"{first.title} ({first.id})", "good" if settled else "lead")]
    reasons = finding_facts(launch, first)
    if first.fix is not None and (first.id not in ENDS or settled):
        # What to do comes before the reasons, so that the first screen of a terminal has it.
        fix, *conditions = fix_facts(first)
        gains = 1 if reasons[0].label == "Speedup" else 0
        rows += [*reasons[:gains], fix, *reasons[gains:], *conditions]
    else:
        rows += reasons
    rows += estimate_facts(first)
    rows += [Fact("Not checked", unchecked)] if settled and (unchecked := unchecked_text(first, launch)) else []
    rows += deciding_facts(launch.deciding)
    if first.id == _OPEN and launch.issue_slots is not None:
        rows.append(Fact(ISSUE_SLOTS, sentence(most_lost_text(launch.issue_slots)), "lead"))
    page = f"workload:{first.id}" if launch.scope == "workload" else first.id
    return [*rows, Fact("Next", f"{next_text(first, launch)}; `ncu-advisor explain {page}`")]


def fix_facts(finding: Finding) -> list[Fact]:
    """Return the summary of a finding's fix, why it suits the launch, what to check first, and its cost."""
    fix = finding.fix
    if fix is None:
        return []
    # Without a cause there is nothing to fix yet.
    rows = [Fact("To find it" if finding.id == _OPEN else "Fix", fix.summary)]
    rows += [Fact("Fits because", fix.because)] if fix.because else []
    rows += [Fact("Check first", condition)] if (condition := fix_condition(fix)) else []
    return rows + ([Fact("Cost", fix.costs)] if fix.costs else [])


def fix_condition(fix: FixAdvice) -> str:
    """Return on what a fix depends that the report does not show; empty if it depends on nothing unknown."""
    open_ends = (("if", " and ", fix.needs), ("unless", " or ", fix.needs_not))
    parts = [f"{word} {join.join(states)}" for word, join, states in open_ends if states]
    return f"it suits {', and '.join(parts)} (unknown here)" if parts else ""


def alternative_blocks(finding: Finding) -> tuple[Block, ...]:
    """Return the other fixes of a finding that may suit the launch, the best first; empty if there is none."""
    texts = ((fix.summary, fix.because or fix_condition(fix)) for fix in finding.alternatives)
    listed = tuple(": ".join(part for part in parts if part) for parts in texts)
    return (Paragraph("Other fixes for the same cause:"), Bullets(listed)) if listed else ()


def estimate_facts(finding: Finding) -> list[Fact]:
    """Return the reasons of the estimated speedup; empty without an estimate."""
    gain = finding.speedup
    return [Fact("Estimate", sentence(gain.how))] if gain is not None and gain.how else []


def finding_facts(launch: LaunchDiagnosis, finding: Finding) -> list[Fact]:
    """Return estimated speedup or, without an estimate, its bound by a formula; reason and hot lines of a finding."""
    gain, bound = finding.speedup, launch.bound_of(finding.id)
    rows = []
    if gain is not None:
        rows.append(Fact("Speedup", speedup_phrase(gain), "lead"))
        if is_open(gain.low, gain.high) and bound is not None and _same(bound.at_most, gain.high):
            rows.append(Fact("Upper end", f"{bound.says}; {bound_phrase(bound)}"))
    elif bound is not None:
        rows.append(Fact("Speedup", f"{bound_phrase(bound)} ({_titled(bound)})", "lead"))
    sure = f" (confidence in this cause: {confidence_text(finding.confidence)})" if finding.evidence else ""
    rows.append(Fact("Why", f"{finding.because}{sure}"))
    rows += [Fact("Hot line", location_text(place)) for place in finding.locations]
    return rows


def _same(one: float | None, other: float) -> bool:
    return one is not None and speedup_text(one) == speedup_text(other)


def speedup_phrase(gain: Speedup) -> str:
    """`16× (7.0–39×) estimated, then limited by load latency`: the speedup of a fix and what limits after it."""
    term = time_model().terms.get(gain.next_limiter)
    said = estimate_text(gain) + ("" if is_open(gain.low, gain.high) or is_wide(gain.low, gain.high) else " estimated")
    return said + (f", then limited by {term.name}" if term is not None else "")


def quantity_text(quantity: Quantity) -> str:
    """`Sector waste: 16.0 sectors per load request …; at most 4× where DRAM limits`: a formula with its numbers."""
    bound = f"; {bound_phrase(quantity)}" if quantity.at_most is not None else ""
    return f"{quantity.title}: {quantity.says}{bound}"


def bound_phrase(quantity: Quantity) -> str:
    """`at most 4× where DRAM limits, as here`: the bound, and whether its assumption holds on the launch."""
    assert quantity.at_most is not None
    text = f"at most {bound_text(quantity.at_most)}"
    if not quantity.assumes:
        return text
    here = {True: ", as here", False: ", which is not so here", None: ""}[quantity.holds]
    return f"{text} where {quantity.assumes}{here}"


def _titled(quantity: Quantity) -> str:
    return f"{within_sentence(quantity.title)}: {quantity.says}"


def label_text(first: Finding, launch: LaunchDiagnosis) -> str:
    """Return `Cause`, or for a kernel near its limit `Near limit`, or `Done` if its work is the least possible.

    That takes the algorithm's minimum and 90 % of the achievable rate. `Possibly` if it is not certain enough to stop.
    """
    if first.id in OVERRIDES:
        return "Rebuild first"
    if first.id == _OPEN:
        return "No diagnosis"
    if first.id not in ENDS:
        return "Cause"
    if not is_settled(launch, first):
        return "Possibly"
    values = launch.metrics
    reached = values.get("dram_of_achievable", 0) if first.id == ENDS[0] else values.get("compute_pct", 0)
    return "Done" if reached >= _STOP and not unchecked_text(first, launch) else "Near limit"


# What no counter shows of a kernel near its limit, by finding, and the answer that shows it.
_UNCHECKED = {
    ENDS[0]: (
        "theoretical_bytes",
        "whether some bytes are moved more than once, such as a small array that a cache drops between two uses; no "
        "counter shows it, the algorithm's minimum bytes do (`theoretical_bytes`)",
    ),
    ENDS[1]: (
        "theoretical_flop",
        "whether the algorithm needs every operation; no counter shows it, its operation count does "
        "(`theoretical_flop`)",
    ),
}


def unchecked_text(first: Finding, launch: LaunchDiagnosis) -> str:
    """Return what was not checked of a kernel near its limit; empty for other findings and if its minimum is known."""
    answer, text = _UNCHECKED.get(first.id, ("", ""))
    return "" if launch.scope == "workload" or answer in launch.metrics else text


def _open_end(first: Finding, launch: LaunchDiagnosis) -> bool:
    """Return whether a kernel seems near its limit but the metrics that would show waste are missing."""
    return first.id in ENDS and any(first.id in lack.needed_for for lack in launch.missing)


def next_text(first: Finding, launch: LaunchDiagnosis) -> str:
    """Return the next action for the first finding."""
    if _open_end(first, launch):
        return "before you stop, collect the missing metrics (see Unknown below)"
    if first.id in OVERRIDES:
        return "follow the steps below; the other findings here are about code that the optimiser has not seen"
    if first.id in ENDS and not is_settled(launch, first):
        return "low confidence: before you stop, answer the questions below and check the evidence and caveats"
    if first.id in ENDS:
        return "look for speedups elsewhere; the remaining options here are below"
    return "follow the steps below" if first.id == _OPEN else "follow the steps below: change one thing, profile again"


def location_text(place: Location) -> str:
    """`kernel.cu:13 (84 % of spill instructions; STL [R1+0x134] alone 0.6 %)`; the address if the line is unknown.

    The instruction is named with its own share of the measure, not with that of its line: `kernel.cu:10 (100 % of
    shared-memory wavefronts beyond the ideal), LDS R11, [R14]` if it has all of it. Inlined code also has the nearest
    call.
    """
    where = f"{file_name(place.file)}:{place.line}" if place.line else f"0x{place.pc:x}"
    share = share_text(place.share)
    of, alone = f"{share} of {title_of(place.metric)}", place.share if not place.line else place.sass_share
    if not place.sass or alone is None:
        text = f"{where} ({of})"
    elif share_text(alone) == share:
        text = f"{where} ({of}), {place.sass}"
    else:
        text = f"{where} ({of}; {place.sass} alone {share_text(alone)})"
    if not place.calls:
        return text
    call = place.calls[0]
    return f"{text}, inlined at {file_name(call.file)}:{call.line}"


def _excerpt(place: Location, launch: LaunchDiagnosis, texts: Texts) -> Code | None:
    """Return the lines around a place, or None if the source is unknown or too short."""
    lines = texts.get((launch.report, place.file), ())
    if not 1 <= place.line <= len(lines):
        return None
    start = max(1, place.line - _AROUND)
    around = lines[start - 1 : place.line + _AROUND]
    kept = tuple(line.expandtabs(4).rstrip()[:_SOURCE_WIDTH] for line in around)
    return Code(location_text(place), start, kept, place.line)


def steps_heading(first: Finding) -> str:
    """Return the heading of the steps of a fix."""
    if first.id in ENDS:
        return "If it must be even faster"
    return "How to find the cause" if first.id == _OPEN else "How to fix it"


def change_blocks(fix: FixAdvice) -> tuple[Block, ...]:
    """Return a diff of a few lines of code without and with the fix; empty if the fix has no example."""
    if not fix.before:
        return ()
    before, after = fix.before.splitlines(), fix.after.splitlines()
    diff = list(unified_diff(before, after, lineterm="", n=len(before)))[3:]  # without the three header lines
    return (Code("An example, before (-) and after (+)", 0, tuple(diff), diff=True),)


def fix_blocks(fix: FixAdvice, others: tuple[Block, ...] = (), room: tuple[Fact, ...] = ()) -> tuple[Block, ...]:
    """Return the steps of a fix, topics, an exercise, other fixes, and its simulation with the launch's numbers.

    room: what it costs in occupancy (fix_room.room_facts).
    """
    blocks: list[Block] = [*change_blocks(fix), Bullets(fix.steps, ordered=True)]
    rows = list(room)
    if fix.see:
        also = f" (also {', '.join(fix.see[1:_READ_ON])})" if fix.see[1:] else ""
        rows.append(Fact("Read on", f"`ncu-advisor explain {fix.see[0]}`{also}"))
    rows += [Fact("Practise", f"`ncu-advisor practice show {fix.practice}`")] if fix.practice else []
    blocks += [Facts(tuple(rows))] if rows else []
    blocks += others
    if fix.check is not None:
        blocks += [Paragraph("Simulated with this launch's numbers:"), Bullets(tuple(check_texts(fix.check)))]
        blocks += [Paragraph("Try other values:"), Command(fix.check.command, fold=True)] if fix.check.command else []
    return tuple(blocks)


def bar_rows(rows: Sequence[Bar]) -> tuple[BarRow, ...]:
    """Convert the rows of a chart to bars."""
    return tuple(
        BarRow(r.label, None if r.value is None else r.value / 100, r.text, r.note, r.style == "total") for r in rows
    )


def utilisation_bars(launch: LaunchDiagnosis) -> tuple[Block, ...]:
    """Return the bars of the units and of the stall reasons; of a workload, those of its units."""
    if launch.scope == "workload":
        return tuple(Bars(name or "Units, % of peak", bar_rows(rows)) for name, rows in parts(launch.metrics))
    both = [row for side in ("compute", "memory") for row in speed_of_light(launch.metrics, side)]
    limit = occupancy_limit(launch.metrics, launch.labels)
    waiting = (*stalls(launch.metrics), occupancy(launch.metrics, launch.labels))
    caption = f"Stall reasons, % of warp cycles; occupancy{f' is {limit}' if limit else ''}"
    busy, high = unit_limits()
    lines = (busy / 100, high / 100)
    return (
        Bars(f"% of peak; marks at {busy:.0f} (utilised) and {high:.0f} (near its limit)", bar_rows(both), lines),
        Bars(caption, bar_rows(waiting)),
    )


def _evidence(launch: LaunchDiagnosis, first: Finding) -> tuple[Block, ...]:
    rows = evidence_cells((*launch.verdict.evidence, *first.evidence))
    rows += [(Cell(note), Cell(""), Cell("")) for note in launch.verdict.notes]
    blocks: list[Block] = [Table(EVIDENCE_COLUMNS, tuple(rows), prose=True)]
    if first.evidence:
        sure = f"{confidence_text(first.confidence)} ({share_text(first.confidence)})"
        open_ = f"; unknown: {unknown_text(first.undecided)}" if first.undecided else ""
        rows_ = [Fact("Confidence", f"in the cause {sure}{open_}")]
        rows_ += [Fact("Gain", text)] if (text := certainty_text(first.speedup)) else []
        blocks.append(Facts(tuple(rows_)))
    return tuple(blocks)


def certainty_text(gain: Speedup | None) -> str:
    """Return how certain a gain is, which the confidence in its cause does not say; empty without an estimate."""
    if gain is None:
        return ""
    reach = range_text(gain.low, gain.high)
    if gain.high < _WIDE * gain.low:
        return f"{reach}, estimated by the time model"
    times = factor_text(gain.high / gain.low)
    return f"{reach}, a factor of {times}: far less certain than the cause. Measure before you plan by it"


def evidence_rows(evidence: Sequence[Comparison]) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Return for each observation its text, its deciding comparisons (of an `or` those that hold), its sources."""
    together: dict[str, list[Comparison]] = {}
    for item in evidence:
        found = together.setdefault(item.observation, [])
        if item not in found:
            found.append(item)
    rows = []
    for found in together.values():
        carry = [item for item in found if item.holds] or found
        tests: list[str] = []
        for before, item in zip((None, *carry), carry, strict=False):
            again = before is not None and before.metric == item.metric
            tests.append(tested_text(item) if again else comparison_text(item))
        rows.append((found[0].says, tuple(tests), found[0].cites))
    return rows


def evidence_cells(evidence: Sequence[Comparison]) -> list[tuple[Cell, ...]]:
    """Return the rows of a table of evidence, one for each observation."""
    found = evidence_rows(evidence)
    return [(Cell(says), Cell("; ".join(tests)), Cell(", ".join(cites))) for says, tests, cites in found]


def _other(launch: LaunchDiagnosis, finding: Finding) -> str:
    bound = launch.bound_of(finding.id)
    gain = "" if bound is None else f", {bound_phrase(bound)}"
    gain = gain if finding.speedup is None else f", {estimate_text(finding.speedup)}"
    return f"{finding.title} ({finding.id}){gain}: {finding.because}"


def _unknown(launch: LaunchDiagnosis) -> tuple[Block, ...]:
    """Return findings with small gains, findings undecided by missing metrics, and open questions to the user."""
    rows = []
    small = [f"{f.title} ({f.id})" for f in launch.findings if f.kind == "note"]
    if small:
        rows.append(Fact("Minor", f"saves less than 5 % each: {', '.join(small)}"))
    concluded = {f.id for f in launch.findings}
    open_ = {f for m in launch.missing for f in m.needed_for} - concluded - set(catalog().trust)
    wanted = sorted(map(finding_title, open_))
    if wanted and launch.scope == "workload":
        words = "; ".join(dict.fromkeys(key_of(m.metric) for m in launch.missing))
        how = f"add to the workload file: {words} (`ncu-advisor explain graphics`)"
        rows.append(Fact("Unknown", f"{', '.join(wanted)} (not ruled out): {how}", "warn"))
    elif len(wanted) > _MOST_UNKNOWN:
        # Almost nothing is known: a list of all causes would say no more.
        text = f"{len(wanted)} causes are not ruled out: `ncu-advisor collect REPORT` prints the command that collects"
        rows.append(Fact("Unknown", f"{text} the metrics they need", "warn"))
    elif wanted:
        how = "`ncu-advisor collect REPORT` prints the command that collects the metrics they need"
        rows.append(Fact("Unknown", f"{', '.join(wanted)} (not ruled out): {how}", "warn"))
    for question in launch.questions:
        unit = f" in {question.unit}" if question.unit else ""
        would = f"It affects {', '.join(map(finding_title, question.would_change))}."
        rows.append(Fact("You can add", f"{question.ask} {would} (`{question.id}`{unit})"))
    return (Facts(tuple(rows)),) if rows else ()


def budget_blocks(budget: Budget) -> tuple[Block, ...]:
    """Return a table of the fixes in the recommended order, and their combined estimated speedup."""
    listed = listed_steps(budget)
    columns = (Column("", True), Column("Fix for"), Column("Alone", True), Column("Then", True), Column("Total", True))
    rows = []
    for at, step in enumerate(listed, 1):
        note = _step_note(step, at)
        gains = (Cell(speedup_text(gain), gain) for gain in (step.alone, step.gain, step.total))
        rows.append((Cell(f"{at}."), Cell(f"{step.finding}: {note}" if note else step.finding), *gains))
    together, rest = budget.together, budget.steps[len(listed) :]
    after = time_model().terms[together.next_limiter].name
    texts = [f"All fixes: {estimate_text(together)}; then {after} limits. Speedups neither add up nor multiply."]
    if rest:
        texts.append(f"Less than 5 % each after these: {', '.join(step.finding for step in rest)}.")
    if budget.left_out:
        texts.append(f"Left out, without an estimate: {', '.join(budget.left_out)}.")
    return (Table(columns, tuple(rows)), *(Paragraph(text) for text in texts))


def listed_steps(budget: Budget) -> tuple[BudgetStep, ...]:
    """Return the fixes up to the last that gains 5 % alone or at its place."""
    matters = [at for at, step in enumerate(budget.steps) if worthwhile(step.alone) or worthwhile(step.gain)]
    return budget.steps[: 1 + max(matters)]


def _step_note(step: BudgetStep, at: int) -> str:
    """Return a note if the fix's gain depends on its place, counted from 1; else ''."""
    before = "after 1" if at == 2 else f"after 1 to {at - 1}"
    if at > 1 and not worthwhile(step.alone) and worthwhile(step.gain):
        return f"no gain alone, only {before}"
    if at > 1 and worthwhile(step.alone) and not worthwhile(step.gain):
        return f"no gain {before}: they save the same time"
    return ""


def other_gpu_heading(on: OtherGpu) -> str:
    """Return the heading of the estimate for another GPU."""
    return f"On {on.gpu}, estimated from the counters of {on.here}"


def other_gpu_blocks(launch: LaunchDiagnosis, on: OtherGpu) -> tuple[Block, ...]:
    """Return time, limiter and first finding of the launch on another GPU, then the caveats of the estimate."""
    rows = []
    if on.ratio is not None:
        limit = time_model().terms[on.leader].name
        units = ", ".join(f"{u.name} {share_text(min(1.0, u.need))} ({_work(u)})" for u in on.units[:_UNITS_SHOWN])
        rows = [
            Fact("Time", _other_gpu_time(on)),
            Fact("Limiter", f"{limit}; class {on.class_title}"),
            Fact(
                "Units",
                f"share of the estimated time (in brackets: time on that GPU / time on the profiled GPU): {units}",
            ),
        ]
        if on.occupancy_pct is not None:
            rows.append(Fact("Occupancy", _other_gpu_occupancy(launch, on)))
        first, rest = on.findings[:1], on.findings[1 : 1 + _FINDINGS_SHOWN]
        then = f" (then {', '.join(map(finding_title, rest))})" if rest else ""
        lead = f"{finding_title(first[0])}{then}" if first else "unknown: too few metrics transfer"
        rows.append(Fact("Fix first", lead))
    cannot = (Bullets(tuple(caveat.says for caveat in on.cannot)),) if on.cannot else ()
    return (*((Facts(tuple(rows)),) if rows else ()), *cannot)


def _other_gpu_time(on: OtherGpu) -> str:
    assert on.ratio is not None and on.low is not None and on.high is not None
    of_here = f"{speedup_text(on.ratio)} the time here ({range_text(on.low, on.high)})"
    if on.duration_ns is None or on.duration_low_ns is None or on.duration_high_ns is None:
        return of_here
    return f"{time_text(on.duration_ns)} ({time_range_text(on.duration_low_ns, on.duration_high_ns)}), {of_here}"


def _work(unit: Unit) -> str:
    return speedup_text(unit.ratio) if unit.high < 1.005 * unit.low else range_text(unit.low, unit.high)


def _other_gpu_occupancy(launch: LaunchDiagnosis, on: OtherGpu) -> str:
    here, waves = launch.metrics.get("occupancy_theoretical_pct"), launch.metrics.get("waves")
    text = f"{on.occupancy_pct:.0f} %" + (f", here {here:.0f} %" if here is not None else "")
    if on.waves is not None:
        text += f"; {waves_text(on.waves)} waves" + (f", here {waves_text(waves)}" if waves is not None else "")
    return text


def waves_text(waves: float) -> str:
    """`2.1`, `1,234`: a number of waves."""
    return count_text(waves) if waves >= 10 else f"{waves:.2g}"
