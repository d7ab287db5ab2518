"""A diagnosis as text: first what to fix first, in a few lines, then everything it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from advisor.knowledge.base import catalog
from advisor.records.diagnosis import ENDS, Comparison, Diagnosis, Finding, LaunchDiagnosis, Location
from advisor.records.readings import ReportInfo
from advisor.view.budget import budget_lines
from advisor.view.charts import overview_text
from advisor.view.fix_simulation import check_lines
from advisor.view.ncu_rules import verdict_lines
from advisor.view.other_gpu import elsewhere_lines
from advisor.view.text import (
    brief_factor,
    comparison_text,
    cut,
    gain_text,
    labelled,
    paint,
    share_text,
    shown,
    tested_text,
    time_text,
    title_text,
    wrap,
)
from advisor.view.workload import SCOPE, lacking_lines, units_text

SHORT = {
    "compute_bound": "compute",
    "dram_bound": "DRAM",
    "internal_congestion": "congestion",
    "mixed_memory_bound": "mixed memory",
    "latency_bound": "latency",
}
# Where one of these holds, what follows may be about numbers that mean nothing: said before the verdict.
SEVERE = ("debug_build", "counter_implausible", "metric_nan", "report_incomplete")
STOP = 90.0
OPEN = "unexplained"
READ_ON = 3  # topics named under a fix; its own page names all


def diagnosis_text(diagnosis: Diagnosis, *, width: int = 80, colour: bool = False, blocks: bool = True) -> str:
    """The whole diagnosis: a table when there are several launches, then each launch."""
    out: list[str] = []
    for info in diagnosis.reports:
        out += _report_lines(info, width, colour)
    out += ceilings_lines(diagnosis.extra.get("measured_ceilings", ()), width, colour)
    if len(diagnosis.launches) > 1:
        out += ["", *_table(diagnosis.launches, width, colour)]
    for launch in diagnosis.launches:
        out += ["", *launch_lines(launch, diagnosis, width, colour, blocks)]
    return "\n".join(out) + "\n"


def _report_lines(info: ReportInfo, width: int, colour: bool) -> list[str]:
    lines = [paint(cut(f"{shown(info.path)} · {shown(info.tool)}", width), "dim", colour)]
    for problem in info.problems:
        lines += [paint(line, "yellow", colour) for line in wrap(f"! {shown(problem)}", width, 0, 2)]
    return lines


def ceiling_text(card: Mapping[str, Any]) -> str:
    """What was measured of a card and taken for what it can reach."""
    rates = f"read {card['read_bytes_per_s'] / 1e12:.3g} TB/s, copy {card['copy_bytes_per_s'] / 1e12:.3g} TB/s"
    when = shown(card["measured"][:10])
    return f"Achievable here is what `practice calibrate` measured on {shown(card['gpu'])} on {when}: {rates}"


def ceilings_lines(used: Sequence[Mapping[str, Any]], width: int, colour: bool) -> list[str]:
    """The same of all cards, a paragraph each."""
    return [paint(line, "dim", colour) for card in used for line in wrap(ceiling_text(card), width, 0, 2)]


def first_diagnosis(launch: LaunchDiagnosis) -> Finding | None:
    """What the advisor would fix first on this launch."""
    return next((f for f in launch.findings if f.kind == "diagnosis"), None)


def _table(launches: tuple[LaunchDiagnosis, ...], width: int, colour: bool) -> list[str]:
    fix = 27
    name = max(12, width - fix - 34)
    head = SCOPE if all(launch.scope == SCOPE for launch in launches) else "kernel"
    rows = [
        paint(f"{'#':>4} {head:<{name}} {'time':>8} {'class':<12} {'fix first':<{fix}} {'gain':>5}", "bold", colour)
    ]
    for launch in launches:
        first = first_diagnosis(launch)
        held = SHORT.get(launch.verdict.id, launch.verdict.id)
        gain = f"{brief_factor(first.speedup.estimate)}x" if first is not None and first.speedup is not None else "-"
        time = "-" if launch.duration_ns is None else time_text(launch.duration_ns)
        rows.append(
            f"{launch.index:>4} {cut(shown(launch.kernel), name):<{name}} {time:>8} "
            f"{held:<12} {cut(first.id if first else '-', fix):<{fix}} {gain:>5}"
        )
    return [cut(row, width) if not colour else row for row in rows]


def launch_lines(launch: LaunchDiagnosis, diagnosis: Diagnosis, width: int, colour: bool, blocks: bool) -> list[str]:
    """One launch: the short answer, then charts, evidence, further findings and what could not be looked at."""
    card = launch.known_as or shown(launch.gpu_name) or "GPU unknown"
    title = title_text(launch, width, card, time_text(launch.duration_ns))
    lines = [
        paint(title, "bold", colour),
        paint("─" * min(width, len(title)) if blocks else "-" * 40, "dim", colour),
    ]
    lines += labelled("Class", f"{launch.verdict.title}: {launch.verdict.because}", width)
    careful = [f for f in launch.findings if f.id in SEVERE]
    for finding in careful:
        lines += [paint(x, "yellow", colour) for x in labelled("Careful", f"{finding.title}: {finding.because}", width)]
    first = first_diagnosis(launch)
    if first is not None:
        lines += _first(first, launch, width, colour)
    if launch.on is not None:
        lines += elsewhere_lines(launch, launch.on, width, colour)
    if launch.scope == SCOPE:
        lines += ["", units_text(launch.metrics, width=width, blocks=blocks)]
    else:
        lines += ["", overview_text(launch.metrics, launch.labels, width=width, blocks=blocks)]
    if first is not None:
        lines += _steps(first, width, colour)
        lines += ["", paint("Evidence", "bold", colour)]
        lines += _evidence((*launch.verdict.evidence, *first.evidence), width)
    if launch.verdict.notes:
        lines += [line for note in launch.verdict.notes for line in wrap(f"· {note}", width, 2, 4)]
    others = [f for f in launch.findings if f is not first and f.kind == "diagnosis"]
    if others:
        lines += ["", paint("Also seen, in the order of their gain", "bold", colour)]
        for finding in others:
            gain = f", {gain_text(*_gain(finding))}" if finding.speedup is not None else ""
            lines += wrap(f"· {finding.title} [{finding.id}]{gain}: {finding.because}", width, 2, 4)
    if launch.budget is not None:
        lines += budget_lines(launch.budget, width, colour)
    small = [f for f in launch.findings if f.kind == "note"]
    if small:
        names = ", ".join(f"{f.title} [{f.id}]" for f in small)
        lines += ["", *wrap(f"Seen, but worth under 5 %: {names}", width, 0, 2)]
    lines += verdict_lines(launch, first, width, colour)
    # What the rules call the class otherwise stands there.
    told = {"rules_disagree"} if any(v.status == "class_differs" for v in launch.ncu_rules) else set()
    trust = [f for f in launch.findings if f.kind == "trust" and f not in careful and f.id not in told]
    if trust:
        lines += ["", paint("Before you trust these numbers", "bold", colour)]
        for finding in trust:
            lines += wrap(f"· {finding.title} [{finding.id}]: {finding.because}", width, 2, 4)
    wanted = sorted({f for m in launch.missing for f in m.needed_for} - set(catalog().trust))
    if wanted and launch.scope == SCOPE:
        lines += ["", paint("Could not look at", "bold", colour), *lacking_lines(launch, width)]
    elif wanted:
        lines += ["", paint("Could not look at", "bold", colour)]
        lines += wrap(f"{', '.join(wanted)} (unknown, not absent)", width, 2, 2)
        lines += wrap("run `ncu-advisor collect REPORT` for the command that collects what they need", width, 2, 2)
    if launch.questions:
        lines += ["", paint("You could tell", "bold", colour)]
        for question in launch.questions:
            unit = f" [{question.unit}]" if question.unit else ""
            lines += wrap(
                f"· {question.id}{unit}: {question.ask} It would decide {', '.join(question.would_change)}.",
                width,
                2,
                4,
            )
    return lines


def _gain(finding: Finding) -> tuple[float, float, float]:
    assert finding.speedup is not None
    return finding.speedup.estimate, finding.speedup.low, finding.speedup.high


def label_text(first: Finding, launch: LaunchDiagnosis) -> str:
    """Done from 90 % of what can be reached, near the limit below that (CATALOG's stop rule)."""
    if first.id == OPEN:
        return "No cause"
    if first.id not in ENDS:
        return "Fix first"
    values = launch.metrics
    reached = values.get("dram_of_achievable", 0) if first.id == ENDS[0] else values.get("compute_pct", 0)
    return "Done" if reached >= STOP else "Near limit"


def _first(first: Finding, launch: LaunchDiagnosis, width: int, colour: bool) -> list[str]:
    label = label_text(first, launch)
    lines = labelled(label, f"{first.title} [{first.id}]", width)
    lines = [paint(lines[0], "green" if first.id in ENDS else "cyan", colour), *lines[1:]]
    if first.speedup is not None:
        lines += labelled("Expect", f"{gain_text(*_gain(first))}: {first.speedup.how}", width)
    sure = f" (confidence {first.confidence:.2f})" if first.evidence else ""
    lines += labelled("Why", f"{first.because}{sure}", width)
    for number, place in enumerate(first.locations):
        lines += labelled("" if number else "Where", location_text(place), width)
    if first.fix is not None and not _open_end(first, launch):
        lines += labelled("How", first.fix.summary, width)
    page = f"{SCOPE}:{first.id}" if launch.scope == SCOPE else first.id
    return lines + labelled("Next", f"{next_text(first, launch)}; `ncu-advisor explain {page}`", width)


def _open_end(first: Finding, launch: LaunchDiagnosis) -> bool:
    """Whether a kernel is near its limit as far as is known, but what would show waste was not collected."""
    return first.id in ENDS and any(first.id in lack.needed_for for lack in launch.missing)


def next_text(first: Finding, launch: LaunchDiagnosis) -> str:
    """What to do with the first finding."""
    if _open_end(first, launch):
        return "before you stop, collect what could not be looked at (below)"
    if first.id in ENDS:
        return "look elsewhere; what could still help here stands below"
    return "the steps below" if first.id == OPEN else "the steps below: change one thing, profile again"


def location_text(place: Location) -> str:
    """`kernel.cu:13 (100 % of excess_wavefronts), LDS R11, [R14]`; the address where the line is unknown.

    Inlined code is told with the nearest call.
    """
    name = shown(place.file.replace("\\", "/").rpartition("/")[2])
    where = f"{name}:{place.line}" if place.line else f"0x{place.pc:x}"
    text = f"{where} ({share_text(place.share)} of {place.metric}), {shown(place.sass) or 'no code'}"
    if not place.calls:
        return text
    file, line = place.calls[0]
    return f"{text}, inlined at {shown(file.replace(chr(92), '/').rpartition('/')[2])}:{line}"


def steps_heading(first: Finding) -> str:
    """What stands over the steps of a fix."""
    if first.id in ENDS:
        return "If it must be faster still"
    return "To find out" if first.id == OPEN else "The fix, step by step"


def _steps(first: Finding, width: int, colour: bool) -> list[str]:
    fix = first.fix
    if fix is None or not fix.steps:
        return []
    lines = ["", paint(steps_heading(first), "bold", colour)]
    for number, step in enumerate(fix.steps, 1):
        lines += wrap(f"{number}. {step}", width, 2, 5)
    lines += wrap(f"Costs: {fix.costs}", width, 2, 4) if fix.costs else []
    if fix.see:
        also = f" (also {', '.join(fix.see[1:READ_ON])})" if fix.see[1:] else ""
        lines += wrap(f"Read on: ncu-advisor explain {fix.see[0]}{also}", width, 2, 4)
    lines += [f"  Practise it: ncu-advisor practice show {fix.practice}"] if fix.practice else []
    return lines + (check_lines(fix.check, width, colour) if fix.check is not None else [])


def _evidence(evidence: Sequence[Comparison], width: int) -> list[str]:
    lines = []
    for says, tests, cites in evidence_rows(evidence):
        sources = f" [{', '.join(cites)}]" if cites else ""
        lines += wrap(f"· {says} ({'; '.join(tests)}){sources}", width, 2, 4)
    return lines


def evidence_rows(evidence: Sequence[Comparison]) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Each observation: what it says, the comparisons that it rests on (of an `or` those that hold), its sources."""
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
